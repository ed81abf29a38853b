"""A modified client holds back a message for a command while its player thinks. Its clock must run."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from engine.kernel.ids import Role
from netplay.match.ordered_commands import OVERDUE_SECONDS
from netplay.match_state.timekeeper import RETURN_SECONDS, Timekeeper
from netplay.peer.fair_duties import FairDuties
from netplay.peer.peer import Peer
from netplay.wire.modes import FAIR, JOINT, Chance
from saves.clocks import parse_clock
from saves.entries import record_statement
from saves.errors import FalseRecordError
from saves.match import Match
from saves.records import Record
from saves.statements import TimeSpent
from saves.terms import check_terms, current_terms
from saves.verify import verify_file
from tests.netplay.tables import until
from tests.netplay.test_clocks import Watch, timed
from tests.netplay.test_fair import EOTS_PLAYERS, Hall, hall, stuck
from tests.netplay.test_late_join_attack import send_nothing
from tests.saves.fair.quick_proofs import quick_proofs
from tests.toy_game import BLUE, RED, Hold

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
CLOCK = parse_clock("30s", "loses")
HAND = pytest.param(FAIR, marks=pytest.mark.full)


class Stuck:
    """A match in which a command waits for a message of one seat, on a clock that the test advances."""

    def __init__(self, table: Hall, giver: Peer, owing: Role) -> None:
        self.table, self.giver, self.owing = table, giver, owing
        held = table.host.tables[table.opened.match]
        self.keeper, self.commands = held.timekeeper, cast("Any", held.commands)
        self.watch = Watch()
        self.watch.seconds = self.keeper.now()
        self.keeper.now = self.commands._message_server.pending._now = self.watch
        self.commands._resume_watch._now = self.watch
        # No player's return is awaited any more, as if the host had run for some time.
        self.keeper._return_deadlines.clear()
        self.commands._message_server.pending.restart_quiet_time()
        self.commands.refresh()

    @property
    def running(self) -> set[Role]:
        """Return the roles whose clocks are running."""
        return {Role(reading.role) for reading in self.keeper.readings() if reading.runs}


@asynccontextmanager
async def stuck_match(
    folder: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> AsyncIterator[tuple[Stuck, "asyncio.Task[Any]"]]:
    async with hall(folder, "eots", "1943", EOTS_PLAYERS, chance=chance, clock=CLOCK) as table:
        giver, given, owing = await stuck(table, monkeypatch)
        try:
            yield Stuck(table, giver, owing), given
        finally:
            given.cancel()
            await asyncio.gather(given, return_exceptions=True)


@pytest.mark.parametrize("chance", [JOINT, HAND])
async def test_a_seat_that_withholds_a_message_loses_on_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    """The host is honest. The seat that has given the command loses no time."""
    async with stuck_match(tmp_path, monkeypatch, chance) as (match, _):
        table, owing = match.table, match.owing
        with monkeypatch.context() as patch:
            patch.setattr(FairDuties, "send_due", send_nothing)
            attacker = table.seat(owing)
            await until(lambda: attacker.is_live)
            match.watch.seconds += OVERDUE_SECONDS / 2
            match.commands.refresh()
            assert match.running == set(), "the seat has a moment to answer"
            match.watch.seconds += OVERDUE_SECONDS
            match.commands.refresh()
            assert match.running == {owing}
            match.watch.seconds += 31
            await until(lambda: table.match.terms.ending is not None)
        ending = table.match.terms.ending
        assert ending is not None
        assert (ending.how, ending.by) == ("time", (owing,))
        await until(lambda: chance == FAIR or table.match.is_revealed)
        await until(lambda: all(peer.copy.outcome is not None for peer in table.peers.values()))
        await table.level()
        for role in EOTS_PLAYERS:
            verdict = verify_file(table.peers[role].copy.path)
            assert verdict.status in {"ok", "awaited"}, verdict.finding
            outcome = table.peers[role].copy.outcome
            assert outcome is not None
            assert outcome.winner == match.giver.role


@pytest.mark.parametrize("chance", [JOINT, HAND])
async def test_time_of_a_late_message_is_recorded_for_its_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    """A seat that is not connected is charged like a player who must decide."""
    async with stuck_match(tmp_path, monkeypatch, chance) as (match, given):
        table = match.table
        match.watch.seconds += OVERDUE_SECONDS + 1
        match.commands.refresh()
        assert match.running == {match.owing}
        match.watch.seconds += 5
        table.seat(match.owing)
        await given
        await table.level()
        spent = [record_statement(record) for record in table.match.records][-1]
        assert isinstance(spent, TimeSpent)
        assert spent.spent[match.owing] == 5_000
        for role in EOTS_PLAYERS:
            assert verify_file(table.peers[role].copy.path).status == "ok"
        *_, command, clock = table.match.records
        check_clock(table.match, command, clock)
        # A seat that has sent no message for the command owed none.
        segment = command.transcript
        assert segment is not msgspec.UNSET
        others = tuple(message for message in segment.messages if message.author != match.owing)
        segment = msgspec.structs.replace(segment, messages=others)
        with pytest.raises(FalseRecordError, match="nothing to decide"):
            check_clock(table.match, msgspec.structs.replace(command, transcript=segment), clock)


def check_clock(match: Match[Any], command: Record, clock: Record) -> None:
    """Check a clock record that follows a command."""
    terms = current_terms(match.ruleset, match.header, match.records[: command.seq])
    check_terms(terms, match.state_at(command.seq - 1), command)
    terms.apply(command)
    check_terms(terms, match.state_at(command.seq), clock)


async def test_a_seat_that_waits_for_an_answer_is_not_charged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attacker has given the command, and does not answer the resume request of the seat that owes a reveal."""
    async with stuck_match(tmp_path, monkeypatch, JOINT) as (match, given):
        monkeypatch.setattr(match.giver.replicator.fair_duties, "send_due", send_nothing)
        match.table.seat(match.owing)
        await until(lambda: bool(match.commands._resume_watch._since))
        match.watch.seconds += OVERDUE_SECONDS + 1
        await until(lambda: match.commands._held == {match.owing})
        match.watch.seconds += 60
        match.commands.refresh()
        assert match.running == set()
        assert not given.done()


