"""The operations map: its contents, search areas, and ranges."""

import pytest
from msgspec.structs import replace
from textual.color import Color

from engine.cbps.game_data import standard_game_data
from engine.cbps.geometry import GRID
from engine.cbps.search_area import Zone, zone_hexes
from tests.sizes import sampled
from tests.tui.cbps.tables import battle
from tests.tui.maps.hexmap.test_elements import SIZES, hex_text, view
from tui.cbps.map.counters import force_name, group_name
from tui.cbps.map.order_preview import OrderPreview
from tui.cbps.map.scene import (
    OVERLAYS,
    RANGES,
    ZONE_LINES,
    Ranges,
    blank_cells,
    draw_scene,
    entry_and_exit_marks,
    raid_target_hexes,
    range_rings,
    scene_legend,
    show_searches,
)
from tui.drawing.capabilities import Depth
from tui.drawing.colour_roles import GroundRole, OverlayRole
from tui.maps.enums import Zoom
from tui.maps.hexmap.geometry import SHAPES, map_size
from tui.maps.hexmap.scene import HexScene
from tui.terminal.output_filter import OutputFilter, to_ascii
from tui.terminal.sanitising import REPLACEMENT

SEA = standard_game_data().map
REACH = Ranges(strike_hexes=7, search_hexes=10, raid_hexes=9)


def drawn(overlay: str = "", cursor: str = "") -> HexScene:
    return draw_scene(battle(), SEA, cursor=cursor, overlay=overlay, ranges=REACH)


def near(name: str, overlay: str = "") -> list[str]:
    return [line[1:-1] for line in hex_text(drawn(overlay), Zoom.OPERATIONAL, name)[1:]]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        pytest.param("1109", ["TF58*", "CAP 2"], id="6.31-4.33-task-force-with-lights-and-cap"),
        pytest.param("1010", ["58.7`", "  ,  "], id="6.33-detached-group"),
        pytest.param("1117", ["A.2c>", "loc. "], id="7.3-8.11-located-carrier-force"),
        pytest.param("0919", ["C.1. ", "spot."], id="8.11-spotted-force"),
        pytest.param("1320", [" F.0 ", "     "], id="7.3-undetected-force"),
        pytest.param("1419", ["b3.4 ", "rough"], id="9.11-butai"),
        pytest.param("1113", ["R12>*", ":  : "], id="10.2-raid-with-points-and-course"),
        pytest.param("1408", [" R5` ", "  ,  "], id="10.3-divided-raid"),
        pytest.param("1111", ["a0 f9", ";  ; "], id="4.43-intercept-with-fuel"),
        pytest.param("1212", ["a1 ! ", ":  : "], id="4.44-critical-strike"),
        pytest.param("1115", ["s270 ", ":  : "], id="8.23-standard-search"),
        pytest.param("0606", [" sN< ", ":  : "], id="8.28-narrow-search-on-its-way-home"),
        pytest.param("1414", ["SSx2 ", ":  : "], id="14.1-submarines"),
        pytest.param("0821", ["crJP ", "     "], id="12.41-japanese-cripple"),
        pytest.param("0824", [" oil ", "     "], id="20.3-oiler"),
        pytest.param("1407", ["Guam.", "air5 "], id="11.29-guam-without-lost-points"),
        pytest.param("0705", ["natah", "  .  "], id="2.12-island-whose-name-runs-over-its-sides"),
        pytest.param("0801", ["  -  ", "-  - "], id="7.23-invasion-zone"),
    ],
)
def test_hex_text_near_a_place(name: str, lines: list[str]) -> None:
    assert near(name) == lines


def test_8_33_search_fills_only_its_zones() -> None:
    cells = blank_cells(SEA)
    show_searches(cells, SEA.grid, [battle().searches["search-1"]])
    marks: dict[Zone, str] = {"middle": ":", "far": "."}
    for zone, mark in marks.items():
        hexes = zone_hexes(SEA.grid, "1109", 270, zone)
        assert {cells[name].fills[-1].mark for name in hexes} == {mark}
    filled = {name for name, cell in cells.items() if cell.fills} - SEA.invasion_zone
    assert max(SEA.grid.distance("1109", name) for name in filled) == 10


