"""Lines that explain the tints, tracks and outlines on a map."""

from collections.abc import Iterator

from rich.segment import Segment
from textual.strip import Strip

from tui.drawing.colour_roles import TextRole
from tui.drawing.palette import Palette
from tui.hexmap.elements import EdgeMark, Ring, Track
from tui.hexmap.scene import HexScene

Entry = tuple[Segment, Segment]
"""A sample of an element, and its name."""


def legend_strips(
    scene: HexScene, palette: Palette, width: int, rows: int = 1
) -> tuple[Strip, ...]:
    """Render the legend: tints, as colours or marks, then tracks and outlines.

    Entries at the end are omitted if they do not fit. A single entry that is too long is cut off.

    Args:
        scene: The map.
        palette: Maps tones to styles.
        width: Width of a row in cells.
        rows: Maximum number of rows. Only as many as necessary are used; none if there is nothing to explain.
    """
    lines: list[list[Segment]] = []
    room = 0
    for entry in _entries(scene, palette):
        cells = sum(one.cell_length for one in entry)
        if lines and cells <= room:
            lines[-1] += entry
            room -= cells
        elif len(lines) < rows:
            lines.append(list(entry))
            room = width - cells
        else:
            break
    return tuple(map(Strip, lines))


def _entries(scene: HexScene, palette: Palette) -> Iterator[Entry]:
    """Yield the entries of the legend."""
    plain = palette.style_on(TextRole.PLAIN)
    for swatch in scene.swatches:
        mark, tone = swatch.mark
        if palette.has_backgrounds:
            painted = Segment("   ", palette.style_on(TextRole.PLAIN, swatch.floor, swatch.tint))
        else:
            painted = Segment(f" {mark} ", palette.style_on(tone))
        yield painted, Segment(f" {swatch.name} ", plain)
    for one in _lines(scene):
        mark = one.mark if isinstance(one, Track) else _border(one, palette)
        yield (
            Segment(f" {(mark * 3)[:3]}", palette.style_on(one.tone)),
            Segment(f" {one.name} ", plain),
        )


def _border(one: Ring | EdgeMark, palette: Palette) -> str:
    return one.outline.top_border if palette.has_backgrounds else one.outline.level


def _lines(scene: HexScene) -> Iterator[Track | Ring | EdgeMark]:
    """Yield one track or outline per name."""
    named: dict[str, Track | Ring | EdgeMark] = {}
    lines: tuple[Track | Ring | EdgeMark, ...] = (*scene.tracks, *scene.rings, *scene.edge_marks)
    for one in lines:
        if one.name:
            named.setdefault(one.name, one)
    yield from named.values()
