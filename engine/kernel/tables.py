"""Result tables for die rolls. Creating a table checks its ranges."""

from collections.abc import Iterable
from typing import Final, Generic, TypeVar

T = TypeVar("T")


class DieTable(Generic[T]):
    """A table that gives a result for each total. Each row has its lowest total, its highest total and the result."""

    def __init__(self, *rows: tuple[int, int, T], is_clamped: bool = True) -> None:
        """Create a table from rows in ascending order, without gaps or overlaps.

        Args:
            rows: The inclusive ranges, each with its result.
            is_clamped: True if totals below or above the table give its first or last result, False if they are an
                error.

        Raises:
            ValueError: The rows leave a gap, overlap or are out of order.
        """
        if not rows:
            raise ValueError("a table needs rows")
        self._lowest_key: Final = rows[0][0]
        self._results: Final = tuple(_expand_rows(rows))
        self._is_clamped = is_clamped

    def result(self, total: int) -> T:
        """Return the result for a total."""
        place = total - self._lowest_key
        if self._is_clamped:
            place = min(max(place, 0), len(self._results) - 1)
        assert 0 <= place < len(self._results), ("the total must be on the table", total)
        return self._results[place]


def _expand_rows(rows: Iterable[tuple[int, int, T]]) -> Iterable[T]:
    """Yield the result for each total, in ascending order of totals."""
    expected_first: int | None = None
    for first, last, result in rows:
        if expected_first not in (None, first):
            raise ValueError(f"the row of {first} to {last} should begin at {expected_first}")
        if last < first:
            raise ValueError(f"the row of {first} to {last} ends before it begins")
        yield from [result] * (last - first + 1)
        expected_first = last + 1
