"""The area map: positions, borders, bridges, rims, cursor and movement."""

import pytest
from msgspec.structs import replace

from tui.drawing.capabilities import Depth
from tui.drawing.colour_roles import GroundRole, OverlayRole, TextRole
from tui.drawing.palette import Palette, get_palette
from tui.maps.areamap.draw import PLAIN_TERMINAL, draw_map, draw_thumbnail, render_strip
from tui.maps.areamap.geometry import (
    CellRun,
    best_zoom,
    bridge,
    chart_layout,
    full_size,
    min_size,
    touching_pairs,
)
from tui.maps.areamap.labels import chip, place_label, place_pieces
from tui.maps.areamap.paint import TerminalFeatures
from tui.maps.areamap.scene import AreaCell, AreaChart, AreaLink, AreaScene, Arm, Token, WrappedEdge
from tui.maps.areamap.widget import AreaMapView
from tui.maps.enums import Highlight, Owner, Zoom

PICTURE = """
AAAAAAAABBBBBBBB........
AAAAAAAABBBBBBBB........
AAAAAAAABBBBBBBBDDDDDDDD
ccccccccccccccccDDDDDDDD
ccccccccccccccccDDDDDDDD
ccccccccccccccccDDDDDDDD
EEEEEEEEEEEEEEEEffffffff
EEEEEEEEEEEEEEEEffffffff
EEEEEEEEEEEEEEEEffffffff
"""
NAMES = {"A": "alba", "B": "bravo", "c": "calm", "D": "delta", "E": "echo", "f": "far_sea", ".": ""}
CHART = AreaChart(
    tuple(tuple(NAMES[letter] for letter in line) for line in PICTURE.split()),
)
FULL_SIGHT = TerminalFeatures(is_unicode=True, has_backgrounds=True)


def token(letter: str, arm: Arm = Arm.LAND, *, is_supplied: bool = True) -> Token:
    return Token(
        letter=letter,
        code=f"{letter}X",
        arm=arm,
        tone=TextRole.CHIP_A,
        is_supplied=is_supplied,
    )


def cell(name: str, **more: object) -> AreaCell:
    basis = AreaCell(
        id=name,
        name=name.replace("_", " ").title(),
        short=name[:4].upper(),
        medium=name[:7].title(),
        is_sea=name in {"calm", "far_sea"},
    )
    return replace(basis, **more)


def small(**more: object) -> AreaScene:
    cells = [
        cell("alba", symbol="*", tokens=(token("G"),)),
        cell("bravo", highlight=Highlight.REACH),
        cell("calm", tokens=tuple(token(letter, Arm.SEA) for letter in "HJK")),
        cell("delta"),
        cell("echo"),
        cell("far_sea"),
    ]
    links = (
        AreaLink("alba", "bravo"),
        AreaLink("alba", "calm"),
        AreaLink("bravo", "calm"),
        AreaLink("bravo", "delta"),
        AreaLink("calm", "echo"),
        AreaLink("calm", "far_sea", "Ax", Owner.TWO),
        AreaLink("delta", "far_sea"),
        AreaLink("echo", "far_sea"),
        AreaLink("alba", "delta"),
    )
    scene = AreaScene(
        chart=CHART,
        cells={one.id: one for one in cells},
        links=links,
        wrapped_edges=(
            WrappedEdge("alba", is_right=False, beyond="delta"),
            WrappedEdge("delta", is_right=True, beyond="alba"),
        ),
    )
    return replace(scene, **more)


def text(
    scene: AreaScene, zoom: Zoom, cursor: str = "", sight: TerminalFeatures = PLAIN_TERMINAL
) -> list[str]:
    lines = draw_map(scene, zoom, cursor, None, sight)
    return ["".join(letter for letter, _ in line).rstrip() for line in lines]


def test_overview_zoom_in_ascii() -> None:
    assert text(small(), Zoom.OVERVIEW) == [
        " ALBA*  |BRAVO+",
        " A:gx   |",
        "<DELTA__|_______|",
        "     calm       #DELTA",
        "     N:hx N:jx  #",
        "_____N:kx______\\#__ALBA>",
        "     ECHO       \\far_",
        "                |",
        " + may be chosen|",
    ]


