"""Bots and standing orders after an error: they neither stop for good nor keep the program busy."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest

from netplay.session.auto_responder import AutoResponder
from netplay.session.bot_peer import play_seat
from netplay.wire.errors import NetworkError, UnavailableError
from netplay.wire.messages import OpenOffer
from play.bots import create_seat_bot
from play.offers import OfferKind
from play.standing_orders import StandingOrders
from saves.errors import StorageError
from tests.netplay.tables import live, room, until
from tests.toy_game import BLUE, RED, Hold


async def test_bot_whose_answer_is_refused_does_not_repeat_it_without_a_pause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot still sees an offer that is no longer open. All matches of the process would wait for the bot."""
    async with room(tmp_path, "long") as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        answers, head = 0, table.head

        async def refuse(*, agree: bool) -> None:
            nonlocal answers
            del agree
            answers += 1
            blue.reporter.offer = offer if answers < 100 else None
            raise NetworkError("that proposal is no longer open")

        offer = OpenOffer(
            offer=1, role=RED, matter=OfferKind.TAKEBACK, to_seq=0, waiting_for=(BLUE,)
        )

        def has_answered() -> bool:
            if not answers:  # an update may have closed the offer
                blue.reporter.offer = offer
                blue.reporter.wake()
            return answers > 0

        monkeypatch.setattr(blue, "answer_offer", refuse)
        playing = asyncio.create_task(play_seat(blue, create_seat_bot("random", "toy")))
        try:
            await until(has_answered)
            assert answers == 1
            blue.reporter.offer = None
            await red.submit(Hold())
            await until(lambda: table.head > head + 1)
        finally:
            playing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await playing


@pytest.mark.parametrize("error", [StorageError, UnavailableError])
async def test_o1_standing_orders_continue_after_a_failed_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    """The disk of the player or of the host is full for a moment. Otherwise, the player's clock would run out."""
    async with room(tmp_path, "long") as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        submit, is_full, head = red.submit, [True], table.head

        async def submit_later(command: Any, **given: Any) -> Any:  # noqa: ANN401  # of any game
            if is_full:
                is_full.clear()
                raise error("cannot write the file: no space left on device")
            return await submit(command, **given)

        responder = AutoResponder(red, StandingOrders)
        monkeypatch.setattr(red, "submit", submit_later)
        monkeypatch.setattr("netplay.session.auto_responder.standing_answer", lambda *_: Hold())
        responder.start()
        try:
            await until(lambda: table.head > head)
            assert not is_full
        finally:
            responder.stop()
