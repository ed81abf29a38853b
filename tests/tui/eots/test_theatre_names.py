"""The overview of the theatre names places next to their hexes, without covering units."""

from msgspec.structs import replace

from tests.tui.eots.offensives import PRESENTER, begun
from tui.maps.enums import Zoom
from tui.maps.hexmap.geometry import SHAPES, hex_centre
from tui.maps.hexmap.rendering.draw import MapRenderer
from tui.maps.hexmap.scene import HexScene
from tui.presenter.presenter import Selection


def _centre(scene: HexScene, at: str) -> tuple[int, int]:
    shape = SHAPES[scene.grid.top][Zoom.OVERVIEW]
    return hex_centre(scene, shape, *scene.grid.coordinates(at))


def _lines(scene: HexScene) -> list[str]:
    renderer = MapRenderer(scene, Zoom.OVERVIEW, has_backgrounds=True)
    renderer.ensure_drawn(0, 3 * scene.columns)
    height = max(_centre(scene, at)[1] for at in scene.cells) + 2
    return ["".join(cell[0] for cell in renderer.line(y)) for y in range(height)]


def test_the_theatre_map_names_places_and_covers_no_unit() -> None:
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
