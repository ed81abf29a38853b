"""Read-only views: pages, the log, boards, the search, and the rules of the step."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Final, cast

from textual import work
from textual.screen import Screen

from engine.kernel.ruleset import Command, View
from play.loglines import LogLine, folded
from play.session import Session
from tui.board import Board
from tui.clean import clean
from tui.palette import PLAIN, Palette
from tui.presenter import Found, Presenter
from tui.ribbon import Row
from tui.screens.board import BoardPanel, BoardScreen
from tui.screens.prompt import TextDialog
from tui.tones import Tone
from tui.widgets.lines import TonedLine

if TYPE_CHECKING:
    from tui.widgets.mapview import AnyMapView

_LATEST: Final = 30


class ReadingScreen(Screen[None]):
    """A session and its presenter, with everything that can be read about them."""

    find_words = "Find a hex, unit or card by name or number"
    """Title of the search box."""

    def __init__(self, session: Session, presenter: Presenter) -> None:
        """Create the screen for a session."""
        super().__init__()
        self.session = session
        self.presenter = presenter
        self.aim = ""
        """The place to which the player last moved the cursor."""
        self._view: View = session.view()
        self._board: BoardScreen | None = None
        """The board in front of the table; None if there is none."""
        self.looked_at: Command | None = None
        """The command of the highlighted line; None if there is none."""
        self._log_length = self._log_read = 0
        """Number of log lines, and how many of them the player has already seen."""

    @property
    def _palette(self) -> Palette:
        return getattr(self.app, "palette", PLAIN)

    @property
    def map(self) -> "AnyMapView":
        """The map."""
        return cast("AnyMapView", self.query_one("#map"))

    @abstractmethod
    def tell(self, sentence: str) -> None:
        """Show one sentence in the status line."""

    @property
    def seen_view(self) -> View:
        """The view that is shown, which may be an earlier one than that of the question."""
        return self._view

    def heading(self) -> str:
        """Return the heading of the position shown."""
        return self.session.heading()

    def note_rows(self, place: str) -> tuple[Row, ...]:
        """Return the player's note on a place; derived screens implement this."""
        del place
        return ()

    # -- pages

    def read(self, title: str, lines: Any) -> None:  # noqa: ANN401  (sequences of lines of either kind)
        """Show a page above the table."""
        from tui.screens.page import PageScreen

        self.app.push_screen(PageScreen(title, lines, self._palette))

    def action_hand(self) -> None:
        """Show the hand."""
        self.read(self.presenter.hand_word, self.presenter.hand_lines(self._view))

    def action_log(self) -> None:
        """Show the whole log, newest first, with a line above the player's own last command."""
        self.log_is_read()
        self.session.conversation()  # marks the chat as read, since the log contains it
        lines = list(folded(self.session.log()))
        own = self.session.last_own()
        told = sum(line.seq <= own for line in lines)
        page = [self.toned(line) for line in lines]
        if 0 < told < len(lines):
            page.insert(told, ("-- above: since your last command --", Tone.LABEL))
        self.read("Log, newest first", page[::-1])

    def action_hex(self) -> None:
        """Show everything about the place under the cursor."""
        cursor = self.map.cursor
        title = f"{self.presenter.place_word.title()} {self.presenter.place_name(cursor)}"
        self.read(title, (*self.note_rows(cursor), *self.presenter.hex_lines(self._view, cursor)))

    def action_battle(self) -> None:
        """Show the current battle."""
        lines = list(self.presenter.battle_lines(self._view)) or ["No battle is being fought."]
        latest = [text for text, _ in self.log_lines()[-_LATEST:]]
        self.read("Battle", [*lines, "", "What happened last, with dice and modifiers:", *latest])

    def action_forecast(self) -> None:
        """Show the forecasts for the place under the cursor and the highlighted line."""
        from tui.forecast import NOTHING_TO_FORECAST
        from tui.screens.forecast import ForecastScreen

        sheets = self.presenter.forecast(self._view, self.map.cursor, self.looked_at)
        if sheets:
            self.app.push_screen(ForecastScreen(sheets, self._palette))
        else:
            self.tell(NOTHING_TO_FORECAST)

    def action_page(self, key: str) -> None:
        """Show one of the presenter's pages."""
        for one, name, lines in self.presenter.pages(self._view):
            if one == key:
                self.read(name, lines)
                return
        self.tell("This game has no such page.")

    # -- the log

    def toned(self, line: LogLine) -> TonedLine:
        """Return a log sentence with its tone; drafted ones are marked."""
        if line.is_draft:
            return f"~ {line.text}", Tone.PATH
        return line.text, self.presenter.log_tone(self._view, line.text)

    def log_lines(self) -> list[TonedLine]:
        """Return the log; drafted commands are marked."""
        return [self.toned(line) for line in folded(self.session.log())]

    def log_is_read(self) -> None:
        """Mark all log lines as read."""
        self._log_read = self._log_length

    # -- boards

    def board(self, key: str) -> Board | None:
        """Return a board as it is now."""
        return self.presenter.board(self._view, key, self.session.offered())

    def label(self, command: Command) -> str:
        """Return the text of a command."""
        return self.presenter.label(self._view, command)

    def plan(self, command: Command) -> tuple[str, ...]:
        """Return the expected outcome of a command."""
        return self.presenter.plan(self._view, command, self.aim)

    def do(self, command: Command) -> None:
        """Carry out a command from a board; a read-only table refuses."""
        del command
        self.tell("This table only shows.")

    def look_at(self, place: str) -> None:
        """Centre the map on a place and focus it."""
        self.map.point_at(place, centre=True)
        self.map.focus()

    def action_commit(self) -> Any:  # noqa: ANN401  (a worker, where it does something)
        """Commit the draft; a read-only table refuses."""
        self.tell("This table only shows.")

    def action_undo(self) -> None:
        """Take back the last drafted command; a read-only table refuses."""
        self.tell("This table only shows.")

    @work
    async def action_board(self, key: str) -> None:
        """Focus the board beside the map, or open it full screen until the player leaves it."""
        docked = next(iter(self.query(BoardPanel)), None)
        if docked is not None and docked.is_for(key) and not docked.has_focus_within:
            docked.view.focus()
        elif self._board is None:
            self._board = BoardScreen(self, key, self._palette)
            try:
                await self.app.push_screen_wait(self._board)
            finally:
                self._board = None

    def action_find(self) -> None:
        """Search for a place, unit or card by name."""
        self.find_named("")

    @work
    async def find_named(self, words: str) -> None:
        """Search for a place, unit or card, starting with the given words."""
        from tui.screens.lookup import FindDialog

        dialog = FindDialog(self.named, self.find_words, words)
        found = await self.app.push_screen_wait(dialog)
        if found is not None:
            self.show_found(found)

    def show_found(self, found: Found) -> None:
        """Show a search result on the map, and its text."""
        if found.hex_id:
            self.map.point_at(found.hex_id, centre=True)
            self.map.focus()
        if found.text:
            self.app.push_screen(TextDialog(found.title, found.text))

    def named(self, words: str) -> tuple[Found, ...]:
        """Find everything with these words in its name."""
        return self.presenter.find(self._view, words)

    async def action_rules_here(self) -> None:
        """Open the rules at the rule of the current step."""
        rule = self.presenter.rule_of(self.session.decision(), self.map.cursor)
        await self.run_action(f"app.rules({clean(rule)!r})")
