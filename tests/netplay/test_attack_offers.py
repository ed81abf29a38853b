"""What a hostile host tells a player beside the transcript, against unchanged programs over TLS."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from netplay.host_session import HostSession
from netplay.messages import CatchUp, News, OpenOffer
from netplay.table import Table
from play.offers import Matter
from saves.fair.messages import Kind, Offer
from saves.fair.state import Phase
from tests.netplay.hostile import HostileHall, hostile_hall
from tests.netplay.tables import until
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
LIMIT = 60.0


def edit_news(
    hall: HostileHall, monkeypatch: pytest.MonkeyPatch, edit: Callable[[News], News]
) -> None:
    """Let the host change what it tells the victim."""
    tell = Table.news

    def edited(table: Table, session: HostSession, ask: CatchUp) -> News | None:
        found = tell(table, session, ask)
        return edit(found) if found is not None and session.role == hall.victim else found

    monkeypatch.setattr(Table, "news", edited)


async def test_a_player_agrees_to_the_offer_that_it_was_shown_or_to_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch) as hall:
        shown = OpenOffer(
            offer=1, role=hall.accomplice, matter=Matter.ADJOURNMENT, waiting_for=(hall.victim,)
        )
        edit_news(
            hall,
            monkeypatch,
            lambda news: news if news.offer is None else msgspec.structs.replace(news, offer=shown),
        )
        victim = hall.peers[hall.victim]
        await hall.peers[hall.accomplice].propose(Matter.DRAW)
        await until(lambda: hall.state.phase is Phase.CONSENT and hall.is_following(hall.victim))
        await until(lambda: victim.offer is not None)
        assert victim.offer is not None
        print("the victim is shown", victim.offer)
        if victim.offer.matter is Matter.ADJOURNMENT:
            await victim.answer_offer(agree=True)
            await until(hall.is_settled)
        print(hall.state.phase, hall.state.end, victim.copy.outcome)
        assert victim.offer is None or victim.offer.matter is Matter.DRAW
        assert hall.state.end is None, "nobody has agreed to a draw"
