"""The legend explains every tint of the map, whatever overlay was chosen before."""

from pathlib import Path

import pytest

from engine.kernel.ids import Role
from tests.tui.apps import app
from tests.tui.eots.offensives import PRESENTER, commanded
from tui.drawing.colour_roles import OverlayRole
from tui.maps.hexmap.scene import HexScene
from tui.presenter.presenter import NO_OVERLAY, Selection
from tui.screens.match.play import PlayScreen


def _untold(scene: HexScene) -> set[OverlayRole]:
    """Return the tints on the map that the legend does not explain."""
    painted = {cell.paint[1] for cell in scene.cells.values()} - {OverlayRole.NONE}
    return painted - {swatch.tint for swatch in scene.swatches}


@pytest.mark.parametrize("overlay", ["", NO_OVERLAY, "zoi", "supply", "air", "threat"])
async def test_legend_explains_every_tint(overlay: str) -> None:
    session = await commanded("activate us-cv-enterprise", "done", "pick us-cv-enterprise")
    session.switch_role(Role("allied"))
    selection = Selection(cursor="4828", overlay=overlay, options=session.offered_commands())
    scene = PRESENTER.scene(session.view(), selection)
    assert not _untold(scene)
    assert any(cell.tag for cell in scene.cells.values()) is (overlay == "")


@pytest.mark.full
async def test_move_selects_its_own_overlay(tmp_path: Path) -> None:
    session = await commanded("activate us-cv-enterprise", "done")
    session.switch_role(Role("allied"))
    screen = PlayScreen(session, PRESENTER)
    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        await pilot.press("O")
        await pilot.pause()
        assert screen.overlay == "zoi"
        screen.panel.rows.focus()
        await pilot.press("1")
        await pilot.pause()
        assert screen.overlay == ""
        await pilot.press("x")
        await pilot.pause()
        assert screen.overlay == NO_OVERLAY, "what is chosen for a move holds while it lasts"
