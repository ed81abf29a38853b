"""Lines of text in a scrolled box, wrapped at words; only lines that changed are repainted."""

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

from tui.clean import clean
from tui.palette import PALETTES, Palette
from tui.terminal import PaletteName
from tui.tones import Tone

TonedLine = tuple[str, Tone]
_LONGEST = 2000
_INDENT = "  "


def wrap(lines: Sequence[TonedLine], width: int) -> list[TonedLine]:
    """Return the lines cut at words to a width; continued lines are indented, blanks in front are kept."""
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


class Lines(ScrollView, can_focus=True):
    """A read-only text."""

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
        palette: Palette = PALETTES[PaletteName.COLOUR],
        follow: bool = False,
        id: str | None = None,
    ) -> None:
        """Start empty.

        Args:
            title: Shown in the border when there is one.
            palette: How tones look.
            follow: Keep the last line in sight.
            id: Textual id.
        """
        super().__init__(id=id)
        self._palette = palette
        self._follow = follow
        self._lines: tuple[TonedLine, ...] = ()
        self._wrapped: list[TonedLine] = []
        self.entitle(title)

    def entitle(self, title: str) -> None:
        """Change the title."""
        self.border_title = Content(clean(title, 60)) if title else None

    def show_palette(self, palette: Palette) -> None:
        """Repaint in another palette."""
        self._palette = palette
        self.refresh()

    def show(self, lines: Sequence[TonedLine | str]) -> None:
        """Show other lines; every one is cleaned."""
        toned = ((line, Tone.PLAIN) if isinstance(line, str) else line for line in lines)
        self._lines = tuple((clean(text, _LONGEST), tone) for text, tone in toned)
        self._rewrap()

    @property
    def text(self) -> str:
        """Return what is shown, unwrapped."""
        return "\n".join(text for text, _ in self._lines)

    def _rewrap(self) -> None:
        before, width = self._wrapped, self.size.width
        self._wrapped = wrap(self._lines, width) if width else list(self._lines)
        text = Size(max(width, 1), max(len(self._wrapped), 1))
        self.set_reactive(Lines.virtual_size, text)  # no layout: the box keeps its size
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
        ]
        if changed:
            self.refresh(*changed)

    def _bottom(self) -> int:
        return max(len(self._wrapped) - self.size.height, 0)

    def on_resize(self, event: events.Resize) -> None:
        """Wrap anew."""
        del event
        self._rewrap()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return a visible line."""
        text, tone = _row(self._wrapped, y + self.scroll_offset.y)
        strip = Strip([Segment(text, self._palette.style(tone))])
        return strip.crop_extend(0, self.size.width, self._palette.style(Tone.PLAIN))

    def action_line(self, lines: int) -> None:
        """Scroll by lines."""
        target = min(max(self.scroll_offset.y + lines, 0), self._bottom())
        self.scroll_to(y=target, animate=False, force=True)

    def action_page(self, pages: int) -> None:
        """Scroll by pages."""
        self.action_line(pages * max(self.size.height - 1, 1))

    def action_edge(self, edge: int) -> None:
        """Scroll to the beginning or the end."""
        self.action_line(edge * len(self._wrapped))


def _row(lines: Sequence[TonedLine], row: int) -> TonedLine:
    return lines[row] if row < len(lines) else ("", Tone.PLAIN)
