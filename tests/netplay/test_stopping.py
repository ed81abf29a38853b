"""Matches that a seat stops because others have not answered in time (``reply_limit``)."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from engine.kernel.ids import Role
from netplay.peer.peer import Peer
from netplay.session.peer_session import PeerSession
from netplay.wire.modes import FAIR, JOINT, Chance
from play.offers import OfferKind
from saves.errors import MatchError
from saves.fair.due_messages import awaited_roles
from saves.fair.messages import End, Kind, Message, SignedMessage, encode_message
from saves.fair.state import MessageRefusal, TranscriptPhase
from saves.fair.terms import TimeLimits
from saves.verify import verify_file
from tests.netplay.fair.attacker import World
from tests.netplay.fair.match import FairMatch
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, Hall, give, hall
from tests.saves.fair.quick_proofs import quick_proofs
from tests.toy_depot import DEPOT, Roll

__all__ = ("quick_proofs",)

SOON = TimeLimits(reply_limit=1)
LATER = TimeLimits(reply_limit=3_600)


def asked_and_other(peers: Mapping[Role | None, Peer]) -> tuple[Peer, Peer]:
    """Return the peer whose command the match waits for, and its opponent's peer."""
    two = [peers[ALLIED], peers[JAPAN]]
    (asked,) = [peer for peer in two if peer.is_asked]
    return asked, next(peer for peer in two if peer is not asked)


async def begun(table: Hall) -> tuple[Peer, Peer]:
    await give(table, 3)
    await table.level()
    return asked_and_other(table.peers)


@pytest.mark.parametrize("chance", [JOINT, pytest.param(FAIR, marks=pytest.mark.full)])
async def test_a_match_is_stopped_when_the_opponent_does_not_answer(
    tmp_path: Path, chance: Chance
) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=chance, limits=SOON) as table:
        asked, other = await begun(table)
        session = PeerSession(other)
        await until(lambda: OfferKind.STOP in session.available_offers())
        assert await session.negotiation.propose(OfferKind.STOP) == "Done."
        copies = [peer.copy for peer in table.peers.values()]
        await until(lambda: all(copy.outcome is not None for copy in copies))
        for copy in copies:
            assert copy.outcome is not None
            assert copy.outcome.winner is None
            assert "stopped the match" in copy.outcome.reason
        await until(lambda: table.match.is_revealed)
        await table.level()
        for role in EOTS_PLAYERS:
            verdict = verify_file(table.peers[role].copy.path)
            assert verdict.status == "ok", verdict.finding
            (said,) = [one for one in verdict.proofs if one.topic == "authorship"]
            assert "no message arrived for too long, on the host's word alone" in said.text
        assert asked.role != other.role


@pytest.mark.full
async def test_a_match_cannot_be_stopped_before_the_time_limit(tmp_path: Path) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT, limits=LATER) as table:
        _, other = await begun(table)
        assert OfferKind.STOP not in PeerSession(other).available_offers()
        with pytest.raises(MatchError, match="the others still have time to answer"):
            await other.propose(OfferKind.STOP)
        assert table.match.fair_state.phase is TranscriptPhase.IDLE
        await give(table, 2)
        await table.level()
        assert table.match.outcome is None


@pytest.mark.full
async def test_a_seat_that_must_answer_cannot_stop_the_match(tmp_path: Path) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT, limits=SOON) as table:
        asked, other = await begun(table)
        await until(lambda: other.reporter.status.may_stop)
        with pytest.raises(MatchError, match="the match is waiting for"):
            await asked.propose(OfferKind.STOP)
        assert table.match.fair_state.phase is TranscriptPhase.IDLE


@pytest.mark.full
async def test_a_match_without_a_limit_cannot_be_stopped(tmp_path: Path) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT) as table:
        _, other = await begun(table)
        assert OfferKind.STOP not in PeerSession(other).available_offers()
        with pytest.raises(MatchError, match="no response time limit"):
            await other.propose(OfferKind.STOP)


# -- what the fold of every copy accepts


def stopping(match: FairMatch, role: Role, named: Role) -> SignedMessage:
    """Return a message of a changed program that stops the match."""
    state = match.host.state
    anchor_hash = state.hash_at(state.index)
    assert anchor_hash is not None
    message = Message(
        kind=Kind.END,
        anchor=state.index,
        anchor_hash=anchor_hash,
        author=role,
        body=End("stopped", named),
    )
    data = encode_message(match.match_id, message)
    return SignedMessage(data, match.secrets[role].sign(data))


def refusal_of(match: FairMatch, signed: SignedMessage) -> MessageRefusal:
    refusal = match.host.submit(signed)
    assert refusal is not None
    return refusal


@pytest.mark.full
@pytest.mark.parametrize("deals", [True, False], ids=["seats-deal", "host-deals"])
@pytest.mark.parametrize("is_asked", [True, False], ids=["asked", "other"])
def test_a_seat_can_stop_a_match_only_in_its_own_name(*, is_asked: bool, deals: bool) -> None:
    """The seat that must decide may have no answer to its resume request, which only the host can tell."""
    match = FairMatch("eots", "1943", seed=3, deals=deals, reply_limit=60)
    match.start()
    (asked,) = match.game.active_roles(match.host.state.state)
    (other,) = [role for role in match.seats if role != asked]
    for role, named in ((other, asked), (asked, other)):
        refusal = refusal_of(match, stopping(match, role, named))
        assert (refusal.author, refusal.is_due_fault) == (role, False)
    role = asked if is_asked else other
    assert match.host.submit(stopping(match, role, role)) is None
    assert match.host.state.phase is TranscriptPhase.ENDED
    assert msgspec.structs.asdict(match.host.state.end)["reason"] == "stopped"  # type: ignore[arg-type]


@pytest.mark.usefixtures("quick_proofs")
def test_a_seat_that_alone_withholds_its_reveal_cannot_stop_the_match() -> None:
    """Otherwise, it could look at the other reveals first, and end the match if it did not like the die."""
    match = FairMatch(DEPOT, "two", seed=5, reply_limit=60)
    world = World(match, [[*match.seats][-1]])
    world.start()
    world.settle()
    assert world.index(world.request(world.victim, Roll())) is None
    world.settle(until=TranscriptPhase.REVEAL)
    assert world.index(world.made_of(world.victim, Kind.REVEAL)) is None
    assert awaited_roles(world.state) == {world.attacker}
    refusal = world.refused(world.sign(world.attacker, Kind.END, End("stopped", world.attacker)))
    assert (refusal.author, refusal.is_due_fault) == (world.attacker, False)
    assert "alone" in refusal.problem
