"""Paints one place with its text, chips, borders and frame. A painted place is cached until its appearance changes."""

from functools import lru_cache
from typing import Final, NamedTuple

from tui.areamap.geometry import ChartLayout, OutlineCell
from tui.areamap.labels import PlaceLabel, place_label, place_pieces
from tui.areamap.scene import AreaCell
from tui.drawing.tones import GroundRole, OverlayRole, TextRole
from tui.map_enums import HIGHLIGHT_TONES, NOTE, Highlight, Zoom

Appearance = tuple[TextRole, GroundRole, OverlayRole]
Cell = tuple[str, Appearance]
"""One character of the drawing."""
Painted = tuple[tuple[int, int, tuple[Cell, ...]], ...]
"""Line, first column and cells of each run in a place."""
_STAR: Final = "*"
_FRAME: Final = {
    (True, False, False, False): "▌",
    (False, True, False, False): "▐",
    (False, False, True, False): "▀",
    (False, False, False, True): "▄",
    (True, False, True, False): "▛",
    (False, True, True, False): "▜",
    (True, False, False, True): "▙",
    (False, True, False, True): "▟",
    (True, True, False, False): "║",
    (False, False, True, True): "═",
}
"""Frame characters, keyed by the sides of the cell that are on the outline: left, right, above, below."""
_CLOSED: Final = "█"
"""Frame character for a cell that has three or more sides on the outline."""
_NEIGHBOUR: Final = "<"
"""Shown after the names of the cursor's neighbours that have no other highlight."""


class TerminalFeatures(NamedTuple):
    """The capabilities of a terminal."""

    is_unicode: bool
    has_floors: bool
    """True if background colours show the ground; otherwise only characters do."""

    @property
    def star(self) -> str:
        """The symbol for a supply space."""
        return "★" if self.is_unicode else _STAR


class CursorRelation(NamedTuple):
    """The relation of a place to the cursor."""

    is_cursor: bool = False
    is_adjacent: bool = False
    mark: str = ""
    """Letter of the link to the place under the cursor."""


class Borders(NamedTuple):
    """The neighbours from which a place is separated by a drawn line."""

    lines: frozenset[str]
    """Neighbours separated by a thin line."""
    walls: frozenset[str]
    """Places that share a side but are not adjacent."""


def name_in_case(cell: AreaCell, name: str, features: TerminalFeatures) -> str:
    """Return a name. Without background colours, land is in upper case and sea in lower case."""
    if features.has_floors:
        return name
    return name.lower() if cell.is_sea else name.upper()


