"""Draws screens as SVG pictures, without a terminal."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from textual.screen import Screen

from tui.app.app import FlagplotApp
from tui.drawing.capabilities import Depth, Terminal
from tui.presenter.presenter import load_presenter
from tui.screens.replay.replay import ReplayScreen
from tui.terminal.settings import Settings, save_settings

if TYPE_CHECKING:
    from play.replay_session import ReplaySession

CAPABLE_TERMINAL: Final = Terminal(dumb=False, depth=Depth.TRUE, unicode=True)


async def render_svg(
    screen: Screen[None],
    size: tuple[int, int],
    keys: Sequence[str] = (),
    settings: Settings | None = None,
    title: str = "flagplot",
) -> str:
    """Open a screen, press keys, and return the result as SVG.

    Args:
        screen: The screen.
        size: Columns and rows.
        keys: The keys to press first.
        settings: The settings; None for the default ones. The player's own settings are not used.
        title: Title above the picture.
    """
    with TemporaryDirectory() as home:
        path = Path(home) / "settings.json"
        save_settings(path, settings or Settings())
        app = FlagplotApp(CAPABLE_TERMINAL, path, screen)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            for key in keys:
                await pilot.press(key)
            await pilot.pause()
            return app.export_screenshot(title=title)


def position_svg(session: "ReplaySession", size: tuple[int, int]) -> str:
    """Return the replay screen at a session's position and from its seat, as SVG."""
    screen = ReplayScreen(session, load_presenter(session.ruleset))
    return asyncio.run(render_svg(screen, size, settings=Settings(reduced_motion=True)))