def test_8_33_nearest_zone_is_on_top_where_searches_overlap() -> None:
    west = battle().searches["search-1"]
    north = replace(west, origin="1113", bearing=300)
    cells = blank_cells(SEA)
    show_searches(cells, SEA.grid, [north, west])
    near = set(zone_hexes(SEA.grid, "1113", 300, "near"))
    assert near & set(zone_hexes(SEA.grid, "1109", 270, "middle"))
    assert {cells[name].paint[1] for name in near} == {OverlayRole.SCAN_NEAR}


def test_sea_within_own_strike_range_is_lighter() -> None:
    cells = drawn().cells
    assert cells["1012"].paint[0] is GroundRole.SHALLOW
    assert cells["2424"].paint[0] is GroundRole.DEEP
    assert cells["1407"].paint[0] is GroundRole.OPEN


def test_highlighted_order_is_drawn_with_path_and_range() -> None:
    planned = OrderPreview(path=("1109", "1117"), centre="1109")
    scene = draw_scene(battle(), SEA, ranges=REACH, preview=planned)
    assert scene.cells["1117"].paint[1] is OverlayRole.HIGHLIGHTED
    assert [track.hexes for track in scene.tracks][-1] == ("1109", "1117")
    assert [ring.hexes for ring in scene.rings] == [frozenset(SEA.grid.within("1109", 7))]
    words = to_ascii(scene_legend(scene))
    assert "* path of this order" in words
    assert "strike radius 7" in words


def test_rings_belong_to_the_hex_under_the_cursor() -> None:
    ours = {ring.name: ring for ring in range_rings(SEA.grid, battle(), REACH, "1109")}
    assert set(ours) == {"search radius 10", "strike radius 7"}
    assert ours["strike radius 7"].hexes == frozenset(SEA.grid.within("1109", 7))
    theirs = {ring.name: ring for ring in range_rings(SEA.grid, battle(), REACH, "1117")}
    assert set(theirs) == {"raid range 9"}
    assert theirs["raid range 9"].hexes == frozenset(SEA.grid.within("1117", 9))


def test_rings_surround_all_forces_when_the_cursor_is_elsewhere() -> None:
    rings = {ring.name: ring for ring in range_rings(SEA.grid, battle(), REACH, "0101")}
    assert set(rings) == {"search radius 10", "strike radius 7", "raid range 9"}
    both = frozenset(SEA.grid.within("1109", 7)) | frozenset(SEA.grid.within("1010", 7))
    assert rings["strike radius 7"].hexes == both


def test_10_1_no_ring_is_drawn_without_a_range() -> None:
    names = [ring.name for ring in range_rings(SEA.grid, battle(), Ranges(search_hexes=10), "0101")]
    assert names == ["search radius 10"]


def test_7_13_7_23_entry_and_exit_marks_are_on_the_map_edge() -> None:
    marks = list(entry_and_exit_marks(SEA))
    assert {mark.hex for mark in marks} >= set(SEA.exit_hexes) | {"0117", "0108", "2417", "2408"}
    for mark in marks:
        column, row = GRID.coordinates(mark.hex)
        beyond = GRID.neighbour(column, row, GRID.sides.index(mark.side))
        assert GRID.name(*beyond) not in SEA.hexes


def test_10_2_raid_track_leads_to_the_current_target_hex() -> None:
    assert raid_target_hexes(battle(), SEA) == {"A-a": "1109", "Guam-a": "1108"}
    assert [track.hexes for track in drawn().tracks] == [("1113", "1109"), ("1408", "1108")]


