"""Draws the interior of a pointy-topped hex. The corners on its first line are drawn together with the borders."""

from collections.abc import Iterator

from tui.drawing.colour_roles import TextRole
from tui.maps.enums import NOTE, Zoom
from tui.maps.hexmap.geometry import HexStyle
from tui.maps.hexmap.rendering.counters import brief_piece
from tui.maps.hexmap.rendering.hex_interior import (
    base_pieces,
    counter_line,
    ground_pieces,
    hex_layout,
    number_tone,
    overview_base_tone,
    overview_ground,
    tag_tone,
    with_ground_beside,
)
from tui.maps.hexmap.scene import HexCell
from tui.maps.pieces import Piece


def shows_only_ground(cell: HexCell) -> bool:
    """Return whether a pointy-topped hex shows only terrain in the overview."""
    return not (cell.counters or cell.symbols or cell.name)


def is_plain(cell: HexCell) -> bool:
    """Return whether a pointy-topped hex shows only terrain below its upper corners, at any zoom."""
    return shows_only_ground(cell) and not (cell.fills or cell.tag or cell.highlight or cell.units)


def pointy_topped_line(cell: HexCell, hex_style: HexStyle, line: int) -> Iterator[Piece]:
    """Yield the interior of one line."""
    width = hex_style.shape.flat_width
    if hex_style.zoom is Zoom.OVERVIEW:
        yield from _overview(cell, width, hex_style)
    elif line == 0:
        yield from _top_line(cell, hex_style)
    elif line == hex_style.shape.height - 1:
        yield from _bottom_line(cell, hex_style)
    else:
        yield from counter_line(cell, line, width, hex_style)


def _overview(cell: HexCell, width: int, hex_style: HexStyle) -> Iterator[Piece]:
    """Yield the hex's only line in the overview.

    It shows the counters or, if there are none, the hex's own features.
    """
    if cell.counters:
        piece = brief_piece(cell.counters, width, has_backgrounds=hex_style.has_backgrounds)
        yield from with_ground_beside(cell, 0, width, piece, hex_style)
    elif cell.symbols and not cell.name:
        yield f"{cell.owner_mark}{cell.symbols}"[:width].ljust(width), overview_base_tone(cell)
    else:
        yield from overview_ground(cell, 0, width, hex_style)


def _top_line(cell: HexCell, hex_style: HexStyle) -> Iterator[Piece]:
    """Yield the text between the upper corners. The last cell is part of the corner."""
    is_named = bool(cell.name) and hex_layout(cell, hex_style).name_line == 0
    label = "" if is_named else cell.id[: hex_style.shape.flat_width - 1]
    yield label, number_tone(cell, hex_style)
    yield from ground_pieces(cell, 0, len(label), hex_style.shape.flat_width, hex_style)


def _bottom_line(cell: HexCell, hex_style: HexStyle) -> Iterator[Piece]:
    """Yield the last line: a counter, or the owner and bases. The highlight and cost are on the right."""
    line, width = hex_style.shape.height - 1, hex_style.shape.flat_width
    mark = (cell.tag if hex_style.has_backgrounds else f"{cell.highlight}{cell.tag}")[:width]
    free_cells = width - len(mark)
    counters, _, first_line, counter_lines = hex_layout(cell, hex_style)
    base_texts = tuple(base_pieces(cell, free_cells, hex_style))
    base_cells = sum(len(text) for text, _ in base_texts)
    if base_cells and line - first_line >= min(len(counters), counter_lines):
        yield from base_texts
        yield from ground_pieces(cell, line, base_cells, free_cells, hex_style)
    else:
        note = NOTE if NOTE in cell.symbols else ""
        yield from counter_line(cell, line, free_cells - len(note), hex_style)
        yield note, TextRole.BASE
    yield mark, tag_tone(cell)
