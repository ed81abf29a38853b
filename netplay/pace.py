"""When the answer of a response window goes out: at a time that follows from public things alone.

A window asks everybody who could have an answer as far as the table knows. So how soon a seat answers must not
tell whether it had something to choose from. Every answer, by itself or by hand, is held back until a fixed time
after the window came to this seat; what is passed automatically goes out exactly then.
"""

import time
from collections.abc import Callable
from typing import Any, Final

from engine.kernel.ids import Role
from engine.registry import AnyRuleset

WINDOW_SECONDS: Final = 0.15
"""From the question of a window to the first moment at which its answer is sent."""


class Pace:
    """The clock of one seat's windows; it looks at who is asked and at the heading, never at a hand."""

    def __init__(
        self,
        ruleset: AnyRuleset,
        seconds: float = WINDOW_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start the clock.

        Args:
            ruleset: The rules.
            seconds: How long an answer is held back; 0 for a table without people.
            clock: Seconds that never go back.
        """
        self._ruleset = ruleset
        self._seconds = seconds
        self._clock = clock
        self._asked: frozenset[Role] = frozenset()
        self._heading = ""
        self._since = clock()

    def slow_down(self, seconds: float) -> None:
        """Hold answers back for as long as the table wants; a table without people never waits."""
        if self._seconds:
            self._seconds = max(self._seconds, seconds)

    def saw(self, state: Any, *, is_own: bool) -> None:  # noqa: ANN401  # any game's state
        """Look at the state after new records; the clock starts anew when a new question is public.

        That is: somebody is asked who was not, the heading changed, or this seat has given a command.

        Args:
            state: What this seat's copy holds now.
            is_own: Whether a command of this seat was among the records.
        """
        asked, heading = frozenset(self._ruleset.asked(state)), self._ruleset.heading(state)
        if is_own or asked - self._asked or heading != self._heading:
            self._since = self._clock()
        self._asked, self._heading = asked, heading

    def left(self) -> float:
        """Return how many seconds an answer must still wait; 0 or less when it may go out."""
        return self._since + self._seconds - self._clock()
