"""Lists invites and announced hosts, and finds the invite for an announced host."""

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from engine import registry
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from netplay.discovery.announced_addresses import key_id
from netplay.invites.identity import SPECTATOR
from netplay.invites.invite_files import FoundInvite, find_invites, seat_of_invites
from netplay.mail.mail_store import is_by_mail
from play.games import format_age
from saves.logfile import SUFFIX
from tui.presenter.presenter import load_presenter
from tui.terminal.sanitising import sanitise_line

if TYPE_CHECKING:
    from netplay.discovery.lan_browser import DiscoveredMatch

_LINE_CELLS: Final = 76


class InviteEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An invite, with information about its match from this computer's files."""

    found: FoundInvite
    last_played: str = ""
    """When the match was last played, such as ``3 hours ago``; empty if it has never been played."""
    is_full_record: bool = False
    """True if the host's record is stored on this computer, which is possible only in play by move files."""

    @property
    def is_by_mail(self) -> bool:
        """True if the match is played by move files."""
        return bool(self.found.invites) and is_by_mail(self.found.invites)

    @property
    def path(self) -> Path:
        """Path of the invite file."""
        return self.found.path

    @property
    def places(self) -> tuple[str, ...]:
        """The host's addresses as ``ADDRESS:PORT``, in the order in which they are tried."""
        if not self.found.invites:
            return ()
        addresses = self.found.invites[0].addresses
        return tuple(address.partition("://")[2] for address in addresses)

    @property
    def host_key(self) -> str | None:
        """Id of the host's key; None if the file is unusable."""
        return key_id(self.found.invites[0].authority) if self.found.invites else None


def list_invites(
    folders: Sequence[Path], copies: Path, hosted: Sequence[FoundInvite] = ()
) -> tuple[InviteEntry, ...]:
    """Return the newest invite for each seat and host in the given folders. The most recently played match is first.

    Args:
        folders: Folders to search.
        copies: Folder with the copies of joined games.
        hosted: The player's own seats in move-file matches hosted on this computer.
    """
    current_time = dt.datetime.now(dt.UTC)
    in_folders = sorted(
        find_invites(folders, current_time), key=lambda one: -_modified_time(one.path)
    )
    found_invites = (*hosted, *in_folders)
    seats: dict[object, tuple[float, InviteEntry]] = {}
    for invite in found_invites:
        # Another host's invite for the same seat must not hide the invite from the match's own host.
        key: object = (
            (*seat_of_invites(invite.invites), invite.invites[0].authority)
            if invite.invites
            else invite.path
        )
        if key in seats:
            continue
        written = max((_modified_time(_copy_path(invite, copies)), 0.0)) if invite.invites else 0.0
        age = dt.datetime.now(dt.UTC).timestamp() - written
        age_text = format_age(age) if written else ""
        seats[key] = (
            written,
            InviteEntry(found=invite, last_played=age_text, is_full_record=invite in hosted),
        )
    ordered = sorted(seats.values(), key=lambda pair: (-pair[0], not pair[1].found.roles))
    return tuple(seat for _, seat in ordered)


def _copy_path(found_invite: FoundInvite, copies: Path) -> Path:
    first_invite = found_invite.invites[0]
    return copies / f"{first_invite.match}.{first_invite.role or SPECTATOR}{SUFFIX}"


def _modified_time(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _game_text(game: str, scenario: str = "") -> str:
    try:
        title = registry.ruleset(game).title
    except FlagplotError:
        title = game
    return ", ".join(filter(None, (title, scenario)))


def _role_text(game: str, roles: Sequence[Role]) -> str:
    try:
        presenter = load_presenter(registry.ruleset(game))
    except FlagplotError:
        return ", ".join(roles)
    return ", ".join(presenter.role_name(role) for role in roles)


def invite_lines(seat: InviteEntry) -> tuple[str, ...]:
    """Return an invite as lines for a list."""
    name = sanitise_line(seat.path.name, _LINE_CELLS)
    if not seat.found.invites:
        return name, sanitise_line(f"    {seat.found.problem}", _LINE_CELLS)
    game = seat.found.invites[0].game
    roles = _role_text(game, seat.found.roles) or "to watch"
    played_text = f"played {seat.last_played}" if seat.last_played else "new"
    match_text = f"{_game_text(game)}, {roles}"
    return (
        sanitise_line(match_text if seat.is_full_record else f"{name}: {match_text}", _LINE_CELLS),
        sanitise_line(f"    {played_text}, {_location_text(seat)}", _LINE_CELLS),
    )


def _location_text(seat: InviteEntry) -> str:
    if seat.is_by_mail:
        return "by move files; you host" if seat.is_full_record else "by move files"
    return f"at {', '.join(seat.places)}"


def invite_for_host(host: "DiscoveredMatch", seats: Sequence[InviteEntry]) -> InviteEntry | None:
    """Return the invite that seems to match an announced host, preferably for a free seat; None if no invite matches.

    The game and either the key or an address must match. An announcement can forge all three, but when a player joins,
    the host must prove that it has the invite's key.
    """
    free_roles = set(host.announcement.free.split(", "))

    def rank(seat: InviteEntry) -> tuple[bool, bool]:
        return not free_roles & set(seat.found.roles), not seat.found.roles

    matching_invites = [
        seat
        for seat in seats
        if seat.found.invites
        and seat.found.invites[0].game == host.announcement.game
        and (set(seat.places) & set(host.addresses) or seat.host_key == host.announcement.key)
    ]
    return min(matching_invites, key=rank, default=None)


def host_lines(host: "DiscoveredMatch", seats: Sequence[InviteEntry]) -> tuple[str, ...]:
    """Return an announced host as lines for a list. All text in the announcement is untrusted."""
    announcement = host.announcement
    free_roles = [Role(role) for role in announcement.free.split(", ") if role]
    seats_text = (
        f"waits for {_role_text(announcement.game, free_roles)}"
        if free_roles
        else "all seats taken"
    )
    invite = invite_for_host(host, seats)
    invite_text = invite.path.name if invite is not None else "you have no invite"
    game_text = _game_text(announcement.game, announcement.scenario)
    return (
        sanitise_line(f"{announcement.host or 'unnamed host'}: {game_text}", _LINE_CELLS),
        sanitise_line(f"    {seats_text}; {invite_text}", _LINE_CELLS),
    )
