"""Programs that cheat with encrypted cards, one for each known way to cheat."""

from collections.abc import Callable
from itertools import count
from typing import NamedTuple

import msgspec
from nacl import bindings

from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from saves.protocol6.cardseed import CardSeed, key_commitment
from saves.protocol6.group import Point, Scalar, inverse, multiply, product, scalar_from
from saves.protocol6.parties import SignedStep
from saves.protocol6.slots import Shuffle
from saves.protocol6.steps import (
    AnyStep,
    Arranged,
    DrawCalled,
    KeysGiven,
    Masked,
    Mixed,
    OpenCalled,
)
from tests.saves.protocol6.seats import ALLIED, JAPAN, Seats, seed_of, small_decks

SMALL_ORDER = Point(bytes.fromhex("ec" + "ff" * 30 + "7f"))
"""The point of order 2."""


def other(role: Role) -> Role:
    return ALLIED if role == JAPAN else JAPAN


def play(seats: Seats, cheat: Role) -> None:
    """Play every operation on both decks. Where the order matters, the other side's deck comes first."""
    for role in (other(cheat), cheat):
        deck = seats.shuffle(role)
        hand = deck[:4]
        seats.draw(role, *hand)
        first = seats.table.next_slot
        seats.give(role, seats.holders[role].arrange(hand))
        hand = tuple(range(first, first + len(hand)))
        lost = seats.pick(hand)
        seats.open(role, lost)
        kept = tuple(slot for slot in hand if slot != lost)
        seats.open(role, kept[0])
        new = seats.shuffle(role, (lost, kept[0], *deck[4:]))
        seats.draw(role, new[0])
        seats.open(role, new[0])
        seats.holders[role].readable_cards(role)


class Cheat(NamedTuple):
    """A way to cheat."""

    name: str
    change: Callable[["Attempt", AnyStep], AnyStep | None]
    """Returns the step to send instead of an honest one; None for the honest step."""
    found: str
    """``live``: named at once; ``audit``: named when the seeds are available; ``either``."""
    words: str
    """Part of the expected sentence."""
    when: str = "once"
    """``first`` occasion, ``once`` at the first or second occasion, or ``always``."""


class Attempt:
    """One match with one cheat."""

    def __init__(self, cheat: Cheat, number: int) -> None:
        self.cheat = cheat
        self.chance = DerivedDice(seed_of(f"{cheat.name} {number}"), number)
        self.role = (JAPAN, ALLIED)[number % 2]
        self.seats = Seats(small_decks(6), f"{cheat.name} {number}")
        self.secret = CardSeed(self.seats.match_id, self.role, self.seats.card_seeds[self.role])
        self.step = -1
        """Index of the step at which it cheated."""
        self.own: dict[int, Scalar] = {}
        """Keys that do not follow from the seed, by slot."""
        self.shuffle = -1
        """Index of the shuffle that was tampered with."""
        self.found = -1
        """A marked card's position in the new order, if the cheat knows it."""
        self._skip = self.chance.randbelow(2) if cheat.when == "once" else 0
        self.seats.changes[self.role] = self._changed

    def run(self) -> None:
        play(self.seats, self.role)

    def _changed(self, seats: Seats, role: Role, step: AnyStep) -> AnyStep:
        if self.step >= 0 and self.cheat.when != "always":
            return step
        changed = self.cheat.change(self, step)
        if changed is None or changed == step:
            return step
        if self._skip:
            self._skip -= 1
            return step
        self.step = seats.table.steps if self.step < 0 else self.step
        return changed

    # -- what a cheat can compute

    def slot_key(self, at: int) -> tuple[int, Scalar]:
        number = self.seats.table.next_slot + at
        return number, self.secret.card_key(number)

    def remasked(self, step: Masked, at: int, source: int) -> Point:
        """Return the card at one place encrypted with the key of another, which only the encrypting seat can do."""
        first = self.seats.table.shuffles[step.deck].first
        to, off = self.secret.card_key(first + at), self.secret.card_key(first + source)
        return multiply(product(to, inverse(off)), Point(step.points[source]))

    def random_point(self) -> Point:
        data = seed_of(f"point {self.chance.randbelow(1 << 30)}")
        return Point(bindings.crypto_core_ed25519_from_uniform(data))


