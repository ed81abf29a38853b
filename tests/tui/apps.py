"""The application for tests: no user configuration, a terminal that can show everything."""

from pathlib import Path

from textual.screen import Screen

from tui.app import FlagplotApp
from tui.terminal import Terminal

GOOD = Terminal(dumb=False, colours=True, unicode=True)


def app(folder: Path, screen: Screen[None] | None = None, terminal: Terminal = GOOD) -> FlagplotApp:
    return FlagplotApp(terminal, folder / "settings.json", screen)
