"""The other side makes offers again and again, so that a team whose roles must all agree cannot resign.

In these matches, no seat signs (*trusted host*).
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from engine.kernel.ids import Role
from netplay.wire import messages as wire
from play.offers import OfferKind
from saves.match import Match
from tests.netplay.raw import Raw, seated
from tests.netplay.tables import SIX_PLAYERS, Room, room
from tests.netplay.test_offer_blocking_attack import offer, open_offer
from tests.toy_six import ROLES, team_of

TEAM = tuple(role for role in ROLES if team_of(role) == team_of(ROLES[0]))
ATTACKER = next(role for role in ROLES if role not in TEAM)


@asynccontextmanager
async def seats(table: Room) -> AsyncIterator[dict[Role, Raw]]:
    """Take the seats of the team and of the attacker."""
    async with AsyncExitStack() as stack:
        yield {
            role: await stack.enter_async_context(seated(table, role)) for role in (*TEAM, ATTACKER)
        }


def match_of(table: Room) -> Match[Any]:
    return table.host.tables[table.match].match


async def answer(seat: Raw, number: int, *, agree: bool) -> wire.Answer:
    return await seat.ask(wire.OfferAnswer(request_id="answer", offer=number, agree=agree))


async def test_a_team_resigns_although_the_other_side_always_has_an_offer_open(
    tmp_path: Path,
) -> None:
    async with (
        room(tmp_path, "short", plain=True, players=SIX_PLAYERS) as table,
        seats(table) as seat,
    ):
        for number, role in enumerate(TEAM):
            assert isinstance(await offer(seat[ATTACKER], OfferKind.DRAW, number), wire.Accepted)
            assert match_of(table).terms.ending is None
            assert isinstance(await offer(seat[role], OfferKind.RESIGNATION), wire.Accepted)
        ending = match_of(table).terms.ending
        assert ending is not None
        assert (ending.how, set(ending.by)) == ("resigned", set(TEAM))


async def test_an_answer_counts_although_the_other_side_has_made_an_offer_first(
    tmp_path: Path,
) -> None:
    async with (
        room(tmp_path, "short", plain=True, players=SIX_PLAYERS) as table,
        seats(table) as seat,
    ):
        first, *mates = TEAM
        assert isinstance(await offer(seat[first], OfferKind.RESIGNATION), wire.Accepted)
        for number, mate in enumerate(mates):
            shown = open_offer(table)
            assert (shown.role, shown.matter) == (first, OfferKind.RESIGNATION)
            assert isinstance(await offer(seat[ATTACKER], OfferKind.DRAW, number), wire.Accepted)
            assert isinstance(await answer(seat[mate], shown.offer, agree=True), wire.Accepted)
        ending = match_of(table).terms.ending
        assert ending is not None
        assert ending.how == "resigned"


async def test_a_refusal_ends_a_resignation_that_the_other_side_has_interrupted(
    tmp_path: Path,
) -> None:
    async with (
        room(tmp_path, "short", plain=True, players=SIX_PLAYERS) as table,
        seats(table) as seat,
    ):
        first, mate, *others = TEAM
        assert isinstance(await offer(seat[first], OfferKind.RESIGNATION), wire.Accepted)
        shown = open_offer(table)
        assert isinstance(await offer(seat[ATTACKER], OfferKind.DRAW), wire.Accepted)
        assert isinstance(await answer(seat[mate], shown.offer, agree=False), wire.Accepted)
        # A new resignation needs the consent of all.
        assert isinstance(await offer(seat[mate], OfferKind.RESIGNATION), wire.Accepted)
        assert set(open_offer(table).waiting_for) == {first, *others}


async def test_an_interrupted_resignation_lapses_with_the_next_record(tmp_path: Path) -> None:
    async with (
        room(tmp_path, "short", plain=True, players=SIX_PLAYERS) as table,
        seats(table) as seat,
    ):
        first, mate, *_ = TEAM
        assert isinstance(await offer(seat[first], OfferKind.RESIGNATION), wire.Accepted)
        shown = open_offer(table)
        assert isinstance(await offer(seat[ATTACKER], OfferKind.RESUMPTION), wire.Refused)
        assert isinstance(await offer(seat[ATTACKER], OfferKind.DRAW, 1), wire.Accepted)
        match = match_of(table)
        role = match.asked[0]
        decision = match.ruleset.decision(match.state, role)
        match.submit(role, decision.default, match.seq)
        assert isinstance(await answer(seat[mate], shown.offer, agree=True), wire.Refused)
