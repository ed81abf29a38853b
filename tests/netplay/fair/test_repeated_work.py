"""What a seat does not do again for each message: read its journal, decode, and check a signature."""

from collections import Counter

import pytest

from netplay.fair import participant
from saves.fair import secrets, verification_cache
from saves.fair.messages import Message, decode_message
from saves.fair.signed_texts import OrderSignature, is_ordered
from saves.fair.verification_cache import VerifiedInputs
from tests.netplay.fair.match import FairMatch

COMMANDS = 12


@pytest.fixture(scope="module")
def match() -> FairMatch:
    """A match of which each seat has signed more than one record."""
    made = FairMatch("eots", "south-pacific", seed=4, deals=False)
    made.start()
    for _ in range(COMMANDS):
        assert made.step()
    return made


def test_a_seat_decodes_only_messages_signed_since_the_last_record(
    match: FairMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = list[int]()

    def noted(match_id: str, data: bytes) -> Message:
        message = decode_message(match_id, data)
        read.append(message.anchor)
        return message

    monkeypatch.setattr(participant, "decode_message", noted)
    assert sum(len(seat.journal.signed) for seat in match.seats.values()) > COMMANDS
    for seat in match.seats.values():
        assert seat.unanswered_decisions() == ()
    assert all(anchor >= match.state.first_hash for anchor in read)
    assert len(read) <= len(match.seats)


def test_a_command_not_indexed_by_the_host_is_sent_again(match: FairMatch) -> None:
    role, decision = next(match.choices())
    seat = match.seats[role]
    (signed,) = seat.sign_command(decision.options[0])
    assert seat.unanswered_decisions() == (signed,)
    match.submit(signed)
    match.settle()
    assert seat.unanswered_decisions() == ()


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> Counter[bytes]:
    """Count the signatures that are really checked, beginning with none known."""
    counts: Counter[bytes] = Counter()
    check = secrets.verify_signature

    def counted(key: bytes, message: bytes, signature: bytes) -> bool:
        counts[signature] += 1
        return check(key, message, signature)

    monkeypatch.setattr(verification_cache, "verify_signature", counted)
    monkeypatch.setattr(verification_cache, "_SIGNATURES", VerifiedInputs(100))
    return counts


def test_the_order_signature_of_a_transcript_is_checked_once(
    match: FairMatch, checks: Counter[bytes]
) -> None:
    made: OrderSignature = match.host.order_signature()
    state = match.state
    for _ in range(3):
        assert is_ordered(match.setup, state.index, state.head, made.signature)
    assert checks == {made.signature: 1}
    assert not is_ordered(match.setup, state.index + 1, state.head, made.signature)


def test_decoding_the_same_message_twice_in_a_row_is_cached(match: FairMatch) -> None:
    role, decision = next(match.choices())
    (signed,) = match.seats[role].sign_command(decision.options[0])
    first = decode_message(match.match_id, signed.data)
    assert decode_message(match.match_id, bytes(bytearray(signed.data))) is first
