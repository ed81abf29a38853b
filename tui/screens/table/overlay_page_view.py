"""Shows battle boards in a panel or a dialog."""

from collections.abc import Sequence

from rich.segment import Segment
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.strip import Strip
from textual.widgets import Static
from typing_extensions import override

from tui.drawing.colour_roles import TextRole
from tui.drawing.palette import PLAIN_PALETTE, Palette
from tui.panels.overlay_pages import Line, OverlayPage, TonedPiece
from tui.terminal.sanitising import sanitise_line
from tui.widgets.base_screens import BaseDialog
from tui.widgets.lines import Lines


class OverlayPageView(Lines):
    """A scrollable view that shows several pages one below the other."""

    def __init__(
        self, title: str = "", *, palette: Palette = PLAIN_PALETTE, id: str | None = None
    ) -> None:
        """Create an empty view."""
        super().__init__(title, palette=palette, id=id)
        self._pages: tuple[OverlayPage, ...] = ()
        self._drawn_lines: tuple[Line, ...] = ()

    def show_pages(self, pages: Sequence[OverlayPage]) -> None:
        """Replace the displayed pages."""
        if tuple(pages) != self._pages or not self._drawn_lines:
            self._pages = tuple(pages)
            self._rewrap()
            self.refresh()

    @property
    @override
    def text(self) -> str:
        return "\n".join("".join(piece.text for piece in line) for line in self._drawn_lines)

    @override
    def _rewrap(self) -> None:
        width = max(self.size.width, 20)
        lines: list[Line] = []
        for page in self._pages:
            lines += [(TonedPiece(page.title[:width], TextRole.HEAD),), *page.lines(width), ()]
        self._drawn_lines = tuple(lines)
        self.set_reactive(Lines.virtual_size, Size(width, max(len(lines), 1)))

    @override
    def _last_top_line(self) -> int:
        return max(len(self._drawn_lines) - self.size.height, 0)

    @override
    def render_line(self, y: int) -> Strip:
        row = y + self.scroll_offset.y
        line = self._drawn_lines[row] if row < len(self._drawn_lines) else ()
        style = self._palette.style
        strip = Strip(
            [Segment(sanitise_line(text, 400), style(tone)) for text, tone in line if text]
        )
        return strip.crop_extend(0, self.size.width, style(TextRole.PLAIN))


class OverlayPageScreen(BaseDialog[None]):
    """A dialog that shows battle boards."""

    DEFAULT_CSS = """
    OverlayPageScreen > Vertical { width: 100%; max-width: 100; height: 100%; }
    OverlayPageScreen OverlayPageView { height: 1fr; }
    """
    BINDINGS = [Binding("enter,q,b", "leave", "Close")]

    def __init__(self, title: str, pages: Sequence[OverlayPage], palette: Palette) -> None:
        super().__init__()
        self._title = title
        self._pages = pages
        self._palette = palette

    @override
    def compose(self) -> ComposeResult:
        with Vertical():
            yield OverlayPageView(palette=self._palette)
            yield Static("Up/Down PgUp/PgDn scroll   Esc close", markup=False)

    def on_mount(self) -> None:
        """Show the boards."""
        self.query_one(Vertical).border_title = Content(sanitise_line(self._title, 60))
        view = self.query_one(OverlayPageView)
        view.show_pages(self._pages)
        view.focus()
