"""The cards in cipher of one match, as everybody may know them: a fold of the steps in its records.

Every copy of such a match has one, the host's and a spectator's like a seat's. Steps that were said and stand in no
record yet are taken as they come; the record that follows must hold exactly these.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from engine.kernel.ids import Role
from saves.codec import AnyGame
from saves.entries import checked_events
from saves.errors import FairPlayError
from saves.headers import Header
from saves.protocol6.faults import DeckCheatError
from saves.protocol6.parties import SignedStep
from saves.protocol6.pending import Pending, Proposal, proposal_message
from saves.protocol6.signing import is_signed
from saves.protocol6.slots import Deck
from saves.protocol6.steps import (
    AnyStep,
    Arranged,
    DrawCalled,
    KeysGiven,
    OpenCalled,
    ShuffleCalled,
)
from saves.protocol6.table import Table
from saves.protocol6.transcript import Transcript
from saves.records import NOBODY, Record
from saves.timeline import blamed

HOST: Final = Role("the host")
"""Who answers for a step in a record that its author has not signed."""
_DECIDED: Final = frozenset({"opening", "command"})
"""Kinds of records for which cards may be dealt."""


class Dealt:
    """Where the cards of a match lie, what has been said about them, and which of it stands in records."""

    def __init__(self, game: AnyGame, header: Header) -> None:
        """Lay out all decks, face up.

        Args:
            game: The rules.
            header: Of a match whose parties promise card seeds.
        """
        parties = () if header.parties is msgspec.UNSET else header.parties
        decks = {
            str(role): Deck(owner=role, cards=cards)
            for role, cards in game.decks().items()
            if any(party.role == role for party in parties)
        }
        roles = tuple(party.role for party in parties)
        self._game = game
        self.table = Table(header.match_id, roles, decks)
        self._keys = {party.role: party.verify_key for party in parties}
        self.transcript = Transcript(self.table, self._keys)
        self.order: dict[str, tuple[int, ...]] = dict.fromkeys(decks, ())
        """Slots of each deck from which cards are dealt, the next one first."""
        self.mixed: set[int] = set()
        """Slots that an arrangement made, which tell nobody when their cards were drawn."""
        self.settled = 0
        """How many steps stand in records."""

    @property
    def count(self) -> int:
        """Return how many steps have been taken."""
        return self.table.steps

    @property
    def unsettled(self) -> tuple[SignedStep, ...]:
        """Return the steps that stand in no record yet."""
        return tuple(self.transcript.taken[self.settled :])

    def is_due(self, number: int, signed: SignedStep) -> bool:
        """Return whether a step that signs a number can come next; a repeat, or one that comes too late, cannot."""
        step = self.transcript.decoded(signed)
        if isinstance(step, KeysGiven):
            owes = any(
                owed.role == signed.author and owed.kind is KeysGiven for owed in self.table.owed()
            )
            return owes and number == self.transcript.place(step)[0]
        return number == self.count

    def is_open(self, role: Role, card: str) -> bool:
        """Return whether everybody can see where a card of a role's deck lies, and that it does."""
        table = self.table
        return any(table.slots[number].card == card for number in table.live(str(role)))

    def take(self, signed: SignedStep, sender: Role) -> AnyStep:
        """Take the next step.

        Args:
            signed: As it came.
            sender: From whom it came.

        Raises:
            DeckCheatError: Anybody can see that no honest program would have made it.
            BrokenDeckError: It turns up what cannot be in the deck.
        """
        step = self.transcript.read(signed, sender)
        self._check(signed.author, step)
        first = self.table.next_slot
        self.transcript.keep(signed, step)
        match step:
            case ShuffleCalled(deck=deck, slots=slots):
                self.order[deck] = tuple(range(first, first + len(slots)))
            case DrawCalled(slots=slots):
                deck = self.table.slots[slots[0]].deck
                left = set(slots)
                self.order[deck] = tuple(slot for slot in self.order[deck] if slot not in left)
            case Arranged(slots=slots):
                self.mixed.update(range(first, first + len(slots)))
        return step

    def _check(self, author: Role, step: AnyStep) -> None:
        """Accept calls that a deck's owner may make; what the table itself refuses is left to it."""
        if isinstance(step, ShuffleCalled) and self._owner(step.deck) not in {None, author}:
            raise DeckCheatError(author, self.count, f"shuffles the deck of {step.deck}")
        if isinstance(step, OpenCalled):
            self._check_opening(author, step)
        if not isinstance(step, DrawCalled):
            return
        slots = [self.table.slots[number] for number in step.slots if number in self.table.slots]
        decks = {slot.deck for slot in slots}
        if len(decks) != 1 or len(slots) != len(step.slots):
            raise DeckCheatError(author, self.count, "draws cards that are not of one deck")
        deck = decks.pop()
        if {author, step.reader} != {self._owner(deck)}:
            raise DeckCheatError(author, self.count, "draws from a deck that is not its own")
        due = self.order[deck] if step.for_shuffle else self.order[deck][: len(step.slots)]
        if step.slots != due:
            raise DeckCheatError(author, self.count, "draws other cards than those on top")

    def _check_opening(self, author: Role, step: OpenCalled) -> None:
        """Accept cards that lie closed and were drawn; whose they are, the table checks."""
        if not self._undrawn.isdisjoint(step.slots):
            raise DeckCheatError(author, self.count, "turns up a card that was not drawn")
        slots = self.table.slots
        if any(number in slots and not slots[number].masked_by for number in step.slots):
            raise DeckCheatError(author, self.count, "turns up a card that lies open")

    @property
    def _undrawn(self) -> frozenset[int]:
        """Return the slots of all decks from which cards are still to be dealt."""
        return frozenset().union(*self.order.values())

    def _owner(self, deck: str) -> Role | None:
        found = self.table.decks.get(deck)
        return None if found is None else found.owner

    def check_signed(self, pending: Pending, proposal: Proposal) -> None:
        """Accept a proposal that its giver has signed.

        Raises:
            FairPlayError: He has not.
        """
        message = proposal_message(self.table.match_id, pending, proposal)
        if not is_signed(self._keys.get(pending.role, b""), message, proposal.signature):
            problem = f"a proposal in the name of {pending.role} that {pending.role} did not sign"
            raise FairPlayError(pending.role, problem)

    def check(self, record: Record) -> None:
        """Take the steps of the next record, and accept it as far as everybody can tell.

        Raises:
            FairPlayError: A step is false, others were said than stand in it, or a card is turned up that its owner did
                not open; names who did it.
            BrokenChainError: An event is not one of this game, or names a card that the game does not have.
        """
        steps = () if record.steps is msgspec.UNSET else record.steps
        said = self.unsettled
        if steps[: len(said)] != said:
            problem = f"record {record.seq} holds other steps of the cards than were said"
            raise FairPlayError(NOBODY, problem)
        for step in steps[len(said) :]:
            self.take(step, HOST)
        if record.kind in _DECIDED and self.table.owed():
            who = " and ".join(dict.fromkeys(owed.role for owed in self.table.owed()))
            problem = f"record {record.seq} does not wait for what {who} owes to the cards"
            raise FairPlayError(NOBODY, problem)
        events = checked_events(self._game, record)
        with blamed(record.seq):  # an event may name a card that the game does not have
            shown = {card for _, event in events for card in self._game.turned_up(event)}
        self._check_shown(record, shown)
        if record.kind in _DECIDED:
            self._check_opened(record, steps, shown)

    def _check_shown(self, record: Record, shown: set[str]) -> None:
        """Accept a record that shows cards which lie open."""
        for deck in self.table.decks.values():
            if any(card in shown and not self.is_open(deck.owner, card) for card in deck.cards):
                problem = f"{deck.owner} shows a card in record {record.seq} that it did not open"
                raise FairPlayError(deck.owner, problem)

    def _check_opened(self, record: Record, steps: Sequence[SignedStep], shown: set[str]) -> None:
        """Accept steps that opened the cards which the record shows, and no others."""
        for signed in steps:
            step = self.transcript.decoded(signed)
            if isinstance(step, OpenCalled) and not shown >= {
                self.table.slots[number].card for number in step.slots
            }:
                problem = f"{signed.author} opened a card that record {record.seq} does not show"
                raise FairPlayError(signed.author, problem)

    def settle(self, record: Record) -> None:
        """Note that the steps of a record stand there now."""
        if record.steps is not msgspec.UNSET:
            self.settled += len(record.steps)
