"""A request to stop the match that comes too early, and what the seat's program makes of it later."""

import asyncio
from pathlib import Path

import pytest

from netplay.fair.seat import single_part
from netplay.peer.peer import Peer
from netplay.peer.status import ConnectionState
from netplay.wire.errors import NetworkError
from netplay.wire.limits import REFUSALS_PER_MINUTE, REFUSED_SECONDS
from netplay.wire.messages import Refused
from netplay.wire.modes import JOINT
from play.offers import OfferKind
from saves.errors import MatchError
from saves.fair.state import TranscriptPhase
from tests.netplay.tables import until
from tests.netplay.test_fair import EOTS_PLAYERS, Hall, hall
from tests.netplay.test_stopping import LATER, SOON, begun
from tests.netplay.test_suspended import beats, suspendable

TOO_EARLY = "the others still have time to answer"


async def send_early_stop(peer: Peer) -> None:
    """Send a stop that the host refuses, as if messages had arrived while it was on its way."""
    assert peer.seat is not None
    signed = peer.seat.sign_stop(is_time_over=True)
    verdict = await peer.replicator.send(single_part(signed))
    assert isinstance(verdict, Refused)
    assert (verdict.code, verdict.text) == ("unavailable", TOO_EARLY)


async def check_refusal(peer: Peer) -> None:
    """Check that the player's own program refuses a stop at once."""
    async with asyncio.timeout(15):
        with pytest.raises(MatchError, match=TOO_EARLY):
            await peer.propose(OfferKind.STOP)


async def started_again(table: Hall) -> Peer:
    """Restart the program of the seat that is asked, and return the other seat's peer."""
    asked, other = await begun(table)
    await asked.close()
    seat = table.seat(asked.role).seat
    await table.live()
    assert seat is not None
    # Until then, the other seat may count as silent, and the time starts again when it has answered.
    await until(lambda: seat.participant.resumption.is_over)
    return other


@pytest.mark.full
async def test_a_refused_stop_is_not_sent_again(tmp_path: Path) -> None:
    """The player was told that the others still have time, and must decide again."""
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT, limits=LATER) as table:
        watch = suspendable(table)
        other = await started_again(table)
        await send_early_stop(other)
        await beats(table, watch, LATER.reply_limit + 60)
        await until(lambda: other.reporter.status.may_stop)
        await other.say("nothing was sent before this")
        assert table.match.fair_state.phase is TranscriptPhase.IDLE
        await other.propose(OfferKind.STOP)
        assert table.match.fair_state.has_ended


@pytest.mark.full
async def test_repeated_refused_stops_do_not_disconnect_the_seat(tmp_path: Path) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT, limits=LATER) as table:
        other = await started_again(table)
        async with asyncio.timeout(REFUSED_SECONDS / 2):
            for _ in range(2 * REFUSALS_PER_MINUTE):
                await send_early_stop(other)
            await other.say("still here")


async def test_a_player_can_resign_after_a_premature_stop_request(tmp_path: Path) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT, limits=LATER) as table:
        _, other = await begun(table)
        await check_refusal(other)
        await other.propose(OfferKind.RESIGNATION)
        assert table.match.fair_state.has_ended


@pytest.mark.full
async def test_a_player_whose_stop_was_refused_is_told_when_they_can_resign(tmp_path: Path) -> None:
    """A seat signs one message for each slot, so the refused stop blocks a resignation until the next message."""
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT, limits=LATER) as table:
        _, other = await begun(table)
        await send_early_stop(other)
        async with asyncio.timeout(15):
            with pytest.raises(NetworkError, match="after the next command or offer of any player"):
                await other.propose(OfferKind.RESIGNATION)
        index = other.copy.message_index
        await other.propose(OfferKind.DRAW)
        await until(lambda: other.copy.message_index > index)
        await other.propose(OfferKind.RESIGNATION)
        assert table.match.fair_state.has_ended


@pytest.mark.full
async def test_a_disconnected_player_cannot_stop_the_match(tmp_path: Path) -> None:
    """A restarted host counts the time from zero, so it would refuse the stop."""
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT, limits=SOON) as table:
        _, other = await begun(table)
        await until(lambda: other.reporter.status.may_stop)
        await table.host.stop()
        await until(lambda: other.reporter.status.link is ConnectionState.LOST)
        await check_refusal(other)
