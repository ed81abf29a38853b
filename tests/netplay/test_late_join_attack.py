"""A seat that connects while a command is pending must not start the clock of the seat that gave the command."""

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from netplay.match.match_table import MatchTable
from netplay.peer.fair_duties import FairDuties
from netplay.peer.peer import Peer
from netplay.wire.messages import Post
from netplay.wire.modes import JOINT
from saves.clocks import parse_clock
from saves.fair.state import TranscriptPhase
from tests.netplay.lasting_bot import LastingBot
from tests.netplay.tables import until
from tests.netplay.test_clocks import Watch
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, Hall, hall, stuck, waited_for

CLOCK = parse_clock("30s", "loses")


async def leave_before_the_start(table: Hall, monkeypatch: pytest.MonkeyPatch) -> MatchTable:
    """Let the Japanese seat send all it owes for the opening, and leave before the slower Allied seat has done so."""
    allied = table.seat(ALLIED)
    table.seat(JAPAN)
    assert allied.seat is not None
    due_post, match, may_send = allied.seat.due_post, table.opened.match, asyncio.Event()

    def slowly() -> Post | None:
        seat = allied.seat
        assert seat is not None
        is_held = seat.is_open and seat.participant.state.phase is TranscriptPhase.REVEAL
        return None if is_held and not may_send.is_set() else due_post()

    monkeypatch.setattr(allied.seat, "due_post", slowly)
    waiting = table.house.pending_matches[match]

    def has_revealed() -> bool:
        server = waiting._message_server
        pending = None if server is None else server.match.fair_state.pending
        return pending is not None and JAPAN in pending.reveals

    await until(has_revealed)
    await table.peers.pop(JAPAN).close()
    await until(lambda: JAPAN not in waiting.presence.present_roles)
    may_send.set()
    await until(lambda: allied.is_live and allied.is_ready)
    return table.host.tables[match]


async def give_until_stuck(table: Hall, peer: Peer) -> "asyncio.Task[object] | None":
    """Let the Allied seat give commands until one needs a reveal of the other seat; None if the other must move."""
    assert peer.seat is not None
    bot = LastingBot("eots")
    while True:
        await table.level()
        decision = peer.decision()
        if decision is None:
            return None
        throws = filter(peer.seat.participant.participant._uses_chance, decision.options)
        command = next(throws, None) or bot.choose(peer.view(), decision)
        given = asyncio.create_task(peer.submit(command))
        await until(lambda given=given: given.done() or waited_for(table) == (JAPAN,))  # type: ignore[misc]  # mypy cannot infer it
        if not given.done():
            return given
        await given


async def send_nothing(*_: object) -> None:
    """Replace what a seat's program sends by itself."""


@pytest.mark.full
async def test_late_join_does_not_start_the_clock_of_a_pending_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(10):  # in some matches, the other seat must move before the first throw
        if await is_played(tmp_path / str(number), monkeypatch):
            return
    raise AssertionError("no match had a throw before a command of the other seat")


async def check_clocks(table: Hall) -> None:
    """Let more time pass than the clocks have, and check that no player loses."""
    held = table.host.tables[table.opened.match]
    keeper, pending = held.timekeeper, cast("Any", held.commands)._message_server.pending
    # No message is overdue yet.
    pending._now = lambda: pending._quiet_since
    held.commands.refresh()
    watch = Watch()
    watch.seconds = keeper.now() + 31
    keeper.now = watch
    assert not any(reading.runs for reading in keeper.readings())
    await table.peers[JAPAN].say("hello")  # the host looks at the clocks before each request
    assert table.match.fair_state.end is None, "the command arrived in time"


async def test_host_without_player_list_does_not_start_clocks_during_pending_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT, clock=CLOCK) as table:
        _, given, away = await stuck(table, monkeypatch)
        monkeypatch.setattr(FairDuties, "send_due", send_nothing)
        await table.host.stop()
        for path in (tmp_path / "host").glob("*.table"):
            path.unlink()
        await table.restart()
        table.seat(away)
        await until(lambda: table.opened.match in table.host.tables)
        keeper = table.host.tables[table.opened.match].timekeeper
        await until(lambda: keeper.joined == set(EOTS_PLAYERS))
        await check_clocks(table)
        given.cancel()
        await asyncio.gather(given, return_exceptions=True)


async def is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Play a match; False if the other seat had to move first."""
    table = Hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT, clock=CLOCK)
    await table.open()
    try:
        played = await leave_before_the_start(table, monkeypatch)
        given = await give_until_stuck(table, table.peers[ALLIED])
        if given is None:
            return False
        japan = Peer(table.opened.invites[JAPAN], tmp_path / JAPAN, window_seconds=0.0)
        monkeypatch.setattr(japan.replicator.fair_duties, "send_due", send_nothing)
        japan.start()
        table.peers[JAPAN] = japan
        await until(lambda: JAPAN in played.presence.present_roles)
        await check_clocks(table)
        given.cancel()
        await asyncio.gather(given, return_exceptions=True)
        return True
    finally:
        await table.close()
