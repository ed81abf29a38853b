"""State of a fair match as a fold of its transcript (protocol 7): the same value on every copy."""

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


class Phase(StrEnum):
    """What the transcript waits for."""

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
    """What the program of a role has promised in the header."""

    role: Role
    key: bytes
    """Ed25519 key of its signatures."""
    head: bytes
    """End of its hash chain."""
    cards: bytes = b""
    """Commitment to its card seed; empty when the host deals."""


class MatchSetup(msgspec.Struct, frozen=True, kw_only=True):
    """What the header fixes."""

    game: AnyGame
    match_id: str
    header_hash: bytes
    host_key: bytes
    parties: tuple[Party, ...]
    """In the order of the header."""
    position: msgspec.Struct
    """Where the match begins: complete, or as everyone sees it (see :attr:`knows_position`)."""
    may_lose_by_time: bool = False
    """Whether the match has a clock, and a side loses when its time is up."""
    deals: bool
    """Whether the seats deal the cards; if not, the host does."""
    reply_limit: int = 0
    """Seconds without a message after which a seat may stop the match; 0 for no limit."""
    dealer_key: bytes = b""
    """X25519 key of a host that deals; empty when the seats deal."""
    secret_commitment: bytes = b""
    """Commitment to the secret of a host that deals."""
    position_commitment: bytes = b""
    """Commitment to the position under that secret."""
    own_commitment: bytes = b""
    """Commitment to the set-up of a position or data of the players' own; empty for a scenario."""
    own_setup: Event | None = None
    """That set-up as everyone sees it; None for a scenario."""
    knows_position: bool = True
    """Whether the position is complete: each copy has that of a scenario, the full copy alone any other one."""

    @property
    def sides(self) -> Mapping[Role, tuple[Role, ...]]:
        """Return the sides with the roles of each, which win and lose together."""
        return self.game.info_with(tuple(party.role for party in self.parties)).sides

    def party(self, role: Role) -> Party | None:
        """Return the party of a role, None when there is none."""
        return next((party for party in self.parties if party.role == role), None)

    def key_of(self, author: Role) -> bytes | None:
        """Return the key that checks the signatures of an author; the empty role is the host."""
        if not author:
            return self.host_key
        party = self.party(author)
        return None if party is None else party.key


class UnprovenMix(msgspec.Struct, frozen=True):
    """A mix whose proof has not been verified."""

    owner: Role
    pile: str
    throw: int
    """Number of the throw that challenges it."""
    first: int
    """First output label."""
    inputs: tuple[bytes, ...]
    outputs: tuple[bytes, ...]
    shadows: tuple[bytes, ...]


class OwedOpen(NamedTuple):
    """A card whose label its owner has to open."""

    owner: Role
    card: str


class KnownFace(NamedTuple):
    """A card of the actor that its command names, and the pile in which everyone sees it before the record."""

    pile: str
    card: str


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """The record that the messages are about."""

    number: int
    actor: Role
    """Empty for the opening and for a takeback."""
    request: Request | None = None
    request_anchor: bytes = b""
    """Transcript hash at the anchor of the request, from which the salt of a hidden command follows."""
    faces: tuple[KnownFace, ...] = ()
    uses_chance: bool = False
    since: int = 0
    """Index of the message that began the current phase or stage."""
    throws: tuple[Throw, ...] = ()
    reveals: Mapping[Role, bytes] = {}
    """Of the throw in progress."""
    stages: int = 0
    asks: int = 0
    state: Any = None
    """Public state after the events so far."""
    batch: int = 0
    """Number of the first event of the last proposal."""
    batch_state: Any = None
    """Public state before that event."""
    events: tuple[ProposedEvent, ...] = ()
    commitments: Mapping[int, bytes] = {}
    """Of completed events, by number."""
    uses: tuple[KnownUse, ...] = ()
    boxes: tuple[tuple[Role, bytes, bytes], ...] = ()
    """Owner, transcript hash at the anchor, and box."""
    owes_completion: tuple[Role, ...] = ()
    opens: tuple[OwedOpen, ...] = ()
    wanted: PileName | None = None
    """The pile for which the last proposal stopped."""
    asked: KnownUse | None = None
    counts: Mapping[Role, int] = {}
    """Messages of each author for this record."""
    size: int = 0
    """Bytes of its messages."""
    mixes: Mapping[tuple[str, str], int] = {}
    """Mixes of each pile in this record."""
    completed_at: Mapping[Role, int] = {}
    """Index of the last completion of each owner since the last proposal."""
    opened_at: Mapping[Role, int] = {}
    """Index of the last open of each owner since the last proposal."""
    mixed_at: Mapping[Role, int] = {}
    """Index of the last mix of each owner in this record."""
    offer: str = ""
    """Matter of the agreement that the record is about; empty for opening and commands."""
    offer_by: Role = HOST
    takeback_to: int | None = None
    """Of a takeback: the record of the transcript after which the match continues."""


class Snapshot(NamedTuple):
    """Where a takeback continues."""

    state: Any
    table: LabelTable


class Due(NamedTuple):
    """A message that the transcript waits for."""

    kind: Kind
    author: Role
    anchor: int
    item: str = ""
    """Of a mix deck and pile, of a proof the first label, of an open the card."""


class FairState(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that follows from a transcript."""

    setup: MatchSetup
    index: int
    """Of the last message, -1 before the first."""
    hashes: tuple[bytes, ...]
    """Transcript hashes from :attr:`first_hash` on; the last one is the head."""
    first_hash: int
    """Index of the first hash that is kept."""
    phase: Phase
    agreed: frozenset[Role] = frozenset()
    throws: int = 0
    """Throws begun; never decreases."""
    last_reveals: Mapping[Role, bytes] = {}
    table: LabelTable
    state: Any
    """Public state after the last complete record."""
    records: int = 0
    """Complete records."""
    pending: Pending | None = None
    completed: Pending | None = None
    """The record that the last message completed; None when it completed none."""
    unproven: tuple[UnprovenMix, ...] = ()
    challenge: tuple[bytes, ...] = ()
    """All reveals of the last complete throw, in the order of the header."""
    challenge_at: int = 0
    """Index of the last reveal of it."""
    offer: Offer | None = None
    offer_by: Role = HOST
    offer_at: int = 0
    consents: frozenset[Role] = frozenset()
    end: End | None = None
    end_at: int = 0
    """Index of the message with which the match ended."""
    seeds: Mapping[Role, bytes] = {}
    offers: Mapping[Role, int] = {}
    """Offers of each seat since the last complete record."""
    size: int = 0
    """Bytes of all messages."""
    history: tuple[Snapshot, ...] = ()
    """After each complete record."""

    @property
    def head(self) -> bytes:
        """Return the transcript hash after the last message."""
        return self.hashes[-1]

    def hash_at(self, index: int) -> bytes | None:
        """Return the transcript hash after a recent message, None when it is not kept or does not exist."""
        place = index - self.first_hash
        return self.hashes[place] if 0 <= place < len(self.hashes) else None


class Refusal(NamedTuple):
    """Why a message is not valid here."""

    author: Role
    problem: str
    is_due_fault: bool = False
    """True when the message may be valid at its anchor, and the host has indexed it where it is not due."""
    is_objection: bool = False
    """True when a host that deals objects to a command; other copies cannot judge that."""

    @property
    def is_false(self) -> bool:
        """Return whether no honest seat sends such a message: it is not only late."""
        return self.is_objection or not self.is_due_fault
