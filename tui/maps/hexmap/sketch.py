"""Draws a whole hex map in a few cells, with two dots per cell. Without background colours, each cell is one letter."""

from functools import lru_cache
from typing import Final, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.strip import Strip

from engine.kernel.hexgrid import HexOrientation
from tui.drawing.colour_roles import GroundRole, OverlayRole, TextRole
from tui.drawing.palette import Palette
from tui.maps.enums import CHIP_TONES, OWNER_TONES, Owner
from tui.maps.hexmap.elements import Emphasis
from tui.maps.hexmap.geometry import columns_from_left
from tui.maps.hexmap.rendering.captions import PlacedCaptions
from tui.maps.hexmap.scene import HexCell, HexGround, HexScene
from tui.maps.pieces import UNPAINTED, Cell

_HEX_SPACING: Final = 8
_ROW_SPACING: Final = 7
"""Relative distances between adjacent hexes in a row and between adjacent rows. The exact ratio is 1 : √3/2."""
_MAX_STRETCH: Final = 3, 2
"""A map may be stretched in either direction by at most this factor, given as numerator and denominator."""
_MIN_WIDTH_FOR_ALL_NAMES: Final = 130
"""Smallest width in cells of a sketch with room for names of places without counters."""
_UPPER_HALF_BLOCK: Final = "▀"
_SEAS: Final = (HexGround.SEA, HexGround.COAST)
_ZONES: Final = {Owner.ONE: OverlayRole.OURS, Owner.TWO: OverlayRole.THEIRS}
_ACTIVE_TONES: Final = {Owner.ONE: TextRole.CHIP_ONE_ACTIVE, Owner.TWO: TextRole.CHIP_TWO_ACTIVE}


class Dot(NamedTuple):
    """One hex of the sketch."""

    place: str
    weight: int
    """If two dots overlap, the one with the greater weight is shown."""
    letter: str
    tone: TextRole
    """Tone of the letter. If the dot is a counter, its background colour comes from this tone."""
    floor: GroundRole
    tint: OverlayRole = OverlayRole.NONE
    is_chip: bool = False


