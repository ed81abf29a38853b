"""What an area map shows, in words that no game owns; presenters build it, the drawing reads it."""

from collections.abc import Mapping
from functools import cached_property

import msgspec

from tui.marks import Highlight, Owner


class Token(msgspec.Struct, frozen=True):
    """A piece in a place."""

    short: str
    """One letter and marks, such as ``G!``."""
    long: str
    """For the detail zoom, such as ``Ger Army!``."""
    owner: Owner


class AreaCell(msgspec.Struct, frozen=True, kw_only=True):
    """One place as it is shown; every text is plain ASCII."""

    id: str
    column: int
    row: int
    name: str
    """Full name."""
    short: str
    """Name in at most four characters."""
    middle: str
    """Name in at most seven characters."""
    is_sea: bool
    symbol: str = ""
    """One character for what is printed there: a star, a strait."""
    symbol_owner: Owner = Owner.NOBODY
    tokens: tuple[Token, ...] = ()
    note: str = ""
    """A short line for the detail zoom."""
    highlight: Highlight = Highlight.NONE


class Link(msgspec.Struct, frozen=True):
    """Two places that are next to each other."""

    one: str
    other: str
    mark: str = ""
    """Character of the line; empty for a plain border, which is drawn by its direction."""


class Rim(msgspec.Struct, frozen=True):
    """Where a place goes on beyond the left or right edge."""

    place: str
    is_right: bool
    text: str
    """Name of the place on the other side, in at most four characters."""


class AreaScene(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """All places of a map in their grid."""

    columns: int
    rows: int
    cells: Mapping[str, AreaCell]
    links: tuple[Link, ...]
    rims: tuple[Rim, ...] = ()

    @cached_property
    def at(self) -> Mapping[tuple[int, int], AreaCell]:
        """Return the places by column and row."""
        return {(cell.column, cell.row): cell for cell in self.cells.values()}

    @cached_property
    def beside(self) -> Mapping[str, Mapping[str, str]]:
        """Return, for each place, its neighbours with the marks of their links."""
        found: dict[str, dict[str, str]] = {name: {} for name in self.cells}
        for link in self.links:
            found[link.one][link.other] = link.mark
            found[link.other][link.one] = link.mark
        return found
