"""Draws the inside of one hex, line by line: ground, name, counters, bases, highlight."""

from collections.abc import Iterator

from tui.hexmap.counters import brief_piece, counter_pieces
from tui.hexmap.elements import Fill
from tui.hexmap.geometry import Shape
from tui.hexmap.pieces import Piece
from tui.hexmap.scene import Ground, HexCell
from tui.marks import HIGHLIGHT_TONES, OWNER_TONES, Highlight, Owner, Zoom
from tui.tones import Tone

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


def ground(cell: HexCell, line: int, start: int, stop: int) -> Iterator[Piece]:
    """Yield the empty cells of an interior: terrain and shade, or the areas that fill it."""
    if cell.fills:
        yield from _filled(cell, line, start, stop)
        return
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


def _layers(cell: HexCell) -> tuple[Fill, Fill]:
    """Return the two topmost layers of a filled hex; the terrain is the lowest."""
    layers = [Fill(cell.ground[0], _GROUND_TONES[cell.ground])]
    if cell.shade is not Owner.NOBODY:
        layers.append(Fill(cell.shade_mark, _SHADE_TONES[cell.shade]))
    layers += cell.fills
    return layers[-1], layers[-2]


def _filled(cell: HexCell, line: int, start: int, stop: int) -> Iterator[Piece]:
    upper, lower = _layers(cell)
    phases = [(place + 2 * line) % _FILL_STEP for place in range(start, stop)]
    if lower.mark == " ":
        yield "".join(upper.mark if phase == 1 else " " for phase in phases), upper.tone
        return
    layers = (lower, upper, Fill(" ", lower.tone))
    for phase in phases:
        yield layers[phase].mark, layers[phase].tone


def _bottom(width: int) -> Iterator[Piece]:
    yield "_" * width, Tone.GRID


def centred(cell: HexCell, line: int, width: int, text: str, tone: Tone) -> Iterator[Piece]:
    """Yield a text in the middle of the ground."""
    text = text[:width]
    if not text:
        yield from ground(cell, line, 0, width)
        return
    left = (width - len(text)) // 2
    yield from ground(cell, line, 0, left)
    yield text, tone
    yield from ground(cell, line, left + len(text), width)


def _number_line(cell: HexCell, width: int) -> Iterator[Piece]:
    """Yield the hex number and the highlight."""
    yield (
        cell.id[:width],
        Tone.LABEL if cell.highlight is Highlight.NONE else HIGHLIGHT_TONES[cell.highlight],
    )
    mark = f" {cell.highlight}"[: width - len(cell.id)] if cell.highlight else ""
    if mark:
        yield mark, HIGHLIGHT_TONES[cell.highlight]
    yield from ground(cell, 0, len(cell.id) + len(mark), width)


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
        yield from centred(cell, line, width, text, tone)
    else:
        yield f" {text}"[:width].ljust(width), tone


def _small_ground(cell: HexCell, line: int, width: int) -> Iterator[Piece]:
    """Yield one line of an empty hex in the overview."""
    if cell.fills:
        upper, lower = _layers(cell)
        for place in range(width):
            layer = lower if (place + line) % 2 else upper
            yield layer.mark, layer.tone
        return
    mark = cell.ground[0]
    shade = mark if cell.shade is Owner.NOBODY else cell.shade_mark
    pair = f"{shade}{mark}" if line == 0 else f"{mark}{shade}"
    yield (pair * width)[:width], _SHADE_TONES.get(cell.shade) or _GROUND_TONES[cell.ground]


def _overview_line(cell: HexCell, line: int, width: int) -> Iterator[Piece]:
    """Yield one of the two lines of the overview: who is here, and what the place is."""
    if line == 0 and cell.counters:
        yield from _beside_ground(cell, line, width, brief_piece(cell.counters, width))
    elif line == 0 and cell.brief:
        yield cell.brief[:width].ljust(width), OWNER_TONES[cell.occupant]
    elif line == 0:
        yield from _small_ground(cell, line, width)
    elif cell.highlight is not Highlight.NONE:
        yield (
            f"{cell.highlight}{cell.symbols or cell.ground[0]}"[:width].ljust(width),
            HIGHLIGHT_TONES[cell.highlight],
        )
    elif cell.symbols:
        yield f"{cell.owner_mark}{cell.symbols}"[:width].ljust(width), OWNER_TONES[cell.owner]
    else:
        yield from _small_ground(cell, line, width)


def _beside_ground(cell: HexCell, line: int, width: int, piece: Piece) -> Iterator[Piece]:
    """Yield a piece and the ground that it leaves free in the overview."""
    yield piece
    yield from (
        list(_small_ground(cell, line, width))[len(piece[0]) :]
        if cell.fills
        else ((" " * (width - len(piece[0])), _GROUND_TONES[cell.ground]),)
    )


def _texts(cell: HexCell, zoom: Zoom) -> tuple[str, ...]:
    return cell.details if zoom is Zoom.DETAIL else cell.lines


