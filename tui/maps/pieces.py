"""The parts of a drawn line: pieces of text with a tone, and cells with a background as well."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, repeat
from operator import itemgetter

from rich.segment import Segment

from tui.drawing.colour_roles import FULL_CELL_ROLES, GroundRole, OverlayRole, TextRole
from tui.drawing.palette import Palette

Piece = tuple[str, TextRole]
Appearance = tuple[TextRole, GroundRole, OverlayRole]
Cell = tuple[str, Appearance]
"""One character of the drawing."""
Paint = tuple[GroundRole, OverlayRole]

UNPAINTED: Paint = (GroundRole.NONE, OverlayRole.NONE)
BLANK_CELL: Cell = (" ", (TextRole.VOID, *UNPAINTED))
COVERABLE_TONES = frozenset(
    {
        TextRole.PLAIN,
        TextRole.VOID,
        TextRole.GRID,
        TextRole.SEA,
        TextRole.LAND,
        TextRole.ROUGH,
        TextRole.TEXTURE,
        TextRole.SCAN,
        TextRole.SCAN_FAR,
        TextRole.ZONE,
        TextRole.TRACK,
    }
)
"""Tones that names, tracks and frames may cover. Numbers, counters and rings are never covered."""
NAME_TONES = frozenset({TextRole.NAME, TextRole.CITY})


_CHAR = itemgetter(0)
_APPEARANCE = itemgetter(1)


def paint_pieces(pieces: Iterable[Piece], paint: Paint) -> Iterator[Cell]:
    """Yield the cells of several pieces, all with the same background."""
    for text, tone in pieces:
        yield from zip(text, repeat((tone, *paint)))


def overwrite(cells: list[Cell], start: int, text: str, tone: TextRole) -> None:
    """Write text over cells, keeping their background. Text beyond either end of the line is cut off."""
    for x, char in enumerate(text, start):
        if 0 <= x < len(cells):
            _, (_, floor, tint) = cells[x]
            cells[x] = char, (tone, floor, tint)


def is_coverable(cell: Cell) -> bool:
    """Return whether names, tracks and frames may cover a cell."""
    return cell[1][0] in COVERABLE_TONES


def segments(cells: Sequence[Cell], palette: Palette) -> list[Segment]:
    """Convert cells to styled text. Blanks join the preceding segment if they have the same background."""
    merged_segments: list[Segment] = []
    text_run, appearance = "", BLANK_CELL[1]
    for next_appearance, group in groupby(cells, _APPEARANCE):
        text = "".join(map(_CHAR, group))
        if text_run and _has_same_ground(next_appearance, appearance) and text.isspace():
            text_run += text
            continue
        if text_run:
            merged_segments.append(Segment(text_run, palette.style_on(*appearance)))
        text_run, appearance = text, next_appearance
    if text_run:
        merged_segments.append(Segment(text_run, palette.style_on(*appearance)))
    return merged_segments


def _has_same_ground(first_look: Appearance, second_look: Appearance) -> bool:
    return (
        first_look[1:] == second_look[1:]
        and first_look[0] not in FULL_CELL_ROLES
        and second_look[0] not in FULL_CELL_ROLES
    )