@pytest.mark.parametrize(
    ("name", "size", "words"),
    [
        ("Far Sea", None, ["<far sea"]),
        ("Farthest Sea", None, ["<thule"]),
        ("Farther Seas", (30, 15), ["<farther", " seas"]),
    ],
)
def test_name_beyond_a_wrapped_edge_is_full_or_a_known_short_form(
    name: str, size: tuple[int, int] | None, words: list[str]
) -> None:
    scene = small(wrapped_edges=(WrappedEdge("alba", is_right=False, beyond="far_sea"),))
    far = replace(scene.cells["far_sea"], name=name, medium="Thule")
    scene = replace(scene, cells={**scene.cells, "far_sea": far})
    lines = [
        "".join(letter for letter, _ in line) for line in draw_map(scene, Zoom.OVERVIEW, "", size)
    ]
    at = next((y for y, line in enumerate(lines) if line.startswith(words[0])), None)
    assert at is not None, lines
    assert all(line.startswith(word) for line, word in zip(lines[at:], words, strict=False)), lines


def test_the_cursor_frames_a_place_and_marks_its_neighbours() -> None:
    lines = text(small(), Zoom.OVERVIEW, "alba")
    assert lines[0].startswith("[ALBA*] |BRAVO+"), "an option stays marked beside the cursor"
    assert "calm<" in lines[3]
    assert "DELTA<" in lines[3], "a neighbour without a border on the map is marked, too"
    assert "Ax" in text(small(), Zoom.OVERVIEW, "calm")[6], "through a strait"


def test_backgrounds_highlight_neighbours_and_an_outline_marks_the_cursor() -> None:
    lines = draw_map(small(), Zoom.OPERATIONAL, "bravo", None, FULL_SIGHT)
    tints = {
        name: {lines[run.y][run.start][1][2] for run in runs}
        for name, runs in chart_layout(CHART, *min_size(CHART, Zoom.OPERATIONAL)).runs.items()
        if name
    }
    assert tints["bravo"] == {OverlayRole.REACH}
    assert tints["alba"] == tints["calm"] == tints["delta"] == {OverlayRole.SELECTED}
    assert tints["echo"] == tints["far_sea"] == {OverlayRole.NONE}
    frame = [letter for line in lines for letter, look in line if look[0] is TextRole.FRAME]
    assert {"▛", "▜", "▙", "▟"} <= set(frame)


def test_coasts_need_no_line_when_backgrounds_show_them() -> None:
    lines = draw_map(small(), Zoom.OVERVIEW, "", None, FULL_SIGHT)
    assert "▏" in {letter for letter, _ in lines[1]}, "between two lands"
    assert lines[2][1][0] != "▁", "between land and sea"
    assert {look[1] for _, look in lines[1]} == {GroundRole.OPEN, GroundRole.NONE}
    assert {look[1] for _, look in lines[4][:16]} == {GroundRole.SEA}


def test_wall_separates_touching_places_that_are_not_adjacent() -> None:
    assert "echo" not in small().neighbours["delta"]
    assert ("calm", "delta") in touching_pairs(CHART)
    lines = text(small(), Zoom.OVERVIEW)
    assert [line[16] for line in lines[3:5]] == ["#", "#"], "calm and delta"
    assert "#" not in lines[1], "alba and bravo"


def test_a_link_without_a_common_side_runs_through_the_corner_or_along_a_border() -> None:
    area = chart_layout(CHART, *CHART.size)
    corner = bridge(area, AreaLink("calm", "far_sea"))
    assert corner is not None
    assert corner.strokes == ((15, 5, "\\"), (16, 6, "\\"))
    assert bridge(area, AreaLink("alba", "bravo")) is None, "they share a side"
    assert bridge(area, AreaLink("alba", "far_sea")) is None, "too far: names tell"
    neck = AreaChart((("a", "x", "x", "b"), ("a", "y", "y", "b")))
    along = bridge(chart_layout(neck, 8, 4), AreaLink("a", "b"))
    assert along is not None
    assert {(y, sign) for _, y, sign in along.strokes} == {(1, "=")}


