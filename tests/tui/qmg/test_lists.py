"""Lists below the map."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from typing_extensions import override

from engine.kernel.ids import Role
from engine.qmg.frames import Trigger
from engine.qmg.ruleset import QMG
from engine.qmg.view import QmgView
from play import games
from play.choices import Choice
from tests.engine.qmg.table import Table
from tests.tui.apps import app
from tests.tui.qmg.tables import PRESENTER
from tui.presenter.presenter import load_presenter
from tui.screens.match.play import PlayScreen
from tui.widgets.lists.decision import DecisionPanel


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
        away = next(
            place for place, line in enumerate(screen.panel.shown_choices) if line.is_heading
        )
        await pilot.press(*["n"] * away, "d")
        await pilot.pause()
        words = "Discard a card instead of playing (Esc: back)"
        assert str(prompt.render()) == words
        await pilot.press("escape")
        await pilot.pause()
        assert str(prompt.render()) == question
        assert screen.panel.rows.highlighted == away


def test_prompts_name_the_cost_of_a_step() -> None:
    broke = Table("total-war", "active germany", "homes", "hand germany none", "no-deck germany")
    broke.until("8.2", "germany")
    decision = QMG.decision(broke.state, Role("germany"))
    assert "costs 1 VP" in PRESENTER.prompt(decision)
    flying = Table("total-war", "active germany", "homes", "hand germany de_tw_air_power")
    flying.until("13.3", "germany")
    assert "an Air Power card" in PRESENTER.prompt(QMG.decision(flying.state, Role("germany")))


def test_news_open_with_the_first_window_of_the_own_turn() -> None:
    table = Table("base", "active germany", "homes")
    view = QMG.project(table.state, Role("germany"))
    assert isinstance(view, QmgView)
    for kind, by, opens in (
        ("turn_begin", "germany", True),
        ("play_step_begin", "germany", True),
        ("turn_begin", "uk", False),
        ("battled", "germany", False),
    ):
        asked = replace(view, trigger=Trigger(kind=kind, cause="axis", by=by))
        assert PRESENTER.opens_turn_window(asked) is opens, kind
    assert not PRESENTER.opens_turn_window(view)


async def test_bar_leaves_a_line_that_an_undone_discard_has_made_a_loss() -> None:
    discard = Choice("Discard a card", "discard", group="Discard")
    panel = DecisionPanel()

    class Host(App[None]):
        @override
        def compose(self) -> ComposeResult:
            yield panel

    async with Host().run_test(size=(80, 24)) as pilot:
        panel.set_question("8.4", "Discard", (Choice("Done", "done"), discard), "")
        await pilot.pause()
        assert panel.rows.highlighted == 0
        costly = Choice("Done: costs 1 VP", "done", loss="costs 1 VP")
        panel.set_question("8.4", "Discard", (costly, discard), "", is_same=True)
        await pilot.pause()
        assert panel.rows.highlighted == 1
