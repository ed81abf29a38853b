"""A match over the network: play, watch, leave, return."""

import asyncio
from functools import partial
from pathlib import Path

import msgspec
import pytest
from structlog.testing import capture_logs

from engine.kernel.errors import DataError, IllegalCommandError
from engine.kernel.ids import Role
from netplay.feed import feed
from netplay.host.host import Host
from netplay.invites.host_keys import load_authority
from netplay.peer.peer import Peer
from netplay.peer.status import Chatted, ConnectionState, OfferChanged, RecordsReceived
from netplay.wire.errors import NetworkError, ProtocolError
from netplay.wire.messages import RecordChunk
from play.offers import OfferKind
from saves.errors import CorruptLogError
from saves.framing import SECTOR
from saves.headers import FULL
from saves.logfile import read_log
from tests.netplay.tables import PLAYERS, Room, is_over, live, play, room, step, toy_rules, until
from tests.patience import PATIENCE
from tests.toy_game import BLUE, RED, TOY, CardId, Hold, Lay, Roll

WORKERS = pytest.mark.parametrize(
    "workers",
    [pytest.param(1, id="one-process"), pytest.param(2, id="workers", marks=pytest.mark.full)],
)


@pytest.mark.parametrize(
    "plain", [pytest.param(False, id="tls"), pytest.param(True, id="plain", marks=pytest.mark.full)]
)
async def test_a_whole_game_can_be_played_over_loopback(tmp_path: Path, plain: bool) -> None:
    async with room(tmp_path, "middle", plain=plain) as table:
        red, blue, watcher = table.peer(RED), table.peer(BLUE), table.peer(None)
        await live(red, blue, watcher)
        await asyncio.wait_for(asyncio.gather(play(red, 999, 1), play(blue, 999, 2)), PATIENCE)
        await until(lambda: all(map(is_over, (red, blue, watcher))))
        judge = table.host.tables[table.match].match
        assert TOY.outcome(judge.state) is not None
        for peer in (red, blue, watcher):
            assert peer.seq == judge.seq
            assert peer.copy.chain == judge.chain
            assert peer.copy.digest() == judge.view_digest(peer.role)
            assert TOY.outcome(peer.state) == TOY.outcome(judge.state)
        await _both_refused(table)


async def _both_refused(table: Room) -> None:
    with pytest.raises(NetworkError):
        await table.peers[0].propose(OfferKind.TAKEBACK, 1)
    with pytest.raises(NetworkError, match="spectators"):
        await table.peers[2].say("hello")


