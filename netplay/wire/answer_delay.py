"""Delays the answer to a response window by a time that depends only on public information.

Every seat that could respond according to public information is asked. The time that a seat takes must not reveal
whether it had a choice, so no answer is sent before a fixed time after the seat was asked. Automatic passes are sent at
exactly that time.
"""

import time
from collections.abc import Callable
from typing import Final

from engine.kernel.ids import Role
from engine.registry import AnyRuleset, AnyState

WINDOW_SECONDS: Final = 0.15
"""Minimum time, in seconds, between the opening of a window and an answer."""


class AnswerDelay:
    """Measures how long one seat must still wait before it answers a response window.

    The timing depends on the roles asked and the decision's heading, but never on a hand.
    """

    def __init__(
        self,
        ruleset: AnyRuleset,
        seconds: float = WINDOW_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start the timer.

        Args:
            ruleset: The game's rules.
            seconds: Minimum delay before an answer; 0 for a match without people.
            clock: Monotonic clock, in seconds.
        """
        self._ruleset = ruleset
        self._seconds = seconds
        self._clock = clock
        self._active_roles: frozenset[Role] = frozenset()
        self._heading = ""
        self._started_at = clock()

    def raise_minimum(self, seconds: float) -> None:
        """Use the given delay if it is longer than the current one.

        A delay of 0, as in a match without people, stays 0.
        """
        if self._seconds:
            self._seconds = max(self._seconds, seconds)

    def on_state(self, state: AnyState, *, is_own: bool) -> None:
        """Restart the timer if there is a new decision after new records.

        A decision is new if another role is asked, the heading has changed, or this seat has given a command.

        Args:
            state: This seat's current state.
            is_own: True if the records included one of this seat's commands.
        """
        active_roles, heading = (
            frozenset(self._ruleset.active_roles(state)),
            self._ruleset.heading(state),
        )
        if is_own or active_roles - self._active_roles or heading != self._heading:
            self._started_at = self._clock()
        self._active_roles, self._heading = active_roles, heading

    def remaining_seconds(self) -> float:
        """Return the seconds until an answer may be sent; 0 or less if it may be sent now."""
        return self._started_at + self._seconds - self._clock()
