"""Wrong keys, illegal commands, floods and repeats are refused, and the game continues unharmed."""

import asyncio
import datetime as dt
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from structlog.testing import capture_logs

from engine.kernel.ids import Role
from netplay.feed import host_session
from netplay.invites import identity
from netplay.invites.host_keys import load_authority
from netplay.invites.invite import Invite
from netplay.peer.peer import Peer
from netplay.peer.status import ConnectionState
from netplay.transport.handshake import authenticate, seat_proof_parts
from netplay.transport.listener import MAX_UNANSWERED
from netplay.wire import limits
from netplay.wire import messages as wire
from netplay.wire.errors import SeatRefusedError
from play.offers import OfferKind
from saves.chain import first_chain
from saves.headers import decode_header
from tests.netplay.raw import changed, dialled, goodbye, hello, seated
from tests.netplay.tables import Room, live, room, until
from tests.patience import PATIENCE
from tests.sizes import sampled, sized
from tests.toy_game import BLUE, RED, TOY, CardId, Hold, Lay, Roll, Swap, ToyCommand, ToyGame

NONCE = bytes(32)


# -- identities: N4


def reissued(
    table: Room, role: Role, days: tuple[float, float] = (-1, 1), match: str = ""
) -> Invite:
    """Return the invite with another key, signed by the same authority."""
    now = dt.datetime.now(dt.UTC)
    pair = identity.issue_seat(
        load_authority(table.host.folder),
        match or table.match,
        role,
        now + dt.timedelta(days=days[0]),
        now + dt.timedelta(days=days[1]),
    )
    return changed(table.invites[role], certificate=pair.certificate, key=pair.key)


def _foreign(table: Room) -> Invite:
    other = identity.new_authority(dt.datetime.now(dt.UTC))
    now = dt.datetime.now(dt.UTC)
    pair = identity.issue_seat(other, table.match, RED, now, now + dt.timedelta(days=1))
    return changed(table.invites[RED], certificate=pair.certificate, key=pair.key)


IMPOSTORS: dict[str, tuple[Callable[[Room], Invite], str]] = {
    "N4-other-authority": (_foreign, "not issued by this host"),
    "N4-expired": (lambda table: reissued(table, RED, (-2, -1)), "it expired on"),
    "N4-not-yet-valid": (lambda table: reissued(table, RED, (2, 3)), "not valid before"),
    "N4-another-players-seat": (
        lambda table: changed(table.invites[RED], role="blue"),
        "is for red, not for blue",
    ),
    "N4-swapped-certificates": (
        lambda table: changed(
            table.invites[RED], certificate=table.invites[BLUE].certificate, role="blue"
        ),
        "does not belong to this invite's key",
    ),
    "N4-spectator-as-seat": (
        lambda table: changed(table.invites[None], role="red"),
        "is for spectator, not for red",
    ),
    "N4-another-match": (
        lambda table: reissued(table, RED, match="0123456789abcdef"),
        "for another match",
    ),
    "N4-certificate-changed-in-mid-game": (
        lambda table: reissued(table, RED),
        "this seat belongs to a different key",
    ),
    "unknown-match": (
        lambda table: changed(table.invites[RED], match="0123456789abcdef"),
        "no such match",
    ),
    "unknown-seat": (
        lambda table: changed(table.invites[RED], role="green"),
        "there is no seat 'green'",
    ),
}


@pytest.mark.series("N4")
@pytest.mark.parametrize("name", IMPOSTORS)
async def test_a_wrong_key_is_refused_and_logged_once(tmp_path: Path, name: str) -> None:
    """This uses plain TCP, where only the protocol protects the host."""
    make, words = IMPOSTORS[name]
    async with room(tmp_path, plain=True) as table:
        red = table.peer(RED)
        await live(red)
        with capture_logs() as logs:
            for _ in range(3):
                line = await dialled(make(table))
                with pytest.raises(SeatRefusedError, match=words):
                    await authenticate(line, make(table))
                await line.close()
        assert [entry["event"] for entry in logs].count("connection_rejected") == 1
        assert red.reporter.status.link is ConnectionState.CONNECTED
        await red.submit(Hold())


