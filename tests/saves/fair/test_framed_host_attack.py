"""Whoever has a copy frames its honest host: the order that the host has signed does not cover the signatures."""

from pathlib import Path

import msgspec
import pytest

from saves.fair.evidence import Evidence, RefusedMessage, encode_evidence
from saves.fair.evidence_file import known_copy, save_accusations, verify_evidence
from saves.headers import encode_header
from saves.verify import verify_file
from tests.netplay.fair.match import CopyOfMatch, FairMatch
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
change = msgspec.structs.replace


@pytest.fixture
def match() -> FairMatch:
    match = FairMatch("eots", "south-pacific", seed=3)
    match.start()
    match.step()
    return match


@pytest.mark.parametrize("tail", [b"", b"\x01" * 200], ids=["intact", "damaged later"])
def test_at_29_later_damaged_signature_does_not_blame_the_host(
    match: FairMatch, tmp_path: Path, tail: bytes
) -> None:
    copy = match.record_files[None]
    transcript = copy.records[-1].transcript
    assert transcript is not msgspec.UNSET
    messages = list(match.host.messages)
    messages[-1] = change(messages[-1], signature=bytes(64))
    case = RefusedMessage(tuple(messages), transcript.order, None)
    accusation, own = tmp_path / "false.evidence7", tmp_path / "own.fplog"
    accusation.write_bytes(encode_evidence(Evidence(encode_header(copy.header), case)))
    copy.write(own)
    own.write_bytes(own.read_bytes() + tail)
    verdict = verify_evidence(accusation, known_copy(own))
    assert verdict.status == "does not hold", str(verdict)


def test_at_29_copy_with_a_damaged_signature_is_not_evidence_against_the_host(
    match: FairMatch, tmp_path: Path
) -> None:
    *earlier, last = match.record_files[None].records
    assert last.transcript is not msgspec.UNSET
    first, *others = last.transcript.messages
    messages = (change(first, signature=bytes(64)), *others)
    false = CopyOfMatch(match.setup, match.header, None, match)
    false.records = [*earlier, change(last, transcript=change(last.transcript, messages=messages))]
    path = tmp_path / "copy.fplog"
    false.write(path)
    verdict = verify_file(path)
    assert verdict.status == "false"
    assert not verdict.evidence
    assert save_accusations(path, None, tmp_path / "evidence") == ()


def test_damaged_copy_still_identifies_its_match(match: FairMatch, tmp_path: Path) -> None:
    path = tmp_path / "own.fplog"
    match.record_files[None].write(path)
    whole, data = known_copy(path), path.read_bytes()
    path.write_bytes(data[:-40] + bytes(10) + data[-30:])
    assert known_copy(path).header_hash == whole.header_hash
