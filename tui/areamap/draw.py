"""Draws an area map as lines of cells. The result depends only on the scene, size, zoom, cursor and terminal."""

from collections.abc import Iterable, Iterator
from typing import Final

from rich.segment import Segment
from textual.strip import Strip

from tui.areamap.geometry import (
    ChartLayout,
    Size,
    best_zoom,
    bridge,
    chart_layout,
    full_size,
    min_size,
    neighbours_by_side,
)
from tui.areamap.labels import name_foldings
from tui.areamap.paint import (
    Borders,
    Cell,
    CursorRelation,
    Painted,
    TerminalFeatures,
    name_in_case,
    name_label,
    paint_place,
)
from tui.areamap.scene import PART, AreaCell, AreaScene
from tui.drawing.palette import Palette
from tui.drawing.tones import GroundRole, OverlayRole, TextRole
from tui.hexmap.pieces import segments
from tui.map_enums import OWNER_TONES, Owner, Zoom

Lines = tuple[tuple[Cell, ...], ...]
_APART: Final = 2
"""Gap between the legend and nearby names, in cells."""
PLAIN_TERMINAL: Final = TerminalFeatures(is_unicode=False, has_floors=False)
"""ASCII without background colours, used for plain text."""
_EMPTY: Final[Cell] = (" ", (TextRole.VOID, GroundRole.NONE, OverlayRole.NONE))
_STROKES: Final = {"\\": "╲", "/": "╱", "=": "═", "|": "║"}
_UNDER: Final = frozenset({TextRole.SEA, TextRole.LAND, TextRole.GRID})
_LINES: Final = frozenset(" |_│▏▁")
"""Characters that strokes and edge names may cover if they also have one of the tones above."""


def _has_no_text(cell: Cell) -> bool:
    """Return whether a cell contains no text."""
    return cell[0] in _LINES and cell[1][0] in _UNDER


def draw_map(
    scene: AreaScene,
    zoom: Zoom,
    cursor: str,
    size: Size | None = None,
    features: TerminalFeatures = PLAIN_TERMINAL,
    bottom: int | None = None,
) -> Lines:
    """Draw the whole map.

    Args:
        scene: The places.
        zoom: Level of detail.
        cursor: Place to frame, with its neighbours highlighted; empty if there is none.
        size: Number of columns and lines; None for the smallest size at this zoom level.
        features: Capabilities of the terminal.
        bottom: Lowest visible line, which contains the legend; None for the last line.
    """
    area = chart_layout(scene.chart, *(size or min_size(scene.chart, zoom)))
    rows: list[list[Cell]] = [[_EMPTY] * area.width for _ in range(area.height)]
    for picture in _places(scene, area, zoom, cursor, features):
        for y, x, letters in picture:
            rows[y][x : x + len(letters)] = letters
    _strokes(scene, area, rows, features)
    _rims(scene, area, rows, features)
    _legend(scene.signs, rows[-1 if bottom is None else min(bottom, area.height - 1)])
    if cursor and not features.has_floors:
        _brackets(scene, area, rows, zoom, cursor)
    return tuple(map(tuple, rows))


def _places(
    scene: AreaScene, area: ChartLayout, zoom: Zoom, cursor: str, features: TerminalFeatures
) -> Iterator[Painted]:
    beside = scene.neighbours.get(cursor, {})
    if (
        features.has_floors and zoom is Zoom.OVERVIEW
    ):  # saves bytes; the shared side is visible anyway
        seen = neighbours_by_side(scene.chart).get(cursor, frozenset())
        beside = {name: mark for name, mark in beside.items() if name not in seen}
    for cell in scene.cells.values():
        mark = beside.get(cell.id)
        cursor_relation = CursorRelation(cell.id == cursor, mark is not None, mark or "")
        yield paint_place(
            area, cell, _borders(scene, cell, features), zoom, features, cursor_relation
        )


def _borders(scene: AreaScene, cell: AreaCell, features: TerminalFeatures) -> Borders:
    """Return the neighbours behind a thin line and those behind a wall. A coast shown by colours needs no line."""
    near = neighbours_by_side(scene.chart).get(cell.id, frozenset())
    open_ways = near & scene.neighbours[cell.id].keys()
    if features.has_floors:
        open_ways = frozenset(name for name in open_ways if scene.cells[name].is_sea == cell.is_sea)
    return Borders(frozenset(open_ways), frozenset(near - scene.neighbours[cell.id].keys()))


def _write(rows: list[list[Cell]], spots: Iterable[tuple[int, int, str]], tone: TextRole) -> None:
    """Write characters on the existing ground, except where there is text."""
    for x, y, letter in spots:
        if 0 <= y < len(rows) and 0 <= x < len(rows[y]) and _has_no_text(rows[y][x]):
            _, (_, floor, tint) = rows[y][x]
            rows[y][x] = letter, (tone, floor, tint)


def _strokes(
    scene: AreaScene, area: ChartLayout, rows: list[list[Cell]], features: TerminalFeatures
) -> None:
    """Draw the links between places that share no side."""
    for link in scene.links:
        drawn = bridge(area, link)
        if drawn is not None:
            tone = OWNER_TONES[link.owner] if link.owner is not Owner.NONE else TextRole.SELECTED
            signs = _STROKES if features.is_unicode else {}
            spots = [(x, y, signs.get(sign, sign)) for x, y, sign in drawn.strokes]
            _write(rows, spots, tone)


