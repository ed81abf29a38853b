"""Chart types that choose a column, find the cell for a total, and mark assumed values.

Charts are plain data without rules. Most chart types have a `look_up` method, which returns the cell or entry with the
result and its origin.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Generic, Literal, Protocol, TypeAlias, TypeVar

import msgspec

R = TypeVar("R")
Provenance: TypeAlias = Literal["seed", "inferred", "assumed", "printed"]
"""The source of a value: the rulebook, an inference from it, an assumption, or a player's printed component."""
Origin: TypeAlias = Provenance | Mapping[str, Provenance]
"""The origin of an entry's values: one for the whole entry, or one for each field."""
Small: TypeAlias = Annotated[int, msgspec.Meta(ge=-999, le=999)]
"""A number printed on a component."""

_EACH_PATTERN: Final = re.compile(r"(?P<each>[+-]?\d{1,2}) each, max (?P<most>[+-]?\d{1,2})")


def is_assumed(origin: Origin) -> bool:
    """Return whether a value or any of its fields is an assumption."""
    return origin == "assumed" or (isinstance(origin, Mapping) and "assumed" in origin.values())


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base class of all chart entries. ``prov`` is the origin of an entry's values."""

    prov: Origin = "printed"
    note: str = ""

    @property
    def is_assumed(self) -> bool:
        """Return whether this value is assumed, because the rulebook does not supply it."""
        return is_assumed(self.prov)


class Cell(Row, Generic[R], frozen=True, kw_only=True):
    """A chart cell: the result for an inclusive range of modified die rolls."""

    lo: Small
    hi: Small
    result: R


class Bracketed(Protocol):
    """A column or row that covers a range of numbers or, if both limits are None, is found by name."""

    @property
    def min(self) -> int | None:
        """The lowest number in the range, or None for no limit."""

    @property
    def max(self) -> int | None:
        """The highest number in the range, or None for no limit."""


B = TypeVar("B", bound=Bracketed)


class Column(Row, Generic[R], frozen=True, kw_only=True):
    """A chart column in which a die roll selects the result."""

    key: str
    """The column heading."""
    min: Small | None = None
    max: Small | None = None
    cells: tuple[Cell[R], ...]


class ChartEntry(Row, Generic[R], frozen=True, kw_only=True):
    """A chart column with a single result, which needs no die roll."""

    key: str
    min: Small | None = None
    max: Small | None = None
    result: R


class ChartModifier(Row, frozen=True, kw_only=True):
    """A die roll modifier listed on a chart."""

    id: str
    when: str
    """Description of when the modifier applies."""
    value: Small | str = msgspec.field(name="drm")
    """A number, or a rule for computing it: ``+box``, ``per die``, ``lookup``, ``-1 each, max -3``."""
    exclusive_group: str = ""
    """Name shared by modifiers that exclude each other. At most one of them applies to a roll."""

    @property
    def drm(self) -> int:
        """Return the number to add to the die roll."""
        assert isinstance(self.value, int), ("the modifier must have a fixed value", self.id)
        return self.value

    def total_for(self, count: int) -> int:
        """Return the total of a modifier such as ``-1 each, max -3`` for the given number of items."""
        limits = _EACH_PATTERN.fullmatch(str(self.value))
        assert limits is not None, ("the modifier must depend on a number of items", self.id)
        per_item, max_points = int(limits["each"]), int(limits["most"])
        return (
            max(per_item * count, max_points) if per_item < 0 else min(per_item * count, max_points)
        )

    @property
    def is_by_number(self) -> bool:
        """Return whether the modifier depends on a number of items (`total_for`)."""
        return _EACH_PATTERN.fullmatch(str(self.value)) is not None


class DieRange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The range of totals listed on a chart. Totals outside this range use the nearest line (2.41)."""

    faces: Literal[10] = 10
    clamp: Literal[True] = True
    covers: tuple[Small, Small]


class Axis(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The quantity that selects a column, and how the column is matched."""

    name: str
    select: Literal["exact", "range", "highest_not_exceeding"]


class Chart(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"
):
    """The fields common to all charts."""

    id: str
    """The chart's key in `tables.json`."""
    title: str
    rule: str
    card: str | None = None
    status: Literal["seed", "inferred", "partial", "missing", "printed"]
    reason: str = ""
    """Explains which values on the chart are certain and how the uncertain ones were chosen."""
    notes: tuple[str, ...] = ()
    modifiers: tuple[ChartModifier, ...] = ()
    result_type: str = ""

    def modifier(self, modifier_id: str) -> ChartModifier:
        """Return the modifier with the given id.

        Raises:
            KeyError: The chart has no such modifier.
        """
        for modifier in self.modifiers:
            if modifier.id == modifier_id:
                return modifier
        raise KeyError((self.id, modifier_id))


class DieChart(Chart, Generic[R], frozen=True, kw_only=True, tag="die"):
    """A chart with one column."""

    die: DieRange
    cells: tuple[Cell[R], ...]

    def look_up(self, total: int) -> Cell[R]:
        """Return the cell for a modified die roll, clamped to the first or last line (2.41)."""
        return cell_at(self.cells, total)


class ColumnChart(Chart, Generic[R], frozen=True, kw_only=True, tag="die_by_column"):
    """A chart with several columns in which a die roll selects the result."""

    die: DieRange
    column_axis: Axis
    columns: tuple[Column[R], ...]

    def column_for(self, value: int | str) -> str:
        """Return the column heading for a number, or for a name if the columns are named.

        Raises:
            KeyError: No column has this name.
        """
        if isinstance(value, int):
            return bracket_for(self.columns, value).key
        return self.column(value).key

    def column(self, key: str) -> Column[R]:
        """Return the column with the given heading.

        Raises:
            KeyError: There is no such column.
        """
        for column in self.columns:
            if column.key == key:
                return column
        raise KeyError((self.id, key))

    def look_up(self, total: int, column: str) -> Cell[R]:
        """Return the cell for a modified die roll in the column with this heading (2.41)."""
        return cell_at(self.column(column).cells, total)

    def shifted(self, column: str, places: int) -> str:
        """Return the heading of the column a number of places to the right, clamped to the first or last column."""
        keys = [chart_column.key for chart_column in self.columns]
        return keys[min(max(keys.index(column) + places, 0), len(keys) - 1)]


class LookupChart(Chart, Generic[R], frozen=True, kw_only=True, tag="lookup"):
    """A chart that gives its results without a die roll."""

    column_axis: Axis
    columns: tuple[ChartEntry[R], ...]

    def look_up(self, value: int) -> ChartEntry[R]:
        """Return the entry whose column covers a number. Its `key` is the column heading."""
        return bracket_for(self.columns, value)


def cell_at(cells: Sequence[Cell[R]], total: int) -> Cell[R]:
    """Return the cell for a total, clamped to the first or last cell (2.41)."""
    return next((cell for cell in cells if total <= cell.hi), cells[-1])


def bracket_for(brackets: Sequence[B], value: int) -> B:
    """Return the bracket with the highest minimum not above the value. If there is none, return the first bracket."""
    matched_bracket = brackets[0]
    for bracket in brackets:
        if bracket.min is not None and bracket.min <= value:
            matched_bracket = bracket
    return matched_bracket
