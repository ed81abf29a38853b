"""Stores the current key for each seat, which is the key in the record or, if the invite was reissued, a later key.

The record contains the first key for each seat and never changes. Later keys are stored next to the record in a small
file (``MATCH.keys``), so that they survive a restart of the host.
"""

from pathlib import Path
from typing import Annotated, Final

import msgspec

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from saves.errors import StorageError
from saves.files import FILES, read_file, replace_file

SUFFIX: Final = ".keys"
_MAX_BYTES: Final = 16_384

_Fingerprint = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
_DECODER: Final = msgspec.json.Decoder(dict[str, _Fingerprint])


class SeatKeys:
    """The reissued keys in one match."""

    def __init__(self, path: Path) -> None:
        """Set the path of the key file. If there is no file, every seat still has its first key."""
        self.path = path
        self._version: tuple[int, int, int] | None = None
        """The file's modification time, inode and size at the last read; None before the first read."""
        self._newest: dict[str, str] = {}
        """For each seat, the newest key that this object has read."""
        self._older: set[tuple[str, str]] = set()
        """Seats with keys that have been replaced since this object first read them."""

    def fingerprint(self, role: Role, original: str) -> str:
        """Return the fingerprint of the current key for a seat.

        Args:
            role: The seat.
            original: The fingerprint of the seat's key in the record. It is returned if the invite was never reissued.

        Raises:
            DataError: The file is damaged. No key can be trusted in that case.
            StorageError: The file cannot be read.
        """
        return self._read().get(role, original)

    def replace(self, keys: dict[Role, str]) -> None:
        """Replace the seats' keys. After that, the older keys are refused.

        Raises:
            DataError: The file is damaged.
            StorageError: The write failed.
        """
        updated = self._read() | {str(role): fingerprint for role, fingerprint in keys.items()}
        try:
            replace_file(FILES, self.path, msgspec.json.encode(updated))
        except OSError as error:
            raise StorageError(f"cannot save {self.path}: {error.strerror or error}") from error

    def _read(self) -> dict[str, str]:
        try:
            file_status = self.path.stat()
            # Another process may reissue an invite while the host runs, so every greeting checks
            # the file for changes.
            version = file_status.st_mtime_ns, file_status.st_ino, file_status.st_size
            if self._version != version:
                self._update(_DECODER.decode(read_file(self.path, _MAX_BYTES)))
                self._version = version
        except FileNotFoundError:
            pass  # The keys read earlier remain valid.
        except OSError as error:
            raise StorageError(f"cannot read {self.path}: {error.strerror or error}") from error
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise DataError(str(self.path), "", "this match's key file is damaged") from error
        return self._newest

    def _update(self, keys: dict[str, str]) -> None:
        """Adopt the keys in the file, except those that have been replaced since.

        The file may have been deleted or restored from a backup. A replaced invite must not become valid again.
        """
        for role, key in keys.items():
            newest = self._newest.get(role, key)
            if (role, key) not in self._older:
                self._newest[role] = key
                if newest != key:
                    self._older.add((role, newest))
