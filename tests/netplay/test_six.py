"""Six roles over the network: bots in all roles, commands at any time, windows, standing orders."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.bots.random_player import RandomPlayer
from engine.kernel.dice import DerivedDice
from engine.kernel.errors import DataError, IllegalCommandError
from engine.kernel.ids import Role
from netplay.peer.peer import Peer
from netplay.session.auto_responder import AutoResponder
from netplay.session.bot_peer import play_seat
from netplay.wire.errors import NetworkError
from play.standing_orders import StandingOrders
from saves.errors import StaleCommandError
from saves.logfile import read_log
from saves.verify import verify_file
from tests.netplay.tables import SIX_PLAYERS, Room, live, room, until
from tests.patience import PATIENCE
from tests.toy_six import (
    ASH,
    ELM,
    FIR,
    GEM,
    JET,
    ORE,
    ROLES,
    SIX,
    LetPass,
    Rest,
    SetTrap,
    Spring,
    Strike,
    Trade,
)

SECRET = bytes(range(32))


@contextlib.asynccontextmanager
async def six(
    folder: Path, scenario: str = "short", window: float = 0.0
) -> AsyncIterator[tuple[Room, dict[Role, Peer]]]:
    """Open a room with all six peers, over plain TCP."""
    async with room(folder, scenario, plain=True, players=SIX_PLAYERS) as table:
        peers = {role: table.peer(role, window_seconds=window) for role in ROLES}
        await live(*peers.values())
        yield table, peers


async def caught_up(table: Room, *peers: Peer) -> None:
    await until(lambda: all(peer.seq == table.head for peer in peers))


def hand(peer: Peer) -> tuple[Any, ...]:
    return tuple(peer.view().hand)  # type: ignore[attr-defined]  # of the game of six


async def to_a_window(peers: dict[Role, Peer], parity: int) -> None:
    """Let gem and jet set traps, then let elm strike with a card of the given parity, once a role can."""
    for role in (ASH, GEM, ELM, JET):
        await peers[role].reporter.wait_for(lambda one=peers[role]: one.is_asked)  # type: ignore[misc]  # mypy cannot infer it
        mine = hand(peers[role])
        await peers[role].submit(Rest() if role in {ASH, ELM} else SetTrap(card=mine[0]))
    await peers[FIR].reporter.wait_for(lambda: peers[FIR].is_asked)
    mine = hand(peers[FIR])
    fitting = [card for card in mine if int(card[1:]) % 2 == parity] or mine
    await peers[FIR].submit(Strike(card=fitting[0]))
    for role in (GEM, JET):
        await peers[role].reporter.wait_for(lambda one=peers[role]: one.is_asked)  # type: ignore[misc]  # mypy cannot infer it


@pytest.mark.parametrize(
    "plain", [pytest.param(True, id="tcp", marks=pytest.mark.full), pytest.param(False, id="tls")]
)
async def test_six_bots_and_a_spectator_have_the_same_chain(tmp_path: Path, *, plain: bool) -> None:
    async with room(tmp_path, "short", plain=plain, players=SIX_PLAYERS) as table:
        peers = [table.peer(role, window_seconds=0.0) for role in ROLES]
        watcher = table.peer(None)
        await live(*peers, watcher)
        bots = [RandomPlayer(DerivedDice(SECRET, place)) for place in range(len(ROLES))]
        runs = [play_seat(peer, bot) for peer, bot in zip(peers, bots, strict=True)]
        await asyncio.wait_for(asyncio.gather(*runs), PATIENCE)
        match = table.host.tables[table.match].match
        await until(lambda: watcher.seq == match.seq)
        await caught_up(table, *peers)
        assert match.is_revealed
        for peer in (*peers, watcher):
            assert [peer.copy.record(seq).chain for seq in range(peer.seq + 1)] == [
                record.chain for record in match.records
            ]
            assert peer.copy.digest() == match.view_digest(peer.role)
        full = table.folder / "host" / f"{table.match}.fplog"
        paths = [peer.copy.path for peer in (*peers, watcher)]
    assert verify_file(full, SIX).status == "ok"
    for path in paths:
        assert verify_file(path, SIX, full).status == "ok"


@pytest.mark.full
async def test_a_role_without_a_decision_can_trade(tmp_path: Path) -> None:
    async with six(tmp_path) as (table, peers):
        jet = peers[JET]
        assert jet.decision() is None
        assert len(jet.free_actions()) == len(hand(jet))
        card = hand(jet)[0]
        record = await jet.submit(Trade(card=card))
        assert record.role == JET
        await caught_up(table, *peers.values())
        assert jet.free_actions() == ()
        theirs = peers[ASH].copy.record(record.seq).command
        assert theirs is not None
        assert card.encode() not in (theirs.body or b"")
        with pytest.raises(IllegalCommandError, match=r"1\.4"):
            await jet.submit(Trade(card=hand(jet)[0]))
        assert peers[ASH].is_asked


@pytest.mark.full
async def test_a_stale_any_time_command_is_sent_again(tmp_path: Path) -> None:
    async with six(tmp_path) as (table, peers):
        trades = [peer.submit(Trade(card=hand(peer)[0])) for peer in peers.values()]
        records = await asyncio.gather(*trades)
        assert sorted(record.seq for record in records) == [1, 2, 3, 4, 5, 6]
        assert table.head == len(ROLES)


@pytest.mark.full
async def test_a_command_that_is_no_longer_legal_is_stale(tmp_path: Path) -> None:
    async with six(tmp_path) as (table, peers):
        jet, match = peers[JET], table.host.tables[table.match].match
        first, second = hand(jet)[:2]
        match.submit(
            JET, Trade(card=first), match.seq
        )  # from another program, before the peer learns of it
        with pytest.raises(StaleCommandError):
            await jet.submit(Trade(card=second))


@pytest.mark.full
async def test_all_roles_in_a_window_can_answer_simultaneously(tmp_path: Path) -> None:
    async with six(tmp_path) as (table, peers):
        await to_a_window(peers, 0)
        answers = [peers[role].submit(LetPass()) for role in (GEM, JET)]
        records = await asyncio.gather(*answers)
        assert {record.role for record in records} == {GEM, JET}
        await caught_up(table, *peers.values())
        assert peers[ORE].is_asked


@pytest.mark.full
async def test_an_answer_is_delayed_for_the_window_time(tmp_path: Path) -> None:
    window = 0.4
    async with six(tmp_path, window=window) as (_, peers):
        await to_a_window(peers, 0)
        loop = asyncio.get_running_loop()
        asked = loop.time()
        await peers[GEM].submit(LetPass())
        assert window - 0.15 < loop.time() - asked
        await until(lambda: peers[JET]._answer_delay.remaining_seconds() <= 0)
        await peers[JET].submit(LetPass())


@pytest.mark.full
async def test_a_delayed_answer_is_stale_if_its_window_closes(tmp_path: Path) -> None:
    async with six(tmp_path, window=0.5) as (table, peers):
        await to_a_window(peers, 0)
        waiting = asyncio.create_task(peers[JET].submit(LetPass()))
        await asyncio.sleep(0)
        match = table.host.tables[table.match].match
        for role in (GEM, JET):
            match.submit(role, LetPass(), match.seq)
        table.host.tables[table.match].notify()
        with pytest.raises(StaleCommandError):
            await waiting


def answers(match: Any, role: Role) -> list[tuple[bool, str]]:  # noqa: ANN401  # the judge's match
    """Return a role's answers in windows, each with whether it could spring a trap."""
    given: list[tuple[bool, str]] = []
    for record in match.records:
        if record.kind != "command" or record.role != role:
            continue
        before = match.state_at(record.seq - 1)
        if before.strike is not None and role in SIX.active_roles(before):
            options = SIX.decision(before, role).options
            given.append((any(isinstance(one, Spring) for one in options), record.command.tag))
    return given