def _put(points: tuple[bytes, ...], at: int, point: bytes) -> tuple[bytes, ...]:
    return (*points[:at], point, *points[at + 1 :])


def _in_mix(
    point: Callable[[Attempt, Mixed], bytes],
) -> Callable[[Attempt, AnyStep], AnyStep | None]:
    def change(attempt: Attempt, step: AnyStep) -> AnyStep | None:
        if not isinstance(step, Mixed):
            return None
        return Mixed(deck=step.deck, points=_put(step.points, 0, point(attempt, step)))

    return change


def _mixed_order(_: Attempt, step: Mixed) -> bytes:
    return bindings.crypto_core_ed25519_add(step.points[0], SMALL_ORDER)


def _off_curve(_: Attempt, step: Mixed) -> bytes:
    for number in count(2):
        data = number.to_bytes(32, "little")
        if not bindings.crypto_core_ed25519_is_valid_point(data):
            return data
    raise AssertionError


def _hidden_double(attempt: Attempt, step: AnyStep) -> AnyStep | None:
    if not isinstance(step, Masked):
        return None
    points = _put(step.points, 0, attempt.remasked(step, 0, 1))
    return msgspec.structs.replace(step, points=points)


def _disguised_double(attempt: Attempt, step: AnyStep) -> AnyStep | None:
    """As the last seat to mix, duplicate a card under a factor that is removed when it is masked."""
    shuffle = attempt.seats.table.shuffles.get(getattr(step, "deck", ""))
    factor = scalar_from(seed_of("disguise") * 2)
    if isinstance(step, Mixed) and shuffle is not None and shuffle.mixed and attempt.step < 0:
        attempt.shuffle = shuffle.call
        return Mixed(
            deck=step.deck, points=_put(step.points, 0, multiply(factor, Point(step.points[1])))
        )
    if isinstance(step, Masked) and shuffle is not None and attempt.shuffle == shuffle.call:
        points = _put(step.points, 0, multiply(inverse(factor), Point(step.points[0])))
        return msgspec.structs.replace(step, points=points)
    return None


def _marked_card(attempt: Attempt, step: AnyStep) -> AnyStep | None:
    """As the first seat to mix, replace a card by a multiple of another, find the pair again, and so locate a card."""
    shuffle = attempt.seats.table.shuffles.get(getattr(step, "deck", ""))
    factor = scalar_from(seed_of("mark") * 2)
    if isinstance(step, Mixed) and shuffle is not None and not shuffle.mixed and attempt.step < 0:
        attempt.shuffle = shuffle.call
        return Mixed(
            deck=step.deck, points=_put(step.points, 0, multiply(factor, Point(step.points[1])))
        )
    if isinstance(step, Masked) and shuffle is not None and attempt.shuffle == shuffle.call:
        there = {bytes(point): at for at, point in enumerate(shuffle.points)}
        pairs = [(there.get(bytes(multiply(factor, one))), at) for one, at in there_of(shuffle)]
        ((at, attempt.found),) = [(to, at) for to, at in pairs if to is not None]
        points = _put(step.points, at, multiply(inverse(factor), Point(step.points[at])))
        return msgspec.structs.replace(step, points=points)
    return None


def there_of(shuffle: Shuffle) -> list[tuple[Point, int]]:
    return [(point, at) for at, point in enumerate(shuffle.points)]


def _hidden_swap(attempt: Attempt, step: AnyStep) -> AnyStep | None:
    if not isinstance(step, Masked):
        return None
    points = _put(step.points, 0, attempt.remasked(step, 0, 1))
    points = _put(points, 1, attempt.remasked(step, 1, 0))
    return msgspec.structs.replace(step, points=points)