def _brackets(
    scene: AreaScene, area: ChartLayout, rows: list[list[Cell]], zoom: Zoom, cursor: str
) -> None:
    """Put brackets around the name of the place under the cursor."""
    x, y, _ = name_label(area, scene.cells[cursor], zoom).lines[0]
    end = x
    while end < area.width and not _has_no_text(rows[y][end]):
        end += 1
    _write(rows, [(x - 1, y, "["), (end, y, "]")], TextRole.CURSOR)


def _rims(
    scene: AreaScene, area: ChartLayout, rows: list[list[Cell]], features: TerminalFeatures
) -> None:
    """Write the names of places beyond the left and right edges, as low and as complete as possible."""
    for rim in scene.wrapped_edges:
        for words in _rim_text(scene.cells[rim.beyond], features, is_right=rim.is_right):
            spot = _rim_spot(area, rows, rim.place, words, is_right=rim.is_right)
            if spot is not None:
                for (x, y), text in zip(spot, words, strict=True):
                    _write(
                        rows, [(x + at, y, letter) for at, letter in enumerate(text)], TextRole.BASE
                    )
                break


def _rim_text(
    beyond: AreaCell, features: TerminalFeatures, *, is_right: bool
) -> Iterator[tuple[str, ...]]:
    """Yield forms of a name for the edge, as lines of equal width: the best form first, just an arrow last."""
    before, behind = ("‹", "›") if features.is_unicode else ("<", ">")
    for name in (beyond.name, beyond.middle, beyond.short, ""):
        for lines in name_foldings(name_in_case(beyond, name, features)):
            if len(lines) > 1 and any(len(line.rstrip(".")) == 1 for line in lines):
                continue  # a line with a single letter cannot be read as a name
            *others, last = lines
            shown = (*(f"{line} " for line in others), f"{last}{behind}")
            if not is_right:
                first, *others = lines
                shown = (f"{before}{first}", *(f" {line}" for line in others))
            width = max(map(len, shown))
            yield tuple(line.rjust(width) if is_right else line.ljust(width) for line in shown)


def _legend(text: str, line: list[Cell]) -> None:
    """Write the legend into a line, away from names. Drop parts from the end until it fits."""
    parts = text.split(PART) if text else []
    while parts:
        text = PART.join(parts)
        for x in range(len(line) - len(text)):
            around = line[max(x - _APART, 0) : x + len(text) + _APART]
            if x and all(map(_has_no_text, around)):
                spots = ((place, 0, letter) for place, letter in enumerate(text, x))
                _write([line], spots, TextRole.NAME)
                return
        parts.pop()


def _rim_spot(
    area: ChartLayout, rows: list[list[Cell]], place: str, lines: tuple[str, ...], *, is_right: bool
) -> tuple[tuple[int, int], ...] | None:
    """Return a free column and line at the edge for each line of text; None if there is no room."""
    width = len(lines[0])
    free = {}
    for run in area.runs[place]:
        x = run.stop - width if is_right else run.start
        at_edge = run.stop == area.width if is_right else run.start == 0
        is_inside = run.start <= x and x + width <= run.stop
        if at_edge and is_inside and all(map(_has_no_text, rows[run.y][x : x + width])):
            free[run.y] = x
    for y in sorted(free, reverse=True):
        block = range(y - len(lines) + 1, y + 1)
        if all(line in free for line in block):
            return tuple((free[line], line) for line in block)
    return None


def draw_thumbnail(scene: AreaScene, size: Size, features: TerminalFeatures) -> Lines:
    """Draw the map at any size. If there is no room for text, show only the ground.

    Args:
        scene: The places.
        size: Number of columns and lines. Space beyond the largest drawing remains unused.
        features: Capabilities of the terminal.
    """
    chart, (width, height) = scene.chart, size
    columns, rows = chart.size
    if width >= columns and height >= rows:
        zoom = best_zoom(chart, width, height)
        return draw_map(scene, zoom, "", full_size(chart, zoom, width, height), features)
    squares = (
        [chart.rows[y * rows // height][x * columns // width] for x in range(width)]
        for y in range(height)
    )
    return tuple(tuple(_ground(scene, name, features) for name in line) for line in squares)


def _ground(scene: AreaScene, name: str, features: TerminalFeatures) -> Cell:
    """Return one cell of a place, without text."""
    if not name:
        return _EMPTY
    cell = scene.cells[name]
    letter = " " if features.has_floors else "." if cell.is_sea else "#"
    return letter, (TextRole.SEA if cell.is_sea else TextRole.LAND, *cell.paint)


# -- output


def render_strip(lines: Lines, palette: Palette, y: int, x: int, width: int) -> Strip:
    """Render a section of one line, exactly `width` cells wide."""
    cells = lines[y][x : x + width] if 0 <= y < len(lines) else ()
    found = segments(cells, palette)
    if len(cells) < width:
        found.append(Segment(" " * (width - len(cells)), palette.style(TextRole.PLAIN)))
    return Strip(found, width)
