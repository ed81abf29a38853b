"""The number of keys for a whole turn, in both scenarios, with the keys that the screen suggests."""

import asyncio
from pathlib import Path

import pytest

from engine.kernel.ids import Role
from engine.qmg.view import QmgView
from play import games
from tests.sizes import sampled, sized
from tests.tui.apps import app, reached
from tui.presenter.presenter import load_presenter
from tui.screens.dialogs.prompt import SureDialog
from tui.screens.match.play import PlayScreen
from tui.terminal.settings import Playback, Settings

NO_PLAYBACK = Settings(reduced_motion=True, news=False, playback=Playback.OFF)
MOST_PRESSES = 60
"""Limit for each loop outside the counted turns, so that a key without effect fails the test."""
MOST_SECONDS = 30.0
"""Limit for what one key starts, so that a question without an answer fails the test."""


@pytest.mark.parametrize(("scenario", "most_keys"), sampled([("base", 3), ("total-war", 6)], 1))
async def test_turn_takes_few_keys_in_both_scenarios(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scenario: str, most_keys: int
) -> None:
    monkeypatch.setattr(games, "new_secret", lambda: bytes(range(32)))
    # With these random numbers, the British bot plays a card that makes Germany choose its loss.
    monkeypatch.setattr("play.bots.secrets.token_bytes", bytes)
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
            # A worker that asks a question waits for the answer, so look for the question first.
            assert not isinstance(program.screen, SureDialog), "nothing is given up by accident"
            async with asyncio.timeout(MOST_SECONDS):
                await program.workers.wait_for_complete()
            await pilot.pause()
            assert not isinstance(program.screen, SureDialog), "nothing is given up by accident"

        def key_of_step() -> str:
            """Return the key for the first card and its first target, or the key that ends any other step."""
            decision = session.decision()
            # Enter passes at the beginning of a step, where the bar is on the pass.
            event = view().trigger
            is_own_step = event is not None and event.by == "germany" and "_begin" in event.kind
            if decision is None or is_own_step or decision.rule not in {"8.4", "13.3", "10.4"}:
                return "enter"
            # In Total War, discarding no card costs a point. The first digit discards a card, whereas D would ask.
            return "1" if any(line.loss for line in screen.panel.shown_choices) else "D"

        for _ in range(MOST_PRESSES):  # the first hand
            if view().active:
                break
            await press("enter")
        assert view().active
        await reached(pilot, lambda: session.decision() is not None)
        for number in range(sized(1, 2)):
            keys, before = 0, points()
            while (view().round, view().active) == (number + 1, "germany"):
                await press(key_of_step())
                keys += 1
                assert keys <= most_keys, (number, keys)
            assert keys, number
            assert points() >= before, "no key costs points"
            for _ in range(MOST_PRESSES):
                await reached(pilot, lambda: session.decision() is not None or view().is_over)
                if view().active == "germany" or view().is_over:
                    break
                question = session.decision()
                await press("D")
                if session.decision() == question:  # D says that one of the lines must be chosen
                    await press("1")
            assert view().active == "germany" or view().is_over
