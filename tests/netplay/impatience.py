"""Peers that soon take a frame for lost, for tests in which frames get lost by the thousand."""

import pytest

from netplay.peer import peer, replicator
from netplay.transport import handshake

BRIEFLY = 0.4
AS_EVER = 5.0


class Patience:
    """How long peers wait for an answer.

    On a busy machine short waits alone would keep peers from ever coming back: all of them would greet
    again and again, and none would be answered in time. So a test that heals its line makes them patient again.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._set = monkeypatch.setattr
        self._set(replicator, "WAIT_MS", 200)
        self._set(replicator, "RETRY_MIN_SECONDS", 0.02)
        self._set(replicator, "RETRY_MAX_SECONDS", 0.1)
        self.wait(BRIEFLY)

    def wait(self, seconds: float) -> None:
        """Set for how long."""
        self._set(replicator, "GRACE_SECONDS", seconds)
        self._set(replicator, "ASK_SECONDS", seconds)
        self._set(peer, "ASK_SECONDS", seconds)
        self._set(handshake, "_ANSWER_SECONDS", seconds)
