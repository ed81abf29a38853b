"""Bots in seats, bots run by the host, and the latency that the benchmark prints."""

import asyncio
import resource
from pathlib import Path
from statistics import median

import pytest

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from netplay.host.latency import measure_times
from netplay.invites.invite import SUFFIX
from netplay.peer.peer import Peer
from netplay.peer.status import ConnectionState
from netplay.session.bot_peer import play_seat
from netplay.transport import handshake
from netplay.wire.errors import ConnectionLostError, NetworkError
from netplay.wire.messages import MAX_WAIT_MS, Ping
from netplay.workers.host_bots import HostBots, save_bot_invite
from play.bots import bot_name, create_seat_bot
from play.offers import OfferKind
from saves.entries import remark_text
from saves.errors import StorageError
from tests.netplay.tables import Room, is_over, live, room, toy_rules, until
from tests.patience import PATIENCE
from tests.play.tables import Talking
from tests.toy_game import BLUE, RED, TOY, Hold


async def test_two_bots_finish_a_game(tmp_path: Path) -> None:
    async with room(tmp_path, "short") as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        bots = [play_seat(peer, create_seat_bot("random", "toy")) for peer in (red, blue)]
        await asyncio.wait_for(asyncio.gather(*bots), PATIENCE)
        assert is_over(red)
        assert is_over(blue)
        assert TOY.outcome(red.state) is not None


@pytest.mark.full
async def test_bot_remarks_are_recorded_once_and_survive_a_restart(
    tmp_path: Path,
) -> None:
    async with room(tmp_path, "short") as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        bot = asyncio.create_task(play_seat(blue, Talking()))
        other = asyncio.create_task(play_seat(red, create_seat_bot("random", "toy")))
        await until(lambda: red.is_ready and red.seq >= 3)
        await table.restart()
        await asyncio.wait_for(asyncio.gather(bot, other), PATIENCE)
        judge = table.host.tables[table.match].match
        remarks = [record for record in judge.records if record.kind == "remark"]
        after = [judge.records[record.seq + 1] for record in remarks]
        assert {remark_text(record) for record in remarks} == {Talking.reason}
        assert [(each.kind, each.role) for each in after] == [("command", BLUE)] * len(remarks)
        own = [each for each in judge.records if each.kind == "command" and each.role == BLUE]
        assert len(own) == len(remarks)
        assert red.copy.chain == blue.copy.chain == judge.chain


@pytest.mark.full
async def test_command_sent_to_a_stopping_host_is_resent_after_restart(
    tmp_path: Path,
) -> None:
    async with room(tmp_path, "long") as table:
        red = table.peer(RED)
        await live(red)
        table.host.tables[table.match].closing_reason = "the host stops"
        given = asyncio.create_task(red.submit(Hold()))
        await until(lambda: red.reporter.status.link is ConnectionState.LOST)
        await table.restart()
        record = await asyncio.wait_for(given, PATIENCE)
        assert (record.kind, record.role) == ("command", RED)
        assert table.head == record.seq


async def test_a_hostile_remark_is_sanitised_or_dropped(tmp_path: Path) -> None:
    async with room(tmp_path, "short") as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await red.submit(Hold(), "\x1b]0;x\x07a\n\tb\u202e" + "c" * 300)
        await blue.submit(Hold(), "\x1b[2J\u200b")
        judge = table.host.tables[table.match].match
        said = [text for record in judge.records if (text := remark_text(record))]
        assert said == ["a b" + "c" * 300]


async def test_a_bot_agrees_to_a_takeback(tmp_path: Path) -> None:
    async with room(tmp_path, "long") as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        bot = asyncio.create_task(play_seat(blue, create_seat_bot("random", "toy")))
        await red.submit(Hold())
        await until(lambda: blue.seq == table.head and not blue.is_asked)
        await red.propose(OfferKind.TAKEBACK, 0)
        taken_back = table.head
        await until(lambda: table.host.tables[table.match].match.records[-1].kind != "command")
        assert red.reporter.offer is None or taken_back < table.head
        bot.cancel()
        await asyncio.gather(bot, return_exceptions=True)


