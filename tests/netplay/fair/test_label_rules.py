"""Each rule about the labels that an event moves, on tables without a match (P5, AT-21).

No game here has every combination of piles. If a rule were missing, an owner could take or put back cards at will,
or a proposal could wait for a completion that its owner cannot make.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import pytest

from engine.kernel.cards import OPEN_PILE, PileContents, PileKind
from engine.kernel.hidden import HIDDEN
from saves.fair.event_steps import EventStep, PileChange
from saves.fair.fold import initial_fair_state
from saves.fair.label_moves import apply_moves, check_other_deck
from saves.fair.labels import CardLabel, Departure, LabelTable, Pile, find_difference
from saves.fair.requests import InvalidMessageError
from saves.fair.state import FairState, Pending
from tests.netplay.fair.match import FairMatch
from tests.toy_depot import DECK, DEPOT, DISCARD, HAND, LAID, CardsMoved
from tests.toy_game import RED, DieRolled

KINDS: Final = {
    DECK: PileKind.ORDERED,
    HAND: PileKind.HAND,
    LAID: PileKind.LAID,
    DISCARD: PileKind.DISCARD,
    "first": PileKind.RANDOM,
    "second": PileKind.RANDOM,
    OPEN_PILE: PileKind.OPEN,
}
UNSEEN: Final = CardsMoved(role=RED, cards=(HIDDEN,), source=DECK, target=HAND)
"""An event that hides cards of red."""
SHOWN: Final = DieRolled(role=RED, face=1)
"""An event that everyone sees."""
change = msgspec.structs.replace


@pytest.fixture(scope="module")
def state() -> FairState:
    """Return the state of a match in which red has given a command."""
    before = initial_fair_state(FairMatch(DEPOT, "two", seed=1).setup)
    pending = Pending(number=1, actor=RED, since=1, state=None)
    return change(before, pending=pending)


def table(faces: Mapping[int, str] | None = None, **counts: int) -> LabelTable:
    """Return a table with these numbers of labels in red's piles, numbered from 0 in the order given."""
    piles, number = {}, 0
    for name in KINDS:
        labels = tuple(
            CardLabel(at, b"", (faces or {}).get(at, ""))
            for at in range(number, number + counts.get(name, 0))
        )
        number += len(labels)
        piles[name] = Pile(name, KINDS[name], labels)
    return LabelTable({RED: piles}, number)


def step(event: CardsMoved | DieRolled, before: dict[str, str], after: dict[str, str]) -> EventStep:
    """Return an event with the piles that change, each card as one letter."""

    def piles(contents: dict[str, str]) -> dict[str, PileContents]:
        return {name: PileContents(KINDS[name], tuple(cards)) for name, cards in contents.items()}

    changes = {RED: PileChange(piles(before), piles(after))} if before != after else {}
    return EventStep(0, event, event is UNSEEN, None, None, changes)


def moved(state: FairState, labels: LabelTable, event: EventStep, *moves: Sequence[object]) -> str:
    """Return why an owner may not move labels so; empty if it may."""
    try:
        apply_moves(state, labels, RED, event, [Departure(*move) for move in moves], (), 9)  # type: ignore[arg-type]  # short
    except InvalidMessageError as error:
        return str(error)
    return ""


# -- ordered piles


def test_a_card_is_drawn_from_the_top_of_an_ordered_pile(state: FairState) -> None:
    draw = step(UNSEEN, {DECK: "???", HAND: ""}, {DECK: "??", HAND: "?"})
    labels = table(deck=3)
    assert not moved(state, labels, draw, (0, DECK, HAND))
    assert "from the top of deck" in moved(state, labels, draw, (1, DECK, HAND))
    two = step(UNSEEN, {DECK: "???", HAND: ""}, {DECK: "?", HAND: "??"})
    assert not moved(state, labels, two, (1, DECK, HAND), (0, DECK, HAND))
    assert "from the top of deck" in moved(state, labels, two, (0, DECK, HAND), (2, DECK, HAND))
    # The order of a pile that the record has already changed is not fixed before the next mix.
    dirty = labels.with_pile(RED, change(labels.pile(RED, DECK), is_dirty=True))
    assert not moved(state, dirty, draw, (1, DECK, HAND))


