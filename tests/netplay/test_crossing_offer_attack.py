"""An offer that the host accepts just before the command of a bot or a standing order, or an answer to an offer."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from netplay.peer.peer import Peer
from netplay.session.auto_responder import AutoResponder
from netplay.session.bot_peer import play_seat
from netplay.wire.messages import PostPart
from netplay.wire.modes import JOINT
from play.offers import OfferKind
from play.standing_orders import StandingOrders
from saves.fair.state import TranscriptPhase
from tests.netplay.lasting_bot import LastingBot
from tests.netplay.tables import until
from tests.netplay.test_ally_stop_attack import side_to_decide
from tests.netplay.test_fair import EOTS_PLAYERS, hall
from tests.netplay.test_qmg_whole import TWO
from tests.netplay.test_stopping import SOON, begun
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")


def send_before(
    monkeypatch: pytest.MonkeyPatch, peer: Peer, first: Callable[[], Coroutine[Any, Any, None]]
) -> None:
    """Let another seat's message reach the host just before the next message that a peer submits."""
    deliver, is_late = peer.replicator.send, [True]

    async def delayed(request: Any, *given: Any) -> Any:  # noqa: ANN401  # as it is called
        if is_late and isinstance(request, PostPart):
            is_late.clear()
            await first()
        return await deliver(request, *given)

    monkeypatch.setattr(peer.replicator, "send", delayed)


@pytest.mark.parametrize("is_bot", [True, False], ids=["bot", "standing order"])
async def test_o6_offer_that_crosses_an_automatic_command_does_not_stop_the_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_bot: bool
) -> None:
    """The host is honest. Nobody else may answer the offer, and nobody withdraws it."""
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT, limits=SOON) as table:
        asked, other = await begun(table)
        seq = table.judged.seq
        send_before(monkeypatch, asked, lambda: other.propose(OfferKind.DRAW))
        responder = AutoResponder(asked, StandingOrders)
        if is_bot:
            playing = asyncio.create_task(play_seat(asked, LastingBot("eots")))
        else:

            def give_default() -> Any:  # noqa: ANN401  # of any game
                decision = asked.decision()
                return None if decision is None else decision.default

            monkeypatch.setattr(responder, "answer", give_default)
            playing = asyncio.create_task(responder._run())
        try:
            await until(lambda: table.match.fair_state.phase is TranscriptPhase.CONSENT)
            await until(lambda: table.judged.seq > seq)
        finally:
            playing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await playing


@pytest.mark.full
async def test_command_given_after_agreeing_is_resent_if_another_answer_crosses_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The player has given the command during the offer, and cannot answer the offer again."""
    async with hall(tmp_path, "qmg", "base", TWO, chance=JOINT) as table:
        asked, side = await side_to_decide(table)
        giver = table.peers[min(asked)]
        others = [role for role in TWO if role not in side]
        await table.peers[others[0]].propose(OfferKind.DRAW)
        await until(lambda: giver.must_answer and table.peers[others[1]].must_answer)
        await giver.answer_offer(agree=True)
        await until(lambda: not giver.must_answer)
        await until(lambda: table.peers[others[1]].copy.message_index == giver.copy.message_index)
        send_before(monkeypatch, giver, lambda: table.peers[others[1]].answer_offer(agree=True))
        decision = giver.decision()
        assert decision is not None
        record = await giver.submit(decision.default)
        assert (record.role, record.kind) == (giver.role, "command")
