"""A host forks a match, and gives one seat other signatures of the shared part, which hide the proof of the fork."""

from hashlib import sha512
from pathlib import Path
from typing import Final

import msgspec
import pytest
from nacl import bindings

from engine.kernel.ids import Role
from saves.fair.evidence_file import save_accusations
from saves.fair.messages import Offer
from saves.fair.secrets import verify_signature
from saves.fair.signed_texts import order_message
from saves.verify import verify_file
from tests.netplay.fair.match import CopyOfMatch, FairMatch

JAPAN, ALLIED = Role("japan"), Role("allied")
ORDER: Final = 2**252 + 27742317777372353535851937790883648493
change = msgspec.structs.replace


def other_signature(seed: bytes, key: bytes, message: bytes) -> bytes:
    """A valid Ed25519 signature with another nonce than the usual one. Only the holder of the key can make it."""
    digest = bytearray(sha512(seed).digest()[:32])
    digest[0] &= 248
    digest[31] = digest[31] & 127 | 64
    secret, nonce = int.from_bytes(digest, "little"), 123456789
    point = bindings.crypto_scalarmult_ed25519_base_noclamp(nonce.to_bytes(32, "little"))
    challenge = int.from_bytes(sha512(point + key + message).digest(), "little") % ORDER
    return point + ((nonce + challenge * secret) % ORDER).to_bytes(32, "little")


@pytest.fixture
def copies(tmp_path: Path) -> tuple[Path, Path]:
    """Two copies of a forked match. In the second one, the order of the shared part has another signature."""
    match = FairMatch("eots", "south-pacific", seed=3)
    match.start()
    shared = list(match.host.messages)
    paths = tmp_path / "first.fplog", tmp_path / "second.fplog"
    for path, role in zip(paths, (JAPAN, ALLIED), strict=True):
        copy = CopyOfMatch(match.setup, match.header, None, match)
        for signed in (*shared, match.seats[role].sign_resignation()):
            copy.take(signed)
        if role == ALLIED:
            first, *rest = copy.records
            assert first.transcript is not msgspec.UNSET
            text = order_message(match.match_id, len(shared) - 1, first.transcript.head)
            order = other_signature(match.host_key._signing_key[:32], match.setup.host_key, text)
            assert verify_signature(match.setup.host_key, text, order)
            assert order != first.transcript.order
            first = change(first, transcript=change(first.transcript, order=order))
            copy.records = [first, *rest]
        copy.write(path)
    return paths


def test_p7_host_cannot_hide_its_fork_behind_a_second_signature(copies: tuple[Path, Path]) -> None:
    for own, other in (copies, reversed(copies)):
        assert verify_file(own).status == "awaited", verify_file(own).finding
        verdict = verify_file(own, against=other)
        assert verdict.finding is not None
        assert "forked" in verdict.finding.problem
        assert any(text.startswith("E1, ") and "the host" in text for text in verdict.evidence)


def test_evidence_from_a_copy_with_any_name_is_saved_in_the_folder(
    copies: tuple[Path, Path], tmp_path: Path
) -> None:
    """Whoever sends a copy also chooses its name."""
    own, other = copies
    renamed, folder = own.rename(tmp_path / "..fplog"), tmp_path / "evidence"
    saved = save_accusations(renamed, other, folder)
    assert saved
    assert {path.parent for path in saved} == {folder}
    assert all(path.exists() for path in saved)


def adjourned_copy(proposer: Role) -> CopyOfMatch:
    """A copy of a match that was adjourned twice. Matches of both proposers have the same opening."""
    match = FairMatch("eots", "south-pacific", seed=3)
    match.start()
    for _ in range(2):
        match.submit(match.seats[proposer].sign_offer(Offer("adjournment")))
        other = ALLIED if proposer == JAPAN else JAPAN
        match.submit(match.seats[other].sign_consent(agrees=True))
    copy = CopyOfMatch(match.setup, match.header, None, match)
    for signed in match.host.messages:
        copy.take(signed)
    return copy


def test_p7_host_cannot_hide_its_fork_behind_a_damaged_signature(tmp_path: Path) -> None:
    """Each order signature covers all earlier messages, so one damaged signature hides nothing."""
    own, other = tmp_path / "own.fplog", tmp_path / "other.fplog"
    adjourned_copy(JAPAN).write(own)
    forked = adjourned_copy(ALLIED)
    opening, first, second = forked.records
    assert first.transcript is not msgspec.UNSET
    damaged = change(first, transcript=change(first.transcript, order=bytes(64)))
    forked.records = [opening, damaged, second]
    forked.write(other)
    for one, against in ((own, other), (other, own)):
        verdict = verify_file(one, against=against)
        assert verdict.status == "false"
        assert any(text.startswith("E1, ") and "the host" in text for text in verdict.evidence)
