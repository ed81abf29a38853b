"""Defines and recomputes evidence against an author or the host in a protocol 7 match.

See ``docs/fair-play.md``, section 10.

Programs show an accusation only after recomputing it from the evidence alone. If a message is not due at its anchor,
the evidence is against the host that indexed the message, not against the author. There is one exception: a seat that
opens a label is at fault if no message up to the anchor has made the opening due.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Final, Literal, NamedTuple, TypeAlias

import msgspec
from typing_extensions import override

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from saves.decoding import canonical, decode
from saves.errors import UnreadableError
from saves.fair.fold import fold, initial_fair_state, next_hash
from saves.fair.messages import (
    HOST,
    MAX_MESSAGE_BYTES,
    MAX_TRANSCRIPT_BYTES,
    Bytes32,
    Kind,
    Message,
    Name,
    SignedMessage,
    claimed_author,
    decode_message,
    slot_of,
)
from saves.fair.secrets import verify_signature
from saves.fair.seed_check import seed_problem
from saves.fair.signed_texts import BEFORE_FIRST, HostSignature, Index, is_ordered
from saves.fair.state import FairState, MatchSetup, MessageRefusal
from saves.headers import Header, encode_header
from saves.redaction import redact_header

SUFFIX: Final = ".evidence7"
MAX_CLAIMED: Final = 1 << 18
"""Maximum number of messages in an excerpt of a transcript.

The limit bounds the work, because every message must be hashed. Programs reject longer batches anyway.
"""
MessageBytes: TypeAlias = Annotated[bytes, msgspec.Meta(max_length=MAX_MESSAGE_BYTES)]
Charge: TypeAlias = Literal["E1", "E2", "E3", "E4", "E5"]


class EvidenceResult(NamedTuple):
    """The verdict on recomputed evidence."""

    charge: Charge | None
    """The proved charge; None if the accusation does not hold."""
    author: Role
    """The role at fault; empty if the host is at fault."""
    position: int
    """Index of the message that proves the fault."""
    problem: str

    @property
    def is_proven(self) -> bool:
        """Return whether the evidence proves a fault."""
        return self.charge is not None

    @override
    def __str__(self) -> str:
        if self.charge is None:
            return f"accusation does not hold: {self.problem}"
        return (
            f"{self.charge}, message {self.position}, {self.author or 'the host'}: {self.problem}"
        )


class _Part(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Base class for the structures in an evidence file."""


class OrderClaim(_Part, frozen=True, array_like=True):
    """Consecutive messages whose order the host has signed."""

    after: Index
    """Index of the message directly before :attr:`messages`."""
    head: Bytes32
    """Transcript hash after the message with index :attr:`after`."""
    messages: Annotated[tuple[MessageBytes, ...], msgspec.Meta(max_length=MAX_CLAIMED)]
    order: HostSignature
    """The host's signature over the transcript's order up to the last of these messages."""

    def hashes(self) -> dict[int, bytes]:
        """Return the transcript hash after each message, keyed by message index and starting at :attr:`after`."""
        hashes, head = {self.after: self.head}, self.head
        for index, data in enumerate(self.messages, self.after + 1):
            head = hashes[index] = next_hash(head, index, data)
        return hashes


class Equivocation(_Part, frozen=True, array_like=True, tag="two messages"):
    """Two different messages signed by one author for the same slot (E1)."""

    first: SignedMessage
    second: SignedMessage


class ConflictingOrders(_Part, frozen=True, array_like=True, tag="two orders"):
    """Two transcripts that differ at an index although the host has signed both (E1)."""

    first: OrderClaim
    second: OrderClaim


class RefusedMessage(_Part, frozen=True, array_like=True, tag="refused message"):
    """A message that is not valid at its position (E2, E3 or E4; E5 if a seed does not match its commitment)."""

    messages: tuple[SignedMessage, ...]
    """The transcript, starting with its first message."""
    order: HostSignature
    """The host's signature over the order up to the last of these messages; empty if there is no signature."""
    offending: SignedMessage | None
    """The refused message; None if it is in :attr:`messages`."""


class FalseSeed(_Part, frozen=True, array_like=True, tag="false seed"):
    """A transcript that contradicts a card seed revealed in it (E5)."""

    messages: tuple[SignedMessage, ...]
    """The transcript, starting with its first message and including the author's seed."""
    author: Name


Case: TypeAlias = Equivocation | ConflictingOrders | RefusedMessage | FalseSeed


