"""The area map: what is drawn where, links, rims, cursor, and how it moves."""

import pytest
from msgspec.structs import replace

from tui.areamap.draw import draw, fold, strip
from tui.areamap.geometry import SHAPES, best_zoom, corner, map_size, square_at, ways
from tui.areamap.scene import AreaCell, AreaScene, Link, Rim, Token
from tui.areamap.widget import AreaMap
from tui.marks import Highlight, Owner, Zoom
from tui.palette import PALETTES, Palette
from tui.terminal import PaletteName


def cell(name: str, column: int, row: int, **more: object) -> AreaCell:
    basis = AreaCell(
        id=name,
        column=column,
        row=row,
        name=f"{name} far away",
        short=name[:4],
        middle=name[:7],
        is_sea=name.islower(),
    )
    return replace(basis, **more)


def small() -> AreaScene:
    cells = [
        cell("ALBA", 0, 0, symbol="*", tokens=(Token("G", "Ger Army", Owner.TWO),)),
        cell("BRAVO", 1, 0, highlight=Highlight.REACH),
        cell("calm", 1, 1, tokens=tuple(Token(f"{one}!", f"{one}!", Owner.ONE) for one in "abc")),
        cell("DELTA", 3, 0),
        cell("echo", 3, 2),
    ]
    links = (
        Link("ALBA", "BRAVO"),
        Link("ALBA", "calm"),
        Link("BRAVO", "calm"),
        Link("BRAVO", "DELTA"),
        Link("DELTA", "echo", "x"),
        Link("ALBA", "echo"),
    )
    return AreaScene(
        columns=4,
        rows=3,
        cells={one.id: one for one in cells},
        links=links,
        rims=(Rim("ALBA", is_right=False, text="echo"), Rim("echo", is_right=True, text="ALB")),
    )


def text(scene: AreaScene, zoom: Zoom, cursor: str = "") -> list[str]:
    return ["".join(letter for letter, _ in line).rstrip() for line in draw(scene, zoom, cursor)]


def test_the_overview_in_two_lines_per_place() -> None:
    assert text(small(), Zoom.OVERVIEW) == [
        "<echoALB*-BRAV------DELT",
        "     G   \\+",
        "          calm        x",
        "          a!+         x",
        "                    echo  ALB>",
        "",
    ]


def test_the_cursor_frames_a_place_and_marks_its_neighbours() -> None:
    lines = text(small(), Zoom.OVERVIEW, "ALBA")
    assert lines[0] == "<ech[ALB*]BRAV------DELT"
    assert lines[1][10] == "+", "an option stays marked beside the cursor"
    assert lines[3].startswith("          a!+<")
    assert lines[5].strip() == "<", "a neighbour without a line on the map is marked, too"
    assert text(small(), Zoom.OVERVIEW, "DELTA")[5].strip() == "x"


@pytest.mark.parametrize("zoom", list(Zoom))
def test_every_line_is_as_wide_as_the_map(zoom: Zoom) -> None:
    scene = small()
    width, height = map_size(scene, SHAPES[zoom])
    lines = draw(scene, zoom, "calm")
    assert len(lines) == height
    assert {len(line) for line in lines} == {width}
    assert all(letter.isascii() for line in lines for letter, _ in line)


@pytest.mark.parametrize("zoom", list(Zoom))
def test_a_cutout_is_a_part_of_the_whole(zoom: Zoom) -> None:
    lines = draw(small(), zoom, "calm")
    for x, width in ((0, 10), (7, 13), (20, 90)):
        for y in range(-1, len(lines) + 1):
            found = strip(lines, PALETTES[PaletteName.COLOUR], y, x, width)
            whole = "".join(one for one, _ in lines[y]) if 0 <= y < len(lines) else ""
            assert found.text == whole[x : x + width].ljust(width)


@pytest.mark.parametrize("palette", list(PALETTES.values()))
def test_the_text_is_the_same_in_every_palette(palette: Palette) -> None:
    lines = draw(small(), Zoom.DETAIL, "ALBA")
    plain = ["".join(letter for letter, _ in line) for line in lines]
    assert [strip(lines, palette, y, 0, 62).text for y in range(len(lines))] == plain


@pytest.mark.parametrize("zoom", list(Zoom))
def test_letters_belong_to_the_place_drawn_there(zoom: Zoom) -> None:
    for one in small().cells.values():
        square = (one.column, one.row)
        x, y = corner(SHAPES[zoom], square)
        assert square_at(SHAPES[zoom], x, y) == square
        assert square_at(SHAPES[zoom], x + SHAPES[zoom].width - 1, y + 1) == square


def test_links_run_through_empty_squares_only() -> None:
    scene = small()
    found = {(way.squares[0], way.squares[-1]): way.squares for way in ways(scene)}
    assert found[(1, 0), (3, 0)] == ((1, 0), (2, 0), (3, 0))
    assert ((0, 0), (3, 2)) not in found, "too far: only the list of neighbours tells"
    between = [square for way in ways(scene) for square in way.squares[1:-1]]
    assert len(between) == len(set(between)), "two links never share a square"
    assert not set(between) & set(scene.at)


def test_the_largest_zoom_that_fits() -> None:
    scene = small()
    assert best_zoom(scene, 200, 60) is Zoom.DETAIL
    assert best_zoom(scene, 61, 60) is Zoom.OPERATIONAL
    assert best_zoom(scene, 10, 5) is Zoom.OVERVIEW


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("Ukraine", ("Ukraine", "")),
        ("Bay of Bengal", ("Bay of", "Bengal")),
        ("Mediterraneans", ("Mediterranea", "ns")),
    ],
)
def test_long_names_take_two_lines(name: str, lines: tuple[str, str]) -> None:
    assert fold(name, 12) == lines


@pytest.mark.parametrize(
    ("start", "step", "end"),
    [
        ("ALBA", (1, 0), "BRAVO"),
        ("BRAVO", (1, 0), "DELTA"),
        ("DELTA", (1, 0), "ALBA"),
        ("ALBA", (-1, 0), "DELTA"),
        ("BRAVO", (0, 1), "calm"),
        ("DELTA", (0, 1), "echo"),
        ("echo", (0, 1), None),
        ("echo", (0, -1), "DELTA"),
    ],
)
def test_the_cursor_goes_to_the_nearest_place(
    start: str, step: tuple[int, int], end: str | None
) -> None:
    assert AreaMap(small(), start).beside(*step) == end


def test_every_place_can_be_reached_by_arrow_keys() -> None:
    seen, open_ends = {"ALBA"}, ["ALBA"]
    while open_ends:
        here = AreaMap(small(), open_ends.pop())
        for step in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            found = here.beside(*step)
            if found is not None and found not in seen:
                seen.add(found)
                open_ends.append(found)
    assert seen == set(small().cells)
