"""Unfinished moves: information about way points, and a confirmation before a commit cuts the move short (7.23)."""

from pathlib import Path

from textual.widgets import Static

from engine.eots.commands import Sail, SailVia
from engine.eots.ids import HexId
from tests.tui.apps import app
from tests.tui.eots.offensives import PRESENTER, commanded
from tui.screens.dialogs.prompt import SureDialog
from tui.screens.match.play import PlayScreen

BATTLESHIP = "us-bb-north-carolina"


def test_waypoint_is_distinguished_from_the_end_of_a_move() -> None:
    passed, ended = SailVia(to=HexId("4423")), Sail(to=HexId("4423"))
    alone = PRESENTER.draft_message(None, passed, (passed,))  # type: ignore[arg-type]  # no table is looked at
    both = PRESENTER.draft_message(None, passed, (passed, ended))  # type: ignore[arg-type]  # no table is looked at
    assert alone == (
        "Waypoint 4423 Guadalcanal: the move continues but may not end there (w shows why)."
    )
    assert both == "Waypoint 4423 Guadalcanal: the move continues."


async def test_commit_in_mid_move_asks_first(tmp_path: Path) -> None:
    session = await commanded(f"activate {BATTLESHIP}", "done", f"pick {BATTLESHIP}")
    screen = PlayScreen(session, PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("c")
        await pilot.pause()
        asked = program.screen
        assert isinstance(asked, SureDialog)
        title = str(asked.query_one(".title", Static).render())
        assert title.startswith("BB North Carolina has not moved: the move is not finished.")
        await pilot.press("c", "n")
        await pilot.pause()
        assert session.draft.size == 5, "nothing was committed"


async def test_prompt_names_its_hexes() -> None:
    session = await commanded(f"activate {BATTLESHIP}", "done", f"pick {BATTLESHIP}")
    decision = session.decision()
    assert decision is not None
    assert PRESENTER.prompt(decision) == "Move BB North Carolina from 4828 Nouméa"
