"""Peers that soon treat a frame as lost, for tests that lose thousands of frames."""

import pytest

from netplay.peer import replicator
from netplay.transport import handshake

BRIEFLY = 0.4
AS_EVER = 5.0


class Patience:
    """The time that peers wait for an answer.

    On a busy machine, short waits alone would prevent peers from ever reconnecting, because all of them would keep
    greeting the host and none would be answered in time. After repairing its line, a test therefore makes the peers
    patient again.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._set = monkeypatch.setattr
        self._set(replicator, "WAIT_MS", 200)
        self._set(replicator, "RETRY_MIN_SECONDS", 0.02)
        self._set(replicator, "RETRY_MAX_SECONDS", 0.1)
        self.wait(BRIEFLY)

    def wait(self, seconds: float) -> None:
        """Set the waiting time."""
        self._set(replicator, "GRACE_SECONDS", seconds)
        self._set(handshake, "ASK_SECONDS", seconds)
        self._set(handshake, "_ANSWER_SECONDS", seconds)
