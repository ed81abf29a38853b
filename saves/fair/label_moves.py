"""Checks label moves, using only the information in every copy."""

from collections.abc import Sequence
from typing import Final

from engine.kernel.cards import PileKind
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from saves.codec import AnyGame
from saves.fair.event_steps import EventStep, PileChange, Piles
from saves.fair.labels import MIXED, Departure, LabelTable, Pile, repeated_card
from saves.fair.requests import InvalidMessageError, has_hidden
from saves.fair.resolution import KnownUse, may_name
from saves.fair.state import FairState

_PICKED: Final = frozenset({*MIXED, PileKind.DISCARD, PileKind.LAID})
"""Kinds of piles from which another seat's cards can be taken only at random."""


_EXCHANGE: Final = 2
"""Number of labels that an exchange of two unseen cards moves."""


def apply_moves(
    state: FairState,
    table: LabelTable,
    owner: Role,
    step: EventStep,
    moves: Sequence[Departure],
    uses: Sequence[KnownUse],
    index: int,
) -> LabelTable:
    """Check an owner's label moves for one event, and return the label table after these moves.

    Raises:
        InvalidMessageError: A randomly picked label does not move, or a move names a label in a pile that must be mixed
            first.
        LabelError: A label is not in the pile that its move names.
    """
    pending = state.pending
    assert pending is not None, "a record must be pending in this phase"
    first_throw = pending.throws[0].number if pending.throws else None
    picked_labels = {
        known_use.label: known_use.use.pile
        for known_use in uses
        if known_use.label is not None
        and known_use.use.event == step.number
        and known_use.use.deck == owner
    }
    sources = {move.label: move.source for move in moves}
    if any(sources.get(label) != pile for label, pile in picked_labels.items()):
        raise InvalidMessageError(f"a randomly picked label of {owner} is not moved")
    for name in dict.fromkeys(sources.values()):
        pile = table.pile(owner, name)
        moved_labels = [label for label, source in sources.items() if source == name]
        # Moving a whole pile reveals nothing about single labels, so the pile need not be mixed
        # first.
        is_whole_pile = len(moved_labels) == len(pile.labels)
        if not is_whole_pile and not all(
            label in picked_labels or may_name(pile, label, first_throw, is_hidden=step.is_hidden)
            for label in moved_labels
        ):
            raise InvalidMessageError(
                f"a label from {name} is named before that pile has been mixed"
            )
    _check_need(state.setup.game, table, owner, step, moves)
    return table.move(owner, moves, state.throws, index, picked_labels)


def _check_need(
    game: AnyGame, table: LabelTable, owner: Role, step: EventStep, moves: Sequence[Departure]
) -> None:
    """Check that the owner moves exactly the labels that the event needs."""
    change = step.changes.get(owner)
    is_secret = game.secret_owner(step.event) == owner
    if not is_secret and change is None:
        if moves:
            raise InvalidMessageError(f"event {step.number} must not move labels of {owner}")
        return
    leaving_labels: dict[str, list[int]] = {}
    reordered_piles: set[str] = set()
    for move in moves:
        if move.source == move.target:
            reordered_piles.add(move.source)
        else:
            leaving_labels.setdefault(move.source, []).append(move.label)
    for name in reordered_piles:
        if (
            table.pile(owner, name).kind is not PileKind.ORDERED
            or not is_secret
            or name in leaving_labels
        ):
            raise InvalidMessageError(f"event {step.number} must not reorder {name}")
    gained_count = 0
    if change is not None:
        gained_count = sum(
            max(len(contents.cards) - _card_count(change.before, name), 0)
            for name, contents in change.after.items()
        )
    piles = {name: table.pile(owner, name) for name in leaving_labels}
    emptied_piles = {
        name for name, labels in leaving_labels.items() if len(labels) == len(piles[name].labels)
    }
    for name, labels in leaving_labels.items():
        if name not in emptied_piles:
            _check_order(piles[name], labels)
    # If an emptied pile receives other labels, the owner may have exchanged its cards. Deck
    # segments are exempt, because one segment may move as a whole to replace another.
    refilled_piles = emptied_piles & {
        move.target
        for move in moves
        if move.source not in emptied_piles or not table.pile(owner, move.target).kind.is_segment
    }

    def is_unexplained(move: Departure) -> bool:
        if move.source not in emptied_piles:
            return move.source != move.target
        label = piles[move.source].label(move.label)
        is_exchange = not refilled_piles.isdisjoint({move.source, move.target})
        return is_exchange and label is not None and not label.face

    unexplained_moves = sum(map(is_unexplained, moves))
    # Without this limit, the owner could exchange further labels during the event without changing
    # any pile's size.
    if unexplained_moves > (gained_count or (_EXCHANGE if is_secret else 0)):
        raise InvalidMessageError(f"event {step.number} moves too many labels of {owner}")


