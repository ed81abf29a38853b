"""Defines the texts that are signed outside a protocol 7 transcript: order, resumption and acknowledgement.

Each kind of text begins with its own tag, so a signature over one kind is never valid for another kind or for a
message.
"""

from typing import Annotated, Final, TypeAlias

import msgspec

from engine.kernel.ids import Role
from saves.fair.derivation import pack
from saves.fair.fold import next_hash
from saves.fair.messages import Bytes16, Bytes32, Bytes64, Name, SignedMessage
from saves.fair.secrets import verify_signature
from saves.fair.state import MatchSetup
from saves.fair.verification_cache import verify_signature_once

NONCE_BYTES: Final = 16
BEFORE_FIRST: Final = -1
"""The transcript index before the first message. At this index, the transcript hash is the header hash."""
Index: TypeAlias = Annotated[int, msgspec.Meta(ge=BEFORE_FIRST, lt=1 << 32)]
HostSignature: TypeAlias = Annotated[bytes, msgspec.Meta(max_length=64)]
"""The host's signature over the order; empty before the first message."""


class OrderSignature(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The host's signature over the order of all messages up to index :attr:`index`."""

    index: int
    signature: bytes


class SignedText(
    msgspec.Struct, frozen=True, kw_only=True, array_like=True, forbid_unknown_fields=True
):
    """Base class for a seat's signed statement about how far it has followed the transcript."""

    role: Name
    index: Index
    """Index of the last message that the seat has followed."""
    head: Bytes32
    """Transcript hash after that message."""
    signature: Bytes64


class Resume(SignedText, frozen=True, kw_only=True, array_like=True):
    """Sent by a seat that has just started. It asks the other seats how far the transcript extends."""

    nonce: Bytes16
    order: HostSignature


class Resumed(SignedText, frozen=True, kw_only=True, array_like=True):
    """A seat's response to :class:`Resume`."""

    nonce: Bytes16
    order: HostSignature
    """The host's signature over the same index and hash. Two contradictory signatures prove a fork."""


class Ack(SignedText, frozen=True, kw_only=True, array_like=True):
    """A seat's confirmation that it has followed the transcript up to a message."""


def order_message(match_id: str, index: int, head: bytes) -> bytes:
    """Return the bytes that the host signs for a transcript's order up to a message."""
    return pack(("flagplot-fair/7 order", match_id, index, head))


def resume_message(match_id: str, role: str, nonce: bytes, index: int, head: bytes) -> bytes:
    """Return the bytes that a seat signs for the request that it sends after starting."""
    return pack(("flagplot-fair/7 resume", match_id, role, nonce, index, head))


def resumed_message(match_id: str, role: str, nonce: bytes, index: int, head: bytes) -> bytes:
    """Return the bytes that a seat signs for its response to another seat's request."""
    return pack(("flagplot-fair/7 resumed", match_id, role, nonce, index, head))


def ack_message(match_id: str, role: str, index: int, head: bytes) -> bytes:
    """Return the bytes that a seat signs for an acknowledgement."""
    return pack(("flagplot-fair/7 ack", match_id, role, index, head))


def signed_bytes(match_id: str, text: Resume | Resumed | Ack) -> bytes:
    """Return the bytes that the text's signature covers."""
    match text:
        case Resume():
            return resume_message(match_id, text.role, text.nonce, text.index, text.head)
        case Resumed():
            return resumed_message(match_id, text.role, text.nonce, text.index, text.head)
        case Ack():
            return ack_message(match_id, text.role, text.index, text.head)


def is_signed(setup: MatchSetup, text: Resume | Resumed | Ack) -> bool:
    """Return whether the seat named in this text belongs to the match and has signed the text."""
    party = setup.party(Role(text.role))
    if party is None:
        return False
    return verify_signature(party.key, signed_bytes(setup.match_id, text), text.signature)


def is_ordered(setup: MatchSetup, index: int, head: bytes, signature: bytes) -> bool:
    """Return whether the host has signed a transcript's order up to a message.

    Before the first message, no signature exists, and the hash must be the header hash.
    """
    if index == BEFORE_FIRST:
        return head == setup.header_hash
    text = order_message(setup.match_id, index, head)
    return verify_signature_once(setup.host_key, text, signature)


class OrderedBatch(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Consecutive messages of a transcript, with the host's signature over their order."""

    after: Index
    """Index of the message directly before :attr:`messages`."""
    head: Bytes32
    """Transcript hash after the message with index :attr:`after`."""
    messages: tuple[SignedMessage, ...]
    order: HostSignature
    """The host's signature over the transcript's order up to the last message."""

    @property
    def last(self) -> int:
        """Return the index of the last message."""
        return self.after + len(self.messages)

    def hashes(self) -> list[bytes]:
        """Return the transcript hashes from :attr:`after` to :attr:`last`, inclusive."""
        hashes = [self.head]
        for index, signed in enumerate(self.messages, self.after + 1):
            hashes.append(next_hash(hashes[-1], index, signed.data))
        return hashes
