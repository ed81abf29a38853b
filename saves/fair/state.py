"""Defines a fair match's state, which is computed by folding the transcript (protocol 7).

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
    """A transcript's phase. It determines which messages the transcript is waiting for."""

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
    """The commitments that one party has published in the header."""

    role: Role
    key: bytes
    """Ed25519 key that verifies the party's signatures."""
    head: bytes
    """Head of the party's hash chain."""
    cards: bytes = b""
    """Commitment to the party's card seed; empty if the host deals."""


class MatchSetup(msgspec.Struct, frozen=True, kw_only=True):
    """The data from the header that ``fold`` needs."""

    game: AnyGame
    match_id: str
    header_hash: bytes
    host_key: bytes
    parties: tuple[Party, ...]
    """The parties, in header order."""
    position: msgspec.Struct
    """Starting position, either complete or in its public form (see :attr:`knows_position`)."""
    may_lose_by_time: bool = False
    """True if the match has a clock and a player who runs out of time loses."""
    deals: bool
    """True if the seats deal the cards; False if the host deals."""
    reply_limit: int = 0
    """Seconds without a message after which a seat may stop the match; 0 if no seat may stop it."""
    dealer_key: bytes = b""
    """A dealing host's X25519 key; empty if the seats deal."""
    secret_commitment: bytes = b""
    """Commitment to a dealing host's secret, as published in the header."""
    position_commitment: bytes = b""
    """Commitment to the starting position, salted with the host's secret."""
    own_commitment: bytes = b""
    """Commitment to the set-up for a custom position or custom data; empty for a plain scenario."""
    own_setup: Event | None = None
    """The set-up's public form for a custom position or custom data; None for a plain scenario."""
    knows_position: bool = True
    """True if :attr:`position` is complete.

    A scenario's position is always complete. A custom position is complete only in the full copy.
    """

    @property
    def sides(self) -> Mapping[Role, tuple[Role, ...]]:
        """Return the roles on each side. Roles on the same side win and lose together."""
        return self.game.scenario_info_for_roles(tuple(party.role for party in self.parties)).sides

    def party(self, role: Role) -> Party | None:
        """Return a role's party, or None if the role has no party."""
        return next((party for party in self.parties if party.role == role), None)

    def verify_key(self, author: Role) -> bytes | None:
        """Return the key that verifies an author's signatures. Return None for an unknown role.

        The empty role stands for the host.
        """
        if not author:
            return self.host_key
        party = self.party(author)
        return None if party is None else party.key


class UnprovenMix(msgspec.Struct, frozen=True):
    """A mix that has no verified proof yet."""

    owner: Role
    pile: str
    throw: int
    """Number of the throw that determines the challenge."""
    first: int
    """Label number of the mix's first output."""
    inputs: tuple[bytes, ...]
    outputs: tuple[bytes, ...]
    shadows: tuple[bytes, ...]


class OwedOpen(NamedTuple):
    """A card that its owner must reveal by opening its label."""

    owner: Role
    card: str


class KnownFace(NamedTuple):
    """A card named by the actor's command, and the pile that publicly contained the card before the record."""

    pile: str
    card: str


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """The record in progress, as determined by the messages since the last complete record."""

    number: int
    actor: Role
    """The role that gave the command; empty for the opening and agreements."""
    request: Request | None = None
    request_anchor: bytes = b""
    """Transcript hash at the request's anchor, from which a hidden command's salt is derived."""
    faces: tuple[KnownFace, ...] = ()
    uses_chance: bool = False
    since: int = 0
    """Index of the message that began the current phase or stage."""
    throws: tuple[Throw, ...] = ()
    reveals: Mapping[Role, bytes] = {}
    """Reveals for the throw in progress."""
    stages: int = 0
    asks: int = 0
    state: Any = None
    """Public game state after the events so far."""
    batch: int = 0
    """Number, in the record, of the latest proposal's first event."""
    batch_state: Any = None
    """Public game state before the latest proposal's first event."""
    events: tuple[ProposedEvent, ...] = ()
    is_public: bool = False
    """True if every copy could compute the whole latest proposal itself."""
    commitments: Mapping[int, bytes] = {}
    """Commitments to events that owners have completed, by event number."""
    uses: tuple[KnownUse, ...] = ()
    boxes: tuple[tuple[Role, bytes, bytes], ...] = ()
    """The boxes so far: each box's owner, the transcript hash at its anchor, and the encrypted bytes."""
    owes_completion: tuple[Role, ...] = ()
    opens: tuple[OwedOpen, ...] = ()
    wanted: PileName | None = None
    """The pile at which the latest proposal stopped with status ``stage``; None if it had another status."""
    asked: KnownUse | None = None
    counts: Mapping[Role, int] = {}
    """Number of messages from each author for this record."""
    size: int = 0
    """Total size of the record's messages in bytes."""
    completed_at: Mapping[Role, int] = {}
    """Index of each owner's latest completion since the last proposal."""
    opened_at: Mapping[Role, int] = {}
    """Index of each owner's latest ``Open`` message since the last proposal."""
    mixed_at: Mapping[Role, int] = {}
    """Index of each owner's latest mix in this record."""
    offer: str = ""
    """Kind of agreement that this record carries out, such as a takeback; empty for other records."""
    offer_by: Role = HOST
    takeback_to: int | None = None
    """For a takeback, the number of the record from which the match continues; otherwise None."""


