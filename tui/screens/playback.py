"""A table at which what others did is played back, told on a card, and called out."""

from typing import Final

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding

from engine.kernel.ruleset import View
from play.loglines import LogLine, folded
from play.session import Session
from tui.alerts import Attention
from tui.palette import Palette
from tui.playback.director import Director
from tui.playback.sheet import Sheet
from tui.playback.stage import Stage
from tui.presenter import Presenter, Scene, Selection
from tui.screens.table import TableScreen
from tui.settings import Settings

_KEYS: Final = (
    ("space", "stage_next", "Next step of the playback"),
    ("enter", "stage_enter", "End of the playback, places of the card"),
    ("escape", "stage_close", "Close playback or card"),
)


class PlaybackTable(TableScreen):
    """What the table of a running game shows of the moves of others."""

    DEFAULT_CSS = """
    PlaybackTable #left { layers: base above; }
    """
    BINDINGS = [Binding("B", "again", "Watch again what happened", show=False)]

    def __init__(self, session: Session, presenter: Presenter) -> None:
        """Take a seat."""
        super().__init__(session, presenter)
        self.director: Director | None = None
        """Plays back what happens, once the table stands."""
        for key, action, name in _KEYS:  # beside what the same keys do while nothing is played back
            self._bindings.bind(key, action, name, show=False, priority=True)

    def before_map(self) -> ComposeResult:
        """Compose the strip in which a playback is told."""
        stage = Stage(self._palette, id="stage")
        terminal = getattr(self.app, "terminal", None)
        is_thrifty = terminal is not None and terminal.is_remote
        self.director = Director(self, stage, self.settings, is_thrifty=is_thrifty)
        yield stage

    def follow(self, settings: Settings, palette: Palette) -> None:
        """Use other preferences."""
        super().follow(settings, palette)
        if self.director is not None:
            self.director.follow(settings)
            self.director.stage.show_palette(palette)

    def on_resize(self, event: events.Resize) -> None:
        """Lay the strip out for another size, once the map has it; what stands around it is laid out by others."""
        super().on_resize(event)
        if self.director is not None:
            self.call_after_refresh(self.director.stage.fit)

    # -- when something happens

    def gather(self) -> None:
        """Take in what has happened."""
        if self.director is not None:
            self.director.gather()

    def settle(self) -> None:
        """Take in that nobody else moves before the player does."""
        if self.director is not None:
            self.director.settle()

    def mark_answer(self) -> None:
        """Take in that the player gives a command: what was played back or told is over."""
        if self.director is not None:
            self.director.mark()
        if (attention := self._attention()) is not None:
            attention.answered(self.session.ruleset.title)

    def call_player(self, *, is_asked: bool) -> None:
        """Ring when a question comes after waiting."""
        attention = self._attention()
        if attention is None:
            return
        if is_asked:
            attention.asked(self.settings, self.session.ruleset.title)
        elif self.session.waiting_for() and self.session.can_play:
            attention.wait()

    def _attention(self) -> Attention | None:
        found: Attention | None = getattr(self.app, "attention", None)
        return found

    # -- what is shown

    @property
    def is_in_front(self) -> bool:
        """Return whether nothing stands before the table."""
        return self.app.screen is self

    @property
    def _played(self) -> Director | None:
        """Return what plays something back; None while nothing is."""
        director = self.director
        return director if director is not None and director.is_running else None

    @property
    def is_playing_back(self) -> bool:
        """Return whether the map shows an earlier table than that of the question."""
        return self._played is not None

    def come_back(self) -> None:
        """Point at what the player is asked about, after the map was led elsewhere."""

    @property
    def seen_view(self) -> View:
        """Return the table at the step that is played back, else as it is."""
        running = self._played
        return self._view if running is None else running.view() or self._view

    def heading(self) -> str:
        """Return where the table that is shown stands."""
        running = self._played
        return super().heading() if running is None else running.heading()

    def staged(self, scene: Scene) -> Scene:
        """Return the map with marks and with what is played back."""
        return scene if self.director is None else self.director.staged(scene, self.seen_view)

    def selection(self) -> Selection:
        """Return what the map marks; while it plays back nothing that is offered now."""
        if self._played is None:
            return super().selection()
        return Selection(cursor=self.map.cursor, overlay=self.overlay)

    def fights(self) -> tuple[Sheet, ...]:
        """Return the boards of battles; while something is played back, that of the step."""
        running = self._played
        return super().fights() if running is None else running.fights()

    def latest_lines(self) -> list[LogLine]:
        """Return the lines of the log as far as they are told."""
        running = self._played
        return super().latest_lines() if running is None else list(folded(running.log()))

    # -- keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action can be done; some keys belong to the playback while it runs."""
        if action.startswith("stage_"):
            return self.director is not None and self.director.takes(action)
        return super().check_action(action, parameters)

    def action_battle(self) -> None:
        """Read the boards of the battles that are fought or declared, else of the last one."""
        from tui.playback.sheetview import SheetScreen

        if sheets := self.fights():
            self.app.push_screen(SheetScreen("Battle", sheets, self._palette))
        else:
            super().action_battle()

    def action_again(self) -> None:
        """Watch what happened once more, or read it."""
        if self.director is not None:
            self.director.again()

    def action_stage_next(self) -> None:
        """Show the next step of the playback."""
        if self.director is not None:
            self.director.next()

    def action_stage_enter(self) -> None:
        """Go to the end of the playback, or to the next place of the card."""
        if self.director is not None:
            self.director.enter()

    def action_stage_close(self) -> None:
        """End the playback, or close the card."""
        if self.director is not None:
            self.director.close()
