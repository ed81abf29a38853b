"""A table of seats that deal encrypted cards, all in one process."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import blake2b

from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from saves.protocol6.audit import CardVerdict, audit
from saves.protocol6.cardseed import CardSeed, seed_commitment
from saves.protocol6.errors import DeckCheatError
from saves.protocol6.keys import signing_key, verify_key_of
from saves.protocol6.masked_decks import MaskedDecks
from saves.protocol6.parties import SignedStep
from saves.protocol6.slots import OwnedDeck
from saves.protocol6.steps import STEP_DECODER, AnyStep, DrawCalled, OpenCalled, ShuffleCalled
from saves.protocol6.transcript import Transcript
from tests.saves.protocol6.program.holder import CardHolder
from tests.saves.protocol6.program.keys import card_seed_of

JAPAN, ALLIED = Role("japan"), Role("allied")
BOTH = (JAPAN, ALLIED)
Change = Callable[["Seats", Role, AnyStep], AnyStep]
"""Returns the step that a cheat sends instead of an honest one."""


def seed_of(name: str) -> bytes:
    return blake2b(name.encode(), digest_size=32).digest()


def small_decks(count: int = 6, roles: Sequence[Role] = BOTH) -> dict[str, OwnedDeck]:
    return {
        role: OwnedDeck(owner=role, cards=tuple(f"{role}-{n}" for n in range(count)))
        for role in roles
    }


def chance(step: int) -> DerivedDice:
    return DerivedDice(seed_of("joint chance"), step)


def is_proven(verdict: CardVerdict) -> bool:
    """Return whether every seat's every step was checked and found correct."""
    return not verdict.cheat and not verdict.unopened


class Seats:
    """Seats whose programs answer each other. Some may change their steps."""

    def __init__(
        self,
        decks: dict[str, OwnedDeck],
        match_id: str = "match",
        seeds: Mapping[Role, bytes] | None = None,
    ) -> None:
        self.decks, self.match_id = decks, match_id
        self.roles = tuple(dict.fromkeys(deck.owner for deck in decks.values()))
        self.seeds = {role: seed_of(f"{match_id} {role}") for role in self.roles} | dict(
            seeds or {}
        )
        self.keys = {role: verify_key_of(seed) for role, seed in self.seeds.items()}
        self.transcript = Transcript(self.laid_out(), self.keys)
        self.table = self.transcript.table
        self.card_seeds = {role: card_seed_of(seed) for role, seed in self.seeds.items()}
        self.promised = {role: seed_commitment(seed) for role, seed in self.card_seeds.items()}
        secrets = {role: CardSeed(match_id, role, seed) for role, seed in self.card_seeds.items()}
        self.holders = {role: CardHolder(one, self.table) for role, one in secrets.items()}
        self.changes: dict[Role, Change] = {}
        self.bytes = 0

    def laid_out(self) -> MaskedDecks:
        return MaskedDecks(self.match_id, self.roles, self.decks)

    def sign(self, role: Role, step: AnyStep) -> SignedStep:
        return self.transcript.sign_step(role, step, signing_key(self.seeds[role]).sign)

    def give(self, role: Role, step: AnyStep) -> None:
        """Let a seat send a step; a cheat sends a different one."""
        if role in self.changes:
            step = self.changes[role](self, role, step)
        signed = self.sign(role, step)
        self.bytes += len(signed.body) + len(signed.signature)
        try:
            self.transcript.take(signed, role)
        except DeckCheatError:
            self.transcript.signed_steps.append(signed)  # needed for the audit
            raise

    def settle(self) -> None:
        """Let all seats answer until none of them owes anything."""
        while owed := self.table.owed_steps():
            step = self.holders[owed[0].role].due_steps()[0]
            assert step is not None
            self.give(owed[0].role, step)

    def said(self) -> list[AnyStep]:
        """Return all accepted steps."""
        return [STEP_DECODER.decode(signed.body) for signed in self.transcript.signed_steps]

    def call(self, role: Role, step: AnyStep) -> None:
        self.give(role, step)
        self.settle()

    def shuffle(self, deck: str, slots: Sequence[int] = ()) -> tuple[int, ...]:
        """Shuffle cards of a deck, by default all that are there. Return their new slots."""
        called = tuple(slots) or self.table.live_slots(deck)
        first = self.table.next_slot
        self.call(self.decks[deck].owner, ShuffleCalled(deck=deck, slots=called))
        return tuple(range(first, first + len(called)))

    def draw(self, deck: str, *slots: int) -> tuple[str, ...]:
        """Draw cards for the owner of a deck. Return their faces."""
        owner = self.decks[deck].owner
        self.call(owner, DrawCalled(slots=slots, reader=owner))
        return tuple(map(self.holders[owner].card, slots))

    def open(self, role: Role, *slots: int) -> tuple[str, ...]:
        """Reveal cards. Return their faces."""
        self.call(role, OpenCalled(slots=slots))
        return tuple(self.table.slots[number].card for number in slots)

    def pick(self, slots: Sequence[int]) -> int:
        """Return the slot of the card that joint randomness picks."""
        return slots[chance(self.table.steps).randbelow(len(slots))]

    def audit(self, **seeds: bytes | None) -> CardVerdict:
        """Audit with all seeds, some of them replaced or withheld."""
        opened = {**self.card_seeds, **{Role(role): seed for role, seed in seeds.items()}}
        there = {role: seed for role, seed in opened.items() if seed is not None}
        return audit(self.laid_out(), self.transcript.signed_steps, self.keys, self.promised, there)


@cache
def eots_decks() -> dict[str, OwnedDeck]:
    """Return decks of the size of Empire of the Sun: 84 and 86 cards."""
    return {
        JAPAN: OwnedDeck(owner=JAPAN, cards=tuple(f"J{n}" for n in range(84))),
        ALLIED: OwnedDeck(owner=ALLIED, cards=tuple(f"A{n}" for n in range(86))),
    }
