"""No run of the tests hangs: what is left at its end is named, and a shutdown has its time.

A single test has its time from pytest-timeout, see `pyproject.toml`.
"""

import faulthandler
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

JOIN_SECONDS = 20.0
SHUTDOWN_SECONDS = 300.0
"""Longest time between the last test and the end of the session; the report of the coverage is part of it."""
COVERING: Final = ("engine", "tools/test_scripts_and_scenarios.py")
"""What the coverage of the engine is measured with: its own tests, and the scripts with the examples of the rules."""
_errors: Final = pytest.StashKey[int]()


@pytest.fixture(scope="session", autouse=True)
def no_thread_bars_the_end() -> Iterator[None]:
    """Fail when a thread is left for which the interpreter would wait."""
    before = set(threading.enumerate())
    yield
    end = time.monotonic() + JOIN_SECONDS
    started = [one for one in threading.enumerate() if one not in before and _bars_the_end(one)]
    for thread in started:
        thread.join(max(0.0, end - time.monotonic()))
    assert [thread.name for thread in started if thread.is_alive()] == []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Measure no coverage where whole games are played for other reasons: that would take twice the time."""
    here = Path(__file__).parent
    covering = [here / place for place in COVERING]
    for item in items:
        if not any(item.path.is_relative_to(place) for place in covering):
            item.add_marker("no_cover")


def _bars_the_end(thread: threading.Thread) -> bool:
    """The clock of the running test is a thread too, and ends with the test."""
    return not thread.daemon and not thread.name.startswith("pytest_timeout")


def pytest_configure(config: pytest.Config) -> None:
    """Keep the true standard error: the tests' own one may be caught when time is over."""
    config.stash[_errors] = os.dup(sys.__stderr__.fileno() if sys.__stderr__ else 2)
    config.pluginmanager.register(_Workers())


class _Workers:
    """Fails the run when a worker breaks: after its last test that would not be told."""

    def __init__(self) -> None:
        self.is_one_broken = False

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, error: object) -> None:
        """Note how a worker ended."""
        self.is_one_broken = self.is_one_broken or error is not None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Say so in the exit code."""
        if self.is_one_broken and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Give the shutdown its time; afterwards all stacks are printed and the process ends with 1."""
    handle = session.config.stash[_errors]
    faulthandler.dump_traceback_later(SHUTDOWN_SECONDS, exit=True, file=handle)


def pytest_unconfigure(config: pytest.Config) -> None:
    """The shutdown came to its end."""
    faulthandler.cancel_dump_traceback_later()
    os.close(config.stash[_errors])
