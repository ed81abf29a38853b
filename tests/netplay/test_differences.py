"""P6: a silent change to one side's state is noticed immediately, reported and repaired."""

import asyncio
import json
from pathlib import Path

import msgspec
import pytest
from structlog.testing import capture_logs

from engine.kernel.ids import Role
from netplay.feed import feed
from netplay.feed.divergence_report import MAX_REPORTS, DivergenceReport
from netplay.peer import replicator
from netplay.peer.peer import Peer
from netplay.peer.seat_replica import SeatReplica
from netplay.peer.status import ConnectionState, ViewsDiffered
from netplay.wire import messages as wire
from saves.codec import AnyGame
from saves.logfile import read_log
from saves.timeline import view_digest
from tests.netplay.raw import seated
from tests.netplay.tables import Room, is_over, live, play, room, step, until
from tests.patience import PATIENCE
from tests.sizes import sampled, sized
from tests.toy_game import BLUE, RED, TOY, ToyState


def _alter(state: ToyState, how: str) -> ToyState:
    change = msgspec.structs.replace
    match how:
        case "counter":
            return change(state, scores={**state.scores, RED: state.scores[RED] + 1})
        case "hand":
            return change(state, hands={**state.hands, RED: state.hands[RED][:-1]})
        case "deck":
            return change(state, deck_left=state.deck_left + 1)
        case _:
            return change(state, round=state.round + 1)


def spoil(peer: Peer, how: str) -> None:
    follower = peer.copy._follower
    assert follower is not None
    follower._timeline._state = _alter(follower.state, how)


def _go_on(table: Room, seed: int = 0) -> None:
    """Let a role that is asked give its usual command without a peer."""
    judge = table.host.tables[table.match].match
    role = TOY.active_roles(judge.state)[seed % len(TOY.active_roles(judge.state))]
    judge.submit(role, TOY.decision(judge.state, role).default, judge.seq)
    table.host.tables[table.match].notify()


async def _differ(table: Room, red: Peer, seed: int, how: str) -> ViewsDiffered:
    """Corrupt red's state and continue the game. Return what red's screen shows."""
    told: list[ViewsDiffered] = []
    stop = red.reporter.listen(
        lambda event: told.append(event) if isinstance(event, ViewsDiffered) else None
    )
    spoil(red, how)
    _go_on(table, seed)
    await until(lambda: len(told) == 1)
    stop()
    return told[0]


@pytest.mark.series("P6")
@pytest.mark.parametrize(
    "how", sampled(["counter", "hand", "deck", "round"], 1, of="kinds of silent changes")
)
@pytest.mark.parametrize(
    "seed",
    range(sized(1, 6, 50, of="silent changes of each kind in the toy")),
    ids=lambda seed: f"P6-{seed}",
)
async def test_an_altered_state_is_detected_reported_and_repaired(
    tmp_path: Path, seed: int, how: str
) -> None:
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await step(3 * seed + 1, seed, red, blue)
        before = table.head
        told = await _differ(table, red, seed, how)
        assert told.seq == before + 1
        await until(lambda: red.is_live and red.seq == table.head)
        judge = table.host.tables[table.match].match
        assert red.copy.digest() == judge.view_digest(RED)
        assert told.report_path is not None
        theirs, ours = _bundles(table, red)
        assert theirs.seq == ours.seq == before + 1
        assert theirs.peer == ours.peer
        assert theirs.host == ours.host
        assert theirs.peer.digest != theirs.host.digest
        await step(3, seed, red, blue)
        assert blue.reporter.status.link is ConnectionState.CONNECTED


async def test_rapid_records_are_compared_at_intervals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replicator, "QUIET_MS", replicator.WAIT_MS)
    async with room(tmp_path, "long") as table:
        red = table.peer(RED)
        await live(red)
        sound = table.head
        told: list[ViewsDiffered] = []
        red.reporter.listen(
            lambda event: told.append(event) if isinstance(event, ViewsDiffered) else None
        )
        spoil(red, "counter")
        for _ in range(replicator.COMPARISON_INTERVAL):
            assert not told
            _go_on(table)
            await until(lambda: bool(told) or red.seq == table.head)
        await until(lambda: len(told) == 1)
        assert told[0].seq == sound + replicator.COMPARISON_INTERVAL
        assert told[0].agreed_seq == sound


@pytest.mark.full
async def test_a_digest_is_computed_once_for_all_spectators(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[int, Role | None]] = []

    def counted(game: AnyGame, state: ToyState, role: Role | None) -> bytes:
        made.append((id(state), role))
        return view_digest(game, state, role)

    monkeypatch.setattr(feed, "view_digest", counted)
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        watching = [table.peer(None, f"watch-{number}") for number in range(5)]
        await live(red, blue, *watching)
        await step(3, 0, red, blue)
        states = table.host.tables[table.match]
        await until(lambda: all(peer.seq == table.head for peer in watching))
        assert states.match.view_digest(None) == watching[0].copy.digest()
        await until(lambda: len([role for _, role in made if role is None]) > 1)
    assert len(made) == len(set(made))


def _read(path: Path) -> DivergenceReport:
    return msgspec.json.decode(path.read_bytes(), type=DivergenceReport)


