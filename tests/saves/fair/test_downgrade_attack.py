"""A record whose header names an older protocol than its records, or two protocols. Nobody checks the other's parts."""

from pathlib import Path

import msgspec
import pytest

from saves.chain import first_chain, record_chain
from saves.headers import Header
from saves.logfile import log_bytes
from saves.protocol6.parties import Party
from saves.verify import verify_file
from tests.netplay.fair.match import FairMatch
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
change = msgspec.structs.replace


def problem_of(match: FairMatch, header: Header, path: Path) -> str:
    """Verify the public copy of a match under another header, and return the problem."""
    prev, records = first_chain(header), []
    for record in match.record_files[None].records:
        linked = change(record, prev=prev)
        records.append(change(linked, chain=record_chain(linked)))
        prev = records[-1].chain
    path.write_bytes(log_bytes(header, records))
    verdict = verify_file(path)
    assert verdict.status == "false", verdict
    assert verdict.finding is not None
    return verdict.finding.problem


@pytest.fixture
def match() -> FairMatch:
    match = FairMatch("eots", "south-pacific", seed=3)
    match.start()
    return match


def test_at_30_messages_are_refused_under_a_header_without_keys(
    match: FairMatch, tmp_path: Path
) -> None:
    header = change(match.record_files[None].header, fair=msgspec.UNSET)
    problem = problem_of(match, header, tmp_path / "copy.fplog")
    assert "messages of protocol 7" in problem


def test_at_30_parties_of_an_older_protocol_are_refused_in_a_header_of_protocol_7(
    match: FairMatch, tmp_path: Path
) -> None:
    header = match.record_files[None].header
    party = Party(
        role=match.setup.parties[0].role, verify_key=bytes(32), head=bytes(32), proof=bytes(64)
    )
    problem = problem_of(match, change(header, parties=(party,)), tmp_path / "copy.fplog")
    assert "parties of an older protocol" in problem
