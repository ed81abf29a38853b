"""Remembers the host of a seat's copy, and refuses invites that lead to another host.

A seat reports hidden cards to a host that deals. Anyone can write a file that looks like a new invite to the same seat
but leads to another host, so a copy is used only with the host that it came from.
"""

from pathlib import Path
from typing import Final

import msgspec

from netplay.wire.errors import InviteError
from saves.errors import StorageError
from saves.files import FILES, read_file, replace_file

SUFFIX: Final = ".host"
_MAX_BYTES: Final = 256


class KnownHost:
    """The host of one seat's copy, in a small file next to the copy."""

    def __init__(self, path: Path, fingerprint: str) -> None:
        """Set the path and the host without reading the file.

        Args:
            path: Path of the file.
            fingerprint: Fingerprint of the authority that issued the invite.
        """
        self._path = path
        self._fingerprint = fingerprint

    def check(self) -> None:
        """Check that the invite comes from the host of the copy. If the host is not known yet, accept any host.

        Raises:
            InviteError: The invite comes from another host.
            StorageError: The file cannot be read.
        """
        known = self._read()
        if known not in {None, self._fingerprint}:
            raise InviteError(
                str(self._path),
                "this invite is not from the host of your match, and using it could reveal your cards;"
                " ask your host, and delete this file only if the host has new keys",
            )

    def remember(self) -> None:
        """Store the host, unless one is already stored.

        Raises:
            StorageError: The file cannot be read or written.
        """
        if self._read() is not None:
            return
        try:
            replace_file(FILES, self._path, msgspec.json.encode(self._fingerprint))
        except OSError as error:
            raise StorageError(f"cannot save {self._path}: {error.strerror or error}") from error

    def _read(self) -> str | None:
        """Return the fingerprint in the file; None if there is no file. A damaged file matches no host."""
        try:
            return msgspec.json.decode(read_file(self._path, _MAX_BYTES), type=str)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(f"cannot read {self._path}: {error.strerror or error}") from error
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return ""
