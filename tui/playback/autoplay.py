"""A replay that goes on by itself, step by step, as fast as the playback of a running game."""

from collections.abc import Callable
from typing import Final, Protocol

from textual.timer import Timer

from tui.playback.director import SECONDS
from tui.settings import Playback

SPEEDS: Final = (Playback.SLOW, Playback.NORMAL, Playback.FAST)


class Player(Protocol):
    """What goes on needs of the screen that it runs on."""

    @property
    def is_in_front(self) -> bool:
        """Return whether nothing stands before the table."""
        ...

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer:
        """Call back later."""
        ...

    def show_next(self) -> int:
        """Show the next step; return how long it stays in steps of the speed, 0 behind the last one."""
        ...


class Autoplay:
    """Starts, stops, and how fast."""

    def __init__(self, player: Player, speed: Playback) -> None:
        """Stand still; a player who wants no playback has asked for this one, and gets it at the usual speed."""
        self._player = player
        self.speed = Playback.NORMAL if speed is Playback.OFF else speed
        self.is_running = False
        self._timer: Timer | None = None

    def start(self) -> None:
        """Go on from here."""
        self.is_running = True
        self._step()

    def stop(self) -> None:
        """Stand still."""
        self.is_running = False
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def next_speed(self) -> Playback:
        """Go on faster, behind the fastest slowly again; return the new speed."""
        self.speed = SPEEDS[(SPEEDS.index(self.speed) + 1) % len(SPEEDS)]
        return self.speed

    def _step(self) -> None:
        hold = self._player.show_next()
        if hold:
            self._wait(hold)
        else:
            self.stop()

    def _wait(self, hold: int) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._player.set_timer(SECONDS[self.speed] * hold, self._tick)

    def _tick(self) -> None:
        self._timer = None
        if not self.is_running:
            return
        if self._player.is_in_front:
            self._step()
        else:
            self._wait(1)
