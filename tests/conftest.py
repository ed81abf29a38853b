"""Selects the tests of a run (``--size``, ``--series``), and fails a run that leaves threads behind.

The time limit of a single test is set by pytest-timeout; see `pyproject.toml`. One thread watches it for all tests.
"""

import gc
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from time import monotonic  # tests replace `time.monotonic`
from typing import Any, Final

import pytest
import structlog
from hypothesis import settings

from engine.kernel.gc_tuning import tune_gc
from saves.fair import secrets
from tests import sizes
from tools.robustness_series import PROPERTY, UNREACHED

JOIN_SECONDS = 20.0
WATCH_SECONDS: Final = 1.0
"""How often the time limit of the running test is checked."""
COVERING: Final = ("engine", "tools/test_scripts_and_scenarios.py")
"""Tests that measure the coverage of the rules: the rules' own tests, and the scripts with the rules' examples."""
NOT_COVERING: Final = (
    *("engine/bots", "engine/cbps/test_air_games.py", "engine/cbps/test_damaged_positions.py"),
    *("engine/eots/test_ch06_reference.py", "engine/eots/test_leaks.py"),
    *("engine/eots/test_position_mutations.py", "engine/eots/test_strategic_phase_random.py"),
    *("engine/qmg/test_leaks.py", "engine/qmg/test_reference.py"),
)
"""Tests of whole games and random positions.

They test no specific rule and take three times as long with coverage on.
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options for the size of the run and for its test series."""
    parser.addoption("--size", choices=sizes.SIZES, default=sizes.SIZES[0])
    parser.addoption("--series", metavar="ID", help="only the tests marked series(ID)")
    parser.addoption("--minutes", type=float, help="leave what has not begun after this time")


@pytest.fixture(scope="session", autouse=True)
def _state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the program's state out of the home folder of the account that runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _without_repetition() -> Iterator[None]:
    """In a quick run, compute each hash chain once, and write files without waiting for the disk.

    No test can see whether the disk has the data: tests of durability watch the calls of `saves.files.Files`.
    """
    with pytest.MonkeyPatch.context() as patch:
        if sizes.chosen() == sizes.SIZES[0]:
            patch.setattr(secrets, "_chain_value", cache(secrets._chain_value))
            for name in ("fsync", "fdatasync"):
                patch.setattr(os, name, lambda handle: None, raising=False)
        yield


@pytest.fixture(autouse=True)
def _picture_folder() -> Iterator[None]:
    """Restore a variable of the screenshot plugin, because the program removes all variables that Textual reads."""
    name = "TEXTUAL_SNAPSHOT_TEMPDIR"
    folder = os.environ.get(name)
    yield
    if folder is not None:
        os.environ[name] = folder


