"""The screen for joining a match. It lists the invites on this computer and the hosts on the local network."""

import asyncio
import contextlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.events import Paste
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option
from typing_extensions import override

from engine.kernel.errors import FlagplotError
from netplay.invites.invite import expand_path, load_invites
from netplay.invites.invite_files import OWN_FOLDER, write_short_named
from netplay.mail.mail_store import MailStore, SeatedMatch, read_text
from netplay.mail.move_files.text_armour import find_blocks
from netplay.mail.session import save_files
from saves.folders import hosted_folder, mail_folder
from tui.presenter.invite_list import (
    InviteEntry,
    host_lines,
    invite_for_host,
    invite_lines,
    list_invites,
)
from tui.screens.dialogs.prompt import LineDialog, TextDialog
from tui.terminal.sanitising import sanitise_line, sanitised_content
from tui.widgets.base_screens import BaseScreen

if TYPE_CHECKING:
    from netplay.discovery.lan_browser import DiscoveredMatch, LanBrowser

_REFRESH_SECONDS: Final = 0.5
_ANSWERED_SECONDS: Final = 3.0
"""Seconds after which all hosts on the network should have answered."""
_MAX_FILES_TO_CHECK: Final = 20
SEND: Final = "Send it by mail or chat, as a file or as text. Only the recipient can open it."
"""Instructions for sending a move file."""
_LINE_CELLS: Final = 76
_HOW_CELLS: Final = 600
_NO_INVITES: Final = (
    "There is no invite here yet. Put the file from your host into one of these folders."
)


