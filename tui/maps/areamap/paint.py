"""Paints one place with its text, pieces, borders and frame.

Results are cached, keyed by everything that affects them.
"""

from functools import lru_cache
from typing import Final, NamedTuple

from tui.drawing.colour_roles import GroundRole, OverlayRole, TextRole
from tui.maps.areamap.geometry import ChartLayout, OutlineCell
from tui.maps.areamap.labels import PlaceLabel, place_label, place_pieces
from tui.maps.areamap.scene import AreaCell
from tui.maps.enums import HIGHLIGHT_TONES, NOTE, Highlight, Zoom

Appearance = tuple[TextRole, GroundRole, OverlayRole]
Cell = tuple[str, Appearance]
"""One character of the drawing."""
Painted = tuple[tuple[int, int, tuple[Cell, ...]], ...]
"""Line, first column and cells of each run in a place."""
_STAR_SYMBOL: Final = "*"
_FRAME_CHARACTERS: Final = {
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
_FULL_BLOCK: Final = "█"
"""Frame character for a cell that has three or more sides on the outline."""
_NEIGHBOUR_MARK: Final = "<"
"""Mark after the name of a place that is adjacent to the cursor and has no other highlight."""


class TerminalFeatures(NamedTuple):
    """The capabilities of a terminal."""

    is_unicode: bool
    has_backgrounds: bool
    """True if background colours show the ground; False if only characters do."""

    @property
    def star(self) -> str:
        """The symbol for a supply space."""
        return "★" if self.is_unicode else _STAR_SYMBOL


class CursorRelation(NamedTuple):
    """How a place is connected to the place under the cursor."""

    is_cursor: bool = False
    is_adjacent: bool = False
    mark: str = ""
    """Letter of the link to the place under the cursor."""


class Borders(NamedTuple):
    """Neighbours of a place that are separated from it by a line."""

    lines: frozenset[str]
    """Adjacent places, separated by a thin line."""
    walls: frozenset[str]
    """Places that share a side with this place but are not adjacent, separated by a wall."""


def name_in_case(cell: AreaCell, name: str, features: TerminalFeatures) -> str:
    """Return a name. Without background colours, land is in upper case and sea in lower case."""
    if features.has_backgrounds:
        return name
    return name.lower() if cell.is_sea else name.upper()


class _PlacePainter:
    """Draws one place by collecting its characters."""

    def __init__(
        self,
        layout: ChartLayout,
        cell: AreaCell,
        borders: Borders,
        zoom: Zoom,
        features: TerminalFeatures,
        cursor_relation: CursorRelation,
    ) -> None:
        self.layout = layout
        self.cell = cell
        self.borders = borders
        self.zoom = zoom
        self.features = features
        self.cursor_relation = cursor_relation
        self.characters: dict[tuple[int, int], tuple[str, TextRole]] = {}
        self.runs = layout.runs[cell.id]
        self.text_cells: tuple[tuple[int, int], ...] = ()
        """The cells that contain text; set before any lines are drawn."""

    def write(self, x: int, y: int, text: str, tone: TextRole) -> None:
        """Write text to the right, starting at a cell."""
        for column, character in enumerate(text, start=x):
            self.characters[column, y] = character, tone

    # -- text

    def write_texts(self) -> None:
        """Write the name, tags, pieces and note."""
        label = name_label(self.layout, self.cell, self.zoom)
        tone = self._name_tone()
        for x, y, text in label.lines:
            self.write(x, y, name_in_case(self.cell, text, self.features), tone)
        piece_positions = place_pieces(self.cell.tokens, label, is_unicode=self.features.is_unicode)
        for x, y, token, text in piece_positions:
            self.write(x, y, text, token.tone)
        last_line = max((y for _, y, _, _ in piece_positions), default=label.lines[-1][1])
        tags = self._short_tags(is_noted=self._write_note(label, last_line))
        self._write_tags(
            label,
            piece_positions[-1][0] + len(piece_positions[-1][3]) if piece_positions else -1,
            last_line,
            tags,
        )

    def _name_tone(self) -> TextRole:
        cell = self.cell
        if self.cursor_relation.is_cursor and not self.features.has_backgrounds:
            return TextRole.CURSOR
        if self.features.has_backgrounds and (
            self.cursor_relation.is_cursor or self.cursor_relation.is_adjacent
        ):
            return TextRole.SELECTED
        if cell.highlight is not Highlight.NONE and not self.features.has_backgrounds:
            return HIGHLIGHT_TONES[cell.highlight]
        if cell.is_sea:
            return TextRole.SEA
        if not self.features.has_backgrounds:
            return TextRole.LAND
        return TextRole.CITY if cell.symbol == _STAR_SYMBOL else TextRole.NAME

    def _write_note(self, label: PlaceLabel, last_line: int) -> bool:
        """Write the note below the pieces, on one line or two, if there is room. Return True if it was written."""
        cell = self.cell
        if not cell.note or self.zoom is Zoom.OVERVIEW:
            return False
        free_runs = [run for run in label.piece_runs if run.y > last_line]
        title, colon, rest = cell.note.partition(": ")
        folded = [(f"{title}:", rest), (title, rest)] if colon else []
        for lines in ((cell.note,), *folded):
            width = max(map(len, lines))
            for first_line in range(len(free_runs) - len(lines) + 1):
                runs = free_runs[first_line : first_line + len(lines)]
                # Both lines of a folded note start in the same column.
                start, stop = max(run.start for run in runs), min(run.stop for run in runs)
                if stop - start >= width:
                    x = min(max(start, label.left_column), stop - width)
                    for run, text in zip(runs, lines, strict=True):
                        self.write(x, run.y, text, cell.symbol_tone)
                    return True
        return False

    def _short_tags(self, *, is_noted: bool) -> list[tuple[str, TextRole]]:
        """Return the place's tags: a star or a strait's holder, the highlight, and a note mark."""
        cell, cursor_relation = self.cell, self.cursor_relation
        tags = []
        if cell.symbol == _STAR_SYMBOL:
            tags.append(
                (
                    self.features.star,
                    TextRole.PATH if self.features.has_backgrounds else TextRole.PLAIN,
                )
            )
        elif cell.symbol and not is_noted:
            tags.append((cell.symbol, cell.symbol_tone))
        if cell.mark:
            tags.append((cell.mark, HIGHLIGHT_TONES.get(cell.highlight, TextRole.PATH)))
        elif cursor_relation.is_adjacent and (
            cursor_relation.mark or not self.features.has_backgrounds
        ):
            tags.append((cursor_relation.mark or _NEIGHBOUR_MARK, TextRole.SELECTED))
        if cell.has_note:
            tags.append((NOTE, TextRole.BASE))
        return tags

    def _write_tags(
        self, label: PlaceLabel, end: int, last_line: int, tags: list[tuple[str, TextRole]]
    ) -> None:
        """Write the tags after the name. If there is no room, write them after the pieces or on any free line."""
        positions = [(x + len(text), y) for x, y, text in reversed(label.lines)]
        if end >= 0:
            positions += [(end + 1, last_line), (end, last_line)]
        positions += [(run.start, run.y) for run in label.piece_runs]
        for text, tone in tags:
            for index, (x, y) in enumerate(positions):
                gap = int(len(text) > 1)
                if self._is_free(x, y, len(text) + gap):
                    self.write(x + gap, y, text, tone)
                    positions[index] = x + gap + len(text), y
                    break

    def _is_free(self, x: int, y: int, width: int) -> bool:
        return all(
            self.layout.owner(column, y) == self.cell.id and (column, y) not in self.characters
            for column in range(x, x + width)
        )

    # -- lines

    def draw_outline(self) -> None:
        """Draw the frame, walls and thin borders into cells without text."""
        self.text_cells = tuple(self.characters)
        frame = self._frame_tone()
        if frame is not None and self.zoom is Zoom.OVERVIEW:
            self._frame_name(frame)
            frame = None
        # Lines never cover names and pieces, even if this leaves gaps in the lines.
        for outline_cell in self.layout.outlines[self.cell.id]:
            position = outline_cell.x, outline_cell.y
            if position in self.characters:
                continue
            if frame is not None:
                self.characters[position] = _frame_character(outline_cell), frame
            else:
                line = self._border_line(outline_cell)
                if line is not None:
                    self.characters[position] = line

    def _frame_tone(self) -> TextRole | None:
        """Return the frame's tone; None if the place has no frame."""
        if not (self.features.has_backgrounds and self.features.is_unicode):
            return None
        if self.cursor_relation.is_cursor:
            return TextRole.FRAME
        return TextRole.TARGET if self.cell.is_focus else None

    def _name_area(self) -> frozenset[tuple[int, int]]:
        """Return the cells around the name and pieces.

        To save bytes, only these cells are highlighted in the overview.
        """
        # In the overview, a name always has exactly one line.
        ((x, y, _),) = name_label(self.layout, self.cell, self.zoom).lines
        lines = (y, y + 1)
        columns = [end for end, line in self.text_cells if line in lines]
        return frozenset(
            (column, line)
            for line in lines
            for column in range(x - 1, max(columns) + 2)
            if self.layout.owner(column, line) == self.cell.id
        )

    def _frame_name(self, tone: TextRole) -> None:
        """Draw the left and right edges of a frame around the name and pieces."""
        name_area = self._name_area()
        for x, y in name_area:
            if (x, y) not in self.characters:
                if (x - 1, y) not in name_area:
                    self.characters[x, y] = "▌", tone
                elif (x + 1, y) not in name_area:
                    self.characters[x, y] = "▐", tone

    def _border_line(self, outline_cell: OutlineCell) -> tuple[str, TextRole] | None:
        """Return the border drawn on the left or lower side of a cell; None if neither side has a border."""
        is_unicode = self.features.is_unicode
        # The adjacent cells draw the upper and right borders, so no border is drawn twice.
        for side, wall, line in ((outline_cell.left, "▌", "▏"), (outline_cell.below, "▄", "▁")):
            if side in self.borders.walls:
                return (wall if is_unicode else "#"), TextRole.SELECTED
            if side in self.borders.lines:
                if is_unicode and self.features.has_backgrounds:
                    return line, TextRole.GRID if self.cell.is_sea else TextRole.BORDER
                vertical = "│" if is_unicode else "|"
                return (vertical if side is outline_cell.left else "_"), TextRole.GRID
        return None

    # -- result

    def paint_cells(self) -> Painted:
        """Return the cells of the place, run by run."""
        ground, overlay = self.cell.paint
        highlighted = overlay
        if self.features.has_backgrounds and not overlay:
            if self.cursor_relation.is_cursor:
                highlighted = OverlayRole.HIGHLIGHTED
            elif self.cursor_relation.is_adjacent and self.zoom is not Zoom.OVERVIEW:
                highlighted = OverlayRole.SELECTED
        is_partial = highlighted is not overlay and self.zoom is Zoom.OVERVIEW
        name_area = self._name_area() if is_partial else frozenset()
        ground_tone = TextRole.SEA if self.cell.is_sea else TextRole.LAND
        painted_cells = []
        for run in self.runs:
            line = []
            for x in range(run.start, run.stop):
                character, tone = self.characters.get((x, run.y), (" ", ground_tone))
                cell_overlay = (
                    overlay if is_partial and (x, run.y) not in name_area else highlighted
                )
                line.append((character, (tone, ground, cell_overlay)))
            painted_cells.append((run.y, run.start, tuple(line)))
        return tuple(painted_cells)


def _frame_character(outline_cell: OutlineCell) -> str:
    left, right, above, below = (
        side is not None
        for side in (outline_cell.left, outline_cell.right, outline_cell.above, outline_cell.below)
    )
    return _FRAME_CHARACTERS.get((left, right, above, below), _FULL_BLOCK)


def name_label(layout: ChartLayout, cell: AreaCell, zoom: Zoom) -> PlaceLabel:
    """Return the position of a place's name."""
    names = (
        (cell.name, cell.short) if zoom is Zoom.OVERVIEW else (cell.name, cell.medium, cell.short)
    )
    return place_label(layout, cell.id, names, is_flat=zoom is Zoom.OVERVIEW)


@lru_cache(4096)
def paint_place(
    layout: ChartLayout,
    cell: AreaCell,
    borders: Borders,
    zoom: Zoom,
    features: TerminalFeatures,
    cursor_relation: CursorRelation,
) -> Painted:
    """Paint a place and return its cells."""
    painter = _PlacePainter(layout, cell, borders, zoom, features, cursor_relation)
    painter.write_texts()
    painter.draw_outline()
    return painter.paint_cells()
