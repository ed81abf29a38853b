"""The application for tests: without user configuration, on a terminal that can show everything."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from textual.pilot import Pilot
from textual.screen import Screen

from tui.app.app import FlagplotApp
from tui.drawing.capabilities import Depth, Terminal
from tui.terminal.settings import Playback, Settings, save_settings
from tui.widgets.lists.choice_lines import RowLine
from tui.widgets.lists.rows import Rows

GOOD = Terminal(dumb=False, depth=Depth.TRUE, unicode=True)
QUIET = Settings(playback=Playback.OFF, news=False, lan=False)
"""No playback, so that each key acts on the current table, and no network access."""


def app(
    folder: Path,
    screen: Screen[None] | None = None,
    terminal: Terminal = GOOD,
    settings: Settings = QUIET,
) -> FlagplotApp:
    path = folder / "settings.json"
    if not path.exists():
        assert not save_settings(path, settings)
    return FlagplotApp(terminal, path, screen)


async def reached(pilot: Pilot[int], condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Let the program run until a condition holds. Fail if the time runs out first."""
    async with asyncio.timeout(seconds):
        while not condition():
            await pilot.pause()


def lines_in_sight(rows: Rows) -> tuple[RowLine, ...]:
    """Return the lines of a list that are on the screen."""
    top = rows.scroll_offset.y
    return rows._lines[top : top + rows.size.height]
