"""Selects the reactions to an enemy offensive that are worth a search (5.32, 7.25-7.27)."""

from typing import Final

from engine.bots.strong_eots_plays import CandidatePlay
from engine.eots import commands as orders
from engine.eots.frames import OffensiveFrame
from engine.eots.ids import Side
from engine.eots.view import EotsView
from engine.kernel.decision import Decision
from engine.kernel.ruleset import Command

_IMPORTANT_COMMANDS: Final = (orders.React, orders.SpecialReaction, orders.ChooseHq)
_CLOSING_COMMANDS: Final = (orders.Pass, orders.Done, orders.RollIntelligence)
MAX_ANSWERS: Final = 4
"""Maximum number of reactions to search in addition to the default."""


def is_important_reaction(view: EotsView, decision: Decision[Command]) -> bool:
    """Return whether the Reaction player faces an important decision."""
    offensive = view.offensive
    if offensive is None or not isinstance(view.frames[-1], OffensiveFrame):
        return False
    if offensive.side is Side(decision.role):
        return False
    return any(isinstance(option, _IMPORTANT_COMMANDS) for option in decision.options)


def candidate_reactions(
    decision: Decision[Command], usual_command: Command
) -> tuple[CandidatePlay, ...]:
    """Return the reactions worth a search: each card, each HQ, and no reaction. The default is first."""
    alternatives = [
        option
        for option in decision.options
        if isinstance(option, (*_IMPORTANT_COMMANDS, *_CLOSING_COMMANDS))
        and option != usual_command
    ]
    candidates = (usual_command, *alternatives[:MAX_ANSWERS])
    return tuple(
        CandidatePlay(order=order, value=0)
        for order in candidates
        if isinstance(order, orders.EotsCommand)
    )
