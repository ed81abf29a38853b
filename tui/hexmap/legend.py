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


def legend_strip(scene: HexScene, palette: Palette) -> Strip:
    """Return the tints in use with their names, painted or as the marks that stand for them, then the outlines."""
    plain = palette.ink(Tone.PLAIN)
    segments = []
    for swatch in scene.swatches:
        mark, tone = TINT_MARKS[swatch.tint]
        if palette.has_floors:
            ink = palette.ink(Tone.PLAIN, Floor.SEA, swatch.tint)
            segments.append(Segment("   ", ink))
        else:
            segments.append(Segment(f" {mark} ", palette.ink(tone)))
        segments.append(Segment(f" {swatch.name} ", plain))
    for one in _lines(scene):
        mark = one.outline.roof if palette.has_floors else one.outline.level
        segments.append(Segment(f" {(mark * 3)[:3]}", palette.ink(one.tone)))
        segments.append(Segment(f" {one.name} ", plain))
    return Strip(segments)
