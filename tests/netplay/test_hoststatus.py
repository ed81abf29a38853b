"""``flagplot host status`` shows the status of a running host, without secrets."""

import asyncio
import errno
import os
import re
import socket
import stat
from pathlib import Path

import pytest
from filelock import FileLock
from msgspec.structs import replace

from engine.kernel.errors import DataError
from netplay.host import status_server
from netplay.host.host_command import HostRunner
from netplay.host.status_server import (
    SOCKET,
    HostStatus,
    MatchStatus,
    SeatStatus,
    WorkerStatus,
    ask_status,
)
from netplay.invites.invite import load_invite
from netplay.peer.peer import Peer
from netplay.system import folder_lock
from netplay.wire.errors import FolderInUseError
from saves.errors import StorageError
from saves.logfile import SUFFIX, read_log
from tests.netplay.tables import live, toy_plan, toy_rules
from tests.patience import PATIENCE
from tests.sizes import sampled
from tests.toy_game import BLUE, RED, Hold
from tools.host_status import format_age, status_lines, status_text


async def asked(folder: Path) -> HostStatus:
    return await asyncio.to_thread(ask_status, folder)


def kept(folder: Path) -> dict[str, bytes]:
    """Return the files of a hosting folder that must survive the process."""
    found = (*folder.glob("host.*"), *folder.glob(f"*{SUFFIX}"))
    return {path.name: path.read_bytes() for path in found if path.is_file()}


async def test_socket_of_an_unwritable_folder_is_in_the_runtime_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime, folder = tmp_path / "runtime", tmp_path / "host"
    runtime.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    listen = status_server._listen

    def refuse(path: Path) -> socket.socket:
        if path.parent == folder:
            raise OSError(errno.EROFS, "Read-only file system")
        return listen(path)

    monkeypatch.setattr(status_server, "_listen", refuse)
    hosting = HostRunner(toy_plan(folder), toy_rules)
    running = await hosting.start()
    try:
        assert not (folder / SOCKET).exists()
        assert (await asked(folder)).port == running.port
        assert stat.S_IMODE((runtime / "flagplot").stat().st_mode) == 0o700
        (runtime / "flagplot").chmod(0o755)
        with pytest.raises(DataError, match="no host is running"):
            await asked(folder)
        (runtime / "flagplot").chmod(0o700)
    finally:
        await hosting.stop()
    assert not list((runtime / "flagplot").iterdir())


def test_a_full_disk_is_reported_first(tmp_path: Path) -> None:
    status = HostStatus(process=1, port=7480, disk="full", workers=(), matches=())
    assert status_lines(status)[1] == (
        "the host's disk is full: matches can be watched, but no commands are accepted"
    )


@pytest.mark.parametrize("workers", sampled([1, 2], 1))
async def test_the_status_lists_players_present_and_to_move(tmp_path: Path, workers: int) -> None:
    plan = replace(toy_plan(tmp_path), workers=workers)
    hosting = HostRunner(plan, toy_rules)
    running = await hosting.start()
    red = Peer(load_invite(Path(running.invites[0].path)), tmp_path / "red", toy_rules)
    try:
        red.start()
        await live(red)
        await red.submit(Hold())
        status = await asked(tmp_path)
        assert (status.process, status.port) == (os.getpid(), running.port)
        assert [worker.worker for worker in status.workers] == ([0] if workers == 1 else [1, 2])
        assert [worker.matches for worker in status.workers] == [1, 0][:workers]
        assert all(worker.process and not worker.died for worker in status.workers)
        assert (status.workers[0].process == os.getpid()) is (workers == 1)
        (match,) = status.matches
        assert (match.match, match.game, match.state) == (running.match, "toy", "open")
        assert (match.records, match.spectators, match.worker) == (2, 0, workers - 1)
        assert match.age_seconds is not None
        assert [(seat.roles, seat.player) for seat in match.seats] == [
            ("red", "Ada"),
            ("blue", "Bob"),
        ]
        assert [(seat.is_here, seat.is_asked) for seat in match.seats] == [
            (True, False),
            (False, True),
        ]
        text = await asyncio.to_thread(status_text, tmp_path, as_json=False)
        assert "blue (Bob): away, to move" in text
        assert "red (Ada): here" in text
        assert "2 records, the last" in text
    finally:
        await red.close()
        await hosting.stop()


@pytest.mark.parametrize("workers", sampled([1, 2], 1))
async def test_the_status_contains_no_secrets(tmp_path: Path, workers: int) -> None:
    hosting = HostRunner(replace(toy_plan(tmp_path), workers=workers), toy_rules)
    running = await hosting.start()
    try:
        text = await asyncio.to_thread(status_text, tmp_path, as_json=True)
        log = read_log(tmp_path / f"{running.match}{SUFFIX}")
        assert log.header.secret is not None
        assert log.header.secret.hex() not in text
        assert not re.findall(r"\bc\d\d\b", text), "no card"
        assert "invite" not in text
        assert str(tmp_path) not in text
        assert "PRIVATE" not in text
        mode = (tmp_path / SOCKET).stat().st_mode
        assert stat.S_ISSOCK(mode)
        assert stat.S_IMODE(mode) == 0o600
    finally:
        await hosting.stop()
    assert not (tmp_path / SOCKET).exists()


