"""The table without a seat: a record stepped through by event, command, phase or turn, from either side."""

import re

from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from play.replay_session import ReplaySession
from play.session import LogLine
from saves.remarks import LIMIT
from tui.clean import clean
from tui.presenter import Presenter
from tui.screens.table import TableScreen
from tui.widgets.keyline import Foot, foot


class ReplayScreen(TableScreen):
    """A record file."""

    FOOT = (
        foot("comment", "step('remark', -1)", "step('remark', 1)"),
        foot("event", "step('event', -1)", "step('event', 1)"),
        foot("command", "step('command', -1)", "step('command', 1)"),
        foot("phase", "step('phase', -1)", "step('phase', 1)"),
        foot("turn", "step('turn', -1)", "step('turn', 1)"),
        foot("ends", "end(-1)", "end(1)"),
        foot("seat", "seat"),
        foot("hand", "hand"),
        foot("log", "log"),
        foot("zoom", "zoom"),
        foot("panels", "panels"),
    )
    DEFAULT_CSS = """
    ReplayScreen #remark { height: 6; border-top: solid $border-blurred; padding: 0 1; display: none; }
    ReplayScreen.-wide #remark { height: 5; }
    ReplayScreen.-huge #remark { height: 4; }
    """
    BINDINGS = [
        Binding("n", "step('remark', 1)", "Next comment", show=False),
        Binding("p", "step('remark', -1)", "Previous comment", show=False),
        Binding("full_stop", "step('event', 1)", "Next event", show=False, priority=True),
        Binding("comma", "step('event', -1)", "Previous event", show=False),
        Binding("right_square_bracket,space", "step('command', 1)", "Next command", show=False),
        Binding(
            "left_square_bracket,backspace", "step('command', -1)", "Previous command", show=False
        ),
        Binding("right_curly_bracket", "step('phase', 1)", "Next phase", show=False),
        Binding("left_curly_bracket", "step('phase', -1)", "Previous phase", show=False),
        Binding("right_parenthesis", "step('turn', 1)", "Next turn", show=False),
        Binding("left_parenthesis", "step('turn', -1)", "Previous turn", show=False),
        Binding("greater_than_sign", "end(1)", "To the end", show=False),
        Binding("less_than_sign", "end(-1)", "To the beginning", show=False),
        Binding("y", "seat", "Another seat's view", show=False),
    ]

    def __init__(self, session: ReplaySession, presenter: Presenter) -> None:
        """Show a record."""
        super().__init__(session, presenter)
        self.replay = session

    def foot_entry(self, entry: Foot) -> Foot | None:
        """Return an entry of the last line, that about comments only where there are any."""
        if entry.word == "comment" and not self.replay.has_remarks:
            return None
        return super().foot_entry(entry)

    def below(self) -> ComposeResult:
        """Compose the place of the comments, in the whole width; it is there where the record has any."""
        panel = Static("", id="remark", classes="panel", markup=False)
        panel.display = self.replay.has_remarks
        yield panel

    def on_mount(self) -> None:
        """Show the first position."""
        self.show_position()
        self.map.focus()

    def show_position(self) -> None:
        """Show the position that the replay stands at."""
        replay = self.replay
        seat = self.presenter.role_name(replay.role)
        note = replay.command_line() or ("" if replay.is_remark else replay.title)
        self.panel.ask(f"Replay, seen by {seat}", replay.status(), (), note)
        self.show_remark()
        self.show_all()
        focus = self._target() or self.presenter.focus(self._view)
        if focus:
            self.map.point_at(focus)

    def connection(self) -> str:
        """Return nothing: where the replay stands is told beside the map."""
        return ""

    def show_remark(self) -> None:
        """Show the latest comment, which stays until the next one."""
        comment = self.replay.remark()
        if comment is not None:
            panel = self.query_one("#remark", Static)
            panel.border_title = f"Comment {comment.number} of {comment.total}"
            panel.update(Content(clean(comment.text, LIMIT)), layout=False)

    def latest_lines(self) -> list[LogLine]:
        """Return the lines without comments, which have a place of their own."""
        return [line for line in super().latest_lines() if line.seq not in self.replay.remarks]

    def show_log(self) -> None:
        """Show the log; where a comment is said, nothing else is."""
        super().show_log()
        if self.replay.is_remark:
            self.tell("")

    def _target(self) -> str:
        """Return the place that the comment names, or at which the present or the next command points."""
        replay = self.replay
        comment = replay.remark() if replay.is_remark else None
        named = () if comment is None else re.findall(r"\w+", comment.text)
        place = next((word for word in named if word in self.map.scene.cells), "")
        command = replay.next_command() if replay.is_remark else replay.command()
        if place or command is None:
            return place
        return next(iter(self.presenter.places(self._view, command)), "")

    def action_step(self, what: str, direction: int) -> None:
        """Step by event, command, phase or turn."""
        steps = {
            "remark": self.replay.step_remark,
            "event": self.replay.step_event,
            "command": self.replay.step_command,
            "phase": self.replay.step_phase,
            "turn": self.replay.step_turn,
        }
        if steps[what](direction):
            self.show_position()
        else:
            self.tell("There is nothing further in this direction.")

    def action_end(self, direction: int) -> None:
        """Go to the beginning or the end."""
        self.replay.to_record(self.replay.last_seq if direction > 0 else 0)
        self.show_position()

    def action_seat(self) -> None:
        """Show the next seat's view."""
        seats = self.replay.seats()
        place = seats.index(self.replay.role)
        self.replay.sit_down(seats[(place + 1) % len(seats)])
        self.show_position()
