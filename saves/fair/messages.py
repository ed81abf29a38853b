"""Defines protocol 7 messages: kinds, bodies, canonical encoding and slots.

A message is an array of match, kind, anchor, author and body. The author signs the encoded array, and the host signs
the order of the messages (``docs/fair-play.md``).
"""

from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

import msgspec

from engine.kernel.ids import Role
from saves.decoding import canonical, decode
from saves.errors import UnreadableError
from saves.fair.derivation import HASH_BYTES

HOST: Final = Role("")
"""The author of messages from the host."""
MAX_MESSAGE_BYTES: Final = 256 << 10
MAX_RECORD_BYTES: Final = 2 << 20
MAX_TRANSCRIPT_BYTES: Final = 512 << 20
MAX_LABELS: Final = 400
MAX_STAGES: Final = 8
"""Maximum number of stages per record.

This also limits the number of mixes, because a pile is mixed at most once before each proposal.
"""
MAX_ASKS: Final = 32
MAX_USES: Final = 1_024
MAX_EVENTS: Final = 4_096
MAX_MESSAGES: Final = 64
"""Maximum number of messages from one seat in one record."""
MAX_THROWS: Final = 1 << 15
_DOMAIN: Final = "flagplot-fair/7"
_NAME_CHARS: Final = 96

Bytes16: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=16, max_length=16)]
Bytes32: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=32, max_length=32)]
Bytes64: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=64, max_length=64)]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)]
Name: TypeAlias = Annotated[str, msgspec.Meta(max_length=_NAME_CHARS)]
LabelNumber: TypeAlias = Count
Labels: TypeAlias = Annotated[tuple[LabelNumber, ...], msgspec.Meta(max_length=MAX_LABELS)]
Points: TypeAlias = Annotated[tuple[Bytes32, ...], msgspec.Meta(max_length=MAX_LABELS)]
Commitment: TypeAlias = Annotated[bytes, msgspec.Meta(max_length=32)]
"""A commitment of 32 bytes, or empty if the entry is public."""


class Kind(StrEnum):
    """The kind of a message, which determines the type of its body."""

    SETUP = "setup"
    AGREE = "agree"
    MIX = "mix"
    REQUEST = "request"
    REVEAL = "reveal"
    PROOF = "proof"
    PROPOSAL = "proposal"
    OPEN = "open"
    COMPLETION = "completion"
    OFFER = "offer"
    CONSENT = "consent"
    END = "end"
    SEED = "seed"
    CLOSE = "close"


SEQUENTIAL: Final = frozenset(
    {Kind.SETUP, Kind.REQUEST, Kind.PROPOSAL, Kind.OFFER, Kind.END, Kind.CLOSE}
)
"""Kinds of messages that are always anchored at the message directly before them."""


def _check_commitment(commitment: bytes) -> None:
    if len(commitment) not in {0, HASH_BYTES}:
        raise ValueError(f"a commitment must have {HASH_BYTES} bytes")


