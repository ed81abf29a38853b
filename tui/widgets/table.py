"""Textual's table, taken by keys and by the mouse: a click on a head sorts, a click on a row takes it."""

from itertools import accumulate

from rich.text import Text
from textual import events
from textual.message import Message
from textual.widgets import DataTable

_PADDING = 1


class Table(DataTable[Text]):
    """Rows with a cursor; what is under the mouse follows from the place alone, as letters carry no marks here."""

    class HeadClicked(Message):
        """The head of a column was clicked."""

        def __init__(self, column: int) -> None:
            super().__init__()
            self.column = column
            """Place among the columns that are shown."""

    def __init__(self) -> None:
        """Start without columns."""
        super().__init__(
            cursor_type="row",
            cursor_foreground_priority="css",
            cursor_background_priority="css",
            cell_padding=_PADDING,
        )

    def on_click(self, event: events.Click) -> None:
        """Sort by the head under the mouse, or take the row."""
        event.stop()
        offset = event.get_content_offset(self)
        if offset is None:
            return
        if offset.y < self.header_height:
            ends = accumulate(column.get_render_width(self) for column in self.ordered_columns)
            x = offset.x + self.scroll_offset.x
            place = next((at for at, end in enumerate(ends) if x < end), None)
            if place is not None:
                self.post_message(self.HeadClicked(place))
            return
        row = offset.y - self.header_height + self.scroll_offset.y
        if row < self.row_count:
            self.move_cursor(row=row, animate=False)
            self.action_select_cursor()
