"""Programs that are closed while a thread is at work leave no write behind and lose no check."""

import asyncio
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from netplay.mail.standing_orders import StandingOrderRunner
from netplay.match_state import full_record
from netplay.peer import seat_replica
from netplay.peer.status import FullRecordReceived
from netplay.system import disk_state
from netplay.system.disk_state import FolderDisk
from netplay.system.threads import run_to_end
from saves.decoding import canonical
from saves.logfile import LogWriter
from saves.verify import verify_file
from tests.netplay.mail.test_post import toy_post
from tests.netplay.tables import play, room, until
from tests.patience import PATIENCE
from tests.toy_game import BLUE, RED, TOY


class Gate:
    """Holds back calls of a function until it is opened."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._is_open = threading.Event()
        self.begun = 0
        self.ended = 0

    def __call__(self, *args: object, **named: object) -> Any:  # noqa: ANN401  # the function's result
        self.begun += 1
        assert self._is_open.wait(PATIENCE)
        try:
            return self._function(*args, **named)
        finally:
            self.ended += 1

    def open(self) -> None:
        """Let all calls go on, those in progress and later ones."""
        self._is_open.set()

    async def close_meanwhile(self, closing: asyncio.Task[None]) -> None:
        """Let a program be closed while the function is at work, then open the gate."""
        await asyncio.sleep(0.1)
        self.open()
        await closing


@pytest.mark.full
async def test_a_closed_peer_does_not_write_its_full_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(full_record.save_record)
    monkeypatch.setattr(full_record, "save_record", gate)
    async with room(tmp_path, "short") as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await asyncio.gather(play(red, 999, 1), play(blue, 999, 2))
        await until(lambda: gate.begun == 2)
        await gate.close_meanwhile(asyncio.create_task(red.close()))
        assert red.copy.full_path.exists()
        shutil.rmtree(red.copy.path.parent)
        await until(lambda: blue.replicator.is_done)
        assert not red.copy.path.parent.exists()


async def test_an_interrupted_record_comparison_is_repeated_on_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(lambda *_: "record 3: it differs")
    monkeypatch.setattr(seat_replica, "find_difference", gate)
    async with room(tmp_path, "short") as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await asyncio.gather(play(red, 999, 1), play(blue, 999, 2))
        await until(lambda: gate.begun == 2)
        await red.close()
        gate.open()
        found: list[FullRecordReceived] = []
        again = table.peer(RED)
        again.reporter.listen(
            lambda event: found.append(event) if isinstance(event, FullRecordReceived) else None
        )
        await until(lambda: again.replicator.is_done)
        assert [event.difference for event in found] == ["record 3: it differs"]
        assert again.copy.full_path.exists()


async def test_closing_waits_for_a_standing_order_being_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    post, gate = toy_post(tmp_path), Gate(LogWriter.append)
    async with post.desk() as desk:
        table = desk.table
        command = canonical(TOY.decision(table.match.state, RED).options[0])
        seq, path = table.match.seq, desk.server.folder / f"{post.match}.fplog"
        with monkeypatch.context() as patch:
            patch.setattr(LogWriter, "append", lambda *args: gate(*args))  # noqa: PLW0108  # binds the writer
            patch.setattr(StandingOrderRunner, "_next_answer", lambda _: (RED, command))
            table.notify()
            await until(lambda: gate.begun == 1)
            await gate.close_meanwhile(asyncio.create_task(desk.close()))
        assert table.match.seq == seq + 1
    verdict = verify_file(path, TOY)
    assert (verdict.status, verdict.records) == ("ok", seq + 2)
    async with post.desk() as desk:
        assert desk.table.match.seq == seq + 1


async def test_record_being_written_is_applied_after_its_caller_is_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    post, gate = toy_post(tmp_path), Gate(LogWriter.append)
    async with post.desk() as desk:
        recorder, seq = desk.table.recorder, desk.table.match.seq
        monkeypatch.setattr(LogWriter, "append", lambda *args: gate(*args))  # noqa: PLW0108  # binds the writer
        draft = desk.table.match.draft_remark("good luck", RED)
        committing = asyncio.create_task(recorder.commit(draft))
        await until(lambda: gate.begun == 1)
        committing.cancel()
        gate.open()
        with pytest.raises(asyncio.CancelledError):
            await committing
        assert desk.table.match.seq == seq + 1
        await recorder.commit(desk.table.match.draft_remark("and thanks", BLUE))
    verdict = verify_file(desk.server.folder / f"{post.match}.fplog", TOY)
    assert (verdict.status, verdict.records) == ("ok", seq + 3)


async def test_closing_waits_for_a_running_disk_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(disk_state.folder_trouble)
    monkeypatch.setattr(disk_state, "folder_trouble", gate)
    with ThreadPoolExecutor(1) as pool:
        disk = FolderDisk(tmp_path, pool, lambda: None)
        disk.schedule_test()
        disk.tick()
        await until(lambda: gate.begun == 1)
        await gate.close_meanwhile(asyncio.create_task(disk.close()))
        assert gate.ended == 1


async def test_run_to_end_survives_repeated_cancellation_of_its_caller() -> None:
    release = asyncio.Event()
    caller = asyncio.create_task(run_to_end(release.wait()))
    for _ in range(3):
        await asyncio.sleep(0)
        caller.cancel()
    await asyncio.sleep(0)
    assert not caller.done()
    release.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