def overdue(*roles: Role) -> tuple[Timekeeper, Watch]:
    """Return the clocks of a match in which a command waits, and the messages of these roles are overdue."""
    watch = Watch()
    keeper = Timekeeper(timed(), 0.0, now=watch)
    for role in (RED, BLUE):
        keeper.join(role)
    keeper.pause()
    keeper.run_overdue(roles)
    return keeper, watch


def test_only_the_clocks_of_overdue_seats_run_while_a_command_waits() -> None:
    keeper, watch = overdue(BLUE)
    watch.seconds += 2
    assert keeper.unrecorded_time() == {BLUE: 2_000}
    keeper.run_overdue((RED, BLUE))
    watch.seconds += 3
    keeper.run_overdue((RED,))
    watch.seconds += 4
    assert keeper.unrecorded_time() == {RED: 7_000, BLUE: 5_000}
    keeper.run_overdue(())
    watch.seconds += 60
    assert keeper.unrecorded_time() == {RED: 7_000, BLUE: 5_000}


def test_no_overdue_clock_runs_while_the_disk_fails_or_a_suspended_host_recovers() -> None:
    keeper, watch = overdue(BLUE)
    keeper.stop_all()
    watch.seconds += 60
    assert not any(reading.runs for reading in keeper.readings())
    keeper.restart_all()
    assert keeper.unrecorded_time() == {}
    keeper.wait_for_return()
    watch.seconds += RETURN_SECONDS / 2
    assert keeper.unrecorded_time() == {}
    keeper.join(BLUE)
    watch.seconds += 1
    assert keeper.unrecorded_time() == {BLUE: 1_000}


def test_overdue_time_survives_a_restart_of_the_host() -> None:
    match, watch = timed(), Watch()
    match.submit(RED, Hold(), match.seq)
    keeper = Timekeeper(match, 0.0, (RED, BLUE), {RED: 3_000}, watch)
    keeper.pause()
    assert keeper.unrecorded_time() == {RED: 3_000}, (
        "Red does not have to decide, but owes a message"
    )
    keeper.on_turn_changed()
    assert keeper.unrecorded_time() == {}


def test_no_clock_of_an_overdue_seat_runs_without_a_pending_command() -> None:
    keeper, watch = overdue()
    keeper.on_turn_changed()
    keeper.run_overdue((RED,))
    watch.seconds += 1
    assert keeper.unrecorded_time() == {RED: 1_000, BLUE: 1_000}, "both must decide"