@pytest.mark.full
async def test_a_bot_whose_seat_is_taken_over_reports_the_reason(tmp_path: Path) -> None:
    async with room(tmp_path, "long") as table:
        first = table.peer(RED, place="first")
        bot = asyncio.create_task(play_seat(first, create_seat_bot("random", "toy"), 0.5))
        await live(first)
        await live(table.peer(RED, place="second"))
        with pytest.raises(NetworkError, match="another connection"):
            await asyncio.wait_for(bot, PATIENCE)


def test_an_unknown_bot_is_refused() -> None:
    with pytest.raises(DataError, match="no bot 'clever'"):
        create_seat_bot("clever", "toy")


async def test_host_bots_resume_with_the_host(tmp_path: Path) -> None:
    async with room(tmp_path, "middle") as table:
        opened = table.host.open_match("toy", "short", {}, {RED: "Ada", BLUE: "bot:random"})
        bots = HostBots(table.house, toy_rules)
        save_bot_invite(table.host.folder, opened.invites[BLUE])
        players = {RED: "Ada", BLUE: "bot:random"}
        match = table.host.tables[opened.match]
        bots.start_bots(opened.match, players)
        bots.start_bots(opened.match, players)
        await until(lambda: match.match.seq == 1)
        await bots.stop()
        await until(lambda: not match.sessions)
        match.match.submit(RED, Hold(), 1)
        bots.start_bots(opened.match, players)
        await until(lambda: bool(match.sessions))
        await bots.stop()


@pytest.mark.parametrize(
    ("player", "name"),
    [("bot:greedy", "greedy"), ("Ada", ""), ("bot:", ""), ("robot:x", "")],
)
def test_bot_names_are_parsed(player: str, name: str) -> None:
    assert bot_name(player) == name


@pytest.mark.full
async def test_measured_latency_is_below_the_limit() -> None:
    """The limit is much looser than the target, because other tests use this machine at the same time."""
    told, given = await measure_times("toy", "middle", 40, toy_rules)
    assert len(told) == len(given) == 40
    assert 0 < median(told) < median(given)
    assert median(told) < 200


async def test_host_bots_use_no_network_and_keep_no_copy(tmp_path: Path) -> None:
    async with room(tmp_path, "middle") as table:
        players = {RED: "bot:random", BLUE: "bot:random"}
        bots = HostBots(table.house, toy_rules)
        opened = table.host.open_match("toy", "short", {}, players)
        for role in players:
            save_bot_invite(table.host.folder, opened.invites[role])
        bots.start_bots(opened.match, players)
        await until(lambda: table.host.tables[opened.match].match.is_revealed)
        assert not table.host._listener._connections
        kept = _names(table.host.folder / "bots")
        assert kept == {f"{opened.match}.{role}{SUFFIX}" for role in players}
        await bots.stop()
        assert not table.host.tables[opened.match].sessions


async def test_closing_an_in_process_connection_cancels_pending_requests(tmp_path: Path) -> None:
    async with room(tmp_path, "long") as table:
        invite = table.invites[RED]
        peer = Peer(invite, None, toy_rules, 0.0, MAX_WAIT_MS, table.house.connect)
        peer.start()
        running = table.host.tables[table.match]
        await until(lambda: any(each.is_polling for each in running.sessions.values()))
        await asyncio.wait_for(peer.close(), 5)
        assert not running.sessions
        line = await table.house.connect("", invite)
        with pytest.raises(ConnectionLostError, match="not authenticated"):
            await handshake.ask(line, Ping(token=1), 5)
        await line.close()
        with pytest.raises(ConnectionLostError, match="has ended"):
            await handshake.ask(line, Ping(token=1), 5)


async def test_matches_beyond_the_open_file_limit_are_refused(tmp_path: Path) -> None:
    async with room(tmp_path, "middle") as table:
        players = {RED: "bot:random", BLUE: "Ada"}
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        used = max(map(int, _names(Path("/proc/self/fd"))))
        resource.setrlimit(resource.RLIMIT_NOFILE, (used + 8, before[1]))
        try:
            with pytest.raises(StorageError, match="Too many open files"):
                _open_many(table, players, used)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)
        table.host.open_match("toy", "short", {}, players)


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def _open_many(table: Room, players: dict[Role, str], count: int) -> None:
    for _ in range(count):
        table.host.open_match("toy", "short", {}, players)
