"""Implements a queue in which origins take turns, and which evicts members of the origin that has the most."""

from collections import OrderedDict
from collections.abc import Iterator
from itertools import chain
from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    """A queue whose members are grouped by origin, in order of arrival within each origin."""

    def __init__(self) -> None:
        """Create an empty queue."""
        self._by_origin: OrderedDict[str, OrderedDict[T, None]] = OrderedDict()
        """The members by origin. The origins are in the order of their turns. Each of them has at least one member."""
        self._count = 0

    def __len__(self) -> int:
        """Return the number of members."""
        return self._count

    def __iter__(self) -> Iterator[T]:
        """Yield every member, origin by origin."""
        return chain.from_iterable(self._by_origin.values())

    def add(self, origin: str, member: T) -> None:
        """Add a member unless it is already in the queue. An origin that had no members gets the next turn."""
        members = self._by_origin.get(origin)
        if members is not None and member in members:
            return
        if members is None:
            members = self._by_origin[origin] = OrderedDict()
            # A new origin is placed before all others, so a flood from them delays it by at most
            # one connection.
            self._by_origin.move_to_end(origin, last=False)
        members[member] = None
        self._count += 1

    def discard(self, origin: str, member: T) -> None:
        """Remove a member if it is in the queue."""
        members = self._by_origin.get(origin)
        if members is None or member not in members:
            return
        del members[member]
        self._count -= 1
        if not members:
            del self._by_origin[origin]

    def eviction_candidate(self) -> T:
        """Return the oldest member from the origin with the most members. The queue must not be empty."""
        largest = max(self._by_origin.values(), key=len)
        return next(iter(largest))

    def pop_next(self) -> T:
        """Remove and return the next member.

        Origins take turns. The newest member from each origin comes first, because it is the most likely to be still
        waiting. The queue must not be empty.
        """
        origin, members = next(iter(self._by_origin.items()))
        member = next(reversed(members))
        self._by_origin.move_to_end(origin)
        self.discard(origin, member)
        return member
