"""The map legend, which explains tints, tracks and outlines."""

from collections.abc import Iterator

from rich.segment import Segment
from textual.strip import Strip

from tui.drawing.colour_roles import TextRole
from tui.drawing.palette import Palette
from tui.maps.hexmap.elements import EdgeMark, Ring, Track
from tui.maps.hexmap.scene import HexScene

Entry = tuple[Segment, Segment]
"""A sample of a map element, and the element's name."""


def legend_strips(
    scene: HexScene, palette: Palette, width: int, rows: int = 1
) -> tuple[Strip, ...]:
    """Render the legend. Tints are listed first, as colours or marks, followed by tracks and outlines.

    Entries that do not fit are omitted. A first entry that is too long is cut off.

    Args:
        scene: The map.
        palette: Maps tones to styles.
        width: Width of a row in cells.
        rows: Maximum number of rows. Empty rows are not returned.
    """
    lines: list[list[Segment]] = []
    free_cells = 0
    for entry in _entries(scene, palette):
        cells = sum(segment.cell_length for segment in entry)
        if lines and cells <= free_cells:
            lines[-1] += entry
            free_cells -= cells
        elif len(lines) < rows:
            lines.append(list(entry))
            free_cells = width - cells
        else:
            break
    return tuple(map(Strip, lines))


def _entries(scene: HexScene, palette: Palette) -> Iterator[Entry]:
    plain_style = palette.style_on(TextRole.PLAIN)
    for swatch in scene.swatches:
        mark, tone = swatch.mark
        if palette.has_backgrounds:
            sample = Segment("   ", palette.style_on(TextRole.PLAIN, swatch.floor, swatch.tint))
        else:
            sample = Segment(f" {mark} ", palette.style_on(tone))
        yield sample, Segment(f" {swatch.name} ", plain_style)
    for element in _named_elements(scene):
        mark = element.mark if isinstance(element, Track) else _border_char(element, palette)
        yield (
            Segment(f" {(mark * 3)[:3]}", palette.style_on(element.tone)),
            Segment(f" {element.name} ", plain_style),
        )


def _border_char(element: Ring | EdgeMark, palette: Palette) -> str:
    return (
        element.outline.top_border if palette.has_backgrounds else element.outline.horizontal_char
    )


def _named_elements(scene: HexScene) -> Iterator[Track | Ring | EdgeMark]:
    """Yield the first track or outline of each name."""
    elements_by_name: dict[str, Track | Ring | EdgeMark] = {}
    lines: tuple[Track | Ring | EdgeMark, ...] = (*scene.tracks, *scene.rings, *scene.edge_marks)
    for element in lines:
        if element.name:
            elements_by_name.setdefault(element.name, element)
    yield from elements_by_name.values()
