"""The whole theatre in front of a small screen, and next to the map of a large one."""

from pathlib import Path

import pytest

from tests.tui.apps import app, reached
from tests.tui.cbps.battles import PRESENTER, session
from tests.tui.cbps.test_presenter import FLYING_MOVES
from tui.maps.hexmap.minimap import Minimap
from tui.screens.dialogs.minimap_dialog import MinimapDialog
from tui.screens.match.play import PlayScreen


@pytest.mark.full
async def test_small_screen_shows_the_theatre_in_front_and_moves_the_map(tmp_path: Path) -> None:
    screen = PlayScreen(session(FLYING_MOVES), PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("escape", "m")
        await reached(pilot, lambda: isinstance(program.screen, MinimapDialog))
        before = screen.map.cursor
        await pilot.press("down", "left")
        row, column = int(before[:2]) + 5, int(before[2:]) + 5
        assert screen.map.cursor == f"{row:02}{column:02}"
        await pilot.press("enter")
        await reached(pilot, lambda: program.screen is screen)


async def test_large_screen_shows_the_theatre_beside_the_map(tmp_path: Path) -> None:
    screen = PlayScreen(session(FLYING_MOVES), PRESENTER)
    async with app(tmp_path, screen).run_test(size=(160, 46)) as pilot:
        await pilot.press("escape", "m")
        minimap = screen.query_one(Minimap)
        assert minimap.has_focus
        await pilot.press("m")
        await reached(pilot, lambda: screen.map.has_focus)
        assert not minimap.has_focus
