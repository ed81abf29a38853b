"""Everything that travels between a peer and its host, and the one way to read it.

A peer asks, the host answers; ``docs/protocol.md`` says which answer belongs to which question. All messages
are MessagePack maps with a written-out tag in ``kind``; an unknown field or tag is a breach of the protocol.
"""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from engine.kernel.ids import Refusal
from netplay.errors import ProtocolError
from netplay.padding import bare, fill
from netplay.transport import MOST_BYTES
from play.dials import Dial
from play.offers import Matter
from saves.decoding import decode
from saves.disk import Trouble
from saves.errors import UnreadableError
from saves.fair.messages import SignedMessage
from saves.fair.signed_texts import Ack, Resume, Resumed
from saves.fair.terms import FairParty
from saves.records import MAX_RECORD_BYTES

PROTOCOL: Final = 7
"""Rises when an older program could misunderstand a message."""
DISK: Final = "disk"
"""Capability: it shows what is wrong with the host's disk."""
UNDECIDED: Final = "undecided"
"""Capability: it shows that the rules of the host cannot decide how a match begins."""
CAPABILITIES: Final = ("chat", "digest", DISK, "offers", UNDECIDED)
"""What this program can do beyond the bare stream of records, in alphabetical order."""
NEEDED: Final = ("digest",)
"""Without these on the other side there is no play."""
CHUNK_BYTES: Final = 48 * 1024
"""Most record bytes in one message."""
COMMAND_BYTES: Final = 8 * 1024
"""No command is longer."""
LONGEST_WINDOW_MS: Final = 60_000
LONGEST_WAIT_MS: Final = 20_000
"""How long a host may hold a question for news, or for the beginning of a match."""

Nonce = Annotated[bytes, msgspec.Meta(min_length=32, max_length=32)]
Hash = Annotated[bytes, msgspec.Meta(min_length=32, max_length=32)]
Signature = Annotated[bytes, msgspec.Meta(max_length=128)]
Pem = Annotated[str, msgspec.Meta(max_length=4096)]
Word = Annotated[str, msgspec.Meta(max_length=64)]
LINE_LETTERS: Final = 400
Line = Annotated[str, msgspec.Meta(max_length=LINE_LETTERS)]
RequestId = Annotated[str, msgspec.Meta(min_length=1, max_length=64, pattern=r"^[!-~]+$")]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Seq = Annotated[int, msgspec.Meta(ge=-1, le=2**53)]
"""Number of a record; -1 is before the first."""
Words = Annotated[tuple[Word, ...], msgspec.Meta(max_length=32)]
Chunk = Annotated[bytes, msgspec.Meta(max_length=CHUNK_BYTES)]
Chunks = Annotated[tuple[Chunk, ...], msgspec.Meta(max_length=1024)]


class Message(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", forbid_unknown_fields=True
):
    """Base of everything that travels."""


# -- a peer asks


class Hello(Message, frozen=True, kw_only=True, tag="hello"):
    """The first message of a connection: which seat of which match is wanted."""

    protocol: Count
    capabilities: Words
    match: Word
    role: Word | None
    """None watches."""
    nonce: Nonce
    """The host signs it."""


class Proof(Message, frozen=True, kw_only=True, tag="proof"):
    """The answer to a challenge: whose key this is."""

    certificate: Pem
    signature: Signature
    """Over the host's nonce, the match, the role and the peer's nonce."""


class Enrol(Message, frozen=True, kw_only=True, tag="enrol"):
    """The promise of a seat, which becomes part of the header."""

    promise: FairParty
    signature: Signature
    """By the key of the invite, over the match and the promise."""


class Wait(Message, frozen=True, kw_only=True, tag="wait"):
    """Tell me when the match begins."""

    wait_ms: Annotated[int, msgspec.Meta(ge=0, le=LONGEST_WAIT_MS)]
    """How long the host may hold this question when nothing changes."""
    pending: Count = 0
    """Bytes held of the messages of the opening."""
    texts: Count = 0
    """Number of the last signed text that has arrived."""