def pytest_configure(config: pytest.Config) -> None:
    """Set the size before any test is loaded. Only a nightly run searches for new examples."""
    size = config.getoption("--size")
    sizes.choose(size)
    for name, examples in zip(sizes.SIZES, (20, 100, 5_000), strict=True):
        settings.register_profile(
            name, deadline=None, max_examples=examples, derandomize=name != "nightly"
        )
    settings.load_profile(size)
    tune_gc()  # as the program does
    config.pluginmanager.register(_Workers())
    config.pluginmanager.register(_TimeLimit(config.pluginmanager.get_plugin("timeout")))
    minutes = config.getoption("--minutes")
    if minutes is not None:
        config.pluginmanager.register(_Clock(minutes))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that need a larger size, and turn coverage off for tests that play whole games."""
    here = Path(__file__).parent
    covering = [here / place for place in COVERING]
    not_covering = [here / place for place in NOT_COVERING]

    @cache
    def is_covering(path: Path) -> bool:
        return _lies_in(path, covering) and not _lies_in(path, not_covering)

    is_measured = bool(config.getoption("cov_source", None))
    wanted: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        (wanted if _is_wanted(config, item) else left_out).append(item)
        ids = [id for mark in item.iter_markers("series") for id in mark.args]
        item.user_properties += [(PROPERTY, id) for id in dict.fromkeys(ids)]
        if is_measured and not is_covering(item.path):
            item.add_marker("no_cover")
    items[:] = wanted
    if left_out:
        config.hook.pytest_deselected(items=left_out)


def pytest_collection_finish() -> None:
    """Exclude the tests and modules from garbage collection, because they live until the end."""
    gc.freeze()


def _lies_in(path: Path, places: list[Path]) -> bool:
    return any(path.is_relative_to(place) for place in places)


def _is_wanted(config: pytest.Config, item: pytest.Item) -> bool:
    place = sizes.SIZES.index(sizes.chosen())
    if any(item.get_closest_marker(size) for size in sizes.SIZES[place + 1 :]):
        return False
    series = config.getoption("--series")
    marks = item.iter_markers("series")
    return series is None or any(series in mark.args for mark in marks)


@pytest.fixture(autouse=True)
def log_as_found() -> Iterator[None]:
    """Restore the logging configuration, so that one test's settings do not affect another's output."""
    yield
    if structlog.is_configured():
        structlog.reset_defaults()


@pytest.fixture(scope="session", autouse=True)
def no_thread_bars_the_end() -> Iterator[None]:
    """Fail if a thread is still running that the interpreter would wait for at exit."""
    before = set(threading.enumerate())
    yield
    end = time.monotonic() + JOIN_SECONDS
    started = [one for one in threading.enumerate() if one not in before and _bars_the_end(one)]
    for thread in started:
        thread.join(max(0.0, end - time.monotonic()))
    assert [thread.name for thread in started if thread.is_alive()] == []


def _bars_the_end(thread: threading.Thread) -> bool:
    """Return whether a thread would delay the end. The running test's timeout thread ends with the test."""
    return not thread.daemon and not thread.name.startswith("pytest_timeout")


class _Clock:
    """Skips tests that have not started when the time is up."""

    def __init__(self, minutes: float) -> None:
        self._end = time.monotonic() + minutes * 60

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        """Skip the next test if the time is up."""
        if time.monotonic() > self._end:
            pytest.skip(UNREACHED)


class _Workers:
    """Fails the run if a worker crashes, and reports how.

    Without this, a crash after a worker's last test would go unnoticed.
    """

    def __init__(self) -> None:
        self.broken: list[str] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:  # noqa: ANN401 - of a library without types
        """Record how a worker ended."""
        if error is not None:
            gateway = node.gateway
            try:
                status = gateway._io.popen.wait(timeout=10)  # negative: a signal number
            except subprocess.TimeoutExpired:
                status = "unknown: it still runs"
            self.broken.append(f"worker {gateway.id}: {error}; exit status {status}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Report crashed workers in the exit code."""
        if self.broken and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print which workers crashed, and how."""
        for line in self.broken:
            terminalreporter.write_line(line)


class _TimeLimit:
    """Ends the process when a test exceeds its time limit, with one thread that watches all tests.

    pytest-timeout would start and join a thread for each test, which takes longer than most tests do.
    """

    def __init__(self, plugin: Any) -> None:  # noqa: ANN401 - of a library without types
        self._plugin = plugin
        self._running: tuple[float, pytest.Item, Any] | None = None
        """The running test with the time at which its limit ends and its settings."""
        self._thread: threading.Thread | None = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_timeout_set_timer(self, item: Any, settings: Any) -> bool | None:  # noqa: ANN401
        """Set the limit of the next test, unless a signal is to end it."""
        if settings.method != "thread":
            return None
        item.cancel_timeout = self._cancel
        self._running = (monotonic() + settings.timeout, item, settings)
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._watch, name="pytest_timeout watch", daemon=True
            )
            self._thread.start()
        return True

    def _cancel(self) -> None:
        self._running = None

    def _watch(self) -> None:
        pause = threading.Event()
        while True:
            pause.wait(WATCH_SECONDS)
            running = self._running
            if running is not None and monotonic() > running[0]:
                self._plugin.timeout_timer(*running[1:])
