"""Defines, encodes and decodes all messages between a peer and its host.

A peer sends requests, and the host answers them. ``docs/protocol.md`` lists the possible answers to each request. All
messages are MessagePack maps with an explicit tag in ``kind``. An unknown field or tag is a protocol error.
"""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from typing_extensions import override

from engine.kernel.ids import Refusal
from netplay.wire.errors import ProtocolError
from netplay.wire.message_size import MAX_MESSAGE_BYTES
from netplay.wire.padding import pad, unpad
from play.clock_readings import ClockReading
from play.offers import OfferKind
from saves.decoding import decode
from saves.disk_trouble import Trouble
from saves.errors import UnreadableError
from saves.fair.messages import SignedMessage
from saves.fair.signed_texts import Ack, Resume, Resumed
from saves.fair.terms import FairParty, TimeLimits
from saves.records import MAX_RECORD_BYTES

PROTOCOL: Final = 7
"""Protocol version, incremented when an older program could misunderstand a message."""
DISK: Final = "disk"
"""Name of the capability of peers that can show problems with the host's disk."""
UNDECIDED: Final = "undecided"
"""Name of the capability of peers that can show why the host's rules cannot resolve a match's opening."""
LIMITS: Final = "limits"
CAPABILITIES: Final = ("chat", "digest", DISK, LIMITS, "offers", UNDECIDED)
"""This program's optional capabilities, in alphabetical order."""
REQUIRED: Final = ("digest",)
"""Capabilities that the other program must have."""
CHUNK_BYTES: Final = 48 * 1024
"""Maximum number of record bytes in one message."""
COMMAND_BYTES: Final = 8 * 1024
"""Maximum length of an encoded command in bytes."""
MAX_WINDOW_MS: Final = 60_000
MAX_WAIT_MS: Final = 20_000
"""The longest delay, in milliseconds, that a peer may request for a reply."""

Nonce = Annotated[bytes, msgspec.Meta(min_length=32, max_length=32)]
Hash = Annotated[bytes, msgspec.Meta(min_length=32, max_length=32)]
Signature = Annotated[bytes, msgspec.Meta(max_length=128)]
Pem = Annotated[str, msgspec.Meta(max_length=4096)]
Word = Annotated[str, msgspec.Meta(max_length=64)]
MAX_LINE_LENGTH: Final = 400
Line = Annotated[str, msgspec.Meta(max_length=MAX_LINE_LENGTH)]
RequestId = Annotated[str, msgspec.Meta(min_length=1, max_length=64, pattern=r"^[!-~]+$")]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Seq = Annotated[int, msgspec.Meta(ge=-1, le=2**53)]
"""Number of a record; -1 means before the first record."""
Words = Annotated[tuple[Word, ...], msgspec.Meta(max_length=32)]
Chunk = Annotated[bytes, msgspec.Meta(max_length=CHUNK_BYTES)]
Chunks = Annotated[tuple[Chunk, ...], msgspec.Meta(max_length=1024)]


class WireMessage(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", forbid_unknown_fields=True
):
    """Base class for all messages between a peer and its host."""


# -- requests from a peer


class Hello(WireMessage, frozen=True, kw_only=True, tag="hello"):
    """The first message on a connection, which names the match and the requested seat."""

    protocol: Count
    capabilities: Words
    match: Word
    role: Word | None
    """Requested role; None for a spectator."""
    nonce: Nonce
    """Random bytes for the host to sign."""


class SeatProof(WireMessage, frozen=True, kw_only=True, tag="proof"):
    """Answers a challenge and proves that the peer has the key for the seat."""

    certificate: Pem
    signature: Signature
    """Signature over the host's nonce, the match, the role and the peer's nonce."""


class Enrol(WireMessage, frozen=True, kw_only=True, tag="enrol"):
    """Enrols a seat and sends its commitments, which become part of the header."""

    promise: FairParty
    signature: Signature
    """Signature over the match and the commitments, made with the invite's key."""


class WaitForStart(WireMessage, frozen=True, kw_only=True, tag="wait"):
    """Asks to be notified when the match begins."""

    wait_ms: Annotated[int, msgspec.Meta(ge=0, le=MAX_WAIT_MS)]
    """Maximum time in milliseconds that the host may delay its reply if nothing changes."""
    pending: Count = 0
    """Number of bytes that the seat has of the message stream for the opening."""
    texts: Count = 0
    """Number of the last signed text received."""


