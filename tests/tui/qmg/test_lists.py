"""Lists below the map."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from engine.kernel.ids import Role
from play import games
from tests.tui.apps import app
from tui.presenter.presenter import load_presenter
from tui.screens.match.play import PlayScreen


@pytest.fixture
def screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PlayScreen:
    monkeypatch.setattr(games, "new_secret", lambda: bytes(range(32)))
    others = ("uk", "japan", "ussr", "italy", "usa")
    bots = dict.fromkeys(map(Role, others), "greedy")
    new = games.NewGame(game="qmg", scenario="base", bots=bots, seat=Role("germany"))
    session = games.create_game(new, tmp_path / "game.fplog")
    return PlayScreen(session, load_presenter(session.ruleset))


async def _choose_the_first_hand(pilot: Pilot[int]) -> None:
    for key in ("1", "2", "3", "c"):
        await pilot.press(key)
        await pilot.pause()
        await pilot.app.workers.wait_for_complete()
    await pilot.pause()


@pytest.mark.full
async def test_open_list_shows_its_title_and_how_to_leave(
    screen: PlayScreen, tmp_path: Path
) -> None:
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await _choose_the_first_hand(pilot)
        prompt = screen.panel.query_one(".prompt")
        question = str(prompt.render())
        away = next(place for place, line in enumerate(screen.panel.shown) if line.is_heading)
        await pilot.press(*["n"] * away, "d")
        await pilot.pause()
        words = "Discard a card instead of playing (Esc: back)"
        assert str(prompt.render()) == words
        await pilot.press("escape")
        await pilot.pause()
        assert str(prompt.render()) == question
        assert screen.panel.rows.highlighted == away
