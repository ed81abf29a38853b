"""Cost of encrypted cards: group operations, messages and bytes, for the decks of both games (F10).

``python -m tools.dev.protocol6_cost`` measures seconds. The tests here only count, so a busy machine changes nothing.
"""

from collections import Counter
from collections.abc import Callable

import pytest

from engine.eots.deck import cards as eots_cards
from engine.kernel.ids import Role
from engine.qmg.deck import deck_list
from engine.qmg.ids import COUNTRIES
from saves.protocol6 import group
from saves.protocol6 import key_holder as seat_program
from saves.protocol6 import masked_decks as public_table
from saves.protocol6.slots import OwnedDeck
from saves.protocol6.steps import DrawCalled, ShuffleCalled
from tests.saves.protocol6.seats import Seats
from tests.sizes import sized

pytestmark = pytest.mark.series("F10")

MULTIPLIED_US, CHECKED_US = 63, 31
"""Duration of one operation (M11)."""


def two_decks() -> dict[str, OwnedDeck]:
    """Return the decks of Empire of the Sun."""
    found: dict[str, list[str]] = {}
    for name, card in eots_cards().items():
        found.setdefault(card.side, []).append(name)
    return {side: OwnedDeck(owner=Role(side), cards=tuple(sorted(found[side]))) for side in found}


def six_decks() -> dict[str, OwnedDeck]:
    """Return the decks of Quartermaster General with Total War."""
    return {
        country: OwnedDeck(
            owner=Role(country), cards=tuple(sorted(deck_list(country, is_total_war=True)))
        )
        for country in COUNTRIES
    }


@pytest.fixture
def spent(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count group operations wherever they are used."""
    counts: Counter[str] = Counter()

    def counting(name: str, function: Callable[..., object]) -> Callable[..., object]:
        def counted(*args: object) -> object:
            counts[name] += 1
            return function(*args)

        return counted

    for name in ("multiply", "check_point"):
        function = counting(name, getattr(group, name))
        for module in (seat_program, public_table):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, function)
    return counts


@pytest.mark.full
@pytest.mark.parametrize(
    ("decks", "most_s", "round_trips"),
    [
        pytest.param(two_decks, 1, 4, id="two-seats"),
        pytest.param(six_decks, 5, 12, id="six-seats"),
    ],
)
def test_deck_setup_costs_the_expected_group_operations_and_bytes(
    spent: Counter[str], decks: Callable[[], dict[str, OwnedDeck]], most_s: int, round_trips: int
) -> None:
    laid = decks()
    names = sorted(laid)[: sized(2, len(laid), of="decks of each game")]
    seats = Seats(laid)
    for name in names:
        owner = laid[name].owner
        seats.give(owner, ShuffleCalled(deck=name, slots=seats.table.live_slots(name)))
    rounds = 0
    while owed := seats.table.owed_steps():  # everything owed at one time is sent at one time
        rounds += 1
        for one in owed:
            seats.give(one.role, seats.holders[one.role].make_step(one))
    cards = sum(len(laid[name].cards) for name in names)
    count = len(seats.roles)
    assert spent["multiply"] == 2 * count * cards  # one multiplication per seat, card and pass
    assert spent["check_point"] == 2 * count * cards
    assert rounds == round_trips
    every = sum(len(deck.cards) for deck in laid.values())
    each_us = 2 * every * MULTIPLIED_US + 2 * count * every * CHECKED_US
    seconds = (
        round_trips * 0.1 + count * each_us / 1_000_000
    )  # as if the seats worked one after the other
    assert seconds < most_s
    # A card is a point in two passes, one commitment of every seat, and little more.
    assert seats.bytes < cards * count * (3 * 36) + 400 * count * len(names)


def test_draw_requires_one_key_from_every_other_seat(spent: Counter[str]) -> None:
    laid = {
        name: OwnedDeck(owner=deck.owner, cards=deck.cards[:8])
        for name, deck in six_decks().items()
    }
    seats = Seats(laid)
    deck = seats.shuffle("uk")
    spent.clear()
    before, steps = seats.bytes, seats.table.steps
    (card,) = seats.draw("uk", deck[0])
    assert card in laid["uk"].cards
    assert spent["multiply"] == 1  # by the reader
    assert spent["check_point"] == 0
    assert seats.table.steps - steps == 1 + 5
    assert seats.bytes - before < 6 * 150


def test_keys_for_a_whole_hand_are_sent_in_one_step_per_seat() -> None:
    seats = Seats(two_decks())
    deck = seats.shuffle("japan")
    steps = seats.table.steps
    seats.call(Role("japan"), DrawCalled(slots=deck[:7], reader=Role("japan")))
    assert seats.table.steps == steps + 2
    assert len(seats.holders[Role("japan")].readable_cards("japan")) == 7
