"""Stores a seat's master key and the hash of the header it has agreed to in a private file (protocol 7, section 2.8).

The file belongs to one role in one match and is locked while it is in use. The master key is written to disk before the
seat enrols, and the header hash before the seat agrees to the header.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple

import msgspec
from typing_extensions import override

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from netplay.journal.errors import SeatHaltedError, SeatInUseError
from saves.errors import LogInUseError, StorageError
from saves.fair.secrets import MASTER_BYTES, SeatSecrets
from saves.files import FILES, Files, read_file, replace_file
from saves.logfile import lock_path

SUFFIX: Final = ".seat7"
JOURNAL_SUFFIX: Final = ".journal7"
IN_USE: Final = "another program is using this seat"
_OTHER_TERMS: Final = (
    "the host has changed the mode, scenario, options, players or times since you joined"
)
_MAX_BYTES: Final = 4096
_HASH_BYTES: Final = 32
_MAX_NAME_LENGTH: Final = 128
_MAX_TIME: Final = 253_402_300_799
"""The latest valid time: the end of the year 9999, in Unix seconds."""


class Agreement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Records the host that a seat agreed to play with, and when. It is stored only for the player's information."""

    host: Annotated[str, msgspec.Meta(max_length=_MAX_NAME_LENGTH)]
    """Fingerprint of the invite's authority key."""
    time: Annotated[int, msgspec.Meta(ge=0, le=_MAX_TIME)]
    """Time of the agreement, in seconds since 1970."""
    game: Annotated[str, msgspec.Meta(max_length=_MAX_NAME_LENGTH)]
    scenario: Annotated[str, msgspec.Meta(max_length=_MAX_NAME_LENGTH)]
    """Scenario id; empty for a custom position."""

    @classmethod
    def truncated(cls, host: str, time: float, game: str, scenario: str) -> "Agreement":
        """Create an agreement whose overlong names are truncated."""
        names = {"game": game[:_MAX_NAME_LENGTH], "scenario": scenario[:_MAX_NAME_LENGTH]}
        return cls(host=host, time=min(max(int(time), 0), _MAX_TIME), **names)


class AgreedSeat(NamedTuple):
    """A seat whose private file records an agreement."""

    match: str
    role: Role
    agreement: Agreement


