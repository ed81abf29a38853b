"""The replay panels: the list of events, the slider, the comments and the current step."""

import re
import sys
from collections.abc import Iterable, Sequence
from typing import Final

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static
from typing_extensions import override

from engine.kernel.ids import Role
from play.choices import Choice, OptionState
from play.log_lines import LogLine, collapse_repeats
from play.replay_session import ReplaySession
from saves.remarks import MAX_LENGTH
from tui.drawing.palette import Palette
from tui.maps.highlights import with_step_highlights
from tui.panels.overlay_pages import BattleBoard, OverlayPage
from tui.panels.slider_track import MarkKind, SliderMark
from tui.panels.status_segments import Row
from tui.playback.autoplay import Autoplay
from tui.playback.panel import PlaybackPanel
from tui.playback.timeline import PartKind, ReplayTimeline, TimelineStep
from tui.presenter.presenter import Presenter, Scene, Selection
from tui.presenter.replay_texts import hand_lines, seat_name
from tui.screens.table.table import TableScreen
from tui.terminal.sanitising import sanitise_line
from tui.terminal.settings import Settings
from tui.widgets.bars.slider import Slider

_RECENT_RECORDS: Final = 60
"""Number of recent records that contribute log lines to the panel next to the map."""
_REPORT_LINES: Final = 7
"""Maximum number of log sentences in the report."""
_MAX_BATTLE_AGE: Final = 150
"""Maximum number of earlier records to search for the last battle."""


