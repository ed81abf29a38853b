"""Draws an area map as lines of cells. The result depends only on the scene, size, zoom, cursor and terminal."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.segment import Segment
from textual.strip import Strip

from tui.drawing.colour_roles import GroundRole, OverlayRole, TextRole
from tui.drawing.palette import Palette
from tui.maps.areamap.geometry import (
    ChartLayout,
    Size,
    best_zoom,
    bridge,
    chart_layout,
    full_size,
    min_size,
    neighbours_by_side,
)
from tui.maps.areamap.labels import chip, name_foldings
from tui.maps.areamap.paint import (
    Borders,
    Cell,
    CursorRelation,
    Painted,
    TerminalFeatures,
    name_in_case,
    name_label,
    paint_place,
)
from tui.maps.areamap.scene import LEGEND_SEPARATOR, AreaCell, AreaScene
from tui.maps.enums import OWNER_TONES, Owner, Zoom
from tui.maps.pieces import segments

Lines = tuple[tuple[Cell, ...], ...]
_LEGEND_MARGIN: Final = 2
"""Gap between the legend and nearby names, in cells."""
PLAIN_TERMINAL: Final = TerminalFeatures(is_unicode=False, has_backgrounds=False)
"""ASCII without background colours, for plain-text output."""
_EMPTY_CELL: Final[Cell] = (" ", (TextRole.VOID, GroundRole.NONE, OverlayRole.NONE))
_UNICODE_STROKES: Final = {"\\": "╲", "/": "╱", "=": "═", "|": "║"}
_GROUND_TONES: Final = frozenset({TextRole.SEA, TextRole.LAND, TextRole.GRID, TextRole.BORDER})
_GROUND_CHARACTERS: Final = frozenset(" |_│▏▁")
"""Characters that fill empty areas or form borders.

