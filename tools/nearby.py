"""``flagplot join`` without an invite, line by line: the invites that lie here, and who hosts in this network."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from netplay.discovery.lan_browser import LanBrowser
from tui.clean import clean
from tui.invites import Seat, heard_lines, seat_for, seat_lines, seats_in

if TYPE_CHECKING:
    from netplay.mail.mail_store import MailStore

_LISTEN_SECONDS: Final = 3.0


async def nearby(
    office: "MailStore",
    tell: Callable[[str], None],
    *,
    interfaces: Sequence[str] = (),
    does_listen: bool = True,
) -> int:
    """Tell what can be joined here, and return the number of seats.

    Args:
        office: Where everything lies.
        tell: Takes each line.
        interfaces: Own addresses on which to listen; none for the usual one.
        does_listen: Whether the network is listened to.
    """
    seats = seats_in(office.invites, office.copies, office.own())
    folders = " and ".join(map(str, office.invites))
    tell(f"Invites in {folders}:" if seats else f"There is no invite in {folders}.")
    for seat in seats:
        for line in seat_lines(seat):
            tell(f"  {line}")
    if does_listen:
        await _tell_hosts(LanBrowser(interfaces), seats, tell)
    if seats:
        first = seats[0].path
        known = first.name if first.parent == _current_folder() else str(first)
        tell(f"To take a seat: flagplot join {known}")
    return len(seats)


def _current_folder() -> Path | None:
    """Return the current folder, None if it was deleted."""
    try:
        return Path.cwd()
    except OSError:
        return None


async def _tell_hosts(ear: LanBrowser, seats: Sequence[Seat], tell: Callable[[str], None]) -> None:
    tell("Listening for hosts in this network ...")
    deaf = await ear.start()
    try:
        await asyncio.sleep(0 if deaf else _LISTEN_SECONDS)
        heard = ear.heard
    finally:
        await ear.close()
    if deaf or not heard:
        tell(deaf or "Nobody in this network is hosting.")
    for one in heard:
        for line in heard_lines(one, seats):
            tell(f"  {line}")
        if seat_for(one, seats) is None:
            tell(
                f"    Ask {clean(one.said.host) or 'the host'} for an invite, a file that opens your seat."
            )
