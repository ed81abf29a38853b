"""Honest programs that are all updated while their match waits for its last player."""

import asyncio
from pathlib import Path

import pytest

from engine.registry import ruleset
from netplay.wire.modes import FAIR, JOINT, Chance
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.netplay.test_fair import EOTS_PLAYERS, Hall
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
LIMIT = 90.0


@pytest.mark.parametrize("chance", [FAIR, pytest.param(JOINT, marks=pytest.mark.full)])
async def test_p7_an_honest_host_is_not_accused_after_all_programs_are_updated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    """The match begins with the rules of the newer program, so its header is not the one that the seat saw first."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    table = Hall(tmp_path, "eots", "south-pacific", EOTS_PLAYERS, chance=chance)
    await table.open()
    try:
        async with asyncio.timeout(LIMIT):
            room = table.house.pending_matches[table.opened.match]
            early = table.seat(JAPAN)
            await until(lambda: room.missing == (ALLIED,))
            await early.close()
            rules = type(ruleset("eots"))
            monkeypatch.setattr(rules, "version", rules.version + 1)
            await table.restart()
            seats = [table.seat(JAPAN), table.seat(ALLIED)]
            await until(lambda: any(seat.is_ready or seat.reporter.is_over for seat in seats))
            assert [seat.reporter.status.reason for seat in seats] == ["", ""]
            await table.live()
    finally:
        await table.close()