Where they have one of the tones in `_GROUND_TONES`, links and names at the map edge may cover them.
"""


def _has_no_text(cell: Cell) -> bool:
    return cell[0] in _GROUND_CHARACTERS and cell[1][0] in _GROUND_TONES


def draw_map(
    scene: AreaScene,
    zoom: Zoom,
    cursor: str,
    size: Size | None = None,
    features: TerminalFeatures = PLAIN_TERMINAL,
    legend_line: int | None = None,
) -> Lines:
    """Draw the whole map.

    Args:
        scene: The places.
        zoom: Level of detail.
        cursor: Place to frame, with its neighbours highlighted; empty for none.
        size: Number of columns and lines; None for the smallest size at this zoom level.
        features: Capabilities of the terminal.
        legend_line: Lowest visible line, which contains the legend; None for the last line.
    """
    layout = chart_layout(scene.chart, *(size or min_size(scene.chart, zoom)))
    rows: list[list[Cell]] = [[_EMPTY_CELL] * layout.width for _ in range(layout.height)]
    for painted_place in _paint_places(scene, layout, zoom, cursor, features):
        for y, x, cells in painted_place:
            rows[y][x : x + len(cells)] = cells
    _draw_links(scene, layout, rows, features)
    _draw_wrapped_edges(scene, layout, rows, features)
    _draw_legend(
        scene.legend_text, rows[-1 if legend_line is None else min(legend_line, layout.height - 1)]
    )
    if cursor and not features.has_backgrounds:
        _draw_brackets(scene, layout, rows, zoom, cursor)
    return tuple(map(tuple, rows))


def _paint_places(
    scene: AreaScene, layout: ChartLayout, zoom: Zoom, cursor: str, features: TerminalFeatures
) -> Iterator[Painted]:
    links = scene.neighbours.get(cursor, {})
    # To save bytes, the overview does not mark neighbours that share a side, because the side is
    # visible.
    if features.has_backgrounds and zoom is Zoom.OVERVIEW:
        touching_areas = neighbours_by_side(scene.chart).get(cursor, frozenset())
        links = {name: mark for name, mark in links.items() if name not in touching_areas}
    for cell in scene.cells.values():
        mark = links.get(cell.id)
        cursor_relation = CursorRelation(cell.id == cursor, mark is not None, mark or "")
        yield paint_place(
            layout, cell, _borders(scene, cell, features), zoom, features, cursor_relation
        )


def _borders(scene: AreaScene, cell: AreaCell, features: TerminalFeatures) -> Borders:
    """Return the neighbours that are separated by a thin line or a wall.

    With background colours, a coast needs no line.
    """
    touching_areas = neighbours_by_side(scene.chart).get(cell.id, frozenset())
    adjacent_areas = touching_areas & scene.neighbours[cell.id].keys()
    if features.has_backgrounds:
        adjacent_areas = frozenset(
            name for name in adjacent_areas if scene.cells[name].is_sea == cell.is_sea
        )
    return Borders(
        frozenset(adjacent_areas), frozenset(touching_areas - scene.neighbours[cell.id].keys())
    )


def _write_characters(
    rows: list[list[Cell]], characters: Iterable[tuple[int, int, str]], tone: TextRole
) -> None:
    """Write characters on the existing background, but not over text."""
    for x, y, character in characters:
        if 0 <= y < len(rows) and 0 <= x < len(rows[y]) and _has_no_text(rows[y][x]):
            _, (_, ground, overlay) = rows[y][x]
            rows[y][x] = character, (tone, ground, overlay)


def _draw_links(
    scene: AreaScene, layout: ChartLayout, rows: list[list[Cell]], features: TerminalFeatures
) -> None:
    """Draw the links between places that do not share a side."""
    for link in scene.links:
        bridge_strokes = bridge(layout, link)
        if bridge_strokes is not None:
            tone = OWNER_TONES[link.owner] if link.owner is not Owner.NONE else TextRole.SELECTED
            substitutes = _UNICODE_STROKES if features.is_unicode else {}
            characters = [
                (x, y, substitutes.get(stroke, stroke)) for x, y, stroke in bridge_strokes.strokes
            ]
            _write_characters(rows, characters, tone)


def _draw_brackets(
    scene: AreaScene, layout: ChartLayout, rows: list[list[Cell]], zoom: Zoom, cursor: str
) -> None:
    """Put brackets around the name of the place under the cursor."""
    x, y, _ = name_label(layout, scene.cells[cursor], zoom).lines[0]
    end = x
    while end < layout.width and not _has_no_text(rows[y][end]):
        end += 1
    _write_characters(rows, [(x - 1, y, "["), (end, y, "]")], TextRole.CURSOR)


def _draw_wrapped_edges(
    scene: AreaScene, layout: ChartLayout, rows: list[list[Cell]], features: TerminalFeatures
) -> None:
    """Near the bottom, write the names of the off-map places to the left and right, in the longest form that fits."""
    for edge in scene.wrapped_edges:
        for lines in _edge_texts(scene.cells[edge.beyond], features, is_right=edge.is_right):
            positions = _edge_position(layout, rows, edge.place, lines, is_right=edge.is_right)
            if positions is not None:
                for (x, y), text in zip(positions, lines, strict=True):
                    _write_characters(
                        rows,
                        [(x + offset, y, letter) for offset, letter in enumerate(text)],
                        TextRole.BASE,
                    )
                break


def _edge_texts(
    cell_beyond: AreaCell, features: TerminalFeatures, *, is_right: bool
) -> Iterator[tuple[str, ...]]:
    """Yield ever shorter forms of an off-map name, ending with just an arrow. A form's lines are equally wide."""
    left_arrow, right_arrow = ("‹", "›") if features.is_unicode else ("<", ">")
    for name in (cell_beyond.name, cell_beyond.medium, cell_beyond.short, ""):
        for lines in name_foldings(name_in_case(cell_beyond, name, features)):
            if len(lines) > 1 and any(len(line.rstrip(".")) == 1 for line in lines):
                continue  # a single letter on a line would not be recognised as part of a name
            *middle_lines, last_line = lines
            edge_lines = (*(f"{line} " for line in middle_lines), f"{last_line}{right_arrow}")
            if not is_right:
                first_line, *middle_lines = lines
                edge_lines = (f"{left_arrow}{first_line}", *(f" {line}" for line in middle_lines))
            width = max(map(len, edge_lines))
            yield tuple(line.rjust(width) if is_right else line.ljust(width) for line in edge_lines)


def _draw_legend(text: str, line: list[Cell]) -> None:
    """Write the legend into a line, away from names. Drop entries from its end until the legend fits."""
    parts = text.split(LEGEND_SEPARATOR) if text else []
    while parts:
        text = LEGEND_SEPARATOR.join(parts)
        for x in range(len(line) - len(text)):
            surrounding = line[max(x - _LEGEND_MARGIN, 0) : x + len(text) + _LEGEND_MARGIN]
            if x and all(map(_has_no_text, surrounding)):
                characters = ((column, 0, letter) for column, letter in enumerate(text, x))
                _write_characters([line], characters, TextRole.NAME)
                return
        parts.pop()


def hidden_rows_text(count: int, features: TerminalFeatures, *, is_above: bool) -> str:
    """Return a hint with the number of rows hidden above or below; empty if no rows are hidden."""
    if not count:
        return ""
    arrow = ("↑" if is_above else "↓") if features.is_unicode else ("^" if is_above else "v")
    return f"{arrow} {count} {'row' if count == 1 else 'rows'}"


