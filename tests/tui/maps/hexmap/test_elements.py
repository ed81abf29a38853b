"""Elements on hexes: fills, counters, rings, edges, tracks; on both kinds of map, with and without colour, in ASCII."""

from collections.abc import Iterator

import pytest
from rich.cells import cell_len
from textual.color import Color
from textual.strip import Strip

from engine.kernel.hexgrid import HexOrientation
from tests.sizes import sampled
from tests.tui.maps.hexmap.scenes import operations
from tests.tui.maps.hexmap.test_draw import COLOUR, drawing
from tui.drawing.capabilities import Depth
from tui.drawing.colour_roles import FULL_CELL_ROLES, TextRole
from tui.drawing.palette import get_palette
from tui.maps.enums import Owner, Zoom
from tui.maps.hexmap.elements import (
    EdgeMark,
    Emphasis,
    Fill,
    MapCounter,
    Outline,
    Ring,
    Track,
    legend,
)
from tui.maps.hexmap.geometry import SHAPES, hex_centre, hex_origin, map_size
from tui.maps.hexmap.rendering.counters import brief_piece, counter_pieces
from tui.maps.hexmap.rendering.draw import draw_line
from tui.maps.hexmap.scene import HexScene, add_counters, build_scene, fill_area
from tui.terminal.output_filter import OutputFilter, to_ascii

SIZES = [
    pytest.param((80, 24), id="80x24"),
    pytest.param((120, 40), id="120x40"),
    pytest.param((160, 46), id="160x46"),
    pytest.param((200, 60), id="200x60"),
]
TOPS = list(HexOrientation)


