"""The map as a picture: painted ground, chips, names across hexsides, captions, the legend, a bright outline."""

import re
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from engine.kernel.hexgrid import HexGrid, HexOrientation
from tests.tui.maps.hexmap.scenes import operations, small_scene
from tests.tui.maps.hexmap.test_draw import drawing
from tui.drawing.capabilities import Depth
from tui.drawing.colour_roles import GroundRole, OverlayRole, TextRole
from tui.drawing.colours import ThemeName
from tui.drawing.palette import Palette, get_palette
from tui.maps.enums import Highlight, Owner, Zoom
from tui.maps.hexmap.elements import Caption, Emphasis, MapCounter, Outline, Ring, Swatch
from tui.maps.hexmap.geometry import SHAPES, hex_origin, map_size
from tui.maps.hexmap.legend import legend_strips
from tui.maps.hexmap.rendering.draw import MapRenderer, draw_line
from tui.maps.hexmap.rendering.names import shorten, split_name
from tui.maps.hexmap.scene import HexCell, HexGround, HexScene, build_scene
from tui.terminal.output_filter import to_ascii

TRUE = get_palette(depth=Depth.TRUE)
MANY = get_palette(depth=Depth.MANY)
PLAIN = get_palette(depth=Depth.NONE)
GRID = HexGrid()


def island(name: str, **changes: object) -> HexCell:
    """Return hex 1203 with a name."""
    return replace(HexCell(id="1203", ground=HexGround.OPEN, name=name), **changes)


def sea(cell: HexCell, *others: HexCell) -> HexScene:
    """Return five columns of sea with an island in the middle."""
    names = [GRID.name(column, row) for column in range(10, 15) for row in range(1, 6)]
    cells = {name: HexCell(id=name) for name in names}
    return build_scene(GRID, cells | {one.id: one for one in (cell, *others)})


def picture(
    scene: HexScene, palette: Palette = TRUE, cursor: str = "", zoom: Zoom = Zoom.OPERATIONAL
) -> list[str]:
    """Return the whole map in ASCII."""
    width, height = map_size(scene, SHAPES[scene.grid.top][zoom])
    return [
        to_ascii(draw_line(scene, zoom, palette, y, 0, width, cursor).text) for y in range(height)
    ]


def looks(scene: HexScene, palette: Palette, name: str, line: int) -> Iterator[tuple[str, object]]:
    """Yield the parts of a line of a hex with their styles."""
    shape = SHAPES[scene.grid.top][Zoom.OPERATIONAL]
    at = hex_origin(scene, shape, *scene.grid.coordinates(name))
    x, width = at.x + shape.inset(line) + 1, shape.width(line)
    for segment in draw_line(scene, Zoom.OPERATIONAL, palette, at.y + line, x, width, ""):
        yield segment.text, segment.style


@pytest.mark.parametrize(
    ("name", "width", "text"),
    [
        ("Rabaul", 8, "Rabaul"),
        ("Guadalcanal", 8, "Guadalc."),
        ("Port Moresby", 8, "Pt Mrsby"),
        ("New Georgia", 6, "N.Geo."),
        ("Kwajalein", 8, "Kwajalen"),
        ("Hong Kong", 5, "Hong."),
        ("Admiralty Islands", 9, "Admiralty"),
        ("Saipan/Tinian", 6, "Saipan"),
        ("Bbbbbbbbbb", 4, "Bbb."),
        ("Bbbbbbbbbb", 3, "Bbb"),
    ],
)
def test_shortened_names_stay_readable(name: str, width: int, text: str) -> None:
    assert shorten(name, width) == text


def test_names_are_split_at_a_space() -> None:
    assert split_name("Port Moresby", 8) == ("Port", "Moresby")
    assert split_name("Imphal/Kohima", 8) == ("Imphal/", "Kohima")
    assert split_name("Guadalcanal", 8) == ()


def test_a_long_name_runs_over_the_sides_of_its_hex() -> None:
    text = "\n".join(picture(sea(island("Admiralty Islands"))))
    assert "Admiralty Islands" in text


def test_long_name_does_not_cover_adjacent_bases() -> None:
    bases = HexCell(id="1302", symbols="PA", owner_mark="J", owner=Owner.TWO, ground=HexGround.OPEN)
    lines = picture(sea(island("Guadalcanal"), bases))
    assert any("Guadalcanal JPA" in line or "Guadalcanal\\JPA" in line for line in lines)


def test_name_without_room_is_split_or_shortened() -> None:
    bases = [
        HexCell(id=at, symbols="PARcx", owner_mark="J", ground=HexGround.OPEN)
        for at in ("1102", "1302")
    ]
    free = "\n".join(picture(sea(island("Port Moresby"), *bases)))
    assert "Port Moresby" not in free
    assert re.search(r"Port\b", free)
    assert "Moresby" in free
    chips = (MapCounter(text="1"),)
    held = "\n".join(picture(sea(island("Port Moresby", counters=chips), *bases)))
    assert "Pt Mrsby" in held