@pytest.mark.full
async def test_standing_orders_use_cards_and_pass_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "netplay.host.match_creation.new_secret", lambda: bytes(range(32))
    )  # the windows are always the same
    async with six(tmp_path, "middle") as (table, peers):
        orders = {GEM: StandingOrders(uses=("spring",)), JET: StandingOrders(nevers=("spring",))}
        responders = [
            AutoResponder(peers[role], partial(orders.__getitem__, role)) for role in orders
        ]
        for responder in responders:
            responder.start()
        match = table.host.tables[table.match].match
        while SIX.outcome(match.state) is None:
            await caught_up(table, *peers.values())
            if match.state.strike is not None:
                await until(lambda seq=match.seq: match.seq > seq)  # type: ignore[misc]  # mypy cannot infer it
                continue
            role = SIX.active_roles(match.state)[0]
            options = SIX.decision(match.state, role).options
            traps = [one for one in options if isinstance(one, SetTrap)]
            set_now = traps if role in orders else []
            await peers[role].submit((*set_now, *options)[0])
        for responder in responders:
            responder.stop()
        assert {tag for could, tag in answers(match, GEM) if could} == {"spring"}
        assert {tag for could, tag in answers(match, GEM) if not could} == {"pass"}
        assert {could for could, _ in answers(match, JET)} == {True, False}
        assert {tag for _, tag in answers(match, JET)} == {"pass"}


async def test_a_player_cannot_have_seats_in_both_teams(tmp_path: Path) -> None:
    async with room(tmp_path, "short", plain=True, players=SIX_PLAYERS) as table:
        mixed = {**SIX_PLAYERS, ASH: "Ann", GEM: "Ann"}
        with pytest.raises(DataError, match="Ann cannot play ash, gem: they are not one team"):
            table.host.open_match("six", "short", {}, mixed)
        with pytest.raises(NetworkError):
            table.host.open_match("six", "short", {}, {ASH: "Ann"})
        opened = table.host.open_match("six", "short", {}, {**SIX_PLAYERS, ASH: "Ann", FIR: "Ann"})
        assert opened.seats == ((ASH, FIR), (GEM,), (ELM,), (JET,), (ORE,))


@pytest.mark.full
async def test_six_seats_resume_after_a_host_restart(tmp_path: Path) -> None:
    async with six(tmp_path) as (table, peers):
        await peers[ASH].submit(Rest())
        await table.restart()
        await live(*peers.values())
        await peers[GEM].submit(Rest())
        await caught_up(table, *peers.values())
        assert len({read_log(peer.copy.path).records[-1].chain for peer in peers.values()}) == 1
