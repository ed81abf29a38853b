"""The overview of the theatre names places next to their hexes, without covering units."""

import pytest
from msgspec.structs import replace
from textual.geometry import Region, Size

from tests.tui.eots.offensives import PRESENTER, begun
from tui.drawing.capabilities import Depth
from tui.drawing.colours import ThemeName
from tui.drawing.palette import get_palette
from tui.maps.enums import Zoom
from tui.maps.hexmap.geometry import SHAPES, hex_centre
from tui.maps.hexmap.rendering.draw import MapRenderer
from tui.maps.hexmap.scene import HexScene
from tui.maps.hexmap.sketch import draw_map_sketch, draw_sketch
from tui.presenter.presenter import Selection


def _centre(scene: HexScene, at: str) -> tuple[int, int]:
    shape = SHAPES[scene.grid.top][Zoom.OVERVIEW]
    return hex_centre(scene, shape, *scene.grid.coordinates(at))


def _lines(scene: HexScene) -> list[str]:
    renderer = MapRenderer(scene, Zoom.OVERVIEW, has_backgrounds=True)
    renderer.ensure_drawn(0, 3 * scene.columns)
    height = max(_centre(scene, at)[1] for at in scene.cells) + 2
    return ["".join(cell[0] for cell in renderer.line(y)) for y in range(height)]


def test_theatre_map_names_places_without_covering_units() -> None:
    scene = PRESENTER.scene(begun().view(), Selection())
    assert isinstance(scene, HexScene)
    lines = _lines(scene)
    for at, name in (("4021", "Rabaul"), ("4423", "Guadalcanal"), ("4828", "Nouméa")):
        x, y = _centre(scene, at)
        near = " ".join(line[max(x - 16, 0) : x + 16] for line in lines[y - 2 : y + 2])
        assert name in near, name
    units = [
        sum(map("".join(some).count, "▲◆■★"))
        for some in (lines, _lines(replace(scene, captions=())))
    ]
    assert units[0] == units[1] > 0


@pytest.mark.full
@pytest.mark.parametrize("depth", [Depth.TRUE, Depth.NONE])
@pytest.mark.parametrize("size", [Size(70, 18), Size(106, 34)])
def test_the_small_map_names_places_with_units_and_covers_none(size: Size, depth: Depth) -> None:
    scene = PRESENTER.scene(begun().view(), Selection())
    assert isinstance(scene, HexScene)
    named = draw_map_sketch(scene, size, has_names=True)
    plain = draw_map_sketch(scene, size)
    palette, nowhere = get_palette(ThemeName.DARK, depth), Region(-5, -5, 2, 2)
    lines = [
        [draw_sketch(sketch, palette, y, nowhere).text for y in range(sketch.height)]
        for sketch in (named, plain)
    ]
    for name in ("Nouméa", "Rabaul", "Guadalcanal", "Oahu"):
        assert any(name in line for line in lines[0]), name
    chips = [
        (x, y)
        for y in range(named.height)
        for x in range(size.width)
        if any(dot is not None and dot.is_chip for dot in named.pair(x, y))
    ]
    assert chips
    assert all(not lines[0][y][x].isalpha() or depth is Depth.NONE for x, y in chips)
    if depth is Depth.NONE:
        assert all(lines[0][y][x] == lines[1][y][x] for x, y in chips)
