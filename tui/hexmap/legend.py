"""One line that tells what the tints and outlines of a map mean."""

from collections.abc import Iterator

from rich.segment import Segment
from textual.strip import Strip

from tui.hexmap.elements import EdgeMark, Outline, Ring
from tui.hexmap.scene import HexScene
from tui.marks import TINT_MARKS
from tui.palette import Palette
from tui.tones import Floor, Tone


def _lines(scene: HexScene) -> Iterator[Ring | EdgeMark]:
    """Yield one of each kind of outline that has a name; gates explain themselves."""
    named: dict[str, Ring | EdgeMark] = {}
    marks: tuple[Ring | EdgeMark, ...] = (*scene.rings, *scene.edge_marks)
    for one in marks:
        if one.name and one.outline is not Outline.GATE:
            named.setdefault(one.name, one)
    yield from named.values()


def legend_strip(scene: HexScene, palette: Palette, width: int) -> Strip:
    """Return the tints in use with their names, painted or as the marks that stand for them, then the outlines.

    What does not fit is left out, the last first; a name that is too long even alone is cut.
    """
    told: list[Segment] = []
    room = width
    for entry in _entries(scene, palette):
        room -= sum(one.cell_length for one in entry)
        if told and room < 0:
            break
        told += entry
    return Strip(told)


def _entries(scene: HexScene, palette: Palette) -> Iterator[tuple[Segment, Segment]]:
    """Yield what the legend tells: how it is painted, and its name."""
    plain = palette.ink(Tone.PLAIN)
    for swatch in scene.swatches:
        mark, tone = TINT_MARKS[swatch.tint]
        if palette.has_floors:
            painted = Segment("   ", palette.ink(Tone.PLAIN, Floor.SEA, swatch.tint))
        else:
            painted = Segment(f" {mark} ", palette.ink(tone))
        yield painted, Segment(f" {swatch.name} ", plain)
    for one in _lines(scene):
        mark = one.outline.roof if palette.has_floors else one.outline.level
        yield Segment(f" {(mark * 3)[:3]}", palette.ink(one.tone)), Segment(f" {one.name} ", plain)
