"""The panel that shows playback steps and cards over the lower part of the map."""

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
from tui.drawing.palette import PLAIN, Palette
from tui.playback.battle_board import BattleBoard, Line, OverlayPage, TonedPiece
from tui.terminal.sanitising import sanitise_line

MAX_WIDTH: Final = 76
"""Maximum width, in cells. On a wider map, the rest of the map stays visible next to the panel."""
_STORY_LINES: Final = 3
"""Minimum number of text lines, so that the panel keeps its height between steps."""
_HIGH: Final = 14
"""Minimum available height, in lines, for `_STORY_LINES` to apply."""
_FRAME: Final = 4
"""Width of the frame, in cells; also the number of lines for the frame, the page title and the gap below the page."""
_MOMENT: Final = 0.05
_SHARE: Final = 0.8
"""Maximum fraction of the map's height that the panel may cover."""


class PlaybackPanel(Widget):
    """A framed box in front of the map."""

    DEFAULT_CSS = """
    PlaybackPanel { layer: above; dock: bottom; display: none; height: 1; width: 1fr; }
    """

    class Turned(Message):
        """The panel was shown or hidden, which changes the effect of some keys."""

    def __init__(self, palette: Palette = PLAIN, *, id: str | None = None) -> None:
        """Create a hidden panel."""
        super().__init__(id=id)
        self._palette = palette
        self._lines: tuple[Line, ...] = ()
        self._contents: tuple[str, Sequence[str], str, OverlayPage | None] | None = None
        """The arguments of the last `show_message`; None while the panel is hidden."""

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

    def show_message(
        self, title: str, story: Sequence[str], keys: str, page: OverlayPage | None = None
    ) -> None:
        """Show a step: its card or battle board, then the text, then the keys.

        Args:
            title: Text on the top edge, such as the number of the step.
            story: Sentences. If not all of them fit, the number of hidden lines is shown.
            keys: Text on the bottom edge.
            page: A card or a battle board; None for neither.
        """
        self._contents = title, story, keys, page
        width, height = self._room()
        inside = width - _FRAME
        self.post_message(self.Turned())
        told = [part for text in story for part in _wrap_text(sanitise_line(text, 400), inside)]
        least = _STORY_LINES if page is None and height >= _HIGH else 1
        told += [""] * (least - len(told))
        if isinstance(page, BattleBoard) and len(page.lines(inside)) > height - len(told) - _FRAME:
            told = []  # the battle board already contains this text
        lines = [] if page is None else _titled_page(page, inside, height - len(told) - _FRAME)
        room = max(height - len(lines) - 2, _STORY_LINES)
        if len(told) > room:
            told = [*told[: room - 1], f"... {len(told) - room + 1} more lines: B"]
        body = [*lines, *((TonedPiece(text),) for text in told)]
        self._put(
            (
                _edge("┌", title, "┐", width, TextRole.HEAD),
                *(_framed_line(line, width) for line in body),
                _edge("└", keys, "┘", width, TextRole.KEY),
            )
        )

    def fit(self) -> None:
        """Show the same contents again after a resize."""
        if self._contents is not None:
            self.show_message(*self._contents)

    def turn_after(self, seconds: float) -> None:
        """Post `Turned` shortly after the given time, when some keys start to work differently."""
        self.set_timer(seconds + _MOMENT, lambda: self.post_message(self.Turned()))

    def clear(self) -> None:
        """Hide the panel."""
        self._lines, self._contents = (), None
        self.display = False
        self.post_message(self.Turned())

    def _room(self) -> tuple[int, int]:
        """Return the maximum width and height of the panel, in cells and lines."""
        parent = self.parent
        size = parent.size if isinstance(parent, Widget) else self.app.size
        return max(min(size.width, MAX_WIDTH), 20), max(int(size.height * _SHARE), 6)

    def _put(self, lines: tuple[Line, ...]) -> None:
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


def _edge(left: str, words: str, right: str, width: int, tone: TextRole) -> Line:
    shown = sanitise_line(words, width - 6)
    rest = width - 5 - cell_len(shown)
    return (
        TonedPiece(f"{left}─ ", TextRole.FRAME),
        TonedPiece(shown, tone),
        TonedPiece(f" {'─' * rest}{right}", TextRole.FRAME),
    )


def _framed_line(line: Line, width: int) -> Line:
    pieces = list(_cut(line, width - 4))
    used = sum(cell_len(piece.text) for piece in pieces)
    gap = " " * (width - 4 - used)
    return (
        TonedPiece("│ ", TextRole.FRAME),
        *pieces,
        TonedPiece(gap),
        TonedPiece(" │", TextRole.FRAME),
    )


def _cut(line: Line, width: int) -> Iterable[TonedPiece]:
    for text, tone in line:
        shown = text[:width] if cell_len(text) > width else text
        width -= cell_len(shown)
        if shown:
            yield TonedPiece(shown, tone)


def _wrap_text(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent="  ", break_on_hyphens=False) or [""]
