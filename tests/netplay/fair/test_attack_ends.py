"""Ends that no copy can make a record of, and that open the hands all the same."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from saves.fair.messages import Kind, decode_message
from saves.fair.state import Phase
from tests.netplay.fair.journaled_match import JournaledMatch

pytestmark = pytest.mark.usefixtures("quick_proofs")


@pytest.fixture
def match(tmp_path: Path) -> Iterator[JournaledMatch]:
    match = JournaledMatch(tmp_path, "eots", "south-pacific", seed=3)
    match.start()
    yield match
    match.close()


@pytest.mark.xfail(reason="the fold does not know whether the match has a clock", strict=True)
def test_the_host_cannot_call_time_in_a_match_without_a_clock(match: JournaledMatch) -> None:
    assert match.header.clock is msgspec.UNSET
    victim, other = match.programs
    match.host.end_by_time(victim)
    match.deliver()
    ack = match.programs[other].ack()
    assert ack is not None
    seat = match.programs[victim]
    assert seat.ack() is not None
    seat.take_ack(ack)
    kinds = [decode_message(match.match_id, one.data).kind for one in seat.due_messages()]
    assert Kind.SEED not in kinds, "the hand is opened, and no copy accepts the record of this end"
    assert seat.state.phase is Phase.IDLE
