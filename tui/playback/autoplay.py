"""Automatic step-by-step replay, with the same playback speeds as during a game."""

from collections.abc import Callable
from typing import Final, Protocol

from textual.timer import Timer

from tui.playback.controller import SECONDS
from tui.terminal.settings import Playback

SPEEDS: Final = (Playback.SLOW, Playback.NORMAL, Playback.FAST)


class AutoplayScreen(Protocol):
    """The methods that a screen must provide for automatic replay."""

    @property
    def is_in_front(self) -> bool:
        """True if no dialog covers the screen."""
        ...

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer:
        """Call a function after a delay in seconds."""
        ...

    def show_next(self) -> int:
        """Show the next step. Return its duration in units of the playback speed; 0 after the last step."""
        ...


class Autoplay:
    """Starts, stops and paces an automatic replay."""

    def __init__(self, screen: AutoplayScreen, speed: Playback) -> None:
        """Create a paused replay. If the player has switched playback off, use the normal speed."""
        self._screen = screen
        self.speed = Playback.NORMAL if speed is Playback.OFF else speed
        self.is_running = False
        self._timer: Timer | None = None

    def start(self) -> None:
        """Play from the current step."""
        self.is_running = True
        self._step()

    def stop(self) -> None:
        """Pause."""
        self.is_running = False
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def next_speed(self) -> Playback:
        """Switch to the next faster speed and return it. After the fastest speed comes the slowest."""
        self.speed = SPEEDS[(SPEEDS.index(self.speed) + 1) % len(SPEEDS)]
        return self.speed

    def _step(self) -> None:
        duration = self._screen.show_next()
        if duration:
            self._schedule_step(duration)
        else:
            self.stop()

    def _schedule_step(self, duration: int) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._screen.set_timer(SECONDS[self.speed] * duration, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        if not self.is_running:
            return
        # Wait while a dialog covers the screen, so that the player misses no step.
        if self._screen.is_in_front:
            self._step()
        else:
            self._schedule_step(1)
