"""The panel that shows playback steps and pop-ups over the lower part of the map."""

import textwrap
from collections.abc import Iterable, Sequence
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from tui.drawing.colour_roles import TextRole
from tui.drawing.palette import PLAIN_PALETTE, Palette
from tui.panels.overlay_pages import BattleBoard, Line, OverlayPage, TonedPiece
from tui.terminal.sanitising import sanitise_line

MAX_WIDTH: Final = 76
"""Maximum width, in cells. If the map is wider, part of the map stays visible next to the panel."""
_MIN_TEXT_LINES: Final = 3
"""Minimum number of text lines, so that the panel keeps its height between steps."""
_TALL_HEIGHT: Final = 14
"""Minimum available height, in lines, for `_MIN_TEXT_LINES` to apply."""
_FRAME_CELLS: Final = 4
"""Number of cells that the frame adds to the width, and number of lines that the frame, title and gap add."""
_TIMER_MARGIN_SECONDS: Final = 0.05
_MAX_HEIGHT_SHARE: Final = 0.8
"""Maximum fraction of the map's height that the panel may cover."""


class PlaybackPanel(Widget):
    """A framed box in front of the map."""

    DEFAULT_CSS = """
    PlaybackPanel { layer: above; dock: bottom; display: none; height: 1; width: 1fr; }
    """

    class KeysChanged(Message):
        """Posted when some keys change their effect, for example when the panel is shown or hidden."""

    def __init__(self, palette: Palette = PLAIN_PALETTE, *, id: str | None = None) -> None:
        """Create a hidden panel."""
        super().__init__(id=id)
        self._palette = palette
        self._lines: tuple[Line, ...] = ()
        self._contents: tuple[str, Sequence[str], str, OverlayPage | None] | None = None
        """The arguments of the last `show_contents` call; None while the panel is hidden."""

    def show_palette(self, palette: Palette) -> None:
        """Repaint with another palette."""
        self._palette = palette
        self.refresh()

    @property
    def text(self) -> str:
        """The text on display, without tones."""
        return "\n".join("".join(piece.text for piece in line) for line in self._lines)

    @property
    def covered_lines(self) -> int:
        """Number of map lines covered by the panel."""
        return len(self._lines) if self.display else 0

    def show_contents(
        self, title: str, sentences: Sequence[str], keys: str, page: OverlayPage | None = None
    ) -> None:
        """Show a step or a pop-up: the card or battle board, then the text, then the keys.

        Args:
            title: Text on the top edge, such as the number of the step.
            sentences: The text. If the text does not fit, the last line gives the number of hidden lines.
            keys: Text on the bottom edge.
            page: A card or a battle board; None to show only the text.
        """
        self._contents = title, sentences, keys, page
        width, height = self._max_size()
        inner_width = width - _FRAME_CELLS
        self.post_message(self.KeysChanged())
        if isinstance(page, BattleBoard):
            sentences = [text for text in sentences if text not in page.summaries]
        text_lines = [
            part for text in sentences for part in _wrap_text(sanitise_line(text, 400), inner_width)
        ]
        min_lines = _MIN_TEXT_LINES if page is None and height >= _TALL_HEIGHT else 1
        text_lines += [""] * (min_lines - len(text_lines))
        if (
            isinstance(page, BattleBoard)
            and len(page.lines(inner_width)) > height - len(text_lines) - _FRAME_CELLS
        ):
            text_lines = []  # the battle board already shows this text
        page_lines = (
            []
            if page is None
            else _titled_page(page, inner_width, height - len(text_lines) - _FRAME_CELLS)
        )
        max_text_lines = max(height - len(page_lines) - 2, _MIN_TEXT_LINES)
        if len(text_lines) > max_text_lines:
            hidden_count = len(text_lines) - max_text_lines + 1
            text_lines = [*text_lines[: max_text_lines - 1], f"... {hidden_count} more lines: B"]
        body = [*page_lines, *((TonedPiece(text),) for text in text_lines)]
        self._set_lines(
            (
                _edge_line("┌", title, "┐", width, TextRole.HEAD),
                *(_framed_line(line, width) for line in body),
                _edge_line("└", keys, "┘", width, TextRole.KEY),
            )
        )

    def fit(self) -> None:
        """Lay out the same contents again after a resize."""
        if self._contents is not None:
            self.show_contents(*self._contents)

    def announce_keys_after(self, seconds: float) -> None:
        """Post `KeysChanged` after the given number of seconds, when the effect of some keys changes."""
        self.set_timer(
            seconds + _TIMER_MARGIN_SECONDS, lambda: self.post_message(self.KeysChanged())
        )

    def clear(self) -> None:
        """Hide the panel."""
        self._lines, self._contents = (), None
        self.display = False
        self.post_message(self.KeysChanged())

    def _max_size(self) -> tuple[int, int]:
        """Return the maximum width and height of the panel, in cells and lines."""
        parent = self.parent
        size = parent.size if isinstance(parent, Widget) else self.app.size
        return max(min(size.width, MAX_WIDTH), 20), max(int(size.height * _MAX_HEIGHT_SHARE), 6)

    def _set_lines(self, lines: tuple[Line, ...]) -> None:
        self._lines = lines
        width = sum(cell_len(piece.text) for piece in lines[0])
        self.styles.height = len(lines)
        self.styles.width = width
        self.display = True
        self.refresh()

    @override
    def render_line(self, y: int) -> Strip:
        line = self._lines[y] if y < len(self._lines) else ()
        style = self._palette.style
        strip = Strip([Segment(text, style(tone)) for text, tone in line])
        return strip.crop_extend(0, self.size.width, style(TextRole.PLAIN))


def _titled_page(page: OverlayPage, width: int, height: int) -> list[Line]:
    """Return a page with its title above it and an empty line below it."""
    title = [
        (TonedPiece(text, TextRole.HEAD),)
        for text in _wrap_text(sanitise_line(page.title, 200), width)
    ]
    lines = (
        tuple(
            TonedPiece(sanitise_line(text, width) if text.strip() else text, tone)
            for text, tone in line
        )
        for line in page.lines(width, max(height, 1))
    )
    return [*title, *list(lines)[: max(height, 1)], ()]


def _edge_line(left_text: str, label: str, right_text: str, width: int, tone: TextRole) -> Line:
    visible_text = sanitise_line(label, width - 6)
    dash_count = width - 5 - cell_len(visible_text)
    return (
        TonedPiece(f"{left_text}─ ", TextRole.FRAME),
        TonedPiece(visible_text, tone),
        TonedPiece(f" {'─' * dash_count}{right_text}", TextRole.FRAME),
    )


def _framed_line(line: Line, width: int) -> Line:
    pieces = list(_truncate(line, width - 4))
    used_cells = sum(cell_len(piece.text) for piece in pieces)
    padding = " " * (width - 4 - used_cells)
    return (
        TonedPiece("│ ", TextRole.FRAME),
        *pieces,
        TonedPiece(padding),
        TonedPiece(" │", TextRole.FRAME),
    )


def _truncate(line: Line, width: int) -> Iterable[TonedPiece]:
    for text, tone in line:
        visible_text = text[:width] if cell_len(text) > width else text
        width -= cell_len(visible_text)
        if visible_text:
            yield TonedPiece(visible_text, tone)


def _wrap_text(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent="  ", break_on_hyphens=False) or [""]
