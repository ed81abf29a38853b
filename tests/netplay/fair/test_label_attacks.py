"""Attacks through labels and picks: AT-33, AT-36 and AT-38, on tables without a match."""

import msgspec
import pytest

from engine.kernel.cards import PileKind
from engine.kernel.ids import Role
from saves.fair.labels import CardLabel, Departure, LabelTable, Pile
from saves.fair.messages import Kind, Message, Mix, Slot, slot_of
from saves.fair.resolution import Throw, may_name, usable_throw

DECK = Role("owner")


def table_of(kind: PileKind, count: int = 5, face: str = "") -> LabelTable:
    labels = tuple(
        CardLabel(number, bytes([number]), f"{face}{number}" if face else "")
        for number in range(count)
    )
    piles = {
        "pile": Pile("pile", kind, labels),
        "hand": Pile("hand", PileKind.HAND),
        "open": Pile("open", PileKind.OPEN),
    }
    return LabelTable({DECK: piles}, count)


def throws(*numbers: int) -> list[Throw]:
    return [Throw(number, bytes(32)) for number in numbers]


@pytest.mark.parametrize("kind", [PileKind.RANDOM, PileKind.HAND])
def test_at_36_label_moved_after_the_throw_needs_mix_and_later_throw(kind: PileKind) -> None:
    table = table_of(kind)
    assert usable_throw(table.pile(DECK, "pile"), throws(3)) == 3
    named = table.move(DECK, [Departure(2, "pile", "open")], throws=4, index=9)
    assert usable_throw(named.pile(DECK, "pile"), throws(3)) is None
    assert usable_throw(named.pile(DECK, "pile"), throws(3, 4)) is None, "it is not mixed"
    mixed = named.mix(DECK, "pile", [b"a", b"b", b"c", b"d"], throws=4, index=10)
    pile = mixed.pile(DECK, "pile")
    assert usable_throw(pile, throws(3)) is None, "the owner knew throw 3 when it mixed"
    assert usable_throw(pile, throws(3, 4)) == 4
    assert pile.is_clean(3), "no third stage"


def test_at_36_label_entering_a_pile_after_the_throw_needs_a_mix() -> None:
    table = table_of(PileKind.RANDOM)
    entered = table.move(DECK, [], throws=4, index=8)
    put = LabelTable(
        {DECK: {**entered.decks[DECK], "hand": Pile("hand", PileKind.HAND, (CardLabel(9, b"x"),))}},
        10,
    ).move(DECK, [Departure(9, "hand", "pile")], throws=4, index=9)
    dirty = put.pile(DECK, "pile")
    assert dirty.is_dirty
    assert usable_throw(dirty, throws(3, 4)) is None


@pytest.mark.parametrize("kind", [PileKind.LAID, PileKind.ORDERED])
def test_at_36_a_pick_from_a_changed_pile_waits_for_a_new_throw(kind: PileKind) -> None:
    table = table_of(kind)
    changed = table.move(DECK, [Departure(1, "pile", "hand")], throws=4, index=9)
    pile = changed.pile(DECK, "pile")
    assert usable_throw(pile, throws(3)) is None
    assert usable_throw(pile, throws(3, 4)) == 4


def test_at_36_mixes_of_two_piles_have_different_slots() -> None:
    def slot(pile: str) -> Slot:
        body = Mix("owner", pile, (1,), (bytes(32),), ())
        return slot_of(
            Message(kind=Kind.MIX, anchor=7, anchor_hash=bytes(32), author=DECK, body=body)
        )

    assert slot("hand") != slot("deck")
    assert slot("hand") == slot("hand")


def test_at_38_a_returned_card_cannot_be_linked_to_its_discard() -> None:
    """A discard with a known face is not picked, and not laid face down, before the pile is mixed."""
    pile = table_of(PileKind.DISCARD, face="card-").pile(DECK, "pile")
    assert usable_throw(pile, throws(3)) is None
    assert not may_name(pile, 2, 3, is_hidden=True)
    assert may_name(pile, 2, 3, is_hidden=False), "a public event shows the card anyway"
    mixed = table_of(PileKind.DISCARD).mix(DECK, "pile", [bytes([at]) for at in range(5)], 3, 7)
    hidden = mixed.pile(DECK, "pile")
    assert usable_throw(hidden, throws(3)) == 3
    assert may_name(hidden, hidden.labels[0].number, 3, is_hidden=True)
    assert {label.number for label in hidden.labels}.isdisjoint(range(5)), "new labels"
    assert not any(label.face for label in hidden.labels)


def test_at_38_a_reopened_top_card_cannot_be_returned_unseen() -> None:
    mixed = table_of(PileKind.DISCARD).mix(DECK, "pile", [bytes([at]) for at in range(5)], 3, 7)
    top = mixed.pile(DECK, "pile").labels[-1].number
    opened = mixed.open(DECK, top, "card-4", throws=4, index=8)
    assert not may_name(opened.pile(DECK, "pile"), top, 3, is_hidden=True)
    assert usable_throw(opened.pile(DECK, "pile"), throws(3)) is None


def test_at_33_a_mix_changes_every_label_number_and_removes_faces() -> None:
    table = table_of(PileKind.HAND)
    shown = table.open(DECK, 3, "card-3", throws=1, index=4)
    mixed = shown.mix(DECK, "pile", [bytes([20 + at]) for at in range(5)], throws=1, index=6)
    labels = mixed.pile(DECK, "pile").labels
    assert [label.number for label in labels] == [5, 6, 7, 8, 9]
    assert not any(label.face for label in labels)
    assert msgspec.structs.replace(mixed.pile(DECK, "pile")).is_mixed
