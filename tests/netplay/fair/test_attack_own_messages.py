"""No unchanged program signs what the fold refuses, and a replay of its own old message is the host's fault (P7)."""

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from engine.kernel.ids import Role
from netplay.journal.errors import SeatHaltedError
from saves.errors import MatchError
from saves.fair.evidence import Evidence, RefusedMessage, recompute
from saves.fair.messages import MAX_MESSAGES, Offer, SignedMessage
from saves.fair.signed_texts import OrderedBatch
from tests.netplay.fair.journaled_match import HEADER, JournaledMatch

pytestmark = pytest.mark.usefixtures("quick_proofs")


@pytest.fixture
def match(tmp_path: Path) -> Iterator[JournaledMatch]:
    match = JournaledMatch(tmp_path, "eots", "south-pacific", seed=3)
    match.start()
    yield match
    match.close()


def roles(match: JournaledMatch) -> tuple[Role, Role]:
    first, second = match.programs
    return first, second


def accused(match: JournaledMatch, signed: SignedMessage) -> str:
    """Return what anyone can prove with a message that a seat has signed after the last one."""
    case = RefusedMessage((*match.host.messages,), b"", signed)
    verdict = recompute(Evidence(HEADER, case), lambda _: match.setup)
    return str(verdict) if verdict.is_proven else ""


def test_honest_program_does_not_sign_offers_beyond_the_limit(match: JournaledMatch) -> None:
    victim, other = roles(match)
    for _ in range(MAX_MESSAGES):
        match.submit(match.programs[victim].sign_offer(Offer("draw")))
        match.submit(match.programs[other].sign_consent(agrees=False))
    try:
        signed = match.programs[victim].sign_offer(Offer("draw"))
    except MatchError:
        return
    assert not accused(match, signed)


def test_honest_program_does_not_sign_a_takeback_to_the_last_record(match: JournaledMatch) -> None:
    victim, _ = roles(match)
    try:
        signed = match.programs[victim].sign_offer(Offer("takeback", match.state.records - 1))
    except MatchError:
        return
    assert not accused(match, signed)


def test_old_message_repeated_after_compaction_names_the_host(
    match: JournaledMatch,
) -> None:
    victim, _ = roles(match)
    seat = match.programs[victim]
    with patch("netplay.journal.journal.COMPACT_BYTES", 0):
        match.step()
        match.copies[victim].end = len(match.host.messages)
        seat.record_stored(match.state.index)
    assert seat.journal.base.index == match.state.index
    own = next(one for one in match.host.messages if seat._decode_own(one) is not None)
    index, head = match.state.index, match.state.head
    bare = OrderedBatch(index, head, (own,), b"")
    batch = OrderedBatch(index, head, (own,), match.sign_order(index + 1, bare.hashes()[-1]))
    with pytest.raises(SeatHaltedError):
        seat.deliver(batch)
    assert seat.evidence is not None, "the host has signed that its old message is new"
    verdict = recompute(seat.evidence, lambda _: match.setup)
    assert (verdict.charge, verdict.author) == ("E3", "")
