"""The kinds of charts: which column is read, which cell a total finds, and what is known only by assumption.

A chart is data; nothing here knows a rule. Every kind that is read with a die has `at`, which returns the cell with
its result and where that comes from.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Generic, Literal, Protocol, TypeAlias, TypeVar

import msgspec

R = TypeVar("R")
Provenance: TypeAlias = Literal["seed", "inferred", "assumed", "printed"]
"""Stated by the rulebook, following from it, assumed, or taken from the printed component by the owner of a copy."""
Origin: TypeAlias = Provenance | Mapping[str, Provenance]
"""Where a record comes from, as a whole or field by field."""
Small: TypeAlias = Annotated[int, msgspec.Meta(ge=-999, le=999)]
"""A number on a component."""

_EACH: Final = re.compile(r"(?P<each>[+-]?\d{1,2}) each, max (?P<most>[+-]?\d{1,2})")


def is_assumed(origin: Origin) -> bool:
    """Say whether a value, or a part of it, is an assumption."""
    return origin == "assumed" or (isinstance(origin, Mapping) and "assumed" in origin.values())


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Anything that stands on a chart, with its origin."""

    prov: Origin = "printed"
    note: str = ""

    @property
    def is_assumed(self) -> bool:
        """Say whether the rulebook leaves this value open, so that a default stands here."""
        return is_assumed(self.prov)


class Cell(Row, Generic[R], frozen=True, kw_only=True):
    """The result of a range of totals, both ends included."""

    lo: Small
    hi: Small
    result: R


class Bracketed(Protocol):
    """A column or row that holds for a range of numbers; None is open, and both None have a name only."""

    @property
    def min(self) -> int | None:
        """The lowest number."""

    @property
    def max(self) -> int | None:
        """The highest number."""


B = TypeVar("B", bound=Bracketed)


class Column(Row, Generic[R], frozen=True, kw_only=True):
    """A column that is read with a die."""

    key: str
    """Its heading."""
    min: Small | None = None
    max: Small | None = None
    cells: tuple[Cell[R], ...]


class Entry(Row, Generic[R], frozen=True, kw_only=True):
    """A column that is read without a die."""

    key: str
    min: Small | None = None
    max: Small | None = None
    result: R


class Modifier(Row, frozen=True, kw_only=True):
    """A die roll modifier of a chart."""

    id: str
    when: str
    """When it applies, in words."""
    value: Small | str = msgspec.field(name="drm")
    """A number or, rarely, how it is found: ``+box``, ``per die``, ``lookup``, ``-1 each, max -3``."""
    exclusive_group: str = ""
    """Of several modifiers of a group one applies at most."""

    @property
    def drm(self) -> int:
        """Return the number that is added to the die."""
        assert isinstance(self.value, int), ("found another way", self.id)
        return self.value

    def each(self, count: int) -> int:
        """Return the number for so many of a kind, such as ``-1 each, max -3``."""
        limits = _EACH.fullmatch(str(self.value))
        assert limits is not None, ("not by number", self.id)
        each, most = int(limits["each"]), int(limits["most"])
        return max(each * count, most) if each < 0 else min(each * count, most)

    @property
    def is_by_number(self) -> bool:
        """Say whether it counts something (`each`)."""
        return _EACH.fullmatch(str(self.value)) is not None


class DieRange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The totals that a chart lists; others read the nearest line (2.41)."""

    faces: Literal[10] = 10
    clamp: Literal[True] = True
    covers: tuple[Small, Small]


class Axis(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a column is chosen by, and how."""

    name: str
    select: Literal["exact", "range", "highest_not_exceeding"]


class Chart(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"
):
    """What every chart has."""

    id: str
    """Its key in `tables.json`."""
    title: str
    rule: str
    card: str | None = None
    status: Literal["seed", "inferred", "partial", "missing", "printed"]
    reason: str = ""
    """What is proved of it, and how the rest was chosen."""
    notes: tuple[str, ...] = ()
    modifiers: tuple[Modifier, ...] = ()
    result_type: str = ""

    def modifier(self, modifier_id: str) -> Modifier:
        """Return one of its modifiers.

        Raises:
            KeyError: It has none of this name.
        """
        for one in self.modifiers:
            if one.id == modifier_id:
                return one
        raise KeyError((self.id, modifier_id))


class DieChart(Chart, Generic[R], frozen=True, kw_only=True, tag="die"):
    """A chart of one column."""

    die: DieRange
    cells: tuple[Cell[R], ...]

    def at(self, total: int) -> Cell[R]:
        """Return the cell of a modified die; beyond the ends the first or the last (2.41)."""
        return cell_of(self.cells, total)


class ColumnChart(Chart, Generic[R], frozen=True, kw_only=True, tag="die_by_column"):
    """A chart with a column to choose before the die is read."""

    die: DieRange
    column_axis: Axis
    columns: tuple[Column[R], ...]

    def column_for(self, value: int | str) -> str:
        """Return the heading of the column for a number, or for a name where columns have names.

        Raises:
            KeyError: No column has this name.
        """
        if isinstance(value, int):
            return bracket(self.columns, value).key
        return self.column(value).key

    def column(self, key: str) -> Column[R]:
        """Return the column of a heading.

        Raises:
            KeyError: There is none.
        """
        for column in self.columns:
            if column.key == key:
                return column
        raise KeyError((self.id, key))

    def at(self, total: int, column: str) -> Cell[R]:
        """Return the cell of a modified die in the column of this heading (2.41)."""
        return cell_of(self.column(column).cells, total)

    def shifted(self, column: str, places: int) -> str:
        """Return the heading so many columns to the right; beyond the ends the first or the last."""
        keys = [one.key for one in self.columns]
        return keys[min(max(keys.index(column) + places, 0), len(keys) - 1)]


class LookupChart(Chart, Generic[R], frozen=True, kw_only=True, tag="lookup"):
    """A chart that is read without a die."""

    column_axis: Axis
    columns: tuple[Entry[R], ...]

    def at(self, value: int) -> Entry[R]:
        """Return the entry of a number; its `key` is the heading."""
        return bracket(self.columns, value)


def cell_of(cells: Sequence[Cell[R]], total: int) -> Cell[R]:
    """Return the cell of a total; beyond the ends the first or the last (2.41)."""
    return next((cell for cell in cells if total <= cell.hi), cells[-1])


def bracket(brackets: Sequence[B], value: int) -> B:
    """Return the bracket with the largest beginning not above a number, else the first one."""
    found = brackets[0]
    for one in brackets:
        if one.min is not None and one.min <= value:
            found = one
    return found
