"""Records the replay of a game as an asciicast, without a terminal."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from textual.driver import Driver
from textual.drivers.headless_driver import HeadlessDriver
from textual.pilot import Pilot
from typing_extensions import override

from play.replay_session import ReplaySession
from tui.app.app import FlagplotApp
from tui.app.still import CAPABLE_TERMINAL
from tui.presenter.presenter import load_presenter
from tui.screens.replay.replay import ReplayScreen
from tui.terminal.settings import Settings, save_settings

_CLEAR: Final = "\x1b[2J"
"""Clears the viewer's terminal."""
_STEP_SECONDS: Final = 1.0
_LAST_SECONDS: Final = 5.0
"""How long the last position is shown."""


class CastFrame(NamedTuple):
    """Output from the program, and its time in seconds since the start."""

    seconds: float
    data: str


def asciicast(frames: Sequence[CastFrame], end: float, size: tuple[int, int], title: str) -> str:
    """Return frames as an asciicast, version 2."""
    width, height = size
    header = {
        "version": 2,
        "width": width,
        "height": height,
        "title": title,
        "env": {"TERM": "xterm-256color"},
    }
    events = [[round(frame.seconds, 2), "o", frame.data] for frame in frames if frame.data]
    events.append([round(end, 2), "o", ""])
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in (header, *events))


class _CastApp(FlagplotApp):
    """The program with a driver that collects its output."""

    def __init__(self, settings_path: Path, screen: ReplayScreen) -> None:
        self.output: list[str] = []
        super().__init__(CAPABLE_TERMINAL, settings_path, screen)

    @override
    def get_driver_class(self) -> type[Driver]:
        output = self.output

        class CollectingDriver(HeadlessDriver):
            """A driver without a terminal, which keeps what the program writes."""

            @property
            @override
            def is_headless(self) -> bool:
                """Return False, because a headless program would write nothing."""
                return False

            @override
            def write(self, data: str) -> None:
                output.append(data)

        return CollectingDriver

    def take_output(self) -> str:
        """Return the output since the last call."""
        data = "".join(self.output)
        self.output.clear()
        return data


def replay_cast(session: ReplaySession, size: tuple[int, int]) -> str:
    """Return the replay from a session's position to the end of the record, one command per second, as an asciicast."""
    frames: list[CastFrame] = []

    async def step_through(pilot: Pilot[Any]) -> None:
        await pilot.pause()
        frames.append(CastFrame(0.0, f"{_CLEAR}{app.take_output()}"))
        while session.seq < session.last_seq:
            screen.action_step("command", 1)
            await pilot.pause()
            frames.append(CastFrame(len(frames) * _STEP_SECONDS, app.take_output()))
        app.exit()

    with TemporaryDirectory() as home:
        path = Path(home) / "settings.json"
        save_settings(path, Settings(reduced_motion=True))
        screen = ReplayScreen(session, load_presenter(session.ruleset))
        app = _CastApp(path, screen)
        asyncio.run(app.run_async(size=size, auto_pilot=step_through))
    # Textual hides errors raised in a pilot, so check that the pilot has reached its end.
    assert session.seq == session.last_seq, "the replay must be complete"
    end = frames[-1].seconds + _LAST_SECONDS
    return asciicast(frames, end, size, f"flagplot: {session.ruleset.title}")
