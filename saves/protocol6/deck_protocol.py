"""Computes the public state of a match's masked cards from the steps in its records.

Every copy of the match has this state, including the host's and the spectators'. Steps are applied as soon as
they are received, and the next record must contain exactly the steps that are not yet in a record.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from engine.kernel.ids import Role
from saves.codec import AnyGame
from saves.entries import decode_events
from saves.errors import FairPlayError
from saves.headers import Header
from saves.protocol6.errors import DeckCheatError
from saves.protocol6.masked_decks import MaskedDecks
from saves.protocol6.parties import SignedStep
from saves.protocol6.slots import OwnedDeck
from saves.protocol6.steps import (
    AnyStep,
    Arranged,
    DrawCalled,
    OpenCalled,
    ShuffleCalled,
)
from saves.protocol6.transcript import Transcript
from saves.records import NOBODY, Record
from saves.timeline import attribute_errors

HOST: Final = Role("the host")
"""Blamed if a recorded step has no valid signature from its author."""
_DEALING_KINDS: Final = frozenset({"opening", "command"})
"""Kinds of records in which cards can be dealt."""


class DeckProtocol:
    """A match's masked decks, the steps so far, and the number of steps that are already in records."""

    def __init__(self, game: AnyGame, header: Header) -> None:
        """Start with every card face up.

        Args:
            game: The rules.
            header: The header of a match whose parties committed to card seeds.
        """
        parties = () if header.parties is msgspec.UNSET else header.parties
        decks = {
            str(role): OwnedDeck(owner=role, cards=cards)
            for role, cards in game.decks().items()
            if any(party.role == role for party in parties)
        }
        roles = tuple(party.role for party in parties)
        self._game = game
        self.table = MaskedDecks(header.match_id, roles, decks)
        self._keys = {party.role: party.verify_key for party in parties}
        self.transcript = Transcript(self.table, self._keys)
        self.order: dict[str, tuple[int, ...]] = dict.fromkeys(decks, ())
        """Slots of the cards still to be dealt from each deck, next card first."""
        self.mixed: set[int] = set()
        """Slots filled by arrangements. They do not show when their cards were drawn."""
        self.settled = 0
        """Number of steps that are in records."""

    @property
    def count(self) -> int:
        """Return the number of steps so far."""
        return self.table.steps

    @property
    def unsettled(self) -> tuple[SignedStep, ...]:
        """Return the steps that are not yet in a record."""
        return tuple(self.transcript.signed_steps[self.settled :])

    def is_open(self, role: Role, card: str) -> bool:
        """Return whether a card from a role's deck is face up for everyone."""
        table = self.table
        return any(table.slots[number].card == card for number in table.live_slots(str(role)))

    def take(self, signed: SignedStep, sender: Role) -> AnyStep:
        """Apply the next step.

        Args:
            signed: The step as received.
            sender: The party that sent it.

        Raises:
            DeckCheatError: No honest program would have taken this step.
            BrokenDeckError: The step reveals a card that cannot be in the deck.
        """
        step = self.transcript.read(signed, sender)
        self._check(signed.author, step)
        first_slot = self.table.next_slot
        self.transcript.apply(signed, step)
        match step:
            case ShuffleCalled(deck=deck, slots=slots):
                self.order[deck] = tuple(range(first_slot, first_slot + len(slots)))
            case DrawCalled(slots=slots):
                deck = self.table.slots[slots[0]].deck
                remaining = set(slots)
                self.order[deck] = tuple(slot for slot in self.order[deck] if slot not in remaining)
            case Arranged(slots=slots):
                self.mixed.update(range(first_slot, first_slot + len(slots)))
            case _:
                pass
        return step

    def _check(self, author: Role, step: AnyStep) -> None:
        """Check that the author owns the deck and that a draw takes the top cards.

        The table performs all other checks.
        """
        if isinstance(step, ShuffleCalled) and self._owner(step.deck) not in {None, author}:
            raise DeckCheatError(author, self.count, f"shuffles the deck of {step.deck}")
        if isinstance(step, OpenCalled):
            self._check_opening(author, step)
        if not isinstance(step, DrawCalled):
            return
        slots = [self.table.slots[number] for number in step.slots if number in self.table.slots]
        decks = {slot.deck for slot in slots}
        if len(decks) != 1 or len(slots) != len(step.slots):
            raise DeckCheatError(author, self.count, "draws cards from more than one deck")
        deck = decks.pop()
        if {author, step.reader} != {self._owner(deck)}:
            raise DeckCheatError(author, self.count, "draws from a deck that is not its own")
        expected_slots = (
            self.order[deck] if step.for_shuffle else self.order[deck][: len(step.slots)]
        )
        if step.slots != expected_slots:
            raise DeckCheatError(author, self.count, "draws cards other than those on top")

    def _check_opening(self, author: Role, step: OpenCalled) -> None:
        """Check that the opened cards are face down and have been drawn. The table checks who owns the cards."""
        if not self._undrawn.isdisjoint(step.slots):
            raise DeckCheatError(author, self.count, "turns up a card that was not drawn")
        slots = self.table.slots
        if any(number in slots and not slots[number].masked_by for number in step.slots):
            raise DeckCheatError(author, self.count, "turns up a card that is already face up")

    @property
    def _undrawn(self) -> frozenset[int]:
        """Return the slots of all undealt cards."""
        return frozenset().union(*self.order.values())

    def _owner(self, deck: str) -> Role | None:
        deck_entry = self.table.decks.get(deck)
        return None if deck_entry is None else deck_entry.owner

    def check(self, record: Record) -> None:
        """Apply the next record's steps, and check the record's public parts.

        Raises:
            FairPlayError: A step is false, the record omits a step that was sent, or the record shows a card that its
                owner did not open. The error names the party to blame.
            BrokenChainError: An event does not belong to this game, or names an unknown card.
        """
        # Steps are applied as soon as they are received. The record must repeat them, and may add
        # steps that this copy has not received.
        steps = () if record.steps is msgspec.UNSET else record.steps
        expected_steps = self.unsettled
        if steps[: len(expected_steps)] != expected_steps:
            problem = f"the card steps in record {record.seq} are not the ones that were sent"
            raise FairPlayError(NOBODY, problem)
        for step in steps[len(expected_steps) :]:
            self.take(step, HOST)
        if record.kind in _DEALING_KINDS and self.table.owed_steps():
            names = " and ".join(dict.fromkeys(owed.role for owed in self.table.owed_steps()))
            problem = f"record {record.seq} does not wait for the card steps due from {names}"
            raise FairPlayError(NOBODY, problem)
        events = decode_events(self._game, record)
        with attribute_errors(record.seq):  # An event may name an unknown card.
            shown_cards = {card for _, event in events for card in self._game.revealed_cards(event)}
        self._check_shown_cards(record, shown_cards)
        if record.kind in _DEALING_KINDS:
            self._check_opened_cards(record, steps, shown_cards)

    def _check_shown_cards(self, record: Record, shown_cards: set[str]) -> None:
        """Check that every card shown in the record is face up."""
        for deck in self.table.decks.values():
            if any(
                card in shown_cards and not self.is_open(deck.owner, card) for card in deck.cards
            ):
                problem = f"{deck.owner} shows a card in record {record.seq} that it did not open"
                raise FairPlayError(deck.owner, problem)

    def _check_opened_cards(
        self, record: Record, steps: Sequence[SignedStep], shown_cards: set[str]
    ) -> None:
        """Check that every card opened by the steps is shown in the record."""
        for signed in steps:
            step = self.transcript.decode_step(signed)
            if isinstance(step, OpenCalled) and not shown_cards >= {
                self.table.slots[number].card for number in step.slots
            }:
                problem = f"{signed.author} opened a card that record {record.seq} does not show"
                raise FairPlayError(signed.author, problem)

    def settle(self, record: Record) -> None:
        """Mark a record's steps as recorded."""
        if record.steps is not msgspec.UNSET:
            self.settled += len(record.steps)