@pytest.mark.parametrize("zoom", list(Zoom))
@pytest.mark.parametrize("sight", [PLAIN_TERMINAL, FULL_SIGHT])
def test_every_line_is_as_wide_as_the_map(zoom: Zoom, sight: TerminalFeatures) -> None:
    scene = small()
    width, height = min_size(CHART, zoom)
    lines = draw_map(scene, zoom, "calm", None, sight)
    assert len(lines) == height
    assert {len(line) for line in lines} == {width}
    letters = {letter for line in lines for letter, _ in line}
    assert all(letter.isascii() for letter in letters) or sight is FULL_SIGHT


@pytest.mark.parametrize("zoom", list(Zoom))
def test_cropped_lines_match_the_whole_map(zoom: Zoom) -> None:
    lines = draw_map(small(), zoom, "calm")
    for x, width in ((0, 10), (7, 13), (20, 90)):
        for y in range(-1, len(lines) + 1):
            found = render_strip(lines, get_palette(depth=Depth.SIXTEEN), y, x, width)
            whole = "".join(one for one, _ in lines[y]) if 0 <= y < len(lines) else ""
            assert found.text == whole[x : x + width].ljust(width)


@pytest.mark.parametrize("palette", [get_palette(depth=depth) for depth in Depth])
def test_the_text_is_the_same_in_every_palette(palette: Palette) -> None:
    lines = draw_map(small(), Zoom.DETAIL, "alba")
    plain = ["".join(letter for letter, _ in line) for line in lines]
    width = len(plain[0])
    assert [render_strip(lines, palette, y, 0, width).text for y in range(len(lines))] == plain


@pytest.mark.parametrize("size", [(24, 9), (31, 14), (50, 20)])
def test_adjacency_does_not_depend_on_the_size(size: tuple[int, int]) -> None:
    area = chart_layout(CHART, *size)
    found = {
        (area.owners[brink.y][brink.x], side)
        for brinks in area.outlines.values()
        for brink in brinks
        for side in (brink.left, brink.right, brink.above, brink.below)
        if side
    }
    assert {pair for pair in found if pair[0]} == touching_pairs(CHART)


def test_largest_fitting_zoom_uses_the_available_space() -> None:
    assert best_zoom(CHART, 48, 18) is Zoom.DETAIL
    assert best_zoom(CHART, 47, 18) is Zoom.OPERATIONAL
    assert best_zoom(CHART, 10, 5) is Zoom.OVERVIEW
    assert full_size(CHART, Zoom.OVERVIEW, 30, 12) == (30, 12)
    assert full_size(CHART, Zoom.DETAIL, 30, 12) == (48, 18)
    assert full_size(CHART, Zoom.DETAIL, 900, 900) == (72, 27)


def test_changes_by_other_players_have_their_own_mark() -> None:
    for changed in (
        cell("alba", tint=OverlayRole.CHANGED),
        cell("alba", highlight=Highlight.CHANGED),
    ):
        assert changed.mark == "~"
        assert changed.paint == (GroundRole.OPEN, OverlayRole.CHANGED)
    both = cell("alba", highlight=Highlight.TARGET, tint=OverlayRole.CHANGED)
    assert both.mark == "x"


def test_legend_is_in_the_lowest_line_if_it_fits() -> None:
    assert text(small(legend="@ source"), Zoom.OVERVIEW)[-1].split("|")[0].strip() == "@ source"
    long = "a legend much longer than the map"
    assert long not in text(small(legend=long), Zoom.OVERVIEW)[-1]
    assert "@ source" in text(small(legend=f"@ source  {long}"), Zoom.OVERVIEW)[-1]


def test_every_mark_of_a_place_is_explained() -> None:
    for highlight in (*Highlight, None):
        one = (
            cell("alba", tint=OverlayRole.CHANGED)
            if highlight is None
            else cell("alba", highlight=highlight)
        )
        if one.mark in {"", *_OF_OVERLAYS}:
            continue
        signs = replace(small(), cells={"alba": one}).legend_text
        assert signs.startswith(f"{one.mark} "), one.mark


_OF_OVERLAYS = {Highlight.RANGE.value, Highlight.SUPPLY.value, Highlight.LAST.value}
"""Marks that only an overlay sets, which has a separate legend."""


