"""A move file: what stands open on it, and the messages in it, which are those of the network.

A seat sends what it would say over a line: where its copy ends, its commands, its chat. The judge sends the answers:
the header, verdicts, and records that the seat lacks. Both say everything again until the other side has shown that it
knows it, so a lost file costs nothing and a doubled one changes nothing.
"""

import zlib
from typing import Annotated, Final

import msgspec

from engine.kernel.ids import Role
from netplay.errors import NetworkError
from netplay.invites import MatchId, Name
from netplay.mail.armour import armoured
from netplay.mail.sealing import SealError, open_sealed, seal
from netplay.messages import CAPABILITIES, PROTOCOL, Count, Line, Words, version_problem
from play.standing_orders import StandingOrders
from saves.decoding import canonical, decode
from saves.errors import UnreadableError

LINE: Final = 0
"""The number that files have as a connection; they have none of their own."""
FORMAT: Final = 1
"""Number of the format of move files."""
MOST_BYTES: Final = 8 << 20
"""Bytes of a file as it is sent, and of its messages."""
_MOST_MESSAGES: Final = 20_000


class MoveFileError(NetworkError):
    """A move file that is not taken; nothing has changed."""

    exit_code = 3


class OtherMatchError(MoveFileError):
    """A move file of a match or a seat that is not known here."""


class Outside(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """What anybody may read on a move file."""

    format: int
    match: MatchId
    role: Name
    """The seat that it comes from or goes to."""
    to_judge: bool
    number: Annotated[int, msgspec.Meta(ge=1, lt=2**32)]
    """Counts the files of one sender to one reader."""


class MoveFile(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A move file as it travels."""

    outside: Outside
    sealed: Annotated[bytes, msgspec.Meta(max_length=MOST_BYTES)]

    @property
    def role(self) -> Role:
        """Return the seat that it comes from or goes to."""
        return Role(self.outside.role)


class Letter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a move file says to its reader."""

    protocol: Count
    capabilities: Words
    heard: Count
    """Number of the last file of the other side that was taken before this one was written."""
    messages: Annotated[tuple[bytes, ...], msgspec.Meta(max_length=_MOST_MESSAGES)]
    """As on the line: questions of a seat, answers of the judge."""
    name: Line = ""
    """What the judge is called."""
    orders: StandingOrders | None = None
    """What a seat wants answered for it without being asked."""


class Ends(msgspec.Struct, frozen=True, kw_only=True):
    """Whose key seals a file, and whose opens it."""

    own_key: str
    own: str
    """Certificate of the own key."""
    other: str
    """Certificate of the other side."""


_FILES: Final = msgspec.msgpack.Decoder(MoveFile)
_LETTERS: Final = msgspec.msgpack.Decoder(Letter)


def letter_of(
    messages: tuple[bytes, ...], heard: int, orders: StandingOrders | None = None, name: str = ""
) -> Letter:
    """Return a letter of this version of the program."""
    return Letter(
        protocol=PROTOCOL,
        capabilities=CAPABILITIES,
        heard=heard,
        messages=messages,
        name=name,
        orders=orders,
    )


def written(letter: Letter, outside: Outside, ends: Ends, lines: tuple[str, ...]) -> str:
    """Return a move file as text.

    Args:
        letter: What it says.
        outside: What stands open on it.
        ends: The keys of both sides.
        lines: Words above it for whoever sees the text.
    """
    content = zlib.compress(canonical(letter), 9)
    sealed = seal(content, canonical(outside), ends.own_key, ends.other)
    return armoured(canonical(MoveFile(outside=outside, sealed=sealed)), lines)


def read_outside(data: bytes) -> MoveFile:
    """Return the move file in the bytes of a block.

    Raises:
        MoveFileError: It is none, or of a newer format.
    """
    try:
        found = decode(_FILES, data, MOST_BYTES)
    except UnreadableError as error:
        raise MoveFileError("this is not a move file that this program can read") from error
    if found.outside.format != FORMAT:
        raise MoveFileError(
            f"this move file has format {found.outside.format}; this program reads format {FORMAT}"
        )
    return found


def opened(found: MoveFile, ends: Ends, sender: str) -> Letter:
    """Return what a move file says.

    Args:
        found: The file.
        ends: The keys of both sides.
        sender: Who must have sent it, for the sentence of an error.

    Raises:
        MoveFileError: It is not from there, not for this seat's present key, or of another version of the program.
    """
    outside = canonical(found.outside)
    try:
        content = open_sealed(found.sealed, outside, ends.own_key, ends.own, ends.other)
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(content, MOST_BYTES)
        letter = decode(_LETTERS, data, MOST_BYTES)
    except SealError as error:
        raise MoveFileError(
            f"this move file was not made with the keys of this seat and of {sender}:"
            " it is forged, or the seat was given a new invite meanwhile"
        ) from error
    except (zlib.error, UnreadableError) as error:
        raise MoveFileError(
            f"this program cannot read what {sender} wrote; one of both may be newer"
        ) from error
    problem = version_problem(letter.protocol, letter.capabilities, f"program of {sender}")
    if problem:
        raise MoveFileError(problem)
    return letter
