"""Shuffling, dealing, showing, searching and reshuffling encrypted cards, by honest seats."""

from collections import Counter

import pytest

from engine.kernel.errors import HiddenError
from engine.kernel.ids import Role
from saves.protocol6.cardseed import CardSeed, key_commitment
from saves.protocol6.errors import DeckCheatError
from saves.protocol6.steps import Arranged, DrawCalled, KeysGiven, Mixed, OpenCalled, ShuffleCalled
from tests.saves.protocol6.seats import ALLIED, JAPAN, Seats, is_proven, seed_of, small_decks
from tests.sizes import sized

SIX = tuple(map(Role, ("germany", "uk", "japan", "ussr", "italy", "usa")))


def test_shuffled_deck_keeps_its_cards_and_is_unreadable() -> None:
    seats = Seats(small_decks())
    deck = seats.shuffle("japan")
    for role in seats.roles:
        assert seats.holders[role].readable_cards("japan") == {}
        with pytest.raises(HiddenError):
            seats.holders[role].card(deck[0])
    assert Counter(seats.draw("japan", *deck)) == Counter(seats.decks["japan"].cards)


@pytest.mark.parametrize("count", [2, 3, 6])
def test_drawn_card_is_readable_only_by_its_owner(count: int) -> None:
    seats = Seats(small_decks(4, SIX[:count]))
    role = SIX[0]
    deck = seats.shuffle(role)
    (card,) = seats.draw(role, deck[2])
    assert seats.holders[role].readable_cards(role) == {deck[2]: card}
    for other in SIX[1:count]:
        with pytest.raises(HiddenError):
            seats.holders[other].card(deck[2])
    assert seats.open(role, deck[2]) == (card,)
    assert {one.card(deck[2]) for one in seats.holders.values()} == {card}


def test_card_order_differs_between_matches_and_shuffles() -> None:
    orders = set()
    for name in ("one", "two"):
        seats = Seats(small_decks(), name)
        for _ in range(2):
            deck = seats.shuffle("japan", seats.table.live_slots("japan"))
            orders.add(seats.draw("japan", *deck))
    assert len(orders) == 4


def test_seat_cannot_predict_the_order_mixed_by_other_seats() -> None:
    decks = small_decks()
    seen = set()
    for name in ("x", "y"):
        seats = Seats(decks, seeds={ALLIED: seed_of(name)})
        seen.add(seats.draw("japan", *seats.shuffle("japan")))
        assert is_proven(seats.audit())
    assert len(seen) == 2


def test_reshuffle_includes_discards_returned_cards_and_the_remaining_deck() -> None:
    seats = Seats(small_decks())
    deck = seats.shuffle("japan")
    drawn = seats.draw("japan", *deck[:4])
    seats.open(JAPAN, deck[0])
    # an open discard, a hidden one, a hand card that returns, and the rest of the deck; one card stays in hand
    new = seats.shuffle("japan", (deck[0], deck[1], deck[2], *deck[4:]))
    assert seats.holders[JAPAN].readable_cards("japan") == {deck[3]: drawn[3]}
    assert seats.holders[ALLIED].readable_cards("japan") == {}
    again = seats.draw("japan", *new)
    assert Counter(again) == Counter(seats.decks["japan"].cards) - Counter([drawn[3]])
    assert is_proven(seats.audit())


def test_deck_search_is_readable_only_by_the_searcher_and_reshuffles() -> None:
    seats = Seats(small_decks())
    deck = seats.shuffle("japan")
    cards = seats.draw("japan", *deck)
    wanted = deck[cards.index("japan-3")]
    rest = tuple(slot for slot in deck if slot != wanted)
    assert seats.holders[ALLIED].readable_cards("japan") == {}
    new = seats.shuffle("japan", rest)
    assert seats.holders[JAPAN].readable_cards("japan") == {wanted: "japan-3"}
    assert "japan-3" not in seats.draw("japan", *new)
    assert is_proven(seats.audit())


def test_top_cards_are_rearranged_without_revealing_the_order() -> None:
    seats = Seats(small_decks())
    deck = seats.shuffle("japan")
    cards = seats.draw("japan", *deck[:3])
    first = seats.table.next_slot
    seats.give(JAPAN, seats.holders[JAPAN].arrange(deck[:3], (2, 0, 1)))
    top = tuple(range(first, first + 3))
    assert tuple(map(seats.holders[JAPAN].card, top)) == (cards[2], cards[0], cards[1])
    assert seats.holders[ALLIED].readable_cards("japan") == {}
    points = {slot.point for slot in seats.table.slots.values() if slot.number < first}
    assert points.isdisjoint(seats.table.slots[slot].point for slot in top)
    assert seats.open(JAPAN, top[0]) == (cards[2],)
    verdict = seats.audit()
    assert is_proven(verdict)
    assert [verdict.cards[slot] for slot in top] == [cards[2], cards[0], cards[1]]


def test_key_already_given_does_not_open_a_hand_from_a_lost_step() -> None:
    seats = Seats(small_decks())
    deck = seats.shuffle("japan")
    seats.draw("japan", *deck[:3])
    lost = seats.holders[JAPAN].arrange(deck[:3])
    others = seats.shuffle("allied")  # its slots have the numbers that the hand would have had
    seats.draw("allied", *others)
    given = {seats.table.slots[slot].keys[JAPAN] for slot in others}
    assert len(given) == len(others)
    assert not {key_commitment(key) for key in given}.intersection(lost.commitments)


