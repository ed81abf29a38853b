"""Items grouped by origin, with fair turns and fair eviction."""

from collections import OrderedDict
from collections.abc import Iterator
from itertools import chain
from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    """Members grouped by origin; within an origin, in order of arrival."""

    def __init__(self) -> None:
        """Start empty."""
        self._by_origin: OrderedDict[str, OrderedDict[T, None]] = OrderedDict()
        """Origins in the order of their turns. No origin is empty."""
        self._count = 0

    def __len__(self) -> int:
        """Return the number of members."""
        return self._count

    def __iter__(self) -> Iterator[T]:
        """Yield every member, origin by origin."""
        return chain.from_iterable(self._by_origin.values())

    def add(self, origin: str, member: T) -> None:
        """Add a member unless it is already there. An origin without members gets the next turn."""
        members = self._by_origin.get(origin)
        if members is not None and member in members:
            return
        if members is None:
            members = self._by_origin[origin] = OrderedDict()
            self._by_origin.move_to_end(origin, last=False)
        members[member] = None
        self._count += 1

    def discard(self, origin: str, member: T) -> None:
        """Remove a member, if it is there."""
        members = self._by_origin.get(origin)
        if members is None or member not in members:
            return
        del members[member]
        self._count -= 1
        if not members:
            del self._by_origin[origin]

    def oldest_of_most(self) -> T:
        """Return the member to evict: the oldest of the origin with the most members. There must be at least one."""
        most = max(self._by_origin.values(), key=len)
        return next(iter(most))

    def next_in_turn(self) -> T:
        """Remove and return the next member: origins take turns, and each gives its newest member first.

        The newest is the most likely to be still waiting. There must be at least one member.
        """
        origin, members = next(iter(self._by_origin.items()))
        member = next(reversed(members))
        self._by_origin.move_to_end(origin)
        self.discard(origin, member)
        return member
