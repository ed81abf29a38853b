"""The state of a playback, independent of any screen: the current step and its position."""

from typing import Any, Final

from msgspec.structs import replace

from engine.kernel.ids import Role
from engine.kernel.ruleset import View
from engine.registry import AnyState
from play.event_history import EventCursor, SeenEvent
from play.session import Session
from tui.panels.playback_step import PlaybackStep, combine_moves
from tui.presenter.presenter import Presenter

_MAX_RECORDS_BACK: Final = 60
"""Maximum number of records to search backwards for the start of a current battle."""


class PlaybackRun:
    """The playback of all events since a given record, step by step."""

    def __init__(
        self,
        session: Session,
        presenter: Presenter,
        start_seq: int,
        *,
        is_slow_connection: bool = False,
    ) -> None:
        """Start the playback after record number `start_seq`. On a slow connection, combine moves into fewer steps."""
        self._is_slow_connection = is_slow_connection
        self._session = session
        self._presenter = presenter
        self.start_seq = start_seq
        self._role: Role | None = session.role
        self._cursor: EventCursor[Any] | None = None
        self.seen_events: tuple[SeenEvent, ...] = ()
        self.playback_steps: tuple[PlaybackStep, ...] = ()
        self.detailed_steps: tuple[PlaybackStep, ...] = ()
        """All steps. `playback_steps` may be a summary of them."""
        self.view_before: View = session.project(session.records.event_cursor(start_seq).state)
        self._shown_count = 0
        """Number of events shown so far."""
        self.playback_step: PlaybackStep | None = None
        """The current step; None before the first step and after the last step."""

    def collect_events(self) -> bool:
        """Collect new events. Return whether there are steps that have not been shown."""
        seen_events = self._session.records.seen_events(self.start_seq)
        if len(seen_events) != len(self.seen_events) or self._role != self._session.role:
            self._role = self._session.role
            self.seen_events = seen_events
            # Discard the cursor, because it may have applied events that are no longer listed, and
            # it cannot move back.
            self._cursor = None
            self.detailed_steps = self._build_steps()
            playback_steps = self._presenter.playback_summary(
                seen_events, self.detailed_steps, self.view_before
            )
            self.playback_steps = (
                combine_moves(playback_steps) if self._is_slow_connection else playback_steps
            )
        return self.has_more

    def _build_steps(self) -> tuple[PlaybackStep, ...]:
        """Return the steps. If a battle was already in progress, its steps continue on the same board."""
        session, presenter = self._session, self._presenter
        view, first_seq = session.known_view(), max(self.start_seq - _MAX_RECORDS_BACK, 0)
        if not presenter.battle_lines(self.view_before) or session.records.has_takebacks(first_seq):
            return presenter.playback_steps(self.seen_events, self.view_before, view)
        seen_events = session.records.seen_events(first_seq)
        earlier_count = len(seen_events) - len(self.seen_events)
        playback_steps = presenter.playback_steps(
            seen_events, session.project(session.records.event_cursor(first_seq).state), view
        )
        # The presenter's event counts include the earlier events, so subtract their number.
        return tuple(
            replace(playback_step, event_count=playback_step.event_count - earlier_count)
            for playback_step in playback_steps
            if playback_step.event_count > earlier_count
        )

    @property
    def has_more(self) -> bool:
        """True if there are steps that have not been shown."""
        return bool(self.playback_steps) and self.playback_steps[-1].event_count > self._shown_count

    @property
    def shown_events(self) -> tuple[SeenEvent, ...]:
        """The events up to the current step."""
        return self.seen_events[: self._shown_count]

    @property
    def shown_details(self) -> tuple[PlaybackStep, ...]:
        """The detailed steps up to the current step."""
        return tuple(step for step in self.detailed_steps if step.event_count <= self._shown_count)

    @property
    def step_number(self) -> int:
        """Number of the current step, counted from 1; 0 before the first step."""
        return sum(
            playback_step.event_count <= self._shown_count for playback_step in self.playback_steps
        )

    def advance(self) -> PlaybackStep | None:
        """Advance to the next step and return it; None after the last step."""
        frames_left = (
            playback_step
            for playback_step in self.playback_steps
            if playback_step.event_count > self._shown_count
        )
        self.playback_step = next(frames_left, None)
        if self.playback_step is not None:
            self._shown_count = self.playback_step.event_count
        return self.playback_step

    def finish(self) -> None:
        """Skip to the position after the last step."""
        self._shown_count = len(self.seen_events)
        self.playback_step = None

    def rewind(self) -> None:
        """Return to the position before the first step."""
        self._shown_count = 0
        self._cursor = None
        self.playback_step = None

    def state(self) -> AnyState:
        """Return the state at the current step."""
        if self._cursor is None:
            self._cursor = self._session.records.event_cursor(self.start_seq)
        if not self._shown_count:
            return self._cursor.state
        last_event = self.seen_events[self._shown_count - 1]
        return self._cursor.advance_to(last_event.seq, last_event.number)

    def view(self) -> View:
        """Return the player's view at the current step."""
        return self._session.project(self.state())
