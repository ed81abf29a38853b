"""A copy that is compared with another one: what the other one claims is not proved by it."""

from pathlib import Path

import msgspec
import pytest

from saves.chain import record_chain
from saves.fair.transcript_log import PUBLIC_SALT
from saves.redaction import hide_entry
from tests.netplay.fair.dealt import chance, opened
from tests.netplay.fair.match import CopyOfMatch, FairMatch, verdict_of

change = msgspec.structs.replace


class OtherCopy(CopyOfMatch):
    """A copy with the records of another one and any header."""

    def __init__(self, match: FairMatch, copy: CopyOfMatch, **changes: object) -> None:
        super().__init__(match.setup, match.header, None, match)
        self.header = change(copy.header, **changes)
        self.records = list(copy.records)


@pytest.fixture(scope="module")
def running() -> FairMatch:
    match = opened("eots", "south-pacific", seed=51)
    match.play(*chance(match))
    return match


def test_false_secret_in_the_compared_copy_proves_nothing(
    running: FairMatch, tmp_path: Path
) -> None:
    """No secret has been checked, so no die, no draw and no hidden command has been either."""
    role = next(iter(running.seats))
    other = OtherCopy(running, running.record_files[None], secret=bytes(32))
    verdict = verdict_of(running.record_files[role], tmp_path, against=other)
    proved = {proof.topic for proof in verdict.proofs if proof.extent == "proved"}
    assert verdict.status == "false" or not proved & {"dice and draws", "deal", "legality"}
    assert not any(note.startswith("proved") for note in verdict.notes), verdict.notes


def test_full_copy_with_a_false_secret_proves_nothing_when_compared(
    running: FairMatch, tmp_path: Path
) -> None:
    """The host sends its full copy before the end, with another secret than the one it dealt with."""
    assert running.full_copy is not None
    role = next(iter(running.seats))
    other = OtherCopy(running, running.full_copy, secret=bytes(range(32)))
    verdict = verdict_of(running.record_files[role], tmp_path, against=other)
    assert not any(note.startswith("proved") for note in verdict.notes), verdict.notes


def test_fault_in_the_compared_copy_is_not_attributed_to_this_copy(
    running: FairMatch, tmp_path: Path
) -> None:
    """The verdict is about the copy of an honest seat, and only the copy compared with it is wrong."""
    assert running.full_copy is not None
    role = next(iter(running.seats))
    other = OtherCopy(running, running.full_copy)
    first, *rest = other.records
    at = next(at for at, entry in enumerate(first.events) if entry.salt not in {None, PUBLIC_SALT})
    events = (*first.events[:at], hide_entry(first.events[at]), *first.events[at + 1 :])
    other.records = [change(first, events=events), *rest]
    verdict = verdict_of(running.record_files[role], tmp_path, against=other)
    assert verdict.finding is None or "copy" in verdict.finding.problem, verdict.finding


def test_p7_history_that_the_host_has_not_signed_is_not_a_fork(
    running: FairMatch, tmp_path: Path
) -> None:
    """Whoever sends a copy can invent its last messages, and so make an honest host look guilty."""
    copy = running.record_files[None]
    invented = OtherCopy(running, copy)
    last = copy.records[-1]
    assert last.transcript is not msgspec.UNSET
    invented.records[-1] = change(last, transcript=change(last.transcript, head=bytes(32)))
    invented.records[-1] = change(invented.records[-1], chain=record_chain(invented.records[-1]))
    verdict = verdict_of(copy, tmp_path, against=invented)
    assert verdict.finding is not None
    assert "forked" not in verdict.finding.problem
    assert "the host has not signed" in verdict.finding.problem
    assert not verdict.evidence
