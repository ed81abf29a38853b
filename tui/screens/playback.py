"""A table that plays back what others did, reports it on a card, and alerts the player."""

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
    """The part of a running game's screen that shows the moves of others."""

    DEFAULT_CSS = """
    PlaybackTable #left { layers: base above; }
    """
    BINDINGS = [Binding("B", "again", "Watch again what happened", show=False)]

    def __init__(self, session: Session, presenter: Presenter) -> None:
        """Create the screen; the playback is created along with the panels."""
        super().__init__(session, presenter)
        self.director: Director | None = None
        """Plays back what happens; None until the panels exist."""
        for key, action, name in _KEYS:  # the same keys do other things while no playback runs
            self._bindings.bind(key, action, name, show=False, priority=True)

    def before_map(self) -> ComposeResult:
        """Compose the playback strip."""
        stage = Stage(self._palette, id="stage")
        terminal = getattr(self.app, "terminal", None)
        is_thrifty = terminal is not None and terminal.is_remote
        self.director = Director(self, stage, self.settings, is_thrifty=is_thrifty)
        yield stage

    def follow(self, settings: Settings, palette: Palette) -> None:
        """Apply new preferences."""
        super().follow(settings, palette)
        if self.director is not None:
            self.director.follow(settings)
            self.director.stage.show_palette(palette)

    def on_resize(self, event: events.Resize) -> None:
        """Resize the strip once the map has its new size."""
        super().on_resize(event)
        if self.director is not None:
            self.call_after_refresh(self.director.stage.fit)

    # -- events

    def gather(self) -> None:
        """Collect new events for the playback."""
        if self.director is not None:
            self.director.gather()

    def settle(self) -> None:
        """Prepare the news card, now that nobody else moves before the player does."""
        if self.director is not None:
            self.director.settle()

    def mark_answer(self) -> None:
        """End the playback, because the player is giving a command."""
        if self.director is not None:
            self.director.mark()
        if (attention := self._attention()) is not None:
            attention.answered(self.session.ruleset.title)

    def call_player(self, *, is_asked: bool) -> None:
        """Alert the player when a question is asked after a wait."""
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

    # -- display

    @property
    def is_in_front(self) -> bool:
        """Whether no other screen is in front of this one."""
        return self.app.screen is self

    @property
    def _played(self) -> Director | None:
        """The running playback; None if there is none."""
        director = self.director
        return director if director is not None and director.is_running else None

    @property
    def is_playing_back(self) -> bool:
        """Whether the map shows an earlier position than that of the question."""
        return self._played is not None

    def come_back(self) -> None:
        """Return to the place of the question after a playback; derived screens implement this."""

    @property
    def seen_view(self) -> View:
        """The view at the current playback step, else the latest view."""
        running = self._played
        return self._view if running is None else running.view() or self._view

    def heading(self) -> str:
        """Return the heading of the position shown."""
        running = self._played
        return super().heading() if running is None else running.heading()

    def staged(self, scene: Scene) -> Scene:
        """Return the map with its marks and the current playback step."""
        return scene if self.director is None else self.director.staged(scene, self.seen_view)

    def selection(self) -> Selection:
        """Return what to highlight on the map; during a playback, none of the current options."""
        if self._played is None:
            return super().selection()
        return Selection(cursor=self.map.cursor, overlay=self.overlay)

    def fights(self) -> tuple[Sheet, ...]:
        """Return the boards of battles; during a playback, those of the current step."""
        running = self._played
        return super().fights() if running is None else running.fights()

    def latest_lines(self) -> list[LogLine]:
        """Return the log; during a playback, only its lines up to the current step."""
        running = self._played
        return super().latest_lines() if running is None else list(folded(running.log()))

    # -- keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action is available; some keys belong to the playback while it runs."""
        if action.startswith("stage_"):
            return self.director is not None and self.director.takes(action)
        return super().check_action(action, parameters)

    def action_battle(self) -> None:
        """Show the boards of all battles in progress or declared, else of the last one."""
        from tui.playback.sheetview import SheetScreen

        if sheets := self.fights():
            self.app.push_screen(SheetScreen("Battle", sheets, self._palette))
        else:
            super().action_battle()

    def action_again(self) -> None:
        """Play back the last events again, or show them as text."""
        if self.director is not None:
            self.director.again()

    def action_stage_next(self) -> None:
        """Show the next step of the playback."""
        if self.director is not None:
            self.director.next()

    def action_stage_enter(self) -> None:
        """Skip to the end of the playback, or go to the next place on the card."""
        if self.director is not None:
            self.director.enter()

    def action_stage_close(self) -> None:
        """End the playback, or close the card."""
        if self.director is not None:
            self.director.close()