def test_long_name_over_two_stacks_runs_over_the_sides_with_the_cost_below() -> None:
    chips = (MapCounter(text="A3", owner=Owner.ONE), MapCounter(text="J2", owner=Owner.TWO))
    held = HexCell(id="1102", counters=chips[:1], ground=HexGround.OPEN)
    here = island("New Georgia", counters=chips, tag="8")
    assert "New Georgia" in "\n".join(picture(sea(here)))
    assert "New Georgia" in "\n".join(picture(sea(here, held))), "to the free side"
    other = HexCell(id="1302", counters=chips[:1], ground=HexGround.OPEN)
    lines = picture(sea(here, held, other))
    assert any("N.Geo." in line for line in lines)
    assert any(line.count("8") for line in lines if "J2" not in line and "N.Geo." not in line)


def test_two_stacks_leave_the_hex_number_row_to_the_name() -> None:
    chips = (MapCounter(text="A3", owner=Owner.ONE), MapCounter(text="J2", owner=Owner.TWO))
    lines = "\n".join(picture(sea(island("Rabaul", counters=chips))))
    assert "/Rabaul\\" in lines
    assert "1203" not in lines
    assert " A3 " in lines
    assert " J2 " in lines


@pytest.mark.parametrize("palette", [TRUE, MANY], ids=["true", "many"])
def test_chip_has_its_own_background_and_a_hollow_one_that_of_its_hex(palette: Palette) -> None:
    chip = MapCounter(text="n3", owner=Owner.ONE)
    for emphasis, tone in (
        (Emphasis.NORMAL, TextRole.CHIP_ONE),
        (Emphasis.ACTIVE, TextRole.CHIP_ONE_ACTIVE),
        (Emphasis.HOLLOW, TextRole.HOLLOW_ONE),
    ):
        scene = sea(island("", counters=(replace(chip, emphasis=emphasis),)))
        inks = {text.strip(): style for text, style in looks(scene, palette, "1203", 2)}
        assert inks["n3"] == palette.style_on(tone, GroundRole.OPEN)
    papers = {
        palette.style_on(tone, GroundRole.OPEN).bgcolor
        for tone in (TextRole.CHIP_ONE, TextRole.CHIP_ONE_ACTIVE)
    }
    assert len(papers) == 2
    assert palette.style_on(TextRole.HOLLOW_ONE, GroundRole.OPEN).bgcolor not in papers


def test_painted_backgrounds_need_no_marks() -> None:
    cell = HexCell(
        id="1203",
        ground=HexGround.OPEN,
        tint=OverlayRole.THEIRS,
        highlight=Highlight.REACH,
        tag="12",
    )
    painted, marked = ("\n".join(picture(sea(cell), one)) for one in (TRUE, PLAIN))
    assert "120312" not in painted, "the cost does not touch the hex number"
    assert "____12" in painted
    assert ";" not in painted
    assert ";" in marked
    assert "1203 +" in marked
    assert "12/" in marked


def test_the_cursor_is_a_bright_outline_and_hides_nothing() -> None:
    scene = small_scene()
    plain, framed = (drawing(scene, Zoom.OPERATIONAL, cursor) for cursor in ("", "1102"))
    coloured = picture(scene, TRUE, "1102")
    assert "[" in "".join(framed)
    assert "[" not in "".join(coloured)
    assert [line.rstrip() for line in coloured] == [
        to_ascii(line) for line in map(str.rstrip, picture(scene, TRUE))
    ]
    assert "[" not in "".join(plain)
    width, _ = map_size(scene, SHAPES[HexOrientation.FLAT][Zoom.OPERATIONAL])
    strip = draw_line(scene, Zoom.OPERATIONAL, TRUE, 7, 0, width, "1102")
    inks = {to_ascii(segment.text).strip(): segment.style for segment in strip}
    assert inks["/1102"] == TRUE.style_on(TextRole.FRAME, GroundRole.JUNGLE)


def test_cursor_frame_of_a_pointy_topped_hex_covers_no_counter() -> None:
    scene = operations()
    text = "\n".join(picture(scene, TRUE, "1109"))
    assert "TF58" in text
    assert "CAP6" in text


def test_ring_on_painted_background_is_a_single_line() -> None:
    ring = Ring(hexes=frozenset({"0203"}), outline=Outline.DASHED, tone=TextRole.RING_ONE)
    grid = HexGrid(top=HexOrientation.POINTY)
    names = [grid.name(column, row) for column in range(1, 5) for row in range(1, 5)]
    cells = {name: HexCell(id=name) for name in names}
    scene = build_scene(grid, cells, rings=[ring])
    lines = picture(scene)
    assert any("/----\\" in line for line in lines)