@pytest.mark.full
@pytest.mark.series("P7")
async def test_a_spectator_joins_at_any_record(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        for number in range(12):
            await step(3, number, red, blue)
            watcher = table.peer(None, place=f"watch-{number}")
            await live(watcher)
            judge = table.host.tables[table.match].match
            head = judge.seq
            await watcher.reporter.wait_for(partial(_holds, watcher, head))
            assert watcher.copy.digest() == judge.view_digest(None)
            assert watcher.view() == TOY.project(judge.state, None)
            await watcher.close()


def _holds(peer: Peer, seq: int) -> bool:
    return peer.seq == seq


async def test_hidden_cards_are_not_sent_to_other_seats(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        red, blue, watcher = table.peer(RED), table.peer(BLUE), table.peer(None)
        await live(red, blue, watcher)
        hands = TOY.project(red.state, RED).hand, TOY.project(blue.state, BLUE).hand
        await red.submit(Lay(card=hands[0][0]))
        await until(lambda: table.head == blue.seq == watcher.seq == red.seq == 1)
        files = {peer.role: peer.copy.path.read_bytes() for peer in (red, blue, watcher)}
        secret = table.host.tables[table.match].match.header.secret
        assert secret is not None
        for role, hand in ((RED, hands[0]), (BLUE, hands[1])):
            for other, content in files.items():
                seen = [card for card in hand if b"\xa3" + card.encode() in content]
                assert seen == (list(hand) if role == other else [])
        assert all(secret not in content for content in files.values())
        assert FULL not in {peer.copy.header.audience for peer in (red, blue) if peer.copy.header}


@WORKERS
async def test_a_refused_command_gives_a_reason_and_changes_nothing(
    tmp_path: Path, workers: int
) -> None:
    async with room(tmp_path, workers=workers) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        foreign = TOY.project(blue.state, BLUE).hand[0]
        with pytest.raises(IllegalCommandError) as caught:
            await red.submit(Lay(card=foreign))
        assert [reason.rule for reason in caught.value.refusals] == ["1.1"]
        with pytest.raises(IllegalCommandError):
            await red.submit(Roll())
        with pytest.raises(IllegalCommandError):
            await red.submit(Lay(card=CardId("c99")))
        assert table.head == red.seq == blue.seq == 0


@WORKERS
async def test_both_seats_can_answer_simultaneously(tmp_path: Path, workers: int) -> None:
    async with room(tmp_path, workers=workers) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        records = await asyncio.gather(red.submit(Hold()), blue.submit(Hold()))
        assert sorted(record.seq for record in records) == [1, 2]


@pytest.mark.series("S1")
@WORKERS
async def test_chat_is_sanitised_and_sent_to_late_joiners(tmp_path: Path, workers: int) -> None:
    async with room(tmp_path, workers=workers) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        heard: list[Chatted] = []
        blue.reporter.listen(
            lambda event: heard.append(event) if isinstance(event, Chatted) else None
        )
        await live(red, blue)
        await red.say("good\x1b]52;c;x\x07 luck\n")
        await until(lambda: len(heard) == 1)
        assert heard[0] == Chatted(role="red", text="good luck")
        later: list[Chatted] = []
        watcher = table.peer(None)
        watcher.reporter.listen(
            lambda event: later.append(event) if isinstance(event, Chatted) else None
        )
        await until(lambda: later == heard)


@pytest.mark.full
@pytest.mark.parametrize("agree", [True, False], ids=["agreed", "refused"])
@WORKERS
async def test_a_takeback_requires_consent_of_the_other_seat(
    tmp_path: Path, agree: bool, workers: int
) -> None:
    async with room(tmp_path, workers=workers) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        asked: list[OfferChanged] = []
        heard: list[Chatted] = []
        red.reporter.listen(
            lambda event: heard.append(event) if isinstance(event, Chatted) else None
        )
        blue.reporter.listen(
            lambda event: asked.append(event) if isinstance(event, OfferChanged) else None
        )
        await live(red, blue)
        before = red.view()
        await red.submit(Hold())
        await red.propose(OfferKind.TAKEBACK, 0)
        with pytest.raises(NetworkError, match="another offer"):
            await red.propose(OfferKind.TAKEBACK, 0)
        await until(lambda: len(asked) == 1)
        await blue.answer_offer(agree=agree)
        await until(lambda: red.reporter.offer is None and blue.reporter.offer is None)
        await until(lambda: red.seq == blue.seq == table.head == (2 if agree else 1))
        assert (red.view() == before) is agree
        await until(lambda: len(heard) == (0 if agree else 1))
        assert [line.role for line in heard] == ["host"] * len(heard)
        with pytest.raises(NetworkError):
            await blue.answer_offer(agree=True)


@WORKERS
async def test_presence_changes_are_reported(tmp_path: Path, workers: int) -> None:
    async with room(tmp_path, workers=workers) as table:
        red = table.peer(RED)
        await live(red)
        assert red.reporter.status.absent == (BLUE,)
        blue = table.peer(BLUE)
        await until(lambda: red.reporter.status.absent == ())
        watcher = table.peer(None)
        await until(lambda: red.reporter.status.spectators == 1)
        await blue.close()
        await until(lambda: red.reporter.status.absent == (BLUE,))
        assert watcher.reporter.status.link is ConnectionState.CONNECTED
        await until(lambda: red.reporter.status.latency_ms is not None)


@WORKERS
async def test_a_second_connection_takes_the_seat_over(tmp_path: Path, workers: int) -> None:
    async with room(tmp_path, workers=workers) as table:
        first = table.peer(RED, place="first")
        await live(first)
        second = table.peer(RED, place="second")
        await live(second)
        await until(lambda: first.reporter.status.link is ConnectionState.STOPPED)
        assert "another connection" in first.reporter.status.reason
        await second.submit(Hold())


@pytest.mark.full
@WORKERS
async def test_a_restarted_peer_resumes_from_its_own_file(tmp_path: Path, workers: int) -> None:
    async with room(tmp_path, workers=workers) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await step(10, 1, red, blue)
        await blue.close()
        held = blue.seq
        question = red.decision()
        if question is not None:
            await red.submit(question.options[0])
        again = table.peer(BLUE)
        assert again.seq == held
        came: list[RecordsReceived] = []
        again.reporter.listen(
            lambda event: came.append(event) if isinstance(event, RecordsReceived) else None
        )
        await live(again)
        await until(lambda: again.seq == table.head)
        assert all(event.is_silent for event in came)


@pytest.mark.full
@WORKERS
async def test_a_damaged_file_is_moved_aside_and_fetched_again(
    tmp_path: Path, workers: int
) -> None:
    async with room(tmp_path, workers=workers) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await step(18, 1, red, blue)
        await blue.close()
        content = blue.copy.path.read_bytes()
        blue.copy.path.write_bytes(content[:-200] + b"x" * 100 + content[-100:])
        again = table.peer(BLUE)
        assert again.seq == read_log(blue.copy.path).records[-1].seq < table.head
        assert again.copy.moved_to is not None
        await until(lambda: again.seq == table.head)
        assert again.copy.path.read_bytes() == content


@pytest.mark.full
async def test_records_before_a_torn_batch_are_kept(tmp_path: Path) -> None:
    """A seat stores records that it catches up on together; the disk then has a later sector but not an earlier one."""
    async with room(tmp_path, "long") as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await step(4, 1, red, blue)
        watcher = table.peer(None)
        await until(lambda: watcher.seq == table.head)
        await watcher.close()
        kept, path = watcher.seq, watcher.copy.path
        start = path.stat().st_size
        await step(30, 2, red, blue)
        watcher = table.peer(None)
        await until(lambda: watcher.seq == table.head)
        await watcher.close()
        content = path.read_bytes()
        torn = -(-start // SECTOR) * SECTOR
        assert torn + 2 * SECTOR < len(content)
        path.write_bytes(content[:torn] + bytes(SECTOR) + content[torn + SECTOR :])
        with pytest.raises(CorruptLogError):
            read_log(path)
        await table.host.stop()
        again = table.peer(None)
        assert kept <= again.seq < table.head
        assert again.view() is not None
        await table.restart()
        await until(lambda: again.seq == table.head)
        assert path.read_bytes() == content


async def test_a_file_without_an_intact_record_is_fetched_from_scratch(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await blue.close()
        content = blue.copy.path.read_bytes()
        blue.copy.path.write_bytes(content[:100] + b"x" * 100 + content[200:])
        again = table.peer(BLUE)
        assert again.seq == -1
        await until(lambda: again.seq == table.head)
        assert again.copy.path.read_bytes() == content


@WORKERS
async def test_a_restarted_host_resumes_every_match(tmp_path: Path, workers: int) -> None:
    async with room(tmp_path, workers=workers) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await step(8, 1, red, blue)
        head = table.head
        await table.restart()
        assert table.head == head
        await until(lambda: red.is_live and blue.is_live)
        await asyncio.wait_for(asyncio.gather(play(red, 999, 3), play(blue, 999, 4)), PATIENCE)
        await until(lambda: is_over(red) and is_over(blue))
        assert red.copy.chain == blue.copy.chain


@pytest.mark.full
@WORKERS
async def test_a_command_given_while_disconnected_is_delivered_later(
    tmp_path: Path, workers: int
) -> None:
    async with room(tmp_path, workers=workers) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await table.host.stop()
        await until(lambda: red.reporter.status.link is ConnectionState.LOST)
        given = asyncio.create_task(red.submit(Hold()))
        await asyncio.sleep(0)
        assert not given.done()
        await table.restart()
        record = await asyncio.wait_for(given, PATIENCE)
        assert record.seq == 1
        await until(lambda: blue.seq == 1)


@pytest.mark.full
async def test_one_host_serves_many_matches(tmp_path: Path) -> None:
    async with room(tmp_path, "short") as table:
        rooms = []
        for number in range(10):
            opened = table.host.open_match("toy", "short", {}, {RED: "a", BLUE: "b"})
            other = Room(tmp_path / str(number))
            other.invites, other.match, other.host = opened.invites, opened.match, table.host
            rooms.append(other)
        peers = [other.peer(role) for other in rooms for role in (RED, BLUE)]
        await asyncio.wait_for(
            asyncio.gather(*(play(peer, 999, number) for number, peer in enumerate(peers))), 30
        )
        await until(lambda: all(map(is_over, peers)))
        for peer in peers:
            await peer.close()
        assert len(table.host.tables) == 11


@pytest.mark.full
async def test_a_spectator_catches_up_on_many_records(tmp_path: Path) -> None:
    async with room(tmp_path, "long") as table:
        judge = table.host.tables[table.match].match
        for _ in range(400):
            role = TOY.active_roles(judge.state)[0]
            judge.submit(role, TOY.decision(judge.state, role).options[0], judge.seq)
        watcher = table.peer(None)
        await until(lambda: watcher.seq == judge.seq)
        assert watcher.copy.digest() == judge.view_digest(None)


@pytest.mark.full
async def test_long_records_are_sent_in_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "CHUNK_BYTES", 100)
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await step(6, 1, red, blue)
        watcher = table.peer(None)
        await until(lambda: watcher.is_live and watcher.seq == table.head)
        judge = table.host.tables[table.match].match
        assert watcher.copy.digest() == judge.view_digest(None)


@pytest.mark.full
@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"seq": 2}, id="of-another-record"),
        pytest.param({"offset": 1}, id="with-a-gap"),
        pytest.param({"total": 5 << 20}, id="of-a-record-too-long"),
        pytest.param({"data": b""}, id="empty"),
    ],
)
async def test_an_unrequested_chunk_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    async with room(tmp_path) as table:
        red = table.peer(RED)
        await live(red)
        part = RecordChunk(seq=1, offset=0, total=200, data=b"x" * 100)
        with pytest.raises(ProtocolError, match="not requested"):
            red.copy.receive_part(msgspec.structs.replace(part, **change))
        assert red.copy.received_bytes == 0
        assert red.copy.receive_part(part) is None
        assert red.copy.received_bytes == 100


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"\xff", None], ids=["empty", "no-keys", "no-text", "damaged-key"]
)
async def test_a_damaged_host_key_file_is_reported(tmp_path: Path, content: bytes | None) -> None:
    good = load_authority(tmp_path)
    path = tmp_path / "host.identity"
    assert load_authority(tmp_path) == good
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_bytes(path.read_bytes().replace(b"M", b"N") if content is None else content)
    with pytest.raises(DataError, match="key file of this host is damaged"):
        await Host(tmp_path, toy_rules).start("127.0.0.1", 0)