class JoinScreen(BaseScreen):
    """Lists invites and hosts. The player can take a new seat or return to an earlier one."""

    HEADING = "Join"
    DEFAULT_CSS = """
    JoinScreen .where { height: auto; padding: 0 1 1 1; }
    JoinScreen OptionList { height: 1fr; margin: 0 1; }
    JoinScreen OptionList > .option-list--option-disabled { color: $foreground; text-style: bold; }
    JoinScreen .how { height: 4; padding: 0 1; }
    """
    BINDINGS = [
        Binding("enter", "take", "Take the seat", show=False),
        Binding("f", "file", "Another file"),
        Binding("t", "take_moves", "Read a move file"),
        Binding("s", "send_moves", "Write a move file"),
        Binding("u", "look", "Refresh"),
        Binding("escape", "app.pop_screen", "Back"),
    ]

    def __init__(
        self,
        folders: Sequence[Path],
        copies: Path,
        browser: "LanBrowser | None",
        hosted: Path | None = None,
    ) -> None:
        """Create the screen.

        Args:
            folders: Folders to search for invites.
            copies: Folder with the copies of joined games.
            browser: Finds hosts on the network, and is closed with the screen. None if the settings forbid the search.
            hosted: Folder of the matches hosted on this computer; None for the account's default folder.
        """
        super().__init__()
        self._mail_store = MailStore(
            hosted=hosted or hosted_folder(), invites=tuple(folders), copies=copies
        )
        self._folders = tuple(folders)
        self._copies = copies
        self._browser = browser
        self._listens_since = time.monotonic()
        self._shown_heading = ""
        """The displayed heading of the host list."""
        self._discovery_problem = ""
        """Reason why the network cannot be searched for hosts; empty if it can be searched."""
        self.seats: tuple[InviteEntry, ...] = ()
        self.discovered: tuple[DiscoveredMatch, ...] = ()

    @override
    def body(self) -> ComposeResult:
        """Compose the folders, the list and the instructions for the highlighted line."""
        places = "\n".join(sanitise_line(str(folder), _LINE_CELLS) for folder in self._folders)
        yield Static(Content(f"Invites in\n{places}"), classes="where", markup=False)
        yield OptionList(markup=False)
        yield Static("", classes="how", markup=False)

    async def on_mount(self) -> None:
        """Read the folders and start listening for hosts."""
        self.query_one(OptionList).focus()
        if self._browser is not None:
            self._discovery_problem = await self._browser.start()
            self.set_interval(_REFRESH_SECONDS, self.show_hosts)
        self.action_look()

    async def on_unmount(self) -> None:
        """Stop listening."""
        if self._browser is not None:
            await self._browser.close()

    def on_screen_resume(self) -> None:
        """Read the folders again, for example after a game."""
        self.action_look()

    @work(exclusive=True, group="look")
    async def action_look(self) -> None:
        """Read the folders again."""
        self.seats = await asyncio.to_thread(self._find_seats)
        if self.query(OptionList):  # the screen is still open
            self._fill()

    def _find_seats(self) -> tuple[InviteEntry, ...]:
        return list_invites(self._folders, self._copies, self._mail_store.own_seats())

    def show_hosts(self) -> None:
        """Show the hosts currently announced on the network."""
        discovered = self._browser.matches if self._browser is not None else ()
        if discovered != self.discovered or self._heading() != self._shown_heading:
            self.discovered = discovered
            self._fill()

    # -- rows

    def _fill(self) -> None:
        rows = self.query_one(OptionList)
        row_index = rows.highlighted
        chosen_id = "" if row_index is None else str(rows.get_option_at_index(row_index).id)
        rows.set_options(self._options())
        ids = [str(option.id) for option in rows.options]
        first_id = next((str(option.id) for option in rows.options if not option.disabled), "")
        if first_id:
            rows.highlighted = ids.index(chosen_id if chosen_id in ids else first_id)
        self._show_instructions()

    def _options(self) -> Iterator[Option]:
        if not self.seats:
            yield Option(_NO_INVITES, disabled=True)
        for index, seat in enumerate(self.seats):
            yield Option(Content("\n".join(invite_lines(seat))), id=f"seat:{index}")
        if self._browser is None:
            return
        yield Option("", disabled=True)
        self._shown_heading = self._heading()
        yield Option(
            Content(sanitise_line(self._discovery_problem or self._shown_heading, _LINE_CELLS)),
            disabled=True,
        )
        for index, match in enumerate(self.discovered):
            yield Option(Content("\n".join(host_lines(match, self.seats))), id=f"host:{index}")

    def _heading(self) -> str:
        if self.discovered:
            return "Hosts on this network"
        is_new = time.monotonic() - self._listens_since < _ANSWERED_SECONDS
        return "Listening for hosts ..." if is_new else "There are no hosts on this network."

    def _selected_entry(self) -> "InviteEntry | DiscoveredMatch | None":
        rows = self.query_one(OptionList)
        row_index = rows.highlighted
        if row_index is None:
            return None
        kind, _, index = str(rows.get_option_at_index(row_index).id).partition(":")
        if kind == "seat":
            return self.seats[int(index)]
        return self.discovered[int(index)] if kind == "host" else None

    @on(OptionList.OptionHighlighted)
    def _show_instructions(self) -> None:
        selected_entry = self._selected_entry()
        instructions = ""
        if isinstance(selected_entry, InviteEntry):
            instructions = selected_entry.found.problem or _seat_instructions(selected_entry)
        elif selected_entry is not None:
            invite = invite_for_host(selected_entry, self.seats)
            instructions = (
                _seat_instructions(invite)
                if invite is not None
                else _host_instructions(selected_entry)
            )
        self.query_one(".how", Static).update(sanitised_content(instructions, _HOW_CELLS))

    # -- keys

    @on(OptionList.OptionSelected)
    def handle_selection(self) -> None:
        """Take the seat of the chosen line."""
        self.action_take()

    def action_take(self) -> None:
        """Take the seat of the highlighted invite or, on a host's line, of the invite for that host."""
        selected_entry = self._selected_entry()
        seat = (
            selected_entry
            if isinstance(selected_entry, InviteEntry) or selected_entry is None
            else invite_for_host(selected_entry, self.seats)
        )
        if seat is None or seat.found.problem:
            self.show_message(
                "You have no invite for that match." if seat is None else seat.found.problem
            )
            return
        self._open(seat.path)

    def _is_in_searched_folder(self, file: Path) -> bool:
        """Return whether an invite is in one of the folders that are always searched."""
        folders = (self._folders[0], self._mail_store.hosted / OWN_FOLDER)
        return file.parent.resolve() in {folder.resolve() for folder in folders}

    @work
    async def action_file(self) -> None:
        """Ask for an invite file in another folder, and take its seat."""
        text = await self.app.push_screen_wait(LineDialog("Invite file"))
        if text:
            self._open(Path(text))

    # -- move files

    @on(Paste)
    def pasted(self, event: Paste) -> None:
        """Read a move file that was pasted as text."""
        # every move file contains this word in its first and last line
        if "FLAGPLOT" in event.text.upper():
            event.stop()
            self.take_text(event.text.encode("utf-8", "replace"))

    @work
    async def action_take_moves(self) -> None:
        """Ask for a move file and read it. The newest move file found is suggested."""
        newest_file = await asyncio.to_thread(newest_move_file)
        title = "Move file to read, or Esc and paste its text"
        text = await self.app.push_screen_wait(LineDialog(title, str(newest_file or "")))
        if text:
            try:
                self.take_text(read_text(expand_path(text)))
            except FlagplotError as error:
                self._show_error(error)

    @work
    async def take_text(self, raw_bytes: bytes) -> None:
        """Read the move files contained in pasted text, and report the result."""
        try:
            reports = await self._mail_store.receive(raw_bytes)
        except FlagplotError as error:
            self._show_error(error)
            return
        lines = [line for _, report in reports for line in (*report.lines(), *report.chat_texts)]
        self.app.push_screen(TextDialog("Move file read", "\n".join(lines)))
        self.action_look()

    @work
    async def action_send_moves(self) -> None:
        """Write the move file that the other players need for the highlighted match."""
        selected_entry = self._selected_entry()
        if not (isinstance(selected_entry, InviteEntry) and selected_entry.is_by_mail):
            self.show_message("Only matches by mail or chat need a move file.")
            return
        invites = selected_entry.found.invites
        hosted_match = (
            self._mail_store.hosted_match(invites[0].match)
            if selected_entry.is_full_record
            else None
        )
        try:
            written_file = await self._mail_store.send(
                hosted_match or SeatedMatch(match=invites[0].match, invites=invites)
            )
            report = save_files(mail_folder(), written_file)
        except FlagplotError as error:
            self._show_error(error)
            return
        self.app.push_screen(TextDialog("Move file written", f"{report}\n{SEND}"))

    def _show_error(self, error: FlagplotError) -> None:
        self.app.push_screen(TextDialog("Error", str(error)))

    def _open(self, path: Path) -> None:
        """Take a seat. Copy its invite to a folder that is always searched, unless the invite is already in one."""
        self.app.open_invite(path)  # type: ignore[attr-defined]  # the one app that shows this screen
        with contextlib.suppress(FlagplotError, OSError):
            file = expand_path(str(path))
            if not self._is_in_searched_folder(file):
                write_short_named(self._folders[0], load_invites(file), file.stem)


def newest_move_file() -> Path | None:
    """Return the newest move file in the current or downloads folder, or None if neither folder contains one."""
    files: list[tuple[float, Path]] = []
    for folder in (Path(), Path.home() / "Downloads"):
        for path in (*folder.glob("*.txt"), *folder.glob("*.eml")):
            with contextlib.suppress(OSError):
                files.append((path.stat().st_mtime, path))
    for _, path in sorted(files, reverse=True)[:_MAX_FILES_TO_CHECK]:
        with contextlib.suppress(FlagplotError):
            if find_blocks(read_text(path)):
                return path
    return None


def _seat_instructions(seat: InviteEntry) -> str:
    if seat.is_by_mail:
        return (
            "Enter takes your seat. t reads a move file that you received (or paste its text here);"
            " s writes the file to send."
        )
    if not seat.found.roles:
        action = "watch as a spectator"
    else:
        action = "rejoin your seat" if seat.last_played else "take this seat"
    return f"Press Enter to {action}. The invite is in {seat.path.parent}"


def _host_instructions(host: "DiscoveredMatch") -> str:
    host_name = host.announcement.host or "the host"
    return f"Ask {host_name} for an invite and put the file into one of the folders above; u refreshes the list."
