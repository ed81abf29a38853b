"""Measures the cost of encrypted cards on this machine: ``python -m tools.dev.protocol6_cost``.

Seats in a single process shuffle, deal from and audit the decks of two games, so the times include the work of all
seats. In a real match each machine does only its own part. The encryption is that of protocol 6, which is still needed
to verify old records.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from time import process_time
from typing import Final

from engine.eots.deck import cards
from engine.kernel.ids import Role
from engine.qmg.deck import deck_list
from engine.qmg.ids import COUNTRIES
from saves.protocol6.audit import audit
from saves.protocol6.cardseed import CardSeed, seed_commitment
from saves.protocol6.key_holder import KeyHolder
from saves.protocol6.keys import signing_key, verify_key_of
from saves.protocol6.masked_decks import MaskedDecks
from saves.protocol6.parties import SignedStep
from saves.protocol6.slots import OwnedDeck
from saves.protocol6.steps import AnyStep, DrawCalled, ShuffleCalled
from saves.protocol6.transcript import Transcript

MATCH: Final = "measured"
_DRAWS: Final = 20


def game_decks(game: str) -> dict[str, OwnedDeck]:
    """Return all decks of ``eots``, ``qmg`` or ``total-war``, the Total War variant of ``qmg``."""
    if game == "eots":
        sides = sorted({card.side for card in cards().values()})
        return {
            side: _deck(side, [name for name, card in cards().items() if card.side == side])
            for side in sides
        }
    is_total = game == "total-war"
    return {
        country: _deck(country, deck_list(country, is_total_war=is_total)) for country in COUNTRIES
    }


def _deck(owner: str, names: Sequence[str]) -> OwnedDeck:
    return OwnedDeck(owner=Role(owner), cards=tuple(sorted(names)))


class Seats:
    """All of a match's seats in this process, honest and without a network."""

    def __init__(self, decks: Mapping[str, OwnedDeck]) -> None:
        """Derive all seats' keys and secrets."""
        self.decks = decks
        roles = tuple(deck.owner for deck in decks.values())
        self.seeds = {role: _digest(f"seed of {role}") for role in roles}
        self._secrets = {role: CardSeed(MATCH, role, seed) for role, seed in self.seeds.items()}
        self._signing = {role: signing_key(seed) for role, seed in self.seeds.items()}
        self.keys = {role: verify_key_of(seed) for role, seed in self.seeds.items()}
        self.promised = {role: seed_commitment(seed) for role, seed in self.seeds.items()}
        self.transcript = Transcript(self.initial_table(), self.keys)
        self.table = self.transcript.table
        self._holders = {
            role: KeyHolder(secret, self.table) for role, secret in self._secrets.items()
        }

    def initial_table(self) -> MaskedDecks:
        """Return the masked decks before the first step."""
        return MaskedDecks(MATCH, tuple(self.seeds), self.decks)

    @property
    def bytes(self) -> int:
        """The total size of all steps in bytes, without signatures."""
        return sum(len(signed.body) for signed in self.transcript.signed_steps)

    def shuffle(self) -> None:
        """Shuffle all decks concurrently."""
        for name, deck in self.decks.items():
            self._sign_and_apply(
                deck.owner, ShuffleCalled(deck=name, slots=self.table.live_slots(name))
            )
        self._make_owed_steps()

    def draw(self, deck: str, slot: int) -> str:
        """Let a deck's owner draw a card. Return the card."""
        owner = self.decks[deck].owner
        self._sign_and_apply(owner, DrawCalled(slots=(slot,), reader=owner))
        self._make_owed_steps()
        return self._holders[owner].card(slot)

    def _make_owed_steps(self) -> None:
        while owed := self.table.owed_steps():
            for owed_step in owed:
                self._sign_and_apply(
                    owed_step.role, self._holders[owed_step.role].make_step(owed_step)
                )

    def _sign_and_apply(self, role: Role, step: AnyStep) -> None:
        signed = self.transcript.sign_step(role, step, self._signing[role].sign)
        self.transcript.take(signed, role)


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=32).digest()


def measure(action: Callable[[], object]) -> float:
    """Run an action and return its CPU time in milliseconds."""
    start_time = process_time()
    action()
    return (process_time() - start_time) * 1_000


def line(game: str) -> str:
    """Measure a game and return its table row."""
    seats = Seats(game_decks(game))
    count = sum(len(deck.cards) for deck in seats.decks.values())
    shuffle_ms = measure(seats.shuffle)
    size = seats.bytes
    name = next(iter(seats.decks))
    slots = seats.table.live_slots(name)[:_DRAWS]
    draw_ms = measure(lambda: [seats.draw(name, slot) for slot in slots]) / len(slots)
    per_draw = (seats.bytes - size) / len(slots)
    steps: list[SignedStep] = seats.transcript.signed_steps
    audit_ms = measure(
        lambda: audit(seats.initial_table(), steps, seats.keys, seats.promised, seats.seeds)
    )
    return (
        f"| {game} | {len(seats.seeds)} | {count} | {shuffle_ms:,.0f} ms | {size / 1000:,.0f} kB "
        f"| {draw_ms:.1f} ms | {per_draw:,.0f} | {audit_ms:,.0f} ms |"
    )


def main() -> None:
    """Print the table."""
    print("| decks | seats | cards | shuffle, all seats | bytes | draw | bytes | audit |")  # noqa: T201 - a tool for contributors
    for game in ("eots", "qmg", "total-war"):
        print(line(game))  # noqa: T201 - as above


if __name__ == "__main__":
    main()