def _one_more(attempt: Attempt, step: AnyStep) -> AnyStep | None:
    return (
        Mixed(deck=step.deck, points=(*step.points, attempt.random_point()))
        if isinstance(step, Mixed)
        else None
    )


def _one_less(_: Attempt, step: AnyStep) -> AnyStep | None:
    return Mixed(deck=step.deck, points=step.points[1:]) if isinstance(step, Mixed) else None


def _unmixed(attempt: Attempt, step: AnyStep) -> AnyStep | None:
    """Leave the order unchanged."""
    return _in_order(attempt, step, lambda count: list(range(count)))


def _chosen_order(attempt: Attempt, step: AnyStep) -> AnyStep | None:
    """Use another order than the seed determines."""
    return _in_order(attempt, step, lambda count: [*range(1, count), 0])


def _in_order(attempt: Attempt, step: AnyStep, order: Callable[[int], list[int]]) -> AnyStep | None:
    if not isinstance(step, Mixed):
        return None
    shuffle = attempt.seats.table.shuffles[step.deck]
    places = attempt.secret.permutation(shuffle.call, len(step.points))
    came = dict(zip(places, step.points, strict=True))
    return Mixed(deck=step.deck, points=tuple(came[place] for place in order(len(step.points))))


def _wrong_key(attempt: Attempt, step: AnyStep) -> AnyStep | None:
    if not isinstance(step, KeysGiven):
        return None
    return KeysGiven(keys=(scalar_from(seed_of("wrong") * 2), *step.keys[1:]))


def _other_key(attempt: Attempt, step: AnyStep) -> AnyStep | None:
    """Give the key of the next card, which also follows from the seed."""
    if not isinstance(step, KeysGiven):
        return None
    owed = next(one for one in attempt.seats.table.owed_steps() if one.role == attempt.role)
    return KeysGiven(keys=(attempt.secret.card_key(owed.slots[0] + 1), *step.keys[1:]))


def _no_scalar(_: Attempt, step: AnyStep) -> AnyStep | None:
    return KeysGiven(keys=(bytes(32), *step.keys[1:])) if isinstance(step, KeysGiven) else None


def _loose_commitment(_: Attempt, step: AnyStep) -> AnyStep | None:
    """Commit to a key that was never used, so that no key fits."""
    if not isinstance(step, Masked):
        return None
    bound = tuple(seed_of(f"bound {at}") for at in range(len(step.points)))
    return msgspec.structs.replace(step, commitments=bound)


def _own_keys(attempt: Attempt, step: AnyStep) -> AnyStep | None:
    """Use keys that do not follow from the seed, and give them when requested."""
    if isinstance(step, Masked):
        first = attempt.seats.table.shuffles[step.deck].first
        points, bound = [], []
        for at, point in enumerate(step.points):
            key = scalar_from(seed_of(f"own {first + at}") * 2)
            off = inverse(attempt.secret.card_key(first + at))
            points.append(multiply(product(key, off), Point(point)))
            bound.append(key_commitment(key))
            attempt.own[first + at] = key
        return Masked(deck=step.deck, points=tuple(points), commitments=tuple(bound))
    if isinstance(step, KeysGiven):
        owed = next(one for one in attempt.seats.table.owed_steps() if one.role == attempt.role)
        given = zip(owed.slots, step.keys, strict=True)
        return KeysGiven(keys=tuple(attempt.own.get(slot, key) for slot, key in given))
    return None


def _exchanged_hand(attempt: Attempt, step: AnyStep) -> AnyStep | None:
    """Put a card of the deck in place of a card of the hand."""
    if not isinstance(step, Arranged):
        return None
    table = attempt.seats.table
    deck = table.slots[step.slots[0]].deck
    held = {attempt.seats.holders[attempt.role].card(number) for number in step.slots}
    card = next(card for card in table.decks[deck].cards if card not in held)
    bare = next(point for point, one in table._faces[deck].items() if one == card)
    _, key = attempt.slot_key(0)
    return msgspec.structs.replace(step, points=_put(step.points, 0, multiply(key, bare)))