def _bundles(table: Room, peer: Peer) -> tuple[DivergenceReport, ...]:
    folders = (table.host.folder / "differs", peer.copy.path.parent / "differs")
    return tuple(_read(next(iter(folder.iterdir()))) for folder in folders)


@pytest.mark.full
@pytest.mark.series("F11")
async def test_a_report_contains_no_cards_hidden_from_the_seat(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        hidden = TOY.project(blue.state, BLUE).hand
        await _differ(table, red, 1, "counter")
        await until(lambda: red.is_live)
        for folder in (table.host.folder / "differs", red.copy.path.parent / "differs"):
            text = next(iter(folder.iterdir())).read_text(encoding="utf-8")
            frames = msgspec.json.decode(text)["host"]["records"]
            content = b"".join(msgspec.convert(frames, tuple[bytes, ...], strict=False))
            assert content
            assert not [card for card in hidden if b"\xa3" + card.encode() in content]
            assert json.loads(text)["role"] == "red"


def _tail(seq: int, digest: bytes = bytes(32)) -> wire.Tail:
    return wire.Tail(seq=seq, digest=digest, records=(b"mine",))


@pytest.mark.full
@pytest.mark.parametrize("role", [RED, None], ids=["seat", "spectator"])
async def test_an_unrequested_tail_is_not_stored(tmp_path: Path, role: Role | None) -> None:
    async with room(tmp_path, plain=True) as table, seated(table, role) as raw:
        with capture_logs() as logs:
            for seq in (-1, 0, 7, *range(60)):
                assert await raw.ask(_tail(seq)) == wire.Pong(token=0)
        assert not (table.host.folder / "differs").exists()
        assert not logs


async def test_the_first_report_of_a_desync_is_kept(tmp_path: Path) -> None:
    async with room(tmp_path, plain=True) as table, seated(table, RED) as red:
        judge = table.host.tables[table.match].match
        wrong = wire.PollUpdates(seq=0, chain=judge.chain, digest=bytes(32))
        for said in (b"1", b"2", b"3"):
            assert isinstance(await red.ask(wrong), wire.Desync)
            await red.ask(_tail(0, said * 32))
            await red.ask(_tail(0, b"9" * 32))
        (path,) = (table.host.folder / "differs").iterdir()
        bundle = _read(path)
        assert bundle.peer.digest == b"1" * 32
        assert bundle.host.digest == judge.view_digest(RED)


@pytest.mark.full
async def test_reports_of_one_seat_leave_room_for_others(tmp_path: Path) -> None:
    async with room(tmp_path, "long", plain=True) as table, seated(table, None) as watcher:
        judge = table.host.tables[table.match].match
        for _ in range(MAX_REPORTS + 2):
            _go_on(table)
            wrong = wire.PollUpdates(seq=judge.seq, chain=judge.chain, digest=bytes(32))
            assert isinstance(await watcher.ask(wrong), wire.Desync)
            assert await watcher.ask(_tail(judge.seq)) == wire.Pong(token=0)
        folder = table.host.folder / "differs"
        assert len([*folder.iterdir()]) == MAX_REPORTS
        red = table.peer(RED)
        await live(red)
        await _differ(table, red, 0, "counter")
        await until(lambda: red.is_live and red.seq == table.head)
        assert len([*folder.glob("*.red.*")]) == 1


@pytest.mark.full
async def test_a_host_that_cannot_store_a_report_still_repairs_the_seat(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        red = table.peer(RED)
        await live(red)
        (table.host.folder / "differs").write_text("no folder")
        with capture_logs() as logs:
            await _differ(table, red, 0, "counter")
            await until(lambda: red.is_live and red.seq == table.head)
        assert "desync_report_failed" in [entry["event"] for entry in logs]


async def test_a_permanent_rules_difference_stops_the_peer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with room(tmp_path) as table:
        monkeypatch.setattr(SeatReplica, "digest", lambda copy: None if copy.seq < 0 else bytes(32))
        red = table.peer(RED)
        await until(lambda: red.reporter.status.link is ConnectionState.STOPPED)
        assert "disagree about record" in red.reporter.status.reason


@pytest.mark.full
async def test_a_copy_ahead_of_the_host_is_moved_aside(tmp_path: Path) -> None:
    """The host's disk was restored to an earlier state."""
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        path = table.host.folder / f"{table.match}.fplog"
        old = path.read_bytes()
        await step(6, 1, red, blue)
        await table.host.stop()
        path.write_bytes(old)
        await table.restart()
        await until(lambda: red.is_live and blue.is_live and red.seq == table.head == 0)
        assert red.copy.moved_to is not None
        assert read_log(red.copy.moved_to).records[-1].seq == 6
        await asyncio.wait_for(asyncio.gather(play(red, 999, 1), play(blue, 999, 2)), PATIENCE)
        await until(lambda: is_over(red) and is_over(blue))


@pytest.mark.full
async def test_an_internal_error_of_the_peer_is_reported_and_stops_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_copy: SeatReplica) -> bytes:
        raise ArithmeticError("our own mistake")

    async with room(tmp_path) as table:
        red = table.peer(RED)
        await live(red)
        monkeypatch.setattr(SeatReplica, "digest", broken)
        with capture_logs() as logs:
            await until(lambda: red.reporter.status.link is ConnectionState.STOPPED)
        assert "internal error" in red.reporter.status.reason
        assert "peer_crashed" in [entry["event"] for entry in logs]
