"""Which key a seat belongs to: that of the record, or the one of an invite that was issued again since.

The record names the first key of each seat and never changes. What came later stands in a small file beside it
(``MATCH.keys``), which outlives the host as the record does.
"""

from pathlib import Path
from typing import Annotated, Final

import msgspec

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from saves.errors import StorageError
from saves.files import FILES, read_file, replace_file

SUFFIX: Final = ".keys"
_MOST_BYTES: Final = 16_384

_Fingerprint = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
_DECODER: Final = msgspec.json.Decoder(dict[str, _Fingerprint])


class SeatKeys:
    """The later keys of one match."""

    def __init__(self, path: Path) -> None:
        """Read and write this file; without it every seat has its first key."""
        self.path = path
        self._known: tuple[tuple[int, int, int], dict[str, str]] | None = None
        """What the file held, and how the disk told it from others then."""

    def of(self, role: Role, first: str) -> str:
        """Return the fingerprint of the key that opens a seat today.

        Args:
            role: The seat.
            first: Fingerprint of its key in the record.

        Raises:
            DataError: The file is damaged; nobody may be let in by a guess.
            StorageError: It cannot be read.
        """
        return self._read().get(role, first)

    def replace(self, keys: dict[Role, str]) -> None:
        """Give seats other keys; whoever comes with an older one stays outside.

        Raises:
            DataError: The file is damaged.
            StorageError: The disk refused.
        """
        later = self._read() | {str(role): fingerprint for role, fingerprint in keys.items()}
        try:
            replace_file(FILES, self.path, msgspec.json.encode(later))
        except OSError as error:
            raise StorageError(f"cannot keep {self.path}: {error.strerror or error}") from error

    def _read(self) -> dict[str, str]:
        try:
            at = self.path.stat()
            version = at.st_mtime_ns, at.st_ino, at.st_size
            if self._known is None or self._known[0] != version:
                self._known = version, _DECODER.decode(read_file(self.path, _MOST_BYTES))
            return self._known[1]
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise StorageError(f"cannot read {self.path}: {error.strerror or error}") from error
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise DataError(str(self.path), "", "the keys of this match are damaged") from error
