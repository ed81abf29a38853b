"""The possible effects of a card before it is played, such as where it could battle or build."""

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
from tui.qmg.warnings import warning_question

assert OPERATIONS  # keep the import: it registers how each step is carried out
_NAMED: Final = 3
"""Maximum number of targets to name."""


def targets(index: Index, card: str) -> tuple[c.QmgCommand, ...] | None:
    """Return the possible actions of a card that does one thing with one piece, except battles without an enemy.

    Return None for a card that does something else, or whose text does not apply now.
    """
    ability = CARD[card].on_play() if card != HIDDEN else None
    if ability is None or ability.cost or len(ability.steps) != 1:
        return None
    (step,) = make_operations(ability.steps)
    at = PublicContext(analysis=index.field, owner=CARD[card].deck, active=index.view.active)
    if not isinstance(step, PieceStep) or not is_condition_met(ability.condition, at):
        return None
    options = step.options(at, None)
    return tuple(one for one in options if not isinstance(one, c.Battle) or one.target is not None)


def target_summary(index: Index, card: str) -> str:
    """Summarise the spaces where a card would have an effect; empty if the card does not involve spaces."""
    possible = targets(index, card)
    if possible == ():
        return "no target now"
    found = sorted(possible or (), key=lambda one: option_rank(index, one))
    spaces = list(dict.fromkeys(getattr(one, "space", "") for one in found))
    if not spaces or not all(spaces):
        return ""
    if len(spaces) > _NAMED:
        return f"{len(spaces)} spaces"
    return ", ".join(map(say.space_name, spaces))


def only_target(given: c.QmgCommand, options: Sequence[Any]) -> c.QmgCommand | None:
    """Return the only action of the card just played; None if the player has a choice.

    Battles in empty spaces are ignored if the card can battle an enemy. The player can undo the action to choose
    another.
    """
    if not isinstance(given, c.Play):
        return None
    found: list[c.QmgCommand] = [one for one in options if not isinstance(one, c.Done)]
    fights = [one for one in found if isinstance(one, c.Battle)]
    if fights and len(fights) == len(found):
        found = [one for one in fights if one.target is not None]
    return found[0] if len(found) == 1 and isinstance(found[0], c.OnBoard) else None


def option_rank(index: Index, command: c.QmgCommand) -> int:
    """Return a sort key for options. Lower values are more valuable and come first."""
    match command:
        case c.Play():
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
