"""The number of keys for a whole turn, in both scenarios, with the keys that the screen suggests."""

from pathlib import Path

import pytest

from engine.kernel.ids import Role
from engine.qmg.view import QmgView
from play import games
from tests.sizes import sampled
from tests.tui.apps import app, reached
from tui.presenter.presenter import load_presenter
from tui.screens.dialogs.prompt import SureDialog
from tui.screens.match.play import PlayScreen
from tui.terminal.settings import Playback, Settings

NO_PLAYBACK = Settings(reduced_motion=True, news=False, playback=Playback.OFF)


@pytest.mark.parametrize(("scenario", "most_keys"), sampled([("base", 3), ("total-war", 6)], 1))
async def test_a_turn_takes_few_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scenario: str, most_keys: int
) -> None:
    monkeypatch.setattr(games, "new_secret", lambda: bytes(range(32)))
    others = ("uk", "japan", "ussr", "italy", "usa")
    bots = dict.fromkeys(map(Role, others), "random")
    new = games.NewGame(game="qmg", scenario=scenario, bots=bots, seat=Role("germany"))
    session = games.create_game(new, tmp_path / "game.fplog")
    screen = PlayScreen(session, load_presenter(session.ruleset))
    program = app(tmp_path, screen, settings=NO_PLAYBACK)

    def view() -> QmgView:
        now = session.view()
        assert isinstance(now, QmgView)
        return now

    def points() -> int:
        return view().axis_vp

    async with program.run_test(size=(120, 40)) as pilot:

        async def press(key: str) -> None:
            await pilot.press(key)
            await pilot.pause()
            await program.workers.wait_for_complete()
            await pilot.pause()
            assert not isinstance(program.screen, SureDialog), "nothing is given up by accident"

        while not view().active:  # the first hand
            await press("enter")
        await reached(pilot, lambda: session.decision() is not None)
        for number in range(2):
            keys, before = 0, points()
            while (view().round, view().active) == (number + 1, "germany"):
                # Playing the first card, with its first target, is what Enter suggests. D finishes every other step.
                decision = session.decision()
                is_play = decision is None or decision.rule not in {"8.4", "13.3", "10.4"}
                await press("enter" if is_play else "D")
                keys += 1
            assert 0 < keys <= most_keys, (number, keys)
            assert points() >= before, "no key costs points"
            await reached(pilot, lambda: session.decision() is not None or view().is_over)
            while view().active != "germany" and not view().is_over:
                await press("D")
