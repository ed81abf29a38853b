"""Evidence that anyone can make against an honest host: another header of the same match (P7)."""

import msgspec
import pytest

from saves.fair.evidence import Evidence, OrderClaim, TwoOrders, recompute
from saves.fair.setup import setup_of, terms_of
from saves.fair.signed_texts import BEFORE_FIRST, order_message
from saves.headers import decode_header, encode_header
from tests.netplay.fair.match import FairMatch

pytestmark = pytest.mark.usefixtures("quick_proofs")


def test_a_header_that_the_host_has_never_seen_is_no_second_transcript() -> None:
    match = FairMatch("eots", "south-pacific", seed=3)
    assert match.host.start() is None
    match.deliver()
    other = msgspec.structs.replace(
        match.header, fair=msgspec.structs.replace(terms_of(match.header), seed_wait=61)
    )
    forged = setup_of(match.game, other)
    order = match.host_key.sign(order_message(match.match_id, 0, match.state.head))
    setup = match.host.messages[0].data
    signed = OrderClaim(BEFORE_FIRST, match.setup.header_hash, (setup,), order)
    invented = OrderClaim(BEFORE_FIRST, forged.header_hash, (), b"")
    evidence = Evidence(encode_header(other), TwoOrders(signed, invented))
    verdict = recompute(evidence, lambda data: setup_of(match.game, decode_header(data)))
    assert not verdict.holds, str(verdict)