def with_hint(line: Sequence[Cell], text: str) -> tuple[Cell, ...]:
    """Return a line with a hint in its last free space, or the unchanged line if there is no room for the hint."""
    cells = list(line)
    for x in range(len(cells) - len(text) - 1, 0, -1):
        if text and all(map(_has_no_text, cells[x - 1 : x + len(text) + 1])):
            _write_characters(
                [cells], ((x + i, 0, letter) for i, letter in enumerate(text)), TextRole.PATH
            )
            break
    return tuple(cells)


def _edge_position(
    layout: ChartLayout,
    rows: list[list[Cell]],
    place: str,
    lines: tuple[str, ...],
    *,
    is_right: bool,
) -> tuple[tuple[int, int], ...] | None:
    """Return a free column and line at the map edge for each line of text; None if there is no room."""
    width = len(lines[0])
    free_columns = {}
    for run in layout.runs[place]:
        x = run.stop - width if is_right else run.start
        touches_edge = run.stop == layout.width if is_right else run.start == 0
        is_inside = run.start <= x and x + width <= run.stop
        # An arrow without a name needs a gap, or the name beside it would seem to be beyond the edge.
        gap = 1 if width == 1 else 0
        surrounding_cells = rows[run.y][max(x - gap, 0) : x + width + gap]
        if touches_edge and is_inside and all(map(_has_no_text, surrounding_cells)):
            free_columns[run.y] = x
    for y in sorted(free_columns, reverse=True):
        block = range(y - len(lines) + 1, y + 1)
        if all(line in free_columns for line in block):
            return tuple((free_columns[line], line) for line in block)
    return None


def draw_thumbnail(scene: AreaScene, size: Size, features: TerminalFeatures) -> Lines:
    """Draw the map at any size. If a square gets less than one cell, show only the background and the pieces.

    Args:
        scene: The places.
        size: Number of columns and lines. Space that exceeds the largest possible drawing remains unused.
        features: Capabilities of the terminal.
    """
    chart, (width, height) = scene.chart, size
    columns, rows = chart.size
    if width >= columns and height >= rows:
        zoom = best_zoom(chart, width, height)
        return draw_map(scene, zoom, "", full_size(chart, zoom, width, height), features)
    # The size is too small for text, so show the background colours of evenly spaced squares.
    sampled_rows = [
        [chart.rows[y * rows // height][x * columns // width] for x in range(width)]
        for y in range(height)
    ]
    lines = [[_ground_cell(scene, name, features) for name in line] for line in sampled_rows]
    for cell in scene.cells.values():
        _draw_small_pieces(cell, sampled_rows, lines, is_unicode=features.is_unicode)
    return tuple(map(tuple, lines))


def _draw_small_pieces(
    cell: AreaCell,
    owners: Sequence[Sequence[str]],
    lines: Sequence[list[Cell]],
    *,
    is_unicode: bool,
) -> None:
    """Draw as many of a place's pieces as fit, as symbols in the middle line of the place."""
    own_lines = [y for y, line in enumerate(owners) if cell.id in line]
    if not cell.tokens or not own_lines:
        return
    y = own_lines[len(own_lines) // 2]
    columns = [x for x, name in enumerate(owners[y]) if name == cell.id]
    start = max((len(columns) - len(cell.tokens)) // 2, 0)
    for x, token in zip(columns[start:], cell.tokens, strict=False):
        _, (_, ground, overlay) = lines[y][x]
        lines[y][x] = chip(token, is_unicode=is_unicode)[0], (token.tone, ground, overlay)


def _ground_cell(scene: AreaScene, name: str, features: TerminalFeatures) -> Cell:
    """Return one cell with a place's background, without text."""
    if not name:
        return _EMPTY_CELL
    cell = scene.cells[name]
    character = " " if features.has_backgrounds else "." if cell.is_sea else "#"
    return character, (TextRole.SEA if cell.is_sea else TextRole.LAND, *cell.paint)


# -- output


def render_strip(
    lines: Lines, palette: Palette, y: int, x: int, width: int, hint: str = ""
) -> Strip:
    """Render `width` cells of one line, with a hint in the free part of the line."""
    cells = with_hint(lines[y][x : x + width], hint) if 0 <= y < len(lines) else ()
    strip_segments = segments(cells, palette)
    if len(cells) < width:
        strip_segments.append(Segment(" " * (width - len(cells)), palette.style(TextRole.PLAIN)))
    return Strip(strip_segments, width)