async def test_unresumable_matches_are_skipped_and_left_unchanged(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        folder = table.host.folder
        await table.host.stop()
        good = (folder / f"{table.match}.fplog").read_bytes()
        (folder / "0000000000000000.fplog").write_bytes(b"no record file")
        (folder / "1111111111111111.fplog").write_bytes(good[: len(good) // 2])
        (folder / "backup.fplog").write_bytes(good)
        with capture_logs() as logs:
            await table.restart()
        assert list(table.host.tables) == [table.match]
        assert [entry["event"] for entry in logs].count("match_resume_failed") == 3
        assert (folder / "0000000000000000.fplog").read_bytes() == b"no record file"


@pytest.mark.parametrize(
    ("players", "words"),
    [
        pytest.param({RED: "a"}, "missing: blue", id="one-missing"),
        pytest.param({RED: "a", BLUE: "b", "green": "c"}, "unknown: green", id="one-too-many"),
    ],
)
async def test_players_must_match_the_seats_of_the_scenario(
    tmp_path: Path, players: dict[Role, str], words: str
) -> None:
    async with room(tmp_path) as table:
        with pytest.raises(NetworkError, match=words):
            table.host.open_match("toy", "short", {}, players)
        with pytest.raises(DataError, match="no scenario"):
            table.host.open_match("toy", "none", {}, PLAYERS)
        assert len(table.host.tables) == 1
