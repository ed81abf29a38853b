"""Moves of labels: which ones an event allows as far as everyone can tell (protocol 7, section 2.6)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from engine.kernel.cards import CardPlace, PileKind
from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from saves.codec import AnyGame
from saves.fair.labels import MIXED, Departure, LabelTable, Pile
from saves.fair.requests import Problem
from saves.fair.resolution import KnownUse, may_name
from saves.fair.state import FairState

Places: TypeAlias = Mapping[str, CardPlace]
_PICKED: Final = frozenset({*MIXED, PileKind.DISCARD, PileKind.LAID})
"""Kinds of piles from which cards of another seat leave by chance only."""


_EXCHANGE: Final = 2
"""Labels of an event that exchanges two cards unseen."""


class Step(NamedTuple):
    """One event with the public states around it."""

    number: int
    event: Event
    is_hidden: bool
    before: Any
    after: Any


def moved(
    state: FairState,
    table: LabelTable,
    owner: Role,
    step: Step,
    moves: Sequence[Departure],
    uses: Sequence[KnownUse],
    index: int,
) -> LabelTable:
    """Return the table after an owner's moves of one event.

    Raises:
        Problem: A label that chance picked does not move, or one is named that must be mixed before.
        LabelError: A label is elsewhere.
    """
    pending = state.pending
    assert pending is not None, "a record is pending in this phase"
    first_throw = pending.throws[0].number if pending.throws else None
    picked = {
        known.label: known.use.pile
        for known in uses
        if known.label is not None and known.use.event == step.number and known.use.deck == owner
    }
    sources = {move.label: move.source for move in moves}
    if any(sources.get(label) != pile for label, pile in picked.items()):
        raise Problem(f"a label of {owner} that chance picked does not move")
    for name in dict.fromkeys(sources.values()):
        pile = table.pile(owner, name)
        named = [label for label, source in sources.items() if source == name]
        is_whole = len(named) == len(pile.labels)
        if not is_whole and not all(
            label in picked or may_name(pile, label, first_throw, is_hidden=step.is_hidden)
            for label in named
        ):
            raise Problem(f"a label of {name} is named before the pile is mixed")
    _check_need(state.setup.game, table, owner, step, moves)
    return table.move(owner, moves, state.throws, index, picked)


def _check_need(
    game: AnyGame, table: LabelTable, owner: Role, step: Step, moves: Sequence[Departure]
) -> None:
    """Check that the labels move which the event needs, and no others beside them."""
    before, after = game.card_piles(step.before, owner), game.card_piles(step.after, owner)
    is_kept = game.keeper(step.event) == owner
    if not is_kept and before == after:
        if moves:
            raise Problem(f"event {step.number} moves no label of {owner}")
        return
    leaving: dict[str, list[int]] = {}
    inside: set[str] = set()
    for move in moves:
        if move.source == move.target:
            inside.add(move.source)
        else:
            leaving.setdefault(move.source, []).append(move.label)
    for name in inside:
        if table.pile(owner, name).kind is not PileKind.ORDERED or not is_kept or name in leaving:
            raise Problem(f"event {step.number} gives {name} no other order")
    gains = sum(max(len(place.cards) - _count(before, name), 0) for name, place in after.items())
    loose = 0
    for name, labels in leaving.items():
        pile = table.pile(owner, name)
        if len(labels) < len(pile.labels):
            loose += len(labels)
            _check_order(pile, labels)
    if loose > (gains or (_EXCHANGE if is_kept else 0)):
        raise Problem(f"event {step.number} moves fewer labels of {owner}")


def _count(places: Places, name: str) -> int:
    return len(places[name].cards) if name in places else 0


def _check_order(pile: Pile, labels: Sequence[int]) -> None:
    """Check that the first labels of an ordered pile leave it; one that changed in this record has no order yet."""
    if pile.kind is PileKind.ORDERED and not pile.is_dirty:
        first = {label.number for label in pile.labels[: len(labels)]}
        if first != {*labels}:
            raise Problem(f"the first cards of {pile.name} are drawn first")


def check_other_deck(
    step: Step, role: Role, places: tuple[Places, Places], uses: Sequence[KnownUse]
) -> None:
    """Check that an event takes only cards of another deck that chance has picked, or a whole pile.

    What else leaves a pile of another seat could not be completed by its owner.
    """
    before, after = places
    for name, place in before.items():
        lost = len(place.cards) - len(after[name].cards)
        picked = sum(
            known.use.event == step.number and (known.use.deck, known.use.pile) == (role, name)
            for known in uses
        )
        if (
            place.kind in _PICKED
            and lost not in {picked, len(place.cards)}
            and (lost > 0 or picked)
        ):
            raise Problem(f"event {step.number} takes cards from {name} of {role} without chance")
