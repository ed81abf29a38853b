"""Screens of Carrier Battle, compared with stored pictures."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sizes import sampled
from tests.tui.apps import GOOD, app
from tests.tui.cbps.battles import PRESENTER, SIZES, session
from tests.tui.cbps.test_carrier_board import READY
from tests.tui.cbps.test_presenter import FLYING_MOVES
from tui.app.app import FlagplotApp
from tui.drawing.capabilities import Depth, Terminal
from tui.screens.match.play import PlayScreen

Compare = Callable[..., bool]
"""The fixture of pytest-textual-snapshot."""


def _table(tmp_path: Path, terminal: Terminal = GOOD) -> FlagplotApp:
    return app(tmp_path, PlayScreen(session(FLYING_MOVES), PRESENTER), terminal)


@pytest.mark.full
@pytest.mark.parametrize("size", sampled(SIZES[:2], 1), ids=lambda size: f"{size[0]}x{size[1]}")
def test_missions_move(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(_table(tmp_path), press=["escape", "n"], terminal_size=size)


@pytest.mark.parametrize(
    ("size", "keys"),
    sampled([(SIZES[0], "k"), (SIZES[2], "k"), (SIZES[2], "kk"), (SIZES[2], "i")], 1),
)
def test_boards(snap_compare: Compare, tmp_path: Path, size: tuple[int, int], keys: str) -> None:
    table = app(tmp_path, PlayScreen(session(READY), PRESENTER))
    assert snap_compare(table, press=["escape", *keys], terminal_size=size)


@pytest.mark.full
def test_without_colours_and_beyond_ascii(snap_compare: Compare, tmp_path: Path) -> None:
    plain = Terminal(dumb=False, depth=Depth.NONE, unicode=False)
    table = _table(tmp_path, plain)
    assert snap_compare(table, press=["escape", "a"], terminal_size=(80, 24))
