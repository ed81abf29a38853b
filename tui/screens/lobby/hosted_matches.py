"""The screen for hosted matches. It shows who is present, whose move it is, and who should receive each invite."""

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option
from typing_extensions import override

from engine import registry
from engine.kernel.errors import FlagplotError
from netplay.host.lobby import LobbyMatch, LobbySeat
from netplay.invites.invite_rotation import Party
from saves.clocks import format_remaining
from saves.modes import TITLES, Mode
from tui.presenter.presenter import load_presenter
from tui.screens.dialogs.prompt import AnswerButton, SureDialog
from tui.terminal.sanitising import sanitise_line, sanitise_lines
from tui.widgets.base_screens import BaseDialog, BaseScreen

_REFRESH_SECONDS: Final = 0.5
_NAME_CELLS: Final = 16
_ROLES_CELLS: Final = 28
_LINE_CELLS: Final = 76
_HOW_CELLS: Final = 600


class Lobby(Protocol):
    """The part of the host's interface that this screen uses."""

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses that guests connect to."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks about the addresses, as sentences."""
        ...

    async def lobby(self) -> tuple[LobbyMatch, ...]:
        """Return the status of every match."""
        ...

    async def reissue_invites(self, match: str, party: Party) -> Path:
        """Issue a new key for a seat, and return the file with the seat's new invites."""
        ...


