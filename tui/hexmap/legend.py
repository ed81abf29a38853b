"""Lines that tell what the tints, tracks and outlines of a map mean."""

from collections.abc import Iterator

from rich.segment import Segment
from textual.strip import Strip

from tui.hexmap.elements import EdgeMark, Ring, Track
from tui.hexmap.scene import HexScene
from tui.palette import Palette
from tui.tones import Tone

Entry = tuple[Segment, Segment]
"""How something is painted, and its name."""


def legend_strips(
    scene: HexScene, palette: Palette, width: int, rows: int = 1
) -> tuple[Strip, ...]:
    """Return the tints in use with their names, painted or as the marks that stand for them, then tracks and outlines.

    What does not fit is left out, the last first; a name that is too long even alone is cut.

    Args:
        scene: The map.
        palette: How it is painted.
        width: Columns of a row.
        rows: Rows at most; as few as possible are used, none where nothing is to be explained.
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
    """Yield what the legend tells: how it is painted, and its name."""
    plain = palette.ink(Tone.PLAIN)
    for swatch in scene.swatches:
        mark, tone = swatch.mark
        if palette.has_floors:
            painted = Segment("   ", palette.ink(Tone.PLAIN, swatch.floor, swatch.tint))
        else:
            painted = Segment(f" {mark} ", palette.ink(tone))
        yield painted, Segment(f" {swatch.name} ", plain)
    for one in _lines(scene):
        mark = one.mark if isinstance(one, Track) else _border(one, palette)
        yield Segment(f" {(mark * 3)[:3]}", palette.ink(one.tone)), Segment(f" {one.name} ", plain)


def _border(one: Ring | EdgeMark, palette: Palette) -> str:
    return one.outline.roof if palette.has_floors else one.outline.level


def _lines(scene: HexScene) -> Iterator[Track | Ring | EdgeMark]:
    """Yield one of each kind of track and outline that has a name."""
    named: dict[str, Track | Ring | EdgeMark] = {}
    lines: tuple[Track | Ring | EdgeMark, ...] = (*scene.tracks, *scene.rings, *scene.edge_marks)
    for one in lines:
        if one.name:
            named.setdefault(one.name, one)
    yield from named.values()
