"""A host whose matches are served by worker processes: the same as in one process, and the effects of their death."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs

from engine.kernel.errors import FlagplotError, IllegalCommandError
from engine.kernel.ids import Role
from netplay.host.host_command import HostRunner
from netplay.invites.invite import Invite, load_invite
from netplay.match.match_backend import LoadResult
from netplay.peer.peer import Peer
from netplay.peer.status import Chatted, ConnectionState
from netplay.wire.errors import NetworkError
from netplay.workers import channel, worker_pool
from netplay.workers.host_bots import save_bot_invite
from netplay.workers.in_flight_marker import InFlightMarker, new_marker_file
from netplay.workers.worker import Worker
from netplay.workers.worker_client import WorkerClient
from play.offers import OfferKind
from saves.logfile import SUFFIX, read_log
from saves.verify import verify_file
from tests.netplay.tables import (
    PLAYERS,
    Room,
    is_over,
    live,
    play,
    room,
    step,
    toy_plan,
    toy_rules,
    until,
)
from tests.patience import PATIENCE
from tests.sizes import sized
from tests.toy_game import BLUE, RED, TOY, Hold, Lay


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Room]:
    async with room(tmp_path, "long", workers=2) as made:
        yield made


def worker_of(table: Room, match: str = "") -> worker_pool.WorkerSlot:
    return table.host.pool.assignments[match or table.match].worker


def kill(worker: worker_pool.WorkerSlot) -> int:
    """Kill the process of a worker. Return its id."""
    process = worker.process
    assert process
    os.kill(process, signal.SIGKILL)
    return process


async def killed(worker: worker_pool.WorkerSlot) -> None:
    """Kill the process of a worker and wait until another one serves its matches."""
    gone = kill(worker)
    await until(lambda: worker.process not in {0, gone})
    await until(lambda: all(place.is_open for place in worker.assignments.values()))


class Other:
    """Another match of the same host."""

    def __init__(self, table: Room, game: str = "toy") -> None:
        opened = table.host.open_match(game, "long", {}, PLAYERS)
        self.match = opened.match
        self.invites: dict[Role | None, Invite] = opened.invites
        self._table = table

    def peer(self, role: Role | None) -> Peer:
        folder = self._table.folder / f"{self.match}-{role}"
        peer = Peer(self.invites[role], folder, toy_rules)
        peer.start()
        self._table.peers.append(peer)
        return peer


@pytest.mark.full
async def test_matches_are_distributed_over_worker_processes(table: Room) -> None:
    others = [Other(table) for _ in range(3)]
    for other in others:
        await table.host.wait_until_open(other.match)
    workers = [worker_of(table, match) for match in (table.match, *(one.match for one in others))]
    assert [worker.number for worker in workers] == [1, 2, 1, 2]
    assert len({os.getpid(), *(worker.process for worker in workers)}) == 3
    assert table.host.tables == {}


@pytest.mark.full
async def test_a_whole_game_can_be_played_in_a_worker(tmp_path: Path) -> None:
    async with room(tmp_path, "short", workers=2) as table:
        red, blue, watcher = table.peer(RED), table.peer(BLUE), table.peer(None)
        await live(red, blue, watcher)
        await asyncio.wait_for(asyncio.gather(play(red, 999, 1), play(blue, 999, 2)), PATIENCE)
        await until(lambda: all(map(is_over, (red, blue, watcher))))
        path = table.host.folder / f"{table.match}{SUFFIX}"
        full = read_log(path)
        for peer in (red, blue, watcher):
            assert peer.seq == table.head
            assert peer.copy.chain == full.records[-1].chain
            assert TOY.outcome(peer.state) is not None
        assert verify_file(path, TOY).status == "ok"


@pytest.mark.full
async def test_chat_refusals_takebacks_and_presence_work_in_a_worker(table: Room) -> None:
    red, blue = table.peer(RED), table.peer(BLUE)
    heard: list[Chatted] = []
    blue.reporter.listen(lambda event: heard.append(event) if isinstance(event, Chatted) else None)
    await live(red, blue)
    await until(lambda: red.reporter.status.absent == ())
    foreign = TOY.project(blue.state, BLUE).hand[0]
    with pytest.raises(IllegalCommandError) as caught:
        await red.submit(Lay(card=foreign))
    assert [reason.rule for reason in caught.value.refusals] == ["1.1"]
    await red.say("good\x1b]52;c;x\x07 luck\n")
    await until(lambda: heard == [Chatted(role="red", text="good luck")])
    before = red.view()
    await red.submit(Hold())
    await red.propose(OfferKind.TAKEBACK, 0)
    await until(lambda: blue.reporter.offer is not None)
    await blue.answer_offer(agree=True)
    await until(lambda: red.seq == blue.seq == 2)
    assert red.view() == before
    watcher = table.peer(None)
    await live(watcher)
    with pytest.raises(NetworkError, match="spectators"):
        await watcher.say("hello")
    await blue.close()
    await until(lambda: red.reporter.status.absent == (BLUE,))


@pytest.mark.full
async def test_a_second_connection_takes_the_seat_over(table: Room) -> None:
    first = table.peer(RED, place="first")
    await live(first)
    second = table.peer(RED, place="second")
    await live(second)
    await until(lambda: first.reporter.status.link is ConnectionState.STOPPED)
    assert "another connection" in first.reporter.status.reason
    await second.submit(Hold())


async def test_a_match_resumes_after_its_worker_is_killed(table: Room) -> None:
    red, blue = table.peer(RED), table.peer(BLUE)
    await live(red, blue)
    await step(6, 1, red, blue)
    held = table.head
    with capture_logs() as logs:
        await killed(worker_of(table))
    assert [line["event"] for line in logs if line["event"].startswith(("worker", "match"))] == [
        "worker_died",
        "worker_started",
        "match_resumed",
    ]
    await live(red, blue)
    assert table.head == held
    await step(6, 2, red, blue)
    assert red.copy.chain == blue.copy.chain
    watcher = table.peer(None)  # with an older invite
    await until(lambda: watcher.is_live and watcher.seq == red.seq)


@pytest.mark.full
@pytest.mark.series("D4")
async def test_acknowledged_commands_survive_repeated_worker_kills(table: Room) -> None:
    red, blue = table.peer(RED), table.peer(BLUE)
    await live(red, blue)
    taken: list[tuple[Role, int]] = []

    async def playing(peer: Peer, role: Role) -> None:
        while True:
            await peer.reporter.wait_for(lambda: peer.decision() is not None)
            decision = peer.decision()
            if decision is not None:
                record = await peer.submit(decision.options[0])
                taken.append((role, record.seq))

    tasks = [asyncio.create_task(playing(red, RED)), asyncio.create_task(playing(blue, BLUE))]
    try:
        for _ in range(sized(2, 5, of="killed workers")):
            count = len(taken)
            await until(lambda count=count: len(taken) >= count + 6)  # type: ignore[misc]  # mypy cannot infer it
            await killed(worker_of(table))
        count = len(taken)
        await until(lambda: len(taken) >= count + 6)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    records = read_log(table.host.folder / f"{table.match}{SUFFIX}").records
    assert all(records[seq].role == role for role, seq in taken)
    assert len({seq for _, seq in taken}) == len(taken)
    assert [record.seq for record in records] == list(range(len(records)))


@pytest.mark.full
async def test_a_killed_worker_does_not_affect_matches_of_other_workers(table: Room) -> None:
    other = Other(table)
    mine = table.peer(RED), table.peer(BLUE)
    theirs = other.peer(RED), other.peer(BLUE)
    await live(*mine, *theirs)
    assert worker_of(table) is not worker_of(table, other.match)
    told: set[str] = set()
    for peer in (*mine, *theirs):
        peer.reporter.listen(
            lambda _, peer=peer: told.add(  # type: ignore[misc]  # mypy cannot infer it
                f"{peer.invite.match} {peer.reporter.status.reason}"
            )
        )
    gone = kill(worker_of(table))
    await step(10, 3, *theirs)
    await until(lambda: worker_of(table).process not in {0, gone})
    await step(10, 4, *theirs)
    await live(*mine)
    await step(4, 5, *mine)
    reopened = {words.split()[0] for words in told if "opening this match" in words}
    assert reopened == {table.match}
    assert not worker_of(table, other.match).crash_count


@pytest.mark.full
async def test_host_bots_play_in_a_worker_and_resume_after_its_death(tmp_path: Path) -> None:
    async with room(tmp_path, "short", workers=2) as table:
        players = {RED: "bot:random", BLUE: "Ada"}
        opened = table.host.open_match("toy", "middle", {}, players)
        save_bot_invite(table.host.folder, opened.invites[RED])
        await table.host.wait_until_open(opened.match)
        table.host.start_bots(opened.match)
        blue = Peer(opened.invites[BLUE], tmp_path / "blue", toy_rules)
        blue.start()
        table.peers.append(blue)
        await asyncio.wait_for(play(blue, 5, 1), PATIENCE)
        await killed(worker_of(table, opened.match))
        await asyncio.wait_for(play(blue, 999, 2), PATIENCE)
        await until(lambda: is_over(blue))


@pytest.mark.full
async def test_only_a_match_that_repeatedly_kills_its_worker_is_disabled(
    table: Room,
) -> None:
    deadly, beside = Other(table, "deadly"), Other(table)
    deadly_beside = [Other(table) for _ in range(2)]
    for other in (deadly, beside, *deadly_beside):
        await table.host.wait_until_open(other.match)
    neighbour = next(
        one
        for one in deadly_beside
        if worker_of(table, one.match) is worker_of(table, deadly.match)
    )
    doomed = deadly.peer(RED)
    mine = table.peer(RED), table.peer(BLUE)
    near = neighbour.peer(RED), neighbour.peer(BLUE)
    await live(doomed, *mine, *near)
    with capture_logs() as logs:
        given = asyncio.create_task(doomed.submit(Hold()))
        await until(lambda: doomed.reporter.status.link is ConnectionState.STOPPED)
    with pytest.raises(NetworkError, match="cannot continue"):
        await given
    assert [line["event"] for line in logs].count("worker_died") == 3
    assert [line["event"] for line in logs].count("match_disabled") == 1
    assert table.host.pool.assignments[deadly.match].is_broken
    await live(*mine, *near)
    await step(4, 1, *mine)
    await step(4, 2, *near)
    assert len(table.host.pool.workers) == 2
    late = deadly.peer(BLUE)
    await until(lambda: late.reporter.status.link is ConnectionState.STOPPED)
    assert "cannot continue" in late.reporter.status.reason
    assert read_log(table.host.folder / f"{deadly.match}{SUFFIX}").records


@pytest.mark.full
async def test_an_innocent_match_is_never_disabled(table: Room) -> None:
    """Whatever was happening when its worker died, it continues if it is alone in a process."""
    red, blue = table.peer(RED), table.peer(BLUE)
    await live(red, blue)
    place = table.host.pool.assignments[table.match]
    for _ in range(worker_pool.ISOLATE_AFTER):
        worker = place.worker
        assert isinstance(worker.backend, WorkerClient)
        marks = worker.backend._marker
        assert marks is not None
        marks._memory[:16] = table.match.encode()  # as if its process was working on it
        gone = kill(worker)
        await until(partial(_follows, table, gone))
        await live(red, blue)
    assert place.worker.is_isolated
    await step(4, 1, red, blue)
    assert not place.is_broken


def _follows(table: Room, gone: int) -> bool:
    place = table.host.pool.assignments[table.match]
    return place.is_open and place.worker.process not in {0, gone}


@pytest.mark.full
async def test_a_repeatedly_crashing_worker_without_a_suspect_is_given_up(
    table: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_pool, "MAX_CRASHES", 3)
    other = Other(table)
    await table.host.wait_until_open(other.match)
    worker = worker_of(table)
    for _ in range(2):
        await killed(worker)
    kill(worker)
    await until(lambda: table.host.pool.assignments[table.match].is_broken)
    theirs = other.peer(RED), other.peer(BLUE)
    await live(*theirs)
    await step(4, 1, *theirs)
    later = Other(table)
    assert worker_of(table, later.match) is worker_of(table, other.match)


@pytest.mark.full
async def test_a_stopped_host_leaves_complete_records_and_no_processes(tmp_path: Path) -> None:
    async with room(tmp_path, "long", workers=2) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await step(5, 1, red, blue)
        reasons: list[str] = []
        red.reporter.listen(lambda _: reasons.append(red.reporter.status.reason))
        processes = [worker.process for worker in table.host.pool.workers]
        head = table.head
        await table.host.stop("the house burns")
        for process in processes:
            with pytest.raises(ProcessLookupError):
                os.kill(process, 0)
        await until(lambda: "the house burns" in reasons)
        assert table.head == head
        await table.restart()
        await live(red, blue)
        await step(3, 2, red, blue)


async def test_a_failed_worker_start_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("netplay.workers.worker_client.PROGRAM", ["false"])
    table = Room(tmp_path, workers=2)
    with pytest.raises(NetworkError, match="did not start"):
        await table.open()
    assert all(worker.process == 0 for worker in table.host.pool.workers)


@pytest.mark.full
async def test_a_match_cannot_be_joined_before_its_worker_has_loaded_it(table: Room) -> None:
    worker = worker_of(table)
    gone = worker.process
    os.kill(gone, signal.SIGSTOP)
    try:
        others = [Other(table) for _ in range(2)]
        waiting = next(one for one in others if worker_of(table, one.match) is worker)
        peer = waiting.peer(RED)
        await until(lambda: peer.reporter.status.link is ConnectionState.LOST)
        assert "try again in a moment" in peer.reporter.status.reason
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(gone, signal.SIGCONT)
    await live(peer)


@pytest.mark.full
async def test_an_orphaned_worker_exits(tmp_path: Path) -> None:
    table = Room(tmp_path, workers=2)
    await table.open()
    house = worker_of(table).backend
    assert isinstance(house, WorkerClient)
    process = house.process
    table.host.pool._is_closing = True
    house._channel.close()  # as the system does when the host dies
    began = time.monotonic()
    await until(lambda: house.status is not None)
    assert house.status == 0, "it ended by itself"
    assert time.monotonic() - began < PATIENCE
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    await table.close()


@pytest.mark.full
async def test_a_hanging_worker_is_replaced_and_its_match_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_pool, "WATCH_SECONDS", 0.1)
    async with room(tmp_path, "long", workers=2) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        monkeypatch.setattr("netplay.workers.worker_client.HANGING_SECONDS", 2.0)
        worker = worker_of(table)
        hanging = worker.process
        os.kill(hanging, signal.SIGSTOP)
        with capture_logs() as logs:
            await until(lambda: worker.process not in {0, hanging})
        assert {"event": "worker_unresponsive", "process": hanging, "log_level": "error"} in logs
        monkeypatch.setattr("netplay.workers.worker_client.HANGING_SECONDS", PATIENCE)
        await live(red, blue)
        await step(3, 1, red, blue)


@pytest.mark.full
async def test_an_older_invite_is_refused_after_a_new_one_is_issued(tmp_path: Path) -> None:
    hosting = HostRunner(replace(toy_plan(tmp_path), workers=2), toy_rules)
    running = await hosting.start()
    older = load_invite(Path(running.invites[0].path))
    path = await hosting.reissue_invites(running.match, (RED,))
    first = Peer(older, tmp_path / "first", toy_rules)
    second = Peer(load_invite(path), tmp_path / "second", toy_rules)
    try:
        first.start()
        second.start()
        await until(lambda: first.reporter.status.link is ConnectionState.STOPPED)
        assert "belongs to a different key" in first.reporter.status.reason
        await live(second)
    finally:
        await first.close()
        await second.close()
        await hosting.stop()


@pytest.mark.full
async def test_a_match_with_unwritable_invites_leaves_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosting = HostRunner(replace(toy_plan(tmp_path), workers=2, game=""), toy_rules)
    await hosting.start()
    try:
        (tmp_path / "invites").write_text("in the way")
        with pytest.raises(FlagplotError):
            await hosting.open(toy_plan(tmp_path))
        assert not hosting.host.pool.assignments
        assert not _records(tmp_path)
        assert await hosting.lobby() == ()
    finally:
        await hosting.stop()


def _records(folder: Path) -> list[Path]:
    return list(folder.glob(f"*{SUFFIX}"))


def test_in_flight_marks_are_readable_from_another_process() -> None:
    with new_marker_file() as file:
        written, read = InFlightMarker(file.fileno()), InFlightMarker(file.fileno())
    with written.mark("0123456789abcdef"), written.mark("fedcba9876543210"):
        assert read.marked_matches() == {"0123456789abcdef", "fedcba9876543210"}
    assert read.marked_matches() == frozenset()
    with contextlib.ExitStack() as many:
        for number in range(100):
            many.enter_context(written.mark(f"{number:016}"))
        assert len(read.marked_matches()) == 64
    assert read.marked_matches() == frozenset()


async def test_a_channel_decodes_messages_split_at_any_byte() -> None:
    heard: list[channel.WorkerOrder] = []
    end = channel.Channel(channel.ORDER_DECODER, heard.append, lambda: None)
    sent = [
        channel.Disconnected(line=1),
        channel.LoadMatch(number=2, match="x" * 300),
        channel.StopWorker(number=3, reason=""),
    ]
    stream = b"".join(
        len(data).to_bytes(4, "big") + data for data in map(msgspec.msgpack.encode, sent)
    )
    for size in (1, 3, 7, len(stream)):
        heard.clear()
        for start in range(0, len(stream), size):
            end.data_received(stream[start : start + size])
        assert heard == sent


@pytest.mark.full
async def test_a_worker_responds_while_loading_many_matches() -> None:
    """Otherwise the host would mistake a worker with many long records for one that hangs."""
    said: list[channel.WorkerMessage] = []

    class Recorder:
        def send(self, message: channel.WorkerMessage) -> None:
            said.append(message)

    class Slow:
        def take(self, match: str) -> "asyncio.Future[LoadResult]":
            taken: asyncio.Future[LoadResult] = asyncio.get_running_loop().create_future()
            taken.set_result(LoadResult(records=1, is_over=False))
            return taken

        async def is_done(self) -> bool:
            return True

    with new_marker_file() as file:
        worker = Worker(InFlightMarker(file.fileno()), toy_rules)
    worker._channel = Recorder()  # type: ignore[assignment]  # what is said there
    worker._server = Slow()  # type: ignore[assignment]  # all that is asked of it
    for number in range(40):
        worker._on_order(channel.LoadMatch(number=number, match=f"{number:016}"))
    await asyncio.sleep(0)
    worker._on_order(channel.CheckDone(number=99))
    await until(lambda: len(said) == 41)
    assert said.index(channel.Completed(number=99)) < 10


@pytest.mark.full
async def test_joining_a_match_with_missing_record_does_not_reveal_a_path(
    table: Room,
) -> None:
    (table.host.folder / f"{table.match}{SUFFIX}").unlink()
    worker = worker_of(table, table.match)
    kill(worker)
    await until(lambda: table.host.pool.assignments[table.match].error is not None)
    late = table.peer(RED)
    await until(lambda: late.reporter.is_over)
    assert late.reporter.status.reason == "the host cannot open this match; its log says why"
