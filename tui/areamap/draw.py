"""Draws an area map: a pure function of scene, zoom and cursor that gives lines of letters with tones."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from rich.segment import Segment
from textual.strip import Strip

from tui.areamap.geometry import SHAPES, Shape, Square, corner, map_size, ways
from tui.areamap.scene import AreaCell, AreaScene
from tui.marks import HIGHLIGHT_TONES, OWNER_TONES, Highlight, Zoom
from tui.palette import Palette
from tui.tones import Tone

Letter = tuple[str, Tone]
Lines = tuple[tuple[Letter, ...], ...]
_BLANK: Final[Letter] = (" ", Tone.PLAIN)
_NEIGHBOUR: Final = "<"
"""Stands behind the pieces or the name of each neighbour of the place under the cursor."""


def fold(name: str, width: int) -> tuple[str, str]:
    """Return a name in two lines, cut where it is too long."""
    if len(name) <= width:
        return name, ""
    words = name.split(" ")
    for count in range(len(words) - 1, 0, -1):
        first = " ".join(words[:count])
        if len(first) <= width:
            return first, " ".join(words[count:])[:width]
    return name[:width], name[width : 2 * width]


class _Canvas:
    """The letters of a drawing under construction."""

    def __init__(self, scene: AreaScene, zoom: Zoom, cursor: str) -> None:
        self.scene = scene
        self.zoom = zoom
        self.cursor = cursor
        self.shape: Shape = SHAPES[zoom]
        width, height = map_size(scene, self.shape)
        self.rows: list[list[Letter]] = [[_BLANK] * width for _ in range(height)]

    def put(self, x: int, y: int, text: str, tone: Tone) -> None:
        """Write a text; what lies outside is left out."""
        if 0 <= y < len(self.rows):
            row = self.rows[y]
            for place, letter in enumerate(text, start=x):
                if 0 <= place < len(row):
                    row[place] = (letter, tone)

    # -- links

    def links(self) -> None:
        """Draw the links that have a way."""
        for way in ways(self.scene):
            for start, end in zip(way.squares, way.squares[1:], strict=False):
                self._gap(start, end, way.mark)
            for before, middle, after in zip(
                way.squares, way.squares[1:], way.squares[2:], strict=False
            ):
                self._across(before, middle, after, way.mark)

    def _gap(self, start: Square, end: Square, mark: str) -> None:
        """Draw a link where it crosses from one square into the next."""
        (x, y), width, height = corner(self.shape, start), self.shape.width, self.shape.height
        dx, dy = end[0] - start[0], end[1] - start[1]
        if dx < 0 or (dx == 0 and dy < 0):
            self._gap(end, start, mark)
        elif dy == 0:
            self.put(x + width, y + self.shape.middle, mark or "-", Tone.GRID)
        elif self.shape.gap:
            line = y + height if dy > 0 else y - 1
            if dx == 0:
                self.put(x + width // 2, line, mark or "|", Tone.GRID)
            else:
                self._diagonal(x + width, line, mark or ("\\" if dy > 0 else "/"))
        elif dx:
            self._diagonal(
                x + width, y + height - 1 if dy > 0 else y - 1, mark or ("\\" if dy > 0 else "/")
            )

    def _diagonal(self, x: int, y: int, mark: str) -> None:
        known = self.rows[y][x][0]
        self.put(x, y, mark if known in (" ", mark) else "X", Tone.GRID)

    def _across(self, before: Square, middle: Square, after: Square, mark: str) -> None:
        """Draw a link through an empty square."""
        ends = [self._edge(middle, before), self._edge(middle, after)]
        x, y = corner(self.shape, middle)
        centre = (x + self.shape.width // 2, y + self.shape.middle)
        for end in ends:
            self._line(end, centre, mark)

    def _edge(self, square: Square, towards: Square) -> tuple[int, int]:
        """Return the letter of a square that is nearest to another square."""
        x, y = corner(self.shape, square)
        width, height = self.shape.width, self.shape.height
        across = {-1: 0, 0: width // 2, 1: width - 1}
        down = {-1: 0, 0: self.shape.middle, 1: height - 1}
        return x + across[towards[0] - square[0]], y + down[towards[1] - square[1]]

    def _line(self, start: tuple[int, int], end: tuple[int, int], mark: str) -> None:
        dx, dy = end[0] - start[0], end[1] - start[1]
        steps = max(abs(dx), abs(dy))
        letter = "-" if not dy else "|" if not dx else "\\" if (dx > 0) == (dy > 0) else "/"
        for step in range(steps + 1):
            x = start[0] + round(dx * step / steps) if steps else start[0]
            y = start[1] + round(dy * step / steps) if steps else start[1]
            self.put(x, y, mark or letter, Tone.GRID)

    # -- rims

    def rims(self) -> None:
        """Write at the edges where the map goes on."""
        used: dict[tuple[int, bool], int] = {}
        for rim in self.scene.rims:
            row = self.scene.cells[rim.place].row
            number = used.get((row, rim.is_right), 0)
            used[row, rim.is_right] = number + 1
            line = row * self.shape.line + number * (self.shape.height if self.shape.gap else 1)
            text = f"{rim.text}>" if rim.is_right else f"<{rim.text}"
            self.put(len(self.rows[0]) - len(text) if rim.is_right else 0, line, text, Tone.GRID)

    # -- places

    def places(self) -> None:
        """Draw every box over the links."""
        beside = self.scene.beside.get(self.cursor, {})
        for cell in self.scene.cells.values():
            self._place(cell, beside.get(cell.id))

    def _place(self, cell: AreaCell, link: str | None) -> None:
        x, y = corner(self.shape, (cell.column, cell.row))
        width = self.shape.width
        for line in range(self.shape.height):
            self.put(x, y + line, " " * width, Tone.PLAIN)
        mark, tone = self._mark(cell, link)
        if self.zoom is Zoom.DETAIL:
            self._detail(cell, x, y, (mark, tone))
        else:
            end = self._brief(cell, x, y)
            last = x + width - (0 if end > x + width - 1 else 1)
            self.put(min(end, last), y + 1, mark, tone)
        if cell.id == self.cursor:
            for line in range(self.shape.height):
                row = self.rows[y + line]
                row[x : x + width] = [(letter, Tone.CURSOR) for letter, _ in row[x : x + width]]
            self.put(x - 1, y, "[", Tone.CURSOR)
            self.put(x + width, y, "]", Tone.CURSOR)

    def _mark(self, cell: AreaCell, link: str | None) -> Letter:
        """Return why a place stands out: an option, an overlay, a neighbour of the cursor."""
        if cell.highlight is not Highlight.NONE:
            return cell.highlight, HIGHLIGHT_TONES[cell.highlight]
        return ("" if link is None else link or _NEIGHBOUR), Tone.SELECTED

    def _name_tone(self, cell: AreaCell) -> Tone:
        if cell.highlight is not Highlight.NONE:
            return HIGHLIGHT_TONES[cell.highlight]
        return Tone.SEA if cell.is_sea else Tone.LAND

    def _brief(self, cell: AreaCell, x: int, y: int) -> int:
        """Write name and symbol, then the pieces; return where they end."""
        width = self.shape.width
        symbol_tone = OWNER_TONES[cell.symbol_owner]
        if self.zoom is Zoom.OVERVIEW:
            self.put(x, y, cell.short, self._name_tone(cell))
            if cell.symbol:
                self.put(x + width - 1, y, cell.symbol, symbol_tone)
            return self._tokens(cell, x, y + 1, width)
        self.put(x, y, cell.middle, self._name_tone(cell))
        self.put(x, y + 1, cell.symbol, symbol_tone)
        return self._tokens(cell, x + 1, y + 1, width - 1)

    def _tokens(self, cell: AreaCell, x: int, y: int, room: int) -> int:
        """Write the pieces by their letters and return the end; ``+`` stands for those without room."""
        total = sum(len(token.short) for token in cell.tokens)
        for token in cell.tokens:
            size = len(token.short)
            total -= size
            if size > room or (total and size == room):
                self.put(x, y, "+", OWNER_TONES[token.owner])
                return x + 1
            self.put(x, y, token.short, OWNER_TONES[token.owner])
            x, room = x + size, room - size
        return x + bool(cell.tokens)

    def _detail(self, cell: AreaCell, x: int, y: int, mark: Letter) -> None:
        """Write the full name, the mark, the pieces in words where they fit, and the note."""
        width = self.shape.width
        first, second = fold(cell.name, width - len(cell.symbol))
        tone = self._name_tone(cell)
        self.put(x, y, first, tone)
        self.put(x, y + 1, second, tone)
        self.put(x + width - 1, y, cell.symbol, OWNER_TONES[cell.symbol_owner])
        if not second and cell.note:
            second = cell.note[:width]
            self.put(x, y + 1, second, OWNER_TONES[cell.symbol_owner])
        self.put(x + min(len(second) + bool(second), width - 1), y + 1, *mark)
        room = self.shape.height - 2
        if len(cell.tokens) > room:
            self._tokens(cell, x, y + 2, width)
            return
        for line, token in enumerate(cell.tokens, start=y + 2):
            self.put(x, line, token.long[:width], OWNER_TONES[token.owner])


def draw(scene: AreaScene, zoom: Zoom, cursor: str) -> Lines:
    """Return the whole map.

    Args:
        scene: The places.
        zoom: How much of a place is shown.
        cursor: Place that is framed, whose neighbours are marked; empty for none.
    """
    canvas = _Canvas(scene, zoom, cursor)
    canvas.links()
    canvas.rims()
    canvas.places()
    return tuple(map(tuple, canvas.rows))


def _runs(letters: Iterable[Letter]) -> Iterator[Letter]:
    for tone, run in groupby(letters, key=lambda letter: letter[1]):
        yield "".join(text for text, _ in run), tone


def strip(lines: Lines, palette: Palette, y: int, x: int, width: int) -> Strip:
    """Return a cutout of one line, exactly as wide as wanted."""
    letters = lines[y][x : x + width] if 0 <= y < len(lines) else ()
    segments = [Segment(text, palette.style(tone)) for text, tone in _runs(letters)]
    return Strip(segments).crop_extend(0, width, palette.style(Tone.PLAIN))
