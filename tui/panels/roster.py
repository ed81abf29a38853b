"""A game's roster as a table, with pure functions that sort the table, filter it and fit it into a width."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec
from rich.cells import cell_len

from tui.drawing.colour_roles import TextRole
from tui.panels.status_segments import Row, Toned
from tui.terminal.sanitising import sanitise_line
from tui.text.fuzzy import match_distance

GAP: Final = 2
"""Number of cells between two columns."""
MAX_COLUMNS: Final = 9
"""Maximum number of columns. Each column has a digit key for sorting."""
_MAX_CELLS: Final = 60


class RosterCell(NamedTuple):
    """One table cell. Cells are sorted by `order`, then by text. Empty cells come last."""

    text: str
    tone: TextRole = TextRole.PLAIN
    order: int = 0


class RosterColumn(NamedTuple):
    """A column of the table."""

    title: str
    rank: int = 0
    """Rank of the column. If space is tight, columns with the highest rank are dropped first. Rank 0 always stays."""


class RosterEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One row."""

    id: str
    place: str = ""
    """The place of the piece; empty if it is not on the map."""
    cells: tuple[RosterCell, ...]


class Roster(msgspec.Struct, frozen=True, kw_only=True):
    """The complete roster, in the default order."""

    columns: tuple[RosterColumn, ...]
    entries: tuple[RosterEntry, ...]
    noun: str = "units"
    """The plural noun for the entries."""


class Sorting(NamedTuple):
    """The column that the rows are sorted by, and the direction."""

    column: int = -1
    """Index of the column; -1 for the default order."""
    is_reversed: bool = False

    def after_choosing(self, column: int) -> "Sorting":
        """Return the sort order after a column is chosen: first ascending, then descending, then the default order."""
        if column != self.column:
            return Sorting(column)
        return Sorting() if self.is_reversed else Sorting(column, is_reversed=True)


def sorted_matches(
    roster: Roster,
    query: str = "",
    sorting: Sorting = Sorting(),  # noqa: B008  (a constant)
) -> tuple[RosterEntry, ...]:
    """Return the rows that match the typed words, sorted. The words are matched as in option lists."""
    query_words = query.lower().split()
    found_entries = [
        entry
        for entry in roster.entries
        if match_distance(search_text(entry), query_words) is not None
    ]
    if 0 <= sorting.column < len(roster.columns):
        filled_entries = [entry for entry in found_entries if entry.cells[sorting.column].text]
        empty_entries = [entry for entry in found_entries if not entry.cells[sorting.column].text]
        filled_entries.sort(
            key=lambda entry: _key(entry.cells[sorting.column]), reverse=sorting.is_reversed
        )
        found_entries = [*filled_entries, *empty_entries]
    return tuple(found_entries)


def _key(cell: RosterCell) -> tuple[int, str]:
    return cell.order, cell.text.lower()


def search_text(entry: RosterEntry) -> str:
    """Return the searchable text of a row."""
    return " ".join(cell.text for cell in entry.cells).lower()


def find_column(roster: Roster, query: str) -> int:
    """Return the index of the column with a title that begins with the given words; -1 if there is none."""
    titles = [column.title.lower() for column in roster.columns]
    lower_query = query.lower()
    return next((place for place, title in enumerate(titles) if title.startswith(lower_query)), -1)


def column_title(roster: Roster, column: int, sorting: Sorting) -> str:
    """Return the title of a column. If the table is sorted by this column, an arrow is added."""
    if column != sorting.column:
        return roster.columns[column].title
    return f"{roster.columns[column].title} {'▼' if sorting.is_reversed else '▲'}"


def widths(roster: Roster, entries: Sequence[RosterEntry]) -> tuple[int, ...]:
    """Return the width of each column; 0 for an empty column."""
    cell_widths = []
    for place, column in enumerate(roster.columns):
        widest_cell = max((cell_len(entry.cells[place].text) for entry in entries), default=0)
        cell_widths.append(
            min(max(widest_cell, cell_len(column.title) + GAP), _MAX_CELLS) if widest_cell else 0
        )
    return tuple(cell_widths)


def fitting_columns(
    roster: Roster, entries: Sequence[RosterEntry], width: int, gap: int = GAP
) -> tuple[int, ...]:
    """Return the indexes of the columns that fit into a width. Empty columns are omitted."""
    cell_widths = widths(roster, entries)
    shown_columns = [place for place, cells in enumerate(cell_widths) if cells]
    while shown_columns and sum(cell_widths[place] + gap for place in shown_columns) - gap > width:
        last_place = max(shown_columns, key=lambda place: (roster.columns[place].rank, place))
        if not roster.columns[last_place].rank:
            break
        shown_columns.remove(last_place)
    return tuple(shown_columns)


def roster_rows(
    roster: Roster,
    width: int,
    query: str = "",
    sorting: Sorting = Sorting(),  # noqa: B008  (a constant)
) -> tuple[Row, ...]:
    """Return the table as lines: the titles, then one line per row."""
    return tuple(_table(roster, sorted_matches(roster, query, sorting), width, sorting))


def _table(
    roster: Roster, entries: Sequence[RosterEntry], width: int, sorting: Sorting
) -> Iterator[Row]:
    if not entries:
        yield "No line contains these words.", TextRole.DIM
        return
    cell_widths, shown_columns = (
        list(widths(roster, entries)),
        fitting_columns(roster, entries, width),
    )
    width_before = sum(cell_widths[place] + GAP for place in shown_columns[:-1])
    cell_widths[shown_columns[-1]] = max(
        min(cell_widths[shown_columns[-1]], width - width_before), 1
    )
    titles = (
        sanitise_line(column_title(roster, place, sorting), cell_widths[place]).ljust(
            cell_widths[place]
        )
        for place in shown_columns
    )
    yield (" " * GAP).join(titles).rstrip(), TextRole.HEAD
    for entry in entries:
        yield tuple(_line([(entry.cells[place], cell_widths[place]) for place in shown_columns]))


def _line(cells: Sequence[tuple[RosterCell, int]]) -> Iterator[Toned]:
    for number, (cell, width) in enumerate(cells):
        if number:
            yield " " * GAP, TextRole.PLAIN
        text = sanitise_line(cell.text, width)
        yield text, cell.tone
        if number < len(cells) - 1:
            yield " " * (width - cell_len(text)), TextRole.PLAIN
