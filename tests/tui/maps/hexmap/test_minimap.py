"""The minimap: the meaning of a dot, the frame around the visible part, and moving the map with it."""

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Region, Size
from typing_extensions import override

from engine.kernel.hexgrid import HexOrientation
from tests.tui.maps.hexmap.scenes import operations, small_scene
from tui.drawing.capabilities import Depth
from tui.drawing.colour_roles import TextRole
from tui.drawing.colours import ThemeName
from tui.drawing.palette import get_palette
from tui.maps.enums import Owner
from tui.maps.hexmap.minimap import Minimap
from tui.maps.hexmap.scene import HexCell, HexGround
from tui.maps.hexmap.sketch import draw_map_sketch, draw_sketch
from tui.maps.hexmap.widget import HexMapView

NO_FRAME = Region(-5, -5, 2, 2)
TRUE = get_palette(ThemeName.DARK, Depth.TRUE)
PLAIN = get_palette(ThemeName.DARK, Depth.NONE)


@pytest.mark.parametrize("top", HexOrientation)
def test_every_hex_has_a_dot_if_there_is_room(top: HexOrientation) -> None:
    scene = operations(top)
    sketch = draw_map_sketch(scene, Size(80, 40))
    dots = {dot.place for row in sketch.rows for dot in row if dot is not None}
    assert dots == set(scene.cells)


@pytest.mark.parametrize("top", HexOrientation)
def test_small_sketch_keeps_the_highest_weights(top: HexOrientation) -> None:
    sketch = draw_map_sketch(operations(top), Size(10, 5))
    weights = {dot.place: dot.weight for row in sketch.rows for dot in row if dot is not None}
    assert weights["1113"] == max(weights.values())
    assert "1109" in weights


def test_columns_counted_from_the_right_are_mirrored() -> None:
    sketch = draw_map_sketch(operations(), Size(60, 30))
    where = {dot.place: x for row in sketch.rows for x, dot in enumerate(row) if dot is not None}
    assert where["1117"] < where["1109"] < where["1102"]


def test_hexes_outside_the_game_have_no_dot() -> None:
    scene = small_scene(x1102=HexCell(id="1102", ground=HexGround.VOID))
    dots = {dot and dot.place for row in draw_map_sketch(scene, Size(20, 20)).rows for dot in row}
    assert None in dots
    assert "1102" not in dots


def test_map_sketch_is_barely_stretched() -> None:
    assert draw_map_sketch(operations(), Size(200, 10)).box.width < 2 * 20 * 30 // 24
    tall = draw_map_sketch(operations(), Size(20, 100)).box
    assert tall.height < 2 * 20 * 24 // 30


def test_half_blocks_paint_two_dots_per_cell() -> None:
    scene = small_scene()
    sketch = draw_map_sketch(scene, Size(30, 12))
    lines = [draw_sketch(sketch, TRUE, y, NO_FRAME) for y in range(sketch.height)]
    assert {letter for line in lines for letter in line.text} <= {" ", "▀"}
    papers = {segment.style.bgcolor for line in lines for segment in line if segment.style}
    assert TRUE.style(TextRole.CHIP_TWO_ACTIVE).bgcolor in papers


def test_letters_replace_colours_and_blocks() -> None:
    held = HexCell(id="1002", ground=HexGround.OPEN, owner=Owner.ONE, owner_mark="A")
    sketch = draw_map_sketch(small_scene(x1002=held), Size(8, 4))
    for palette, has_blocks in ((PLAIN, True), (TRUE, False)):
        lines = [
            draw_sketch(sketch, palette, y, NO_FRAME, has_blocks=has_blocks).text
            for y in range(sketch.height)
        ]
        assert {"J", "a", "^"} <= set("".join(lines)), lines
        assert {len(line) for line in lines} == {8}


def test_frame_surrounds_the_visible_part() -> None:
    sketch = draw_map_sketch(operations(), Size(48, 24))
    extent = Size(1000, 1000)
    whole = sketch.frame(Region(0, 0, 1000, 1000), extent)
    assert (whole.width, whole.height) == (sketch.box.width, -(-sketch.box.height // 2))
    corner = sketch.frame(Region(900, 900, 100, 100), extent)
    assert (corner.right, corner.bottom) == (whole.right, whole.bottom)
    text = [draw_sketch(sketch, PLAIN, y, corner).text for y in range(sketch.height)]
    assert text[corner.y][corner.x] == "┌"
    assert text[corner.bottom - 1][corner.right - 1] == "┘"


class Desk(App[None]):
    """A map with its minimap next to it."""

    CSS = "Screen { layout: horizontal; } HexMapView { width: 1fr; } Minimap { width: 30; }"

    def __init__(self) -> None:
        super().__init__()
        self.map = HexMapView(operations(), "1109")
        self.sketch = Minimap(self.map)

    @override
    def compose(self) -> ComposeResult:
        yield self.map
        yield self.sketch


async def test_click_and_arrow_keys_move_the_map() -> None:
    desk = Desk()
    async with desk.run_test(size=(90, 16)) as pilot:
        desk.sketch.follow_map()
        before = [desk.sketch.render_line(y).text for y in range(16)]
        await pilot.click(Minimap, offset=(1, 4))
        west = desk.map.cursor
        assert west >= "0125"
        assert desk.map.size.region.contains_region(
            desk.map.box(west).translate(-desk.map.scroll_offset)
        )
        await pilot.pause()
        assert before != [desk.sketch.render_line(y).text for y in range(16)]
        desk.sketch.focus()
        await pilot.press("right")
        assert desk.map.cursor == f"{west[:2]}{int(west[2:]) - 5:02}"
