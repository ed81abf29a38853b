"""The delay before a response-window answer is sent, which depends only on public information.

A window asks every seat that could have an answer from the other players' point of view. The time that a seat takes
must not reveal whether it had anything to choose from. So every answer, automatic or by hand, is held back until a
fixed time after the window reached this seat. Automatic passes are sent at exactly that time.
"""

import time
from collections.abc import Callable
from typing import Any, Final

from engine.kernel.ids import Role
from engine.registry import AnyRuleset

WINDOW_SECONDS: Final = 0.15
"""Minimum time between the question of a window and sending the answer."""


class AnswerDelay:
    """The timer for one seat's response windows. It uses the roles asked and the heading, but never a hand."""

    def __init__(
        self,
        ruleset: AnyRuleset,
        seconds: float = WINDOW_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start the timer.

        Args:
            ruleset: The rules of the game.
            seconds: How long to hold back an answer; 0 for a match without people.
            clock: Monotonic clock, in seconds.
        """
        self._ruleset = ruleset
        self._seconds = seconds
        self._clock = clock
        self._asked: frozenset[Role] = frozenset()
        self._heading = ""
        self._since = clock()

    def slow_down(self, seconds: float) -> None:
        """Use the match's delay if it is longer. A match without people never waits."""
        if self._seconds:
            self._seconds = max(self._seconds, seconds)

    def saw(self, state: Any, *, is_own: bool) -> None:  # noqa: ANN401  # any game's state
        """Look at the state after new records, and restart the timer if there is a new public question.

        That is the case if a role is newly asked, the heading has changed, or this seat has given a command.

        Args:
            state: State of this seat's copy.
            is_own: Whether the records included a command of this seat.
        """
        asked, heading = frozenset(self._ruleset.asked(state)), self._ruleset.heading(state)
        if is_own or asked - self._asked or heading != self._heading:
            self._since = self._clock()
        self._asked, self._heading = asked, heading

    def left(self) -> float:
        """Return the seconds until an answer may be sent; 0 or less if it may be sent now."""
        return self._since + self._seconds - self._clock()
