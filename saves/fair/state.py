"""Defines the state of a fair match, which is computed by folding its transcript (protocol 7).

All copies with the same messages compute the same state.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from saves.codec import AnyGame
from saves.fair.labels import LabelTable
from saves.fair.messages import (
    HOST,
    End,
    Kind,
    Offer,
    PileName,
    ProposedEvent,
    Request,
)
from saves.fair.resolution import KnownUse, Throw


class TranscriptPhase(StrEnum):
    """A transcript's phase, which determines the messages that it is waiting for."""

    START = "start"
    AGREE = "agree"
    IDLE = "idle"
    PREPARE = "prepare"
    REVEAL = "reveal"
    RESOLVE = "resolve"
    ASK = "ask"
    COMPLETE = "complete"
    CONSENT = "consent"
    ENDED = "ended"
    CLOSED = "closed"


class Party(msgspec.Struct, frozen=True, kw_only=True):
    """One party's commitments in the header."""

    role: Role
    key: bytes
    """Ed25519 key that verifies the party's signatures."""
    head: bytes
    """Head of the party's hash chain, published in the header."""
    cards: bytes = b""
    """Commitment to the party's card seed; empty if the host deals."""


class MatchSetup(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of the header that the protocol needs."""

    game: AnyGame
    match_id: str
    header_hash: bytes
    host_key: bytes
    parties: tuple[Party, ...]
    """The parties, in header order."""
    position: msgspec.Struct
    """Starting position, either complete or in its public form (see :attr:`knows_position`)."""
    may_lose_by_time: bool = False
    """True if the match has a clock and running out of time loses the match."""
    deals: bool
    """True if the seats deal the cards, False if the host does."""
    reply_limit: int = 0
    """How many seconds without a message must pass before a seat may stop the match; 0 means no limit."""
    dealer_key: bytes = b""
    """A dealing host's X25519 key; empty if the seats deal."""
    secret_commitment: bytes = b""
    """Commitment to a dealing host's secret."""
    position_commitment: bytes = b""
    """Commitment to the starting position, salted with the host's secret."""
    own_commitment: bytes = b""
    """Commitment to the set-up for a custom position or custom data; empty for a scenario."""
    own_setup: Event | None = None
    """The public form of the set-up for a custom position or custom data; None for a scenario."""
    knows_position: bool = True
    """True if :attr:`position` is complete: always for a scenario, but only in the full copy for a custom position."""

    @property
    def sides(self) -> Mapping[Role, tuple[Role, ...]]:
        """Return the roles on each side. The roles on one side win and lose together."""
        return self.game.scenario_info_for_roles(tuple(party.role for party in self.parties)).sides

    def party(self, role: Role) -> Party | None:
        """Return a role's party, or None if the role has no party."""
        return next((party for party in self.parties if party.role == role), None)

    def verify_key(self, author: Role) -> bytes | None:
        """Return the key that verifies an author's signatures, or None for an unknown role.

        The empty role is the host.
        """
        if not author:
            return self.host_key
        party = self.party(author)
        return None if party is None else party.key


class UnprovenMix(msgspec.Struct, frozen=True):
    """A mix whose proof has not been verified yet."""

    owner: Role
    pile: str
    throw: int
    """Number of the throw that determines the challenge."""
    first: int
    """Number of the mix's first output label."""
    inputs: tuple[bytes, ...]
    outputs: tuple[bytes, ...]
    shadows: tuple[bytes, ...]


class OwedOpen(NamedTuple):
    """A card that its owner must reveal by opening its label."""

    owner: Role
    card: str


class KnownFace(NamedTuple):
    """A card named by the actor's command, and the pile that publicly contained it before the record."""

    pile: str
    card: str


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """The record that is currently being built."""

    number: int
    actor: Role
    """The role that gave the command; empty for the opening and for agreements."""
    request: Request | None = None
    request_anchor: bytes = b""
    """Transcript hash at the request's anchor, from which a hidden command's salt is derived."""
    faces: tuple[KnownFace, ...] = ()
    uses_chance: bool = False
    since: int = 0
    """Index of the message that started the current phase or stage."""
    throws: tuple[Throw, ...] = ()
    reveals: Mapping[Role, bytes] = {}
    """Reveals for the throw in progress."""
    stages: int = 0
    asks: int = 0
    state: Any = None
    """Public game state after the events so far."""
    batch: int = 0
    """Number, within the record, of the first event in the latest proposal."""
    batch_state: Any = None
    """Public game state before that event."""
    events: tuple[ProposedEvent, ...] = ()
    is_public: bool = False
    """True if every copy has computed the whole latest proposal itself."""
    commitments: Mapping[int, bytes] = {}
    """Commitments to completed events, by event number."""
    uses: tuple[KnownUse, ...] = ()
    boxes: tuple[tuple[Role, bytes, bytes], ...] = ()
    """For each box: its owner, the transcript hash at its anchor, and the encrypted bytes."""
    owes_completion: tuple[Role, ...] = ()
    opens: tuple[OwedOpen, ...] = ()
    wanted: PileName | None = None
    """The pile that made the latest proposal stop with ``stage``."""
    asked: KnownUse | None = None
    counts: Mapping[Role, int] = {}
    """Number of messages from each author for this record."""
    size: int = 0
    """Total size of the record's messages in bytes."""
    completed_at: Mapping[Role, int] = {}
    """Index of each owner's latest completion since the last proposal."""
    opened_at: Mapping[Role, int] = {}
    """Index of each owner's latest open since the last proposal."""
    mixed_at: Mapping[Role, int] = {}
    """Index of each owner's latest mix in this record."""
    offer: str = ""
    """Subject of the agreement that this record carries out; empty for the opening and for commands."""
    offer_by: Role = HOST
    takeback_to: int | None = None
    """For a takeback, the record from which the match continues; otherwise None."""


class TakebackState(NamedTuple):
    """A state that a takeback can restore."""

    state: Any
    table: LabelTable


class DueMessage(NamedTuple):
    """A message that the transcript is waiting for."""

    kind: Kind
    author: Role
    anchor: int
    item: str = ""
    """The deck and pile for a mix, the first label for a proof, or the card for an open (its label in ``ask``)."""


class FairState(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that can be computed from a transcript."""

    setup: MatchSetup
    index: int
    """Index of the last message; -1 before the first message."""
    hashes: tuple[bytes, ...]
    """Transcript hashes starting at index :attr:`first_hash` and ending with the head."""
    first_hash: int
    """Index of the oldest stored hash."""
    phase: TranscriptPhase
    agreed: frozenset[Role] = frozenset()
    throws: int = 0
    """Number of throws begun so far, which never decreases."""
    last_reveals: Mapping[Role, bytes] = {}
    table: LabelTable
    state: Any
    """Public game state after the last complete record."""
    records: int = 0
    """Number of complete records."""
    pending: Pending | None = None
    completed: Pending | None = None
    """The record that the last message completed; None if it did not complete one."""
    unproven: tuple[UnprovenMix, ...] = ()
    challenge: tuple[bytes, ...] = ()
    """All reveals for the last complete throw, in header order."""
    challenge_at: int = 0
    """Index of the last of those reveals."""
    offer: Offer | None = None
    offer_by: Role = HOST
    offer_at: int = 0
    consents: frozenset[Role] = frozenset()
    end: End | None = None
    end_at: int = 0
    """Index of the message that ended the match."""
    seeds: Mapping[Role, bytes] = {}
    offers: Mapping[Role, int] = {}
    """Number of offers from each seat since the last complete record."""
    size: int = 0
    """Total size of all messages in bytes."""
    history: tuple[TakebackState, ...] = ()
    """One snapshot for each complete record."""

    @property
    def head(self) -> bytes:
        """Return the transcript hash after the last message."""
        return self.hashes[-1]

    @property
    def has_ended(self) -> bool:
        """Return whether the match has ended, so that only card seeds and the host's final messages can follow."""
        return self.phase in {TranscriptPhase.ENDED, TranscriptPhase.CLOSED}

    def hash_at(self, index: int) -> bytes | None:
        """Return the transcript hash after a message; None if it is no longer stored or does not exist yet."""
        place = index - self.first_hash
        return self.hashes[place] if 0 <= place < len(self.hashes) else None


class MessageRefusal(NamedTuple):
    """The reason why a message is invalid at this point."""

    author: Role
    problem: str
    is_due_fault: bool = False
    """True if the message may be valid at its anchor but the host has indexed it where it is not due."""
    is_dealer_rejection: bool = False
    """True if a dealing host rejects a command for a reason that other copies cannot check."""

    @property
    def is_dishonest(self) -> bool:
        """Return whether an honest author would never send this message; False if it is merely not due now."""
        return self.is_dealer_rejection or not self.is_due_fault
