"""A game of one player against the system, in line mode and on the screen, on a map of pointy-topped hexes."""

from pathlib import Path
from typing import Any

from typing_extensions import override

from engine.kernel.hexgrid import HexGrid, HexOrientation, Numbering
from engine.kernel.ruleset import View
from play.local_session import LocalSession
from saves.headers import Seat
from saves.match import Match
from tests.play.tables import SECRET
from tests.toy_staff import TOY_STAFF, US
from tests.tui.apps import app
from tests.tui.test_plain import Script
from tui.console.game import PlainGame
from tui.maps.hexmap.elements import MapCounter
from tui.maps.hexmap.scene import HexCell, HexScene, build_scene
from tui.presenter.presenter import Presenter, Selection
from tui.screens.match.play import PlayScreen

GRID = HexGrid(top=HexOrientation.POINTY, numbering=Numbering(1, 3, is_row_first=True))
"""Rows first with three digits: 0014 is row 1, column 4."""
HEXES = tuple(GRID.name(column, row) for row in range(1, 6) for column in range(1, 7))


class SectorMap(Presenter):
    """A map for the game of staff, with the fleet in the first hex."""

    @override
    def scene(self, view: View, selection: Selection) -> HexScene:
        cells = {at: HexCell(id=at) for at in HEXES[1:]}
        fleet = HexCell(id=HEXES[0], counters=(MapCounter(text="fleet"),))
        return build_scene(GRID, {HEXES[0]: fleet, **cells})

    @override
    def home(self, view: View) -> str:
        return HEXES[0]

    @override
    def focus(self, view: View) -> str:
        return HEXES[0]


def staff_session() -> LocalSession:
    seats = (Seat(role=US, player="Ann", seat_id="seat-1"),)
    position = TOY_STAFF.position("cruise", {})
    match: Match[Any] = Match.create(TOY_STAFF, position, "cruise", {}, seats, SECRET)
    return LocalSession(match, {})


async def test_whole_game_is_played_in_line_mode() -> None:
    script = Script(["map", "search 2", "commit", *["stay", "commit", "stand", "commit"] * 12])
    session = staff_session()
    await PlainGame(session, SectorMap(TOY_STAFF), script.read, script.write).run()
    assert session.outcome() is not None
    assert "/0011\\/0012\\/0013\\/0014\\" in script.text
    assert "[     ]     |     |" in script.text
    assert "us searches sector 2." in script.text
    assert "The game is lost. 1.5: finds against losses" in script.text
    assert "take the keyboard" not in script.text


async def test_map_cursor_moves_on_the_screen(tmp_path: Path) -> None:
    screen = PlayScreen(staff_session(), SectorMap(TOY_STAFF))
    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        screen.map.focus()
        await pilot.press("right", "down")
        await pilot.pause()
        assert screen.map.cursor == "0022"
