"""The state of a running playback, independent of any screen: the current step and its position."""

from typing import Any, Final

from msgspec.structs import replace

from engine.kernel.ids import Role
from engine.kernel.ruleset import View
from engine.registry import AnyState
from play.event_history import EventCursor, SeenEvent
from play.session import Session
from tui.playback.step import PlaybackStep, combine_moves
from tui.presenter import Presenter

_LOOKED_BACK: Final = 60
"""Maximum number of records to search backwards for the start of a current battle."""


class PlaybackRun:
    """All events since a given record, step by step."""

    def __init__(
        self, session: Session, presenter: Presenter, after: int, *, is_thrifty: bool = False
    ) -> None:
        """Start after the record `after`; with `is_thrifty`, combine moves into fewer steps."""
        self._is_thrifty = is_thrifty
        self._session = session
        self._presenter = presenter
        self.after = after
        self._role: Role | None = session.role
        self._cursor: EventCursor[Any] | None = None
        self.seen_events: tuple[SeenEvent, ...] = ()
        self.playback_steps: tuple[PlaybackStep, ...] = ()
        self.before: View = session.project(session.event_cursor(after).state)
        self._seen = 0
        """Number of facts shown so far."""
        self.playback_step: PlaybackStep | None = None
        """The current step; None before the first and after the last."""

    def collect_events(self) -> bool:
        """Collect new events; return whether there are steps that have not been shown."""
        seen_events = self._session.seen_events(self.after)
        if len(seen_events) != len(self.seen_events) or self._role != self._session.role:
            self._role = self._session.role
            self.seen_events = seen_events
            self._cursor = None
            playback_steps = self._build_steps()
            self.playback_steps = (
                combine_moves(playback_steps) if self._is_thrifty else playback_steps
            )
        return self.has_more

    def _build_steps(self) -> tuple[PlaybackStep, ...]:
        """Return the steps. A battle that was already in progress continues on its existing board."""
        session, presenter = self._session, self._presenter
        now, first = session.known_view(), max(self.after - _LOOKED_BACK, 0)
        if not presenter.battle_lines(self.before) or session.has_takebacks(first):
            return presenter.playback_steps(self.seen_events, self.before, now)
        seen_events = session.seen_events(first)
        earlier = len(seen_events) - len(self.seen_events)
        playback_steps = presenter.playback_steps(
            seen_events, session.project(session.event_cursor(first).state), now
        )
        return tuple(
            replace(playback_step, event_count=playback_step.event_count - earlier)
            for playback_step in playback_steps
            if playback_step.event_count > earlier
        )

    @property
    def has_more(self) -> bool:
        """True if there are steps that have not been shown."""
        return bool(self.playback_steps) and self.playback_steps[-1].event_count > self._seen

    @property
    def shown_events(self) -> tuple[SeenEvent, ...]:
        """The events up to the current step."""
        return self.seen_events[: self._seen]

    @property
    def number(self) -> int:
        """Number of the current step, counted from 1; 0 before the first."""
        return sum(playback_step.event_count <= self._seen for playback_step in self.playback_steps)

    def step(self) -> PlaybackStep | None:
        """Advance to the next step and return it; None after the last one."""
        ahead = (
            playback_step
            for playback_step in self.playback_steps
            if playback_step.event_count > self._seen
        )
        self.playback_step = next(ahead, None)
        if self.playback_step is not None:
            self._seen = self.playback_step.event_count
        return self.playback_step

    def finish(self) -> None:
        """Skip to the end."""
        self._seen = len(self.seen_events)
        self.playback_step = None

    def rewind(self) -> None:
        """Return to the position before the first step."""
        self._seen = 0
        self._cursor = None
        self.playback_step = None

    def state(self) -> AnyState:
        """Return the state at the current step."""
        if self._cursor is None:
            self._cursor = self._session.event_cursor(self.after)
        if not self._seen:
            return self._cursor.state
        last = self.seen_events[self._seen - 1]
        return self._cursor.advance_to(last.seq, last.number)

    def view(self) -> View:
        """Return the player's view at the current step."""
        return self._session.project(self.state())
