"""The host's log: a file or pipe that refuses writes or blocks does not delay anything else."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from structlog.testing import capture_logs
from typing_extensions import override

from netplay.system import host_log
from netplay.system.host_log import LogOutput, log_json
from netplay.wire import limits
from netplay.wire import messages as wire
from play.offers import OfferKind
from saves.files import Files
from tests.netplay.raw import dialled, goodbye, seated
from tests.netplay.tables import room, until
from tests.toy_game import BLUE, RED, TOY, Hold


@pytest.fixture(autouse=True)
def _usual_log() -> Iterator[None]:
    yield
    structlog.reset_defaults()


@pytest.fixture
def pipe() -> Iterator[list[int]]:
    """Yield the ends to read from and to write to. Those removed from the list are not closed afterwards."""
    ends = [*os.pipe()]
    yield ends
    for end in ends:
        os.close(end)


async def test_a_closed_log_pipe_does_not_block_commands(pipe: list[int], tmp_path: Path) -> None:
    os.close(pipe.pop(0))
    outlet = log_json(pipe[0])
    async with room(tmp_path, plain=True) as table, seated(table, RED) as red:
        await red.submit(Hold(), 0)
        assert table.head == 1
    outlet.close()
    assert outlet._dropped > 4


WORDS: dict[str, set[str]] = {
    "player_joined": {"match", "role", "remote"},
    "player_left": {"match", "role"},
    "presence_changed": {"game", "match", "seats"},
    "command": {"game", "match", "role", "seq", "events"},
    "desync_detected": {"game", "match", "role", "seq", "agreed"},
    "desync_report_saved": {"game", "match", "role", "seq", "file"},
    "offer_made": {"game", "match", "role", "matter", "to_seq"},
    "offer_accepted": {"game", "match", "role", "matter", "to_seq"},
    "connection_rejected": {"remote", "certificate", "reason"},
    "flooding_client_disconnected": {"match", "role"},
    "game_over": {"game", "match", "seq"},
}
"""Fields of each line of a host's log during play. They do not include the text of commands."""


@pytest.mark.series("F11")
async def test_log_lines_contain_only_the_listed_fields(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_OFFENCES", 3)
    async with room(tmp_path, "short", plain=True) as table:
        judge = table.host.tables[table.match].match
        with capture_logs() as logs:
            async with seated(table, RED) as red, seated(table, BLUE) as blue:
                seats = {RED: red, BLUE: blue}
                wrong = wire.PollUpdates(seq=0, chain=judge.chain, digest=bytes(32))
                await red.ask(wrong)
                await red.ask(wire.Tail(seq=0, digest=bytes(32), records=()))
                digest = judge.view_digest(RED)
                await red.ask(wire.PollUpdates(seq=0, chain=judge.chain, digest=digest))
                line = await dialled(table.invites[RED])
                await goodbye(line, wire.Ping(token=1))
                await line.close()
                while asked := TOY.active_roles(judge.state):
                    if judge.seq == 2:
                        await red.ask(
                            wire.MakeOffer(request_id="t", matter=OfferKind.TAKEBACK, to_seq=1)
                        )
                        offer = table.host.tables[table.match].chat_and_offers.offer
                        assert offer is not None
                        await blue.ask(
                            wire.OfferAnswer(request_id="u", offer=offer.offer, agree=True)
                        )
                        asked = TOY.active_roles(judge.state)
                    option = TOY.decision(judge.state, asked[0]).options[0]
                    assert isinstance(
                        await seats[asked[0]].submit(option, judge.seq), wire.Accepted
                    )
                for number in range(limits.CHAT_BURST + 6):
                    answer = await red.ask(wire.Say(request_id=f"say-{number}", text="a"))
                    if isinstance(answer, wire.Bye):
                        break
            await until(lambda: any(entry["event"] == "player_left" for entry in logs))
    told = {entry["event"]: set(entry) - {"event", "log_level"} for entry in logs}
    assert told == WORDS


def test_an_unread_log_pipe_does_not_block(pipe: list[int]) -> None:
    outlet = LogOutput(pipe[1])
    lines = 3 * host_log._MAX_QUEUED
    for number in range(lines):
        outlet.msg(f"{number} {'x' * 200}")
    assert outlet._queue.qsize() <= host_log._MAX_QUEUED
    os.set_blocking(pipe[0], False)
    written = b""
    outlet.close(0)  # the thread is stuck, but the exit does not wait for it
    assert outlet._thread is not None
    while outlet._thread.is_alive():
        written += _read(pipe[0])
        outlet.close(0)
    written += _read(pipe[0])
    assert b"log_lines_dropped" in written
    kept = [line for line in written.splitlines() if b"xxx" in line]
    assert kept[0].startswith(b"0 ")
    assert len(kept) < lines


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 1 << 20)
    except BlockingIOError:
        return b""


class FullDisk(Files):
    """Writes half of some lines, and then all of them."""

    def __init__(self, refused: int) -> None:
        self._left = refused

    @override
    def write(self, handle: int, data: memoryview) -> int:
        if not self._left:
            return super().write(handle, data)
        self._left -= 1
        super().write(handle, data[: len(data) // 2])
        raise OSError(28, "No space left on device")


def test_log_lines_lost_to_a_full_disk_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_log, "FILES", FullDisk(3))
    path = tmp_path / "host.log"
    outlet = log_json(os.open(path, os.O_WRONLY | os.O_CREAT))
    for number in range(5):
        structlog.get_logger().info("said", number=number)
    outlet.close()
    whole = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            whole.append(json.loads(line))
        except ValueError:
            continue
    assert [line.get("number", line["event"]) for line in whole] == [3, "log_lines_dropped", 4]
    assert whole[1]["count"] == 3


def test_the_log_file_is_private(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "host.log"
    host_log.log_to_file(path)
    assert path.stat().st_mode & 0o077 == 0


def test_log_rate_limiting_uses_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_log, "_MAX_KINDS", 10)
    monkeypatch.setattr(host_log, "_BURST", 1)
    sparing = host_log.RateLimitingFilter()
    for match in range(100):
        sparing(None, "info", {"event": "player_joined", "match": match})
        with pytest.raises(structlog.DropEvent):
            sparing(None, "info", {"event": "player_joined", "match": match})
    assert len(sparing._buckets) == 10
    assert len(sparing._suppressed) <= 10
    with pytest.raises(structlog.DropEvent):  # what came lately is remembered
        sparing(None, "info", {"event": "player_joined", "match": 99})
