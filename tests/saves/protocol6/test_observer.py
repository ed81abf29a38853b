"""An observer of all messages who has no key learns nothing about the order of a deck (F4)."""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b

import pytest
from nacl import bindings

from engine.kernel.dice import DerivedDice
from saves.protocol6.group import Point, Scalar, card_point, inverse, multiply, scalar_from
from saves.protocol6.steps import Masked, Mixed
from tests.saves.protocol6.seats import JAPAN, Seats, seed_of, small_decks
from tests.sizes import sized

pytestmark = pytest.mark.series("F4")

CARDS = 12
Attack = Callable[[Sequence[Point], Sequence[bytes]], Mapping[int, int]]
"""Guesses from the bare points of the cards, and the later messages, which card is at which place."""


def numbers(count: int) -> list[Scalar]:
    """Return small public logarithms, as in a naive encoding of cards."""
    return [Scalar((n + 2).to_bytes(32, "little")) for n in range(count)]


def linear(logs: Sequence[Scalar]) -> Attack:
    """Return the attack on cards with known logarithms: guess the first card, and check if the others fit (M13)."""

    def attack(bare: Sequence[Point], heard: Sequence[bytes]) -> dict[int, int]:
        there = {bytes(point): at for at, point in enumerate(heard)}
        for guess in logs:
            unit = multiply(inverse(guess), Point(heard[0]))
            found = {there.get(bytes(multiply(log, unit))): card for card, log in enumerate(logs)}
            found.pop(None, None)
            if len(found) > len(logs) // 2:
                return {at: card for at, card in found.items() if at is not None}
        return {}

    return attack


def ratios(limit: int) -> Attack:
    """Return the search for small ratios between observed and known points, and among observed ones."""

    def attack(bare: Sequence[Point], heard: Sequence[bytes]) -> dict[int, int]:
        known = {bytes(point): card for card, point in enumerate(bare)}
        found = {}
        for at, point in enumerate(heard):
            for ratio in range(1, limit + 1):
                scalar = Scalar(ratio.to_bytes(32, "little"))
                for factor in (scalar, inverse(scalar)):
                    card = known.get(bytes(multiply(factor, Point(point))))
                    if card is not None:
                        found[at] = card
        return found

    return attack


def by_rank(bare: Sequence[Point], heard: Sequence[bytes]) -> dict[int, int]:
    """Guess that the order of the encodings survives."""
    cards = sorted(range(len(bare)), key=lambda card: bare[card])
    places = sorted(range(len(heard)), key=lambda at: heard[at])
    return dict(zip(places, cards, strict=True))


def public_logs(match_id: str) -> list[Scalar]:
    """Return what an attacker may mistake for logarithms: the hashes from which the points are made."""
    return [
        scalar_from(blake2b(f"{match_id} {n}".encode(), digest_size=64).digest())
        for n in range(CARDS)
    ]


def test_attack_reads_a_deck_encoded_with_known_logarithms() -> None:
    """This shows that the tests below are meaningful: the cards are encoded as public multiples of one point."""
    for number in range(sized(3, 100, of="decks that are badly encoded")):
        logs = numbers(CARDS)
        bare = [Point(bindings.crypto_scalarmult_ed25519_base_noclamp(bytes(log))) for log in logs]
        dice = DerivedDice(seed_of(f"naive {number}"), 0)
        places = list(range(CARDS))
        order = [places.pop(dice.randbelow(len(places))) for _ in range(CARDS)]
        key = scalar_from(seed_of(f"key {number}") * 2)
        heard = [bytes(multiply(key, bare[card])) for card in order]
        assert linear(logs)(bare, heard) == dict(enumerate(order))
    one = Scalar((3).to_bytes(32, "little"))
    assert ratios(4)(bare, [bytes(multiply(one, bare[5]))]) == {0: 5}


@pytest.mark.full
@pytest.mark.parametrize(
    "name", ["small-logarithms", "hashes-as-logarithms", "ratios", "order-of-encodings"]
)
def test_no_attack_is_better_than_guessing(name: str) -> None:
    count = sized(2, 60, 1_000, of="decks per attack")
    hits = tries = 0
    for number in range(count):
        seats = Seats(small_decks(CARDS), f"observed {number}")
        deck = seats.shuffle("japan")
        cards = seats.decks["japan"].cards
        order = [cards.index(card) for card in seats.draw("japan", *deck)]
        bare = [card_point(seats.match_id, "japan", card) for card in cards]
        attack = {
            "small-logarithms": linear(numbers(CARDS)),
            "hashes-as-logarithms": linear(public_logs(seats.match_id)),
            "ratios": ratios(4),
            "order-of-encodings": by_rank,
        }[name]
        for heard in passes(seats):
            guess = attack(bare, heard)
            tries += 1
            hits += sum(order[at] == card for at, card in guess.items())
    # Guessing one card of a deck is right once on average, with a variance of one.
    assert hits <= tries + 5 * tries**0.5, (hits, tries)


def passes(seats: Seats) -> list[tuple[bytes, ...]]:
    """Return the cards after each pass, as sent over the line."""
    return [step.points for step in seats.said() if isinstance(step, (Mixed, Masked))]


def test_messages_contain_no_reader_key_and_no_card_face() -> None:
    """Everything sent until a card is shown is searched for its face and the keys that still mask it."""
    for number in range(sized(3, 50, of="matches")):
        seats = Seats(small_decks(), f"line {number}")
        deck = seats.shuffle("japan")
        seats.draw("japan", *deck[:3])
        seats.give(JAPAN, seats.holders[JAPAN].arrange(deck[:3]))
        said = b"".join(signed.body for signed in seats.transcript.signed_steps)
        secret = seats.holders[JAPAN]._seed
        for slot in seats.table.slots.values():
            if JAPAN in slot.masked_by:
                assert bytes(secret.card_key(slot.number)) not in said
        for card in seats.decks["japan"].cards:
            assert card.encode() not in said
            assert bytes(card_point(seats.match_id, "japan", card)) not in said
        assert seats.card_seeds[JAPAN] not in said


def test_masked_points_are_never_repeated() -> None:
    """No two passes in any shuffle of the match have a point in common, so no card can be followed."""
    seats = Seats(small_decks(CARDS))
    deck = seats.shuffle("japan")
    seats.draw("japan", *deck[:5])
    seats.shuffle("japan", deck)
    seen = [point for heard in passes(seats) for point in heard]
    assert len(set(seen)) == len(seen) == 8 * CARDS
