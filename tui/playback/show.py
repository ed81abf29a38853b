"""A playback as it runs, without a screen: which step is shown, and the table at that step."""

from typing import Any, Final

from msgspec.structs import replace

from engine.kernel.ids import Role
from engine.kernel.ruleset import View
from play.chronicle import Fact, Reel
from play.session import Session
from tui.playback.beat import Beat, gathered
from tui.presenter import Presenter

_LOOKED_BACK: Final = 60
"""Records in which a battle that is under way was begun."""


class Show:
    """What happened since a record, step by step, as far as it is known by now."""

    def __init__(
        self, session: Session, presenter: Presenter, after: int, *, is_thrifty: bool = False
    ) -> None:
        """Begin behind a record; a thrifty one has fewer steps."""
        self._is_thrifty = is_thrifty
        self._session = session
        self._presenter = presenter
        self.after = after
        self._role: Role | None = session.role
        self._reel: Reel[Any] | None = None
        self.facts: tuple[Fact, ...] = ()
        self.beats: tuple[Beat, ...] = ()
        self.before: View = session.view_of(session.reel(after).state)
        self._seen = 0
        """Facts that were shown, counted from the first one."""
        self.beat: Beat | None = None
        """The step that is shown."""

    def gather(self) -> bool:
        """Take in what has happened meanwhile; return whether there is a step that was not shown."""
        facts = self._session.facts(self.after)
        if len(facts) != len(self.facts) or self._role != self._session.role:
            self._role = self._session.role
            self.facts = facts
            self._reel = None
            beats = self._told()
            self.beats = gathered(beats) if self._is_thrifty else beats
        return self.has_more

    def _told(self) -> tuple[Beat, ...]:
        """Return the steps; what goes on in a battle that was begun before is told on its board as it stood then."""
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
        """Return whether a step was not shown yet."""
        return bool(self.beats) and self.beats[-1].upto > self._seen

    @property
    def seen_facts(self) -> tuple[Fact, ...]:
        """Return what has happened up to the step that is shown."""
        return self.facts[: self._seen]

    @property
    def number(self) -> int:
        """Return the number of the step that is shown, from 1 on; 0 before the first."""
        return sum(beat.upto <= self._seen for beat in self.beats)

    def step(self) -> Beat | None:
        """Go to the next step; None behind the last one."""
        ahead = (beat for beat in self.beats if beat.upto > self._seen)
        self.beat = next(ahead, None)
        if self.beat is not None:
            self._seen = self.beat.upto
        return self.beat

    def finish(self) -> None:
        """Go behind the last step."""
        self._seen = len(self.facts)
        self.beat = None

    def rewind(self) -> None:
        """Go back to before the first step."""
        self._seen = 0
        self._reel = None
        self.beat = None

    def state(self) -> Any:  # noqa: ANN401  (a state is opaque here)
        """Return the position at the step that is shown."""
        if self._reel is None:
            self._reel = self._session.reel(self.after)
        if not self._seen:
            return self._reel.state
        last = self.facts[self._seen - 1]
        return self._reel.forward(last.seq, last.number)

    def view(self) -> View:
        """Return what the seat sees at the step that is shown."""
        return self._session.view_of(self.state())