class PostPart(WireMessage, frozen=True, kw_only=True, tag="post"):
    """A chunk of a ``Post``, which a seat sends in a match with a transcript."""

    request_id: RequestId
    offset: Count = 0
    total: Count
    """Total length of the post in bytes."""
    data: Chunk
    """Part of the post's MessagePack encoding."""


class Post(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Signed messages for a match transcript, and signed texts that are not part of the transcript."""

    messages: tuple[SignedMessage, ...] = ()
    resume: Resume | None = None
    resumed: tuple[Resumed, ...] = ()
    ack: Ack | None = None
    remark: Line = ""
    """The bot's reason for the command. The remark is stored in a separate record after the command."""


class PollUpdates(WireMessage, frozen=True, kw_only=True, tag="catch-up"):
    """Requests everything after the peer's last record. Peers use it to join, rejoin, catch up and acknowledge."""

    seq: Seq
    """Number of the last record that the peer has on disk."""
    chain: Hash
    digest: Hash | None
    """Digest of the seat's view after this record; None if it was not computed."""
    offset: Count = 0
    """If the next record is sent in chunks, the number of its bytes received so far."""
    heard: Count = 0
    """Number of the last chat line received."""
    wait_ms: Annotated[int, msgspec.Meta(ge=0, le=MAX_WAIT_MS)] = 0
    """Maximum time in milliseconds that the host may delay its reply if there are no updates."""
    pending: Count = 0
    """In a match with a transcript, the number of bytes that the seat has of the message stream for the next record."""
    texts: Count = 0
    """In a match with a transcript, the number of the last signed text received."""


class Submit(WireMessage, frozen=True, kw_only=True, tag="submit"):
    """Submits a command."""

    request_id: RequestId
    """An id chosen by the peer, unique for each command. A repeated request receives the same reply."""
    expected_seq: Seq
    """Number of the last record that the sender had seen."""
    command: Annotated[bytes, msgspec.Meta(max_length=COMMAND_BYTES)]
    """The command, encoded in MessagePack."""
    remark: Line = ""
    """The bot's reason for the command. The remark is stored in a separate record before the command."""


class MakeOffer(WireMessage, frozen=True, kw_only=True, tag="offer"):
    """Makes an offer to the other seats. If no other seat needs to agree, the offer is carried out at once."""

    request_id: RequestId
    matter: OfferKind
    to_seq: Count = 0
    """For a takeback, the number of the record whose state is to be restored."""


class OfferAnswer(WireMessage, frozen=True, kw_only=True, tag="offer-answer"):
    """Answers another seat's offer."""

    request_id: RequestId
    offer: Count
    agree: bool


class Say(WireMessage, frozen=True, kw_only=True, tag="say"):
    """Sends a line of chat. The host sanitises the text, even if the peer has already done so."""

    request_id: RequestId
    text: Line


class Ping(WireMessage, frozen=True, kw_only=True, tag="ping"):
    """Checks that the host is still responding, and measures the latency."""

    token: Count


class Tail(WireMessage, frozen=True, kw_only=True, tag="tail"):
    """Sends the last records in the peer's log after a desync, for the host's divergence report."""

    seq: Seq
    """Number of the record after which the views differ."""
    digest: Hash
    records: Chunks


class AskFull(WireMessage, frozen=True, kw_only=True, tag="ask-full"):
    """Requests the full, unredacted record once the game is over."""

    offset: Count = 0
    """Number of bytes received so far from the file."""


class Leave(WireMessage, frozen=True, kw_only=True, tag="leave"):
    """Announces that the peer is closing the connection deliberately."""

    reason: Line


Question: TypeAlias = (
    Hello
    | SeatProof
    | Enrol
    | WaitForStart
    | PostPart
    | PollUpdates
    | Submit
    | MakeOffer
    | OfferAnswer
    | Say
    | Ping
    | Tail
    | AskFull
    | Leave
)


# -- the host's answers


class Challenge(WireMessage, frozen=True, kw_only=True, tag="challenge"):
    """Asks the peer to sign a nonce, and proves the host's identity."""

    nonce: Nonce
    certificate: Pem
    signature: Signature
    """Signature over the peer's nonce, the match and the host's nonce."""


class Rules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Identifies the exact version of a program's rules and game data."""

    edition: Word
    version: Count
    data_digest: Annotated[str, msgspec.Meta(max_length=128)]

    @override
    def __str__(self) -> str:
        return f"version {self.version} of the {self.edition} edition, data {self.data_digest[:8]}"


class Welcome(WireMessage, frozen=True, kw_only=True, tag="welcome"):
    """Accepts the peer's proof and gives the peer its seat."""

    header: Annotated[bytes, msgspec.Meta(max_length=CHUNK_BYTES)]
    """The header of the match, redacted for this seat."""
    seq: Seq
    chain: Hash
    capabilities: Words
    rules: Rules
    """The host's current rules. The match may have begun with older rules."""
    window_ms: Annotated[int, msgspec.Meta(ge=0, le=MAX_WINDOW_MS)]
    """Minimum delay in milliseconds before the answer to a response window is sent; the same for every seat."""


class PendingPart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A chunk of the stream of messages for the next record."""

    seq: Seq
    """Number of the next record."""
    offset: Count
    total: Count
    """Total length in bytes of the stream so far."""
    data: Chunk


class SignedTexts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """New texts that seats have signed and that are not part of the transcript."""

    number: Count
    """Number of the last text."""
    resumes: Annotated[tuple[Resume, ...], msgspec.Meta(max_length=16)] = ()
    resumed: Annotated[tuple[Resumed, ...], msgspec.Meta(max_length=256)] = ()
    acks: Annotated[tuple[Ack, ...], msgspec.Meta(max_length=16)] = ()


class TranscriptUpdate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """New transcript data for a seat."""

    index: Seq
    """Index of the last message that the host has stored."""
    part: PendingPart | None = None
    texts: SignedTexts | None = None


class Waiting(WireMessage, frozen=True, kw_only=True, tag="waiting", omit_defaults=True):
    """Reports that the seat is authenticated but the match has not begun."""

    header: Annotated[bytes, msgspec.Meta(max_length=CHUNK_BYTES)]
    """The header of the match, redacted for this seat. It contains the parties once every seat has enrolled."""
    rules: Rules
    missing: Words
    """Seats that have not enrolled."""
    waiting_for: Words = ()
    """Seats whose messages are overdue."""
    present: Words = ()
    """Seats that are connected."""
    mode: Literal["fair", "joint"] = "joint"
    """``fair`` if the seats deal the cards, ``joint`` if the host does."""
    limits: TimeLimits = TimeLimits()
    """The match's time limits. Sent only to peers with the ``limits`` capability."""
    transcript: TranscriptUpdate | None = None
    """New transcript data about the opening; None until every seat has enrolled."""
    disk: Trouble = ""
    """The problem with the host's disk; empty if there is none."""
    undecided: Line = ""
    """A sentence that explains why the host's rules cannot resolve the opening; empty if they can."""


class ChatLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of chat."""

    number: Count
    role: Word
    text: Line


class Presence(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Reports whether a seat is connected and responding."""

    role: Word
    present: bool


class OpenOffer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An offer that is waiting for answers."""

    offer: Count
    """Number of the offer."""
    role: Word
    matter: OfferKind
    to_seq: Count = 0
    """For a takeback, the number of the record whose state is to be restored."""
    waiting_for: Words


class RecordChunk(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A chunk of a record that is too long for one message."""

    seq: Seq
    offset: Count
    total: Count
    data: Chunk


class Update(WireMessage, frozen=True, kw_only=True, tag="news", omit_defaults=True):
    """Everything that is new since the peer's last record. It is sent after the time limit even if nothing is new."""

    head: Seq
    """Number of the last record in the host's log."""
    records: Chunks = ()
    """Complete records in order, redacted for this seat."""
    part: RecordChunk | None = None
    chat: Annotated[tuple[ChatLine, ...], msgspec.Meta(max_length=64)] = ()
    presence: Annotated[tuple[Presence, ...], msgspec.Meta(max_length=16)] = ()
    """The presence of every seat."""
    spectators: Count = 0
    offer: OpenOffer | None = None
    dials: Annotated[tuple[ClockReading, ...], msgspec.Meta(max_length=16)] = ()
    """Current clock readings; empty in a match without clocks."""
    transcript: TranscriptUpdate | None = None
    """New transcript data; None if the match has no transcript. Messages are sent only if no records are sent."""
    waiting_for: Words = ()
    """Seats whose messages are overdue."""
    may_stop: bool = False
    """True if messages have been overdue for so long that a seat may stop the match."""
    disk: Trouble = ""
    """The problem with the host's disk; empty if there is none."""


class FullPart(WireMessage, frozen=True, kw_only=True, tag="full-part"):
    """A chunk of the host's record file, in which nothing is hidden."""

    total: Count
    """Length of the file in bytes."""
    data: Chunk


class Desync(WireMessage, frozen=True, kw_only=True, tag="out-of-step"):
    """Reports that the views or logs differ.

    The peer must return to the last agreed record, and then catch up again.
    """

    seq: Seq
    """Number of the last record before the desync was noticed."""
    agreed_seq: Seq
    agreed_chain: Hash
    digest: Hash | None
    """The host's digest of the seat's view; None if even the logs differ."""
    records: Chunks
    """The last records in the host's log, redacted for this seat."""


class Accepted(WireMessage, frozen=True, kw_only=True, tag="accepted"):
    """Reports that the request was carried out. If the request was a command, the host has stored it on disk."""

    request_id: RequestId
    seq: Seq
    """Number of the new record, or of the last record if none was written."""


class Refused(WireMessage, frozen=True, kw_only=True, tag="refused"):
    """Reports that the request was refused and nothing changed."""

    request_id: RequestId
    code: Annotated[str, msgspec.Meta(max_length=32)]
    """One of ``illegal``, ``stale``, ``reused``, ``too-fast``, ``unavailable``, ``fault``."""
    text: Annotated[str, msgspec.Meta(max_length=1000)]
    refusals: Annotated[tuple[Refusal, ...], msgspec.Meta(max_length=32)] = ()


class Pong(WireMessage, frozen=True, kw_only=True, tag="pong"):
    """Answers a ``Ping`` with the same token."""

    token: Count


class Bye(WireMessage, frozen=True, kw_only=True, tag="bye"):
    """Ends the connection."""

    reason: Line
    again: bool
    """True if the peer should reconnect."""


Answer: TypeAlias = (
    Challenge | Waiting | Welcome | Update | FullPart | Desync | Accepted | Refused | Pong | Bye
)

_ENCODER = msgspec.msgpack.Encoder()
_POST_DECODER: Final = msgspec.msgpack.Decoder(Post)
_QUESTION_DECODER: Final[msgspec.msgpack.Decoder[Question]] = msgspec.msgpack.Decoder(Question)
_ANSWER_DECODER: Final[msgspec.msgpack.Decoder[Answer]] = msgspec.msgpack.Decoder(Answer)


def encode(message: WireMessage) -> bytes:
    """Encode a message.

    All messages except ``Hello`` and ``Bye`` are padded (``netplay.wire.padding``), because programs of every version
    must be able to read these two.
    """
    data = _ENCODER.encode(message)
    return data if isinstance(message, Hello | Bye) else pad(data)


def decode_request(data: bytes) -> Question:
    """Decode a request from a peer.

    Raises:
        ProtocolError: The frame is not a request.
    """
    try:
        return decode(_QUESTION_DECODER, unpad(data), MAX_MESSAGE_BYTES)
    except UnreadableError as error:
        problem = "the message cannot be read"
        raise ProtocolError(f"{problem}: {error}", logged=problem) from error


def decode_post(data: bytes) -> Post:
    """Decode a signed post from a seat in a match with a transcript.

    Raises:
        ProtocolError: The bytes are not a post.
    """
    try:
        return decode(_POST_DECODER, data, MAX_RECORD_BYTES)
    except UnreadableError as error:
        problem = "the message cannot be read"
        raise ProtocolError(f"{problem}: {error}", logged=problem) from error


def decode_answer(data: bytes) -> Answer:
    """Decode an answer from a host.

    Raises:
        ProtocolError: The frame is not an answer.
    """
    try:
        return decode(_ANSWER_DECODER, unpad(data), MAX_MESSAGE_BYTES)
    except UnreadableError as error:
        raise ProtocolError(f"the message cannot be read: {error}") from error


def version_problem(protocol: int, capabilities: tuple[str, ...], other: str) -> str:
    """Return the reason why two programs cannot play together, or an empty string if they can.

    Args:
        protocol: The protocol version of the other program.
        capabilities: The capabilities of the other program.
        other: How to refer to the other program in the sentence.
    """
    if protocol != PROTOCOL:
        newer = "newer" if protocol > PROTOCOL else "older"
        return f"the {other} uses protocol {protocol}, but this program uses {PROTOCOL}; the {other} is {newer}"
    missing = [name for name in REQUIRED if name not in capabilities]
    if missing:
        return f"the {other} lacks the capability {', '.join(missing)}"
    return ""