class Sketch(NamedTuple):
    """A map as dots."""

    rows: tuple[tuple[Dot | None, ...], ...]
    """Rows of dots, two for each line of cells. None means off the map."""
    box: Region
    """The area of the sketch that the map covers, in dots."""
    names: PlacedCaptions | None = None
    """The names on the map; None if the sketch has no names."""

    @property
    def height(self) -> int:
        """Height of the sketch, in lines of cells."""
        return len(self.rows) // 2

    def pair(self, x: int, y: int) -> tuple[Dot | None, Dot | None]:
        """Return a cell's upper and lower dots."""
        return self.rows[2 * y][x], self.rows[2 * y + 1][x]

    def place_at(self, x: int, y: int) -> str:
        """Return the hex at a cell.

        For a cell outside the map, return the nearest hex at the edge. Empty if no hex is found.
        """
        box = self.box
        column = min(max(x, box.x), box.right - 1)
        row = min(max(2 * y, box.y), box.bottom - 1)
        dot = self.rows[row][column] or self.rows[min(row + 1, len(self.rows) - 1)][column]
        return dot.place if dot is not None else ""

    def frame(self, view: Region, extent: Size) -> Region:
        """Return the position, in cells, of the frame around the visible part of the map.

        Args:
            view: The visible part of the whole drawing.
            extent: Size of the whole drawing.
        """
        box, width, height = self.box, max(extent.width, 1), max(extent.height, 1)
        left_column = box.x + box.width * max(view.x, 0) // width
        right_column = box.x + -(-box.width * min(view.right, width) // width)
        top = (box.y + box.height * max(view.y, 0) // height) // 2
        bottom = -(-(box.y + box.height * min(view.bottom, height) // height) // 2)
        return Region(left_column, top, max(right_column - left_column, 2), max(bottom - top, 2))


def hex_dot(cell: HexCell) -> Dot:
    """Return the dot for a hex. It shows the first counter; if there is none, the owner or the background."""
    floor, overlay = cell.paint
    if cell.counters:
        first_counter = cell.counters[0]
        is_alert = first_counter.emphasis is Emphasis.ALERT
        tone = (
            TextRole.ALERT
            if is_alert
            else _ACTIVE_TONES.get(first_counter.owner) or CHIP_TONES[first_counter.owner]
        )
        weight = 6 if is_alert else 5 if first_counter.owner is not Owner.NONE else 4
        return Dot(
            cell.id,
            weight,
            (first_counter.mark or first_counter.text)[:1],
            tone,
            floor,
            is_chip=True,
        )
    tint = overlay or _ZONES.get(cell.owner, OverlayRole.NONE)
    if cell.owner is not Owner.NONE:
        letter = cell.owner_mark.lower()[:1] or cell.ground[0]
        return Dot(cell.id, 3, letter, OWNER_TONES[cell.owner], floor, tint)
    if cell.ground in _SEAS:
        return Dot(cell.id, 1 if tint else 0, " ", TextRole.SEA, floor, tint)
    return Dot(cell.id, 2, cell.ground[0], TextRole.LAND, floor, tint)


def _plane_dimensions(scene: HexScene) -> tuple[int, int, int, int]:
    """Return the column spacing, the row spacing, and the map's width and height, in the unit of `_HEX_SPACING`."""
    if scene.grid.top is HexOrientation.FLAT:
        return (
            _ROW_SPACING,
            _HEX_SPACING,
            scene.columns * _ROW_SPACING,
            scene.rows * _HEX_SPACING + _HEX_SPACING // 2,
        )
    return (
        _HEX_SPACING,
        _ROW_SPACING,
        scene.columns * _HEX_SPACING + _HEX_SPACING // 2,
        scene.rows * _ROW_SPACING,
    )


def _fitted_area(width: int, height: int, available_size: Size) -> Region:
    """Return the largest centred area for a map with these dimensions. The map may be stretched a little."""
    numerator, denominator = _MAX_STRETCH
    columns, rows = available_size.width, available_size.height
    columns = max(min(columns, rows * width * numerator // (height * denominator)), 1)
    rows = max(min(rows, columns * height * numerator // (width * denominator)), 1)
    return Region(
        (available_size.width - columns) // 2, (available_size.height - rows) // 2, columns, rows
    )


def draw_map_sketch(scene: HexScene, size: Size, *, has_names: bool = False) -> Sketch:
    """Sketch a map at the given size.

    Args:
        scene: The map.
        size: Size in cells, at least one in each direction.
        has_names: True to name places where the names cover no counters.
    """
    size_in_dots = Size(size.width, 2 * size.height)
    column_spacing, row_spacing, width, height = _plane_dimensions(scene)
    box = _fitted_area(width, height, size_in_dots)
    is_flat = scene.grid.top is HexOrientation.FLAT
    rows: list[list[Dot | None]] = [[None] * size_in_dots.width for _ in range(size_in_dots.height)]
    shown_cells = (cell for cell in scene.cells.values() if cell.ground is not HexGround.VOID)
    # The heaviest dots are drawn last, so that they cover the lighter ones.
    for dot in sorted(map(hex_dot, shown_cells), key=lambda dot: dot.weight):
        column, row = scene.grid.coordinates(dot.place)
        x, y = (
            columns_from_left(scene, column) * column_spacing,
            (row - scene.first_row) * row_spacing,
        )
        if is_flat:
            y += _HEX_SPACING // 2 if scene.grid.is_shifted(column) else 0
        elif scene.grid.is_shifted(row) != scene.grid.columns_from_right:
            x += _HEX_SPACING // 2
        left, right = _dot_span(x, column_spacing, box.x, box.width, width)
        top, bottom = _dot_span(y, row_spacing, box.y, box.height, height)
        for line in rows[top:bottom]:
            line[left:right] = [dot] * (right - left)
    sketch = Sketch(tuple(map(tuple, rows)), box)
    return sketch._replace(names=_place_names(scene, sketch)) if has_names else sketch


def _place_names(scene: HexScene, sketch: Sketch) -> PlacedCaptions:
    """Position the names of places, those with counters first. A small sketch names only the places with counters."""
    dots: dict[str, tuple[Dot, int, int]] = {}
    for y, row in enumerate(sketch.rows):
        for x, dot in enumerate(row):
            if dot is not None:
                dots.setdefault(dot.place, (dot, x, y // 2))
    places = [caption for caption in scene.captions if caption.is_place and caption.hex in dots]
    occupied_captions = [caption for caption in places if dots[caption.hex][0].is_chip]
    other_captions = [caption for caption in places if not dots[caption.hex][0].is_chip]
    is_large = len(sketch.rows[0]) >= _MIN_WIDTH_FOR_ALL_NAMES
    return PlacedCaptions(
        occupied_captions + (other_captions if is_large else []),
        lambda hex_id: dots[hex_id][1:],
        lambda y: _line_cells(sketch, y),
    )


def _line_cells(sketch: Sketch, y: int) -> list[Cell]:
    """Return a line of the sketch for placing names, which may cover everything but counters."""
    if not 0 <= y < sketch.height:
        return []
    dots = (_heavier_dot(*sketch.pair(x, y)) for x in range(len(sketch.rows[0])))
    return [
        (" ", (dot.tone if dot is not None and dot.is_chip else TextRole.VOID, *UNPAINTED))
        for dot in dots
    ]


def _dot_span(offset: int, size: int, start: int, dots: int, map_size: int) -> tuple[int, int]:
    """Convert an interval of the map to a range of dots with an exclusive end. The range contains at least one dot."""
    first, last = offset * dots // map_size, (offset + size) * dots // map_size
    return start + first, start + max(last, first + 1)


# -- drawing


def draw_sketch(
    sketch: Sketch, palette: Palette, y: int, frame: Region, *, has_blocks: bool = True
) -> Strip:
    """Render one line of cells.

    Args:
        sketch: The map as dots.
        palette: Maps tones to styles.
        y: Index of the line.
        frame: The frame around the visible part, in cells.
        has_blocks: True if the terminal can show half-block characters.
    """
    has_half_blocks = has_blocks and palette.has_backgrounds
    segments: list[Segment] = []
    names = {} if sketch.names is None else sketch.names.chars(y)
    for x in range(len(sketch.rows[0])):
        dots = sketch.pair(x, y)
        char, tone = names.get(x) or (_frame_char(frame, x, y), TextRole.FRAME)
        if char:
            style = palette.style(tone)
            if palette.has_backgrounds:
                style += _dot_background(palette, _heavier_dot(*dots))
            segments.append(Segment(char, style))
        elif has_half_blocks:
            segments.append(_block_segment(palette, *dots))
        elif x - 1 in names or x + 1 in names:  # keep the letters of the map apart from the name
            segments.append(Segment(" ", palette.style(TextRole.PLAIN)))
        else:
            segments.append(_letter_segment(palette, _heavier_dot(*dots)))
    return Strip(segments).simplify()


def _heavier_dot(upper_dot: Dot | None, lower_dot: Dot | None) -> Dot | None:
    if upper_dot is None or lower_dot is None:
        return upper_dot or lower_dot
    return lower_dot if lower_dot.weight > upper_dot.weight else upper_dot


def _frame_char(frame: Region, x: int, y: int) -> str:
    """Return the frame character at a cell; empty if the cell is not on the frame."""
    left, right, top, bottom = frame.x, frame.right - 1, frame.y, frame.bottom - 1
    if not (left <= x <= right and top <= y <= bottom):
        return ""
    if x in (left, right) and y in (top, bottom):
        return "┌┐└┘"[2 * (y == bottom) + (x == right)]
    return "│" if x in (left, right) else "─" if y in (top, bottom) else ""


@lru_cache(maxsize=1024)
def _background_style(
    palette: Palette, floor: GroundRole, tint: OverlayRole, chip: TextRole | None
) -> Style:
    """Return the style of a dot, which consists of a background colour only."""
    style = (
        palette.style_on(chip)
        if chip is not None
        else palette.style_on(TextRole.PLAIN, floor, tint)
    )
    return Style(bgcolor=style.bgcolor)


def _dot_background(palette: Palette, dot: Dot | None) -> Style:
    if dot is None:
        return _background_style(palette, GroundRole.NONE, OverlayRole.NONE, None)
    return _background_style(palette, dot.floor, dot.tint, dot.tone if dot.is_chip else None)


@lru_cache(maxsize=1024)
def _half_block(upper_style: Style, lower_style: Style) -> Segment:
    if upper_style == lower_style:
        return Segment(" ", upper_style)
    return Segment(_UPPER_HALF_BLOCK, Style(color=upper_style.bgcolor, bgcolor=lower_style.bgcolor))


def _block_segment(palette: Palette, upper_dot: Dot | None, lower_dot: Dot | None) -> Segment:
    return _half_block(_dot_background(palette, upper_dot), _dot_background(palette, lower_dot))


def _letter_segment(palette: Palette, dot: Dot | None) -> Segment:
    if dot is None:
        return Segment(" ", palette.style(TextRole.PLAIN))
    return Segment(dot.letter, palette.style_on(dot.tone, dot.floor, dot.tint))