def test_zones_overlay_draws_borders_instead_of_searches() -> None:
    scene = drawn(ZONE_LINES)
    legend = to_ascii(scene_legend(scene))
    for words in ("o oil hex", "! arrival hexes", '" movement zone', "% East and West"):
        assert words in legend
    assert "near zone" not in legend
    assert scene.borders[16, 10, "E"] == scene.borders[15, 10, "W"]
    assert (14, 10, "W") not in scene.borders


def test_legend_lists_what_is_drawn() -> None:
    legend = to_ascii(scene_legend(drawn(RANGES, "1109")))
    for words in ("; near zone", ". far zone", "- invasion zone", "! strike radius 7", "* raid"):
        assert words in legend


def test_the_tints_in_use_are_explained() -> None:
    plain = ["near zone", "middle zone", "far zone", "narrow search", "strike radius 7"]
    for overlay in ("", RANGES):
        names = [swatch.name for swatch in drawn(overlay).swatches]
        assert names == [*plain, "invasion zone"]
    names = [swatch.name for swatch in drawn(ZONE_LINES).swatches]
    assert names == ["oil hex", "strike radius 7", "invasion zone"]
    assert not draw_scene(battle(), SEA).legend.count("strike radius")
    # If all hexes can be chosen, the radius is a lighter tint of the same highlight.
    covered = draw_scene(battle(), SEA, ranges=REACH, targets_offered=SEA.hexes)
    assert {"may be chosen", "strike radius 7"} <= {swatch.name for swatch in covered.swatches}


def test_offered_hexes_are_marked() -> None:
    scene = draw_scene(battle(), SEA, targets_offered=("1110", "nowhere"))
    assert hex_text(scene, Zoom.OPERATIONAL, "1110")[2][5] == "+"


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        pytest.param("1109", ("TF 58 (2 TG)*", "CAP 2"), id="6.31-groups"),
        pytest.param("1117", ("A 2 located→",), id="8.11-force"),
        pytest.param("1111", ("Int 2: 0u f9",), id="4.43-mission"),
        pytest.param("1414", ("SSx2",), id="14.1-submarines"),
        pytest.param("1113", ("raid 12 pt→",), id="10.2-raid"),
        pytest.param("1407", ("Guam", "air points 5"), id="11.29-guam"),
        pytest.param("1005", ("Saipan/Tinian",), id="2.12-island"),
    ],
)
def test_detail_zoom_shows_full_words(name: str, texts: tuple[str, ...]) -> None:
    shown = "\n".join(hex_text(drawn(), Zoom.DETAIL, name))
    for text in texts:
        assert to_ascii(text) in shown


def test_force_and_group_names() -> None:
    assert [force_name("A"), force_name("3")] == ["A", "b3"]
    assert [group_name("58.7"), group_name("surface-2")] == ["58.7", "Srf2"]
    assert {overlay for _, overlay, _ in OVERLAYS} == {RANGES, ZONE_LINES}


def test_whole_map_fits_160x46_at_overview_zoom() -> None:
    scene = drawn()
    width, height = map_size(scene, SHAPES[scene.grid.top][Zoom.OVERVIEW])
    assert len(scene.cells) == 720
    assert width <= 160
    assert height <= 46


@pytest.mark.parametrize("size", sampled(SIZES, 2))
@pytest.mark.parametrize("zoom", list(Zoom))
@pytest.mark.parametrize("overlay", ["", RANGES, ZONE_LINES])
def test_map_is_ascii_at_any_size_without_colour(
    overlay: str, zoom: Zoom, size: tuple[int, int]
) -> None:
    gate = OutputFilter(ascii_only=True, monochrome=True)
    for strip in view(drawn(overlay), zoom, size, Depth.NONE):
        assert strip.cell_length == size[0]
        shown = gate.apply(list(strip), Color(0, 0, 0))
        assert "".join(one.text for one in shown).isascii()
        assert all(one.isascii() or to_ascii(one) != REPLACEMENT for one in strip.text)
