"""``flagplot join --plain`` without an invite: list the invites on this machine and the hosts on the local network."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from netplay.discovery.lan_browser import LanBrowser
from tui.invites import InviteEntry, host_lines, invite_for_host, invite_lines, list_invites
from tui.terminal.sanitising import sanitise_line

if TYPE_CHECKING:
    from netplay.mail.mail_store import MailStore

_LISTEN_SECONDS: Final = 3.0


async def list_joinable(
    office: "MailStore",
    tell: Callable[[str], None],
    *,
    interfaces: Sequence[str] = (),
    does_listen: bool = True,
) -> int:
    """List the matches that can be joined, and return the number of seats listed.

    Args:
        office: The mail store, which provides the folders.
        tell: Receives each line.
        interfaces: Local addresses to listen on; empty for the default.
        does_listen: True to listen for hosts on the network.
    """
    seats = list_invites(office.invites, office.copies, office.own_seats())
    folders = " and ".join(map(str, office.invites))
    tell(f"Invites in {folders}:" if seats else f"No invite was found in {folders}.")
    for seat in seats:
        for line in invite_lines(seat):
            tell(f"  {line}")
    if does_listen:
        await _list_hosts(LanBrowser(interfaces), seats, tell)
    if seats:
        first = seats[0].path
        known = first.name if first.parent == _current_folder() else str(first)
        tell(f"To take a seat: flagplot join {known}")
    return len(seats)


def _current_folder() -> Path | None:
    """Return the current folder; None if it has been deleted."""
    try:
        return Path.cwd()
    except OSError:
        return None


async def _list_hosts(
    browser: LanBrowser, seats: Sequence[InviteEntry], tell: Callable[[str], None]
) -> None:
    tell("Searching for hosts on the local network ...")
    deaf = await browser.start()
    try:
        await asyncio.sleep(0 if deaf else _LISTEN_SECONDS)
        heard = browser.matches
    finally:
        await browser.close()
    if deaf or not heard:
        tell(deaf or "No host was found on the local network.")
    for one in heard:
        for line in host_lines(one, seats):
            tell(f"  {line}")
        if invite_for_host(one, seats) is None:
            tell(
                f"    Ask {sanitise_line(one.announcement.host) or 'the host'} for an invite file for your seat."
            )