class HostedMatchesScreen(BaseScreen):
    """Shows a host's matches, and refreshes them at regular intervals."""

    HEADING = "Host"
    DEFAULT_CSS = """
    HostedMatchesScreen .where { height: auto; padding: 0 1 1 1; }
    HostedMatchesScreen OptionList { height: 1fr; margin: 0 1; }
    HostedMatchesScreen OptionList > .option-list--option-disabled { color: $foreground; text-style: bold; }
    HostedMatchesScreen .how { height: 5; padding: 0 1; }
    """
    AUTO_FOCUS = "OptionList"
    BINDINGS = [
        Binding("s", "sit", "Take your seat"),
        Binding("i", "again", "New invite"),
        Binding("n", "open", "Another match"),
        Binding("escape", "close", "Close"),
    ]

    def __init__(self, host: Lobby) -> None:
        """Create the screen for the matches of one host."""
        super().__init__()
        self._host = host
        self.matches: tuple[LobbyMatch, ...] = ()
        """The matches on display, newest first."""
        self._timer: Timer | None = None

    @override
    def body(self) -> ComposeResult:
        """Compose the addresses, the seats and the instructions for the highlighted seat."""
        addresses = ", ".join(address.partition("://")[2] for address in self._host.addresses)
        lines = (f"Guests connect to {addresses}", *map(_sentence, self._host.notes))
        address_text = Content("\n".join(sanitise_line(line, _HOW_CELLS) for line in lines))
        yield Static(address_text, classes="where", markup=False)
        yield OptionList(markup=False)
        yield Static("", classes="how", markup=False)

    def on_mount(self) -> None:
        """Start refreshing at regular intervals."""
        self._timer = self.set_interval(_REFRESH_SECONDS, self.refresh_matches)
        self.refresh_matches()

    def on_screen_resume(self) -> None:
        """Refresh once no other screen covers this one."""
        self.refresh_matches()

    @work(exclusive=True, group="look")
    async def refresh_matches(self) -> None:
        """Refresh the matches."""
        if self.app.screen is not self:
            return
        matches = tuple(reversed(await self._host.lobby()))
        if matches == self.matches or not self.query(OptionList):  # screen already closed
            return
        self.matches = matches
        self._fill()

    # -- rows

    def _fill(self) -> None:
        rows = self.query_one(OptionList)
        chosen_id = self._chosen_id()
        rows.set_options(self._options())
        ids = [option.id for option in rows.options]
        first_id = next((str(option.id) for option in rows.options if not option.disabled), "")
        selected_id = chosen_id if chosen_id in ids else self._own_id() or first_id
        if selected_id in ids:
            rows.highlighted = ids.index(selected_id)
        self._show_instructions()

    def _options(self) -> Iterator[Option]:
        for match_index, match in enumerate(self.matches):
            if match_index:
                yield Option("", id=f"{match_index}", disabled=True)
            yield Option(Content(_title(match)), id=f"{match_index}:", disabled=True)
            for seat_index, row in enumerate(seat_rows(match)):
                yield Option(Content(row), id=f"{match_index}:{seat_index}")

    def _chosen_id(self) -> str:
        rows = self.query_one(OptionList)
        row_index = rows.highlighted
        return "" if row_index is None else str(rows.get_option_at_index(row_index).id)

    def _own_id(self) -> str:
        """Return the row id of the host's own seat in the newest match that has one; empty if there is none."""
        for match_index, match in enumerate(self.matches):
            for seat_index, seat in enumerate(match.seats):
                if seat.is_own:
                    return f"{match_index}:{seat_index}"
        return ""

    def _selected_entry(self) -> tuple[LobbyMatch, LobbySeat] | None:
        match_index, _, seat_index = self._chosen_id().partition(":")
        if not seat_index:
            return None
        match = self.matches[int(match_index)]
        return match, match.seats[int(seat_index)]

    @on(OptionList.OptionHighlighted)
    def _show_instructions(self) -> None:
        """Show instructions for the highlighted seat."""
        selected_entry = self._selected_entry()
        instructions = (
            ""
            if selected_entry is None
            else seat_instructions(selected_entry[1], selected_entry[0].mode)
        )
        lines = "\n".join(sanitise_lines(instructions, _HOW_CELLS))
        self.query_one(".how", Static).update(Content(lines))

    # -- keys

    @on(OptionList.OptionSelected)
    def handle_selection(self) -> None:
        """Take the chosen seat if it is the host's own. Other seats cannot be taken here."""
        entry = self._selected_entry()
        if entry is not None and entry[1].is_own:
            self.action_sit()
        elif entry is not None:
            self.show_message("This is not your seat. Press s to take yours.")

    def action_sit(self) -> None:
        """Take the host's own seat in the highlighted match."""
        entry = self._selected_entry()
        if entry is None or not entry[0].own_invite:
            self.show_message("You have no seat in this match.")
            return
        self.app.open_invite(Path(entry[0].own_invite))  # type: ignore[attr-defined]  # the one app that shows this screen

    @work
    async def action_again(self) -> None:
        """After confirmation, write a new invite for a seat. The player's earlier invite file becomes invalid."""
        entry = self._selected_entry()
        if entry is None:
            return
        match, seat = entry
        player_text = sanitise_line(seat.player, _NAME_CELLS) or "spectators"
        old_file_text = "" if seat.party == (None,) else " The old file will stop working."
        question = f"Write a new invite for {player_text}?{old_file_text}"
        if not await self.app.push_screen_wait(SureDialog(question)):
            return
        try:
            path = await self._host.reissue_invites(match.match, seat.party)
        except (FlagplotError, OSError) as error:
            self.show_message(str(error))
            return
        self.show_message(f"Written: {path.name}")
        self.refresh_matches()

    async def action_open(self) -> None:
        """Host another match on the same host."""
        await self.run_action("app.host_another")

    @work
    async def action_close(self) -> None:
        """Ask whether to close the matches or keep them open."""
        answer = await self.app.push_screen_wait(CloseDialog())
        if answer:
            await self.app.leave_host(is_open=answer == KEEP)  # type: ignore[attr-defined]  # our app


CLOSE: Final = "close"
KEEP: Final = "keep"


class CloseDialog(BaseDialog[str]):
    """Asks whether to close the matches or to keep them open."""

    DEFAULT_CSS = """
    CloseDialog AnswerButton { margin: 0; }
    CloseDialog .more { margin-bottom: 1; }
    """
    BINDINGS = [Binding("c", "shut", "Close"), Binding("k", "keep", "Keep open")]

    @override
    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("Close the open matches?", classes="title", markup=False)
            yield Static(
                "Guests are disconnected. All commands are saved, and Host can open the matches again.",
                classes="more",
                markup=False,
            )
            yield AnswerButton("c    close", "shut")
            yield AnswerButton("k    keep open for the others until you quit", "keep")
            yield AnswerButton("Esc  stay", "leave")

    def action_shut(self) -> None:
        """Close the matches."""
        self.dismiss(CLOSE)

    def action_keep(self) -> None:
        """Keep the matches open."""
        self.dismiss(KEEP)


