"""Reads and writes the file for a match that has not begun (``MATCH.waiting``, mode 0600).

The file is in the folder where the record will be stored. It contains the header and the enrolments received so far.
The seats' commitments are added to the header only when the match begins.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

import msgspec

from saves.decoding import canonical, decode
from saves.errors import CorruptLogError, MatchError, StorageError, UnreadableError
from saves.fair.setup import party_message
from saves.fair.terms import FairParty, TimeLimits
from saves.files import FILES, read_file, replace_file
from saves.headers import Header, decode_header
from saves.logfile import SUFFIX as RECORD
from saves.logfile import read_header
from saves.records import MAX_RECORD_BYTES

SUFFIX: Final = ".waiting"
ENROL_CONTEXT: Final = b"flagplot enrolment 1\x00"
_OLD_FORMAT: Final = "this match was created by an earlier version of the program and has not begun; create a new one"
_MAX_BYTES: Final = MAX_RECORD_BYTES + (1 << 16)


class Enrolment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The enrolment of one seat."""

    promise: FairParty
    key: str
    """Fingerprint of the invite key with which the seat enrolled. A seat with a new key must enrol again."""


class WaitingMatch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The contents of the file."""

    flagplot_waiting: Literal[2] = 2
    header: bytes
    """The host's header without the commitments. It contains the secret if the host deals the cards."""
    enrolled: tuple[Enrolment, ...] = ()
    limits: TimeLimits = TimeLimits()
    """The time limits for messages between the programs, which apply once the match has begun."""


class _Version(msgspec.Struct):
    """The first field, which is the same in all versions of the file."""

    flagplot_waiting: int


_DECODER: Final = msgspec.msgpack.Decoder(WaitingMatch)
_VERSION: Final = msgspec.msgpack.Decoder(_Version)


def write_pending(folder: Path, match: str, waiting: WaitingMatch) -> None:
    """Write the file for a match that has not begun.

    Raises:
        StorageError: The write failed.
    """
    path = folder / f"{match}{SUFFIX}"
    try:
        replace_file(FILES, path, canonical(waiting))
    except OSError as error:
        raise StorageError(f"cannot save {path}: {error.strerror or error}") from error


def read_pending(path: Path) -> tuple[WaitingMatch, Header]:
    """Read the file for a match that has not begun. Return the contents and the header.

    Raises:
        StorageError: The file cannot be read.
        CorruptLogError: The file is damaged.
        MatchError: The file was written by an earlier version of the program.
    """
    try:
        data = read_file(path, _MAX_BYTES)
        if decode(_VERSION, data, _MAX_BYTES).flagplot_waiting == 1:
            raise MatchError(_OLD_FORMAT)
        waiting = decode(_DECODER, data, _MAX_BYTES)
        return waiting, decode_header(waiting.header)
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror or error}") from error
    except UnreadableError as error:
        raise CorruptLogError(path.name, 0, -1, str(error)) from error


def read_match_header(folder: Path, match: str) -> Header:
    """Return the header of a match in a hosting folder, even if the match has not begun.

    Raises:
        FlagplotError: There is no such match, or its file is damaged.
    """
    if is_pending(folder, match):
        return read_pending(folder / f"{match}{SUFFIX}")[1]
    return read_header(folder / f"{match}{RECORD}")


def is_pending(folder: Path, match: str) -> bool:
    """Return whether a match in a hosting folder has not begun yet and therefore has no record."""
    # Both files exist after a crash just as the match began. In that case, the match has begun.
    return (folder / f"{match}{SUFFIX}").exists() and not (folder / f"{match}{RECORD}").exists()


def pending_files(folder: Path) -> Iterator[Path]:
    """Yield the files of all matches in a folder that have not begun, sorted by name."""
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        if is_pending(folder, path.name.removesuffix(SUFFIX)):
            yield path


def signed_enrolment(match: str, promise: FairParty) -> tuple[bytes, ...]:
    """Return the parts of an enrolment that are signed with the invite's key."""
    return (party_message(match, promise), promise.proof)
