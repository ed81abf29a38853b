"""Looks at 80x24 and 120x40, compared with kept pictures."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tui.apps import app
from tests.tui.eots.still import StillSession, still_view
from tui.app import FlagplotApp
from tui.eots.presenter import EotsPresenter
from tui.screens.play import PlayScreen

Compare = Callable[..., bool]
"""The fixture of pytest-textual-snapshot."""
SIZES = [pytest.param((80, 24), id="80x24"), pytest.param((120, 40), id="120x40")]


def _table(tmp_path: Path) -> FlagplotApp:
    session = StillSession(still_view())
    return app(tmp_path, PlayScreen(session, EotsPresenter(session.ruleset)))


@pytest.mark.parametrize("size", SIZES)
def test_menu(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(app(tmp_path), terminal_size=size)


@pytest.mark.parametrize("size", SIZES)
def test_table(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(_table(tmp_path), press=["n", "n"], terminal_size=size)


@pytest.mark.parametrize("size", SIZES)
def test_overview_with_zones(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(_table(tmp_path), press=["n", "n", "o", "minus"], terminal_size=size)


@pytest.mark.parametrize("size", SIZES)
def test_detail(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(_table(tmp_path), press=["n", "z"], terminal_size=size)


@pytest.mark.parametrize("size", SIZES)
def test_hand(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(_table(tmp_path), press=["h"], terminal_size=size)


@pytest.mark.parametrize("size", SIZES)
def test_rules(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(_table(tmp_path), press=["f1"], terminal_size=size)
