"""Response windows, in any game: two sides are polled in turn until both have passed.

In a poll, the members of one side are asked one after another. An answer ends the poll, and the other side is polled
next. A poll without an answer counts as a pass by that side.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeVar

R = TypeVar("R", bound=str)

PASSES_TO_CLOSE: Final = 2
"""Number of consecutive polls without an answer that closes a window."""


class Poll(NamedTuple):
    """The progress of a window."""

    turn: int = 0
    """Number of polls begun after the first one."""
    polled: int = 0
    """Number of members of this side that the poll has already passed."""
    passes: int = 0
    """Number of consecutive polls without an answer."""

    def after_pass(self) -> "Poll":
        """Return the poll after a member had no answer."""
        return Poll(self.turn, self.polled + 1, self.passes)

    def after_answer(self) -> "Poll":
        """Return the poll after an answer. It is the other side's turn, and the count of passes restarts."""
        return Poll(self.turn + 1)


def is_first_side(turn: int) -> bool:
    """Return whether the side that was asked first is being polled."""
    return turn % 2 == 0


def next_poll(
    poll: Poll, members: Callable[[int], Sequence[R]], could_answer: Callable[[R], bool]
) -> Poll | None:
    """Return the poll at the next member who could answer, or None if the window closes.

    Args:
        poll: The progress of the window.
        members: Returns the members that are asked in a given turn, in order.
        could: Returns whether, from public information alone, a member could have an answer.
    """
    turn, polled, passes = poll
    while passes < PASSES_TO_CLOSE:
        order = members(turn)
        for number in range(polled, len(order)):
            if could_answer(order[number]):
                return Poll(turn, number, passes)
        turn, polled, passes = turn + 1, 0, passes + 1
    return None