class Body(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """Base class for message bodies."""


class Setup(Body, frozen=True, array_like=True):
    """The host starts the match with this header."""

    header_hash: Bytes32


class Agree(Body, frozen=True, array_like=True):
    """A party confirms the header, which it has compared with its own computation."""

    header_hash: Bytes32


class Mix(Body, frozen=True, array_like=True):
    """The owner replaces a pile's labels with new ones in a different order."""

    deck: Name
    """Role that owns the deck. The deck has the same name."""
    pile: Name
    inputs: Labels
    """All labels in the pile, in ascending order."""
    outputs: Points
    shadows: Annotated[tuple[Bytes32, ...], msgspec.Meta(max_length=32)]
    """Hashes of the shadows. A shadow is a further mix of the same inputs."""


class PublicEntry(Body, frozen=True, array_like=True):
    """The public form of a command or event. In a fair match, its kind is always public."""

    tag: Annotated[str, msgspec.Meta(min_length=1, max_length=_NAME_CHARS)]
    v: Count
    body: bytes
    """Public form, encoded as MessagePack."""
    commitment: Commitment = b""
    """Commitment to the complete form; empty if the public form is complete."""

    def __post_init__(self) -> None:
        """Reject a commitment unless it is empty or has the length of a hash.

        Raises:
            ValueError: The commitment has the wrong length.
        """
        _check_commitment(self.commitment)


class Request(Body, frozen=True, array_like=True):
    """A role gives a command."""

    record: Count
    """The record's number in the transcript. The opening is record 0."""
    command: PublicEntry
    uses_chance: bool
    box: bytes = b""
    """The complete command in encrypted form; empty if the command is public."""


class Reveal(Body, frozen=True, array_like=True):
    """A party reveals the next value in its hash chain."""

    number: Count
    value: Bytes32


class Proof(Body, frozen=True, array_like=True):
    """The owner responds to the challenge for one of its mixes."""

    deck: Name
    first: LabelNumber
    """The first output label of the mix."""
    responses: Annotated[tuple[bytes, ...], msgspec.Meta(max_length=32)]


class ProposedEvent(Body, frozen=True, array_like=True):
    """An event caused by a command."""

    entry: PublicEntry
    owner: Name = ""
    """Role that must complete the event; empty if the actor already knows the whole event."""


class ChanceUse(Body, frozen=True, array_like=True):
    """The use of a random result by a command: a die roll or a pick from a pile."""

    number: Count
    """Position of this random result in its throw, counted from 0."""
    size: Annotated[int, msgspec.Meta(ge=1, le=1 << 32)]
    event: Count
    """Number, in the record, of the event that needs this random result."""
    deck: Name = ""
    """The pile's owner; empty for a die."""
    pile: Name = ""


class LabelMove(Body, frozen=True, array_like=True):
    """The move of a label to another pile, or to another position in its pile."""

    label: LabelNumber
    source: Name
    target: Name
    event: Count


class PileName(Body, frozen=True, array_like=True):
    """A pile in a deck."""

    deck: Name
    pile: Name


Status: TypeAlias = Literal["done", "ask", "stage"]


class Proposal(Body, frozen=True, array_like=True):
    """The next part of a command's results. Earlier proposals in the same record contain the parts before it."""

    events: Annotated[tuple[ProposedEvent, ...], msgspec.Meta(max_length=MAX_EVENTS)]
    uses: Annotated[tuple[ChanceUse, ...], msgspec.Meta(max_length=MAX_USES)]
    moves: Annotated[tuple[LabelMove, ...], msgspec.Meta(max_length=MAX_EVENTS)]
    status: Status
    wanted: PileName | None = None
    """If the status is ``stage``, the pile that must first be mixed or needs another throw; otherwise None."""
    box: bytes = b""


class Open(Body, frozen=True, array_like=True):
    """The owner opens a label, revealing its card."""

    label: LabelNumber
    card: Name
    blinding: Bytes32


class Completion(Body, frozen=True, array_like=True):
    """An owner completes the events in a proposal that involve its cards."""

    commitments: Annotated[
        tuple[tuple[Count, Commitment], ...], msgspec.Meta(max_length=MAX_EVENTS)
    ]
    """Event numbers within the record, in ascending order, with their commitments.
    A commitment is empty if nothing is hidden.
    """
    moves: Annotated[tuple[LabelMove, ...], msgspec.Meta(max_length=MAX_EVENTS)]
    box: bytes = b""

    def __post_init__(self) -> None:
        """Reject commitments unless each is empty or has the length of a hash.

        Raises:
            ValueError: A commitment has the wrong length.
        """
        for _, commitment in self.commitments:
            _check_commitment(commitment)


class Offer(Body, frozen=True, array_like=True):
    """A seat offers the others a takeback, an adjournment or a draw."""

    matter: Literal["takeback", "adjournment", "draw"]
    record: Count = 0
    """For a takeback, the number of the record from which the game will continue."""


class Consent(Body, frozen=True, array_like=True):
    """A party accepts or declines an offer."""

    agrees: bool


class End(Body, frozen=True, array_like=True):
    """Ends the match for a reason outside the game's rules, such as a resignation."""

    reason: Literal["resigned", "time", "draw", "stopped"]
    role: Name = ""
    """The role that resigned, stopped the match, offered the draw or ran out of time."""


class Seed(Body, frozen=True, array_like=True):
    """A party publishes its card seed."""

    seed: Bytes32


class Close(Body, frozen=True, array_like=True):
    """The host closes the transcript after the end of the match."""

    missing: Annotated[tuple[Name, ...], msgspec.Meta(max_length=32)]
    """The parties whose card seeds have not been received."""


AnyBody: TypeAlias = (
    Setup
    | Agree
    | Mix
    | Request
    | Reveal
    | Proof
    | Proposal
    | Open
    | Completion
    | Offer
    | Consent
    | End
    | Seed
    | Close
)
BODY_TYPES: Final[dict[Kind, type[Body]]] = {
    Kind.SETUP: Setup,
    Kind.AGREE: Agree,
    Kind.MIX: Mix,
    Kind.REQUEST: Request,
    Kind.REVEAL: Reveal,
    Kind.PROOF: Proof,
    Kind.PROPOSAL: Proposal,
    Kind.OPEN: Open,
    Kind.COMPLETION: Completion,
    Kind.OFFER: Offer,
    Kind.CONSENT: Consent,
    Kind.END: End,
    Kind.SEED: Seed,
    Kind.CLOSE: Close,
}
_BODIES: Final = {kind: msgspec.msgpack.Decoder(body) for kind, body in BODY_TYPES.items()}


class _Envelope(Body, frozen=True, array_like=True):
    domain: Literal["flagplot-fair/7"]
    match: Name
    kind: Kind
    anchor: Count
    anchor_hash: Bytes32
    author: Name
    body: msgspec.Raw


_ENVELOPE: Final = msgspec.msgpack.Decoder(_Envelope)


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """A decoded message, in the form that ``fold`` processes."""

    kind: Kind
    anchor: int
    """Index of the message that this message follows or answers."""
    anchor_hash: bytes
    """Transcript hash after the anchor."""
    author: Role
    body: AnyBody


class SignedMessage(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A message's encoded bytes and its author's signature."""

    data: Annotated[bytes, msgspec.Meta(max_length=MAX_MESSAGE_BYTES)]
    signature: Bytes64


class Slot(NamedTuple):
    """Identifies a point in the match at which an honest seat signs only one message."""

    anchor: int
    group: str
    item: str


def encode_message(match_id: str, message: Message) -> bytes:
    """Encode a message in the canonical form that its author signs."""
    parts = (message.kind.value, message.anchor, message.anchor_hash, message.author)
    return canonical((_DOMAIN, match_id, *parts, message.body))


def claimed_author(match_id: str, data: bytes) -> Role:
    """Return the author named in a message from this match. The body need not be decodable.

    Raises:
        UnreadableError: The envelope cannot be decoded, or the message belongs to another match.
    """
    return Role(_envelope(match_id, data).author)


def _envelope(match_id: str, data: bytes) -> _Envelope:
    envelope: _Envelope = decode(_ENVELOPE, data, MAX_MESSAGE_BYTES)
    if envelope.match != match_id:
        raise UnreadableError("the message belongs to a different match")
    return envelope


@lru_cache(maxsize=16)
def decode_message(match_id: str, data: bytes) -> Message:
    """Decode a message. The result is cached, because a receiver decodes each message several times in a row.

    Raises:
        UnreadableError: The bytes are not a message from this match, or their form is not canonical.
    """
    envelope = _envelope(match_id, data)
    body = decode_body(envelope.kind, envelope.body)
    message = Message(
        kind=envelope.kind,
        anchor=envelope.anchor,
        anchor_hash=envelope.anchor_hash,
        author=Role(envelope.author),
        body=body,
    )
    # Record files store only parts of a message, so re-encoding those parts must produce exactly
    # these bytes.
    if encode_message(match_id, message) != data:
        raise UnreadableError("the message is not in canonical form")
    return message


def decode_body(kind: Kind, data: bytes | memoryview) -> AnyBody:
    """Decode the body of a message of the given kind.

    Raises:
        UnreadableError: The bytes are not a body of this kind.
    """
    body: Any = decode(_BODIES[kind], data, MAX_MESSAGE_BYTES)
    decoded: AnyBody = body
    return decoded


def slot_of(message: Message) -> Slot:
    """Return a message's slot."""
    kind, body = message.kind, message.body
    # An ``End`` message has its own slot, because a player may still resign after signing a command
    # that the host has not ordered.
    if kind in SEQUENTIAL and kind is not Kind.END:
        return Slot(message.anchor, "sequence", "")
    match body:
        case Mix(deck=deck, pile=pile):
            item = f"{deck}/{pile}"
        case Proof(first=first):
            item = str(first)
        case Open(label=label):
            item = str(label)
        case _:
            item = ""
    return Slot(message.anchor, kind.value, item)
