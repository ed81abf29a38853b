"""A side stops the clock of its own role: one role asks to resume again, and another one never answers it."""

from pathlib import Path
from secrets import token_bytes

import pytest

from netplay.fair.seat import split_post
from netplay.peer.peer import Peer
from netplay.wire.messages import Post
from netplay.wire.modes import JOINT
from saves.clocks import parse_clock
from saves.fair.signed_texts import Resume, resume_message
from tests.netplay.tables import until
from tests.netplay.test_ally_stop_attack import side_to_decide
from tests.netplay.test_clocks import Watch
from tests.netplay.test_fair import hall
from tests.netplay.test_late_join_attack import send_nothing
from tests.netplay.test_qmg_whole import TWO
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
CLOCK = parse_clock("10m", "loses")


async def ask_to_resume(peer: Peer) -> None:
    """Send the request of a program that claims to have restarted."""
    assert peer.seat is not None
    seat = peer.seat.participant
    nonce, made = token_bytes(16), seat.resume_request()
    text = resume_message(peer.invite.match, seat.role, nonce, made.index, made.head)
    request = Resume(
        role=seat.role,
        index=made.index,
        head=made.head,
        signature=seat._secrets.sign(text),
        nonce=nonce,
        order=made.order,
    )
    for part in split_post(Post(resume=request)):
        await peer.replicator.send(part)


async def test_p5_clock_of_a_seat_runs_while_only_its_own_side_ignores_its_resume_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host is honest. One person plays three roles, and thinks for longer than the clock allows."""
    async with hall(tmp_path, "qmg", "base", TWO, chance=JOINT, clock=CLOCK) as table:
        roles, side = await side_to_decide(table)
        held = table.host.tables[table.opened.match]
        watch = Watch()
        watch.seconds = held.timekeeper.now()
        held.timekeeper.now = watch
        asked, ally = min(roles), next(role for role in side if role not in roles)
        opponent = next(role for role in TWO if role not in side)
        monkeypatch.setattr(table.peers[ally].replicator.fair_duties, "send_due", send_nothing)
        await ask_to_resume(table.peers[asked])
        await until(lambda: held.commands.late_roles == (ally,))
        assert sorted(one.role for one in held.timekeeper.readings() if one.runs) == sorted(roles)
        watch.seconds += 601
        await table.peers[opponent].say("hello")  # the host looks at the clocks before each request
        ending = table.match.terms.ending
        assert ending is not None
        assert set(ending.by) == set(side)
