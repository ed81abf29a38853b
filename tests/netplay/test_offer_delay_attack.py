"""A side delays a match with offers that its own roles decline, so that nobody may stop it, or floods the chat."""

from pathlib import Path
from typing import Any, cast

import pytest

from engine.kernel.ids import Role
from netplay.fair.pending_messages import PendingMessages
from netplay.peer.peer import Peer
from netplay.wire import limits
from netplay.wire.modes import JOINT
from play.offers import OfferKind
from saves.fair.state import TranscriptPhase
from saves.fair.terms import TimeLimits
from tests.netplay.tables import until
from tests.netplay.test_ally_stop_attack import side_to_decide
from tests.netplay.test_clocks import Watch
from tests.netplay.test_fair import Hall, hall
from tests.netplay.test_qmg_whole import TWO
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
_LIMITS = TimeLimits(reply_limit=3_600)


def pending_messages(table: Hall) -> PendingMessages:
    commands = cast("Any", table.host.tables[table.opened.match].commands)
    pending: PendingMessages = commands._message_server.pending
    return pending


async def peers_of_a_side(table: Hall) -> tuple[Peer, Peer, tuple[Role, ...]]:
    """Return a peer that must decide, another of the same side that need not, and the roles of that side."""
    roles, side = await side_to_decide(table)
    ally = next(role for role in side if role not in roles)
    return table.peers[min(roles)], table.peers[ally], side


async def offer_and_decline(table: Hall, author: Peer, ally: Peer) -> None:
    """Let one role of a side make an offer, and let another one decline it."""
    await author.propose(OfferKind.ADJOURNMENT)
    await until(lambda: ally.must_answer)
    await ally.answer_offer(agree=False)
    await until(lambda: table.match.fair_state.phase is TranscriptPhase.IDLE)
    index = table.match.fair_state.index
    await until(lambda: author.copy.message_index == ally.copy.message_index == index)
    await until(lambda: not ally.must_answer)


async def test_p5_offers_of_the_side_that_delays_do_not_extend_the_reply_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hall(tmp_path, "qmg", "base", TWO, chance=JOINT, limits=_LIMITS) as table:
        author, ally, side = await peers_of_a_side(table)
        pending, watch = pending_messages(table), Watch()
        watch.seconds = pending._now()
        monkeypatch.setattr(pending, "_now", watch)
        commands = table.host.tables[table.opened.match].commands
        for _ in range(2):
            watch.seconds += 1_300
            await offer_and_decline(table, author, ally)
            assert not commands.roles_allowed_to_stop
        watch.seconds += 1_300
        assert set(commands.roles_allowed_to_stop) == set(TWO) - set(side)


async def test_offers_in_a_transcript_count_as_chat_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The offers themselves are accepted, because their slots are used."""
    monkeypatch.setattr(limits, "CHAT_PER_SECOND", 0)
    monkeypatch.setattr(limits, "CHAT_BURST", 2)
    async with hall(tmp_path, "qmg", "base", TWO, chance=JOINT) as table:
        author, ally, _ = await peers_of_a_side(table)
        index = table.match.fair_state.index
        for _ in range(4):
            await offer_and_decline(table, author, ally)
        assert table.match.fair_state.index == index + 8
        chat = table.host.tables[table.opened.match].chat_and_offers.chat
        assert sum("no adjournment" in line.text for line in chat) == 2
        decision = author.decision()
        assert decision is not None
        await author.submit(decision.default)
