"""AT-32 for a host that deals: every field of every message malformed, and every message at a wrong moment."""

import pytest

from saves.fair.fold import fold, initial_fair_state
from saves.fair.messages import HOST, Kind, SignedMessage, decode_message
from saves.fair.state import FairState, MessageRefusal
from tests.netplay.fair.dealt import certain, chance, hidden, opened
from tests.netplay.fair.malformed import malformed
from tests.netplay.fair.match import FairMatch
from tests.netplay.fair.moments import Moment
from tests.sizes import sampled

KINDS = (
    Kind.SETUP,
    Kind.AGREE,
    Kind.REQUEST,
    Kind.REVEAL,
    Kind.PROPOSAL,
    Kind.END,
    Kind.SEED,
    Kind.CLOSE,
)


@pytest.fixture(scope="module")
def match() -> FairMatch:
    match = opened("qmg", "base", seed=61)
    match.play(*hidden(match))
    match.play(*chance(match))
    match.play(*certain(match))
    match.finish()
    return match


@pytest.fixture(scope="module")
def moments(match: FairMatch) -> dict[Kind, Moment]:
    """The largest message of each kind with the state before it.

    A request is a hidden command. A proposal is for a command without chance, which every copy decides again.
    """
    found: dict[Kind, Moment] = {}
    state: FairState = initial_fair_state(match.setup)
    for signed in match.host.messages:
        message = decode_message(match.match_id, signed.data)
        known = found.get(message.kind)
        sign = match.secrets[message.author].sign if message.author else match.host_key.sign
        pending = state.pending
        is_decided = message.kind is not Kind.PROPOSAL or (pending and not pending.throws)
        if is_decided and (known is None or len(known.signed.data) < len(signed.data)):
            found[message.kind] = Moment(state, signed, message, sign)
        after = fold(state, signed)
        assert isinstance(after, FairState)
        state = after
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_malformed_field_is_refused_and_names_its_author(
    kind: Kind, moments: dict[Kind, Moment]
) -> None:
    moment, tried = moments[kind], 0
    for what, data, is_envelope in sampled(list(malformed(moment.signed.data)), 80):
        outcome = fold(moment.state, SignedMessage(data, moment.sign(data)))
        assert isinstance(outcome, MessageRefusal), what
        expected = {moment.message.author, HOST} if is_envelope else {moment.message.author}
        assert outcome.author in expected, what
        tried += 1
    assert tried > 50
    assert isinstance(fold(moment.state, moment.signed), FairState), "the state is unchanged"


def test_duplicate_and_out_of_order_messages_are_refused(
    match: FairMatch, moments: dict[Kind, Moment]
) -> None:
    state = initial_fair_state(match.setup)
    for signed in match.host.messages:
        for moment in moments.values():
            if moment.signed != signed:
                assert isinstance(fold(state, moment.signed), MessageRefusal)
        after = fold(state, signed)
        assert isinstance(after, FairState)
        assert isinstance(fold(after, signed), MessageRefusal)
        state = after
