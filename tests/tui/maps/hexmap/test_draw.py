"""Drawing of the hex map: deterministic, exact in width, legible in ASCII."""

from itertools import product

import pytest
from rich.console import Console

from engine.kernel.hexgrid import HexOrientation
from tests.sizes import sampled
from tests.tui.maps.hexmap.scenes import operations, small_scene
from tui.drawing.capabilities import Depth
from tui.drawing.colour_roles import GroundRole, OverlayRole, TextRole
from tui.drawing.palette import get_palette
from tui.maps.enums import Zoom
from tui.maps.hexmap.geometry import SHAPES, HexStyle, hex_at, hex_origin, map_size
from tui.maps.hexmap.rendering.draw import MapRenderer, draw_line
from tui.maps.hexmap.rendering.hex_interior import flat_topped_line
from tui.maps.hexmap.rendering.pointy_interior import pointy_topped_line
from tui.maps.hexmap.scene import HexScene
from tui.terminal.output_filter import to_ascii

COLOUR = get_palette(depth=Depth.SIXTEEN)


def drawing(scene: HexScene, zoom: Zoom, cursor: str = "") -> list[str]:
    width, height = map_size(scene, SHAPES[scene.grid.top][zoom])
    return [
        draw_line(scene, zoom, COLOUR, y, 0, width, cursor).text.rstrip() for y in range(height)
    ]


def test_map_frame_is_dimmed_without_keyboard_focus() -> None:
    scene, palette = small_scene(), get_palette()
    sheet = MapRenderer(scene, Zoom.OPERATIONAL, has_backgrounds=palette.has_backgrounds)
    width, height = map_size(scene, SHAPES[scene.grid.top][Zoom.OPERATIONAL])
    bright, quiet = (
        [sheet.strip(palette, y, 0, width, "1101", is_focused=is_focused) for y in range(height)]
        for is_focused in (True, False)
    )
    assert [line.text for line in bright] == [line.text for line in quiet]
    assert bright != quiet
    assert COLOUR.unfocused.style_on(TextRole.CURSOR) == COLOUR.style_on(TextRole.CURSOR), (
        "few colours: as it is"
    )


def test_operational_zoom_drawing() -> None:
    assert [to_ascii(line) for line in drawing(small_scene(), Zoom.OPERATIONAL)] == [
        "  ______          ______",
        " /1001  \\        /1201 +\\",
        "/        \\______/ ^  ^  ^\\______",
        "\\        /1101  \\  ^  ^  /1301  \\",
        " \\______/        \\_____4/        \\",
        " /1002  \\        /1202  \\        /",
        "/        \\______/        \\______/",
        "\\        /1102  \\        /1302  \\",
        ' \\______/ Rabaul"\\______/        \\',
        " /1003  \\ Jn1g2  /1203: \\        /",
        "/        \\JPA*__/  :  :  \\______/",
        "\\        /1103  \\:  :  : /",
        " \\______/        \\______/",
        "        \\        /",
        "         \\______/",
    ]


def test_overview_zoom_drawing() -> None:
    assert drawing(small_scene(), Zoom.OVERVIEW) == [
        "",
        "       ^^",
        "       +^",
        "",
        "    J3",
        "    JP :",
        "        :",
        "",
    ]


def test_detail_zoom_lists_units() -> None:
    text = "\n".join(drawing(small_scene(), Zoom.DETAIL))
    for words in ("Rabaul", "8 Fleet CA 8-10", "25 AF 6-12", "17 Army 8-8", "JPA*"):
        assert words in text


@pytest.mark.full
@pytest.mark.parametrize("zoom", list(Zoom))
@pytest.mark.parametrize("has_backgrounds", [False, True])
@pytest.mark.parametrize("top", list(HexOrientation))
def test_hex_interiors_have_the_exact_width(
    top: HexOrientation, has_backgrounds: bool, zoom: Zoom
) -> None:
    shape = SHAPES[top][zoom]
    inside = flat_topped_line if shape.is_flat_topped else pointy_topped_line
    manner = HexStyle(shape, zoom, has_backgrounds)
    for cell in (*small_scene(top).cells.values(), *operations(top).cells.values()):
        for line in range(shape.height):
            text = "".join(piece for piece, _ in inside(cell, manner, line))
            assert len(text) == shape.width(line), (cell.id, line)


