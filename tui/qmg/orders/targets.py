"""The possible effects of a card before it is played, such as the spaces where it could battle or build."""

from collections.abc import Sequence
from typing import Any, Final

from engine.qmg import commands as c
from engine.qmg import phrases as say
from engine.qmg.atlas import BIT, STARS
from engine.qmg.cards.base import make_operations
from engine.qmg.cards.board import PieceStep
from engine.qmg.cards.interpreter import OPERATIONS
from engine.qmg.deck import CARD
from engine.qmg.ids import HIDDEN
from engine.qmg.terms import PublicContext, is_condition_met
from tui.qmg.index import Index
from tui.qmg.orders.warnings import warning_question

assert OPERATIONS  # keep the import, which registers the operation for each step
_MAX_NAMED_TARGETS: Final = 3
"""Maximum number of targets to name."""


def targets(index: Index, card: str) -> tuple[c.QmgCommand, ...] | None:
    """Return the possible actions of a card with a single effect on one piece. Battles without an enemy are omitted.

    Return None for all other cards, or if the card's condition is not met now.
    """
    ability = CARD[card].on_play() if card != HIDDEN else None
    if ability is None or ability.cost or len(ability.steps) != 1:
        return None
    (step,) = make_operations(ability.steps)
    context = PublicContext(
        analysis=index.analysis, owner=CARD[card].deck, active=index.view.active
    )
    if not isinstance(step, PieceStep) or not is_condition_met(ability.condition, context):
        return None
    options = step.options(context, None)
    return tuple(
        option
        for option in options
        if not isinstance(option, c.Battle) or option.target is not None
    )


def target_summary(index: Index, card: str) -> str:
    """Return a summary of the spaces where a card would have an effect; empty if the card does not involve spaces."""
    possible_targets = targets(index, card)
    if possible_targets == ():
        return "no target now"
    commands = sorted(possible_targets or (), key=lambda command: option_rank(index, command))
    spaces = list(dict.fromkeys(getattr(command, "space", "") for command in commands))
    if not spaces or not all(spaces):
        return ""
    if len(spaces) > _MAX_NAMED_TARGETS:
        return f"{len(spaces)} spaces"
    return ", ".join(map(say.space_name, spaces))


def only_target(played_command: c.QmgCommand, options: Sequence[Any]) -> c.QmgCommand | None:
    """Return the only possible action of the card just played; None if there are several or none.

    Battles in empty spaces are ignored if the card can battle an enemy. The player can undo the action to choose
    another.
    """
    if not isinstance(played_command, c.Play):
        return None
    actions: list[c.QmgCommand] = [action for action in options if not isinstance(action, c.Done)]
    battles = [action for action in actions if isinstance(action, c.Battle)]
    if battles and len(battles) == len(actions):
        actions = [action for action in battles if action.target is not None]
    return actions[0] if len(actions) == 1 and isinstance(actions[0], c.SpaceCommand) else None


def option_rank(index: Index, command: c.QmgCommand) -> int:
    """Return a sort key for options. Lower values are more valuable and come first."""
    match command:
        case c.Play():
            is_useless = targets(index, command.card) == ()
            return 1 if is_useless or warning_question(index, command) else 0
        case c.Use():
            return 1 if warning_question(index, command) else 0
        case c.Battle(space=space, target=target):
            return 2 if target is None else 0 if BIT[space] & STARS else 1
        case c.Build(space=space) | c.Recruit(space=space):
            return 0 if BIT[space] & STARS else 1
        case c.Designate():
            return 2
        case c.Done():
            return 3
        case _:
            return 0