def test_only_a_hidden_event_without_draws_may_reorder_an_ordered_pile(
    state: FairState,
) -> None:
    labels = table(deck=3, hand=2)
    draw = {"before": {DECK: "???", HAND: "??"}, "after": {DECK: "??", HAND: "???"}}
    order = [(2, DECK, DECK), (1, DECK, DECK), (0, DECK, DECK)]
    assert not moved(state, labels, step(UNSEEN, {}, {}), *order)
    assert "must not reorder deck" in moved(state, labels, step(SHOWN, **draw), *order)
    both = moved(state, labels, step(UNSEEN, **draw), *order[:2], (0, DECK, HAND))
    assert "must not reorder deck" in both
    assert "must not reorder hand" in moved(state, labels, step(UNSEEN, {}, {}), (4, HAND, HAND))


# -- exchanges


@pytest.mark.parametrize("single", [HAND, LAID])
def test_the_only_card_of_a_pile_is_not_exchanged_during_a_draw(
    state: FairState, single: str
) -> None:
    """The owner draws the pile's only card instead, and puts the drawn one in its place."""
    goal = LAID if single == HAND else HAND
    for count in (3, 1):
        labels = table(None, **{"first": count, single: 1})
        numbers = {name: labels.pile(RED, name).labels[0].number for name in ("first", single)}
        before = {"first": "?" * count, single: "?", goal: ""}
        draw = step(UNSEEN, before, {**before, "first": "?" * (count - 1), goal: "?"})
        assert not moved(state, labels, draw, (numbers["first"], "first", goal))
        exchange = [(numbers[single], single, goal), (numbers["first"], "first", single)]
        assert "moves too many labels" in moved(state, labels, draw, *exchange), count


def test_the_next_segment_of_a_deck_moves_up_in_order(state: FairState) -> None:
    labels = table(first=2, second=3)
    moves = [(at, "first", HAND) for at in (0, 1)] + [(at, "second", "first") for at in (2, 3, 4)]
    before = {"first": "??", "second": "???", HAND: ""}
    shift = step(UNSEEN, before, {"first": "???", "second": "", HAND: "??"})
    assert not moved(state, labels, shift, *moves)


# -- cards of another deck


def refusal(labels: LabelTable, event: EventStep) -> str:
    """Return why another role's event may not change red's piles so; empty if it may."""
    try:
        check_other_deck(DEPOT, labels, event, RED, ())
    except InvalidMessageError as error:
        return str(error)
    return ""


def test_another_role_may_take_the_top_card_but_not_hide_a_choice() -> None:
    top = step(UNSEEN, {DECK: "???", HAND: ""}, {DECK: "??", HAND: "?"})
    assert not refusal(table(deck=3), top)
    # An ordered pile that loses nothing does not show which of the open cards goes away.
    hidden = step(UNSEEN, {DECK: "???", OPEN_PILE: "xy"}, {DECK: "????", OPEN_PILE: "?"})
    assert "hides which cards" in refusal(table(deck=3), hidden)
    shown = step(SHOWN, {OPEN_PILE: "xy", DISCARD: ""}, {OPEN_PILE: "y", DISCARD: "x"})
    assert not refusal(table(deck=2), shown)


def test_a_shown_card_must_match_its_open_label() -> None:
    """After a takeback, a label of a hand can show its face although the rules hide the card."""
    labels = table({0: "x"}, hand=2, laid=1)
    assert not refusal(labels, step(SHOWN, {HAND: "??"}, {HAND: "x?"}))
    assert "has opened it" in refusal(labels, step(SHOWN, {HAND: "??"}, {HAND: "y?"}))
    leaves = step(SHOWN, {HAND: "??", DISCARD: ""}, {HAND: "", DISCARD: "x?"})
    assert not refusal(labels, leaves)
    elsewhere = step(
        SHOWN, {LAID: "?", DISCARD: "", HAND: "??"}, {LAID: "", DISCARD: "x", HAND: "??"}
    )
    assert "has opened it" in refusal(labels, elsewhere)


def test_duplicate_cards_and_labels_without_a_pile_are_detected() -> None:
    labels = table({0: "x"}, hand=2, laid=1)
    places = {name: PileContents(KINDS[name], ()) for name in (DECK, DISCARD, "first", "second")}
    right = {
        **places,
        HAND: PileContents(PileKind.HAND, ("x", HIDDEN)),
        LAID: PileContents(PileKind.LAID, (HIDDEN,)),
    }
    assert not find_difference(labels, RED, right)
    twice = {**right, HAND: PileContents(PileKind.HAND, ("x", "x"))}
    assert "x of red twice in hand" in find_difference(labels, RED, twice)
    del right[LAID], right[DECK]
    assert (
        find_difference(labels, RED, right)
        == "red has labels in laid, where the rules have no cards"
    )
