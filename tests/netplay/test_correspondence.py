"""A match over several days, whose players are never connected at the same time and whose host restarts repeatedly."""

import random
from pathlib import Path

import pytest

from engine.kernel.ids import Role
from netplay.peer.peer import Peer
from saves.clocks import parse_clock
from saves.entries import record_statement
from saves.logfile import read_log
from saves.statements import TimeSpent
from saves.verify import verify_file
from tests.netplay.tables import Room, live, room, until
from tests.toy_game import BLUE, RED, TOY

RESTARTS = 3


async def visit(table: Room, role: Role, source: random.Random) -> bool:
    """Join, move as long as the role is asked, and leave. Return whether the match is over."""
    peer = table.peer(role)
    await live(peer)
    await until(lambda: peer.seq == table.head)
    while peer.is_asked:
        question = peer.decision()
        assert question is not None
        await peer.submit(source.choice(question.options))
        await until(lambda: peer.seq == table.head)
    is_over = peer.copy.is_revealed
    await leave(table, peer)
    return is_over


async def leave(table: Room, peer: Peer) -> None:
    await peer.close()
    table.peers.remove(peer)
    await until(lambda: not table.host.tables[table.match].presence.present_roles)


@pytest.mark.full
async def test_a_correspondence_match_survives_three_host_restarts(tmp_path: Path) -> None:
    source = random.Random(3)
    async with room(tmp_path, "middle", clock=parse_clock("3d", "loses")) as table:
        visits = restarts = 0
        is_over = False
        while not is_over:
            is_over = await visit(table, (RED, BLUE)[visits % 2], source)
            visits += 1
            if visits % 2 and restarts < RESTARTS and not is_over:
                await table.restart()
                restarts += 1
        assert restarts == RESTARTS
        for role in (RED, BLUE):
            await visit(table, role, source)
        path = next((tmp_path / "host").glob("*.fplog"))
        for role in (RED, BLUE):
            copy = tmp_path / f"peer-{role}" / f"{table.match}.{role}.fplog"
            assert read_log(copy).records[-1].kind == "reveal"
            assert str(verify_file(copy, TOY, against=path).finding) == "None"
    assert verify_file(path, TOY).status == "ok"
    log = read_log(path)
    asked = [said for each in log.records if isinstance(said := record_statement(each), TimeSpent)]
    assert asked
    assert all(time < 240_000 for said in asked for time in said.spent.values())
