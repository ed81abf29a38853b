"""Data that a process may leave behind, and its end: core dumps, old keys, a terminal that disappears."""

import asyncio
import ctypes
import datetime as dt
import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from engine.kernel.errors import DataError
from netplay.host import host_command
from netplay.host.host_command import HostPlan, run_host
from netplay.invites import identity
from netplay.invites.host_keys import IDENTITY_FILE, load_authority
from netplay.system import core_dumps
from tests.netplay.tables import room
from tests.toy_game import RED

_GET_DUMPABLE, _SET_DUMPABLE = 3, 4


@pytest.fixture
def dumps() -> Iterator[ctypes.CDLL]:
    """Allow core dumps during the test, and restore the limit afterwards."""
    system = ctypes.CDLL(None)
    before = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (before[1], before[1]))
    system.prctl(_SET_DUMPABLE, 1, 0, 0, 0)
    yield system
    resource.setrlimit(resource.RLIMIT_CORE, before)
    system.prctl(_SET_DUMPABLE, 1, 0, 0, 0)


def _plan(folder: Path) -> HostPlan:
    return HostPlan(host="127.0.0.1", port=0, plain=True, folder=folder, invites=folder)


@pytest.mark.series("F11")
def test_core_dumps_are_disabled(dumps: ctypes.CDLL) -> None:
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    core_dumps.forbid_core_dumps()
    assert resource.getrlimit(resource.RLIMIT_CORE) == (0, hard)
    assert dumps.prctl(_GET_DUMPABLE, 0, 0, 0, 0) == 0


def test_core_dumps_can_be_enabled_by_environment(
    dumps: ctypes.CDLL, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(core_dumps.KEEP_VARIABLE, "1")
    core_dumps.forbid_core_dumps()
    assert dumps.prctl(_GET_DUMPABLE, 0, 0, 0, 0) == 1


@pytest.mark.series("F11")
async def test_host_and_peer_forbid_core_dumps(dumps: ctypes.CDLL, tmp_path: Path) -> None:
    running = host_command.HostRunner(_plan(tmp_path / "host"))
    await running.start()
    await running.stop()
    assert dumps.prctl(_GET_DUMPABLE, 0, 0, 0, 0) == 0
    dumps.prctl(_SET_DUMPABLE, 1, 0, 0, 0)
    async with room(tmp_path / "room", plain=True) as table:
        table.peer(RED)
        assert dumps.prctl(_GET_DUMPABLE, 0, 0, 0, 0) == 0


@pytest.mark.parametrize(
    ("days", "problem"),
    [(2, r"not valid before .* the clock of this machine says"), (-3660, "it expired on")],
)
def test_expired_and_future_host_keys_are_reported_at_start(
    tmp_path: Path, days: int, problem: str
) -> None:
    made = identity.new_authority(dt.datetime.now(dt.UTC) + dt.timedelta(days=days))
    (tmp_path / IDENTITY_FILE).write_bytes(msgspec.json.encode(made))
    with pytest.raises(DataError, match=problem) as told:
        load_authority(tmp_path)
    assert "flagplot host invite" in str(told.value)


@pytest.mark.parametrize("is_ignored", [True, False], ids=["nohup", "terminal"])
async def test_a_host_survives_sighup_only_if_ignored(tmp_path: Path, *, is_ignored: bool) -> None:
    loop = asyncio.get_running_loop()
    before = {  # a shell that starts the tests in the background may ignore them
        signal.SIGHUP: signal.signal(
            signal.SIGHUP, signal.SIG_IGN if is_ignored else signal.SIG_DFL
        ),
        signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler),
    }
    started = asyncio.Event()
    host = asyncio.create_task(run_host(_plan(tmp_path), lambda _: started.set(), once=False))
    try:
        await started.wait()
        assert (signal.getsignal(signal.SIGHUP) is signal.SIG_IGN) == is_ignored
        os.kill(os.getpid(), signal.SIGHUP)
        if is_ignored:
            os.kill(os.getpid(), signal.SIGINT)
        assert await host == (130 if is_ignored else 0)
    finally:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            loop.remove_signal_handler(number)
        for number, handler in before.items():
            signal.signal(number, handler)
