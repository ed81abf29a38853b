"""The panel for a place shows every unit, or counts those that have no room."""

import re
from pathlib import Path

import pytest
from textual.pilot import Pilot

from engine.kernel.ids import Role
from tests.tui.apps import app
from tests.tui.eots.offensives import PRESENTER, begun
from tui.screens.match.play import PlayScreen
from tui.widgets.lines import Lines
from tui.widgets.lists.rows import Rows

OAHU = "5808"
UNITS = ("Central Pacific HQ", "BB Mississippi", "7AF Air", "X Corps")


async def _settle(pilot: Pilot[int]) -> None:
    for _ in range(4):
        await pilot.pause()


def _in_sight(panel: Lines) -> list[str]:
    return [panel.render_line(y).text.strip() for y in range(panel.size.height)]


@pytest.mark.full
@pytest.mark.parametrize("size", [(80, 24), (160, 46)])
async def test_no_unit_is_dropped_silently(tmp_path: Path, size: tuple[int, int]) -> None:
    session = begun()
    session.switch_role(Role("allied"))
    screen = PlayScreen(session, PRESENTER)
    async with app(tmp_path, screen).run_test(size=size) as pilot:
        screen.map.point_at(OAHU)
        await _settle(pilot)
        panel = screen.query_one("#hex", Lines)
        total = len(panel.text.splitlines())
        lines = _in_sight(panel)
        counted = re.fullmatch(r"(\d+) more \(e\)", lines[-1])
        assert sum(name in panel.text for name in UNITS) == len(UNITS)
        if counted is None:
            assert all(any(name in line for line in lines) for name in UNITS)
        else:
            whole = [line for line in panel.text.splitlines() if line.strip() in lines]
            folded = total - int(counted[1]) - len(whole)
            assert 0 <= folded <= len(lines) - len(whole)
            panel.action_edge(1)
            await _settle(pilot)
            assert "more (e)" not in _in_sight(panel)[-1]


@pytest.mark.full
async def test_panel_borrows_empty_rows_and_returns_them(tmp_path: Path) -> None:
    session = begun()
    session.switch_role(Role("allied"))
    screen = PlayScreen(session, PRESENTER)
    async with app(tmp_path, screen).run_test(size=(160, 46)) as pilot:
        screen.map.point_at("3908")
        await _settle(pilot)
        panel, rows = screen.query_one("#hex", Lines), screen.query_one(Rows)
        usual = panel.outer_size.height
        screen.map.point_at(OAHU)
        await _settle(pilot)
        assert panel.outer_size.height > usual
        assert rows.size.height >= rows.line_count
        screen.map.point_at("3908")
        await _settle(pilot)
        assert panel.outer_size.height == usual
