"""Defines the move file, which has a public header and encrypted network messages as its content.

A seat sends what it would send over a connection: the state of its copy, its commands and its chat. The host replies
with the header, its replies to the commands, and the records that the seat does not have. Each side repeats everything
that the other side has not confirmed yet. A lost file therefore does no harm, and a duplicate has no effect.
"""

import zlib
from typing import Annotated, Final

import msgspec

from engine.kernel.ids import Role
from netplay.invites.invite import MatchId, Name
from netplay.mail.move_files.sealing import SealError, open_sealed, seal
from netplay.mail.move_files.text_armour import armour
from netplay.wire.errors import NetworkError
from netplay.wire.messages import CAPABILITIES, PROTOCOL, Count, Line, Words, version_problem
from play.standing_orders import StandingOrders
from saves.decoding import canonical, decode
from saves.errors import UnreadableError

CONNECTION_ID: Final = 0
"""The connection number used for requests from move files, which do not arrive on a connection."""
FORMAT: Final = 1
"""Version of the move file format."""
_MAX_NUMBER: Final = 2**32 - 1
MAX_BYTES: Final = 8 << 20
"""Maximum size in bytes of an encoded file, and of its uncompressed messages."""
_MAX_MESSAGES: Final = 20_000


class MoveFileError(NetworkError):
    """A move file was rejected. Nothing has changed."""

    exit_code = 3


class OtherMatchError(MoveFileError):
    """A move file belongs to a match or seat that is not on this computer."""


class Envelope(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A move file's unencrypted header."""

    format: int
    match: MatchId
    role: Name
    """The seat that sends or receives the file."""
    to_judge: bool
    number: Annotated[int, msgspec.Meta(ge=1, le=_MAX_NUMBER)]
    """Sequence number of the file, counted for each sender and recipient."""


class MoveFile(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A move file whose content is still encrypted."""

    outside: Envelope
    sealed: Annotated[bytes, msgspec.Meta(max_length=MAX_BYTES)]

    @property
    def role(self) -> Role:
        """Return the seat that sends or receives the file; the other side is the host."""
        return Role(self.outside.role)


class MovePayload(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The decrypted content of a move file."""

    protocol: Count
    capabilities: Words
    heard: Annotated[int, msgspec.Meta(ge=0, le=_MAX_NUMBER)]
    """Number of the last file that the sender had accepted from the other side."""
    messages: Annotated[tuple[bytes, ...], msgspec.Meta(max_length=_MAX_MESSAGES)]
    """Network messages: requests from a seat, or replies from the host."""
    name: Line = ""
    """The host's name; empty in a seat's file."""
    orders: StandingOrders | None = None
    """Standing orders that the host uses to answer for the seat; None in a host's file."""


class ExchangeCertificates(msgspec.Struct, frozen=True, kw_only=True):
    """The certificates of the two sides that exchange files, and this side's private key."""

    own_key: str
    own: str
    """The certificate for this side's key."""
    other: str
    """The certificate for the other side's key."""


_FILE_DECODER: Final = msgspec.msgpack.Decoder(MoveFile)
_PAYLOAD_DECODER: Final = msgspec.msgpack.Decoder(MovePayload)


def new_payload(
    messages: tuple[bytes, ...], heard: int, orders: StandingOrders | None = None, name: str = ""
) -> MovePayload:
    """Build a payload with this program's protocol version and capabilities."""
    return MovePayload(
        protocol=PROTOCOL,
        capabilities=CAPABILITIES,
        heard=heard,
        messages=messages,
        name=name,
        orders=orders,
    )


def format_move_file(
    payload: MovePayload,
    envelope: Envelope,
    certificates: ExchangeCertificates,
    lines: tuple[str, ...],
) -> str:
    """Return a move file as text.

    Args:
        payload: The contents of the file.
        envelope: The file's unencrypted header.
        certificates: The keys of both sides.
        lines: Explanatory lines for people, placed above the block.
    """
    content = zlib.compress(canonical(payload), 9)
    sealed = seal(content, canonical(envelope), certificates.own_key, certificates.other)
    return armour(canonical(MoveFile(outside=envelope, sealed=sealed)), lines)


def decode_move_file(data: bytes) -> MoveFile:
    """Decode the move file in a text block, but leave its content encrypted.

    Raises:
        MoveFileError: The block is not a move file, or its format is not supported.
    """
    try:
        move_file = decode(_FILE_DECODER, data, MAX_BYTES)
    except UnreadableError as error:
        raise MoveFileError("this program cannot read this move file") from error
    if move_file.outside.format != FORMAT:
        raise MoveFileError(
            f"this move file has format {move_file.outside.format}; this program reads format {FORMAT}"
        )
    return move_file


def open_payload(
    move_file: MoveFile, certificates: ExchangeCertificates, sender: str
) -> MovePayload:
    """Decrypt a move file and return its content.

    Args:
        move_file: The file.
        certificates: The keys of both sides.
        sender: The expected sender, for error messages.

    Raises:
        MoveFileError: The file is not from this sender, not for this seat's current key, or from an incompatible
            version of the program.
    """
    envelope = canonical(move_file.outside)
    try:
        content = open_sealed(
            move_file.sealed, envelope, certificates.own_key, certificates.own, certificates.other
        )
        unpacker = zlib.decompressobj()
        # The limit prevents a small file from expanding to gigabytes.
        data = unpacker.decompress(content, MAX_BYTES)
        payload = decode(_PAYLOAD_DECODER, data, MAX_BYTES)
    except SealError as error:
        raise MoveFileError(
            f"this move file was not made with the keys for this seat and {sender}:"
            " it is forged, or the seat has been given a new invite"
        ) from error
    except (zlib.error, UnreadableError) as error:
        raise MoveFileError(
            f"this program cannot read what {sender} wrote; one of the two programs may be newer"
        ) from error
    problem = version_problem(payload.protocol, payload.capabilities, f"program of {sender}")
    if problem:
        raise MoveFileError(problem)
    return payload
