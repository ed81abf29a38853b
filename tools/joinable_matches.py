"""``flagplot join --plain`` without an invite: list the invites on this machine and the hosts on the local network."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from netplay.discovery.lan_browser import LanBrowser
from tui.presenter.invite_list import (
    InviteEntry,
    host_lines,
    invite_for_host,
    invite_lines,
    list_invites,
)
from tui.terminal.sanitising import sanitise_line

if TYPE_CHECKING:
    from netplay.mail.mail_store import MailStore

_LISTEN_SECONDS: Final = 3.0


async def list_joinable(
    mail_store: "MailStore",
    report_line: Callable[[str], None],
    *,
    interfaces: Sequence[str] = (),
    does_listen: bool = True,
) -> int:
    """List the matches that can be joined. Return the number of invites listed.

    Args:
        mail_store: The mail store, which provides the folders.
        report_line: Receives each line.
        interfaces: Local addresses to listen on; empty for the default.
        does_listen: True to listen for hosts on the network.
    """
    seats = list_invites(mail_store.invites, mail_store.copies, mail_store.own_seats())
    folders = " and ".join(map(str, mail_store.invites))
    report_line(f"Invites in {folders}:" if seats else f"No invite was found in {folders}.")
    for seat in seats:
        for line in invite_lines(seat):
            report_line(f"  {line}")
    if does_listen:
        await _list_hosts(LanBrowser(interfaces), seats, report_line)
    if seats:
        first_path = seats[0].path
        file_text = first_path.name if first_path.parent == _current_folder() else str(first_path)
        report_line(f"To take a seat: flagplot join {file_text}")
    return len(seats)


def _current_folder() -> Path | None:
    """Return the current folder; None if it has been deleted."""
    try:
        return Path.cwd()
    except OSError:
        return None


async def _list_hosts(
    browser: LanBrowser, seats: Sequence[InviteEntry], report_line: Callable[[str], None]
) -> None:
    report_line("Searching for hosts on the local network ...")
    problem = await browser.start()
    try:
        await asyncio.sleep(0 if problem else _LISTEN_SECONDS)
        matches = browser.matches
    finally:
        await browser.close()
    if problem or not matches:
        report_line(problem or "No host was found on the local network.")
    for match in matches:
        for line in host_lines(match, seats):
            report_line(f"  {line}")
        if invite_for_host(match, seats) is None:
            report_line(
                f"    Ask {sanitise_line(match.announcement.host) or 'the host'} for an invite file for your seat."
            )
