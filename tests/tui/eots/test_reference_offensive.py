"""The reference offensive: four units, one battle and the way home, and the number of keys needed."""

from pathlib import Path

import pytest

from engine.eots.view import EotsView
from tests.tui.apps import app, reached
from tests.tui.eots.offensives import FLEET, PRESENTER, begun
from tui.screens.match.play import PlayScreen

MOST = 19
KEYS = (
    "enter 1 4"  # an offensive with the first card and the South Pacific HQ
    " A D y"  # all ships in Nouméa, where the list begins; two activations stay unused
    " 1 A slash r a enter"  # all of them to Rabaul
    " c"
    " A"  # every hit that can be assigned
    " 1 A enter 3 c"  # all of them to Guadalcanal, the third of the ports by distance
)


@pytest.mark.full
async def test_four_unit_offensive_with_a_battle_takes_few_keys(tmp_path: Path) -> None:
    session = begun()
    screen = PlayScreen(session, PRESENTER)
    program = app(tmp_path, screen)
    keys = KEYS.split()
    async with program.run_test(size=(80, 24)) as pilot:
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
            if program.screen is screen:
                await program.workers.wait_for_complete()
        await reached(pilot, lambda: session.decision() is not None)
        view = session.view()
    assert isinstance(view, EotsView)
    assert view.offensive is None
    assert any("4021 Rabaul, air-naval:" in line.text for line in session.log())
    ships = [unit.at for unit in view.units if unit.id in FLEET]
    assert ships == ["4423"] * len(FLEET)
    assert len(keys) <= MOST
