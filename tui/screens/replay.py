"""The table without a seat: a record stepped through by event, command, phase or turn, from either side."""

from textual.binding import Binding

from play.replay_session import ReplaySession
from tui.presenter import Presenter
from tui.screens.table import TableScreen


class ReplayScreen(TableScreen):
    """A record file."""

    KEYS = ". , event  ] [ command  } { phase  ) ( turn  < > ends  y seat  z zoom  h hand  l log  ? keys"
    BINDINGS = [
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

    def on_mount(self) -> None:
        """Show the first position."""
        self.show_place()
        self.map.focus()

    def show_place(self) -> None:
        """Show the position that the replay stands at."""
        replay = self.replay
        seat = self.presenter.role_name(replay.role)
        self.panel.ask(
            f"Replay, seen by {seat}", replay.status(), (), replay.command_line() or replay.title
        )
        self.show_all()
        focus = self.presenter.focus(self._view) or self._target()
        if focus:
            self.map.point_at(focus)

    def _target(self) -> str:
        """Return the hex that the command of the present record points at."""
        command = self.replay.command()
        places = () if command is None else self.presenter.places(self._view, command)
        return places[0] if places else ""

    def action_step(self, what: str, direction: int) -> None:
        """Step by event, command, phase or turn."""
        steps = {
            "event": self.replay.step_event,
            "command": self.replay.step_command,
            "phase": self.replay.step_phase,
            "turn": self.replay.step_turn,
        }
        if steps[what](direction):
            self.show_place()
        else:
            self.tell("There is nothing further in this direction.")

    def action_end(self, direction: int) -> None:
        """Go to the beginning or the end."""
        self.replay.to_record(self.replay.last_seq if direction > 0 else 0)
        self.show_place()

    def action_seat(self) -> None:
        """Show the next seat's view."""
        seats = self.replay.seats()
        place = seats.index(self.replay.role)
        self.replay.sit_down(seats[(place + 1) % len(seats)])
        self.show_place()
