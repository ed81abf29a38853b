"""Chooses the names of invite files, and finds the invites in a folder."""

import datetime as dt
import unicodedata
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

import msgspec

from engine.kernel.ids import Role
from netplay.invites.identity import SPECTATOR
from netplay.invites.invite import SUFFIX, Invite, check_valid_now, load_invites, write_invites
from netplay.wire.errors import InviteError
from play.seating import ROLE_SEPARATOR

OWN_FOLDER: Final = "own"
"""The subfolder of the hosting folder for the invites to the host's own seats."""
_MAX_NAME_LENGTH: Final = 32
_MAX_SAME_NAME: Final = 1_000
_MAX_FILES: Final = 200
"""Maximum number of invite files to read in a folder."""


def short_name(roles: Sequence[str | None], player: str) -> str:
    """Return a short file name for a person's invites: the player's name or, if there is none, the roles."""
    normalised = unicodedata.normalize("NFKC", player).lower()
    safe_name = "".join(letter if letter.isalnum() else "-" for letter in normalised).strip("-")
    return safe_name[:_MAX_NAME_LENGTH] or ROLE_SEPARATOR.join(role or SPECTATOR for role in roles)


def write_short_named(folder: Path, invites: Sequence[Invite], player: str) -> Path:
    """Write the invites for one person to a file with a short name, such as ``bob.invite``, and return the path.

    An older file with invites for the same seat is replaced. If another match uses the name, a number is added.

    Args:
        folder: Folder for the file.
        invites: One invite per role, all for the same match.
        player: The person's name; empty for spectators.

    Raises:
        InviteError: The folder cannot be written to.
    """
    name = short_name([invite.role for invite in invites], player)
    for number in range(1, _MAX_SAME_NAME):
        path = folder / f"{name}{f'-{number}' if number > 1 else ''}{SUFFIX}"
        if not _is_taken(path, invites):
            return write_invites(folder, invites, path.name)
    raise InviteError(str(folder), f"this folder has too many invites for {name}")


def _is_taken(path: Path, invites: Sequence[Invite]) -> bool:
    """Return whether this path is used by anything other than an older invite from the same host for the same seat.

    Anyone can write an invite with the match and role of another host's invite, so the hosts are compared too.
    """
    try:
        if not path.exists():
            return False
        existing_invites = load_invites(path)
    except (InviteError, OSError):
        # A file that cannot be read may be another player's invite, so it is never overwritten.
        return True
    is_same_host = existing_invites[0].authority == invites[0].authority
    return not is_same_host or seat_of_invites(existing_invites) != seat_of_invites(invites)


def seat_of_invites(invites: Sequence[Invite]) -> tuple[str, frozenset[str | None]]:
    """Return the match and the set of roles for which the invites were issued."""
    return invites[0].match, frozenset(invite.role for invite in invites)


class FoundInvite(msgspec.Struct, frozen=True, kw_only=True):
    """A file that appears to contain invites. All text in it is untrusted."""

    path: Path
    invites: tuple[Invite, ...] = ()
    """The invites in the file; empty if the file cannot be used."""
    problem: str = ""
    """The reason why the file cannot be used; empty if the file can be used."""

    @property
    def roles(self) -> tuple[Role, ...]:
        """Return the roles in the invites; empty for a spectator."""
        return tuple(Role(invite.role) for invite in self.invites if invite.role is not None)


def find_invites(folders: Collection[Path], now: dt.datetime) -> tuple[FoundInvite, ...]:
    """Return the invite files in these folders without duplicates. Within each folder, the newest comes first."""
    paths: dict[Path, Path] = {}
    for folder in folders:
        for path in _newest_files(folder):
            paths.setdefault(path.resolve(), path)
    return tuple(_read_invite_file(path, now) for path in paths.values())


def _newest_files(folder: Path) -> list[Path]:
    try:
        files = [path for path in folder.glob(f"*{SUFFIX}") if path.is_file()]
        # A file may be deleted before its modification time is read.
        files.sort(key=lambda path: (-path.stat().st_mtime, path))
    except OSError:
        return []
    return files[:_MAX_FILES]


def _read_invite_file(path: Path, now: dt.datetime) -> FoundInvite:
    try:
        invites = load_invites(path)
        for invite in invites:
            check_valid_now(invite, now, str(path))
    except InviteError as error:
        return FoundInvite(path=path, problem=error.problem)
    return FoundInvite(path=path, invites=invites)
