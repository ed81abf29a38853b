"""Draws a scene: one line of the map at a time, as a strip; a pure function of scene, zoom, cursor and palette."""

from collections.abc import Iterable, Iterator

from rich.segment import Segment
from textual.strip import Strip

from tui.hexmap.geometry import SHAPES, Shape, shift
from tui.hexmap.scene import Ground, HexCell, HexScene
from tui.marks import HIGHLIGHT_TONES, OWNER_TONES, Highlight, Owner, Zoom
from tui.palette import Palette
from tui.tones import Tone

Piece = tuple[str, Tone]

_FILL_STEP = 3
"""Every third cell of empty ground shows the terrain; the next one shows a shade."""
_GROUND_TONES = {
    Ground.SEA: Tone.SEA,
    Ground.COAST: Tone.SEA,
    Ground.OPEN: Tone.LAND,
    Ground.MIXED: Tone.LAND,
    Ground.JUNGLE: Tone.LAND,
    Ground.MOUNTAIN: Tone.ROUGH,
    Ground.VOID: Tone.VOID,
}
_SHADE_TONES = {Owner.ONE: Tone.SHADE_ONE, Owner.TWO: Tone.SHADE_TWO}


def _ground(cell: HexCell, line: int, start: int, stop: int) -> Iterator[Piece]:
    """Yield the empty cells of an interior: terrain and shade."""
    if cell.shade is Owner.NOBODY and cell.ground in (Ground.SEA, Ground.VOID):
        yield " " * (stop - start), Tone.SEA
        return
    shade = cell.shade_mark if cell.shade is not Owner.NOBODY else " "
    letters = []
    for place in range(start, stop):
        phase = (place + 2 * line) % _FILL_STEP
        letters.append(cell.ground[0] if phase == 0 else shade if phase == 1 else " ")
    tone = _SHADE_TONES.get(cell.shade) or _GROUND_TONES[cell.ground]
    yield "".join(letters), tone


def _bottom(width: int) -> Iterator[Piece]:
    yield "_" * width, Tone.GRID


def _centred(cell: HexCell, line: int, width: int, text: str, tone: Tone) -> Iterator[Piece]:
    """Yield a text in the middle of the ground."""
    text = text[:width]
    if not text:
        yield from _ground(cell, line, 0, width)
        return
    left = (width - len(text)) // 2
    yield from _ground(cell, line, 0, left)
    yield text, tone
    yield from _ground(cell, line, left + len(text), width)


def _number_line(cell: HexCell, width: int) -> Iterator[Piece]:
    """Yield the hex number and the highlight."""
    yield (
        cell.id[:width],
        Tone.LABEL if cell.highlight is Highlight.NONE else HIGHLIGHT_TONES[cell.highlight],
    )
    mark = f" {cell.highlight}"[: width - len(cell.id)] if cell.highlight else ""
    if mark:
        yield mark, HIGHLIGHT_TONES[cell.highlight]
    yield from _ground(cell, 0, len(cell.id) + len(mark), width)


def _base_line(cell: HexCell, width: int) -> Iterator[Piece]:
    """Yield the last line: owner and bases left, cost right, outline between."""
    base = f"{cell.owner_mark}{cell.symbols}"[:width]
    tag = cell.tag[: width - len(base)]
    if base:
        yield base, OWNER_TONES[cell.owner]
    yield from _bottom(width - len(base) - len(tag))
    if tag:
        yield tag, HIGHLIGHT_TONES[cell.highlight]


def _text_line(cell: HexCell, line: int, width: int, texts: tuple[str, ...]) -> Iterator[Piece]:
    """Yield a line of text: the name first, then who is here."""
    text = texts[line - 1] if line <= len(texts) else ""
    tone = OWNER_TONES[cell.owner if line == 1 else cell.occupant]
    if line == 1 or not text or texts is cell.lines:
        yield from _centred(cell, line, width, text, tone)
    else:
        yield f" {text}"[:width].ljust(width), tone


def _small_ground(cell: HexCell, line: int, width: int) -> Piece:
    """Return one line of an empty hex in the overview."""
    ground = cell.ground[0]
    shade = ground if cell.shade is Owner.NOBODY else cell.shade_mark
    pair = f"{shade}{ground}" if line == 0 else f"{ground}{shade}"
    return (pair * width)[:width], _SHADE_TONES.get(cell.shade) or _GROUND_TONES[cell.ground]


def _overview_line(cell: HexCell, line: int, width: int) -> Iterator[Piece]:
    """Yield one of the two lines of the overview: who is here, and what the place is."""
    if line == 0 and cell.brief:
        yield cell.brief[:width].ljust(width), OWNER_TONES[cell.occupant]
    elif line == 0:
        yield _small_ground(cell, line, width)
    elif cell.highlight is not Highlight.NONE:
        yield (
            f"{cell.highlight}{cell.symbols or cell.ground[0]}"[:width].ljust(width),
            HIGHLIGHT_TONES[cell.highlight],
        )
    elif cell.symbols:
        yield f"{cell.owner_mark}{cell.symbols}"[:width].ljust(width), OWNER_TONES[cell.owner]
    else:
        yield _small_ground(cell, line, width)


