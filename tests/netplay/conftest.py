"""Fixtures of the network tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from netplay.workers import worker_client
from tests.netplay.impatience import Patience
from tests.netplay.tables import TOY_WORKER
from tests.netplay.test_processes import Processes


@pytest.fixture(autouse=True)
def _toy_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let worker processes know the toy games."""
    monkeypatch.setattr(worker_client, "PROGRAM", TOY_WORKER)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Patience:
    """Let peers notice lost frames within tenths of a second."""
    return Patience(monkeypatch)


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    """Return the programs of a test, which end with it."""
    made = Processes(tmp_path)
    yield made
    made.end()
