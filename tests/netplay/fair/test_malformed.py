"""AT-32: every field of every kind missing, extra, too long, out of range, of another type or encoding."""

import pytest

from saves.fair.fold import fold
from saves.fair.messages import BODY_TYPES, HOST, Kind, SignedMessage
from saves.fair.state import MessageRefusal
from tests.netplay.fair.malformed import malformed
from tests.netplay.fair.moments import Moment
from tests.sizes import sampled

Moments = dict[Kind, list[Moment]]


@pytest.mark.parametrize("kind", [pytest.param(kind, id=f"AT-32-{kind}") for kind in BODY_TYPES])
def test_a_malformed_field_is_refused_and_names_its_author(kind: Kind, moments: Moments) -> None:
    tried = 0
    for moment in sampled(moments[kind], 1, of="moments with malformed fields"):
        before = repr(moment.state.head), moment.state.phase, moment.state.index
        for what, data, is_envelope in sampled(list(malformed(moment.signed.data)), 120):
            signed = SignedMessage(data, moment.sign(data))
            outcome = fold(moment.state, signed)
            assert isinstance(outcome, MessageRefusal), what
            expected = HOST if is_envelope else moment.message.author
            assert outcome.author in {expected, moment.message.author}, what
            assert outcome.problem
            tried += 1
        assert (repr(moment.state.head), moment.state.phase, moment.state.index) == before
        assert not isinstance(fold(moment.state, moment.signed), MessageRefusal), (
            "the state is unchanged"
        )
    assert tried > 100


@pytest.mark.parametrize("kind", BODY_TYPES)
def test_a_message_with_an_invalid_signature_names_the_host(kind: Kind, moments: Moments) -> None:
    for moment in moments[kind]:
        wrong = bytes([moment.signed.signature[0] ^ 1]) + moment.signed.signature[1:]
        outcome = fold(moment.state, SignedMessage(moment.signed.data, wrong))
        assert isinstance(outcome, MessageRefusal)
        assert (outcome.author, "signature" in outcome.problem) == (HOST, True)
