"""Pieces of a drawn line: text, tone, and the ground below."""

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

BARE: Paint = (GroundRole.NONE, OverlayRole.NONE)
EMPTY: Cell = (" ", (TextRole.VOID, *BARE))
UNDER = frozenset(
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
NAMES = frozenset({TextRole.NAME, TextRole.CITY})


_LETTER = itemgetter(0)
_LOOK = itemgetter(1)


def paint_pieces(pieces: Iterable[Piece], paint: Paint) -> Iterator[Cell]:
    """Yield the characters of pieces that share the same ground."""
    for text, tone in pieces:
        yield from zip(text, repeat((tone, *paint)))


def overwrite(cells: list[Cell], at: int, text: str, tone: TextRole) -> None:
    """Write text over cells, keeping their ground. Text beyond either end of the line is cut off."""
    for place, letter in enumerate(text, at):
        if 0 <= place < len(cells):
            _, (_, floor, tint) = cells[place]
            cells[place] = letter, (tone, floor, tint)


def can_draw_over(cell: Cell) -> bool:
    """Return whether a cell may be drawn over."""
    return cell[1][0] in UNDER


def segments(cells: Sequence[Cell], palette: Palette) -> list[Segment]:
    """Convert cells to styled text. Blanks are merged into the preceding segment if they have the same ground."""
    found: list[Segment] = []
    run, look = "", EMPTY[1]
    for one, group in groupby(cells, _LOOK):
        text = "".join(map(_LETTER, group))
        if run and _is_alike(one, look) and text.isspace():
            run += text
            continue
        if run:
            found.append(Segment(run, palette.style_on(*look)))
        run, look = text, one
    if run:
        found.append(Segment(run, palette.style_on(*look)))
    return found


def _is_alike(one: Appearance, other: Appearance) -> bool:
    return (
        one[1:] == other[1:] and one[0] not in FULL_CELL_ROLES and other[0] not in FULL_CELL_ROLES
    )
