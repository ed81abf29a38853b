"""Headers of matches whose host deals: what binds, and what is refused."""

from collections.abc import Callable

import msgspec
import pytest

from engine.kernel.ids import Role
from saves.chain import public_header
from saves.errors import FairPlayError
from saves.fair.sealing import DealerSecrets
from saves.fair.setup import full_header, promise_of, setup_of, terms_of
from saves.fair.terms import FairTerms
from saves.headers import FULL, Header, decode_header, encode_header
from saves.modes import mode_of
from tests.netplay.fair.match import FairMatch


@pytest.fixture(scope="module")
def dealt() -> FairMatch:
    return FairMatch("eots", "1943", seed=31, deals=False)


def changed(match: FairMatch, terms: FairTerms) -> Header:
    return msgspec.structs.replace(match.header, fair=terms)


def test_a_header_says_who_deals(dealt: FairMatch) -> None:
    setup = setup_of(dealt.game, dealt.header)
    assert not setup.deals
    assert DealerSecrets(dealt.secret).is_promised(setup)
    assert not DealerSecrets(bytes(32)).is_promised(setup)
    assert mode_of(dealt.header) == "joint"
    assert mode_of(FairMatch("eots", "1943", seed=31).header) == "fair"


def test_a_header_is_read_again(dealt: FairMatch) -> None:
    assert decode_header(encode_header(dealt.header)) == dealt.header


def test_the_header_hash_covers_the_key_of_the_host(dealt: FairMatch) -> None:
    other = msgspec.structs.replace(
        terms_of(dealt.header), dealer_key=DealerSecrets(bytes(32)).public_key
    )
    assert public_header(changed(dealt, other)) != public_header(dealt.header)


def test_the_full_header_has_the_same_public_part(dealt: FairMatch) -> None:
    full = full_header(dealt.game, dealt.header, dealt.secret)
    assert (full.audience, full.secret) == (FULL, dealt.secret)
    assert public_header(full) == public_header(dealt.header)


def with_card_seed(match: FairMatch) -> FairTerms:
    terms = terms_of(match.header)
    role = terms.parties[0].role
    first = promise_of(match.secrets[role], "own machine")
    return msgspec.structs.replace(terms, parties=(first, *terms.parties[1:]))


def without_dealer(match: FairMatch) -> FairTerms:
    return msgspec.structs.replace(terms_of(match.header), dealer_key=msgspec.UNSET)


def with_bad_key(match: FairMatch) -> FairTerms:
    return msgspec.structs.replace(terms_of(match.header), dealer_key=bytes(32))


@pytest.mark.parametrize("terms", [with_card_seed, without_dealer, with_bad_key])
def test_terms_that_bind_nobody_are_refused(
    dealt: FairMatch, terms: Callable[[FairMatch], FairTerms]
) -> None:
    with pytest.raises(FairPlayError):
        setup_of(dealt.game, changed(dealt, terms(dealt)))


def test_a_party_without_a_card_seed_cannot_deal() -> None:
    match = FairMatch("eots", "1943", seed=32)
    terms = terms_of(match.header)
    role = terms.parties[0].role
    first = promise_of(match.secrets[role], "own machine", deals=False)
    header = changed(match, msgspec.structs.replace(terms, parties=(first, *terms.parties[1:])))
    with pytest.raises(FairPlayError) as caught:
        setup_of(match.game, header)
    assert caught.value.role == Role(role)
