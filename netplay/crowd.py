"""Many of a kind, by whose they are: who gives way when they are too many, and whose turn is next."""

from collections import OrderedDict
from collections.abc import Iterator
from itertools import chain
from typing import Generic, TypeVar

T = TypeVar("T")


class Crowd(Generic[T]):
    """Members of some origins, in the order in which they came."""

    def __init__(self) -> None:
        """Hold nobody yet."""
        self._by_origin: OrderedDict[str, OrderedDict[T, None]] = OrderedDict()
        """Origins in the order of their turns; none of them is empty."""
        self._count = 0

    def __len__(self) -> int:
        """Return how many there are."""
        return self._count

    def __iter__(self) -> Iterator[T]:
        """Yield everybody, origin by origin."""
        return chain.from_iterable(self._by_origin.values())

    def add(self, origin: str, member: T) -> None:
        """Take somebody in, if they are not here; an origin of which nobody was here has the next turn."""
        members = self._by_origin.get(origin)
        if members is not None and member in members:
            return
        if members is None:
            members = self._by_origin[origin] = OrderedDict()
            self._by_origin.move_to_end(origin, last=False)
        members[member] = None
        self._count += 1

    def discard(self, origin: str, member: T) -> None:
        """Let somebody go; nothing happens if they are not here."""
        members = self._by_origin.get(origin)
        if members is None or member not in members:
            return
        del members[member]
        self._count -= 1
        if not members:
            del self._by_origin[origin]

    def oldest_of_most(self) -> T:
        """Return who gives way: who came first of the origin that has the most. Somebody must be here."""
        most = max(self._by_origin.values(), key=len)
        return next(iter(most))

    def next_in_turn(self) -> T:
        """Return whose turn it is, and let them go: origins take turns, and of each the newest is first.

        Who came last is most likely to still wait for it. Somebody must be here.
        """
        origin, members = next(iter(self._by_origin.items()))
        member = next(reversed(members))
        self._by_origin.move_to_end(origin)
        self.discard(origin, member)
        return member
