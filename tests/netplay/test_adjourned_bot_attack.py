"""An adjournment while a bot or a standing order must decide, in a match with a transcript.

Such a match continues with the next command.
"""

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest

from netplay.peer.peer import Peer
from netplay.session.auto_responder import AutoResponder
from netplay.session.bot_peer import play_seat
from netplay.wire.modes import JOINT
from play.offers import OfferKind
from play.standing_orders import StandingOrders
from saves.errors import StaleCommandError
from tests.netplay.lasting_bot import LastingBot
from tests.netplay.tables import until
from tests.netplay.test_fair import EOTS_PLAYERS, Hall, hall
from tests.netplay.test_stopping import begun
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")


async def adjourn(table: Hall, asked: Peer, other: Peer) -> None:
    await other.propose(OfferKind.ADJOURNMENT)
    await until(lambda: asked.must_answer)
    await asked.answer_offer(agree=True)
    await until(lambda: asked.is_adjourned)
    assert table.judged.terms.adjourned


async def test_o6_bot_that_must_decide_does_not_agree_to_an_adjournment(tmp_path: Path) -> None:
    """No player could end the adjournment, because only the bot may give a command."""
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT) as table:
        asked, other = await begun(table)
        seq = table.judged.seq
        await other.propose(OfferKind.ADJOURNMENT)
        await until(lambda: asked.must_answer)
        playing = asyncio.create_task(play_seat(asked, LastingBot("eots")))
        try:
            await until(lambda: table.judged.seq > seq)
            assert table.judged.records[seq + 1].kind == "command"
        finally:
            playing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await playing


async def test_o6_standing_order_does_not_resume_an_adjourned_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both players have agreed to a break. The clock of one of them would run out during it."""
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT) as table:
        asked, other = await begun(table)
        decision = asked.decision()
        assert decision is not None
        responder = AutoResponder(asked, StandingOrders)
        monkeypatch.setattr(responder, "answer", lambda: decision.default)
        assert responder.has_work()
        answer_delay = asyncio.Event()

        async def wait_for_answer_delay(*_: Any) -> None:  # noqa: ANN401  # as it is called
            await answer_delay.wait()

        with monkeypatch.context() as patch:
            patch.setattr(asked, "_wait_for_answer_delay", wait_for_answer_delay)
            answering = asyncio.create_task(asked.submit(decision.default, is_automatic=True))
            await adjourn(table, asked, other)
            assert not responder.has_work()
            answer_delay.set()
            with pytest.raises(StaleCommandError):
                await answering
        assert table.judged.terms.adjourned
        assert asked.is_asked
        await asked.submit(decision.default)
        await until(lambda: not asked.is_adjourned)