class _Place:
    """The characters of a place while it is being drawn."""

    def __init__(
        self,
        ground: ChartLayout,
        cell: AreaCell,
        borders: Borders,
        zoom: Zoom,
        features: TerminalFeatures,
        cursor_relation: CursorRelation,
    ) -> None:
        self.ground = ground
        self.cell = cell
        self.borders = borders
        self.zoom = zoom
        self.features = features
        self.cursor_relation = cursor_relation
        self.letters: dict[tuple[int, int], tuple[str, TextRole]] = {}
        self.runs = ground.runs[cell.id]
        self.words_at: tuple[tuple[int, int], ...] = ()
        """The cells that contain text, before any lines are drawn."""

    def write(self, x: int, y: int, text: str, tone: TextRole) -> None:
        """Write text."""
        for place, letter in enumerate(text, start=x):
            self.letters[place, y] = letter, tone

    # -- text

    def write_texts(self) -> None:
        """Write the name, tags, pieces and note."""
        found = name_label(self.ground, self.cell, self.zoom)
        tone = self._name_tone()
        for x, y, text in found.lines:
            self.write(x, y, name_in_case(self.cell, text, self.features), tone)
        placed = place_pieces(
            self.cell.tokens, found, self.zoom, is_unicode=self.features.is_unicode
        )
        for x, y, token, text in placed:
            self.write(x, y, text, token.tone)
        last = max((y for _, y, _, _ in placed), default=found.lines[-1][1])
        tags = self._tags(is_noted=self._note(found, last))
        self._write_tags(found, placed[-1][0] + len(placed[-1][3]) if placed else -1, last, tags)

    def _name_tone(self) -> TextRole:
        cell = self.cell
        if self.cursor_relation.is_cursor and not self.features.has_floors:
            return TextRole.CURSOR
        if self.features.has_floors and (
            self.cursor_relation.is_cursor or self.cursor_relation.is_adjacent
        ):
            return TextRole.SELECTED
        if cell.highlight is not Highlight.NONE and not self.features.has_floors:
            return HIGHLIGHT_TONES[cell.highlight]
        if cell.is_sea:
            return TextRole.SEA
        if not self.features.has_floors:
            return TextRole.LAND
        return TextRole.CITY if cell.symbol == _STAR else TextRole.NAME

    def _note(self, place_label: PlaceLabel, last: int) -> bool:
        """Write the note on the line below the pieces; return whether there was room for it."""
        cell = self.cell
        if not cell.note or self.zoom is Zoom.OVERVIEW:
            return False
        run = next((run for run in place_label.below if run.y > last), None)
        if run is None or run.width < len(cell.note):
            return False
        x = min(max(run.start, place_label.left), run.stop - len(cell.note))
        self.write(x, run.y, cell.note, cell.symbol_tone)
        return True

    def _tags(self, *, is_noted: bool) -> list[tuple[str, TextRole]]:
        """Return the place's short tags: a star or the holder of a strait, the highlight, and a note mark."""
        cell, cursor_relation = self.cell, self.cursor_relation
        found = []
        if cell.symbol == _STAR:
            found.append(
                (self.features.star, TextRole.PATH if self.features.has_floors else TextRole.PLAIN)
            )
        elif cell.symbol and not is_noted:
            found.append((cell.symbol, cell.symbol_tone))
        if cell.mark:
            found.append((cell.mark, HIGHLIGHT_TONES.get(cell.highlight, TextRole.PATH)))
        elif cursor_relation.is_adjacent and (cursor_relation.mark or not self.features.has_floors):
            found.append((cursor_relation.mark or _NEIGHBOUR, TextRole.SELECTED))
        if cell.has_note:
            found.append((NOTE, TextRole.BASE))
        return found

    def _write_tags(
        self, place_label: PlaceLabel, end: int, last: int, tags: list[tuple[str, TextRole]]
    ) -> None:
        """Write the tags after the name or, if there is no room, after the pieces or on any free line."""
        spots = [(x + len(text), y) for x, y, text in reversed(place_label.lines)]
        if end >= 0:
            spots += [(end + 1, last), (end, last)]
        spots += [(run.start, run.y) for run in place_label.below]
        for text, tone in tags:
            for place, (x, y) in enumerate(spots):
                gap = int(len(text) > 1)
                if self._is_free(x, y, len(text) + gap):
                    self.write(x + gap, y, text, tone)
                    spots[place] = x + gap + len(text), y
                    break

    def _is_free(self, x: int, y: int, width: int) -> bool:
        return all(
            self.ground.owner(place, y) == self.cell.id and (place, y) not in self.letters
            for place in range(x, x + width)
        )

    # -- lines

    def outline(self) -> None:
        """Draw the frame, walls and thin borders into cells without text."""
        self.words_at = tuple(self.letters)
        frame = self._frame_tone()
        if frame is not None and self.zoom is Zoom.OVERVIEW:
            self._frame_name(frame)
            frame = None
        for outline_cell in self.ground.outlines[self.cell.id]:
            at = outline_cell.x, outline_cell.y
            if at in self.letters:
                continue
            if frame is not None:
                self.letters[at] = _frame_character(outline_cell), frame
            else:
                line = self._border(outline_cell)
                if line is not None:
                    self.letters[at] = line

    def _frame_tone(self) -> TextRole | None:
        """Return the frame's tone; None if the place has no frame."""
        if not (self.features.has_floors and self.features.is_unicode):
            return None
        if self.cursor_relation.is_cursor:
            return TextRole.FRAME
        return TextRole.TARGET if self.cell.is_focus else None

    def _plate(self) -> frozenset[tuple[int, int]]:
        """Return the cells around the name and pieces. To save bytes, the overview highlights only these cells."""
        ((x, y, _),) = name_label(self.ground, self.cell, self.zoom).lines
        lines = (y, y + 1)
        ends = [end for end, line in self.words_at if line in lines]
        return frozenset(
            (column, line)
            for line in lines
            for column in range(x - 1, max(ends) + 2)
            if self.ground.owner(column, line) == self.cell.id
        )

    def _frame_name(self, tone: TextRole) -> None:
        """Draw the left and right edges of a frame around the name and pieces."""
        plate = self._plate()
        for x, y in plate:
            if (x, y) not in self.letters:
                if (x - 1, y) not in plate:
                    self.letters[x, y] = "▌", tone
                elif (x + 1, y) not in plate:
                    self.letters[x, y] = "▐", tone

    def _border(self, outline_cell: OutlineCell) -> tuple[str, TextRole] | None:
        """Return the line on the left or lower side of a cell; None if there is none."""
        is_unicode = self.features.is_unicode
        for side, wall, line in ((outline_cell.left, "▌", "▏"), (outline_cell.below, "▄", "▁")):
            if side in self.borders.walls:
                return (wall if is_unicode else "#"), TextRole.SELECTED
            if side in self.borders.lines:
                if is_unicode and self.features.has_floors:
                    return line, TextRole.GRID
                upright = "│" if is_unicode else "|"
                return (upright if side is outline_cell.left else "_"), TextRole.GRID
        return None

    # -- result

    def paint_cells(self) -> Painted:
        """Return the cells of the place, run by run."""
        floor, tint = self.cell.paint
        lit = tint
        if self.features.has_floors and not tint:
            if self.cursor_relation.is_cursor:
                lit = OverlayRole.HIGHLIGHTED
            elif self.cursor_relation.is_adjacent and self.zoom is not Zoom.OVERVIEW:
                lit = OverlayRole.SELECTED
        is_partly = lit is not tint and self.zoom is Zoom.OVERVIEW
        plate = self._plate() if is_partly else frozenset()
        base = TextRole.SEA if self.cell.is_sea else TextRole.LAND
        found = []
        for run in self.runs:
            line = []
            for x in range(run.start, run.stop):
                letter, tone = self.letters.get((x, run.y), (" ", base))
                shade = tint if is_partly and (x, run.y) not in plate else lit
                line.append((letter, (tone, floor, shade)))
            found.append((run.y, run.start, tuple(line)))
        return tuple(found)


def _frame_character(outline_cell: OutlineCell) -> str:
    left, right, above, below = (
        side is not None
        for side in (outline_cell.left, outline_cell.right, outline_cell.above, outline_cell.below)
    )
    return _FRAME.get((left, right, above, below), _CLOSED)


def name_label(ground: ChartLayout, cell: AreaCell, zoom: Zoom) -> PlaceLabel:
    """Return the position of a place's name."""
    names = (
        (cell.name, cell.short) if zoom is Zoom.OVERVIEW else (cell.name, cell.middle, cell.short)
    )
    return place_label(ground, cell.id, names, is_flat=zoom is Zoom.OVERVIEW)


@lru_cache(4096)
def paint_place(
    ground: ChartLayout,
    cell: AreaCell,
    borders: Borders,
    zoom: Zoom,
    features: TerminalFeatures,
    cursor_relation: CursorRelation,
) -> Painted:
    """Paint a place and return its cells."""
    place = _Place(ground, cell, borders, zoom, features, cursor_relation)
    place.write_texts()
    place.outline()
    return place.paint_cells()
