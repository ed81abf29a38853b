"""The start screen after an SSH login. It shows only the player's own matches."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option
from typing_extensions import override

from engine import registry
from netplay.host.ssh_lobby import SshSeat
from play.bots import bot_name
from tui.presenter.presenter import load_presenter
from tui.terminal.sanitising import sanitise_line, sanitised_content
from tui.widgets.base_screens import BaseScreen

_LINE_CELLS: Final = 76
_NO_MATCHES: Final = "You have no matches here yet. The administrator of this machine opens them."


class SshLobbyScreen(BaseScreen):
    """Lists a player's matches.

    Enter opens the player's seat in the highlighted match. Leaving the match returns to this list.
    """

    HEADING = "Your matches"
    DEFAULT_CSS = """
    SshLobbyScreen .who { height: auto; padding: 0 1 1 1; }
    SshLobbyScreen OptionList { height: 1fr; margin: 0 1; }
    """
    BINDINGS = [
        Binding("u", "look", "Refresh"),
        Binding("s", "app.settings", "Settings"),
        Binding("q", "app.quit", "Quit"),
    ]

    def __init__(self, name: str, find: Callable[[], tuple[SshSeat, ...]], copies: Path) -> None:
        """Create the screen for a player.

        Args:
            name: Name of the player.
            find: Finds the player's seats.
            copies: Folder with the player's copies of the matches.
        """
        super().__init__()
        self._name = name
        self._find = find
        self._copies = copies
        self.seats: tuple[SshSeat, ...] = ()

    @override
    def body(self) -> ComposeResult:
        yield Static(sanitised_content(f"Welcome, {self._name}."), classes="who", markup=False)
        yield OptionList(markup=False)

    def on_mount(self) -> None:
        """Focus the list."""
        self.query_one(OptionList).focus()

    def on_screen_resume(self) -> None:
        """Refresh the list, for example after a game."""
        self.action_look()

    @work(exclusive=True, group="look")
    async def action_look(self) -> None:
        """Refresh the list of matches."""
        self.seats = await asyncio.to_thread(self._find)
        if not self.query(OptionList):  # the screen has been closed in the meantime
            return
        rows = self.query_one(OptionList)
        index = rows.highlighted or 0
        rows.set_options(Option(Content("\n".join(match_lines(seat)))) for seat in self.seats)
        if self.seats:
            rows.highlighted = min(index, len(self.seats) - 1)
        self.show_message("" if self.seats else _NO_MATCHES)

    @on(OptionList.OptionSelected)
    def handle_selection(self, event: OptionList.OptionSelected) -> None:
        """Take the player's seat in a match."""
        invite_file = self.seats[event.option_index].invite_file
        self.app.open_invite(invite_file.path, self._copies, "host's machine")  # type: ignore[attr-defined]  # our app


def match_lines(seat: SshSeat) -> tuple[str, ...]:
    """Return a match as lines for a list: its title, the player's roles, and the other players."""
    header = seat.header
    rules = registry.ruleset(header.game)
    presenter = load_presenter(rules)
    names = {info.id: info.name for info in rules.scenarios()}
    scenario = names.get(header.scenario, header.scenario)
    title = ", ".join(filter(None, (rules.title, scenario)))
    roles = ", ".join(map(presenter.role_name, seat.invite_file.roles))
    other_players = dict.fromkeys(
        f"the bot {bot_name(header_seat.player)}"
        if bot_name(header_seat.player)
        else header_seat.player
        for header_seat in header.seats
        if header_seat.role not in seat.invite_file.roles
    )
    opponents = f", with {', '.join(other_players)}" if other_players else ""
    return sanitise_line(title, _LINE_CELLS), sanitise_line(
        f"    you play {roles}{opponents}", _LINE_CELLS
    )
