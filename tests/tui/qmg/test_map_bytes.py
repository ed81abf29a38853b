"""Number of bytes sent for the map: a whole frame, and a move of the cursor."""

from collections.abc import Callable

import pytest
from rich.color import ColorSystem

from tests.tui.qmg.tables import PRESENTER, question, states
from tui.drawing.capabilities import Depth
from tui.drawing.colours import ThemeName
from tui.drawing.palette import get_palette
from tui.drawing.screen_buffer import ScreenBuffer
from tui.maps.areamap.draw import draw_map, render_strip
from tui.maps.areamap.geometry import best_zoom, full_size
from tui.maps.areamap.paint import TerminalFeatures
from tui.presenter.presenter import Selection
from tui.qmg.map.chart import CHART

SIGHT = TerminalFeatures(is_unicode=True, has_backgrounds=True)
Show = Callable[[str], int]
"""Draws the map with a cursor and returns the bytes sent."""


def terminal(width: int, height: int) -> Show:
    scene = PRESENTER.scene(question(states("base", 160)[150])[0], Selection())
    palette, frame = get_palette(ThemeName.DARK, Depth.MANY), ScreenBuffer()
    frame.resize(width, height)
    room = width, height * 2 // 3
    zoom = best_zoom(CHART, *room)
    size = full_size(CHART, zoom, *room)

    def show(cursor: str) -> int:
        lines = draw_map(scene, zoom, cursor, size, SIGHT)
        placed = (
            (y, 0, list(render_strip(lines, palette, y, 0, width))) for y in range(len(lines))
        )
        return len(frame.update(placed, ColorSystem.EIGHT_BIT).encode())

    return show


@pytest.mark.parametrize(("size", "most"), [((80, 24), 15_000), ((160, 46), 40_000)])
def test_whole_map_is_sent_within_the_byte_budget(size: tuple[int, int], most: int) -> None:
    assert 2_000 < terminal(*size)("germany") < most * 2 // 3, "the rest is for the panels"


def test_cursor_move_in_the_overview_sends_few_bytes() -> None:
    show = terminal(80, 24)
    show("germany")
    places = ["italy", "mediterranean", "middle_east", "ukraine", "russia", "scandinavia"]
    assert max(map(show, places)) < 500
    assert show(places[-1]) == 0
