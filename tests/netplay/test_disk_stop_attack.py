"""The time for which the disk of the host was full does not count as silence of a seat."""

import asyncio
from pathlib import Path

import pytest

from engine.kernel.ruleset import Command
from netplay.peer.peer import Peer
from netplay.system.disk_state import PENDING
from netplay.wire.modes import JOINT
from saves.errors import StorageError
from saves.fair.due_messages import awaited_roles
from saves.fair.terms import TimeLimits
from tests.netplay.faulty_disk import FaultyDisk
from tests.netplay.tables import until
from tests.netplay.test_fair import EOTS_PLAYERS, Hall, give, hall
from tests.netplay.test_stopping import asked_and_other
from tests.netplay.test_suspended import beats, suspendable

LIMIT = 3_600


async def next_command(table: Hall, *, uses_chance: bool) -> tuple[Peer, Peer, Command]:
    """Play until a command of this kind is possible. Return its peer, the other peer and the command."""
    while True:
        await table.level()
        asked, other = asked_and_other(table.peers)
        decision = asked.decision()
        assert asked.seat is not None
        assert decision is not None
        participant = asked.seat.participant.participant
        for command in decision.options:
            if participant._uses_chance(command) == uses_chance:
                return asked, other, command
        await give(table, 1)


async def send_nothing(*_: object) -> None:
    """Keep all reveals back. The player who wants to stop the match keeps its own back too."""


@pytest.mark.parametrize(
    "uses_chance",
    [pytest.param(True, id="messages"), pytest.param(False, id="record", marks=pytest.mark.full)],
)
async def test_full_host_disk_does_not_let_a_seat_stop_the_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, uses_chance: bool
) -> None:
    disk = FaultyDisk(tmp_path / "host", monkeypatch)
    limits = TimeLimits(reply_limit=LIMIT)
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT, limits=limits) as table:
        asked, other, command = await next_command(table, uses_chance=uses_chance)
        watch = suspendable(table)
        for peer in (asked, other):
            monkeypatch.setattr(peer.replicator.fair_duties, "send_due", send_nothing)
        disk.trouble = "full"
        given = asyncio.create_task(asked.submit(command))
        held = table.host.tables[table.opened.match]

        def may_stop() -> bool:
            return bool(held.commands.roles_allowed_to_stop)

        await until(lambda: held.recorder.disk_state.is_refusing)
        await beats(table, watch, LIMIT + 60)
        assert not may_stop()
        index = other.copy.message_index
        disk.trouble = ""
        await until(lambda: other.copy.message_index > index)
        await until(lambda: not held.recorder.disk_state.trouble)
        given.cancel()
        await asyncio.gather(given, return_exceptions=True)
        assert awaited_roles(table.match.fair_state)
        assert not may_stop(), "the other seat sees the command only now"
        await beats(table, watch, LIMIT + 60)
        assert may_stop()
        held.recorder.disk_state.on_write_failed(StorageError("no space"), PENDING)
        held.recorder.disk_state.on_write_succeeded(PENDING)
        assert not may_stop(), "the host could not accept messages until now"