@pytest.mark.parametrize("sight", [PLAIN_TERMINAL, FULL_SIGHT])
def test_thumbnail_without_room_for_names_shows_terrain(sight: TerminalFeatures) -> None:
    lines = draw_thumbnail(small(), (12, 3), sight)
    assert [len(line) for line in lines] == [12, 12, 12]
    assert lines[0][0][1][1] is GroundRole.OPEN
    assert lines[1][0][1][1] is GroundRole.SEA
    assert lines[0][-1][1][1] is GroundRole.NONE
    shown = "".join(letter for line in lines for letter, _ in line)
    assert any(symbol in shown for symbol in ("■▲◆" if sight.is_unicode else "ANF"))
    assert len(draw_thumbnail(small(), (30, 12), sight)) == 12


@pytest.mark.parametrize(
    ("names", "lines"),
    [
        (("Alba",), ["Alba"]),
        (("Alba Longa",), ["Alba", "Longa"]),
        (("Albanianland", "Alban"), ["Alban"]),
        (("Albanianlands",), ["Albanian"]),
    ],
)
def test_name_uses_more_lines_or_a_shorter_form(names: tuple[str, ...], lines: list[str]) -> None:
    found = place_label(chart_layout(CHART, *CHART.size), "alba", names)
    assert [one for _, _, one in found.lines] == lines


@pytest.mark.parametrize(
    ("tokens", "texts"),
    [
        ("G", ["■ GX"]),
        ("GH", ["■GX", "■HX"]),
        ("GHI", ["G", "H", "I"]),
        ("GHIJKLMNOP", ["G", "H", "I", "J", "K", "L+"]),
    ],
)
def test_pieces_use_the_longest_form_that_fits(tokens: str, texts: list[str]) -> None:
    found = place_label(chart_layout(CHART, *CHART.size), "alba", ("Alba", "ALBA"))
    below = found._replace(piece_runs=found.piece_runs[:1])
    laid = place_pieces([token(one) for one in tokens], below, is_unicode=True)
    assert [one for *_, one in laid] == [one.replace(" ", "") for one in texts]


def test_pieces_of_one_country_share_a_chip_when_two_do_not_fit() -> None:
    found = place_label(chart_layout(CHART, *CHART.size), "alba", ("Alba", "ALBA"))
    below = found._replace(piece_runs=(CellRun(1, 0, 5),))
    pieces = [token("G"), token("G", Arm.AIR)]
    for is_unicode, text in ((True, "■◆GX"), (False, "AF:gx")):
        ((_, _, shown, chip_text),) = place_pieces(pieces, below, is_unicode=is_unicode)
        assert (shown, chip_text) == (pieces[0], text)


def test_piece_out_of_supply_is_hollow_and_marked() -> None:
    hungry = token("G", Arm.SEA, is_supplied=False)
    assert chip(hungry, is_unicode=True) == "△GX!"
    assert chip(hungry, is_unicode=False) == "N:gx!"
    assert chip(token("G", Arm.AIR), is_unicode=False) == "F:gx"


@pytest.mark.parametrize(
    ("start", "step", "end"),
    [
        ("alba", (1, 0), "bravo"),
        ("bravo", (1, 0), "delta"),
        ("delta", (1, 0), "calm"),
        ("alba", (-1, 0), "bravo"),
        ("bravo", (0, 1), "calm"),
        ("calm", (0, 1), "echo"),
        ("echo", (0, 1), None),
    ],
)
def test_cursor_moves_to_the_nearest_place(
    start: str, step: tuple[int, int], end: str | None
) -> None:
    assert AreaMapView(small(), start).neighbour(*step) == end


def test_every_place_can_be_reached_by_arrow_keys() -> None:
    seen, open_ends = {"alba"}, ["alba"]
    while open_ends:
        here = AreaMapView(small(), open_ends.pop())
        for step in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            found = here.neighbour(*step)
            if found is not None and found not in seen:
                seen.add(found)
                open_ends.append(found)
    assert seen == set(small().cells)


def test_legend_avoids_names_in_the_lowest_visible_line() -> None:
    lines = draw_map(small(legend="@ source"), Zoom.DETAIL, "", legend_line=5)
    told = ["".join(letter for letter, _ in line) for line in lines]
    assert ["@ source" in line for line in told].index(True) == 5
    before, _, behind = told[5].partition("@ source")
    assert not any(letter.isalnum() for letter in (*before[-2:], *behind[:2]))
