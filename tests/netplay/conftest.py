"""Fixtures of the network tests."""

import pytest

from netplay.workers import worker_client
from tests.netplay.impatience import Patience
from tests.netplay.tables import TOY_WORKER


@pytest.fixture(autouse=True)
def _toy_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let worker processes know the toy games."""
    monkeypatch.setattr(worker_client, "PROGRAM", TOY_WORKER)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Patience:
    """Let peers notice lost frames within tenths of a second."""
    return Patience(monkeypatch)
