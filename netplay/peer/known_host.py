"""Remembers the host of a seat's copy, and refuses invites that lead to another host.

A seat reports hidden cards to a host that deals. Anyone can write a file that looks like a new invite to the same seat
but leads to another host, so a copy is used only with the host that it came from.
"""

from pathlib import Path
from typing import Final

import msgspec

from netplay.invites.identity import fingerprint, load_certificate
from netplay.invites.invite import Invite
from netplay.wire.errors import InviteError
from saves.errors import StorageError
from saves.files import FILES, read_file, replace_file

SUFFIX: Final = ".host"
_MAX_BYTES: Final = 256
_SHOWN_DIGITS: Final = 16
_DAMAGED: Final = (
    "this file stores the key of the host of your match, but it is damaged; make sure that your invite is from that"
    " host, for example by asking them, before you delete the file"
)


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
            InviteError: The invite comes from another host, or the file is damaged.
            StorageError: The file cannot be read.
        """
        known = self._read()
        if known == "":
            raise InviteError(str(self._path), _DAMAGED)
        if known is not None and known != self._fingerprint:
            raise InviteError("this invite", self._other_host_text(known))

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
        """Return the fingerprint in the file; None if there is no file, and an empty string if the file is damaged."""
        try:
            return msgspec.json.decode(read_file(self._path, _MAX_BYTES), type=str)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(f"cannot read {self._path}: {error.strerror or error}") from error
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return ""

    def _other_host_text(self, known: str) -> str:
        return (
            f"not from the host of your match (its key is {self._fingerprint[:_SHOWN_DIGITS]}, not"
            f" {known[:_SHOWN_DIGITS]}); using it could reveal your cards, so do not use it, even if its sender says"
            f" that the host has new keys; if your host confirms the new key when you ask them, delete {self._path}"
        )


def find_known_host(folder: Path, invite: Invite) -> KnownHost:
    """Return the host of a seat's copy, to compare it with the host that issued an invite to this seat.

    Args:
        folder: The folder of the copy.
        invite: The invite.
    """
    path = folder / f"{invite.match}.{invite.role}{SUFFIX}"
    return KnownHost(path, fingerprint(load_certificate(invite.authority)))