class ReplayTable(TableScreen):
    """Base of the replay screen: a table screen that shows a recorded game."""

    DEFAULT_CSS = """
    ReplayTable.-tall Slider { height: 2; }
    ReplayTable #remark { height: 6; border-top: solid $border-blurred; padding: 0 1; display: none; }
    ReplayTable.-wide #remark { height: 5; }
    ReplayTable.-huge #remark { height: 4; }
    """

    def __init__(self, session: ReplaySession, presenter: Presenter) -> None:
        """Create the screen for a record."""
        super().__init__(session, presenter)
        self.replay = session
        self._log_read = sys.maxsize  # in a replay, no log line counts as unread
        self.autoplay: Autoplay | None = None
        """Drives autoplay; None until the screen is mounted."""
        self.step: TimelineStep | None = None
        """The step on display; None if the viewer reached this position without going to a step."""
        self._timelines: dict[Role | None, ReplayTimeline] = {}
        self._listed_timeline: ReplayTimeline | None = None
        """The timeline shown in the list."""

    # -- layout

    @override
    def compose_before_map(self) -> ComposeResult:
        yield PlaybackPanel(self.palette, id="stage")

    @override
    def compose_below(self) -> ComposeResult:
        """Compose the slider, and the comments if the record has any."""
        yield Slider(self.replay.last_seq, palette=self.palette, id="slider")
        panel = Static("", id="remark", classes="panel", markup=False)
        panel.display = self.replay.has_remarks
        yield panel

    @override
    def apply_settings(self, settings: Settings, palette: Palette) -> None:
        super().apply_settings(settings, palette)
        self.playback_panel.show_palette(palette)
        self.slider.show_palette(palette)

    @property
    def playback_panel(self) -> PlaybackPanel:
        """The strip that describes the current step."""
        return self.query_one(PlaybackPanel)

    @property
    def slider(self) -> Slider:
        """The slider."""
        return self.query_one(Slider)

    # -- display

    @property
    def timeline(self) -> ReplayTimeline:
        """The timeline of the record as seen by the current seat, computed once per seat."""
        viewer = self.replay.shown_role
        if viewer not in self._timelines:
            self._timelines[viewer] = ReplayTimeline(self.replay, self.presenter)
        return self._timelines[viewer]

    def show_position(self) -> None:
        """Update the screen to the current position."""
        replay = self.replay
        self.show_list()
        self.show_remark()
        self.show_slider()
        self.show_all()
        if self.step is None:
            focus = self._comment_place() or self.presenter.focus(self.view)
            if focus:
                self.map.point_at(focus)
        self.panel.show_note(self._command_text() or ("" if replay.is_remark else replay.title))

    def _command_text(self) -> str:
        """Return the current command as text, with the role that gave it; empty if there is no command."""
        replay = self.replay
        command = replay.command()
        if command is None:
            return ""
        role_name = self.presenter.role_name(Role(replay.command_role))
        return f"{role_name}: {self.presenter.label(replay.view_before_command(), command)}"

    def show_list(self) -> None:
        """Show the list of events, with the current event highlighted."""
        timeline = self.timeline
        number = max(timeline.part_at(self.replay.position), 0)
        if timeline is not self._listed_timeline:
            self._listed_timeline = timeline
            self.panels.lay_out()  # another seat may have a hand, which needs a panel
            seat = seat_name(self.presenter, self.replay.shown_role)
            prompt = "What happened (Enter goes there)"
            self.panel.set_question(
                f"Replay, seen by {seat}", prompt, _timeline_choices(timeline), ""
            )
            self.slider.set_marks(tuple(_slider_marks(timeline, self.replay)))
        if timeline.parts:
            self.panel.rows.point_at(number)

    def show_slider(self) -> None:
        """Show the progress of the replay."""
        replay, autoplay = self.replay, self.autoplay
        digits = len(str(replay.last_seq))
        speed = f"{autoplay.speed:<6} " if autoplay is not None else ""
        text = f"{speed}{replay.seq:>{digits}}/{replay.last_seq}"
        is_running = autoplay is not None and autoplay.is_running
        self.slider.show(replay.seq, text, is_running=is_running)

    @override
    def selection(self) -> Selection:
        return Selection(cursor=self.map.cursor, overlay=self.overlay)

    @override
    def decorate_scene(self, scene: Scene) -> Scene:
        if self.step is None:
            return scene
        playback_step = self.step.playback_step
        return with_step_highlights(
            scene, playback_step.places, playback_step.paths, playback_step.targets
        )

    @override
    def battle_pages(self) -> tuple[OverlayPage, ...]:
        timeline, seq = self.timeline, self.replay.seq
        for step in reversed(timeline.steps[: timeline.step_at(self.replay.position) + 1]):
            if step.at.seq < seq - _MAX_BATTLE_AGE:
                break
            if isinstance(step.playback_step.page, BattleBoard):
                return (step.playback_step.page,)
        return ()

    @override
    def action_hand(self) -> None:
        """Show the current seat's hand. The judge sees all hands."""
        self.show_page(self.presenter.hand_title, hand_lines(self.replay, self.presenter))

    @override
    def connection(self) -> str:
        """Return an empty string, because a replay has no connection and the slider shows the progress."""
        return ""

    def show_remark(self) -> None:
        """Show the latest comment, which stays until the next comment."""
        comment = self.replay.remark()
        if comment is not None:
            panel = self.query_one("#remark", Static)
            panel.border_title = f"Comment {comment.number} of {comment.total}"
            panel.update(Content(sanitise_line(comment.text, MAX_LENGTH)), layout=False)

    @override
    def latest_lines(self) -> list[LogLine]:
        """Return recent log lines without comments, which have their own panel."""
        lines = self.replay.log(max(self.replay.seq - _RECENT_RECORDS, -1))
        return [line for line in collapse_repeats(lines) if line.seq not in self.replay.remark_seqs]

    @override
    def mark_log_read(self) -> None:
        """Do nothing, because a replay has no unread lines."""

    @override
    def show_log(self) -> None:
        """Show the log. While a comment is shown, keep the status line empty."""
        super().show_log()
        if self.replay.is_remark:
            self.show_message("")

    @override
    def report_rows(self) -> tuple[Row, ...]:
        """Return the end of the log. It replaces the report in games that show another panel in place of the log."""
        return tuple(map(self.toned_log_line, self.latest_lines()[-_REPORT_LINES:]))

    def _comment_place(self) -> str:
        """Return the place named in the comment or, failing that, in the command; empty if there is neither."""
        replay = self.replay
        comment = replay.remark() if replay.is_remark else None
        words = () if comment is None else re.findall(r"\w+", comment.text)
        place = next((word for word in words if word in self.map.scene.cells), "")
        command = replay.next_command() if replay.is_remark else replay.command()
        if place or command is None:
            return place
        return next(iter(self.presenter.places(self.view, command)), "")


def _timeline_choices(timeline: ReplayTimeline) -> Sequence[Choice]:
    """Return the parts of a timeline as list lines grouped by turn."""
    return tuple(
        Choice(
            timeline_part.line,
            timeline_part,
            headings=(timeline_part.turn,),
            state=OptionState.READ_ONLY,
        )
        for timeline_part in timeline.parts
    )


def _slider_marks(timeline: ReplayTimeline, replay: ReplaySession) -> Iterable[SliderMark]:
    """Yield the slider's marks."""
    for turn_mark in replay.turn_index.turns:
        yield SliderMark(turn_mark.position, MarkKind.TURN, turn_mark.name)
    for timeline_part in timeline.parts:
        if timeline_part.kind is PartKind.BATTLE:
            yield SliderMark(timeline_part.at, MarkKind.BATTLE)
        elif timeline_part.kind is PartKind.COMMENT:
            yield SliderMark(timeline_part.at, MarkKind.COMMENT)
