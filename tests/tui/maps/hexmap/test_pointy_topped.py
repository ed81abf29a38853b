"""Pointy-topped hexes are drawn upright in rows; their upper corners share a line with the row above."""

import pytest

from engine.kernel.hexgrid import HexOrientation
from tests.tui.maps.hexmap.scenes import WESTWARD, small_scene
from tests.tui.maps.hexmap.test_draw import COLOUR, drawing
from tui.drawing.colour_roles import TextRole
from tui.maps.enums import Zoom
from tui.maps.hexmap.elements import Outline, Ring
from tui.maps.hexmap.geometry import SHAPES, hex_at, hex_origin, map_size
from tui.maps.hexmap.rendering.draw import draw_line
from tui.maps.hexmap.scene import HexCell, HexScene, build_scene
from tui.maps.highlights import with_note_marks
from tui.terminal.output_filter import to_ascii


def in_ascii(scene: HexScene, zoom: Zoom, cursor: str = "") -> list[str]:
    return [to_ascii(line) for line in drawing(scene, zoom, cursor)]


def westward(*rings: Ring, rows: int = 3, columns: int = 3) -> HexScene:
    names = [
        WESTWARD.name(column, row) for row in range(1, rows + 1) for column in range(1, columns + 1)
    ]
    return build_scene(WESTWARD, {name: HexCell(id=name) for name in names}, rings=rings)


def test_operational_zoom_drawing() -> None:
    assert in_ascii(small_scene(HexOrientation.POINTY), Zoom.OPERATIONAL, cursor="1102") == [
        "   /1001\\/1101\\/1201\\/1301\\",
        "   |     |     | ^  ^|     |",
        "   |     |     |  ^+4|     |",
        "/1002\\/1102\\/1202\\/1302\\/",
        "|     [Rabaul     |     |",
        "|     [Jn1g2]     |     |",
        "  \\/1003\\/1103\\/1203\\/",
        "   |     |     |  :  |",
        "   |     |     |:  : |",
        "     \\/    \\/    \\/",
    ]


@pytest.mark.parametrize("top", list(HexOrientation))
def test_a_note_is_marked_with_and_without_counters(top: HexOrientation) -> None:
    scene = with_note_marks(small_scene(top), ("1102", "1202"))
    assert isinstance(scene, HexScene)
    assert "".join(in_ascii(scene, Zoom.OPERATIONAL)).count("&") == 2


def test_overview_zoom_drawing() -> None:
    assert in_ascii(small_scene(HexOrientation.POINTY), Zoom.OVERVIEW, cursor="1102") == [
        "          +^^^",
        "    [J3 ]",
        "           : :",
    ]


def test_detail_zoom_lists_units() -> None:
    assert in_ascii(small_scene(HexOrientation.POINTY), Zoom.DETAIL)[5:10] == [
        '/1002        \\/1102  "  "  \\/1202        \\/1302        \\/',
        '|             | " Rabaul "  |             |             |',
        "|             |8 Fleet CA 8-|             |             |",
        "|             |25 AF 6-12   |             |             |",
        "|             |17 Army 8-8  |             |             |",
    ]


def test_odd_rows_are_offset_left_when_columns_grow_to_the_left() -> None:
    assert in_ascii(westward(), Zoom.OPERATIONAL) == [
        "/0103\\/0102\\/0101\\",
        "|     |     |     |",
        "|     |     |     |",
        "  \\/0203\\/0202\\/0201\\",
        "   |     |     |     |",
        "   |     |     |     |",
        "/0303\\/0302\\/0301\\/",
        "|     |     |     |",
        "|     |     |     |",
        "  \\/    \\/    \\/",
    ]


def test_a_ring_runs_along_all_six_sides() -> None:
    ring = Ring(hexes=frozenset({"0202"}), outline=Outline.DASHED, tone=TextRole.RING_ONE)
    assert in_ascii(westward(ring), Zoom.OPERATIONAL)[3:7] == [
        "  \\/0203\\/====\\/0201\\",
        "   |     !     !     |",
        "   |     !     !     |",
        "/0303\\/  ==\\/==  \\/",
    ]


@pytest.mark.parametrize("zoom", list(Zoom))
def test_cells_belong_to_the_hex_drawn_there(zoom: Zoom) -> None:
    scene = westward()
    shape = SHAPES[HexOrientation.POINTY][zoom]
    for name in scene.cells:
        place = hex_origin(scene, shape, *WESTWARD.coordinates(name))
        for line in range(shape.height):
            for x in range(place.x, place.x + shape.pitch):
                assert WESTWARD.name(*hex_at(scene, shape, x, place.y + line)) == name


def test_neighbours_are_drawn_in_the_direction_of_their_side() -> None:
    scene = westward(rows=5, columns=5)
    shape = SHAPES[HexOrientation.POINTY][Zoom.OPERATIONAL]
    for here in ((3, 2), (3, 3)):
        at = hex_origin(scene, shape, *here)
        for number, side in enumerate(WESTWARD.sides):
            other = hex_origin(scene, shape, *WESTWARD.neighbour(*here, number))
            assert ("E" in side, "W" in side) == (other.x > at.x, other.x < at.x)
            assert ("N" in side, "S" in side) == (other.y < at.y, other.y > at.y)
            assert abs(other.x - at.x) == (shape.pitch // 2 if len(side) > 1 else shape.pitch)


def test_overview_of_24_rows_and_30_columns_fits_160x46() -> None:
    scene = westward(rows=24, columns=30)
    assert map_size(scene, SHAPES[HexOrientation.POINTY][Zoom.OVERVIEW]) == (123, 24)


@pytest.mark.parametrize("zoom", list(Zoom))
def test_any_viewport_matches_the_whole_map(zoom: Zoom) -> None:
    scene = westward(
        Ring(hexes=frozenset({"0202"}), outline=Outline.DASHED, tone=TextRole.RING_ONE)
    )
    width, height = map_size(scene, SHAPES[HexOrientation.POINTY][zoom])
    for y in range(height + 2):
        whole = draw_line(scene, zoom, COLOUR, y, 0, width + 40, "0102").text
        for x in range(width):
            assert draw_line(scene, zoom, COLOUR, y, x, 17, "0102").text == whole[x : x + 17]
