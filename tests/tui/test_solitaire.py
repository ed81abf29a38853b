"""A game of one player against the system, in line mode and on the screen, on a map of pointy-topped hexes."""

from pathlib import Path
from typing import Any

from typing_extensions import override

from engine.kernel.ruleset import View
from play.local_session import LocalSession
from saves.headers import Seat
from saves.match import Match
from tests.play.tables import SECRET
from tests.toy_raider import CAPTAIN, GRID, HEXES, RAIDER, RaiderView
from tests.tui.apps import app
from tests.tui.test_plain import Script
from tui.console.game import PlainGame
from tui.hexmap.elements import MapCounter
from tui.hexmap.scene import HexCell, HexScene, build_scene
from tui.presenter import Presenter, Selection
from tui.screens.play import PlayScreen


class RaiderPresenter(Presenter):
    """The map of the raider."""

    @override
    def scene(self, view: View, selection: Selection) -> HexScene:
        assert isinstance(view, RaiderView)
        ships = {view.captain: "captain", view.raider: "raider"}
        return build_scene(
            GRID,
            {
                at: HexCell(id=at, counters=(MapCounter(text=ships[at]),) if at in ships else ())
                for at in HEXES
            },
        )

    @override
    def home(self, view: View) -> str:
        return HEXES[0]

    @override
    def focus(self, view: View) -> str:
        assert isinstance(view, RaiderView)
        return view.captain


def raider_session() -> LocalSession:
    seats = (Seat(role=CAPTAIN, player="Ann", seat_id="seat-1"),)
    match: Match[Any] = Match.create(
        RAIDER, RAIDER.position("sortie", {}), "sortie", {}, seats, SECRET
    )
    return LocalSession(match, {})


async def test_a_whole_game_by_lines() -> None:
    script = Script(["map", "sail 0012", "commit", *["wait", "commit"] * 9])
    session = raider_session()
    await PlainGame(session, RaiderPresenter(RAIDER), script.read, script.write).run()
    assert session.outcome() is not None
    assert "/0011\\/0012\\/0013\\/0014\\" in script.text
    assert "[     ]     |     |" in script.text
    assert "The captain sails to 0012." in script.text
    assert "The game is over, and lost. 1.5: the raider has escaped" in script.text
    assert "to the keyboard" not in script.text


async def test_the_map_can_be_walked_on_the_screen(tmp_path: Path) -> None:
    screen = PlayScreen(raider_session(), RaiderPresenter(RAIDER))
    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        screen.map.focus()
        await pilot.press("right", "down")
        await pilot.pause()
        assert screen.map.cursor == "0022"
