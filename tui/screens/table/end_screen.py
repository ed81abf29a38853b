"""The page at the end of a game: the verdict, the score, its sources, and the choice of what to do next."""

from typing import ClassVar, Final, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import Screen
from typing_extensions import override

from play.game_summary import GameSummary
from tui.drawing.colour_roles import TextRole
from tui.drawing.palette import Palette
from tui.panels.end_page import MAX_MARKS, end_page, marked_sources
from tui.panels.status_segments import StatusSegment, status_segment
from tui.playback.key_debounce import KeyDebounce
from tui.widgets.bars.key_line import KeyLine, KeyLineEntry, key_entry
from tui.widgets.bars.status_bar import StatusBar
from tui.widgets.lines import Lines

NO_SUMMARY: Final = "The game is not over yet."
_BORDER_CELLS: Final = 2


class EndChoice(NamedTuple):
    """The player's choice of what to do next."""

    action: str
    """``look``, ``replay``, ``again``, ``map`` or ``menu``."""
    seq: int = -1
    """Number of the record to show, for ``look``."""


class EndScreen(Screen[EndChoice]):
    """The screen that shows the page at the end of a game."""

    DEFAULT_CSS = """
    EndScreen Lines { height: 1fr; padding: 0 1; }
    EndScreen > .header, EndScreen > .keys { height: 1; }
    """
    KEY_LINE_ENTRIES: ClassVar[tuple[KeyLineEntry, ...]] = (
        key_entry("watch the battle", "watch"),
        key_entry("replay", "replay"),
        key_entry("play again", "again"),
        key_entry("look", "look(1)", f"look({MAX_MARKS})"),
        key_entry("map", "map"),
        key_entry("menu", "menu"),
    )
    BINDINGS = [
        Binding("enter", "watch", "Watch the battle that decided the game", show=False),
        Binding("r", "replay", "Replay the game from the beginning", show=False),
        Binding("n", "again", "Play again with the same set-up", show=False),
        Binding("m,escape", "map", "Back to the map", show=False),
        Binding("q", "menu", "Back to the menu", show=False),
        *(
            Binding(str(digit), f"look({digit})", "Look at the record with this number", show=False)
            for digit in range(1, MAX_MARKS + 1)
        ),
    ]

    def __init__(
        self,
        summary: GameSummary,
        badge: tuple[str, str],
        palette: Palette,
        *,
        record: str = "",
        can_replay: bool = False,
        can_play_again: bool = False,
        ignores_enter: bool = False,
    ) -> None:
        """Create the page.

        Args:
            summary: The finished game.
            badge: The game's name, and its short name.
            palette: Maps tones to styles.
            record: Where the record is stored; empty if it is not stored.
            can_replay: True if the record can be replayed from here.
            can_play_again: True if a new game with the same set-up can be started from here.
            ignores_enter: True to ignore Enter at first.
        """
        super().__init__()
        self.summary = summary
        self._badge = badge
        self._palette = palette
        self._record = record
        self._can_replay = can_replay
        self._can_play_again = can_play_again
        self._debounce = KeyDebounce()
        if ignores_enter:
            self._debounce.start()

    @override
    def compose(self) -> ComposeResult:
        """Compose the status bar, the page and the key line."""
        yield StatusBar(self._badge, palette=self._palette, classes="header")
        yield Lines(palette=self._palette, overflow_key="Down")
        yield KeyLine((*self.KEY_LINE_ENTRIES, key_entry("keys", "help")), palette=self._palette)

    def on_mount(self) -> None:
        """Show the page."""
        self.query_one(StatusBar).show(self._segments())
        self.query_one(Lines).focus()

    def on_resize(self, event: events.Resize) -> None:
        """Lay the page out for the new size."""
        width, height = event.size.width - _BORDER_CELLS, event.size.height - _BORDER_CELLS
        rows = end_page(
            self.summary, (width, height), record=self._record, has_keys=self._can_replay
        )
        self.query_one(Lines).show(rows)

    def adapt_key_entry(self, entry: KeyLineEntry) -> KeyLineEntry | None:
        """In the key-line entry ``look``, name the first and the last digit key that shows a source of points."""
        count = len(marked_sources(self.summary))
        if entry.word != "look" or count < 2:  # noqa: PLR2004  (a range)
            return entry
        return key_entry("look", "look(1)", f"look({count})")

    def _segments(self) -> tuple[StatusSegment, ...]:
        count = f"{self.summary.record_count} records"
        return status_segment("GAME OVER", TextRole.STEP), status_segment(count, rank=2)

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action is available for this game."""
        match action:
            case "watch":
                return self._can_replay and self.summary.battle is not None
            case "look":
                sources = marked_sources(self.summary)
                return (
                    self._can_replay
                    and isinstance(parameters[0], int)
                    and parameters[0] <= len(sources)
                )
            case "replay":
                return self._can_replay
            case "again":
                return self._can_play_again
            case _:
                return super().check_action(action, parameters)

    def action_watch(self) -> None:
        """Watch the battle that decided the game."""
        assert self.summary.battle is not None, "there must be a battle"
        if self._debounce.is_active:
            return
        self.dismiss(EndChoice("look", self.summary.battle.seq))

    def action_look(self, number: int) -> None:
        """Show the record where a source of points last changed."""
        self.dismiss(EndChoice("look", marked_sources(self.summary)[number - 1].seq))

    def action_replay(self) -> None:
        """Replay the game from the beginning."""
        self.dismiss(EndChoice("replay"))

    def action_again(self) -> None:
        """Start a new game with the same set-up."""
        self.dismiss(EndChoice("again"))

    def action_map(self) -> None:
        """Return to the map."""
        self.dismiss(EndChoice("map"))

    def action_menu(self) -> None:
        """Return to the menu."""
        self.dismiss(EndChoice("menu"))
