"""Draws a hex's interior line by line: number, terrain, counters, bases and cost. Names are added later."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from tui.drawing.colour_roles import OverlayRole, TextRole
from tui.maps.enums import (
    FLOOR_MARKS,
    HIGHLIGHT_TONES,
    OWNER_TONES,
    TINT_MARKS,
    Highlight,
    Owner,
    Zoom,
)
from tui.maps.hexmap.elements import Fill, MapCounter
from tui.maps.hexmap.geometry import HexStyle
from tui.maps.hexmap.rendering.counters import brief_piece, counter_pieces
from tui.maps.hexmap.scene import HexCell, HexGround
from tui.maps.pieces import Piece

_PATTERN_LENGTH: Final = 3
"""Length of the pattern that fills empty space: one cell each for the terrain, the highlight and a blank."""
_FLOOR_MARK_PHASE: Final = 2
"""The mark for a background colour is drawn in one of every six cells. This is the index of that cell."""
GROUND_TONES: Final = {
    HexGround.SEA: TextRole.SEA,
    HexGround.COAST: TextRole.SEA,
    HexGround.OPEN: TextRole.LAND,
    HexGround.MIXED: TextRole.LAND,
    HexGround.JUNGLE: TextRole.LAND,
    HexGround.MOUNTAIN: TextRole.ROUGH,
    HexGround.VOID: TextRole.VOID,
}


_QUIET_BASE_TONES: Final = {Owner.ONE: TextRole.SHADE_ONE, Owner.TWO: TextRole.SHADE_TWO}


class HexLayout(NamedTuple):
    """The lines of a hex that show its name and its counters."""

    counters: tuple[MapCounter, ...]
    name_line: int
    first_counter_line: int
    """Index of the line with the first counter."""
    counter_lines: int
    """Number of lines for counters."""


def hex_layout(cell: HexCell, hex_style: HexStyle) -> HexLayout:
    """Allocate a hex's lines. If the counters need the name's line, the name replaces the hex number."""
    shape = hex_style.shape
    counters = (cell.units if hex_style.zoom is Zoom.DETAIL else ()) or cell.counters
    # A flat-topped hex reserves its last line for bases. In a pointy-topped hex, counters may use
    # that line.
    free_lines = shape.height - 2 if shape.is_flat_topped else shape.height - 1
    if len(counters) >= free_lines:
        return HexLayout(counters, 0, 1, free_lines)
    first_line = 2 if cell.name or shape.is_flat_topped else 1
    return HexLayout(counters, 1, first_line, free_lines - first_line + 1)


def has_tag_below(cell: HexCell, hex_style: HexStyle) -> bool:
    """Return whether the cost is on the last line.

    It is there if there are no colours, or if it would replace a name or touch the hex number on the first line.
    """
    if not hex_style.has_backgrounds:
        return True
    if hex_style.zoom is Zoom.OVERVIEW or not hex_style.shape.is_flat_topped:
        return False
    if cell.name and hex_layout(cell, hex_style).name_line == 0:
        return True
    return len(cell.id) + len(cell.tag) >= hex_style.shape.width(0)


def ground_pieces(
    cell: HexCell, line: int, start: int, stop: int, hex_style: HexStyle
) -> Iterator[Piece]:
    """Yield empty interior cells: the terrain and, without background colours, its marks."""
    if hex_style.has_backgrounds:
        yield _texture(cell, line, start, stop), TextRole.TEXTURE
    elif cell.fills:
        yield from _filled_ground(cell, line, start, stop)
    elif cell.tint is OverlayRole.NONE and cell.floor in FLOOR_MARKS:
        mark, tone = FLOOR_MARKS[cell.floor]
        phases = ((x + _PATTERN_LENGTH * line) % (2 * _PATTERN_LENGTH) for x in range(start, stop))
        yield "".join(mark if phase == _FLOOR_MARK_PHASE else " " for phase in phases), tone
    elif cell.tint is OverlayRole.NONE and cell.ground in (HexGround.SEA, HexGround.VOID):
        yield " " * (stop - start), TextRole.SEA
    else:
        mark, tone = TINT_MARKS[cell.tint]
        chars = (cell.ground[0], mark, " ")
        yield (
            "".join(chars[(x + 2 * line) % _PATTERN_LENGTH] for x in range(start, stop)),
            tone if cell.tint else GROUND_TONES[cell.ground],
        )


def _texture(cell: HexCell, line: int, start: int, stop: int) -> str:
    if cell.ground in (HexGround.SEA, HexGround.VOID):
        return " " * (stop - start)
    chars = (cell.ground[0], " ", " ")
    return "".join(chars[(x + 2 * line) % _PATTERN_LENGTH] for x in range(start, stop))


def _top_layers(cell: HexCell) -> tuple[Fill, Fill]:
    """Return the two topmost layers of a hex with fills, topmost first. The lowest layer is the terrain."""
    layers = [Fill(cell.ground[0], GROUND_TONES[cell.ground])]
    if cell.tint is not OverlayRole.NONE:
        layers.append(Fill(*TINT_MARKS[cell.tint]))
    layers += cell.fills
    return layers[-1], layers[-2]


def _filled_ground(cell: HexCell, line: int, start: int, stop: int) -> Iterator[Piece]:
    upper, lower = _top_layers(cell)
    phases = [(x + 2 * line) % _PATTERN_LENGTH for x in range(start, stop)]
    if lower.mark == " ":
        yield "".join(upper.mark if phase == 1 else " " for phase in phases), upper.tone
        return
    layers = (lower, upper, Fill(" ", lower.tone))
    for phase in phases:
        yield layers[phase].mark, layers[phase].tone


def centred_text(
    cell: HexCell, line: int, width: int, piece: Piece, hex_style: HexStyle
) -> Iterator[Piece]:
    """Yield a piece of text, with the terrain pattern on either side."""
    text, tone = piece[0][:width], piece[1]
    left_margin = (width - len(text)) // 2
    yield from ground_pieces(cell, line, 0, left_margin, hex_style)
    yield text, tone
    yield from ground_pieces(cell, line, left_margin + len(text), width, hex_style)


def number_tone(cell: HexCell, hex_style: HexStyle) -> TextRole:
    """Return the tone of a hex number. Without background colours, the tone shows the highlight."""
    if hex_style.has_backgrounds or cell.highlight is Highlight.NONE:
        return TextRole.LABEL
    return HIGHLIGHT_TONES[cell.highlight]


def tag_tone(cell: HexCell) -> TextRole:
    """Return the tone of the number shown next to a highlight."""
    return HIGHLIGHT_TONES[cell.highlight] if cell.highlight else TextRole.REACH


def counter_line(cell: HexCell, line: int, width: int, hex_style: HexStyle) -> Iterator[Piece]:
    """Yield a line between those of the hex number and the bases: a counter or the terrain pattern."""
    counters, _, first_line, max_lines = hex_layout(cell, hex_style)
    index = line - first_line
    pieces = (
        counter_pieces(
            counters, max_lines, width, hex_style.zoom, has_backgrounds=hex_style.has_backgrounds
        )
        if counters
        else ()
    )
    if 0 <= index < len(pieces):
        yield from centred_text(cell, line, width, pieces[index], hex_style)
    else:
        yield from ground_pieces(cell, line, 0, width, hex_style)


def _number_line(cell: HexCell, width: int, hex_style: HexStyle) -> Iterator[Piece]:
    """Yield the hex number, followed by the cost. Without background colours, the highlight follows instead."""
    label = "" if cell.name and hex_layout(cell, hex_style).name_line == 0 else cell.id[:width]
    yield label, number_tone(cell, hex_style)
    if hex_style.has_backgrounds:
        mark = "" if has_tag_below(cell, hex_style) else cell.tag[: width - len(label)]
        yield from ground_pieces(cell, 0, len(label), width - len(mark), hex_style)
        yield mark, tag_tone(cell)
    else:
        mark = f" {cell.highlight}"[: width - len(label)] if cell.highlight else ""
        yield mark, HIGHLIGHT_TONES[cell.highlight]
        yield from ground_pieces(cell, 0, len(label) + len(mark), width, hex_style)


def _base_line(cell: HexCell, width: int, hex_style: HexStyle) -> Iterator[Piece]:
    """Yield the last line: owner and bases, the outline, and the cost if it is not on the first line."""
    tag = cell.tag if has_tag_below(cell, hex_style) else ""
    free_cells = width - len(tag)
    base_texts = tuple(base_pieces(cell, free_cells, hex_style))
    yield from base_texts
    yield "_" * (free_cells - sum(len(text) for text, _ in base_texts)), TextRole.GRID
    yield tag, tag_tone(cell) if hex_style.has_backgrounds else HIGHLIGHT_TONES[cell.highlight]


def base_pieces(cell: HexCell, width: int, hex_style: HexStyle) -> Iterator[Piece]:
    """Yield a hex's owner in the owner's colour, followed by its bases."""
    tone = TextRole.BASE if hex_style.has_backgrounds else OWNER_TONES[cell.owner]
    if cell.owner_mark:
        yield cell.owner_mark[:width], OWNER_TONES[cell.owner]
    yield cell.symbols[: max(width - len(cell.owner_mark), 0)], tone


# -- overview


def overview_base_tone(cell: HexCell) -> TextRole:
    """Return the tone of bases in the overview. It is muted because there are many bases."""
    return _QUIET_BASE_TONES.get(cell.owner, TextRole.BASE)


def overview_ground(cell: HexCell, line: int, width: int, hex_style: HexStyle) -> Iterator[Piece]:
    """Yield one line of an empty hex in the overview."""
    if hex_style.has_backgrounds:
        mark = cell.ground[0] if line == 0 else " "
        yield f" {mark}"[:width].ljust(width), TextRole.TEXTURE
        return
    if cell.fills:
        upper, lower = _top_layers(cell)
        for x in range(width):
            layer = lower if (x + line) % 2 else upper
            yield layer.mark, layer.tone
        return
    mark = cell.ground[0]
    plain_mark = FLOOR_MARKS.get(cell.floor, (mark, GROUND_TONES[cell.ground]))
    shade, tone = TINT_MARKS[cell.tint] if cell.tint else plain_mark
    pair = f"{shade}{mark}" if line == 0 else f"{mark}{shade}"
    yield (pair * width)[:width], tone


def with_ground_beside(
    cell: HexCell, line: int, width: int, piece: Piece, hex_style: HexStyle
) -> Iterator[Piece]:
    """Yield a piece of the overview, followed by the terrain pattern up to the full width."""
    yield piece
    free_cells = width - len(piece[0])
    if cell.fills and not hex_style.has_backgrounds:
        # With 0 free cells, a slice from -0 would be the whole line, so `or width` makes the slice
        # empty.
        yield from list(overview_ground(cell, line, width, hex_style))[-free_cells or width :]
    else:
        yield " " * free_cells, GROUND_TONES[cell.ground]


def _overview_line(cell: HexCell, line: int, width: int, hex_style: HexStyle) -> Iterator[Piece]:
    """Yield a line of the overview. The first line shows counters, the second the hex's own features."""
    if line == 0 and cell.counters:
        piece = brief_piece(cell.counters, width, has_backgrounds=hex_style.has_backgrounds)
        yield from with_ground_beside(cell, line, width, piece, hex_style)
    elif line == 0:
        yield from overview_ground(cell, line, width, hex_style)
    elif cell.highlight is not Highlight.NONE and not hex_style.has_backgrounds:
        yield (
            f"{cell.highlight}{cell.symbols or cell.ground[0]}"[:width].ljust(width),
            HIGHLIGHT_TONES[cell.highlight],
        )
    elif cell.symbols:
        yield f"{cell.owner_mark}{cell.symbols}"[:width].ljust(width), overview_base_tone(cell)
    else:
        yield from overview_ground(cell, line, width, hex_style)


