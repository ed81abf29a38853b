"""The application for tests: no user configuration, a terminal that can show everything."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from textual.pilot import Pilot
from textual.screen import Screen

from tui.app import FlagplotApp
from tui.terminal import Terminal

GOOD = Terminal(dumb=False, colours=True, unicode=True)


def app(folder: Path, screen: Screen[None] | None = None, terminal: Terminal = GOOD) -> FlagplotApp:
    return FlagplotApp(terminal, folder / "settings.json", screen)


async def reached(pilot: Pilot[int], condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Let the program run until something is true; fails when the time is over first."""
    async with asyncio.timeout(seconds):
        while not condition():
            await pilot.pause()
