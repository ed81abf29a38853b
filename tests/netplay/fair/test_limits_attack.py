"""A host that changes the time limits of a waiting match after a player has joined it."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from netplay.wire.modes import FAIR, JOINT, Chance
from saves.fair.setup import fair_terms
from saves.fair.terms import TimeLimits
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, Hall
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
LIMIT = 90.0


@pytest.mark.parametrize("chance", [FAIR, JOINT])
async def test_at_1_a_host_cannot_change_time_limits_after_a_seat_has_enrolled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    """Nobody could stop the match that the player joined. Now the others may, a second after each of their commands."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    table = Hall(tmp_path, "eots", "south-pacific", EOTS_PLAYERS, chance=chance)
    await table.open()
    try:
        async with asyncio.timeout(LIMIT):
            room = table.house.pending_matches[table.opened.match]
            victim = table.seat(JAPAN)
            await until(lambda: room.missing == (ALLIED,))
            limits = TimeLimits(seed_wait=60, ack_wait=30 * 86_400, reply_limit=1)
            room._waiting = msgspec.structs.replace(room._waiting, limits=limits)
            table.seat(ALLIED)
            await until(lambda: victim.is_ready or victim.reporter.is_over)
            if victim.is_ready:
                assert victim.header is not None
                limit = fair_terms(victim.header).reply_limit
                assert not limit, "the seat has agreed to a limit that its player was never shown"
    finally:
        await table.close()