def shows_only_ground(cell: HexCell, hex_style: HexStyle, line: int) -> bool:
    """Return whether a line of a flat-topped hex shows only terrain, outline and hex number."""
    if cell.fills or cell.tag:
        return False
    if hex_style.zoom is Zoom.OVERVIEW:
        return not cell.counters if line == 0 else not (cell.symbols or cell.highlight)
    if line == hex_style.shape.height - 1:
        return not (cell.symbols or cell.owner_mark)
    if not cell.counters:
        return True
    counters, name_line, first_line, max_lines = hex_layout(cell, hex_style)
    if line == 0:
        return bool(name_line) or not cell.name
    return not 0 <= line - first_line < min(len(counters), max_lines)


def flat_topped_line(cell: HexCell, hex_style: HexStyle, line: int) -> Iterator[Piece]:
    """Yield the interior of one line of a flat-topped hex, with exactly the line's width."""
    width = hex_style.shape.width(line)
    if hex_style.zoom is Zoom.OVERVIEW:
        yield from _overview_line(cell, line, width, hex_style)
    elif line == 0:
        yield from _number_line(cell, width, hex_style)
    elif line == hex_style.shape.height - 1:
        yield from _base_line(cell, width, hex_style)
    else:
        yield from counter_line(cell, line, width, hex_style)
