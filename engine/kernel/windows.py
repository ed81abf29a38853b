"""Response windows: two sides are polled in turn until both have passed, whatever the game.

Within a poll the members of a side are asked one after the other. An answer ends the poll, and the other side is
polled next; a poll without an answer is a pass of the side.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeVar

R = TypeVar("R", bound=str)

PASSES_TO_CLOSE: Final = 2
"""Polls in a row without an answer that close a window."""


class Poll(NamedTuple):
    """Where a window stands."""

    turn: int = 0
    """Polls begun after the first one."""
    polled: int = 0
    """Members of the side that this poll has gone past."""
    passes: int = 0
    """Polls in a row without an answer."""

    def passed(self) -> "Poll":
        """Return the poll after a member had nothing to answer."""
        return Poll(self.turn, self.polled + 1, self.passes)

    def answered(self) -> "Poll":
        """Return the poll after an answer: that of the other side, and passes count from the beginning."""
        return Poll(self.turn + 1)


def is_first_side(turn: int) -> bool:
    """Return whether a poll is that of the side which was asked first."""
    return turn % 2 == 0


def next_to_ask(
    poll: Poll, members: Callable[[int], Sequence[R]], could: Callable[[R], bool]
) -> Poll | None:
    """Return the poll at the next member who could have an answer, None when the window closes.

    Args:
        poll: Where the window stands.
        members: Who is asked in the poll of such a turn, in order.
        could: Whether a member could have an answer as far as the table knows.
    """
    turn, polled, passes = poll
    while passes < PASSES_TO_CLOSE:
        order = members(turn)
        for number in range(polled, len(order)):
            if could(order[number]):
                return Poll(turn, number, passes)
        turn, polled, passes = turn + 1, 0, passes + 1
    return None