@pytest.mark.full
async def test_requests_before_authentication_are_refused(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        questions: tuple[wire.WireMessage, ...] = (
            wire.PollUpdates(seq=-1, chain=NONCE, digest=None),
            wire.Submit(request_id="r", expected_seq=0, command=b""),
            wire.Ping(token=1),
            wire.SeatProof(certificate="", signature=b""),
        )
        for question in questions:
            line = await dialled(table.invites[RED])
            bye = await goodbye(line, question)
            assert "proof" in bye.reason or "authenticated" in bye.reason
            await line.close()


async def test_a_replayed_proof_is_refused(tmp_path: Path) -> None:
    async with room(tmp_path, plain=True) as table:
        invite = table.invites[RED]
        parts = seat_proof_parts(NONCE, table.match, "red", NONCE)
        old = wire.SeatProof(
            certificate=invite.certificate,
            signature=identity.sign_proof(invite.key, identity.PROOF_CONTEXT, *parts),
        )
        line = await dialled(invite)
        first = hello(table, RED)
        assert isinstance(
            wire.decode_answer(await line.ask(wire.encode(first), PATIENCE)), wire.Challenge
        )
        assert "does not belong" in (await goodbye(line, old)).reason
        await line.close()


async def test_a_host_other_than_in_the_invite_is_detected_without_tls(tmp_path: Path) -> None:
    async with room(tmp_path / "a", plain=True) as ours, room(tmp_path / "b", plain=True) as other:
        other.host.tables[ours.match] = ours.host.tables[ours.match]
        other.house._seatings[ours.match] = ours.house._seatings[ours.match]
        other.host.pool.assign(ours.host.pool.assignments[ours.match].header)
        line = await dialled(changed(ours.invites[RED], addresses=other.invites[RED].addresses))
        with pytest.raises(SeatRefusedError, match="not the host that issued this invite"):
            await authenticate(line, ours.invites[RED])
        await line.close()
        del other.host.tables[ours.match], other.house._seatings[ours.match]


@pytest.mark.series("N10")
@pytest.mark.parametrize(
    ("change", "words"),
    sampled(
        [
            pytest.param({"protocol": wire.PROTOCOL + 1}, "newer", id="N10-newer-protocol"),
            pytest.param({"protocol": wire.PROTOCOL - 1}, "older", id="N10-older-protocol"),
            pytest.param({"capabilities": ("chat",)}, "lacks the capability", id="N10-no-digests"),
        ],
        1,
        of="other versions",
    ),
)
async def test_a_different_version_is_refused_with_a_reason(
    tmp_path: Path, change: dict[str, object], words: str
) -> None:
    async with room(tmp_path) as table:
        line = await dialled(table.invites[RED])
        first = hello(table, RED)
        bye = await goodbye(line, msgspec.structs.replace(first, **change))
        assert words in bye.reason
        assert not bye.again
        await line.close()


class NewerToyGame(ToyGame):
    version = 2


@pytest.mark.series("N10")
@pytest.mark.parametrize(
    ("host_has", "peer_has"), [(1, 2), (2, 1)], ids=["N10-newer-peer", "N10-older-peer"]
)
async def test_different_rules_are_refused_with_a_reason(
    tmp_path: Path, host_has: int, peer_has: int
) -> None:
    games = {1: TOY, 2: NewerToyGame()}
    async with room(tmp_path) as table:
        await table.restart(lambda _: games[host_has])
        red = Peer(table.invites[RED], tmp_path / "red", lambda _: games[peer_has])
        table.peers.append(red)
        red.start()
        await until(lambda: red.reporter.status.link is ConnectionState.STOPPED)
        assert f"the host plays toy with version {host_has}" in red.reporter.status.reason
        assert f"this program has version {peer_has}" in red.reporter.status.reason


async def test_a_match_continues_after_both_programs_are_updated(tmp_path: Path) -> None:
    newer = NewerToyGame()
    async with room(tmp_path) as table:
        await table.restart(lambda _: newer)
        red = Peer(table.invites[RED], tmp_path / "red", lambda _: newer)
        table.peers.append(red)
        red.start()
        await live(red)
        await red.submit(Hold())
        assert red.header is not None
        assert red.header.rules_version == 1


async def test_garbage_closes_only_its_own_connection(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        red = table.peer(RED)
        await live(red)
        for frame in (b"", b"\xff" * 100, b"\x91" * 60_000, b"{}"):
            line = await dialled(table.invites[BLUE])
            answer = wire.decode_answer(await line.ask(frame, PATIENCE))
            assert isinstance(answer, wire.Bye)
            await line.close()
        await red.submit(Hold())


# -- commands: N6

CARDS = tuple(CardId(f"c{number:02}") for number in range(26))


def every_command() -> Iterator[ToyCommand]:
    yield Hold()
    yield Roll()
    yield Swap(card=None)
    for card in CARDS:
        yield Lay(card=card)
        yield Swap(card=card)


@pytest.fixture
def no_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MESSAGES", "ILLEGAL", "CHAT"):
        monkeypatch.setattr(limits, f"{name}_PER_SECOND", 1e9)
        monkeypatch.setattr(limits, f"{name}_BURST", 1e9)


@pytest.mark.series("N6")
@pytest.mark.usefixtures("no_limits")
async def test_every_illegal_command_in_every_stage_is_refused(tmp_path: Path) -> None:
    async with (
        room(tmp_path, "short") as table,
        seated(table, RED) as red,
        seated(table, BLUE) as blue,
    ):
        seats = {RED: red, BLUE: blue}
        judge = table.host.tables[table.match].match
        path = table.host.folder / f"{table.match}.fplog"
        refused = 0
        while TOY.active_roles(judge.state):
            before = path.read_bytes()
            for role, raw in seats.items():
                asked = role in TOY.active_roles(judge.state)
                legal = TOY.decision(judge.state, role).options if asked else ()
                for command in every_command():
                    if command not in legal:
                        answer = await raw.submit(command, judge.seq)
                        assert isinstance(answer, wire.Refused)
                        assert answer.code == "illegal"
                        assert answer.refusals
                        refused += 1
            assert path.read_bytes() == before
            role = TOY.active_roles(judge.state)[0]
            options = TOY.decision(judge.state, role).options
            answer = await seats[role].submit(options[judge.seq % len(options)], judge.seq)
            assert isinstance(answer, wire.Accepted)
        assert refused > 800


MALFORMED = {
    "empty": b"",
    "no-map": b"\x01",
    "no-tag": b"\x80",
    "unknown-tag": msgspec.msgpack.encode({"type": "cheat"}),
    "extra-field": msgspec.msgpack.encode({"type": "roll", "face": 9}),
    "deep": b"\x91" * 5000,
}


@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED)
async def test_a_malformed_command_is_refused(tmp_path: Path, body: bytes) -> None:
    async with room(tmp_path) as table, seated(table, RED) as red:
        answer = await red.ask(wire.Submit(request_id="r", expected_seq=0, command=body))
        assert isinstance(answer, wire.Refused)
        assert answer.code == "illegal"
        assert table.head == 0


async def test_repeated_request_gets_first_answer_and_changed_one_is_refused(
    tmp_path: Path,
) -> None:
    async with room(tmp_path) as table, seated(table, RED) as red:
        first = await red.submit(Hold(), 0, "once")
        assert first == wire.Accepted(request_id="once", seq=1)
        assert await red.submit(Hold(), 0, "once") == first
        changed_one = await red.submit(Roll(), 0, "once")
        assert isinstance(changed_one, wire.Refused)
        assert changed_one.code == "reused"
        assert table.head == 1
        async with seated(table, RED) as again:
            assert await again.submit(Hold(), 0, "once") == first
        assert table.head == 1


@pytest.mark.parametrize("seq", [-1, 1, 7], ids=lambda seq: f"expects-{seq}")
async def test_a_stale_command_is_refused(tmp_path: Path, seq: int) -> None:
    async with room(tmp_path) as table, seated(table, RED) as red:
        answer = await red.submit(Hold(), seq)
        assert isinstance(answer, wire.Refused)
        assert answer.code == "stale"


async def test_requests_from_a_spectator_are_refused(tmp_path: Path) -> None:
    async with room(tmp_path) as table, seated(table, None) as watcher:
        orders: tuple[wire.WireMessage, ...] = (
            wire.Submit(request_id="a", expected_seq=0, command=b"\x81\xa4type\xa4hold"),
            wire.Say(request_id="b", text="boo"),
            wire.MakeOffer(request_id="c", matter=OfferKind.TAKEBACK, to_seq=0),
            wire.OfferAnswer(request_id="d", offer=1, agree=True),
        )
        for order in orders:
            answer = await watcher.ask(order)
            assert isinstance(answer, wire.Refused)
            assert answer.code == "unavailable"


# -- differences


async def test_a_wrong_digest_is_answered_with_a_resync(tmp_path: Path) -> None:
    async with room(tmp_path) as table, seated(table, RED) as red:
        chain = first_chain(decode_header(red.welcome.header))
        news = await red.ask(wire.PollUpdates(seq=-1, chain=chain, digest=None))
        assert isinstance(news, wire.Update)
        judge = table.host.tables[table.match].match
        wrong = wire.PollUpdates(seq=0, chain=judge.chain, digest=NONCE)
        answer = await red.ask(wrong)
        assert isinstance(answer, wire.Desync)
        assert (answer.seq, answer.agreed_seq, answer.agreed_chain) == (0, -1, chain)
        assert answer.digest == judge.view_digest(RED)
        assert answer.records == news.records
        stopped = await red.submit(Hold(), 0)
        assert isinstance(stopped, wire.Refused)
        assert stopped.code == "unavailable"
        right = wire.PollUpdates(seq=0, chain=judge.chain, digest=judge.view_digest(RED))
        assert isinstance(await red.ask(right), wire.Update)
        assert isinstance(await red.submit(Hold(), 0), wire.Accepted)


@pytest.mark.parametrize("seq", [0, 5], ids=["wrong-chain", "ahead-of-the-host"])
async def test_a_different_history_is_answered_with_a_resync(tmp_path: Path, seq: int) -> None:
    async with room(tmp_path) as table, seated(table, RED) as red:
        answer = await red.ask(wire.PollUpdates(seq=seq, chain=NONCE, digest=None))
        assert isinstance(answer, wire.Desync)
        assert answer.agreed_seq == -1
        assert answer.digest is None


# -- slow and stopped readers: N7


@pytest.mark.full
@pytest.mark.series("N7")
async def test_a_peer_that_stops_reading_becomes_absent_without_delaying_others(
    tmp_path: Path,
) -> None:
    async with room(tmp_path, "long") as table, seated(table, BLUE) as stopped:
        red, watcher = table.peer(RED), table.peer(None)
        await live(red, watcher)
        judge = table.host.tables[table.match].match
        chain = first_chain(decode_header(stopped.welcome.header))
        await stopped.ask(wire.PollUpdates(seq=-1, chain=chain, digest=None, wait_ms=4000))
        await until(lambda: BLUE in red.reporter.status.absent)
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(300):
            role = TOY.active_roles(judge.state)[-1]
            judge.submit(role, TOY.decision(judge.state, role).options[0], judge.seq)
            table.host.tables[table.match].notify()
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        assert grown < 16 << 20
        await until(lambda: red.seq == watcher.seq == judge.seq)
        seq, history = -1, chain
        while seq < judge.seq:
            news = await stopped.ask(wire.PollUpdates(seq=seq, chain=history, digest=None))
            assert isinstance(news, wire.Update)
            assert news.records
            seq += len(news.records)
            history = judge.records[seq].chain
        await until(lambda: BLUE in red.reporter.status.present)


@pytest.mark.full
@pytest.mark.series("N7")
async def test_the_number_of_pending_requests_is_bounded(tmp_path: Path) -> None:
    async with room(tmp_path) as table, seated(table, BLUE) as greedy:
        red = table.peer(RED)
        await live(red)
        judge = table.host.tables[table.match].match
        hold = wire.PollUpdates(seq=0, chain=judge.chain, digest=None, wait_ms=20_000)
        asked = [asyncio.create_task(greedy.ask(hold, 20)) for _ in range(50)]
        await until(lambda: sum(not each.done() for each in asked) <= 1)
        held = [line.unanswered for line in table.host._listener._connections.values()]
        assert max(held) <= MAX_UNANSWERED
        await red.submit(Hold())
        for each in asked:
            each.cancel()
        await asyncio.gather(*asked, return_exceptions=True)


# -- floods: N9


@pytest.mark.full
@pytest.mark.series("N9")
async def test_a_chat_flood_is_disconnected_and_blocked_for_a_while(tmp_path: Path) -> None:
    async with room(tmp_path, "long") as table, seated(table, BLUE) as flooder:
        red, watcher = table.peer(RED), table.peer(None)
        await live(red, watcher)
        sent = 0
        with capture_logs() as logs:
            while True:
                sent += 1
                answer = await flooder.ask(wire.Say(request_id=f"r{sent}", text="spam"))
                if isinstance(answer, wire.Bye):
                    break
        assert answer.again
        assert sent < limits.MAX_OFFENCES + 100
        assert len(logs) < 20
        chat = table.host.tables[table.match].chat_and_offers.chat
        assert len(chat) <= limits.CHAT_BURST + 20
        line = await dialled(table.invites[BLUE])
        first = hello(table, BLUE)
        assert "reconnect in" in (await goodbye(line, first)).reason
        await line.close()
        await red.submit(Hold())
        await until(lambda: watcher.seq == table.head)


@pytest.mark.full
@pytest.mark.series("N9")
async def test_a_flood_of_illegal_commands_is_disconnected(tmp_path: Path) -> None:
    async with room(tmp_path) as table, seated(table, BLUE) as flooder:
        red = table.peer(RED)
        await live(red)
        before = table.head
        with capture_logs() as logs:
            while not isinstance(await flooder.submit(Roll(), 0), wire.Bye):
                assert table.head == before
        assert len(logs) < 20
        assert flooder._number < limits.ILLEGAL_BURST + limits.MAX_OFFENCES + 100
        await red.submit(Hold())


@pytest.mark.full
@pytest.mark.series("N8")
async def test_a_reconnect_storm_leaks_no_files_or_sessions(tmp_path: Path) -> None:
    async with room(tmp_path, "long") as table:
        red = table.peer(RED)
        await live(red)
        files = _open_files()
        for _ in range(sized(1, 5, 50, of="storms of 40 connections")):
            keys = [table.invites[BLUE], reissued(table, BLUE), _foreign(table)]
            storm = [asyncio.create_task(_come_and_go(keys[n % 3])) for n in range(40)]
            if red.is_asked:
                await red.submit(Hold())
            ends = asyncio.gather(*storm, return_exceptions=True)
            came = await asyncio.wait_for(ends, PATIENCE)
            assert not [end for n, end in enumerate(came) if n % 3 and end is None]
        await until(lambda: _open_files() <= files + 8)
        await until(lambda: len(table.host.tables[table.match].sessions) == 1)


def _open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


async def _come_and_go(invite: Invite) -> None:
    line = await dialled(invite)
    try:
        await authenticate(line, invite)
    finally:
        await line.close()


def test_the_request_cache_is_bounded() -> None:
    memory = host_session.RequestDeduplicator()
    for number in range(1000):
        memory.store_answer(f"r{number}", b"x", wire.Accepted(request_id=f"r{number}", seq=number))
    assert len(memory._answers) == 256
    assert memory.find_answer("r0", b"x") is None
    assert memory.find_answer("r999", b"x") == wire.Accepted(request_id="r999", seq=999)