def test_sea_names_fit_into_the_overview() -> None:
    chips = (MapCounter(text="n3", brief="n3", owner=Owner.ONE),)
    base = operations(HexOrientation.FLAT)
    cells = {name: replace(cell, fills=()) for name, cell in base.cells.items()}
    middle = replace(cells["1010"], counters=chips)
    caption = Caption(hex="1010", text="CORAL SEA", wide="C O R A L   S E A")
    scene = build_scene(base.grid, cells | {"1010": middle}, captions=[caption])
    text = "\n".join(picture(scene, TRUE, zoom=Zoom.OVERVIEW))
    assert "C O R A L   S E A" in text
    assert "n3" in text
    assert "CORAL" not in "\n".join(picture(scene, TRUE))


def test_the_legend_shows_tints_painted_or_by_their_marks() -> None:
    ring = Ring(
        hexes=frozenset({"1102"}), outline=Outline.DASHED, tone=TextRole.RING_ONE, name="range 3"
    )
    scene = replace(
        small_scene(), swatches=(Swatch(OverlayRole.OURS, "Allied zone"),), rings=(ring, ring)
    )
    assert to_ascii(legend_strips(scene, PLAIN, 80)[0].text) == " :  Allied zone  === range 3 "
    assert to_ascii(legend_strips(scene, PLAIN, 29)[0].text) == " :  Allied zone  === range 3 "
    assert to_ascii(legend_strips(scene, PLAIN, 28)[0].text) == " :  Allied zone ", "no half a name"
    painted = legend_strips(scene, TRUE, 80)[0]
    assert to_ascii(painted.text) == "    Allied zone  --- range 3 "
    assert next(iter(painted)).style == TRUE.style_on(
        TextRole.PLAIN, GroundRole.SEA, OverlayRole.OURS
    )
    assert scene.legend == ": Allied zone"


@pytest.mark.parametrize("depth", [Depth.MANY, Depth.TRUE])
@pytest.mark.parametrize("theme", list(ThemeName))
def test_terrain_colours_differ_in_every_theme(theme: ThemeName, depth: Depth) -> None:
    palette = get_palette(theme, depth)
    grounds = (
        GroundRole.SEA,
        GroundRole.OPEN,
        GroundRole.MIXED,
        GroundRole.JUNGLE,
        GroundRole.MOUNTAIN,
        GroundRole.ATOLL,
    )
    papers = {palette.style_on(TextRole.PLAIN, floor).bgcolor for floor in grounds}
    assert len(papers) == len(grounds)
    for floor in (GroundRole.SEA, GroundRole.MIXED):
        bare = palette.style_on(TextRole.PLAIN, floor).bgcolor
        tints = (
            OverlayRole.REACH,
            OverlayRole.PATH,
            OverlayRole.TARGET,
            OverlayRole.OURS,
            OverlayRole.THEIRS,
            OverlayRole.BOTH,
            OverlayRole.CUT,
        )
        found = {palette.style_on(TextRole.PLAIN, floor, tint).bgcolor for tint in tints}
        assert len(found | {bare}) == len(tints) + 1
        for tone in (TextRole.GRID, TextRole.LABEL, TextRole.TEXTURE, TextRole.NAME):
            ink = palette.style_on(tone, floor)
            assert ink.color != ink.bgcolor


def test_renderer_redraws_only_what_changed() -> None:
    scene = operations(HexOrientation.FLAT)
    sheet = MapRenderer(scene, Zoom.OPERATIONAL, has_backgrounds=True)
    sheet.ensure_drawn(0, 400)
    kept, before = sheet.line(5), sheet.line(40)
    name = "1010"
    at = hex_origin(
        scene, SHAPES[HexOrientation.FLAT][Zoom.OPERATIONAL], *scene.grid.coordinates(name)
    )
    assert at.y <= 40 < at.y + 4
    cells = {**scene.cells, name: replace(scene.cells[name], name="Truk", symbols="P")}
    sheet.set_scene(replace(scene, cells=cells), [name])
    assert sheet.line(5) is kept
    assert sheet.line(40) != before or sheet.line(41) != before


def test_units_beyond_the_last_line_are_counted_on_a_separate_line() -> None:
    units = tuple(MapCounter(text=f"Unit {number} 8-12") for number in range(6))
    text = "\n".join(picture(sea(island("Oahu", units=units)), zoom=Zoom.DETAIL))
    assert "Unit 2 8-12" in text
    assert "and 3 more" in text
    assert "Unit 3" not in text
