"""The strip over the lower part of the map in which a playback is told and a card is read."""

import textwrap
from collections.abc import Iterable, Sequence
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.clean import clean
from tui.palette import PLAIN, Palette
from tui.playback.sheet import Fight, Line, Piece, Sheet
from tui.tones import Tone

WIDEST: Final = 76
"""Cells of the strip at most; a wider map stays in sight beside it."""
_STORY_LINES: Final = 3
"""Lines of the story at least, so that the strip keeps its height from step to step."""
_HIGH: Final = 14
"""Lines of room from which the strip keeps its height."""
_FRAME: Final = 4
"""Cells, or lines with the title of a sheet and the line below it, that are not for words."""
_MOMENT: Final = 0.05
_SHARE: Final = 0.8
"""Part of the height of the map that the strip may cover."""


class Stage(Widget):
    """Lines in a box, above the map and in front of it."""

    DEFAULT_CSS = """
    Stage { layer: above; dock: bottom; display: none; height: 1; width: 1fr; }
    """

    class Turned(Message):
        """The strip has come, or gone: some keys mean something else now."""

    def __init__(self, palette: Palette = PLAIN, *, id: str | None = None) -> None:
        """Show nothing yet."""
        super().__init__(id=id)
        self._palette = palette
        self._lines: tuple[Line, ...] = ()
        self._told: tuple[str, Sequence[str], str, Sheet | None] | None = None
        """The step that is shown."""

    def show_palette(self, palette: Palette) -> None:
        """Repaint in another palette."""
        self._palette = palette
        self.refresh()

    @property
    def text(self) -> str:
        """Return what is shown, without colours."""
        return "\n".join("".join(piece.text for piece in line) for line in self._lines)

    @property
    def covered(self) -> int:
        """Return how many lines of the map are covered."""
        return len(self._lines) if self.display else 0

    def tell(self, title: str, story: Sequence[str], keys: str, sheet: Sheet | None = None) -> None:
        """Show a step: its sheet, below it the story, below that the keys.

        Args:
            title: In the upper edge, such as the number of the step.
            story: Sentences; those that do not fit are counted.
            keys: In the lower edge.
            sheet: A card or a battle board.
        """
        self._told = title, story, keys, sheet
        width, height = self._room()
        inside = width - _FRAME
        self.post_message(self.Turned())
        told = [part for text in story for part in _folded(clean(text, 400), inside)]
        least = _STORY_LINES if sheet is None and height >= _HIGH else 1
        told += [""] * (least - len(told))
        if isinstance(sheet, Fight) and len(sheet.lines(inside)) > height - len(told) - _FRAME:
            told = []  # the board tells it
        lines = [] if sheet is None else _shown(sheet, inside, height - len(told) - _FRAME)
        room = max(height - len(lines) - 2, _STORY_LINES)
        if len(told) > room:
            told = [*told[: room - 1], f"... {len(told) - room + 1} more lines: B"]
        body = [*lines, *((Piece(text),) for text in told)]
        self._put(
            (
                _edge("┌", title, "┐", width, Tone.HEAD),
                *(_framed(line, width) for line in body),
                _edge("└", keys, "┘", width, Tone.KEY),
            )
        )

    def fit(self) -> None:
        """Show the same again where there is another room than before."""
        if self._told is not None:
            self.tell(*self._told)

    def turn_after(self, seconds: float) -> None:
        """Tell a moment after so many seconds that some keys mean something else."""
        self.set_timer(seconds + _MOMENT, lambda: self.post_message(self.Turned()))

    def clear(self) -> None:
        """Show the whole map again."""
        self._lines, self._told = (), None
        self.display = False
        self.post_message(self.Turned())

    def _room(self) -> tuple[int, int]:
        """Return columns and lines that the strip may take."""
        parent = self.parent
        size = parent.size if isinstance(parent, Widget) else self.app.size
        return max(min(size.width, WIDEST), 20), max(int(size.height * _SHARE), 6)

    def _put(self, lines: tuple[Line, ...]) -> None:
        self._lines = lines
        width = sum(cell_len(piece.text) for piece in lines[0])
        self.styles.height = len(lines)
        self.styles.width = width
        self.display = True
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return a line of the box."""
        line = self._lines[y] if y < len(self._lines) else ()
        style = self._palette.style
        strip = Strip([Segment(text, style(tone)) for text, tone in line])
        return strip.crop_extend(0, self.size.width, style(Tone.PLAIN))


def _shown(sheet: Sheet, width: int, height: int) -> list[Line]:
    """Return a sheet with its title above it and an empty line below."""
    title = [(Piece(text, Tone.HEAD),) for text in _folded(clean(sheet.title, 200), width)]
    lines = (
        tuple(Piece(clean(text, width) if text.strip() else text, tone) for text, tone in line)
        for line in sheet.lines(width, max(height, 1))
    )
    return [*title, *list(lines)[: max(height, 1)], ()]


def _edge(left: str, words: str, right: str, width: int, tone: Tone) -> Line:
    shown = clean(words, width - 6)
    rest = width - 5 - cell_len(shown)
    return (
        Piece(f"{left}─ ", Tone.FRAME),
        Piece(shown, tone),
        Piece(f" {'─' * rest}{right}", Tone.FRAME),
    )


def _framed(line: Line, width: int) -> Line:
    pieces = list(_cut(line, width - 4))
    used = sum(cell_len(piece.text) for piece in pieces)
    gap = " " * (width - 4 - used)
    return (Piece("│ ", Tone.FRAME), *pieces, Piece(gap), Piece(" │", Tone.FRAME))


def _cut(line: Line, width: int) -> Iterable[Piece]:
    for text, tone in line:
        shown = text[:width] if cell_len(text) > width else text
        width -= cell_len(shown)
        if shown:
            yield Piece(shown, tone)


def _folded(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent="  ", break_on_hyphens=False) or [""]
