"""Problems of a match stay visible next to the turn: absent players, a lost host, and the cause of a delay."""

import asyncio
from pathlib import Path
from typing import Any, Final

import pytest
from typing_extensions import override

from engine.registry import ruleset
from netplay.session.peer_session import PeerSession
from play.local_session import LocalSession
from play.session import StatusItem
from saves.match import Match
from tests.netplay.tables import live, room, until
from tests.patience import PATIENCE
from tests.saves.play import SECRET, play
from tests.sizes import sampled
from tests.toy_game import BLUE, RED, TOY
from tests.tui.apps import app, reached
from tui.console.game import PlainGame
from tui.presenter.presenter import Presenter, load_presenter
from tui.screens.match.play import PlayScreen
from tui.widgets.bars.status_bar import StatusBar

GAMES: Final = {"cbps": ("5", {"staff": "two"}), "eots": ("1943", {}), "qmg": ("total-war", {})}
SIZES: Final = ((80, 24), (120, 40), (160, 46))
AWAY: Final = StatusItem("away: Bob", is_alert=True, short_text="away: 1")
MANY: Final = StatusItem("away: Ann, Bob, Cat, Dan and Eve", is_alert=True, short_text="away: 5")
HELD: Final = StatusItem("HOST LOST, trying again", is_alert=True, short_text="HOST LOST")


class Troubled(LocalSession):
    """A local game that reports the connection status that a test sets."""

    items: tuple[StatusItem, ...] = ()
    shown_clock = ""

    @override
    def status_items(self) -> tuple[StatusItem, ...]:
        return self.items

    @override
    def clock(self, *, is_brief: bool = False) -> str:
        del is_brief
        return self.shown_clock


def session_of(game: str, steps: int, *items: StatusItem) -> Troubled:
    """Return a game whose next question is for the local player."""
    rules, (scenario, options) = ruleset(game), GAMES[game]
    position = rules.position(scenario, options)
    match = Match[Any].create(rules, position, scenario, options, (), SECRET)
    play(match, steps, seed=8)
    session = Troubled(match, {})
    session.items = (StatusItem("* host 50 ms"), *items, StatusItem("y: 2 unread"))
    session.switch_role(rules.active_roles(match.state)[0])
    return session


async def ribbon_of(folder: Path, session: Troubled, size: tuple[int, int]) -> tuple[str, str]:
    """Return the top line of the play screen, and the question panel."""
    screen = PlayScreen(session, load_presenter(session.ruleset))
    async with app(folder, screen).run_test(size=size) as pilot:
        await reached(pilot, lambda: bool(screen.query_one(StatusBar).text.strip()))
        await pilot.pause()
        return screen.query_one(StatusBar).text, screen.status.note()


@pytest.mark.parametrize("size", sampled(SIZES, 1), ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize(("game", "steps"), sampled([("cbps", 3), ("eots", 3), ("qmg", 30)], 1))
async def test_absent_player_is_shown_beside_your_move(
    tmp_path: Path, game: str, steps: int, size: tuple[int, int]
) -> None:
    line, note = await ribbon_of(tmp_path, session_of(game, steps, AWAY), size)
    assert " YOUR MOVE " in line
    assert "away: Bob" in line
    assert line.index("YOUR MOVE") < line.index("away: Bob")
    assert "away: Bob" in note


@pytest.mark.full
@pytest.mark.parametrize(("game", "steps"), sampled([("cbps", 3), ("eots", 3), ("qmg", 30)], 1))
async def test_several_alerts_and_a_clock_fit_together(
    tmp_path: Path, game: str, steps: int
) -> None:
    session = session_of(game, steps, HELD, MANY)
    session.shown_clock = "You 59:58"
    line, _ = await ribbon_of(tmp_path, session, (80, 24))
    assert " YOUR MOVE " in line
    assert "HOST LOST" in line
    assert "away: 5" in line
    assert "You 59:58" in line


@pytest.mark.full
async def test_status_bar_is_unchanged_without_an_alert(tmp_path: Path) -> None:
    line, note = await ribbon_of(tmp_path, session_of("eots", 3), (120, 40))
    assert "* host 50 ms" in line
    assert "away" not in line + note
    assert "* host" not in note


async def test_player_who_leaves_and_returns_is_shown(tmp_path: Path) -> None:
    async with room(tmp_path / "room") as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        session = PeerSession(red)
        screen = PlayScreen(session, Presenter(TOY))
        async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
            ribbon = screen.query_one(StatusBar)
            await reached(pilot, lambda: "YOUR MOVE" in ribbon.text)
            assert "away" not in ribbon.text
            await blue.close()
            await reached(pilot, lambda: "away: Bob" in ribbon.text)
            assert "YOUR MOVE" in ribbon.text
            assert session.alerts() == ("away: Bob",)
            assert "away: Bob" in session.status()
            await reached(pilot, lambda: "away: Bob" in screen.status.note())
            again = table.peer(BLUE)
            await live(again)
            await reached(pilot, lambda: "away" not in ribbon.text)
            assert "YOUR MOVE" in ribbon.text


async def test_absent_player_is_printed_with_the_question_and_on_change(
    tmp_path: Path,
) -> None:
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        printed: list[str] = []
        typed: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        async def read(_prompt: str) -> str:
            return await typed

        game = PlainGame(PeerSession(red), Presenter(TOY), read, printed.append)
        running = asyncio.create_task(game.run())
        await until(lambda: any("Lay a card" in line for line in printed))
        await blue.close()
        await until(lambda: "  (away: Bob)" in printed)
        assert printed.count("  (away: Bob)") == 1
        again = table.peer(BLUE)
        await live(again)
        await until(lambda: "  (everybody is back)" in printed)
        typed.set_result("quit")
        await asyncio.wait_for(running, PATIENCE)


@pytest.mark.parametrize(("game", "steps"), [("cbps", 3), ("eots", 3), ("qmg", 30)])
async def test_line_mode_prints_absent_players_above_the_question(game: str, steps: int) -> None:
    session, printed = session_of(game, steps, AWAY), list[str]()

    async def read(_prompt: str) -> str:
        raise EOFError

    await PlainGame(session, load_presenter(session.ruleset), read, printed.append).run()
    assert sum("away: Bob" in line for line in printed) == 1