@pytest.mark.parametrize("zoom", list(Zoom))
@pytest.mark.parametrize("top", list(HexOrientation))
def test_any_viewport_matches_the_whole_map(top: HexOrientation, zoom: Zoom) -> None:
    scene = small_scene(top)
    width, height = map_size(scene, SHAPES[scene.grid.top][zoom])
    for y in range(height + 2):
        whole = draw_line(scene, zoom, COLOUR, y, 0, width + 40, "1102").text
        for x in range(0, width, 3):
            part = draw_line(scene, zoom, COLOUR, y, x, 17, "1102").text
            assert part == whole[x : x + 17], (x, y)


@pytest.mark.parametrize("zoom", list(Zoom))
@pytest.mark.parametrize("top", list(HexOrientation))
def test_cells_belong_to_the_hex_drawn_there(top: HexOrientation, zoom: Zoom) -> None:
    scene = small_scene(top)
    shape = SHAPES[scene.grid.top][zoom]
    for name in scene.cells:
        column, row = int(name[:2]), int(name[2:])
        place = hex_origin(scene, shape, column, row)
        for line in range(shape.height):
            left = place.x + shape.inset(line)
            for x in range(left, left + shape.width(line) + 1):
                assert hex_at(scene, shape, x, place.y + line) == (column, row)


def test_the_cursor_is_framed_in_plain_text() -> None:
    lines = drawing(small_scene(), Zoom.OPERATIONAL, cursor="1102")
    assert [to_ascii(line)[8:18] for line in lines[7:11]] == [
        " [1102  ] ",
        '[ Rabaul"]',
        "[ Jn1g2  ]",
        " [JPA*__] ",
    ]


@pytest.mark.parametrize("depth", sampled(list(Depth), 2))
def test_every_style_uses_only_colours_of_the_terminal(depth: Depth) -> None:
    palette = get_palette(depth=depth)
    sent = {
        Depth.NONE: (),
        Depth.SIXTEEN: range(16),
        Depth.MANY: range(16, 256),
        Depth.TRUE: (None,),
    }
    for tone, floor, tint in product(TextRole, GroundRole, OverlayRole):
        style = palette.style_on(tone, floor, tint)
        for colour in (style.color, style.bgcolor):
            assert colour is None or colour.number in sent[depth]


@pytest.mark.parametrize("zoom", list(Zoom))
def test_text_depends_only_on_painted_backgrounds(zoom: Zoom) -> None:
    scene = small_scene()
    for y in range(12):
        texts = [
            draw_line(scene, zoom, get_palette(depth=one), y, 0, 60, "1001").text for one in Depth
        ]
        assert texts[Depth.NONE] == texts[Depth.SIXTEEN]
        assert texts[Depth.MANY] == texts[Depth.TRUE]
        assert all(to_ascii(text).isascii() for text in texts)


def test_terrain_is_painted_where_backgrounds_are_available() -> None:
    palette = get_palette(depth=Depth.TRUE)
    inks = {
        segment.text.strip(): segment.style
        for segment in draw_line(small_scene(), Zoom.OPERATIONAL, palette, 8, 0, 60, "")
    }
    assert inks["Rabaul"] == palette.style_on(TextRole.NAME, GroundRole.JUNGLE)
    reach = draw_line(small_scene(), Zoom.OPERATIONAL, palette, 2, 0, 60, "")
    assert palette.style_on(TextRole.TEXTURE, GroundRole.MOUNTAIN, OverlayRole.REACH) in {
        one.style for one in reach
    }


def test_full_view_sends_few_bytes() -> None:
    console = Console(color_system="standard", force_terminal=True)
    strips = [
        draw_line(small_scene(), Zoom.OPERATIONAL, COLOUR, y, 0, 80, "1001") for y in range(24)
    ]
    assert sum(len(strip.render(console)) for strip in strips) < 6000
