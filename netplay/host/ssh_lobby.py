"""Finds one player's seats on an account that several players share over SSH.

The record of each match lists the players and their seats. The invites are in the host's folder, which players cannot
read.
"""

import datetime as dt
from pathlib import Path

import msgspec

from engine.kernel.errors import DataError, FlagplotError
from netplay.invites.invite_files import OWN_FOLDER, FoundInvite, find_invites
from netplay.invites.pending_match_file import read_match_header
from saves.headers import Header
from saves.logfile import SUFFIX


class SshSeat(msgspec.Struct, frozen=True, kw_only=True):
    """A seat that belongs to the player."""

    header: Header
    invite_file: FoundInvite


def seats_of(folder: Path, invites: Path, name: str) -> tuple[SshSeat, ...]:
    """Return a player's seats in a host's matches, most recently played first.

    Args:
        folder: The folder that contains the host's matches.
        invites: The folder that contains the invites to those matches.
        name: The player's name in the matches. Case is ignored.
    """
    invite_files = find_invites((invites, folder / OWN_FOLDER), dt.datetime.now(dt.UTC))
    seats = []
    for invite_file in invite_files:
        header = _match_header(folder, invite_file)
        if header is not None and _is_players_invite(header, invite_file, name):
            seats.append(SshSeat(header=header, invite_file=invite_file))
    return tuple(sorted(seats, key=lambda seat: -_last_modified(folder, seat)))


def _match_header(folder: Path, invite_file: FoundInvite) -> Header | None:
    if not invite_file.roles:
        return None
    try:
        return read_match_header(folder, invite_file.invites[0].match)
    except FlagplotError:
        return None


def _is_players_invite(header: Header, invite_file: FoundInvite, name: str) -> bool:
    """Return whether all roles in an invite belong to this player."""
    players = {seat.role: seat.player.casefold() for seat in header.seats}
    return all(players.get(role) == name.casefold() for role in invite_file.roles)


def _last_modified(folder: Path, seat: SshSeat) -> float:
    try:
        return (folder / f"{seat.header.match_id}{SUFFIX}").stat().st_mtime
    except OSError:
        return 0.0


def player_folder(base_folder: Path, name: str) -> Path:
    """Return the folder for a player's copies and settings.

    Raises:
        DataError: The name cannot be the name of a folder.
    """
    is_plain = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    if not is_plain or len(name) > 32:  # noqa: PLR2004 # longer than any account name
        problem = "a player's name may contain only letters, digits, - and _, at most 32 characters"
        raise DataError("--as", name, problem)
    return base_folder / name.casefold()