def view(
    scene: HexScene, zoom: Zoom, size: tuple[int, int], depth: Depth = Depth.SIXTEEN
) -> Iterator[Strip]:
    """Yield a view with hex 1113 in the middle."""
    width, height = size
    x, y = hex_centre(scene, SHAPES[scene.grid.top][zoom], *scene.grid.coordinates("1113"))
    left, top = max(x - width // 2, 0), max(y - height // 2, 0)
    for line in range(top, top + height):
        yield draw_line(scene, zoom, get_palette(depth=depth), line, left, width, "1211")


def hex_text(scene: HexScene, zoom: Zoom, name: str) -> list[str]:
    """Return the lines of a hex with its edges."""
    shape = SHAPES[scene.grid.top][zoom]
    at = hex_origin(scene, shape, *scene.grid.coordinates(name))
    width = shape.width(shape.half_height - 1) + 2
    return [
        to_ascii(draw_line(scene, zoom, COLOUR, at.y + line, at.x, width, "").text)
        for line in range(shape.height)
    ]


@pytest.mark.parametrize("size", sampled(SIZES, 2))
@pytest.mark.parametrize("zoom", list(Zoom))
@pytest.mark.parametrize("top", TOPS)
def test_every_line_fills_the_viewport(
    top: HexOrientation, zoom: Zoom, size: tuple[int, int]
) -> None:
    for strip in view(operations(top), zoom, size):
        assert strip.cell_length == size[0]
        assert all(cell_len(letter) == 1 for letter in strip.text)


@pytest.mark.parametrize("size", sampled(SIZES, 2))
@pytest.mark.parametrize("zoom", list(Zoom))
@pytest.mark.parametrize("top", TOPS)
def test_ascii_view_without_colour_has_the_same_cells(
    top: HexOrientation, zoom: Zoom, size: tuple[int, int]
) -> None:
    gate = OutputFilter(ascii_only=True, monochrome=True)
    scene = operations(top)
    coloured = list(view(scene, zoom, size))
    for one, other in zip(view(scene, zoom, size, Depth.NONE), coloured, strict=True):
        shown = gate.apply(list(one), Color(0, 0, 0))
        text = "".join(segment.text for segment in shown)
        assert text == to_ascii(other.text)
        assert text.isascii()
        styles = [segment.style for segment in shown if segment.style is not None]
        assert all(style.color is None and style.bgcolor is None for style in styles)


@pytest.mark.parametrize("zoom", [Zoom.OVERVIEW, Zoom.OPERATIONAL])
@pytest.mark.parametrize("top", TOPS)
def test_every_element_is_visible_without_colour(top: HexOrientation, zoom: Zoom) -> None:
    text = to_ascii("\n".join(strip.text for strip in view(operations(top), zoom, (200, 60))))
    for mark in ":.%":  # fills
        assert f"{mark} " in text
    for outline in ("!", "=", "*", "R9", "+"):  # ring, track, counters, highlight
        assert outline in text


def test_hex_shows_two_lines_of_counters() -> None:
    scene = operations()
    assert hex_text(scene, Zoom.OPERATIONAL, "1109") == ["/1109\\/", "|TF58`|", "|CAP6 |"]
    assert hex_text(scene, Zoom.OPERATIONAL, "1117") == ["/==  \\/", "!A?L1>|", "!     |"]
    assert hex_text(scene, Zoom.OPERATIONAL, "1407") == ["/Guam\\/", "|GUAM.|", "|S2x2+|"]
    assert hex_text(scene, Zoom.OPERATIONAL, "1005") == ["/1005\\/", "|Saipan", "|% .% |"]
    assert hex_text(scene, Zoom.OPERATIONAL, "0812") == ["/0812\\/", "|  .  |", "|. +12|"]


def test_the_overview_shows_the_first_counter() -> None:
    scene = operations()
    assert hex_text(scene, Zoom.OVERVIEW, "1109") == ["*58+ "]
    assert hex_text(scene, Zoom.OVERVIEW, "1117") == ["!A1>*"]
    assert hex_text(scene, Zoom.OVERVIEW, "1407") == [" GU+ "]
    assert hex_text(scene, Zoom.OVERVIEW, "0812") == ["+. . "]


def test_the_detail_zoom_shows_long_names() -> None:
    for top in TOPS:
        text = "\n".join(hex_text(operations(top), Zoom.DETAIL, "1117"))
        assert "Force A>" in text


def test_counters_on_flat_topped_hexes() -> None:
    scene = operations(HexOrientation.FLAT)
    shown = hex_text(scene, Zoom.OPERATIONAL, "1407")
    assert "GUAM" in shown[1]
    assert "S2x2+1" in shown[2]
    assert "TF58`" in hex_text(scene, Zoom.OPERATIONAL, "1109")[1]


@pytest.mark.parametrize(
    ("counter", "width", "text"),
    [
        (MapCounter(text="R9", course="E"), 5, " R9→ "),
        (MapCounter(text="TF58", course="NW"), 5, "TF58↖"),
        (MapCounter(text="A?L12", course="NW"), 5, "A?L12"),
        (MapCounter(text="SS", count=3, course="S"), 5, "SSx3↓"),
        (MapCounter(text="SS", count=12, course="S"), 5, "SSx12"),
        (MapCounter(text="Battle Line"), 5, "Battl"),
        (MapCounter(text="▲3", is_reduced=True, emphasis=Emphasis.HOLLOW), 5, "▲3·"),
    ],
)
def test_count_and_course_follow_the_text_if_they_fit(
    counter: MapCounter, width: int, text: str
) -> None:
    assert counter_pieces([counter], 1, width, Zoom.OPERATIONAL)[0][0] == text


@pytest.mark.parametrize(
    ("counter", "tone"),
    [
        (MapCounter(text="x"), TextRole.CHIP_NEUTRAL),
        (MapCounter(text="x", owner=Owner.ONE), TextRole.CHIP_ONE),
        (MapCounter(text="x", owner=Owner.TWO), TextRole.CHIP_TWO),
        (MapCounter(text="x", owner=Owner.TWO, emphasis=Emphasis.QUIET), TextRole.SIDE_TWO),
        (MapCounter(text="x", owner=Owner.ONE, emphasis=Emphasis.ALERT), TextRole.ALERT),
        (MapCounter(text="x", owner=Owner.TWO, emphasis=Emphasis.ACTIVE), TextRole.CHIP_TWO_ACTIVE),
        (MapCounter(text="x", owner=Owner.ONE, emphasis=Emphasis.HOLLOW), TextRole.HOLLOW_ONE),
    ],
)
def test_counter_emphasis_sets_its_text_role(counter: MapCounter, tone: TextRole) -> None:
    ((text, told),) = counter_pieces([counter], 1, 5, Zoom.OPERATIONAL)
    assert (text.strip(), told) == ("x", tone)
    assert brief_piece([counter], 3) == ("x", tone)


@pytest.mark.parametrize("depth", list(Depth))
def test_chips_stand_out_in_every_palette(depth: Depth) -> None:
    palette = get_palette(depth=depth)
    for tone in FULL_CELL_ROLES:
        style = palette.style(tone)
        assert style.reverse or style.bgcolor is not None


def test_two_topmost_of_several_areas_are_visible() -> None:
    cells = dict(operations().cells)
    cells["2020"] = cells["2021"]
    for mark in "abc":
        fill_area(cells, ("2021", "9999"), Fill(mark, TextRole.ZONE))
    text = hex_text(build_scene(operations().grid, cells), Zoom.OPERATIONAL, "2021")
    assert text[1:] == ["| bc b|", "|c bc |"]
    assert "9999" not in cells


def test_later_counters_are_placed_below_earlier_ones() -> None:
    cells = dict(operations().cells)
    add_counters(cells, {"1213": [MapCounter(text="I1")], "9999": [MapCounter(text="I2")]})
    assert [one.text for one in cells["1213"].counters] == ["SS", "I1"]
    assert "9999" not in cells


@pytest.mark.parametrize("top", TOPS)
def test_edge_mark_is_drawn_beyond_the_last_hex(top: HexOrientation) -> None:
    scene = operations(top)
    side = "SW" if top is HexOrientation.POINTY else "S"
    mark = EdgeMark(hex=scene.grid.name(2, scene.rows), side=side, tone=TextRole.RING_TWO)
    marked = build_scene(scene.grid, scene.cells, edge_marks=[mark])
    before = "\n".join(drawing(scene, Zoom.OPERATIONAL)[-3:])
    after = "\n".join(drawing(marked, Zoom.OPERATIONAL)[-3:])
    assert "▓▓" in after
    assert "▓" not in before


@pytest.mark.parametrize("top", TOPS)
def test_track_joins_hex_centres_without_overwriting_counters(top: HexOrientation) -> None:
    base = operations(top)
    plain = build_scene(base.grid, {name: base.cells[name] for name in base.cells})
    track = Track(hexes=("1117", "1113", "0913"), tone=TextRole.TRACK)
    scene = build_scene(base.grid, base.cells, tracks=[track])
    shape = SHAPES[top][Zoom.OPERATIONAL]
    x, y = hex_centre(scene, shape, *scene.grid.coordinates("0913"))
    assert drawing(scene, Zoom.OPERATIONAL)[y][x] == "*"
    kept = set("0123456789ACFLRST?")
    for one, other in zip(
        drawing(plain, Zoom.OPERATIONAL), drawing(scene, Zoom.OPERATIONAL), strict=True
    ):
        for letter, drawn in zip(one.ljust(len(other)), other, strict=False):
            assert drawn in (letter, "*")
            assert letter not in kept or drawn == letter


def test_the_legend_names_each_mark_once() -> None:
    fill = Fill(":", TextRole.SCAN, "near zone")
    ring = Ring(
        hexes=frozenset(), outline=Outline.DASHED, tone=TextRole.RING_ONE, name="strike radius"
    )
    track = Track(hexes=("1117", "1109"), tone=TextRole.TRACK)
    assert to_ascii(legend([fill, fill, ring, track])) == ": near zone  ! strike radius"


@pytest.mark.parametrize("top", TOPS)
@pytest.mark.parametrize("zoom", list(Zoom))
def test_any_viewport_matches_the_whole_map(top: HexOrientation, zoom: Zoom) -> None:
    scene = operations(top)
    width, height = map_size(scene, SHAPES[top][zoom])
    for y in range(0, height, 7):
        whole = draw_line(scene, zoom, COLOUR, y, 0, width + 20, "1211").text
        for x in range(0, width, 23):
            part = draw_line(scene, zoom, COLOUR, y, x, 17, "1211").text
            assert part == whole[x : x + 17], (x, y)
