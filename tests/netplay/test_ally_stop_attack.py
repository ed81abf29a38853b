"""A side with several roles keeps a message back and stops the match itself, so that it does not lose."""

from pathlib import Path

import pytest

from engine.kernel.ids import Role
from netplay.fair.seat import single_part
from netplay.wire.messages import Refused
from netplay.wire.modes import JOINT
from saves.fair.due_messages import awaited_roles
from tests.netplay.tables import until
from tests.netplay.test_fair import Hall, hall
from tests.netplay.test_qmg_whole import TWO
from tests.netplay.test_stopping import SOON
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")


async def side_to_decide(table: Hall) -> tuple[frozenset[Role], tuple[Role, ...]]:
    """Play until only one side must decide. Return the roles that must decide, and all roles of their side."""
    while True:
        await table.level()
        asked = awaited_roles(table.match.fair_state)
        sides = {table.match.transcript.side_roles(role) for role in asked}
        if len(sides) == 1 and asked < set(*sides):
            return asked, sides.pop()
        peer = table.peers[min(asked)]
        decision = peer.decision()
        assert decision is not None
        await peer.submit(decision.default)


async def test_p5_side_that_delays_the_match_cannot_stop_it_with_another_of_its_roles(
    tmp_path: Path,
) -> None:
    """The host is honest. One person plays three roles, and leaves a decision of one of them open."""
    async with hall(tmp_path, "qmg", "base", TWO, chance=JOINT, limits=SOON) as table:
        asked, side = await side_to_decide(table)
        commands = table.host.tables[table.opened.match].commands
        await until(lambda: bool(commands.roles_allowed_to_stop))
        ally = next(role for role in side if role not in asked)
        seat = table.peers[ally].seat
        assert seat is not None
        stop = seat.participant.sign_stop(is_time_over=True)
        verdict = await table.peers[ally].replicator.send(single_part(stop))
        assert not table.match.fair_state.has_ended, "the side that delays has stopped the match"
        assert isinstance(verdict, Refused)
        assert set(commands.roles_allowed_to_stop) == set(TWO) - set(side)
