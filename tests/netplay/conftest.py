"""Fixtures of the network's tests."""

import pytest

from tests.netplay.impatience import Patience


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Patience:
    """Lost frames are noticed in tenths of a second."""
    return Patience(monkeypatch)
