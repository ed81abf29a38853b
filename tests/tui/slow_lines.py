"""A slow line between a player and a program on a pseudo-terminal: high latency, low bandwidth, packet loss."""

import os
import select
import time
from typing import Final

from tests.tui.terminals import LIMIT_SECONDS, QUIET_SECONDS, Terminal

ONE_WAY_SECONDS: Final = 0.1
BYTES_PER_SECOND: Final = 8_000
"""64 kbit/s."""
LOST_OF: Final = 50
"""One out of this number of packets is lost."""
AGAIN_SECONDS: Final = 0.4
"""Delay until a lost packet is resent. Everything sent after it waits for it."""
PACKET: Final = 1_400


class SlowLine:
    """Carries keys to a program and its output back, like an SSH connection over such a line."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._packets = LOST_OF // 2
        self._arrived = 0.0
        self.sent = 0
        """Number of output bytes so far."""
        self.lost = 0
        """Number of packets that had to be resent."""

    def _arrival(self, now: float) -> float:
        """Return the arrival time of data sent now. Packets never overtake each other."""
        self._arrived = max(self._arrived, now + ONE_WAY_SECONDS + self._late())
        return self._arrived

    def _late(self) -> float:
        """Return the additional delay of the next packet."""
        self._packets += 1
        is_lost = self._packets % LOST_OF == 0
        self.lost += is_lost
        return AGAIN_SECONDS * is_lost

    def play(self, key: bytes) -> int:
        """Type a key and wait until the program is idle. Return the number of bytes sent after the key arrived.

        The program can write no faster than the line takes its output.
        """
        began = time.monotonic()
        arrives: float | None = self._arrival(began)
        free, quiet, after = began, began, 0
        while (now := time.monotonic()) < began + LIMIT_SECONDS:
            if arrives is not None and arrives <= now:
                self._terminal.type(key)
                arrives = None
            data = self._output(max(free - now, 0.0))
            if data:
                self.sent += len(data)
                after += len(data)
                free = max(free, now) + len(data) / BYTES_PER_SECOND + self._late()
            if data or arrives is not None or now < free or self._terminal.is_running():
                quiet = now
            elif now > quiet + QUIET_SECONDS:
                return after
        raise AssertionError("the program does not come to rest")

    def _output(self, wait: float) -> bytes:
        """Return a packet of output once the line is free."""
        if wait:
            time.sleep(min(wait, 0.02))
            return b""
        ready, _, _ = select.select([self._terminal.handle], [], [], 0.02)
        return os.read(self._terminal.handle, PACKET) if ready else b""
