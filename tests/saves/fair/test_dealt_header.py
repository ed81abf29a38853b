"""Headers of matches whose host deals: what binds, and what is refused."""

from collections.abc import Callable

import msgspec
import pytest

from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.registry import ruleset
from saves.chain import public_header
from saves.codec import codec
from saves.decoding import canonical
from saves.errors import FairPlayError
from saves.fair.opening import setup_event
from saves.fair.sealing import DealerSecrets
from saves.fair.setup import (
    fair_terms,
    full_header,
    make_commitments,
    match_setup,
    new_fair_header,
    own_setup,
)
from saves.fair.terms import FairTerms
from saves.headers import FULL, Header, decode_header, encode_header
from saves.modes import match_mode
from tests.netplay.fair.match import FairMatch


@pytest.fixture(scope="module")
def dealt() -> FairMatch:
    return FairMatch("eots", "1943", seed=31, deals=False)


def changed(match: FairMatch, terms: FairTerms) -> Header:
    return msgspec.structs.replace(match.header, fair=terms)


def test_header_states_whether_host_or_seats_deal(dealt: FairMatch) -> None:
    setup = match_setup(dealt.game, dealt.header)
    assert not setup.deals
    assert DealerSecrets(dealt.secret).matches_header(setup)
    assert not DealerSecrets(bytes(32)).matches_header(setup)
    assert match_mode(dealt.header) == "joint"
    assert match_mode(FairMatch("eots", "1943", seed=31).header) == "fair"


def test_header_round_trips(dealt: FairMatch) -> None:
    assert decode_header(encode_header(dealt.header)) == dealt.header


def test_header_hash_covers_the_host_key(dealt: FairMatch) -> None:
    other = msgspec.structs.replace(
        fair_terms(dealt.header), dealer_key=DealerSecrets(bytes(32)).public_key
    )
    assert public_header(changed(dealt, other)) != public_header(dealt.header)


def own_headers() -> tuple[Header, Header]:
    """The public and the full header of a match from a position of the players' own, with cards in both hands."""
    match = FairMatch("eots", "1943", seed=32, deals=False)
    game, secret = match.game, match.secret
    dice = DerivedDice(bytes(range(32)), 0)
    opening = game.open_game(game.position("1943", {}), dice)
    position = game.to_position(game.fold(game.initial_state(), opening))
    terms = fair_terms(match.header)
    public = new_fair_header(game, match.match_id, "", {}, terms, secret, position)
    full = full_header(game, public, secret, position)
    terms = msgspec.structs.replace(terms, setup=own_setup(game, full))
    return tuple(msgspec.structs.replace(one, fair=terms) for one in (public, full))  # type: ignore[return-value]  # two of them


def test_custom_position_is_binding_and_complete_only_in_the_full_header() -> None:
    public, full = own_headers()
    game = ruleset("eots")
    assert public_header(public) == public_header(full)
    seen, known = match_setup(game, public), match_setup(game, full)
    assert (seen.knows_position, known.knows_position) == (False, True)
    assert seen.header_hash == known.header_hash
    assert game.redact(setup_event(known), None) == setup_event(seen)
    assert DealerSecrets(full.secret or b"").matches_header(known)
    decoded = decode_header(encode_header(public))
    assert decoded == public
    own = fair_terms(public).setup
    assert own is not msgspec.UNSET
    other = msgspec.structs.replace(own, commitment=bytes(32))
    changed_terms = msgspec.structs.replace(fair_terms(public), setup=other)
    assert public_header(msgspec.structs.replace(public, fair=changed_terms)) != public_header(
        public
    )


def test_setup_that_shows_a_hand_or_has_a_different_position_is_refused() -> None:
    public, full = own_headers()
    game, terms = ruleset("eots"), fair_terms(public)
    own = terms.setup
    assert own is not msgspec.UNSET
    tag, v, body = codec(game).pack(setup_event(match_setup(game, full)))
    shows = msgspec.structs.replace(own, tag=tag, v=v, body=body)
    open_header = msgspec.structs.replace(public, fair=msgspec.structs.replace(terms, setup=shows))
    with pytest.raises(FairPlayError, match="shows hidden information"):
        match_setup(game, open_header)
    elsewhere = msgspec.structs.replace(full, position=canonical(game.position("1943", {})))
    with pytest.raises(FairPlayError, match="does not match the match's set-up"):
        match_setup(game, elsewhere)
    dealt = msgspec.structs.replace(terms, dealer_key=msgspec.UNSET)
    with pytest.raises(FairPlayError, match="only in a scenario"):
        match_setup(game, msgspec.structs.replace(public, fair=dealt))
    junk = msgspec.structs.replace(terms, setup=msgspec.structs.replace(own, body=b"\x90"))
    with pytest.raises(FairPlayError, match="is invalid"):
        match_setup(game, msgspec.structs.replace(public, fair=junk))


def test_header_naming_a_scenario_must_start_as_its_rules_define() -> None:
    """Else a host could give itself a better hand, and call it the scenario that everyone knows."""
    for header in own_headers():
        named = msgspec.structs.replace(header, scenario="1943")
        with pytest.raises(FairPlayError, match="not how scenario '1943' begins"):
            match_setup(ruleset("eots"), named)


def test_full_header_has_the_same_public_part(dealt: FairMatch) -> None:
    full = full_header(dealt.game, dealt.header, dealt.secret)
    assert (full.audience, full.secret) == (FULL, dealt.secret)
    assert public_header(full) == public_header(dealt.header)


def with_card_seed(match: FairMatch) -> FairTerms:
    terms = fair_terms(match.header)
    role = terms.parties[0].role
    first = make_commitments(match.secrets[role], "own machine")
    return msgspec.structs.replace(terms, parties=(first, *terms.parties[1:]))


def without_dealer(match: FairMatch) -> FairTerms:
    return msgspec.structs.replace(fair_terms(match.header), dealer_key=msgspec.UNSET)


def with_bad_key(match: FairMatch) -> FairTerms:
    return msgspec.structs.replace(fair_terms(match.header), dealer_key=bytes(32))


@pytest.mark.parametrize("terms", [with_card_seed, without_dealer, with_bad_key])
def test_non_binding_terms_are_refused(
    dealt: FairMatch, terms: Callable[[FairMatch], FairTerms]
) -> None:
    with pytest.raises(FairPlayError):
        match_setup(dealt.game, changed(dealt, terms(dealt)))


def test_party_without_a_card_seed_cannot_deal() -> None:
    match = FairMatch("eots", "1943", seed=32)
    terms = fair_terms(match.header)
    role = terms.parties[0].role
    first = make_commitments(match.secrets[role], "own machine", deals=False)
    header = changed(match, msgspec.structs.replace(terms, parties=(first, *terms.parties[1:])))
    with pytest.raises(FairPlayError) as caught:
        match_setup(match.game, header)
    assert caught.value.role == Role(role)