# -- texts


def _title(match: LobbyMatch) -> str:
    rules = registry.ruleset(match.game)
    mode = f"mode {TITLES[match.mode]}"
    title = sanitise_line(", ".join(filter(None, (rules.title, match.scenario, mode))), _LINE_CELLS)
    heading = "over" if match.is_over else match.heading.replace(" | ", ", ")
    state = sanitise_line(heading, 2 * _LINE_CELLS)
    is_short = len(title) + len(state) + 2 <= _LINE_CELLS
    lines = textwrap.wrap(state, _LINE_CELLS)
    return f"{title}: {state}" if is_short else "\n".join((title, *lines))


def _role_names(match: LobbyMatch, party: Party) -> str:
    presenter = load_presenter(registry.ruleset(match.game))
    return ", ".join(presenter.role_name(role) if role else "Spectators" for role in party)


def seat_state(match: LobbyMatch, seat: LobbySeat) -> str:
    """Describe a seat: presence, turn and time left. For the spectators' seat, return the number of spectators."""
    if seat.party == (None,):
        return f"{match.spectators} watching" if match.spectators else "no spectators"
    presence = "bot" if seat.bot else "here" if seat.is_connected else "not here"
    time_left = "".join(
        f", {format_remaining(clock_reading.left_ms)}" for clock_reading in seat.clock_readings
    )
    return (
        f"{presence}, to move{time_left}"
        if seat.is_asked and not match.is_over
        else presence + time_left
    )


def _player_text(seat: LobbySeat) -> str:
    """Describe a seat's player in one or two words."""
    guest = "" if seat.party == (None,) else "guest"
    name = guest if _is_nameless(seat) else sanitise_line(seat.player, _NAME_CELLS)
    return seat.bot or ("you" if seat.is_own else name)


def seat_rows(match: LobbyMatch) -> Iterator[str]:
    """Yield a line for each seat: its roles, its player, the player's state, and its invite file."""
    cells = [
        (
            sanitise_line(_role_names(match, seat.party), _ROLES_CELLS),
            _player_text(seat),
            seat_state(match, seat),
        )
        for seat in match.seats
    ]
    widths = [max(len(texts) for texts in column) + 2 for column in zip(*cells, strict=True)]
    for seat, texts in zip(match.seats, cells, strict=True):
        line = "  " + "".join(f"{text:<{width}}" for text, width in zip(texts, widths, strict=True))
        is_sent = seat.invite and not seat.is_own
        file = sanitise_line(Path(seat.invite).name, _LINE_CELLS) if is_sent else ""
        is_short = len(line) + len(file) <= _LINE_CELLS
        yield f"{line}{file}".rstrip() if is_short else f"{line.rstrip()}\n      {file}".rstrip()


def seat_instructions(seat: LobbySeat, mode: Mode = "host") -> str:
    """Return the instructions for a seat in a match with the given network mode."""
    if seat.is_own and mode in {"fair", "joint"}:
        return (
            "Enter takes your seat. The match begins when everyone has joined, and everyone has to be online for each"
            " roll and draw."
        )
    if seat.is_own:
        return "Enter takes your seat. The match waits for each move; players need not be online together."
    if seat.bot:
        return f"The bot {seat.bot} plays this seat."
    if not seat.invite:
        return "There is no invite file for this seat here. Press i to write one."
    path = Path(seat.invite)
    if seat.party == (None,):
        visibility_text = "spectators see only public information"
        return f"Send {path.name} to spectators, who open it under Join; {visibility_text}. It is in {path.parent}"
    recipient = "your guest" if _is_nameless(seat) else seat.player
    return (
        f"Send {path.name} to {recipient} as an attachment over a channel that you trust:"
        " anyone who has it can play this seat."
        f" {recipient[0].upper()}{recipient[1:]} opens it under Join, or types: flagplot join {path.name}"
        f"\nIt is in {path.parent}"
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _is_nameless(seat: LobbySeat) -> bool:
    """Return whether the player's name is unknown."""
    return not seat.player or seat.player in seat.party
