"""A player with several roles keeps an offer open that only these roles may answer, or makes countless offers."""

from pathlib import Path

import pytest

from netplay.wire import limits
from netplay.wire import messages as wire
from play.offers import OfferKind
from tests.netplay.raw import Raw, seated
from tests.netplay.tables import SIX_PLAYERS, Room, live, room, until
from tests.toy_game import BLUE, RED
from tests.toy_six import ROLES, team_of

_ATTACKER = ROLES[0]
_MATE = next(role for role in ROLES[1:] if team_of(role) == team_of(_ATTACKER))
_VICTIM = next(role for role in ROLES if team_of(role) != team_of(_ATTACKER))


async def offer(seat: Raw, matter: OfferKind, number: int = 0) -> wire.Answer:
    return await seat.ask(wire.MakeOffer(request_id=f"offer-{number}", matter=matter))


def open_offer(table: Room) -> wire.OpenOffer:
    offer = table.host.tables[table.match].chat_and_offers.offer
    assert offer is not None
    return offer


async def test_an_unanswered_resignation_does_not_prevent_offers_of_the_other_side(
    tmp_path: Path,
) -> None:
    async with (
        room(tmp_path, "short", plain=True, players=SIX_PLAYERS) as table,
        seated(table, _ATTACKER) as attacker,
        seated(table, _MATE) as mate,
    ):
        assert isinstance(await offer(attacker, OfferKind.RESIGNATION), wire.Accepted)
        victim = table.peer(_VICTIM)
        await live(victim)
        await until(lambda: victim.reporter.offer is not None)
        await victim.propose(OfferKind.RESIGNATION)
        assert open_offer(table).role == _VICTIM
        # The same applies to the victim's offer. The attacker's side can decline a draw, so that offer stays open.
        assert isinstance(await offer(mate, OfferKind.DRAW), wire.Accepted)
        answer = await offer(attacker, OfferKind.ADJOURNMENT, 1)
        assert isinstance(answer, wire.Refused)
        assert "another offer is still open" in answer.text


async def test_a_resignation_replaces_an_offer_that_the_seat_can_decline(tmp_path: Path) -> None:
    """Otherwise, the other side could make one offer after another (``test_team_resignation_attack.py``)."""
    async with (
        room(tmp_path, "short", plain=True, players=SIX_PLAYERS) as table,
        seated(table, _ATTACKER) as attacker,
    ):
        assert isinstance(await offer(attacker, OfferKind.DRAW), wire.Accepted)
        victim = table.peer(_VICTIM)
        await live(victim)
        await until(lambda: victim.must_answer)
        await victim.propose(OfferKind.RESIGNATION)
        assert open_offer(table).role == _VICTIM


async def test_an_open_offer_does_not_prevent_the_resignation_of_a_side_with_one_role(
    tmp_path: Path,
) -> None:
    """A modified program makes the next offer as soon as the victim has declined one."""
    async with room(tmp_path, "short", plain=True) as table, seated(table, RED) as attacker:
        victim = table.peer(BLUE)
        await live(victim)
        assert isinstance(await offer(attacker, OfferKind.DRAW), wire.Accepted)
        await victim.propose(OfferKind.RESIGNATION)
        await until(lambda: victim.copy.outcome is not None)
        assert victim.copy.outcome is not None
        assert victim.copy.outcome.winner == RED


async def test_offers_count_as_chat_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise, a player who declines the offers of their own roles floods the chat with the host's lines."""
    monkeypatch.setattr(limits, "CHAT_PER_SECOND", 0)
    async with (
        room(tmp_path, "short", plain=True, players=SIX_PLAYERS) as table,
        seated(table, _ATTACKER) as attacker,
        seated(table, _MATE) as mate,
    ):
        for number in range(limits.CHAT_BURST):
            assert isinstance(await offer(attacker, OfferKind.DRAW, number), wire.Accepted)
            decline = wire.OfferAnswer(
                request_id=f"answer-{number}", offer=open_offer(table).offer, agree=False
            )
            assert isinstance(await mate.ask(decline), wire.Accepted)
        refused = await offer(attacker, OfferKind.DRAW, limits.CHAT_BURST)
        assert isinstance(refused, wire.Refused)
        assert refused.code == "too-fast"