def test_mixed_hand_does_not_reveal_when_a_card_was_drawn() -> None:
    seats = Seats(small_decks(12))
    deck = seats.shuffle("japan")
    cards = seats.draw("japan", *deck[:8])
    first = seats.table.next_slot
    step = seats.holders[JAPAN].arrange(deck[:8])
    seats.give(JAPAN, step)
    mixed = tuple(map(seats.holders[JAPAN].card, range(first, first + 8)))
    assert Counter(mixed) == Counter(cards)
    assert mixed != cards
    assert is_proven(seats.audit())


def test_hand_card_can_be_opened_only_by_its_owner() -> None:
    seats = Seats(small_decks())
    deck = seats.shuffle("japan")
    hand = deck[:4]
    cards = seats.draw("japan", *hand)
    picked = seats.pick(hand)
    assert seats.open(JAPAN, picked) == (cards[hand.index(picked)],)
    assert is_proven(seats.audit())
    with pytest.raises(DeckCheatError, match="asks to see a card of japan"):
        seats.open(ALLIED, next(slot for slot in hand if slot != picked))


def test_owner_can_let_another_seat_read_a_deck_card() -> None:
    seats = Seats(small_decks())
    deck = seats.shuffle("japan")
    seats.call(JAPAN, DrawCalled(slots=deck[:1], reader=ALLIED))
    card = seats.holders[ALLIED].card(deck[0])
    assert card in seats.decks["japan"].cards
    with pytest.raises(HiddenError):
        seats.holders[JAPAN].card(deck[0])


def test_audit_reports_the_card_in_each_slot() -> None:
    seats = Seats(small_decks())
    deck = seats.shuffle("japan")
    cards = seats.draw("japan", *deck[:2])
    verdict = seats.audit()
    assert (verdict.cheat, verdict.unopened) == ("", ())
    assert [verdict.cards[slot] for slot in deck[:2]] == list(cards)
    assert sorted(verdict.cards[slot] for slot in deck) == sorted(seats.decks["japan"].cards)


def test_unresponsive_seat_is_named_and_blocks_further_card_steps() -> None:
    seats = Seats(small_decks())
    seats.give(JAPAN, ShuffleCalled(deck="japan", slots=seats.table.live_slots("japan")))
    assert [(one.role, one.kind) for one in seats.table.owed_steps()] == [(JAPAN, Mixed)]
    with pytest.raises(DeckCheatError, match=r"^allied: does not wait for japan \(card step 1"):
        seats.give(ALLIED, OpenCalled(slots=(0,)))


@pytest.mark.series("F8")
def test_absent_seat_is_named_at_every_step_and_play_resumes_on_its_return() -> None:
    """Each seat in turn is absent at every step of a shuffle, a draw and an opening."""
    away = 0
    for gone in (JAPAN, ALLIED):
        seats = Seats(small_decks(2))
        deck = range(4, 6)
        for call in (
            ShuffleCalled(deck="japan", slots=seats.table.live_slots("japan")),
            DrawCalled(slots=(deck[0],), reader=JAPAN),
            OpenCalled(slots=(deck[0],)),
        ):
            seats.give(JAPAN, call)
            while owed := seats.table.owed_steps():
                there = [one for one in owed if one.role != gone]
                if (
                    not there
                ):  # all wait for the absent seat, and its program continues from its seed alone
                    assert {one.role for one in owed} == {gone}
                    away += 1
                    back = Seats(small_decks(2))
                    for signed in seats.transcript.signed_steps:
                        back.transcript.take(signed, signed.author)
                    step = back.holders[gone].due_steps()[0]
                    assert step is not None
                    assert step == seats.holders[gone].due_steps()[0]
                    seats.give(gone, step)
                else:
                    step = seats.holders[there[0].role].due_steps()[0]
                    assert step is not None
                    seats.give(there[0].role, step)
        assert seats.table.slots[deck[0]].card
    assert (
        away == 2 * 2 + 1 + 1
    )  # both passes of each seat; one gives its key for the draw, the other to show the card


def test_all_shuffle_orders_are_equally_likely() -> None:
    count = sized(1_200, 24_000, 200_000, of="shuffles of four cards")
    seen: Counter[tuple[int, ...]] = Counter()
    for number in range(count // 100):
        seed = CardSeed("match", JAPAN, seed_of(f"order {number}"))
        seen.update(seed.permutation(step, 4) for step in range(100))
    expected = count / 24
    assert len(seen) == 24
    squares = sum((found - expected) ** 2 / expected for found in seen.values())
    assert 7.5 < squares < 49.7  # chi-square with 23 degrees of freedom, p between 0.001 and 0.999


def test_unrequested_keys_are_not_given_or_accepted() -> None:
    seats = Seats(small_decks())
    deck = seats.shuffle("japan")
    seats.give(JAPAN, DrawCalled(slots=deck[:2], reader=JAPAN))
    step = seats.holders[ALLIED].due_steps()[0]
    assert isinstance(step, KeysGiven)
    assert len(step.keys) == 2
    assert seats.holders[JAPAN].due_steps() == []
    seats.give(ALLIED, step)
    with pytest.raises(DeckCheatError, match="sends keys from allied that were not requested"):
        seats.give(ALLIED, step)


def test_cards_readable_by_others_cannot_be_arranged() -> None:
    seats = Seats(small_decks())
    deck = seats.shuffle("japan")
    seats.draw("japan", *deck[:2])
    step = seats.holders[JAPAN].arrange(deck[:2])
    other = Arranged(slots=deck[2:4], points=step.points, commitments=step.commitments)
    for role, arranged in ((JAPAN, other), (ALLIED, step)):
        with pytest.raises(
            DeckCheatError, match="arranges cards that are not readable by it alone"
        ):
            seats.give(role, arranged)
