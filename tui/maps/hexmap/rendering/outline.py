"""Frames the hex under the cursor with a bright outline. In the overview and without colours, uses brackets instead."""

from tui.drawing.colour_roles import TextRole
from tui.maps.enums import Zoom
from tui.maps.hexmap.geometry import HexStyle, hex_origin
from tui.maps.hexmap.scene import HexScene
from tui.maps.pieces import NAME_TONES, Cell, is_coverable, overwrite


def draw_cursor_frame(
    scene: HexScene, hex_style: HexStyle, cells: list[Cell], y: int, cursor: str
) -> list[Cell] | None:
    """Return a line with its part of the cursor frame; None if the frame does not cross the line.

    Args:
        scene: The hexes.
        hex_style: Settings for drawing hexes.
        cells: The line, from its first cell.
        y: Index of the line.
        cursor: The hex to frame; empty if there is none.
    """
    if cursor not in scene.cells:
        return None
    shape = hex_style.shape
    origin = hex_origin(scene, shape, *scene.grid.coordinates(cursor))
    line = y - origin.y
    if not -1 <= line <= shape.height:
        return None
    cells = list(cells)
    if hex_style.has_backgrounds and hex_style.zoom is not Zoom.OVERVIEW:
        if shape.is_flat_topped:
            _draw_flat_topped_frame(hex_style, cells, origin.x, line)
        else:
            _draw_pointy_topped_frame(hex_style, cells, origin.x, line)
    elif 0 <= line < shape.height:
        left_column = origin.x + shape.inset(line)
        width = shape.width(line) if shape.is_flat_topped else shape.flat_width
        _draw_brackets(hex_style, cells, line, left_column, width)
    return cells


def _draw_brackets(
    hex_style: HexStyle, cells: list[Cell], line: int, left_column: int, width: int
) -> None:
    """Put brackets around a line of the hex. Without background colours, highlight the whole line."""
    is_corner = not hex_style.shape.is_flat_topped and line == 0 and hex_style.shape.height > 1
    right_column = left_column + width + (0 if is_corner else 1)
    chars = "╱╲" if is_corner else "[]"
    tone = TextRole.FRAME if hex_style.has_backgrounds else TextRole.CURSOR
    for x, char in zip((left_column, right_column), chars, strict=True):
        if 0 <= x < len(cells):
            is_name = cells[x][1][0] in NAME_TONES
            overwrite(cells, x, cells[x][0] if is_name else char, tone)
    if not hex_style.has_backgrounds:
        for x in range(left_column + 1, right_column):
            if 0 <= x < len(cells):
                overwrite(cells, x, cells[x][0], TextRole.CURSOR)


def _draw_horizontal(cells: list[Cell], start: int, stop: int, char: str) -> None:
    """Draw a horizontal part of the frame over the cells that may be covered."""
    for x in range(max(start, 0), min(stop, len(cells))):
        if is_coverable(cells[x]):
            overwrite(cells, x, char, TextRole.FRAME)


def _draw_side_char(cells: list[Cell], x: int, char: str) -> None:
    """Draw one character of a frame side, unless the cell contains part of a name."""
    if 0 <= x < len(cells) and cells[x][1][0] not in NAME_TONES:
        overwrite(cells, x, char, TextRole.FRAME)


def _highlight_number(cells: list[Cell], start: int, stop: int) -> None:
    for x in range(max(start, 0), min(stop, len(cells))):
        if cells[x][1][0] is TextRole.LABEL:
            overwrite(cells, x, cells[x][0], TextRole.FRAME)


def _draw_flat_topped_frame(hex_style: HexStyle, cells: list[Cell], x: int, line: int) -> None:
    shape = hex_style.shape
    if line == shape.height:
        return
    start = x + shape.inset(max(line, 0)) + 1
    stop = start + shape.width(max(line, 0))
    if line in (-1, shape.height - 1):
        _draw_horizontal(cells, start, stop, "_")
    if line == 0:
        _highlight_number(cells, start, stop)
    if line >= 0:
        is_upper = line < shape.half_height
        _draw_side_char(cells, start - 1, "╱" if is_upper else "╲")
        _draw_side_char(cells, stop, "╲" if is_upper else "╱")


def _draw_pointy_topped_frame(hex_style: HexStyle, cells: list[Cell], x: int, line: int) -> None:
    shape = hex_style.shape
    if line == -1:
        _draw_horizontal(cells, x + 1, x + shape.flat_width, "_")
    elif line == 0:
        _draw_side_char(cells, x, "╱")
        _highlight_number(cells, x + 1, x + shape.flat_width)
        _draw_side_char(cells, x + shape.flat_width, "╲")
    elif line < shape.height:
        _draw_side_char(cells, x, "▏")
        _draw_side_char(cells, x + shape.pitch, "▏")
        if line == shape.height - 1:
            _draw_horizontal(cells, x + 1, x + shape.pitch, "_")
    else:
        overwrite(cells, x + shape.pitch // 2 - 1, "╲╱", TextRole.FRAME)
