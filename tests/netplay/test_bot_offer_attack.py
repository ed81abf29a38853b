"""A player with two seats makes an offer and never answers it, so that bots and standing orders wait for good."""

import asyncio
import contextlib
from pathlib import Path

import pytest

from netplay.session.bot_peer import play_seat
from netplay.wire.modes import JOINT
from play.offers import OfferKind
from tests.netplay.lasting_bot import LastingBot
from tests.netplay.tables import until
from tests.netplay.test_ally_stop_attack import side_to_decide
from tests.netplay.test_fair import hall
from tests.netplay.test_qmg_whole import TWO
from tests.netplay.test_stopping import SOON
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")


async def test_o6_bot_continues_although_another_seat_does_not_answer_an_offer(
    tmp_path: Path,
) -> None:
    """The host is honest. Otherwise, opponents could stop the match, and standing orders would lose on time."""
    async with hall(tmp_path, "qmg", "base", TWO, chance=JOINT, limits=SOON) as table:
        asked, side = await side_to_decide(table)
        offerer = next(role for role in TWO if role not in side)
        await table.peers[offerer].propose(OfferKind.TAKEBACK, 1)
        bot, seq = table.peers[min(asked)], table.judged.seq
        await until(lambda: bot.must_answer)
        playing = asyncio.create_task(play_seat(bot, LastingBot("qmg")))
        try:
            await until(lambda: table.judged.seq > seq)
            assert table.judged.records[seq + 1].role == bot.role
        finally:
            playing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await playing