class _Content(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    flagplot_seat: Literal[7] = 7
    match: str
    role: str
    master: Annotated[bytes, msgspec.Meta(min_length=MASTER_BYTES, max_length=MASTER_BYTES)]
    header: Annotated[bytes, msgspec.Meta(max_length=_HASH_BYTES)] = b""
    """Hash of the header that the seat has agreed to; empty until the seat agrees."""
    terms: Annotated[bytes, msgspec.Meta(max_length=_HASH_BYTES)] = b""
    """Hash of the terms that the host showed when the seat enrolled; empty in files of earlier versions."""
    agreed: Agreement | None = None
    """The host and time of the agreement; None before the seat agrees or if the host is unknown."""

    @override
    def __repr__(self) -> str:
        return f"private file of {self.role}"  # The master key must never appear in a log.


class PrivateFile:
    """One seat's private file, locked until :meth:`close`."""

    def __init__(self, path: Path, match_id: str, role: Role, files: Files = FILES) -> None:
        """Lock the file and, if it exists, read it.

        Raises:
            SeatInUseError: Another program has locked the file.
            DataError: The file is damaged or belongs to another match or role.
            StorageError: The file cannot be read.
        """
        # The path is resolved, so that two links to the same private file use the same lock.
        self.path: Final = Path(os.path.realpath(path))
        self.match_id: Final = match_id
        self.role: Final = role
        self.files: Final = files
        self._secrets: SeatSecrets | None = None
        try:
            self._lock = lock_path(self.path)
        except LogInUseError as error:
            raise SeatInUseError(IN_USE, error) from error
        try:
            self._content = self._read()
        except BaseException:
            self.close()
            raise

    @property
    def journal_path(self) -> Path:
        """Return the path of the seat's journal, in the same folder as this file."""
        return self.path.with_name(self.path.name.removesuffix(SUFFIX) + JOURNAL_SUFFIX)

    @property
    def is_enrolled(self) -> bool:
        """Return whether the seat has a master key in this file."""
        return self._content is not None

    @property
    def header_hash(self) -> bytes:
        """Return the hash of the header that the seat has agreed to; empty until the seat agrees."""
        return b"" if self._content is None else self._content.header

    @property
    def secrets(self) -> SeatSecrets:
        """Return the seat's secrets. The seat must be enrolled."""
        content = self._content
        assert content is not None, "the seat must have enrolled"
        if self._secrets is None:
            self._secrets = SeatSecrets(self.match_id, self.role, content.master)
        return self._secrets

    def enrol(self, terms: bytes = b"") -> SeatSecrets:
        """Return the seat's secrets. The first call creates them and writes them to disk.

        Args:
            terms: Hash of the match's terms. Later calls must have the same terms, because the player has joined the
                match under them.

        Raises:
            DataError: The file is missing, but the journal shows that the seat has already signed messages.
            SeatHaltedError: The seat has enrolled under other terms.
            StorageError: The file cannot be written.
        """
        if self._content is None:
            # New keys would not match the header or the messages that the seat has already signed.
            if self.journal_path.exists():
                problem = "this seat's private file is missing; restore it before you continue"
                raise DataError(str(self.path), "", problem)
            master = secrets.token_bytes(MASTER_BYTES)
            self._write(_Content(match=self.match_id, role=self.role, master=master, terms=terms))
        elif not self._content.terms and terms:
            self._write(msgspec.structs.replace(self._content, terms=terms))
        elif self._content.terms != terms:
            raise SeatHaltedError(_OTHER_TERMS)
        return self.secrets

    @property
    def agreement(self) -> Agreement | None:
        """Return the host and time of the agreement; None before the seat agrees, or if the host is unknown."""
        return None if self._content is None else self._content.agreed

    def agree(self, header_hash: bytes, agreement: Agreement | None = None) -> None:
        """Store the hash of the match header before the seat agrees to it.

        Args:
            header_hash: Hash of the header.
            agreement: The host and time of the agreement; None if the host is unknown. Only the first agreement is
                kept.

        Raises:
            SeatHaltedError: The seat has already agreed to another header.
            StorageError: The file cannot be written.
        """
        content = self._content
        assert content is not None, "the seat must have enrolled"
        if content.header == header_hash:
            return
        if content.header:
            raise SeatHaltedError("this seat has agreed to a different set-up of this match")
        self._write(msgspec.structs.replace(content, header=header_hash, agreed=agreement))

    def close(self) -> None:
        """Release the lock. Further calls have no effect."""
        self._lock.release()

    def _read(self) -> _Content | None:
        try:
            data = read_file(self.path, _MAX_BYTES)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(f"cannot read {self.path}: {error.strerror or error}") from error
        try:
            content = msgspec.json.decode(data, type=_Content)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise DataError(str(self.path), "", "the private file is damaged") from error
        if (content.match, content.role) != (self.match_id, self.role):
            problem = "this is the private file of another match or role"
            raise DataError(str(self.path), "", problem)
        if os.name != "nt" and self.path.stat().st_mode & 0o077:
            with suppress(OSError):  # A copied file may be readable by other users.
                self.path.chmod(0o600)
        return content

    def _write(self, content: _Content) -> None:
        try:
            replace_file(self.files, self.path, msgspec.json.encode(content))
        except OSError as error:
            reason = error.strerror or error
            raise StorageError(f"cannot write {self.path} on this computer: {reason}") from error
        self._content = content


def read_agreement(path: Path) -> AgreedSeat | None:
    """Return the agreement in a private file without taking a lock.

    The result is None if the seat has not agreed, or if the file is damaged, unreadable or named after another seat.
    """
    try:
        content = msgspec.json.decode(read_file(path, _MAX_BYTES), type=_Content)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    is_own = path.name == f"{content.match}.{content.role}{SUFFIX}"
    if not is_own or not content.header or content.agreed is None:
        return None
    return AgreedSeat(content.match, Role(content.role), content.agreed)
