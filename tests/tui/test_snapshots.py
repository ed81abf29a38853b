"""Screens at 80x24 and 120x40, compared with stored pictures."""

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from engine import registry
from tests.tui.apps import app, reached
from tests.tui.eots.still import StillSession, still_view
from tui.app.app import FlagplotApp
from tui.eots.presenter import EotsPresenter
from tui.screens.forms.host import HostDialog
from tui.screens.match.play import PlayScreen
from tui.widgets.game_preview import GamePreview

Compare = Callable[..., bool]
"""The fixture of pytest-textual-snapshot."""
SIZES = [
    pytest.param((80, 24), id="80x24"),
    pytest.param((120, 40), id="120x40", marks=pytest.mark.full),
]


def _table(tmp_path: Path) -> FlagplotApp:
    session = StillSession(still_view())
    return app(tmp_path, PlayScreen(session, EotsPresenter(session.ruleset)))


@pytest.mark.parametrize("size", SIZES)
def test_menu(
    snap_compare: Compare,
    tmp_path: Path,
    size: tuple[int, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    async def has_picture(pilot: Pilot[int]) -> None:
        await reached(
            pilot, lambda: any(one.is_shown for one in pilot.app.screen.query(GamePreview))
        )

    assert snap_compare(app(tmp_path), terminal_size=size, run_before=has_picture)


@pytest.mark.parametrize("size", SIZES)
def test_table(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(_table(tmp_path), press=["n", "n"], terminal_size=size)


@pytest.mark.full
@pytest.mark.parametrize("size", SIZES)
def test_overview_with_zones(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(_table(tmp_path), press=["n", "n", "O", "minus"], terminal_size=size)


@pytest.mark.full
@pytest.mark.parametrize("size", SIZES)
def test_detail(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(_table(tmp_path), press=["n", "z"], terminal_size=size)


@pytest.mark.full
@pytest.mark.parametrize("size", SIZES)
def test_hand(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(_table(tmp_path), press=["h"], terminal_size=size)


@pytest.mark.full
@pytest.mark.parametrize("size", SIZES)
def test_rules(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(_table(tmp_path), press=["f1"], terminal_size=size)


@pytest.mark.full
@pytest.mark.parametrize("size", SIZES)
def test_host_form_with_a_clock(
    snap_compare: Compare, tmp_path: Path, size: tuple[int, int]
) -> None:
    program = app(tmp_path)

    async def choose_a_clock(pilot: Pilot[int]) -> None:
        form = HostDialog(registry.ruleset("eots"), "Ann")
        await program.push_screen(form)
        await pilot.pause()
        rows = form.query_one(OptionList)
        rows.highlighted = rows.get_option_index("clock")
        await pilot.pause()
        await pilot.press("right", "right")
        await pilot.pause()

    assert snap_compare(program, terminal_size=size, run_before=choose_a_clock)
