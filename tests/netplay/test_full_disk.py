"""A host with a full or read-only disk serves what it can, reports the reason, and blames no player."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import msgspec
import pytest

from netplay.fair.waiting_texts import LATE_SECONDS
from netplay.feed import reminders
from netplay.feed.host_session import HostSession
from netplay.host.host import Host
from netplay.match.host_config import HostConfig
from netplay.match.match_backend import MatchOverview
from netplay.peer.peer import Peer
from netplay.peer.status import ConnectionState
from netplay.session.bot_peer import play_seat
from netplay.session.peer_session import PeerSession
from netplay.system.disk_state import FolderDisk, folder_trouble
from netplay.system.host_log import log_to_file
from netplay.wire import limits
from netplay.wire.errors import UnavailableError
from netplay.wire.messages import CAPABILITIES, Update, decode_answer, encode
from netplay.wire.modes import FAIR, JOINT, Chance
from netplay.workers.host_bots import save_bot_invite
from saves.clocks import parse_clock
from saves.errors import StorageError
from saves.verify import verify_file
from tests.netplay.faulty_disk import WORDS, FaultyDisk
from tests.netplay.lasting_bot import LastingBot
from tests.netplay.tables import PLAYERS, live, play, room, step, until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, Hall, give, stuck
from tests.netplay.test_reminding import told, writer
from tests.netplay.test_suspended import beats, left, suspendable
from tests.sizes import sampled
from tests.toy_game import BLUE, RED, TOY, Hold

ONE = pytest.mark.parametrize("trouble", sampled(["full", "read-only"], 1))


@pytest.fixture(autouse=True)
def _tests_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "REPAIR_SECONDS", 0.1)


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FaultyDisk:
    return FaultyDisk(tmp_path / "host", monkeypatch)


async def standing(host: Host) -> MatchOverview:
    (found,) = (await host.overviews()).values()
    return found


async def says(host: Host, condition: Callable[[MatchOverview], bool]) -> None:
    """Wait until a condition holds for the overview of every match of a host."""
    while not all(map(condition, (await host.overviews()).values())):  # noqa: ASYNC110  # nothing is told of it
        await asyncio.sleep(0.01)


async def give_default(peer: Peer) -> None:
    decision = peer.decision()
    assert decision is not None
    await peer.submit(decision.default)


@ONE
async def test_a_full_disk_refuses_commands_and_is_reported_to_all(
    tmp_path: Path, disk: FaultyDisk, trouble: str
) -> None:
    async with room(tmp_path, "long", clock=parse_clock("60s", "loses")) as table:
        watch = suspendable(table)
        red, blue, watcher = table.peer(RED), table.peer(BLUE), table.peer(None)
        await live(red, blue, watcher)
        await step(2, 1, red, blue)
        sessions = [PeerSession(peer) for peer in (red, blue, watcher)]
        disk.trouble = trouble
        asked, seq = (red if red.is_asked else blue), red.seq
        with pytest.raises(UnavailableError, match=f"{WORDS[trouble]}; nothing was changed"):
            await give_default(asked)
        found = await standing(table.host)
        assert found.heading.endswith(f"; {WORDS[trouble]}")
        assert (found.disk, found.asked) == (trouble, ())
        assert set(found.present) == {RED, BLUE}
        await until(lambda: all(each.blocking_problem() == WORDS[trouble] for each in sessions))
        assert all(WORDS[trouble] in each.status() for each in sessions)
        lines = [line.text for line in sessions[1].log()]
        assert lines[-1] == f"({WORDS[trouble]}: no commands are accepted)"
        before = left(table)
        await beats(table, watch, 300)
        assert left(table) == before, "no time runs while no command is taken"
        assert not any(dial.runs for dial in table.host.tables[table.match].timekeeper.readings())
        late = table.peer(None, "late")
        await until(lambda: late.is_live and late.seq == seq)
        disk.trouble = ""
        await until(lambda: not any(each.blocking_problem() for each in sessions))
        lines = [line.text for line in sessions[1].log()]
        assert lines[-1] == "(the host's disk works again: commands are accepted)"
        found = await standing(table.host)
        assert (found.disk, bool(found.asked)) == ("", True)
        assert WORDS[trouble] not in found.heading
        await beats(table, watch, 2)
        assert asked.role is not None
        assert left(table)[asked.role] == before[asked.role] - 2
        await step(3, 2, red, blue)
    path = next((tmp_path / "host").glob("*.fplog"))
    assert verify_file(path, TOY).status == "ok"


@pytest.mark.full
@ONE
async def test_a_host_starts_and_serves_matches_on_a_full_disk(
    tmp_path: Path, disk: FaultyDisk, trouble: str
) -> None:
    async with room(tmp_path, "long") as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await step(4, 1, red, blue)
        await table.host.stop()
        disk.trouble = trouble
        table.host = table._new_host()
        await table.host.start("127.0.0.1", table.port)
        assert table.host.disk == trouble
        await says(table.host, lambda one: bool(one.disk))
        found = await standing(table.host)
        assert (found.disk, found.asked, found.records) == (trouble, (), 5)
        watcher = table.peer(None)
        await live(red, blue, watcher)
        assert watcher.seq == 4
        asked = red if red.is_asked else blue
        with pytest.raises(UnavailableError, match=WORDS[trouble]):
            await give_default(asked)
        disk.trouble = ""
        await says(table.host, lambda one: not one.disk)
        await step(4, 2, red, blue)
        await until(lambda: watcher.seq == 8)
    path = next((tmp_path / "host").glob("*.fplog"))
    assert verify_file(path, TOY).status == "ok"


@pytest.mark.full
@ONE
async def test_a_finished_match_is_served_from_a_full_disk(
    tmp_path: Path, disk: FaultyDisk, trouble: str
) -> None:
    async with room(tmp_path, "short") as table:
        red = table.peer(RED)
        blue = table.peer(BLUE)
        await asyncio.gather(play(red, 999, 1), play(blue, 999, 2))
        await until(lambda: red.copy.is_revealed)
        await blue.close()  # reconnecting, it would take the seat from the next program
        await table.host.stop()
        disk.trouble = trouble
        table.host = table._new_host()
        await table.host.start("127.0.0.1", table.port)
        again = table.peer(BLUE, "elsewhere")
        await until(lambda: again.replicator.is_done)
        host = (tmp_path / "host" / f"{table.match}.fplog").read_bytes()
        assert again.copy.full_path.read_bytes() == host
        assert (await standing(table.host)).is_over


@pytest.mark.full
@ONE
async def test_a_full_disk_is_reported_to_other_matches_before_they_write(
    tmp_path: Path, disk: FaultyDisk, trouble: str
) -> None:
    async with room(tmp_path, "long") as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        table.host.open_match("toy", "long", {}, PLAYERS)
        disk.trouble = trouble
        with pytest.raises(UnavailableError):
            await give_default(red if red.is_asked else blue)
        await says(table.host, lambda one: one.disk == trouble)
        with pytest.raises(StorageError):
            table.host.open_match("toy", "long", {}, PLAYERS)
        disk.trouble = ""
        await says(table.host, lambda one: not one.disk)


@pytest.mark.full
async def test_no_reminders_are_sent_while_the_disk_is_full(
    tmp_path: Path, disk: FaultyDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reminders, "ABSENCE_SECONDS", 0.0)
    remind = writer(tmp_path)
    async with room(
        tmp_path, "long", manner=HostConfig(window_seconds=0.0, remind=remind)
    ) as table:
        red = table.peer(RED)
        await live(red)
        control = table.host.tables[table.match]._time_control
        disk.trouble = "full"
        with pytest.raises(UnavailableError):
            await red.submit(Hold())
        turns = table.host.tables[table.match].recorder.turns
        turns.reminded.clear()
        already = len(told(tmp_path))
        control._remind_absent()
        control._remind_absent()
        assert not turns.reminded
        disk.trouble = ""
        await until(lambda: len(told(tmp_path)) > already)


# -- chance of all seats


@pytest.mark.full
@ONE
async def test_a_seat_enrols_when_the_disk_recovers(
    tmp_path: Path, disk: FaultyDisk, trouble: str
) -> None:
    async with fair(tmp_path, JOINT) as table:
        allied = table.seat(ALLIED)
        await until(lambda: table.house.pending_matches[table.opened.match].missing == (JAPAN,))
        disk.trouble = trouble
        japan = table.seat(JAPAN)
        for peer in (allied, japan):
            await until(lambda peer=peer: peer.reporter.status.reason.startswith(WORDS[trouble]))  # type: ignore[misc]  # mypy cannot infer it
        assert japan.reporter.status.link is ConnectionState.WAITING
        assert (await standing(table.host)).heading == WORDS[trouble]
        disk.trouble = ""
        await table.live()


@pytest.mark.full
@ONE
async def test_a_host_bot_resumes_when_the_disk_recovers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    disk = FaultyDisk(tmp_path / "host" / "bots", monkeypatch)
    players = {ALLIED: "Ada", JAPAN: "bot:random"}
    made = Hall(tmp_path, "eots", "1943", players, chance=JOINT)
    await made.open()
    try:
        save_bot_invite(made.host.folder, made.opened.invites[JAPAN])
        suspected: list[bool] = []
        monkeypatch.setattr(made.house, "schedule_disk_test", lambda: suspected.append(True))
        made.host.start_bots(made.opened.match)
        allied = made.seat(ALLIED)
        await made.live()
        playing = asyncio.create_task(play_seat(allied, LastingBot("eots")))
        disk.trouble = trouble
        await until(lambda: bool(suspected))
        disk.trouble = ""
        seq = allied.seq + 8
        await until(lambda: allied.seq >= seq)
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
    finally:
        await made.close()


@contextlib.asynccontextmanager
async def fair(folder: Path, chance: Chance = FAIR) -> AsyncIterator[Hall]:
    made = Hall(folder, "eots", "1943", EOTS_PLAYERS, chance=chance)
    await made.open()
    try:
        yield made
    finally:
        await made.close()


@pytest.mark.full
@ONE
@pytest.mark.parametrize("chance", sampled([JOINT, FAIR], 1))
async def test_a_match_on_a_full_disk_does_not_wait_for_seats(
    tmp_path: Path, disk: FaultyDisk, trouble: str, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    async with fair(tmp_path, chance) as table:
        for role in EOTS_PLAYERS:
            table.seat(role)
        await table.live()
        watch = suspendable(table)
        giver, given, away = await stuck(table, monkeypatch)
        await beats(table, watch, LATE_SECONDS + 1)
        await until(lambda: giver.reporter.status.waiting_for == (away,))
        disk.trouble = trouble
        back = table.seat(away)
        held = table.host.tables[table.opened.match]
        await until(lambda: held.recorder.disk_state.is_refusing)
        await until(lambda: giver.reporter.status.disk == back.reporter.status.disk == trouble)
        await beats(table, watch, LATE_SECONDS + 1)
        held.refresh_presence()
        assert held.commands.late_roles == ()
        assert giver.reporter.status.waiting_for == back.reporter.status.waiting_for == ()
        assert not given.done()
        assert held.commands.is_record_due, "the seat's messages are accepted, and not on the disk"
        found = await standing(table.host)
        assert found.heading.endswith(WORDS[trouble])
        disk.trouble = ""
        await given
        await until(lambda: not giver.reporter.status.disk and not back.reporter.status.disk)
        await give(table, 2)


# -- the parts


async def test_a_suspected_disk_is_tested_until_it_recovers(
    tmp_path: Path, disk: FaultyDisk
) -> None:
    folder = tmp_path / "host"
    folder.mkdir()
    changes: list[str] = []
    watched = FolderDisk(folder, None, lambda: changes.append(watched.trouble))  # type: ignore[arg-type]  # the default one
    for trouble in ("full", "read-only", ""):
        disk.trouble = trouble
        assert folder_trouble(folder) == trouble
        watched.schedule_test()
        while watched.trouble != trouble:
            watched.tick()
            await asyncio.sleep(0.01)
    assert changes == ["full", "read-only", ""]
    assert not list(folder.iterdir())


def test_disk_trouble_is_not_sent_to_peers_without_the_capability() -> None:
    knows = HostSession(1, RED, CAPABILITIES)
    older = HostSession(2, BLUE, tuple(name for name in CAPABILITIES if name != "disk"))
    assert (knows.reported_trouble("full"), older.reported_trouble("full")) == ("full", "")
    news = Update(head=3, disk=older.reported_trouble("full"))
    assert b"disk" not in encode(news)
    assert decode_answer(encode(news)) == news
    with_disk = msgspec.structs.replace(news, disk="full")
    assert decode_answer(encode(with_disk)) == with_disk


def test_logging_to_a_read_only_disk_is_skipped(tmp_path: Path, disk: FaultyDisk) -> None:
    (tmp_path / "host").mkdir()
    disk.trouble = "read-only"
    log_to_file(tmp_path / "host" / "host.log")
    assert not (tmp_path / "host" / "host.log").exists()
    (tmp_path / "elsewhere").write_text("no folder")
    with pytest.raises(StorageError):
        log_to_file(tmp_path / "elsewhere" / "host.log")