class Evidence(_Part, frozen=True, array_like=True, tag="flagplot-evidence/7"):
    """The contents of an evidence file."""

    header: bytes
    """The match's header from :func:`evidence_header`."""
    case: Case

    def recompute(self, setup: MatchSetup) -> EvidenceResult:
        """Return the party that the evidence proves to be at fault in this match: an author, the host or nobody."""
        try:
            return _judge_case(setup, self.case)
        except _UnprovenError as error:
            return EvidenceResult(None, HOST, BEFORE_FIRST, str(error))


def evidence_header(header: Header) -> bytes:
    """Encode a match's header for evidence, without its secret and position. Anyone may receive such a file."""
    return encode_header(redact_header(header, None))


_EVIDENCE: Final = msgspec.msgpack.Decoder(Evidence)


def encode_evidence(evidence: Evidence) -> bytes:
    """Encode evidence as the contents of a file."""
    return canonical(evidence)


def decode_evidence(data: bytes) -> Evidence:
    """Decode an evidence file.

    Raises:
        UnreadableError: The bytes are not evidence in canonical form.
    """
    evidence: Evidence = decode(_EVIDENCE, data, MAX_TRANSCRIPT_BYTES)
    if canonical(evidence) != data:
        raise UnreadableError("the evidence is not in canonical form")
    return evidence


def recompute(
    evidence: Evidence, setup_of: Callable[[bytes], MatchSetup], known: bytes | None = None
) -> EvidenceResult:
    """Return the party proved to be at fault: an author, the host or nobody. Untrusted input never causes an error.

    Args:
        evidence: Evidence from a file.
        setup_of: Returns the match set-up that a header defines.
        known: Header hash of the match that the accusation must concern. If this is None, the verdict concerns only the
            keys in the evidence's own header, which anyone could have created.
    """
    try:
        setup = setup_of(evidence.header)
    except FlagplotError as error:
        return EvidenceResult(None, HOST, BEFORE_FIRST, f"its header is invalid: {error}")
    if known is not None and setup.header_hash != known:
        return EvidenceResult(None, HOST, BEFORE_FIRST, "it is about a different match")
    return evidence.recompute(setup)


class _UnprovenError(FlagplotError):
    """The evidence does not prove the charge."""


def _judge_case(setup: MatchSetup, case: Case) -> EvidenceResult:
    match case:
        case Equivocation():
            return _judge_equivocation(setup, case)
        case ConflictingOrders():
            return _judge_conflicting_orders(setup, case)
        case RefusedMessage(offending=None):
            return _judge_indexed(setup, case)
        case RefusedMessage(messages=messages, offending=offending):
            assert offending is not None, (
                "the case without an offending message must be handled above"
            )
            return _judge_not_indexed(setup, messages, offending)
        case FalseSeed():
            return _judge_false_seed(setup, case)


# -- E1


def _judge_equivocation(setup: MatchSetup, case: Equivocation) -> EvidenceResult:
    first, second = (_verify_signed(setup, signed) for signed in (case.first, case.second))
    if case.first.data == case.second.data:
        raise _UnprovenError("both messages are the same")
    if first.author != second.author or slot_of(first) != slot_of(second):
        raise _UnprovenError("the messages are not for the same slot of the same author")
    problem = f"two different messages for the same slot: {slot_of(first).group}"
    return EvidenceResult("E1", first.author, first.anchor, problem)


def _verify_signed(setup: MatchSetup, signed: SignedMessage) -> Message:
    """Decode a message and check its author's signature."""
    try:
        message = decode_message(setup.match_id, signed.data)
    except UnreadableError as error:
        raise _UnprovenError(f"a message is unreadable: {error}") from error
    if not is_authentic(setup, signed):
        raise _UnprovenError("a message is not signed by its author")
    return message


def is_authentic(setup: MatchSetup, signed: SignedMessage) -> bool:
    """Return whether the author that a message claims has signed it. The rest of the message may be unreadable."""
    try:
        key = setup.verify_key(claimed_author(setup.match_id, signed.data))
    except UnreadableError:
        return False
    return key is not None and verify_signature(key, signed.data, signed.signature)


def invalid_signature_index(setup: MatchSetup, case: Case) -> int | None:
    """If the case proves only that a signature is invalid, return the index of the signed message; otherwise None."""
    if not isinstance(case, RefusedMessage) or case.offending is not None:
        return None
    state = initial_fair_state(setup)
    for signed in case.messages:
        after = fold(state, signed)
        if isinstance(after, MessageRefusal):
            return None if is_authentic(setup, signed) else state.index + 1
        state = after
    return None


