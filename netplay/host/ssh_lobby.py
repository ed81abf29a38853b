"""Finds one player's seats when several players share an account.

Each match's record lists the players and their seats. The invites are in the host's folder, which players cannot read.
"""

import datetime as dt
from pathlib import Path

import msgspec

from engine.kernel.errors import DataError, FlagplotError
from netplay.invites.invite_files import OWN_FOLDER, FoundInvite, found_in
from netplay.invites.pending_match_file import header_in
from saves.headers import Header
from saves.logfile import SUFFIX


class DoorSeat(msgspec.Struct, frozen=True, kw_only=True):
    """A seat that the player may take."""

    header: Header
    found: FoundInvite


def seats_of(folder: Path, invites: Path, name: str) -> tuple[DoorSeat, ...]:
    """Return a player's seats in a host's matches, most recently played first.

    Args:
        folder: Folder with the host's matches.
        invites: Folder with the invites to those matches.
        name: The player's name in the matches; case is ignored.
    """
    found = found_in((invites, folder / OWN_FOLDER), dt.datetime.now(dt.UTC))
    seats = []
    for one in found:
        header = _header_of(folder, one)
        if header is not None and _is_his(header, one, name):
            seats.append(DoorSeat(header=header, found=one))
    return tuple(sorted(seats, key=lambda seat: -_played(folder, seat)))


def _header_of(folder: Path, found: FoundInvite) -> Header | None:
    if not found.roles:
        return None
    try:
        return header_in(folder, found.invites[0].match)
    except FlagplotError:
        return None


def _is_his(header: Header, found: FoundInvite, name: str) -> bool:
    """Return whether all of an invite's roles belong to this player."""
    players = {seat.role: seat.player.casefold() for seat in header.seats}
    return all(players.get(role) == name.casefold() for role in found.roles)


def _played(folder: Path, seat: DoorSeat) -> float:
    try:
        return (folder / f"{seat.header.match_id}{SUFFIX}").stat().st_mtime
    except OSError:
        return 0.0


def place_of(keep: Path, name: str) -> Path:
    """Return the folder for one player's copies and settings.

    Raises:
        DataError: The name cannot be used for a folder.
    """
    is_plain = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    if not is_plain or len(name) > 32:  # noqa: PLR2004 # longer than any account name
        problem = "a player's name may contain only letters, digits, - and _, at most 32 characters"
        raise DataError("--as", name, problem)
    return keep / name.casefold()
