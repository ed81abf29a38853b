"""A host whose header names other rules than those with which its match is played.

All evidence that depends on the rules is then "not judged", and a false record counts as one of older rules.
"""

import asyncio
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from saves.fair.setup import new_fair_header
from saves.headers import Header
from tests.netplay.fair.few_cards import FEW_CARDS, JAPAN, SCENARIO
from tests.netplay.fair.match import FairMatch
from tests.netplay.hostile import hostile_hall
from tests.netplay.tables import until
from tests.saves.fair.quick_proofs import quick_proofs
from tests.saves.fair.test_seed_attacks import (
    closed,
    hidden_request,
    lay,
    resolve_as,
    verdict_of,
    whole,
)

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
LIMIT = 90.0
change = msgspec.structs.replace
OTHER: Final[dict[str, dict[str, Any]]] = {
    "version": {"rules_version": 999},
    "data": {"data_digest": "0" * 32},
    "edition": {"edition": "another edition"},
}


@pytest.mark.parametrize("name", OTHER)
async def test_e2_a_seat_does_not_agree_to_a_header_with_other_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    async with (
        asyncio.timeout(LIMIT),
        hostile_hall(tmp_path, monkeypatch, waits=False, seats=False) as hall,
    ):
        room = hall.house.pending_matches[hall.id]
        room._empty_header = change(room._empty_header, **OTHER[name])
        for role in hall.players:
            hall.seat(role)
        victim = hall.peers[hall.victim]
        await until(lambda: victim.is_ready or victim.reporter.is_over)
        assert not victim.is_ready, (
            "the seat plays, but no evidence about this match will be judged"
        )


def test_e5_seeds_are_not_verified_under_a_header_with_other_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Why no seat may agree to such a header: the Allies lay a card that they do not hold, and are not named."""

    def other(*arguments: Any, **named: Any) -> Header:  # noqa: ANN401  # as it is called
        return change(new_fair_header(*arguments, **named), **OTHER["version"])

    monkeypatch.setattr("tests.netplay.fair.match.new_fair_header", other)
    match = FairMatch(FEW_CARDS, SCENARIO, seed=25)
    match.record_files = {JAPAN: match.record_files[JAPAN]}
    match.start()
    entry = whole(match, lay("A-21"))
    match.submit(hidden_request(match, entry, entry))
    resolve_as(match, lay("A-5"))
    match.settle()
    closed(match)
    verdict = verdict_of(match, tmp_path)
    assert (verdict.status, verdict.evidence) == ("older", ())