def _judge_conflicting_orders(setup: MatchSetup, case: ConflictingOrders) -> EvidenceResult:
    first, second = case.first.hashes(), case.second.hashes()
    for claim, hashes in ((case.first, first), (case.second, second)):
        last_index = claim.after + len(claim.messages)
        if not is_ordered(setup, last_index, hashes[last_index], claim.order):
            raise _UnprovenError("a transcript is not signed by the host")
    # Before the first message, the transcript hash is the header hash, which the host has not
    # signed.
    common_indexes = sorted((first.keys() & second) - {BEFORE_FIRST})
    index = next(
        (candidate for candidate in common_indexes if first[candidate] != second[candidate]), None
    )
    if index is None:
        raise _UnprovenError("the transcripts do not differ")
    return EvidenceResult("E1", HOST, index, "the host has signed two different transcripts")


# -- evidence of kinds E2 to E5


def _judge_indexed(setup: MatchSetup, case: RefusedMessage) -> EvidenceResult:
    """Find the first invalid message in a transcript, and return who is at fault: its author or the host."""
    messages = case.messages
    state = initial_fair_state(setup)
    for signed in messages:
        after = fold(state, signed)
        if isinstance(after, MessageRefusal):
            break
        state = after
    else:
        raise _UnprovenError("every message in the transcript is valid")
    index = state.index + 1
    # The author's fault is checked first, because it can be proved without the host's signature
    # over the order.
    verdict = _fault_of_author(setup, messages[:index], signed)
    if verdict is not None:
        return verdict
    hashes = OrderClaim(
        BEFORE_FIRST, setup.header_hash, tuple(signed.data for signed in messages), case.order
    ).hashes()
    last_index = len(messages) - 1
    if not is_ordered(setup, last_index, hashes[last_index], case.order):
        raise _UnprovenError("the host has not signed the order of this transcript")
    return EvidenceResult(
        "E3", HOST, index, f"the host has accepted an invalid message: {after.problem}"
    )


def _judge_not_indexed(
    setup: MatchSetup, messages: Sequence[SignedMessage], offending: SignedMessage
) -> EvidenceResult:
    verdict = _fault_of_author(setup, messages, offending)
    if verdict is None:
        raise _UnprovenError(
            "the message is not signed by its author, is valid at its anchor, or belongs to another transcript"
        )
    return verdict


def _fault_of_author(
    setup: MatchSetup, earlier_messages: Sequence[SignedMessage], signed: SignedMessage
) -> EvidenceResult | None:
    """Return the fault that a message proves against its author; None if it proves none.

    Args:
        setup: The match's set-up.
        earlier_messages: The transcript's messages, at least up to the anchor.
        signed: The message.
    """
    try:
        message = decode_message(setup.match_id, signed.data)
    except UnreadableError:
        return None
    if not is_authentic(setup, signed):
        return None
    anchor = BEFORE_FIRST if message.kind is Kind.SETUP else message.anchor
    state = _state_at(setup, earlier_messages, anchor)
    # If the anchor differs, the message may be valid in the history that the host showed its
    # author.
    if state is None or state.head != message.anchor_hash:
        return None
    after = fold(state, signed)
    if (
        not isinstance(after, MessageRefusal)
        or after.is_due_fault
        or after.author != message.author
    ):
        return None
    charges: dict[Kind, Charge] = {Kind.PROOF: "E4", Kind.SEED: "E5"}
    return EvidenceResult(charges.get(message.kind, "E2"), message.author, anchor, after.problem)


def _state_at(setup: MatchSetup, messages: Sequence[SignedMessage], index: int) -> FairState | None:
    """Return the state after the message at this index, or None if there is no such message."""
    if index >= len(messages):
        return None
    state = initial_fair_state(setup)
    for signed in messages[: index + 1]:
        after = fold(state, signed)
        if isinstance(after, MessageRefusal):
            return None
        state = after
    return state


def _judge_false_seed(setup: MatchSetup, case: FalseSeed) -> EvidenceResult:
    author = Role(case.author)
    state = _state_at(setup, case.messages, len(case.messages) - 1)
    if state is None or author not in state.seeds:
        raise _UnprovenError("the transcript is invalid or does not contain the author's card seed")
    fault = seed_problem(setup, case.messages, author, state.seeds[author])
    if fault is None:
        raise _UnprovenError("everything that was checked follows from the card seed")
    return EvidenceResult("E5", author, fault.position, fault.problem)
