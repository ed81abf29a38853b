"""Proofs that are verified before they are folded: the fold decides the same, without the work."""

import threading
from collections import Counter

import msgspec
import pytest

from engine.kernel.ids import Role
from saves.fair import verification_cache
from saves.fair.fold import fold
from saves.fair.messages import Kind, Message, Proof, SignedMessage, decode_message, encode_message
from saves.fair.mixing import verify_proof
from saves.fair.proofs import has_proofs, verify_ahead
from saves.fair.state import FairState, MessageRefusal
from saves.fair.verification_cache import VerifiedInputs
from tests.netplay.fair.match import FairMatch

pytestmark = pytest.mark.usefixtures("quick_proofs")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count real verifications by the name of the thread, beginning with nothing verified."""
    counts: Counter[str] = Counter()

    def counted(*parts: object) -> None:
        counts[threading.current_thread().name] += 1
        verify_proof(*parts)  # type: ignore[arg-type]  # as it was called

    monkeypatch.setattr(verification_cache, "verify_proof", counted)
    monkeypatch.setattr(verification_cache, "_PROOFS", VerifiedInputs(1_000))
    monkeypatch.setattr(verification_cache, "_FALSE_PROOFS", VerifiedInputs(1_000))
    return counts


class Opening:
    """A match whose first throw is made, with the proofs that are due."""

    def __init__(self) -> None:
        self.match = FairMatch("eots", "south-pacific", seed=5)
        assert self.match.host.start() is None
        while not self.proofs():
            made = [one for seat in self.match.seats.values() for one in seat.due_messages()]
            for signed in made:
                self.match.host.submit(signed)
            self.match.deliver()

    @property
    def state(self) -> FairState:
        return self.match.state

    def proofs(self) -> list[SignedMessage]:
        made = [one for seat in self.match.seats.values() for one in seat.due_messages()]
        return [one for one in made if self.message(one).kind is Kind.PROOF]

    def message(self, signed: SignedMessage) -> Message:
        return decode_message(self.match.match_id, signed.data)

    def signed(self, message: Message, author: Role | None = None) -> SignedMessage:
        data = encode_message(self.match.match_id, message)
        return SignedMessage(data, self.match.secrets[author or message.author].sign(data))

    def false(self, signed: SignedMessage) -> SignedMessage:
        """The last response of a proof is that of another shadow."""
        message = self.message(signed)
        assert isinstance(message.body, Proof)
        responses = message.body.responses
        body = msgspec.structs.replace(message.body, responses=(*responses[:-1], bytes(32)))
        return self.signed(msgspec.structs.replace(message, body=body))


@pytest.fixture(scope="module")
def opening() -> Opening:
    return Opening()


def in_thread(state: FairState, messages: list[SignedMessage]) -> int:
    found: list[int] = []
    thread = threading.Thread(
        target=lambda: found.append(verify_ahead(state, messages)), name="ahead"
    )
    thread.start()
    thread.join()
    return found[0]


def test_fold_does_not_reverify_proofs_verified_in_a_thread(
    opening: Opening, calls: Counter[str]
) -> None:
    state, proofs = opening.state, opening.proofs()
    assert len(proofs) >= 2
    assert has_proofs(opening.match.match_id, proofs)
    assert in_thread(state, proofs) == len(proofs)
    for signed in proofs:
        after = fold(state, signed)
        assert isinstance(after, FairState)
        state = after
    assert calls == {"ahead": len(proofs)}


def test_false_proof_is_refused_the_same_with_or_without_a_thread(
    opening: Opening, calls: Counter[str]
) -> None:
    false = opening.false(opening.proofs()[0])
    right = fold(opening.state, false)
    assert isinstance(right, MessageRefusal)
    assert right.author == opening.message(false).author
    calls.clear()
    assert in_thread(opening.state, [false]) == 1
    assert fold(opening.state, false) == right
    assert fold(opening.state, false) == right
    assert calls == {"ahead": 1}
    assert isinstance(fold(opening.state, opening.proofs()[0]), FairState)


def test_useless_proofs_are_not_verified_in_a_thread(opening: Opening, calls: Counter[str]) -> None:
    proof = opening.proofs()[0]
    message = opening.message(proof)
    assert isinstance(message.body, Proof)
    author = message.author
    other = next(role for role in opening.match.seats if role != author)
    replace = msgspec.structs.replace
    for useless in (
        SignedMessage(proof.data, bytes(64)),
        SignedMessage(b"unreadable", bytes(64)),
        opening.signed(message, other),
        opening.signed(replace(message, author=other)),
        opening.signed(replace(message, anchor=message.anchor - 1)),
        opening.signed(replace(message, body=replace(message.body, first=99_999))),
        opening.match.host.messages[1],
    ):
        assert in_thread(opening.state, [useless]) == 0
    assert in_thread(opening.state, [opening.false(proof)] * 40) == 1
    assert calls == {"ahead": 1}
    assert not has_proofs(opening.match.match_id, opening.match.host.messages)


def test_proofs_are_not_verified_ahead_when_none_is_due(
    opening: Opening, calls: Counter[str]
) -> None:
    match = FairMatch("eots", "south-pacific", seed=5)
    assert match.host.start() is None
    assert in_thread(match.state, opening.proofs()) == 0
    assert not calls
