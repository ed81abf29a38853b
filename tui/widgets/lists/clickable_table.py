"""Textual's data table with mouse support. Clicking a header reports its column, and clicking a row selects it."""

from itertools import accumulate

from rich.text import Text
from textual import events
from textual.message import Message
from textual.widgets import DataTable

_PADDING = 1


class ClickableTable(DataTable[Text]):
    """A table with a row cursor. Clicks are located by position: the output filter removes the metadata."""

    class HeadClicked(Message):
        """Posted when a column header is clicked."""

        def __init__(self, column: int) -> None:
            super().__init__()
            self.column = column
            """Index of the column among the visible columns."""

    def __init__(self) -> None:
        """Create a table without columns."""
        super().__init__(
            cursor_type="row",
            cursor_foreground_priority="css",
            cursor_background_priority="css",
            cell_padding=_PADDING,
        )

    def on_click(self, event: events.Click) -> None:
        """Report the clicked header, or select the clicked row."""
        event.stop()
        offset = event.get_content_offset(self)
        if offset is None:
            return
        if offset.y < self.header_height:
            end_columns = accumulate(
                column.get_render_width(self) for column in self.ordered_columns
            )
            x = offset.x + self.scroll_offset.x
            index = next((number for number, end in enumerate(end_columns) if x < end), None)
            if index is not None:
                self.post_message(self.HeadClicked(index))
            return
        row = offset.y - self.header_height + self.scroll_offset.y
        if row < self.row_count:
            self.move_cursor(row=row, animate=False)
            self.action_select_cursor()
