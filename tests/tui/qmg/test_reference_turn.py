"""The number of keys needed for a turn of Quartermaster General."""

from pathlib import Path

import pytest

from engine.qmg.view import QmgView
from tests.tui.apps import app, reached
from tools.dev.pictures import EXAMPLE, example_session
from tui.presenter.presenter import load_presenter
from tui.screens.match.play import PlayScreen

MOST_KEYS = 4


def view_of(screen: PlayScreen) -> QmgView:
    view = screen.session.view()
    assert isinstance(view, QmgView)
    return view


async def test_a_turn_takes_at_most_4_keys(tmp_path: Path) -> None:
    session = example_session(EXAMPLE, ())
    screen = PlayScreen(session, load_presenter(session.ruleset))
    async with app(tmp_path, screen).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert screen.panel.shown_choices[1].title == "Play Build Army: Italy, Scandinavia"
        keys = ("2", "enter", "D")  # the card, the space, and no discards
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
        await reached(pilot, lambda: view_of(screen).active == "uk")
        assert "italy" in view_of(screen).pieces["germany"].army
        assert len(keys) <= MOST_KEYS


@pytest.mark.full
async def test_card_with_one_target_skips_the_target_question(tmp_path: Path) -> None:
    session = example_session(EXAMPLE, ())
    screen = PlayScreen(session, load_presenter(session.ruleset))
    async with app(tmp_path, screen).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert screen.panel.shown_choices[5].title == "Play Sea Battle: North Sea"
        await pilot.press("6")
        await reached(pilot, lambda: len(session.draft.commands) == len(("play", "battle")))
        assert session.decision() is None, "now the others may answer"
        await pilot.press("u")
        await reached(pilot, lambda: len(session.draft.commands) == 1)
        titles = [line.title for line in screen.panel.shown_choices]
        assert "Battle the Black Sea, which is empty" in titles, "undone, there is a choice"
