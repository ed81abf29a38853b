"""Scrollable text, wrapped at word boundaries. Only changed lines are repainted."""

import textwrap
from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from typing_extensions import override

from tui.drawing.palette import PLAIN, Palette
from tui.drawing.tones import TextRole
from tui.status_bar import Row, Toned, plain_text
from tui.terminal.sanitising import sanitise_line

TonedLine = Toned
Pieces = tuple[Toned, ...]
"""The parts of a line, each in one tone."""
_MAX_CELLS = 2000
_INDENT = "  "
_WHEEL = 3
"""Number of lines scrolled per step of the mouse wheel."""


def wrap(lines: Sequence[TonedLine], width: int) -> list[TonedLine]:
    """Wrap lines at word boundaries. Continuation lines are indented, and leading spaces are kept."""
    wrapped: list[TonedLine] = []
    for text, tone in lines:
        if cell_len(text) <= width or width < len(_INDENT) + 1:
            wrapped.append((text, tone))
            continue
        lead = text[: len(text) - len(text.lstrip(" "))][: width // 2]
        pieces = textwrap.wrap(
            text.strip(), width, initial_indent=lead, subsequent_indent=lead + _INDENT
        )
        wrapped.extend((piece, tone) for piece in pieces or [""])
    return wrapped


def wrap_toned(line: Pieces, width: int) -> list[Pieces]:
    """Wrap a line with several tones at word boundaries, like `wrap`."""
    text = plain_text(line)
    if len(line) == 1:
        return [(one,) for one in wrap(line, width)]
    folded: list[Pieces] = []
    start = 0
    for piece, _ in wrap([(text, TextRole.PLAIN)], width):
        bare = piece.lstrip(" ") if folded else piece
        start = text.index(bare, start)
        lead: Pieces = ((piece[: len(piece) - len(bare)], TextRole.PLAIN),) if folded else ()
        folded.append((*lead, *_part(line, start, start + len(bare))))
        start += len(bare)
    return folded


def _part(line: Pieces, start: int, end: int) -> Pieces:
    """Return the characters from `start` up to but not including `end`, with their tones."""
    kept: list[Toned] = []
    at = 0
    for text, tone in line:
        shown = text[max(start - at, 0) : max(end - at, 0)]
        if shown:
            kept.append((shown, tone))
        at += len(text)
    return tuple(kept)


def _pieces(row: Row) -> Pieces:
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
        palette: Palette = PLAIN,
        follow: bool = False,
        rest: str | None = None,
        id: str | None = None,
    ) -> None:
        """Create an empty text.

        Args:
            title: Title of the border, if there is one.
            palette: Maps tones to styles.
            follow: Keep the last line in view.
            rest: Key for showing the lines that do not fit. The last visible line gives their number and the key, or
                only the number if the key is empty. With None, they are not counted.
            id: Textual id.
        """
        super().__init__(id=id)
        self._palette = palette
        self._follow = follow
        self.rest = rest
        self._lines: tuple[Pieces, ...] = ()
        self._wrapped: list[Pieces] = []
        self._starts: list[int] = []
        """For each line, the index of its first wrapped line."""
        self.set_title(title)

    def set_title(self, title: str) -> None:
        """Change the title."""
        self.border_title = Content(sanitise_line(title, 60)) if title else None

    def show_palette(self, palette: Palette) -> None:
        """Repaint with another palette."""
        self._palette = palette
        self.refresh()

    def show(self, lines: Sequence[Row]) -> None:
        """Show these lines. Each one is sanitised."""
        self._lines = tuple(map(_pieces, lines))
        self._rewrap()

    @property
    def text(self) -> str:
        """The text on display, unwrapped."""
        return "\n".join(map(plain_text, self._lines))

    def _rewrap(self) -> None:
        before, width = self._wrapped, self.size.width
        self._wrapped, self._starts = [], []
        for line in self._lines:
            self._starts.append(len(self._wrapped))
            self._wrapped += wrap_toned(line, width) if width else [line]
        text = Size(max(width, 1), max(len(self._wrapped), 1))
        # the box keeps its size, so no new layout is needed
        self.set_reactive(Lines.virtual_size, text)
        top = self.scroll_offset.y
        if self._follow or top > self._bottom():
            self.scroll_to(y=self._bottom(), animate=False, force=True)
        if self.scroll_offset.y != top:
            self.refresh()
            return
        changed = [
            Region(0, row, width, 1)
            for row in range(self.size.height)
            if _row(before, top + row) != _row(self._wrapped, top + row)
            or (self.rest is not None and row == self.size.height - 1)
        ]
        if changed:
            self.refresh(*changed)

    def _bottom(self) -> int:
        return max(len(self._wrapped) - self.size.height, 0)

    def on_resize(self, event: events.Resize) -> None:
        """Wrap the text to the new width."""
        del event
        self._rewrap()
        self.refresh()

    @property
    def line_count(self) -> int:
        """Number of lines after wrapping at this width."""
        return len(self._wrapped)

    def _hidden_line_count(self) -> int:
        """Return the number of lines not fully visible above the line that shows this number."""
        end = self.scroll_offset.y + self.size.height
        if self.rest is None or end >= len(self._wrapped):
            return 0
        ends = [*self._starts[1:], len(self._wrapped)]
        return sum(last > end - 1 for last in ends)

    @override
    def render_line(self, y: int) -> Strip:
        left = self._hidden_line_count() if y == self.size.height - 1 else 0
        if left:
            pieces: Pieces = (
                (f"{left} more" + (f" ({self.rest})" if self.rest else ""), TextRole.KEY),
            )
        else:
            pieces = _row(self._wrapped, y + self.scroll_offset.y)
        strip = Strip([Segment(text, self._palette.style(tone)) for text, tone in pieces])
        return strip.crop_extend(0, self.size.width, self._palette.style(TextRole.PLAIN))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down."""
        event.stop()
        self.action_line(_WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up."""
        event.stop()
        self.action_line(-_WHEEL)

    def action_line(self, lines: int) -> None:
        """Scroll by a number of lines."""
        target = min(max(self.scroll_offset.y + lines, 0), self._bottom())
        self.scroll_to(y=target, animate=False, force=True)

    def action_page(self, pages: int) -> None:
        """Scroll by a number of pages."""
        self.action_line(pages * max(self.size.height - 1, 1))

    def action_edge(self, edge: int) -> None:
        """Scroll to the beginning or to the end."""
        self.action_line(edge * len(self._wrapped))


def _row(lines: Sequence[Pieces], row: int) -> Pieces:
    return lines[row] if row < len(lines) else ()
