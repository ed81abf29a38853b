"""Replays a record: automatically, step by step, or from any chosen position."""

from textual import on, work
from textual.binding import Binding
from typing_extensions import override

from engine.kernel.ids import Role
from play.replay_session import ReplaySession
from play.turn_index import RecordPosition
from tui.playback.autoplay import Autoplay
from tui.playback.scrolling import scroll_into_view
from tui.playback.timeline import PartKind, TimelineMatch, TimelinePart
from tui.presenter.presenter import Found, Presenter
from tui.presenter.replay_texts import spoiler_question
from tui.screens.dialogs.prompt import SureDialog
from tui.screens.replay.replay_table import ReplayTable
from tui.screens.table.end_screen import EndChoice
from tui.widgets.bars.key_line import KeyLineEntry, key_entry
from tui.widgets.bars.slider import Slider
from tui.widgets.lines import Lines
from tui.widgets.lists.decision import DecisionPanel


class ReplayScreen(ReplayTable):
    """The screen that replays a record file."""

    find_prompt = "Go to a turn (turn 3), or to a battle, card, unit or place by its name"
    KEY_LINE_ENTRIES = (
        key_entry("play", "play"),
        key_entry("go to", "find"),
        key_entry("battle", "part('battle', -1)", "part('battle', 1)"),
        key_entry("comment", "step('remark', -1)", "step('remark', 1)"),
        key_entry("turn", "step('turn', -1)", "step('turn', 1)"),
        key_entry("command", "step('command', -1)", "step('command', 1)"),
        key_entry("event", "step('event', -1)", "step('event', 1)"),
        key_entry("phase", "step('phase', -1)", "step('phase', 1)"),
        key_entry("ends", "end(-1)", "end(1)"),
        key_entry("verdict", "end_page"),
        key_entry("speed", "speed"),
        key_entry("seat", "seat"),
        key_entry("list", "other_panel"),
        key_entry("hand", "hand"),
        key_entry("log", "log"),
        key_entry("zoom", "zoom"),
        key_entry("panels", "panels"),
    )
    BINDINGS = [
        Binding("space", "play", "Start and stop", show=False, priority=True),
        Binding("F", "speed", "Speed: slow, normal, fast", show=False),
        Binding("escape", "close", "Close the card or the battle board", show=False),
        Binding("slash,G", "find", "Go to a turn, battle, card, unit or place", show=False),
        Binding("w", "part('battle', 1)", "Next battle", show=False),
        Binding("W", "part('battle', -1)", "Previous battle", show=False),
        Binding("n", "step('remark', 1)", "Next comment", show=False),
        Binding("p", "step('remark', -1)", "Previous comment", show=False),
        Binding("full_stop", "step('event', 1)", "Next event", show=False, priority=True),
        Binding("comma", "step('event', -1)", "Previous event", show=False),
        Binding("right_square_bracket", "step('command', 1)", "Next command", show=False),
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

    def __init__(
        self, session: ReplaySession, presenter: Presenter, *, start_seq: int = -1
    ) -> None:
        """Create the screen for a record file.

        If the given record number is positive, the screen opens at that record.
        """
        super().__init__(session, presenter)
        self._start_seq = start_seq
        self._slider_target: RecordPosition | None = None
        """Slider position that has yet to be displayed; None if the screen is up to date."""
        self._revealed_seats: set[Role | None] = set()
        """The seats of a running game that the viewer has agreed to see."""

    @override
    def adapt_key_entry(self, entry: KeyLineEntry) -> KeyLineEntry | None:
        if entry.word == "comment" and not self.replay.has_remarks:
            return None
        if entry.word == "play" and self.autoplay is not None and self.autoplay.is_running:
            return key_entry("stop", "play")
        return super().adapt_key_entry(entry)

    def on_mount(self) -> None:
        """Show the first position."""
        self.autoplay = Autoplay(self, self.settings.playback)
        for panel in self.query("#seen").results(Lines):
            panel.set_title("What happened last")
        self.show_position()
        self.map.focus()
        if self._start_seq > 0:
            self.call_after_refresh(self.look_at, self._start_seq)

    # -- navigation

    def look_at(self, seq: int) -> None:
        """Show the first step of a record or, if it has no step, its end."""
        timeline = self.timeline
        number = timeline.step_at(RecordPosition(seq, 0)) + 1
        if number < len(timeline.steps) and timeline.steps[number].at.seq == seq:
            self.go_to_step(number, is_jump=True)
        else:
            self.go(RecordPosition(seq, self.replay.known_event_count(seq)))

    @property
    @override
    def can_replay_here(self) -> bool:
        return True

    @override
    def leave_end_page(self, choice: EndChoice) -> None:
        if choice.action == "look":
            self.look_at(choice.seq)
        elif choice.action == "replay":
            self.action_end(-1)
        else:
            super().leave_end_page(choice)

    def go(self, position: RecordPosition) -> bool:
        """Go to a position in the record. Return False if that position is already on display."""
        is_new = self.replay.go_to_position(position)
        if self._leave_step() or is_new:
            self.show_position()
        return is_new

    def _leave_step(self) -> bool:
        """Close the current step and clear its text. Return False if there was no current step."""
        previous_step, self.step = self.step, None
        if previous_step is not None:
            self.playback_panel.clear()
        return previous_step is not None

    def go_to_step(self, number: int, *, is_jump: bool = False) -> None:
        """Show a step: its text, its card or battle board, and its places on the map.

        Args:
            number: Index of the step.
            is_jump: True if the step does not follow the previous one. The map is then centred on the new step.
        """
        timeline = self.timeline
        step = timeline.steps[number]
        self.replay.go_to_position(step.at)
        self.step = step
        if step.kind is PartKind.COMMENT:
            self.playback_panel.clear()
        else:
            lines = step.playback_step.text.split("\n")
            keys = "Space stop" if self.is_playing else "Space go on  Esc close"
            title = f"{number + 1}/{len(timeline.steps)}"
            self.playback_panel.show_contents(title, lines, keys, step.playback_step.page)
        self.show_position()
        places = step.playback_step.visible_places
        if places:
            self.map.point_at(places[0], is_centred=is_jump)
        scroll_into_view(self.map, places, self.playback_panel.covered_lines)

    def go_to_part(self, part: TimelinePart) -> None:
        """Go to the beginning of a part of the timeline."""
        if part.number < 0:
            self.go(part.at)
        else:
            self.go_to_step(part.number, is_jump=True)

    def show_next(self) -> int:
        """Show the next step and return its duration. After the last step, go to the end of the record and return 0."""
        timeline = self.timeline
        number = timeline.step_at(self.replay.position) + 1
        if number < len(timeline.steps):
            self.go_to_step(number)
            return timeline.steps[number].playback_step.duration
        self.go(RecordPosition(self.replay.last_seq + 1, 0))
        self.show_message("This is the end of the record.")
        self.call_after_refresh(self.show_slider)
        return 0

    @property
    def is_playing(self) -> bool:
        """True while the replay is playing automatically."""
        return self.autoplay is not None and self.autoplay.is_running

    # -- keys

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action is available. `close` requires an open step or a running autoplay."""
        if action == "close":
            return self.step is not None or self.is_playing
        return super().check_action(action, parameters)

    def action_play(self) -> None:
        """Start or stop autoplay. With reduced motion, show the next step instead."""
        assert self.autoplay is not None, "the screen must be mounted"
        if self.settings.reduced_motion:
            self.show_next()
        elif self.autoplay.is_running:
            self.stop()
        else:
            self.autoplay.start()
        self.show_slider()

    def stop(self) -> None:
        """Stop at the current step."""
        assert self.autoplay is not None, "the screen must be mounted"
        self.autoplay.stop()
        if self.step is not None:
            self.go_to_step(self.timeline.step_at(self.replay.position))
        self.show_slider()

    def action_close(self) -> None:
        """Stop the replay and close the step, so that the whole map is visible."""
        assert self.autoplay is not None, "the screen must be mounted"
        self.autoplay.stop()
        self.go(self.replay.position)
        self.show_slider()

    def action_speed(self) -> None:
        """Switch to the next faster speed. After the fastest speed comes the slowest."""
        assert self.autoplay is not None, "the screen must be mounted"
        self.show_message(f"Speed: {self.autoplay.next_speed()}")
        self.show_slider()

    def action_step(self, unit: str, direction: int) -> None:
        """Move one comment, event, command, phase or turn forwards or backwards."""
        steps = {
            "remark": self.replay.step_remark,
            "event": self.replay.step_event,
            "command": self.replay.step_command,
            "phase": self.replay.step_phase,
            "turn": self.replay.step_turn,
        }
        if steps[unit](direction):
            self._leave_step()
            self.show_position()
        else:
            self.show_message("There is nothing more in this direction.")

    def action_part(self, kind: str, direction: int) -> None:
        """Go to the next or previous part of the given kind, such as a battle."""
        timeline_part = self.timeline.neighbour(
            self.replay.position, PartKind[kind.upper()], direction
        )
        if timeline_part is not None:
            self.go_to_part(timeline_part)
        else:
            self.show_message(f"There is no further {kind} in this direction.")

    def action_end(self, direction: int) -> None:
        """Go to the beginning or the end of the record."""
        self.go(RecordPosition(self.replay.last_seq + 1 if direction > 0 else -1, 0))

    @work
    async def action_seat(self) -> None:
        """Switch to the next seat's view. Ask before showing what is hidden from the players of a running game.

        If the viewer does not want to see a seat, continue with the next one.
        """
        seats = self.replay.seats()
        index = seats.index(self.replay.shown_role)
        for seat in (*seats[index + 1 :], *seats[:index]):
            question = spoiler_question(self.replay, self.presenter, seat)
            if question and seat not in self._revealed_seats:
                if not await self.app.push_screen_wait(SureDialog(question)):
                    continue
                self._revealed_seats.add(seat)
            self.replay.switch_role(seat)
            self._leave_step()
            self.show_position()
            return

    @override
    def search(self, query: str) -> tuple[Found, ...]:
        """Find events that match the words, then places, units and cards in the current position."""
        return (*self.timeline.search(query, self.replay.position), *super().search(query))

    @override
    def show_found(self, found_entry: Found) -> None:
        if isinstance(found_entry, TimelineMatch):
            self.go_to_part(found_entry.part)
        else:
            super().show_found(found_entry)

    # -- the mouse

    @on(DecisionPanel.Chosen)
    def go_to_chosen_part(self, event: DecisionPanel.Chosen) -> None:
        """Go to the part of the timeline that the chosen line lists."""
        event.stop()
        part = event.choice.command
        assert isinstance(part, TimelinePart), "the list must contain only parts of the timeline"
        self.go_to_part(part)

    @on(Slider.Pressed)
    def slider_pressed(self) -> None:
        """Start or stop autoplay."""
        self.action_play()

    @on(Slider.Moved)
    def slider_moved(self, event: Slider.Moved) -> None:
        """Follow the mouse on the slider. If the mouse moves too fast, skip intermediate positions."""
        is_waiting = self._slider_target is not None
        self._slider_target = event.position or RecordPosition(
            event.seq, self.replay.known_event_count(event.seq)
        )
        if not is_waiting:
            self.call_after_refresh(self._go_to_slider_target)

    def _go_to_slider_target(self) -> None:
        target, self._slider_target = self._slider_target, None
        if target is not None:
            self.go(target)