class PostPart(Message, frozen=True, kw_only=True, tag="post"):
    """A piece of what the program of a seat sends in a match with a transcript."""

    request_id: RequestId
    offset: Count = 0
    total: Count
    """Bytes of the whole."""
    data: Chunk
    """Of the MessagePack of a ``Post``."""


class Post(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Signed messages for the transcript of a match, and signed texts beside it."""

    messages: tuple[SignedMessage, ...] = ()
    resume: Resume | None = None
    resumed: tuple[Resumed, ...] = ()
    ack: Ack | None = None
    remark: Line = ""
    """Why a bot gives the command; kept as a record of its own after that of the command."""


class CatchUp(Message, frozen=True, kw_only=True, tag="catch-up"):
    """My log ends here; send what follows. Join, rejoin, catch-up and acknowledgement are this one message."""

    seq: Seq
    """Last record that is safe in the peer's log."""
    chain: Hash
    digest: Hash | None
    """Digest of the seat's view after this record; None when it was not computed."""
    offset: Count = 0
    """Bytes of the next record that the peer already holds, when it comes in parts."""
    heard: Count = 0
    """Number of the last chat line heard."""
    wait_ms: Annotated[int, msgspec.Meta(ge=0, le=LONGEST_WAIT_MS)] = 0
    """How long the host may hold this question when there is no news."""
    pending: Count = 0
    """Of a match with a transcript: bytes held of the messages of the next record."""
    texts: Count = 0
    """Likewise: number of the last signed text that has arrived."""


class Submit(Message, frozen=True, kw_only=True, tag="submit"):
    """A command of the seat."""

    request_id: RequestId
    """Chosen by the peer, new for each command; a repeat gets the first answer again."""
    expected_seq: Seq
    """Last record that the sender saw."""
    command: Annotated[bytes, msgspec.Meta(max_length=COMMAND_BYTES)]
    """The command in MessagePack."""
    remark: Line = ""
    """Why, when a bot says so; kept as a record of its own before that of the command."""


class Offer(Message, frozen=True, kw_only=True, tag="offer"):
    """A proposal to the other seats; done at once where nobody else has to agree."""

    request_id: RequestId
    matter: Matter
    to_seq: Count = 0
    """Of a takeback: the record after which the game shall stand again."""


class OfferAnswer(Message, frozen=True, kw_only=True, tag="offer-answer"):
    """An answer to another seat's offer."""

    request_id: RequestId
    offer: Count
    agree: bool


class Say(Message, frozen=True, kw_only=True, tag="say"):
    """A chat line; the host cleans it again."""

    request_id: RequestId
    text: Line


class Ping(Message, frozen=True, kw_only=True, tag="ping"):
    """Are you there?"""

    token: Count


class Tail(Message, frozen=True, kw_only=True, tag="tail"):
    """The end of the peer's log, sent after the views differed, for the host's bundle."""

    seq: Seq
    """Record after which the views differ."""
    digest: Hash
    records: Chunks


class AskFull(Message, frozen=True, kw_only=True, tag="ask-full"):
    """The game is over: send the whole record, with everything that was hidden."""

    offset: Count = 0
    """Bytes of the file that the peer already holds."""


class Leave(Message, frozen=True, kw_only=True, tag="leave"):
    """The peer closes the connection of its own will."""

    reason: Line


Question: TypeAlias = (
    Hello
    | Proof
    | Enrol
    | Wait
    | PostPart
    | CatchUp
    | Submit
    | Offer
    | OfferAnswer
    | Say
    | Ping
    | Tail
    | AskFull
    | Leave
)


# -- the host answers


class Challenge(Message, frozen=True, kw_only=True, tag="challenge"):
    """Sign this; and here is the host's own proof."""

    nonce: Nonce
    certificate: Pem
    signature: Signature
    """Over the peer's nonce, the match and the host's nonce."""


class Rules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which rules a program plays by."""

    edition: Word
    version: Count
    data_digest: Annotated[str, msgspec.Meta(max_length=128)]

    def __str__(self) -> str:
        """Return the rules in a few words."""
        return f"version {self.version} of the {self.edition} edition, data {self.data_digest[:8]}"


class Welcome(Message, frozen=True, kw_only=True, tag="welcome"):
    """The seat is taken."""

    header: Annotated[bytes, msgspec.Meta(max_length=CHUNK_BYTES)]
    """Header of the match as this seat may see it."""
    seq: Seq
    chain: Hash
    capabilities: Words
    rules: Rules
    """What the host decides by now; a match may have begun under older ones."""
    window_ms: Annotated[int, msgspec.Meta(ge=0, le=LONGEST_WINDOW_MS)]
    """How long after its question the answer of a response window goes out at the earliest, for everybody alike."""


class PendingPart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A piece of the messages of the next record; more may follow."""

    seq: Seq
    """Number that its record will have."""
    offset: Count
    total: Count
    """Bytes so far."""
    data: Chunk


class SignedTexts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Signed texts of seats beside the transcript."""

    number: Count
    """Of the last one."""
    resumes: Annotated[tuple[Resume, ...], msgspec.Meta(max_length=16)] = ()
    resumed: Annotated[tuple[Resumed, ...], msgspec.Meta(max_length=256)] = ()
    acks: Annotated[tuple[Ack, ...], msgspec.Meta(max_length=16)] = ()


class Transcript(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is new for a seat in the transcript."""

    index: Seq
    """Of the last message that the host has stored."""
    part: PendingPart | None = None
    texts: SignedTexts | None = None


class Waiting(Message, frozen=True, kw_only=True, tag="waiting", omit_defaults=True):
    """The seat is proved, and the match has not begun."""

    header: Annotated[bytes, msgspec.Meta(max_length=CHUNK_BYTES)]
    """As this seat may see it; its parties stand there when everybody has enrolled."""
    rules: Rules
    missing: Words
    """Seats that have not enrolled."""
    waiting_for: Words = ()
    """Seats whose messages have been missing for long."""
    present: Words = ()
    """Seats that are connected."""
    mode: Literal["fair", "joint"] = "joint"
    """Whether the seats deal the cards, or the host does."""
    transcript: Transcript | None = None
    """Messages of the opening, once every seat has enrolled."""
    disk: Trouble = ""
    """Why the host's disk takes no records; empty while it does."""
    undecided: Line = ""
    """Why the rules of the host cannot decide the opening, in words; empty if they can."""


class ChatLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of chat."""

    number: Count
    role: Word
    text: Line


class Presence(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether a seat is at the table."""

    role: Word
    present: bool


class OpenOffer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An offer that waits for answers."""

    offer: Count
    """Its number."""
    role: Word
    matter: Matter
    to_seq: Count = 0
    """Of a takeback: the record after which the game shall stand again."""
    waiting_for: Words


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A piece of a record that is too long for one message."""

    seq: Seq
    offset: Count
    total: Count
    data: Chunk


class News(Message, frozen=True, kw_only=True, tag="news", omit_defaults=True):
    """What follows the peer's record; empty when the wait ran out."""

    head: Seq
    """Last record of the host's log."""
    records: Chunks = ()
    """Whole records in order, as this seat may see them."""
    part: Part | None = None
    chat: Annotated[tuple[ChatLine, ...], msgspec.Meta(max_length=64)] = ()
    presence: Annotated[tuple[Presence, ...], msgspec.Meta(max_length=16)] = ()
    """Every seat's presence."""
    spectators: Count = 0
    offer: OpenOffer | None = None
    dials: Annotated[tuple[Dial, ...], msgspec.Meta(max_length=16)] = ()
    """What the clocks show now; empty without clocks."""
    transcript: Transcript | None = None
    """Of a match that has one; messages come only if no record does."""
    waiting_for: Words = ()
    """Seats whose messages have been missing for long."""
    may_stop: bool = False
    """Whether no message has arrived for so long that a seat may stop the match."""
    disk: Trouble = ""
    """Why the host's disk takes no records; empty while it does."""


class FullPart(Message, frozen=True, kw_only=True, tag="full-part"):
    """A piece of the host's record file, which holds everything that was hidden."""

    total: Count
    """Bytes of the file."""
    data: Chunk


class OutOfStep(Message, frozen=True, kw_only=True, tag="out-of-step"):
    """The views, or the logs, differ: go back to the agreed record and catch up again."""

    seq: Seq
    """Record after which the difference was noticed."""
    agreed_seq: Seq
    agreed_chain: Hash
    digest: Hash | None
    """The host's digest of the seat's view; None when already the logs differ."""
    records: Chunks
    """The end of the host's log as this seat may see it."""


class Accepted(Message, frozen=True, kw_only=True, tag="accepted"):
    """Done; for a command it is synced to the host's disk."""

    request_id: RequestId
    seq: Seq
    """Number of the record, or of the last one when none was written."""


class Refused(Message, frozen=True, kw_only=True, tag="refused"):
    """Not done; nothing changed."""

    request_id: RequestId
    code: Annotated[str, msgspec.Meta(max_length=32)]
    """One of ``illegal``, ``stale``, ``reused``, ``too-fast``, ``unavailable``, ``fault``."""
    text: Annotated[str, msgspec.Meta(max_length=1000)]
    refusals: Annotated[tuple[Refusal, ...], msgspec.Meta(max_length=32)] = ()


class Pong(Message, frozen=True, kw_only=True, tag="pong"):
    """Still here."""

    token: Count


class Bye(Message, frozen=True, kw_only=True, tag="bye"):
    """The connection ends here."""

    reason: Line
    again: bool
    """Whether it makes sense to connect again."""


Answer: TypeAlias = (
    Challenge | Waiting | Welcome | News | FullPart | OutOfStep | Accepted | Refused | Pong | Bye
)

_ENCODER = msgspec.msgpack.Encoder()
_POSTS: Final = msgspec.msgpack.Decoder(Post)
_QUESTIONS: Final[msgspec.msgpack.Decoder[Question]] = msgspec.msgpack.Decoder(Question)
_ANSWERS: Final[msgspec.msgpack.Decoder[Answer]] = msgspec.msgpack.Decoder(Answer)


def encode(message: Message) -> bytes:
    """Return the bytes of a message.

    All but the first word and the last are filled up (``netplay.padding``): those two a program of any version reads.
    """
    data = _ENCODER.encode(message)
    return data if isinstance(message, Hello | Bye) else fill(data)


def decode_question(data: bytes) -> Question:
    """Return the question in a frame from a peer.

    Raises:
        ProtocolError: It is none.
    """
    try:
        return decode(_QUESTIONS, bare(data), MOST_BYTES)
    except UnreadableError as error:
        problem = "the message cannot be read"
        raise ProtocolError(f"{problem}: {error}", logged=problem) from error


def decode_post(data: bytes) -> Post:
    """Return what the program of a seat sends in a match with a transcript.

    Raises:
        ProtocolError: The bytes are something else.
    """
    try:
        return decode(_POSTS, data, MAX_RECORD_BYTES)
    except UnreadableError as error:
        problem = "the message cannot be read"
        raise ProtocolError(f"{problem}: {error}", logged=problem) from error


def decode_answer(data: bytes) -> Answer:
    """Return the answer in a frame from a host.

    Raises:
        ProtocolError: It is none.
    """
    try:
        return decode(_ANSWERS, bare(data), MOST_BYTES)
    except UnreadableError as error:
        raise ProtocolError(f"the message cannot be read: {error}") from error


def version_problem(protocol: int, capabilities: tuple[str, ...], other: str) -> str:
    """Return why two programs cannot play together, empty when they can.

    Args:
        protocol: Number that the other side speaks.
        capabilities: What the other side can do.
        other: How to call the other side in the sentence.
    """
    if protocol != PROTOCOL:
        newer = "newer" if protocol > PROTOCOL else "older"
        return f"the {other} speaks protocol {protocol}, this program {PROTOCOL}; the {other} is {newer}"
    missing = [name for name in NEEDED if name not in capabilities]
    if missing:
        return f"the {other} lacks the capability {', '.join(missing)}"
    return ""
