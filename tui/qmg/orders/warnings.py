"""Warnings about commands that are easily given by mistake (4.2, 6.6, 7.4, 8.2)."""

from collections.abc import Iterable, Sequence
from typing import Final

from engine.kernel.ruleset import Command
from engine.qmg.atlas import BIT
from engine.qmg.board_analysis import BoardAnalysis
from engine.qmg.cards.base import Operation, make_operations
from engine.qmg.cards.board import PieceStep
from engine.qmg.cards.choices import AnyOrderStep, ChooseStep, IfStep
from engine.qmg.cards.interpreter import OPERATIONS
from engine.qmg.commands import (
    Battle,
    Discard,
    Done,
    Play,
    QmgCommand,
    Recruit,
    Remove,
    Use,
    Withdraw,
    Yes,
)
from engine.qmg.deck import CARD, Ability
from engine.qmg.ids import BOLSTER, BUILD_ARMY, BUILD_NAVY, HIDDEN, MINOR_FORCE
from engine.qmg.phrases import card_title, piece_name, space_with_article
from engine.qmg.terms import PublicContext, is_condition_met
from engine.qmg.view import QmgView
from play.choices import NO_CONSEQUENCE, Consequence
from tui.qmg.index import Index
from tui.qmg.panels.in_progress import innermost_card

assert OPERATIONS  # keep the import, which registers the operation for each step
_BEFORE_SUPPLY = ("", "play", "air")
_STEP_WINDOWS: Final = ("victory_step", "discard_step")
"""Events at the end of a step. All events at the beginning of a turn or step end with ``_begin``."""


_WITHOUT_EFFECT: Final = (Discard, Done, Remove, Use, Withdraw, Yes)
"""Commands that end a step, pay a cost or use another card. All other commands carry out the effect of a card."""


def end_of_step(view: QmgView, options: Sequence[object], default: Command | None) -> Consequence:
    """Return the cost of a Discard step without discards (8.4), or of ending a card's effect early."""
    # In the Discard step, ending is the default unless it costs 1 VP.
    if view.total_war and view.step == "discard" and isinstance(default, Discard):
        return Consequence("costs 1 VP", "Discard no card and lose 1 VP?")
    card = innermost_card(view)
    if not card or all(isinstance(option, _WITHOUT_EFFECT) for option in options):
        return NO_CONSEQUENCE
    title = card_title(card)
    return Consequence(f"gives up the rest of {title}", f"Give up the rest of {title}?")


def warning_question(index: Index, command: QmgCommand) -> str:
    """Return a warning about a command that is legal but doubtful; empty for all other commands."""
    if isinstance(command, Play) and command.card != HIDDEN:
        return _no_effect_warning(index, command.card)
    if isinstance(command, Use) and command.card != HIDDEN and is_step_window(index.view):
        return _wasted_use_warning(index, command.card)
    if isinstance(command, Recruit):
        return _removal_warning(index, command)
    return ""


def is_step_window(view: QmgView) -> bool:
    """Return whether the open window belongs to a turn or a step, rather than to an action or a loss (10.2)."""
    kind = "" if view.trigger is None else view.trigger.kind
    return kind.endswith("_begin") or kind in _STEP_WINDOWS


def is_pass_usual(view: QmgView, options: Sequence[object]) -> bool:
    """Return whether a player usually passes in the open window (10.4).

    This is the case if no action or loss must be answered, or if each answer is a Bolster that costs other cards.
    """
    uses = [option for option in options if isinstance(option, Use)]
    if view.trigger is None or not uses:
        return False
    return is_step_window(view) or all(_is_costly_bolster(use.card) for use in uses)


def _is_costly_bolster(card: str) -> bool:
    entry = CARD[card]
    return entry.type == BOLSTER and any(ability.cost for ability in entry.abilities)


def _wasted_use_warning(index: Index, card: str) -> str:
    """Return a warning if none of a card's effects could do anything in the window of a step; empty otherwise."""
    view = index.view
    context = PublicContext(
        analysis=index.analysis, owner=CARD[card].deck, active=view.active, trigger=view.trigger
    )
    if any(
        _does_anything(make_operations(ability.steps), context)
        for ability in CARD[card].abilities
        if ability.trigger is not None
    ):
        return ""
    return f"{CARD[card].name} has no effect now. Use it anyway?"


def _no_effect_warning(index: Index, card: str) -> str:
    """Return a warning if the card has no effect on the current board (8.2); empty otherwise."""
    entry = CARD[card]
    ability = entry.on_play()
    if ability is None or ability.cost:
        return ""
    view = index.view
    context = PublicContext(analysis=index.analysis, owner=entry.deck, active=view.active)
    if entry.type in {BUILD_ARMY, BUILD_NAVY} and _may_designate(context, entry.type):
        return ""
    if is_condition_met(ability.condition, context) and _does_anything(
        make_operations(ability.steps), context
    ):
        return ""
    return f"{entry.name} has {_missing_target_text(ability)} now. Play it anyway?"


def _missing_target_text(ability: Ability) -> str:
    """Describe what the card needs but does not have now, such as a target.

    A battle without a target may still be useful, because other cards can respond.
    """
    names = {step.__struct_config__.tag for step in ability.steps}
    name = names.pop() if len(names) == 1 else ""
    is_one = name in {"battle", "build", "recruit", "eliminate"}
    return f"nothing to {name}" if is_one else "no effect"


def _may_designate(context: PublicContext, card_type: str) -> bool:
    """Return whether a Build card could designate a piece as just built (7.6)."""
    army, navy = context.analysis.supplied_spaces(context.owner)
    return bool(army if card_type == BUILD_ARMY else navy)


def _does_anything(steps: Iterable[Operation], context: PublicContext) -> bool:
    """Return whether any of a card's steps could have an effect. A battle counts only if it has a target."""
    return any(_has_effect(step, context) for step in steps)


def _has_effect(step: Operation, context: PublicContext) -> bool:
    if isinstance(step, PieceStep):
        options = step.options(context, None)
        return any(
            not isinstance(option, Battle) or option.target is not None for option in options
        )
    if isinstance(step, IfStep):
        return is_condition_met(step.op.condition, context) and _does_anything(
            step.inner[""], context
        )
    if isinstance(step, ChooseStep | AnyOrderStep):
        return any(_does_anything(part, context) for part in step.inner.values())
    return True


def _removal_warning(index: Index, command: Recruit) -> str:
    """Return a warning if a recruited piece would be removed in this turn's Supply step; otherwise empty (6.6, 7.3)."""
    view = index.view
    force, kind, space = command.force, command.piece, command.space
    if force not in (view.active, MINOR_FORCE.get(view.active)) or view.step not in _BEFORE_SUPPLY:
        return ""
    board = index.analysis.board.with_changes(force, kind, added_count=BIT[space])
    analysis = BoardAnalysis(board, index.analysis.changes, (), is_strict=index.is_strict)
    if analysis.supplied_pieces(force, kind) & BIT[space]:
        return ""
    name = piece_name(force, kind)
    return (
        f"The {name} in {space_with_article(space)} would be out of supply and leave in this turn's Supply step."
        " Recruit it anyway?"
    )
