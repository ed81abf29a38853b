"""The roster screen: a sortable, filterable table of units, and the calendar."""

from typing import Final

from rich.style import Style
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container, Vertical
from textual.content import Content
from textual.widgets import Input, Static
from typing_extensions import override

from tui.drawing.colour_roles import TextRole
from tui.drawing.palette import Palette
from tui.panels.roster import (
    MAX_COLUMNS,
    Roster,
    RosterEntry,
    Sorting,
    column_title,
    fitting_columns,
    sorted_matches,
)
from tui.panels.status_segments import Row
from tui.terminal.sanitising import sanitise_line
from tui.widgets.base_screens import BaseDialog
from tui.widgets.lines import Lines
from tui.widgets.lists.clickable_table import ClickableTable
from tui.widgets.lists.decision import FilterLine

_PADDING: Final = 1
_MAX_LENGTH: Final = 60
_KEY_HINTS: Final = "Enter on the map  1-{columns} sort  type to filter  Tab {other}  Esc close"


class RosterScreen(BaseDialog[str]):
    """Shows a table of units. Choosing a row closes the screen and returns the unit's place."""

    DEFAULT_CSS = """
    RosterScreen > Vertical { width: 100%; height: 100%; padding: 0; }
    RosterScreen .keys { padding: 0 1; }
    RosterScreen Container { layout: vertical; height: 1fr; }
    RosterScreen.-wide Container { layout: horizontal; }
    RosterScreen FilterLine { display: none; }
    RosterScreen.-typing FilterLine { display: block; }
    RosterScreen ClickableTable, RosterScreen ClickableTable:focus {
        height: 1fr; background: $surface; background-tint: transparent;
    }
    RosterScreen ClickableTable > .datatable--header, RosterScreen ClickableTable:focus > .datatable--header {
        background: $panel; background-tint: transparent;
    }
    RosterScreen.-typing ClickableTable > .datatable--cursor {
        background: $block-cursor-background; color: $block-cursor-foreground;
        text-style: $block-cursor-text-style;
    }
    RosterScreen ClickableTable > .datatable--even-row { background: $surface; }
    RosterScreen ClickableTable:ansi > .datatable--header { background: ansi_default; }
    RosterScreen #calendar {
        height: 25%; min-height: 4; border-top: solid $border; padding: 0 1;
    }
    RosterScreen.-wide #calendar {
        width: 44; height: 1fr; border-top: none; border-left: solid $border;
    }
    RosterScreen.-huge #calendar { width: 60; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide"), (170, "-huge")]
    BINDINGS = [
        Binding("tab", "other", "Table or calendar", show=False, priority=True),
        Binding("slash", "filter", "Filter by name", show=False),
        *(
            Binding(str(digit), f"sort({digit - 1})", "Sort by this column", show=False)
            for digit in range(1, MAX_COLUMNS + 1)
        ),
    ]

    def __init__(self, roster: Roster, calendar: tuple[Row, ...], palette: Palette) -> None:
        """Create the screen.

        Args:
            roster: The units to list.
            calendar: Upcoming events with their times.
            palette: Maps tones to styles.
        """
        super().__init__()
        self._roster = roster
        self._calendar = calendar
        self._palette = palette
        self._sorting = Sorting()
        self._query = ""
        self._shown_entries: tuple[RosterEntry, ...] = ()
        self._columns: tuple[int, ...] = ()

    @override
    def compose(self) -> ComposeResult:
        """Compose the table, the calendar and the keys."""
        with Vertical():
            field = FilterLine(
                max_length=_MAX_LENGTH,
                compact=True,
                placeholder="part of a name",
                select_on_focus=False,
            )
            field.cursor_blink = False
            yield field
            with Container():
                yield ClickableTable()
                yield Lines(palette=self._palette, id="calendar")
            yield Static("", classes="keys", markup=False)

    def on_mount(self) -> None:
        """Fill the table."""
        lines = self.query_one("#calendar", Lines)
        lines.show(self._calendar or ("No arrivals.",))
        self._table.focus()
        self.call_after_refresh(self._fill)

    @property
    def _table(self) -> ClickableTable:
        return self.query_one(ClickableTable)

    def on_resize(self, event: events.Resize) -> None:
        """Show the columns that fit."""
        del event
        self.call_after_refresh(self._fill)

    # -- the table

    def _fill(self) -> None:
        table, selected_id = self._table, self._selected_id()
        width = table.size.width
        if not width:
            return
        self._shown_entries = sorted_matches(self._roster, self._query, self._sorting)
        gap = 2 * _PADDING
        self._columns = fitting_columns(self._roster, self._shown_entries, width - gap - 1, gap)
        table.clear(columns=True)
        style = self._row_style
        for index, column in enumerate(self._columns):
            title = column_title(self._roster, column, self._sorting)
            label = Text(f"{column + 1} ", style(TextRole.KEY)) if index < MAX_COLUMNS else Text()
            table.add_column(label.append(title, style(TextRole.HEAD)), key=str(column))
        for entry in self._shown_entries:
            cells = (entry.cells[column] for column in self._columns)
            row = [Text(sanitise_line(cell.text, _MAX_LENGTH), style(cell.tone)) for cell in cells]
            table.add_row(*row, key=entry.id)
        row_by_id = {entry.id: index for index, entry in enumerate(self._shown_entries)}
        table.move_cursor(row=row_by_id.get(selected_id, 0), animate=False)
        self._show_keys()

    def _row_style(self, tone: TextRole) -> Style:
        """Return the style for a tone in a row. A tone without a background gets the table's background."""
        style, plain_style = self._palette.style(tone), self._palette.style(TextRole.PLAIN)
        if style.bgcolor != plain_style.bgcolor:
            return style
        return Style(color=style.color, bold=style.bold, dim=style.dim, reverse=style.reverse)

    def _selected_id(self) -> str:
        row = self._table.cursor_row
        return self._shown_entries[row].id if 0 <= row < len(self._shown_entries) else ""

    def _show_keys(self) -> None:
        total, shown_count = len(self._roster.entries), len(self._shown_entries)
        count = f"{shown_count} of {total}" if self._query else str(total)
        title = f"Roster: {count} {self._roster.noun}"
        self.query_one(Vertical).border_title = Content(title)
        other_part = "calendar" if self._table.has_focus else "table"
        hints = _KEY_HINTS.format(columns=len(self._roster.columns), other=other_part)
        self.query_one(".keys", Static).update(hints)

    def on_descendant_focus(self) -> None:
        """Update the key hints."""
        self._show_keys()

    # -- keys

    def action_sort(self, column: int) -> None:
        """Sort by a column: ascending, then descending, then in the default order."""
        if column < len(self._roster.columns):
            self._sorting = self._sorting.after_choosing(column)
            self._fill()

    @on(ClickableTable.HeadClicked)
    def head_clicked(self, event: ClickableTable.HeadClicked) -> None:
        """Sort by the column whose header was clicked."""
        self.action_sort(self._columns[event.column])

    @on(ClickableTable.RowSelected)
    def chosen(self, event: ClickableTable.RowSelected) -> None:
        """Go to the chosen row's place."""
        self._return_place(event.cursor_row)

    def _return_place(self, row: int) -> None:
        if not 0 <= row < len(self._shown_entries):
            return
        place = self._shown_entries[row].place
        if place:
            self.dismiss(place)
        else:
            self.query_one(".keys", Static).update("It is not on the map.")

    def action_other(self) -> None:
        """Move the focus between the table and the calendar."""
        calendar = self.query_one("#calendar", Lines)
        (calendar if self._table.has_focus else self._table).focus()

    def action_filter(self) -> None:
        """Show the filter."""
        self.add_class("-typing")
        self.query_one(FilterLine).focus()

    def on_key(self, event: events.Key) -> None:
        """Start filtering as soon as a letter is typed."""
        character = event.character or ""
        if self._table.has_focus and character.isalpha():
            event.stop()
            self.action_filter()
            field = self.query_one(FilterLine)
            field.value += character
            field.cursor_position = len(field.value)

    @on(Input.Changed)
    def handle_input_change(self, event: Input.Changed) -> None:
        """Show the rows that match the typed words."""
        event.stop()
        self._query = sanitise_line(event.value, _MAX_LENGTH)
        self._fill()

    @on(Input.Submitted)
    def submitted(self, event: Input.Submitted) -> None:
        """Go to the place in the row under the cursor."""
        event.stop()
        self._return_place(self._table.cursor_row)

    @on(FilterLine.BarMoved)
    def handle_highlight(self, event: FilterLine.BarMoved) -> None:
        """Move the table cursor while the filter has the focus."""
        event.stop()
        self._table.move_cursor(row=self._table.cursor_row + event.rows, animate=False)

    @on(FilterLine.Ended)
    def action_end_filter(self) -> None:
        """Clear and hide the filter."""
        self.remove_class("-typing")
        self.query_one(FilterLine).value = ""
        self._table.focus()

    @override
    def action_leave(self) -> None:
        """Clear the filter. If no filter is set, close the screen."""
        if self._query:
            self.action_end_filter()
        else:
            self.dismiss(None)