def test_a_missing_host_is_reported(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no host is running in this folder"):
        ask_status(tmp_path)
    with pytest.raises(DataError, match="no host is running in this folder"):
        ask_status(tmp_path / "nowhere")


async def test_a_stale_socket_of_a_killed_host_is_ignored(tmp_path: Path) -> None:
    hosting = HostRunner(toy_plan(tmp_path), toy_rules)
    await hosting.start()
    left = tmp_path / "left"
    (tmp_path / SOCKET).rename(left)
    await hosting.stop()
    left.rename(tmp_path / SOCKET)
    with pytest.raises(DataError, match="no host is running in this folder"):
        ask_status(tmp_path)
    again = HostRunner(replace(toy_plan(tmp_path), game=""), toy_rules)
    await again.start()
    try:
        assert len((await asked(tmp_path)).matches) == 1
    finally:
        await again.stop()


async def test_a_folder_with_a_long_name_is_supported(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 80) / ("y" * 80)
    hosting = HostRunner(toy_plan(folder), toy_rules)
    await hosting.start()
    try:
        assert len((await asked(folder)).matches) == 1
    finally:
        await hosting.stop()


@pytest.mark.parametrize("left", ["lock-and-status", "lock", "status"])
async def test_second_host_in_a_folder_is_refused_with_first_hosts_address(
    tmp_path: Path, left: str
) -> None:
    first, second = (HostRunner(toy_plan(tmp_path), toy_rules) for _ in range(2))
    running = await first.start()
    place, status = f"127.0.0.1:{running.port}", tmp_path / SOCKET
    try:
        if left == "status":  # an older host, or a folder where it cannot create files
            first.host._unlock()
        if left == "lock":  # a host whose socket could not be created
            status.unlink()
        before = kept(tmp_path)
        who = "" if left == "lock" else f" (process {os.getpid()})"
        with pytest.raises(FolderInUseError) as refused:
            await second.start()
        assert str(refused.value) == (
            f"a host is already running in this folder at {place}{who}; 'flagplot host status' shows"
            " it. Stop it first, or choose another folder with --folder"
        )
        await second.stop()
        assert kept(tmp_path) == before, "its address and its matches stay"
        if left != "lock":
            assert (await asked(tmp_path)).address == place
    finally:
        await first.stop()
    third = HostRunner(replace(toy_plan(tmp_path), game=""), toy_rules)
    assert (await third.start()).resumed
    await third.stop()


async def test_a_folder_that_cannot_be_locked_is_still_hosted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> FileLock:
        raise StorageError(f"cannot lock {path}: Read-only file system")

    monkeypatch.setattr(folder_lock, "lock_path", refuse)
    hosting = HostRunner(toy_plan(tmp_path), toy_rules)
    await hosting.start()
    try:
        with pytest.raises(FolderInUseError, match=f"process {os.getpid()}"):
            await HostRunner(toy_plan(tmp_path), toy_rules).start()
    finally:
        await hosting.stop()


@pytest.mark.full
async def test_a_finished_match_is_reported_as_over(tmp_path: Path) -> None:
    players = {RED: "bot:random", BLUE: "bot:random"}
    plan = replace(toy_plan(tmp_path, players), scenario="short", workers=2)
    hosting = HostRunner(plan, toy_rules)
    await hosting.start()
    try:
        states: list[str] = []

        async def ends() -> None:
            while "over" not in states:
                states.extend(match.state for match in (await asked(tmp_path)).matches)

        await asyncio.wait_for(ends(), PATIENCE)
        match = (await asked(tmp_path)).matches[0]
        assert [seat.is_bot for seat in match.seats] == [True, True]
        assert not any(seat.player for seat in match.seats)
    finally:
        await hosting.stop()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (59, "59 s"), (60, "1 min"), (7_199, "1 h"), (86_400, "1 d"), (200_000, "2 d")],
)
def test_ages_are_formatted_in_the_largest_unit(seconds: int, text: str) -> None:
    assert format_age(seconds) == text


def test_the_status_shows_display_names_of_games_and_roles() -> None:
    seat = SeatStatus(
        roles="germany+italy", player="Ada", is_bot=False, is_here=True, is_asked=False
    )
    match = MatchStatus(
        match="0123456789abcdef",
        game="qmg",
        scenario="Base game",
        state="open",
        heading="Set-up",
        seats=(seat,),
        spectators=0,
        records=1,
        age_seconds=90,
        worker=2,
    )
    worker = WorkerStatus(worker=2, process=0, matches=1, died=1)
    status = HostStatus(process=1, port=7480, workers=(worker,), matches=(match,))
    assert status_lines(status) == [
        "host on port 7480, process 1, 1 match",
        "worker 2: starting, 1 match, restarted 1 time",
        "0123456789abcdef Quartermaster General WW2, Base game, mode trusted host, worker 2",
        "  Set-up",
        "  1 record, the last one 1 min ago",
        "  Germany, Italy (Ada): here",
    ]


def test_finished_matches_are_listed_last_on_one_line() -> None:
    going_on = MatchStatus(
        match="0123456789abcdef",
        game="qmg",
        scenario="Base game",
        state="open",
        heading="Set-up",
        seats=(),
        spectators=0,
        records=1,
        age_seconds=90,
        worker=0,
        chance="fair",
    )
    over = replace(
        going_on, match="fedcba9876543210", state="over", heading="The Axis has won", spectators=1
    )
    status = HostStatus(process=1, port=7480, workers=(), matches=(over, going_on))
    assert status_lines(status) == [
        "host on port 7480, process 1, 2 matches",
        "0123456789abcdef Quartermaster General WW2, Base game, mode fair (experimental)",
        "  Set-up",
        "  1 record, the last one 1 min ago",
        "fedcba9876543210 Quartermaster General WW2, Base game: over: The Axis has won, 1 min ago, 1 watching",
    ]
