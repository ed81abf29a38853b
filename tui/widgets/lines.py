"""Scrollable text, wrapped at word boundaries. Only changed lines are repainted."""

import re
import textwrap
from collections.abc import Callable, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from typing_extensions import override

from tui.drawing.colour_roles import TextRole
from tui.drawing.palette import PLAIN_PALETTE, Palette
from tui.panels.status_segments import Row, Toned, plain_text
from tui.terminal.sanitising import sanitise_line

TonedLine = Toned
TonedPieces = tuple[Toned, ...]
"""The parts of a line, each in one tone."""
_MAX_CELLS = 2000
_MAX_TITLE_CELLS = 90
_TITLE_MARGIN = 2
"""Number of cells that the border adds to its title."""
_INDENT = "  "
_COLUMN_GAP = re.compile(r"(?<=\S) {3,}(?=\S)")
"""The spaces between two columns of a table."""
_WHEEL_LINES = 3
"""Number of lines scrolled per step of the mouse wheel."""


def _last_column(text: str, width: int) -> int:
    """Return where the last column of a table's line starts; 0 if the line has no columns or no room to wrap there."""
    columns = (match.end() for match in _COLUMN_GAP.finditer(text))
    return max((start for start in columns if start <= width * 3 // 5), default=0)


def wrap_lines(lines: Sequence[TonedLine], width: int) -> list[TonedLine]:
    """Wrap lines at word boundaries, and keep leading spaces.

    Continuation lines are indented. In a table, they continue in the last column.
    """
    wrapped_lines: list[TonedLine] = []
    for text, tone in lines:
        if cell_len(text) <= width or width < len(_INDENT) + 1:
            wrapped_lines.append((text, tone))
            continue
        indent = text[: len(text) - len(text.lstrip(" "))][: width // 2]
        hanging_indent = " " * _last_column(text, width) or indent + _INDENT
        pieces = textwrap.wrap(
            text.strip(), width, initial_indent=indent, subsequent_indent=hanging_indent
        )
        wrapped_lines.extend((piece, tone) for piece in pieces or [""])
    return wrapped_lines


def wrap_toned(line: TonedPieces, width: int) -> list[TonedPieces]:
    """Wrap a line with several tones at word boundaries, as `wrap_lines` does."""
    text = plain_text(line)
    if len(line) == 1:
        return [(wrapped_piece,) for wrapped_piece in wrap_lines(line, width)]
    wrapped_lines: list[TonedPieces] = []
    start = 0
    for piece, _ in wrap_lines([(text, TextRole.PLAIN)], width):
        # textwrap drops the spaces at line ends, so each piece is located again in the original
        # text.
        text_part = piece.lstrip(" ") if wrapped_lines else piece
        start = text.index(text_part, start)
        indent: TonedPieces = (
            ((piece[: len(piece) - len(text_part)], TextRole.PLAIN),) if wrapped_lines else ()
        )
        wrapped_lines.append((*indent, *_slice_pieces(line, start, start + len(text_part))))
        start += len(text_part)
    return wrapped_lines


def _slice_pieces(line: TonedPieces, start: int, end: int) -> TonedPieces:
    """Return the characters from `start` to `end` (exclusive), with their tones."""
    sliced: list[Toned] = []
    offset = 0
    for text, tone in line:
        overlap = text[max(start - offset, 0) : max(end - offset, 0)]
        if overlap:
            sliced.append((overlap, tone))
        offset += len(text)
    return tuple(sliced)


def _row_pieces(row: Row) -> TonedPieces:
    """Convert a row to sanitised pieces. A plain string becomes one piece in the plain tone."""
    if isinstance(row, str):
        return ((sanitise_line(row, _MAX_CELLS), TextRole.PLAIN),)
    if row and isinstance(row[0], str):
        text, tone = row
        return ((sanitise_line(text, _MAX_CELLS), tone),)
    return tuple((sanitise_line(text, _MAX_CELLS), tone) for text, tone in row)


class Lines(ScrollView, can_focus=True):
    """Read-only scrollable text."""

    DEFAULT_CSS = """
    Lines { overflow: hidden hidden; scrollbar-size: 0 0; }
    """
    BINDINGS = [
        Binding("down,j", "line(1)", "Line down", show=False),
        Binding("up,k", "line(-1)", "Line up", show=False),
        Binding("pagedown,space", "page(1)", "Page down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("home", "edge(-1)", "Beginning", show=False),
        Binding("end", "edge(1)", "End", show=False),
    ]

    def __init__(
        self,
        title: str = "",
        *,
        palette: Palette = PLAIN_PALETTE,
        follow: bool = False,
        overflow_key: str | None = None,
        id: str | None = None,
    ) -> None:
        """Create an empty widget.

        Args:
            title: Title of the border; empty for no title.
            palette: Maps tones to styles.
            follow: True to keep the last line in view.
            overflow_key: Key that shows the lines that do not fit. The last visible line shows their number, followed
                by the key. An empty key shows only the number. None shows neither.
            id: Textual id.
        """
        super().__init__(id=id)
        self._palette = palette
        self._follow = follow
        self.overflow_key = overflow_key
        self._lines: tuple[TonedPieces, ...] = ()
        self._draw: Callable[[int], Sequence[Row]] | None = None
        """Draws the lines for a width in cells; None if they do not depend on the width."""
        self._wrapped: list[TonedPieces] = []
        self._starts: list[int] = []
        """For each unwrapped line, the index of its first wrapped line."""
        self.set_title(title)

    def set_title(self, title: str) -> None:
        """Change the title. If it is too long, leave out the remark in parentheses at its end."""
        self._title = title
        self.border_title = Content(self._short_title(title)) if title else None

    def has_room_for_title(self, title: str) -> bool:
        """Return whether a title fits, perhaps without the remark in parentheses at its end."""
        return cell_len(self._short_title(title)) <= self._title_width

    def _short_title(self, title: str) -> str:
        text = sanitise_line(title, _MAX_TITLE_CELLS)
        is_long = cell_len(text) > self._title_width and text.endswith(")")
        return text.rpartition(" (")[0] if is_long else text

    @property
    def _title_width(self) -> int:
        """Number of cells for the title. Before the first layout, every title fits."""
        return (self.outer_size.width or _MAX_CELLS) - _TITLE_MARGIN

    def show_palette(self, palette: Palette) -> None:
        """Repaint with another palette."""
        self._palette = palette
        self.refresh()

    def show(self, lines: Sequence[Row]) -> None:
        """Sanitise and show these lines."""
        self._lines = tuple(map(_row_pieces, lines))
        self._rewrap()

    def show_drawn(self, draw: Callable[[int], Sequence[Row]]) -> None:
        """Show lines that are drawn for the width in cells, which is passed to `draw`."""
        self._draw = draw
        self.show(draw(self.size.width) if self.size.width else ())

    @property
    def text(self) -> str:
        """The displayed text before wrapping."""
        return "\n".join(map(plain_text, self._lines))

    def _rewrap(self) -> None:
        old_width, width = self._wrapped, self.size.width
        self._wrapped, self._starts = [], []
        for line in self._lines:
            self._starts.append(len(self._wrapped))
            self._wrapped += wrap_toned(line, width) if width else [line]
        text = Size(max(width, 1), max(len(self._wrapped), 1))
        # the box keeps its size, so no new layout is needed
        self.set_reactive(Lines.virtual_size, text)
        top = self.scroll_offset.y
        if self._follow or top > self._last_top_line():
            self.scroll_to(y=self._last_top_line(), animate=False, force=True)
        if self.scroll_offset.y != top:
            self.refresh()
            return
        changed = [
            Region(0, row, width, 1)
            for row in range(self.size.height)
            if _row(old_width, top + row) != _row(self._wrapped, top + row)
            or (self.overflow_key is not None and row == self.size.height - 1)
        ]
        if changed:
            self.refresh(*changed)

    def _last_top_line(self) -> int:
        return max(len(self._wrapped) - self.size.height, 0)

    def on_resize(self, event: events.Resize) -> None:
        """Draw or wrap the text for the new width."""
        del event
        self.set_title(self._title)
        if self._draw is not None:
            self._lines = tuple(map(_row_pieces, self._draw(self.size.width)))
        self._rewrap()
        self.refresh()

    @property
    def line_count(self) -> int:
        """Number of lines after wrapping at the current width."""
        return len(self._wrapped)

    def _hidden_line_count(self) -> int:
        """Return the number of lines hidden below the view; 0 if the last visible line does not show the number."""
        end = self.scroll_offset.y + self.size.height
        if self.overflow_key is None or end >= len(self._wrapped):
            return 0
        end_rows = [*self._starts[1:], len(self._wrapped)]
        return sum(end_line > end - 1 for end_line in end_rows)

    @override
    def render_line(self, y: int) -> Strip:
        lines_left = self._hidden_line_count() if y == self.size.height - 1 else 0
        if lines_left:
            pieces: TonedPieces = (
                (
                    f"{lines_left} more" + (f" ({self.overflow_key})" if self.overflow_key else ""),
                    TextRole.KEY,
                ),
            )
        else:
            pieces = _row(self._wrapped, y + self.scroll_offset.y)
        strip = Strip([Segment(text, self._palette.style(tone)) for text, tone in pieces])
        return strip.crop_extend(0, self.size.width, self._palette.style(TextRole.PLAIN))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down."""
        event.stop()
        self.action_line(_WHEEL_LINES)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up."""
        event.stop()
        self.action_line(-_WHEEL_LINES)

    def action_line(self, lines: int) -> None:
        """Scroll by a number of lines; up if the number is negative."""
        target = min(max(self.scroll_offset.y + lines, 0), self._last_top_line())
        self.scroll_to(y=target, animate=False, force=True)

    def action_page(self, pages: int) -> None:
        """Scroll by a number of pages."""
        self.action_line(pages * max(self.size.height - 1, 1))

    def action_edge(self, edge: int) -> None:
        """Scroll to the beginning or to the end."""
        self.action_line(edge * len(self._wrapped))


def _row(lines: Sequence[TonedPieces], row: int) -> TonedPieces:
    return lines[row] if row < len(lines) else ()
