"""Ends that no copy can make a record of, and that open the hands all the same."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from saves.fair.messages import HOST, Kind, Offer
from saves.fair.state import TranscriptPhase
from tests.netplay.fair.dealt import signed_by
from tests.netplay.fair.journaled_match import JournaledMatch
from tests.netplay.fair.match import FairMatch

pytestmark = pytest.mark.usefixtures("quick_proofs")


@pytest.fixture
def match(tmp_path: Path) -> Iterator[JournaledMatch]:
    match = JournaledMatch(tmp_path, "eots", "south-pacific", seed=3, clock=msgspec.UNSET)
    match.start()
    yield match
    match.close()


def test_the_host_cannot_end_a_match_without_a_clock_on_time(match: JournaledMatch) -> None:
    """A seat would open its hand, and no copy accepts the record of this end."""
    victim, _ = match.programs
    refusal = match.host.end_by_time(victim)
    assert refusal is not None
    assert (refusal.author, refusal.is_due_fault) == (HOST, False)
    assert match.state.phase is TranscriptPhase.IDLE


def test_a_draw_offer_without_an_opposing_side_is_refused() -> None:
    """Two players of one side in Carrier Battle, against the system."""
    match = FairMatch("cbps", "5", {"staff": "two"}, seed=4, deals=False)
    match.start()
    role = next(iter(match.seats))
    signed = signed_by(match, role, match.state, Kind.OFFER, Offer("draw"))
    refusal = match.host.submit(signed)
    assert refusal is not None
    assert (refusal.author, refusal.is_due_fault) == (role, False)