def interior(cell: HexCell, shape: Shape, zoom: Zoom, line: int) -> tuple[Piece, ...]:
    """Return the inside of one line of a hex, exactly as wide as the shape says."""
    width = shape.width(line)
    if cell.ground is Ground.VOID:
        return ((" " * width, Tone.VOID),)
    if zoom is Zoom.OVERVIEW:
        return tuple(_overview_line(cell, line, width))
    if line == 0:
        return tuple(_number_line(cell, width))
    if line == shape.height - 1:
        return tuple(_base_line(cell, width))
    return tuple(
        _text_line(cell, line, width, cell.lines if zoom is Zoom.OPERATIONAL else cell.details)
    )


def _is_shown(cell: HexCell | None) -> bool:
    return cell is not None and cell.ground is not Ground.VOID


class _Line:
    """One line of the drawing under construction."""

    def __init__(self, scene: HexScene, zoom: Zoom, y: int, cursor: str) -> None:
        self.scene = scene
        self.zoom = zoom
        self.shape: Shape = SHAPES[scene.grid.top][zoom]
        self.y = y
        self.cursor = cursor

    def place(self, column: int) -> tuple[int, int]:
        """Return the map row and the line inside the hex that this line crosses in a column."""
        down = shift(self.scene, self.shape, column, 0).y
        row, line = divmod(self.y - 1 - down, self.shape.height)
        return self.scene.first_row + row, line

    def _edge(self, line: int, *, shown: bool, near_cursor: str) -> Piece:
        """Return the character between two columns."""
        if near_cursor:
            return near_cursor, Tone.CURSOR
        if self.zoom is Zoom.OVERVIEW or not shown:
            return " ", Tone.GRID
        if not self.shape.leans:
            return "|", Tone.GRID
        return "/" if line < self.shape.slope else "\\", Tone.GRID

    def _inside(self, column: int, row: int, line: int) -> Iterable[Piece]:
        """Return the pieces of the hex in a column, or what stands for a missing one."""
        cell = self.scene.at(column, row)
        if cell is not None and cell.id == self.cursor:
            text = "".join(text for text, _ in interior(cell, self.shape, self.zoom, line))
            return ((text, Tone.CURSOR),)
        if cell is not None and _is_shown(cell):
            return interior(cell, self.shape, self.zoom, line)
        width = self.shape.width(line)
        if self.zoom is Zoom.OVERVIEW or line != self.shape.height - 1:
            return ((" " * width, Tone.VOID),)
        return self._roof(column, row, width)

    def _roof(self, column: int, row: int, width: int) -> Iterable[Piece]:
        """Return the upper outline of the hexes below a missing one; an upright hex has two of them."""
        half = width // 2
        parts = {"S": width} if self.shape.leans else {"SW": half, "SE": width - half}
        grid = self.scene.grid
        for side, wide in parts.items():
            below = self.scene.at(*grid.neighbour(column, row, grid.sides.index(side)))
            yield ("_" * wide, Tone.GRID) if _is_shown(below) else (" " * wide, Tone.VOID)

    def pieces(self, first: int, last: int) -> Iterator[Piece]:
        """Yield the pieces from the left edge of one column up to the right edge of another."""
        before: HexCell | None = None
        for column in range(first, last + 1):
            row, line = self.place(column)
            cell = self.scene.at(column, row)
            here = cell.id if cell is not None else ""
            was = before.id if before is not None else ""
            near = (
                "[" if here and here == self.cursor else "]" if was and was == self.cursor else ""
            )
            yield self._edge(line, shown=_is_shown(cell) or _is_shown(before), near_cursor=near)
            yield from self._inside(column, row, line)
            before = cell


def _merge(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield the pieces with equal neighbours joined; blanks take the tone before them, since they look alike."""
    run, tone = "", Tone.PLAIN
    for text, kind in pieces:
        if not text:
            continue
        if (
            kind is tone
            or not run
            or (tone is not Tone.CURSOR and kind is not Tone.CURSOR and text.isspace())
        ):
            tone = tone if run else kind
            run += text
        else:
            yield run, tone
            run, tone = text, kind
    if run:
        yield run, tone


def draw_line(
    scene: HexScene, zoom: Zoom, palette: Palette, y: int, x: int, width: int, cursor: str
) -> Strip:
    """Return one line of the map.

    Args:
        scene: The hexes.
        zoom: How much of a hex is shown.
        palette: How tones look.
        y: Line of the unscrolled drawing, from 0.
        x: First cell of the unscrolled drawing that is visible.
        width: Cells wanted; the strip is exactly as wide.
        cursor: Hex that is framed; empty for none.
    """
    shape = SHAPES[scene.grid.top][zoom]
    first = scene.first_column + max(x // shape.pitch - 1, 0)
    last = min(first + width // shape.pitch + 3, scene.first_column + scene.columns)
    line = _Line(scene, zoom, y, cursor)
    row, start_line = line.place(first)
    right = shift(scene, shape, first, row).x
    indent = (first - scene.first_column) * shape.pitch + right + shape.inset(start_line)
    pieces = [(" " * indent, Tone.VOID), *line.pieces(first, last)]
    segments = [Segment(text, palette.style(tone)) for text, tone in _merge(pieces)]
    return Strip(segments).crop_extend(x, x + width, palette.style(Tone.PLAIN))