def _card_total(places: Piles) -> int:
    return sum(len(place.cards) for place in places.values())


def _card_count(places: Piles, name: str) -> int:
    return len(places[name].cards) if name in places else 0


def _check_order(pile: Pile, labels: Sequence[int]) -> None:
    """Check that labels are taken from the top of an ordered pile.

    A pile already changed by this record is not checked, because its new order is not fixed yet.
    """
    if pile.kind is PileKind.ORDERED and not pile.is_dirty:
        top_labels = {label.number for label in pile.labels[: len(labels)]}
        if top_labels != {*labels}:
            raise InvalidMessageError(f"cards must be drawn from the top of {pile.name}")


def check_other_deck(
    game: AnyGame, table: LabelTable, step: EventStep, role: Role, uses: Sequence[KnownUse]
) -> None:
    """Check that an event takes cards from another deck only if every copy can identify those cards.

    The event may take cards picked at random, whole piles, the first cards in an ordered pile, and cards with public
    faces. If it took any other cards, their owner could not complete it.
    """
    is_secret = game.secret_owner(step.event) == role and has_hidden(step.event)
    change = step.changes.get(role)
    if change is None:
        if not is_secret:
            return
        piles = game.card_piles(step.after, role)
        change = PileChange(piles, piles)
    piles_before, piles_after = change
    if _card_total(piles_before) != _card_total(piles_after):
        raise InvalidMessageError(f"event {step.number} adds or removes cards of {role}")
    is_visible = False
    for name, contents in piles_before.items():
        old_count = len(contents.cards)
        lost_count = old_count - _card_count(piles_after, name)
        picked_count = sum(
            known_use.use.event == step.number
            and (known_use.use.deck, known_use.use.pile) == (role, name)
            for known_use in uses
        )
        # The owner may not move more labels than the event takes, so a further pick would block the
        # match.
        if picked_count > max(lost_count, 0):
            raise InvalidMessageError(
                f"event {step.number} picks cards of {role} from {name} that it does not take"
            )
        gone_count = sum(
            card not in piles_after[name].cards for card in contents.cards if card != HIDDEN
        )
        is_visible |= (
            bool(picked_count)
            or lost_count == old_count > 0
            or (contents.kind is PileKind.ORDERED and lost_count > 0)
        )
        if (
            contents.kind in _PICKED
            and lost_count > 0
            and lost_count not in {picked_count, old_count, gone_count}
        ):
            raise InvalidMessageError(
                f"event {step.number} takes cards of {role} from {name} without a random pick"
            )
    if is_secret and not is_visible:
        raise InvalidMessageError(f"event {step.number} hides which cards of {role} it moves")
    # An event that shows a card twice could not be applied in the owner's copy, where all cards are
    # known.
    shown_twice = repeated_card(card for pile in piles_after.values() for card in pile.cards)
    if shown_twice:
        raise InvalidMessageError(f"event {step.number} shows {shown_twice} of {role} twice")
    visible_cards = {card for contents in piles_before.values() for card in contents.cards}
    for name, contents in piles_after.items():
        for card in contents.cards:
            if card not in visible_cards:
                _check_face(table, role, card, name, change)


def _check_face(table: LabelTable, role: Role, card: str, target: str, change: PileChange) -> None:
    """Check that the label of a card that an event shows is open.

    If the card moves, its label must leave the pile too.
    """
    pile_and_label = table.find_face(role, card)
    source = "" if pile_and_label is None else pile_and_label[0].name
    before, after = change
    # If no open label shows the card, the source is empty, and no pile loses a card.
    if source != target and _card_count(before, source) <= _card_count(after, source):
        raise InvalidMessageError(f"the proposal shows {card} before {role} has opened it")
