"""Clocks on the host: running time, entries in the record, restarts, and expired time."""

import asyncio
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from netplay.match.host_config import HostConfig
from netplay.match_state.match_state_file import MatchState, MatchStateFile
from netplay.match_state.timekeeper import Timekeeper
from netplay.session.peer_session import PeerSession
from netplay.wire.modes import FAIR, JOINT, Chance
from play.offers import OfferKind
from saves.clocks import parse_clock
from saves.entries import record_statement
from saves.headers import Seat
from saves.match import Match
from saves.statements import TimeSpent
from saves.verify import verify_file
from tests.netplay import test_qmg_whole as qmg_whole
from tests.netplay.tables import Room, live, room, until
from tests.netplay.test_fair import EOTS_PLAYERS, Hall, give, hall
from tests.saves.play import SECRET
from tests.sizes import sampled
from tests.toy_game import BLUE, RED, TOY, Hold, Roll, ToyState
from tests.toy_six import ROLES, SIX

GAME = parse_clock("10m+30s", "loses")


class Watch:
    """A monotonic clock that the test advances."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


def timed(blue: str = "Ben") -> Match[ToyState]:
    seats = (
        Seat(role=RED, player="Rosa", seat_id=""),
        Seat(role=BLUE, player=blue, seat_id=""),
    )
    position = TOY.position("middle", {})
    return Match.create(TOY, position, "middle", {}, seats, SECRET, clock=GAME)


def test_no_clock_runs_before_all_players_have_joined() -> None:
    watch, match = Watch(), timed()
    keeper = Timekeeper(match, 0.0, now=watch)
    keeper.join(RED)
    watch.seconds += 100
    assert keeper.unrecorded_time() == {}
    keeper.join(BLUE)
    watch.seconds += 2.5
    assert keeper.unrecorded_time() == {RED: 2_500, BLUE: 2_500}
    assert [(dial.left_ms, dial.runs) for dial in keeper.readings()] == [(597_500, True)] * 2


def test_joining_while_a_command_is_pending_does_not_start_clocks() -> None:
    watch, match = Watch(), timed()
    keeper = Timekeeper(match, 0.0, now=watch)
    keeper.pause()
    for role in (RED, BLUE):  # a restarted host may have lost the list of those who had joined
        watch.seconds += 1_000
        keeper.join(role)
    watch.seconds += 1_000
    assert keeper.unrecorded_time() == {}
    assert not any(dial.runs for dial in keeper.readings())
    match.submit(RED, Hold(), match.seq)
    keeper.on_turn_changed(RED)
    assert keeper.unrecorded_time() == {}, "the wait for the command counts for nobody"
    watch.seconds += 4
    assert keeper.unrecorded_time() == {BLUE: 4_000}


def test_a_held_clock_stops_while_the_others_run() -> None:
    watch, match = Watch(), timed()
    keeper = Timekeeper(match, 0.0, (RED, BLUE), now=watch)
    watch.seconds += 1
    keeper.hold((RED,))
    watch.seconds += 100
    assert keeper.unrecorded_time() == {RED: 1_000, BLUE: 101_000}
    assert [dial.role for dial in keeper.readings() if dial.runs] == [BLUE]
    keeper.hold((RED,))
    watch.seconds += 1_000
    assert keeper.fallen_roles() == (BLUE,)
    keeper.hold(())
    watch.seconds += 2
    assert keeper.unrecorded_time() == {RED: 3_000, BLUE: 1_103_000}
    assert len([dial for dial in keeper.readings() if dial.runs]) == 2


def test_a_bot_has_no_clock() -> None:
    watch, match = Watch(), timed("bot:random")
    keeper = Timekeeper(match, 0.0, now=watch)
    keeper.join(RED)
    watch.seconds += 1
    assert keeper.unrecorded_time() == {RED: 1_000}
    assert [dial.role for dial in keeper.readings()] == [RED]


def test_a_clock_runs_only_while_its_role_must_decide() -> None:
    watch, match = Watch(), timed()
    keeper = Timekeeper(match, 0.0, (RED, BLUE), now=watch)
    watch.seconds += 3
    spent = TimeSpent(spent=keeper.unrecorded_time())
    match.submit(RED, Hold(), match.seq)
    match.add_statement(RED, spent)
    keeper.reset_time_spent()
    keeper.on_turn_changed(RED)
    watch.seconds += 4
    assert keeper.unrecorded_time() == {BLUE: 4_000}
    assert [(dial.left_ms, dial.runs) for dial in keeper.readings()] == [
        (627_000, False),
        (593_000, True),
    ]


def test_time_measured_by_an_earlier_process_is_added() -> None:
    watch, match = Watch(), timed()
    keeper = Timekeeper(match, 0.0, (RED, BLUE), {RED: 9_000}, now=watch)
    watch.seconds += 1
    assert keeper.unrecorded_time() == {RED: 10_000, BLUE: 1_000}
    keeper.reset_time_spent()
    assert keeper.unrecorded_time() == {}


def test_the_answer_delay_of_a_window_is_not_charged() -> None:
    seats = tuple(Seat(role=role, player=role, seat_id="") for role in ROLES)
    position = SIX.position("middle", {})
    match = Match.create(SIX, position, "middle", {}, seats, SECRET, clock=GAME)
    watch, windows = Watch(), list[Role]()
    source = random.Random(1)
    while not windows:
        role = match.asked[0]
        match.submit(role, source.choice(SIX.decision(match.state, role).options), match.seq)
        windows = [
            role for role in match.asked if SIX.decision(match.state, role).allows_standing_order
        ]
    keeper = Timekeeper(match, 5.0, ROLES, now=watch)
    watch.seconds += 4
    assert keeper.unrecorded_time() == {}
    assert not any(dial.runs for dial in keeper.readings())
    watch.seconds += 2
    assert keeper.unrecorded_time() == dict.fromkeys(windows, 1_000)


def test_match_state_file_round_trips_and_ignores_invalid_content(tmp_path: Path) -> None:
    file = MatchStateFile(tmp_path / "m.table")
    assert file.read() == MatchState()
    kept = MatchState(seq=4, spent={RED: 17}, joined=(RED,), reminded=(BLUE,))
    file.write(kept)
    assert MatchStateFile(tmp_path / "m.table").read() == kept
    (tmp_path / "m.table").write_bytes(b'{"table": 2}')
    assert MatchStateFile(tmp_path / "m.table").read() == MatchState()
    MatchStateFile(tmp_path / "nowhere" / "m.table").write(kept)  # it is logged


# -- over the network


def watched(table: Room | Hall) -> Watch:
    """Let the test advance the clock of a host in this process."""
    watch = Watch()
    match = table.match if isinstance(table, Room) else table.opened.match
    keeper = table.host.tables[match].timekeeper
    keeper.now = watch
    keeper.on_turn_changed(next(iter(table.players)))
    keeper._since = dict.fromkeys(keeper._since, watch.seconds)
    return watch


async def until_told(session: PeerSession, condition: Callable[[dict[str, int]], bool]) -> None:
    await until(
        lambda: condition({dial.role: dial.left_ms // 1000 for dial in session.clock_readings()}),
        30,
    )


async def test_the_record_contains_the_time_each_role_spent(tmp_path: Path) -> None:
    async with room(tmp_path, clock=GAME) as table:
        red, blue, watcher = table.peer(RED), table.peer(BLUE), table.peer(None)
        await live(red, blue, watcher)
        assert "Clock: 10 min for the game" in PeerSession(red).briefing()
        watch = watched(table)
        watch.seconds += 20
        await red.submit(Hold())
        watch.seconds += 30
        await blue.submit(Hold())
        await until(lambda: watcher.seq == table.head == 4)
        said = [record_statement(watcher.copy.record(seq)) for seq in (2, 4)]
        assert said == [
            TimeSpent(spent={RED: 20_000, BLUE: 20_000}),
            TimeSpent(spent={BLUE: 30_000}),
        ]
        session = PeerSession(blue)
        await until_told(session, lambda left: 560 <= left.get(RED, 0) <= 610)
        assert "Red" in session.clock()
        (standing,) = await table.host.server.overviews()  # type: ignore[union-attr]  # in this process
        assert [dial.left_ms // 1000 for dial in standing.dials] == [610, 580]
    path = next((tmp_path / "host").glob("*.fplog"))
    assert verify_file(path, TOY).status == "ok"


@pytest.mark.full
async def test_clocks_survive_a_restart_without_charging_the_downtime(tmp_path: Path) -> None:
    async with room(tmp_path, clock=GAME) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        watch = watched(table)
        watch.seconds += 60
        await table.restart()
        watch = watched(table)
        watch.seconds += 5
        await until(lambda: red.is_live)
        await red.submit(Hold())
        record = next(
            record_statement(record)
            for record in table.host.tables[table.match].match.records
            if record.kind == "clock"
        )
        assert isinstance(record, TimeSpent)
        assert 65_000 <= record.spent[RED] < 66_000


@pytest.mark.parametrize("flag", sampled(["told", "loses"], 1))
async def test_expired_time_is_handled_by_the_match_setting(tmp_path: Path, flag: str) -> None:
    async with room(tmp_path, clock=parse_clock("30s", flag)) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        watch = watched(table)
        await red.submit(Hold())
        watch.seconds += 31
        if flag == "loses":
            await until(lambda: red.copy.is_revealed and blue.copy.is_revealed)
            assert red.copy.outcome is not None
            assert red.copy.outcome.winner == RED
            assert red.copy.outcome.reason == "Blue ran out of time."
        else:
            await until(lambda: any("Blue ran out of time" in line.text for line in table.chat))
            await blue.submit(Hold())
            assert sum("ran out of time" in line.text for line in table.chat) == 1
            await until(lambda: red.seq == blue.seq == table.head)
            await (red if red.is_asked else blue).submit(Roll())
    path = next((tmp_path / "host").glob("*.fplog"))
    assert verify_file(path, TOY).status == "ok"


@pytest.mark.full
@pytest.mark.parametrize("chance", sampled([JOINT, FAIR], 1))
async def test_a_match_with_a_transcript_is_lost_on_time(tmp_path: Path, chance: Chance) -> None:
    clock = parse_clock("30s", "loses")
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=chance, clock=clock) as table:
        await give(table, 1)
        await table.level()
        watch = watched(table)
        loser = next(role for role in EOTS_PLAYERS if table.peers[role].is_asked)
        watch.seconds += 31
        await until(lambda: all(peer.replicator.is_done for peer in table.peers.values()))
        for role in EOTS_PLAYERS:
            copy = table.peers[role].copy
            assert copy.outcome is not None
            assert "ran out of time" in copy.outcome.reason
            (ending,) = (one for one in copy.follower.records if one.kind == "ending")
            assert ending.role == loser
            assert verify_file(copy.path, against=copy.full_path).status == "ok"


async def test_a_command_after_time_expired_is_refused(tmp_path: Path) -> None:
    async with room(tmp_path, clock=parse_clock("30s", "loses")) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        watch = watched(table)
        watch.seconds += 40
        with pytest.raises(FlagplotError):
            await red.submit(Hold())
        await until(lambda: red.copy.is_revealed)
        kinds = [record.kind for record in table.host.tables[table.match].match.records]
        assert kinds == ["opening", "clock", "ending", "reveal"]


async def test_no_clock_runs_while_a_match_is_adjourned(tmp_path: Path) -> None:
    async with room(tmp_path, clock=GAME) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        watch = watched(table)
        watch.seconds += 10
        await red.propose(OfferKind.ADJOURNMENT)
        await until(lambda: blue.must_answer)
        await blue.answer_offer(agree=True)
        watch.seconds += 1_000
        await red.propose(OfferKind.RESUMPTION)
        watch.seconds += 1
        dials = table.host.tables[table.match].timekeeper.readings()
        assert [dial.left_ms for dial in dials] == [589_000, 589_000]
    path = next((tmp_path / "host").glob("*.fplog"))
    assert verify_file(path, TOY).status == "ok"


@pytest.mark.full
async def test_six_seats_in_joint_mode_have_clocks(tmp_path: Path) -> None:
    players = {role: f"Player of {role}" for role in qmg_whole.SIX}
    async with hall(tmp_path, "qmg", "base", players, chance=JOINT, clock=GAME) as table:
        watch = watched(table)
        keeper = table.host.tables[table.opened.match].timekeeper
        assert [dial.role for dial in keeper.readings()] == list(players)
        asked, wanted = keeper._match.asked, dict.fromkeys(players, 600_000)
        watch.seconds += 7
        wanted |= dict.fromkeys(asked, 593_000)
        assert {dial.role: dial.left_ms for dial in keeper.readings()} == wanted
        await give(table, 6)
        await table.level()
        records = table.judged.records
        spent = [said for said in map(record_statement, records) if isinstance(said, TimeSpent)]
        assert spent
        assert spent[0].spent == dict.fromkeys(asked, 7_000)
        await table.peers[next(iter(players))].propose(OfferKind.RESIGNATION)
        await until(lambda: all(peer.replicator.is_done for peer in table.peers.values()))
    path = next((tmp_path / "host").glob("*.fplog"))
    assert verify_file(path).status == "ok"


@pytest.mark.full
async def test_clocks_run_in_worker_processes(tmp_path: Path) -> None:
    async with room(tmp_path, clock=GAME, workers=2, manner=HostConfig()) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        session = PeerSession(red)
        await until(
            lambda: any(dial.runs and dial.left_ms < 600_000 for dial in session.clock_readings())
        )
        await asyncio.gather(red.submit(Hold()), blue.submit(Hold()))
        assert any(red.copy.record(seq).kind == "clock" for seq in range(1, red.seq + 1))
