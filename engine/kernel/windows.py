"""Response windows for any game: two sides are polled in turn until both have passed.

In a poll, one side's members are asked one after another. A response ends the poll, and the other side is polled next.
A poll without a response counts as a pass by that side.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeVar

R = TypeVar("R", bound=str)

PASSES_TO_CLOSE: Final = 2
"""A window closes after this many consecutive polls without a response."""


class Poll(NamedTuple):
    """How far the polling in a window has got."""

    turn: int = 0
    """Index of the current poll, from 0."""
    polled: int = 0
    """Index of the member to ask, in the side's fixed order."""
    passes: int = 0
    """Number of consecutive polls without a response."""

    def after_pass(self) -> "Poll":
        """Return the poll after a member has declined to respond."""
        return Poll(self.turn, self.polled + 1, self.passes)

    def after_answer(self) -> "Poll":
        """Return the poll after a response. It is now the other side's turn, and the pass count restarts."""
        return Poll(self.turn + 1)


def is_first_side(turn: int) -> bool:
    """Return whether the side that was asked first is being polled."""
    return turn % 2 == 0


def next_poll(
    poll: Poll, members: Callable[[int], Sequence[R]], can_answer: Callable[[R], bool]
) -> Poll | None:
    """Advance to the next member who could respond. Return None if the window closes.

    Args:
        poll: The window's progress.
        members: Returns the members who are asked in a given turn, in order.
        can_answer: Returns whether a member could respond as far as is publicly known.
    """
    turn, polled_roles, passes = poll
    while passes < PASSES_TO_CLOSE:
        order = members(turn)
        for number in range(polled_roles, len(order)):
            if can_answer(order[number]):
                return Poll(turn, number, passes)
        turn, polled_roles, passes = turn + 1, 0, passes + 1
    return None
