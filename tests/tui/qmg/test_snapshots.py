"""Screens of Quartermaster General at 80x24 and 120x40, compared with stored pictures."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sizes import sampled
from tests.tui.apps import app
from tools.dev.pictures import EXAMPLE, example_session
from tui.app.app import FlagplotApp
from tui.drawing.capabilities import Depth, Terminal
from tui.presenter.presenter import load_presenter
from tui.screens.match.play import PlayScreen

Compare = Callable[..., bool]
"""The fixture of pytest-textual-snapshot."""
SIZES = [pytest.param((80, 24), id="80x24"), pytest.param((120, 40), id="120x40")]
BATTLE = ("play de_land_battle#1", "battle germany ukraine ussr")


def _table(tmp_path: Path, *commands: str, terminal: Terminal | None = None) -> FlagplotApp:
    session = example_session(EXAMPLE, commands)
    screen = PlayScreen(session, load_presenter(session.ruleset))
    return app(tmp_path, screen) if terminal is None else app(tmp_path, screen, terminal)


@pytest.mark.parametrize("size", sampled(SIZES, 1))
def test_play_step(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(_table(tmp_path), press=["n"], terminal_size=size)


@pytest.mark.full
@pytest.mark.parametrize("size", sampled(SIZES, 1))
def test_response(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(_table(tmp_path, *BATTLE), terminal_size=size)


@pytest.mark.full
def test_battle_board(snap_compare: Compare, tmp_path: Path) -> None:
    assert snap_compare(_table(tmp_path, *BATTLE), press=["b"], terminal_size=(80, 24))


@pytest.mark.full
def test_without_colours_and_beyond_ascii(snap_compare: Compare, tmp_path: Path) -> None:
    plain = Terminal(dumb=False, depth=Depth.NONE, unicode=False)
    table = _table(tmp_path, *BATTLE, terminal=plain)
    assert snap_compare(table, press=["s"], terminal_size=(80, 24))
