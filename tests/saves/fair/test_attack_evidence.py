"""Evidence that anyone can make against an honest host: another header of the same match (P7)."""

from pathlib import Path

import msgspec
import pytest

from netplay.fair.seat import _MAX_BYTES
from saves.fair import evidence
from saves.fair.evidence import (
    MAX_CLAIMED,
    ConflictingOrders,
    Evidence,
    OrderClaim,
    encode_evidence,
    recompute,
)
from saves.fair.evidence_file import verify_evidence
from saves.fair.messages import SignedMessage
from saves.fair.setup import fair_terms, match_setup
from saves.fair.signed_texts import BEFORE_FIRST, order_message
from saves.headers import decode_header, encode_header
from tests.netplay.fair.match import FairMatch

pytestmark = pytest.mark.usefixtures("quick_proofs")


def test_header_unknown_to_the_host_does_not_prove_conflicting_transcripts() -> None:
    match = FairMatch("eots", "south-pacific", seed=3)
    assert match.host.start() is None
    match.deliver()
    other = msgspec.structs.replace(
        match.header, fair=msgspec.structs.replace(fair_terms(match.header), seed_wait=61)
    )
    forged = match_setup(match.game, other)
    order = match.host_key.sign(order_message(match.match_id, 0, match.state.head))
    setup = match.host.messages[0].data
    signed = OrderClaim(BEFORE_FIRST, match.setup.header_hash, (setup,), order)
    invented = OrderClaim(BEFORE_FIRST, forged.header_hash, (), b"")
    accusation = Evidence(encode_header(other), ConflictingOrders(signed, invented))
    verdict = recompute(accusation, lambda data: match_setup(match.game, decode_header(data)))
    assert not verdict.is_proven, str(verdict)


def test_evidence_with_too_many_messages_is_refused_before_hashing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = FairMatch("eots", "1943", deals=False)
    claim = OrderClaim(0, bytes(32), (b"",) * (MAX_CLAIMED + 1), bytes(64))
    path = tmp_path / "a.evidence7"
    path.write_bytes(
        encode_evidence(Evidence(encode_header(match.header), ConflictingOrders(claim, claim)))
    )

    hashed: list[object] = []

    def noted(*parts: object) -> bytes:
        hashed.append(parts)
        return bytes(32)

    monkeypatch.setattr(evidence, "next_hash", noted)
    assert verify_evidence(path).status == "unreadable"
    assert not hashed


def test_message_limit_of_evidence_covers_the_largest_possible_batch() -> None:
    shortest = msgspec.msgpack.encode(SignedMessage(b"", bytes(64)))
    assert _MAX_BYTES // len(shortest) <= MAX_CLAIMED