def _peek(attempt: Attempt, step: AnyStep) -> AnyStep | None:
    """Request to see what the other side holds."""
    table, victim = attempt.seats.table, other(attempt.role)
    hand = [
        slot.number
        for slot in table.slots.values()
        if slot.number in table.live_slots(slot.deck) and slot.masked_by == (victim,)
    ]
    if table.owed_steps() or not hand:
        return None
    return OpenCalled(slots=tuple(hand[:1]))


def _peek_deck(attempt: Attempt, step: AnyStep) -> AnyStep | None:
    """Draw a card from the other side's deck."""
    table, victim = attempt.seats.table, other(attempt.role)
    deck = [
        n for n in table.live_slots(victim) if len(table.slots[n].masked_by) == len(table.roles)
    ]
    if table.owed_steps() or not deck:
        return None
    return DrawCalled(slots=tuple(deck[:1]), reader=attempt.role)


def _out_of_turn(attempt: Attempt, step: AnyStep) -> AnyStep | None:
    return Mixed(deck=step.deck, points=step.points) if isinstance(step, Masked) else None


CHEATS = (
    Cheat("doubled-card", _in_mix(lambda _, step: step.points[1]), "either", ""),
    Cheat("doubled-card-unseen", _hidden_double, "audit", "changed cards after"),
    Cheat(
        "doubled-card-disguised", _disguised_double, "audit", "shuffled cards other than", "always"
    ),
    Cheat("marked-card", _marked_card, "audit", "shuffled cards other than", "always"),
    Cheat(
        "missing-card",
        _in_mix(lambda one, _: one.random_point()),
        "audit",
        "shuffled cards other than",
    ),
    Cheat("card-taken-out", _one_less, "live", "cards out of"),
    Cheat("own-card-added", _one_more, "live", "cards out of"),
    Cheat("swapped-cards", _hidden_swap, "audit", "changed cards after"),
    Cheat("wrong-key", _wrong_key, "live", "does not match its commitment"),
    Cheat("key-of-another-card", _other_key, "live", "does not match its commitment"),
    Cheat("no-key", _no_scalar, "live", "not a scalar"),
    Cheat("point-off-the-curve", _in_mix(_off_curve), "live", "not a point"),
    Cheat("neutral-point", _in_mix(lambda *_: (1).to_bytes(32, "little")), "live", "not a point"),
    Cheat("point-of-small-order", _in_mix(lambda *_: SMALL_ORDER), "live", "not a point"),
    Cheat("point-of-mixed-order", _in_mix(_mixed_order), "live", "not a point"),
    Cheat("not-shuffled", _unmixed, "audit", "shuffled in an order", "always"),
    Cheat("order-changed", _chosen_order, "audit", "shuffled in an order"),
    Cheat("commitment-changed", _loose_commitment, "live", "does not match its commitment"),
    Cheat("keys-not-of-the-seed", _own_keys, "audit", "committed to keys", "always"),
    Cheat(
        "hand-exchanged",
        _exchanged_hand,
        "audit",
        "arranged cards other than those it held",
        "first",
    ),
    Cheat("peek-at-a-hand", _peek, "live", "asks to see a card"),
    Cheat("peek-at-a-deck", _peek_deck, "live", "asks to see a card"),
    Cheat("out-of-turn", _out_of_turn, "live", "out of turn"),
)


def forged(seats: Seats, cheat: Role) -> SignedStep:
    """Return a step in the other seat's name."""
    step = OpenCalled(slots=(0,))
    signed = seats.sign(cheat, step)
    return msgspec.structs.replace(signed, author=other(cheat))
