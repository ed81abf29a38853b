"""The state of a running playback, independent of any screen: the current step and its position."""

from typing import Any, Final

from msgspec.structs import replace

from engine.kernel.ids import Role
from engine.kernel.ruleset import View
from play.event_history import EventCursor, SeenEvent
from play.session import Session
from tui.playback.step import PlaybackStep, gathered
from tui.presenter import Presenter

_LOOKED_BACK: Final = 60
"""Number of records to search backwards for the start of a current battle."""


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
        self._reel: EventCursor[Any] | None = None
        self.facts: tuple[SeenEvent, ...] = ()
        self.beats: tuple[PlaybackStep, ...] = ()
        self.before: View = session.view_of(session.reel(after).state)
        self._seen = 0
        """Number of facts shown so far."""
        self.beat: PlaybackStep | None = None
        """The current step; None before the first and after the last."""

    def gather(self) -> bool:
        """Collect new events; return whether there are steps that have not been shown."""
        facts = self._session.facts(self.after)
        if len(facts) != len(self.facts) or self._role != self._session.role:
            self._role = self._session.role
            self.facts = facts
            self._reel = None
            beats = self._told()
            self.beats = gathered(beats) if self._is_thrifty else beats
        return self.has_more

    def _told(self) -> tuple[PlaybackStep, ...]:
        """Return the steps. A battle that began earlier continues on its board as it was then."""
        session, presenter = self._session, self._presenter
        now, first = session.known_view(), max(self.after - _LOOKED_BACK, 0)
        if not presenter.battle_lines(self.before) or session.went_back(first):
            return presenter.beats(self.facts, self.before, now)
        facts = session.facts(first)
        earlier = len(facts) - len(self.facts)
        beats = presenter.beats(facts, session.view_of(session.reel(first).state), now)
        return tuple(
            replace(beat, upto=beat.upto - earlier) for beat in beats if beat.upto > earlier
        )

    @property
    def has_more(self) -> bool:
        """True if there are steps that have not been shown."""
        return bool(self.beats) and self.beats[-1].upto > self._seen

    @property
    def seen_facts(self) -> tuple[SeenEvent, ...]:
        """The events up to the current step."""
        return self.facts[: self._seen]

    @property
    def number(self) -> int:
        """Number of the current step, counted from 1; 0 before the first."""
        return sum(beat.upto <= self._seen for beat in self.beats)

    def step(self) -> PlaybackStep | None:
        """Advance to the next step and return it; None after the last one."""
        ahead = (beat for beat in self.beats if beat.upto > self._seen)
        self.beat = next(ahead, None)
        if self.beat is not None:
            self._seen = self.beat.upto
        return self.beat

    def finish(self) -> None:
        """Skip to the end."""
        self._seen = len(self.facts)
        self.beat = None

    def rewind(self) -> None:
        """Return to the position before the first step."""
        self._seen = 0
        self._reel = None
        self.beat = None

    def state(self) -> Any:  # noqa: ANN401  (a state is opaque here)
        """Return the state at the current step."""
        if self._reel is None:
            self._reel = self._session.reel(self.after)
        if not self._seen:
            return self._reel.state
        last = self.facts[self._seen - 1]
        return self._reel.forward(last.seq, last.number)

    def view(self) -> View:
        """Return the player's view at the current step."""
        return self._session.view_of(self.state())