def _counter_line(cell: HexCell, line: int, width: int, zoom: Zoom, room: int) -> Iterator[Piece]:
    """Yield a line of a hex with counters: the name if it leaves room for them, then one each."""
    name = (*_texts(cell, zoom), "")[0]
    named = 1 if name and len(cell.counters) < room else 0
    pieces = counter_pieces(cell.counters, room - named, width, zoom)
    if named and line == 1:
        yield from centred(cell, line, width, name, OWNER_TONES[cell.owner])
    elif line - 1 - named < len(pieces):
        yield from centred(cell, line, width, *pieces[line - 1 - named])
    else:
        yield from ground(cell, line, 0, width)


def interior(cell: HexCell, shape: Shape, zoom: Zoom, line: int) -> tuple[Piece, ...]:
    """Return the inside of one line of a hex, exactly as wide as the shape says."""
    width = shape.width(line)
    if cell.ground is Ground.VOID:
        return ((" " * width, Tone.VOID),)
    if not shape.leans:
        return tuple(_upright(cell, shape, zoom, line))
    if zoom is Zoom.OVERVIEW:
        return tuple(_overview_line(cell, line, width))
    if line == 0:
        return tuple(_number_line(cell, width))
    if line == shape.height - 1:
        return tuple(_base_line(cell, width))
    if cell.counters:
        return tuple(_counter_line(cell, line, width, zoom, shape.height - 2))
    return tuple(_text_line(cell, line, width, _texts(cell, zoom)))


# -- upright hexes: the corners of the first line are drawn with the borders


def is_bare(cell: HexCell) -> bool:
    """Return whether the overview of an upright hex shows nothing but ground."""
    return not (cell.counters or cell.brief or cell.symbols or any(cell.lines[:1]))


def is_named_above(cell: HexCell, shape: Shape, zoom: Zoom) -> bool:
    """Return whether the name of an upright hex stands between its upper corners, as counters need its line."""
    return bool((*_texts(cell, zoom), "")[0]) and len(cell.counters) >= shape.height - 1


def _upright(cell: HexCell, shape: Shape, zoom: Zoom, line: int) -> Iterator[Piece]:
    width = shape.flat
    if zoom is Zoom.OVERVIEW:
        yield from _upright_overview(cell, width)
    elif line == 0:
        yield from _upright_head(cell, shape, zoom)
    elif line == shape.height - 1:
        yield from _upright_base(cell, shape, zoom)
    elif cell.counters:
        yield from _counter_line(cell, line, width, zoom, shape.height - 1)
    else:
        texts = _texts(cell, zoom)
        text = texts[line - 1] if line <= len(texts) else ""
        tone = OWNER_TONES[cell.owner if line == 1 else cell.occupant]
        yield from centred(cell, line, width, text, tone)


def _upright_overview(cell: HexCell, width: int) -> Iterator[Piece]:
    """Yield the only line of the overview: who is here, else what the place is."""
    name = (*cell.lines, "")[0]
    if cell.counters:
        yield from _beside_ground(cell, 0, width, brief_piece(cell.counters, width))
    elif cell.brief:
        yield cell.brief[:width].ljust(width), OWNER_TONES[cell.occupant]
    elif cell.symbols:
        yield f"{cell.owner_mark}{cell.symbols}"[:width].ljust(width), OWNER_TONES[cell.owner]
    elif name:
        yield name[:width].ljust(width), Tone.LAND
    else:
        yield from _small_ground(cell, 0, width)


def _upright_head(cell: HexCell, shape: Shape, zoom: Zoom) -> Iterator[Piece]:
    """Yield what stands between the upper corners: number or name; the last cell is left to the corner."""
    tone = Tone.LABEL if cell.highlight is Highlight.NONE else HIGHLIGHT_TONES[cell.highlight]
    label = cell.id
    if is_named_above(cell, shape, zoom):
        label, tone = _texts(cell, zoom)[0], OWNER_TONES[cell.owner]
    label = label[: shape.flat - 1]
    yield label, tone
    yield from ground(cell, 0, len(label), shape.flat)


def _upright_base(cell: HexCell, shape: Shape, zoom: Zoom) -> Iterator[Piece]:
    """Yield the last line: what the lines above left over, else owner and bases; highlight and cost at the right."""
    line, width = shape.height - 1, shape.flat
    mark = f"{cell.highlight}{cell.tag}"[:width]
    room = width - len(mark)
    texts = _texts(cell, zoom)
    base = f"{cell.owner_mark}{cell.symbols}"
    if cell.counters and len(cell.counters) >= line - (1 if (*texts, "")[0] else 0):
        yield from _counter_line(cell, line, room, zoom, line)
    elif not cell.counters and line <= len(texts) and texts[line - 1]:
        yield from centred(cell, line, room, texts[line - 1], OWNER_TONES[cell.occupant])
    else:
        base = base[:room]
        if base:
            yield base, OWNER_TONES[cell.owner]
        yield from ground(cell, line, len(base), room)
    if mark:
        yield mark, HIGHLIGHT_TONES[cell.highlight]