class TakebackState(NamedTuple):
    """Snapshot of the game state and the labels, which a takeback can restore."""

    state: Any
    table: LabelTable


class DueMessage(NamedTuple):
    """A message that the transcript is waiting for."""

    kind: Kind
    author: Role
    anchor: int
    item: str = ""
    """The message's deck, label or card; empty for kinds without one.

    For a mix, this is the deck and pile. For a proof, it is the first label. For an ``Open`` message, it is the card
    or, in the ``ask`` phase, the label.
    """


class FairState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a match after some of its messages."""

    setup: MatchSetup
    index: int
    """Index of the last message; -1 before the first message."""
    hashes: tuple[bytes, ...]
    """Transcript hashes from index :attr:`first_hash` to :attr:`index`, inclusive."""
    first_hash: int
    """Index of the oldest stored hash."""
    phase: TranscriptPhase
    agreed: frozenset[Role] = frozenset()
    throws: int = 0
    """Number of throws that have begun so far. This number never decreases."""
    last_reveals: Mapping[Role, bytes] = {}
    table: LabelTable
    state: Any
    """Public game state after the last complete record."""
    records: int = 0
    """Number of complete records."""
    pending: Pending | None = None
    completed: Pending | None = None
    """The record that the last message completed; None if that message did not complete a record."""
    unproven: tuple[UnprovenMix, ...] = ()
    challenge: tuple[bytes, ...] = ()
    """All reveals for the last complete throw, in header order."""
    challenge_at: int = 0
    """Index of the last reveal in :attr:`challenge`."""
    offer: Offer | None = None
    offer_by: Role = HOST
    offer_at: int = 0
    consents: frozenset[Role] = frozenset()
    end: End | None = None
    end_at: int = 0
    """Index of the message that ended the match; 0 if the match has not ended."""
    seeds: Mapping[Role, bytes] = {}
    offers: Mapping[Role, int] = {}
    """Number of offers from each seat since the last complete record."""
    size: int = 0
    """Total size of all messages in bytes."""
    history: tuple[TakebackState, ...] = ()
    """Snapshots that a takeback can restore, one after each complete record."""

    @property
    def head(self) -> bytes:
        """Return the transcript hash after the last message."""
        return self.hashes[-1]

    @property
    def has_ended(self) -> bool:
        """Return whether the match has ended. Only card seeds and the host's final messages can follow the end."""
        return self.phase in {TranscriptPhase.ENDED, TranscriptPhase.CLOSED}

    def hash_at(self, index: int) -> bytes | None:
        """Return the transcript hash after a message; None if the hash is no longer stored or does not exist yet."""
        place = index - self.first_hash
        return self.hashes[place] if 0 <= place < len(self.hashes) else None


class MessageRefusal(NamedTuple):
    """The reason why a message is invalid at this point."""

    author: Role
    problem: str
    is_due_fault: bool = False
    """True if the message may be valid directly after its anchor but is not due at the index that the host gave it."""
    is_dealer_rejection: bool = False
    """True if a dealing host rejects the command for a reason that other copies cannot check."""

    @property
    def is_dishonest(self) -> bool:
        """Return whether an honest author would never send this message; False if the message is merely not due now."""
        return self.is_dealer_rejection or not self.is_due_fault
