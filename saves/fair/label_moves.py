"""Checks label moves, using only information available in every copy (protocol 7, section 2.6)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from engine.kernel.cards import PileContents, PileKind
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from saves.codec import AnyGame
from saves.fair.labels import MIXED, Departure, LabelTable, Pile
from saves.fair.requests import InvalidMessageError, has_hidden
from saves.fair.resolution import KnownUse, may_name
from saves.fair.state import FairState

Places: TypeAlias = Mapping[str, PileContents]
_PICKED: Final = frozenset({*MIXED, PileKind.DISCARD, PileKind.LAID})
"""Pile kinds from which another seat's cards can only be taken at random."""


_EXCHANGE: Final = 2
"""Number of labels in an event that exchanges two unseen cards."""


class EventTransition(NamedTuple):
    """One event and the public states before and after it."""

    number: int
    event: Event
    is_hidden: bool
    before: Any
    after: Any


def apply_moves(
    state: FairState,
    table: LabelTable,
    owner: Role,
    step: EventTransition,
    moves: Sequence[Departure],
    uses: Sequence[KnownUse],
    index: int,
) -> LabelTable:
    """Return the table after an owner's moves for one event.

    Raises:
        InvalidMessageError: A randomly picked label does not move, or a label is named in a pile that must be mixed
            first.
        LabelError: A label is not in the pile that its move names.
    """
    pending = state.pending
    assert pending is not None, "a record must be pending in this phase"
    first_throw = pending.throws[0].number if pending.throws else None
    picked = {
        known.label: known.use.pile
        for known in uses
        if known.label is not None and known.use.event == step.number and known.use.deck == owner
    }
    sources = {move.label: move.source for move in moves}
    if any(sources.get(label) != pile for label, pile in picked.items()):
        raise InvalidMessageError(f"a randomly picked label of {owner} is not moved")
    for name in dict.fromkeys(sources.values()):
        pile = table.pile(owner, name)
        named = [label for label, source in sources.items() if source == name]
        is_whole = len(named) == len(pile.labels)
        if not is_whole and not all(
            label in picked or may_name(pile, label, first_throw, is_hidden=step.is_hidden)
            for label in named
        ):
            raise InvalidMessageError(
                f"a label from {name} is named before that pile has been mixed"
            )
    _check_need(state.setup.game, table, owner, step, moves)
    return table.move(owner, moves, state.throws, index, picked)


def _check_need(
    game: AnyGame, table: LabelTable, owner: Role, step: EventTransition, moves: Sequence[Departure]
) -> None:
    """Check that the owner moves exactly the labels that the event needs."""
    before, after = game.card_piles(step.before, owner), game.card_piles(step.after, owner)
    is_kept = game.secret_owner(step.event) == owner
    if not is_kept and before == after:
        if moves:
            raise InvalidMessageError(f"event {step.number} must not move labels of {owner}")
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
            raise InvalidMessageError(f"event {step.number} must not reorder {name}")
    gains = sum(
        max(len(place.cards) - _card_count(before, name), 0) for name, place in after.items()
    )
    loose = 0
    for name, labels in leaving.items():
        pile = table.pile(owner, name)
        if len(labels) < len(pile.labels):
            loose += len(labels)
            _check_order(pile, labels)
    if loose > (gains or (_EXCHANGE if is_kept else 0)):
        raise InvalidMessageError(f"event {step.number} moves too many labels of {owner}")


def _card_total(places: Places) -> int:
    return sum(len(place.cards) for place in places.values())


def _card_count(places: Places, name: str) -> int:
    return len(places[name].cards) if name in places else 0


def _check_order(pile: Pile, labels: Sequence[int]) -> None:
    """Check that labels leave an ordered pile from the top. A pile that this record has changed has no order yet."""
    if pile.kind is PileKind.ORDERED and not pile.is_dirty:
        first = {label.number for label in pile.labels[: len(labels)]}
        if first != {*labels}:
            raise InvalidMessageError(f"cards must be drawn from the top of {pile.name}")


def check_other_deck(
    game: AnyGame, table: LabelTable, step: EventTransition, role: Role, uses: Sequence[KnownUse]
) -> None:
    """Check that an event takes cards from another deck only if every copy can identify them.

    These are cards picked at random, whole piles, the first cards in an ordered pile, and cards with public faces. The
    owner could not complete an event that takes any other cards.
    """
    before, after = game.card_piles(step.before, role), game.card_piles(step.after, role)
    is_kept = game.secret_owner(step.event) == role and has_hidden(step.event)
    if before == after and not is_kept:
        return
    if _card_total(before) != _card_total(after):
        raise InvalidMessageError(f"event {step.number} adds or removes cards of {role}")
    is_visible = False
    for name, place in before.items():
        count = len(place.cards)
        lost = count - _card_count(after, name)
        picked = sum(
            known.use.event == step.number and (known.use.deck, known.use.pile) == (role, name)
            for known in uses
        )
        gone = sum(card not in after[name].cards for card in place.cards if card != HIDDEN)
        is_visible |= (
            bool(picked) or lost == count > 0 or (place.kind is PileKind.ORDERED and lost > 0)
        )
        if place.kind in _PICKED and (lost > 0 or picked) and lost not in {picked, count, gone}:
            raise InvalidMessageError(
                f"event {step.number} takes cards of {role} from {name} without a random pick"
            )
    if is_kept and not is_visible:
        raise InvalidMessageError(f"event {step.number} hides which cards of {role} it moves")
    seen = {card for place in before.values() for card in place.cards}
    for name, place in after.items():
        for card in place.cards:
            if card not in seen:
                _check_face(table, role, card, name, (before, after))


def _check_face(
    table: LabelTable, role: Role, card: str, target: str, places: tuple[Places, Places]
) -> None:
    """Check that a card is shown only if its label is open and, if the card moves, leaves its pile."""
    found = table.find_face(role, card)
    source = "" if found is None else found[0].name
    before, after = places
    if not source or (
        source != target and _card_count(before, source) <= _card_count(after, source)
    ):
        raise InvalidMessageError(f"the proposal shows {card} before {role} has opened it")
