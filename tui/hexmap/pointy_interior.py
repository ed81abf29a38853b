"""Draws the inside of a pointy-topped hex. The corners on its first line are drawn along with the borders."""

from collections.abc import Iterator

from tui.drawing.tones import TextRole
from tui.hexmap.counters import brief_piece
from tui.hexmap.geometry import HexStyle
from tui.hexmap.hex_interior import (
    bases,
    beside_ground,
    counter_line,
    ground,
    layout,
    number_tone,
    small_base_tone,
    small_ground,
    tag_tone,
)
from tui.hexmap.pieces import Piece
from tui.hexmap.scene import HexCell
from tui.map_enums import NOTE, Zoom


def is_bare(cell: HexCell) -> bool:
    """Return whether a pointy-topped hex shows nothing but ground in the overview."""
    return not (cell.counters or cell.symbols or cell.name)


def is_plain(cell: HexCell) -> bool:
    """Return whether a pointy-topped hex shows nothing but ground below its upper corners, at any zoom."""
    return is_bare(cell) and not (cell.fills or cell.tag or cell.highlight or cell.units)


def pointy_topped_line(cell: HexCell, manner: HexStyle, line: int) -> Iterator[Piece]:
    """Yield the inside of one line."""
    width = manner.shape.flat
    if manner.zoom is Zoom.OVERVIEW:
        yield from _overview(cell, width, manner)
    elif line == 0:
        yield from _head(cell, manner)
    elif line == manner.shape.height - 1:
        yield from _base(cell, manner)
    else:
        yield from counter_line(cell, line, width, manner)


def _overview(cell: HexCell, width: int, manner: HexStyle) -> Iterator[Piece]:
    """Yield the only line of the overview: the counters or, if there are none, the hex's own features."""
    if cell.counters:
        piece = brief_piece(cell.counters, width, has_floors=manner.has_floors)
        yield from beside_ground(cell, 0, width, piece, manner)
    elif cell.symbols and not cell.name:
        yield f"{cell.owner_mark}{cell.symbols}"[:width].ljust(width), small_base_tone(cell)
    else:
        yield from small_ground(cell, 0, width, manner)


def _head(cell: HexCell, manner: HexStyle) -> Iterator[Piece]:
    """Yield the text between the upper corners. The last cell belongs to the corner."""
    is_named = bool(cell.name) and layout(cell, manner).name_line == 0
    label = "" if is_named else cell.id[: manner.shape.flat - 1]
    yield label, number_tone(cell, manner)
    yield from ground(cell, 0, len(label), manner.shape.flat, manner)


def _base(cell: HexCell, manner: HexStyle) -> Iterator[Piece]:
    """Yield the last line: a counter, or owner and bases; on the right, a note mark, the highlight and the cost."""
    line, width = manner.shape.height - 1, manner.shape.flat
    mark = (cell.tag if manner.has_floors else f"{cell.highlight}{cell.tag}")[:width]
    room = width - len(mark)
    items, _, first, space = layout(cell, manner)
    base = tuple(bases(cell, room, manner))
    used = sum(len(text) for text, _ in base)
    if used and line - first >= min(len(items), space):
        yield from base
        yield from ground(cell, line, used, room, manner)
    else:
        note = NOTE if NOTE in cell.symbols else ""
        yield from counter_line(cell, line, room - len(note), manner)
        yield note, TextRole.BASE
    yield mark, tag_tone(cell)
