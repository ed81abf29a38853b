"""Builds a protocol 7 match's set-up from its header."""

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec

from engine.kernel.dice import SECRET_BYTES, DerivedDice
from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from saves.chain import public_header
from saves.codec import AnyGame, codec
from saves.commitments import position_commitment, secret_commitment
from saves.decoding import canonical, decode
from saves.errors import FairPlayError, UnreadableError
from saves.fair.derivation import HASH_BYTES, pack, plain_hash
from saves.fair.fold import transcript_start
from saves.fair.sealing import DealerSecrets, is_usable_dealer_key
from saves.fair.secrets import SeatSecrets, is_usable_key, verify_signature
from saves.fair.state import MatchSetup, Party
from saves.fair.terms import FairParty, FairTerms, OwnSetup, Place, TimeLimits
from saves.headers import FORMAT_VERSION, FULL, SPECTATOR, Header, encode_header, own_data_digest
from saves.records import MAX_RECORD_BYTES
from saves.timeline import FOLD_ERRORS

NO_SECRET: Final = bytes(32)
"""Placeholder for the match secret in a match whose seats deal, where nothing is derived from it."""


def party_message(match_id: str, party: FairParty) -> bytes:
    """Return the bytes that a party signs to confirm its own commitments."""
    commitments = (match_id, party.role, party.key, party.head, party.cards, party.place)
    return pack(("flagplot-fair/7 party", *commitments))


def make_commitments(secrets: SeatSecrets, place: Place, *, deals: bool = True) -> FairParty:
    """Return a seat's commitments for the match header, signed with the seat's own key.

    Args:
        secrets: The seat's secrets.
        place: The kind of place where the secrets are stored.
        deals: True if the seats deal. In that case, the seat also commits to a card seed.
    """
    unsigned = FairParty(
        role=secrets.role,
        key=secrets.verify_key,
        head=secrets.head,
        cards=secrets.cardseed_commitment if deals else b"",
        proof=bytes(64),
        place=place,
    )
    return msgspec.structs.replace(
        unsigned, proof=secrets.sign(party_message(secrets.match_id, unsigned))
    )


def terms_hash(header: Header, limits: TimeLimits, *, deals: bool) -> bytes:
    """Return a hash of the terms that a host must not change once a player has joined.

    The seats' keys are left out, because a host may issue new invites. The rules are left out, because all programs may
    be updated before the match begins.

    Args:
        header: The header of any copy, with or without the parties' commitments.
        limits: The match's time limits for messages.
        deals: True if the seats deal the cards.
    """
    seats = tuple(msgspec.structs.replace(seat, seat_id="") for seat in header.seats)
    terms = msgspec.structs.replace(
        header,
        format=0,
        edition="",
        rules_version=0,
        data_digest="",
        audience=SPECTATOR,
        position=None,
        secret=None,
        fair=msgspec.UNSET,
        seats=seats,
    )
    times = limits.seed_wait, limits.ack_wait, limits.reply_limit
    return plain_hash(b"fp7-terms", pack((deals, times, encode_header(terms))))


def fair_terms(header: Header) -> FairTerms:
    """Return a header's protocol 7 terms. The header must contain such terms."""
    assert header.fair is not msgspec.UNSET, "this must be a protocol 7 header"
    return header.fair


def match_setup(game: AnyGame, header: Header) -> MatchSetup:
    """Return the set-up defined by a protocol 7 header.

    Args:
        game: The rules.
        header: The header of any copy. The set-up of a custom starting position is complete only if the header contains
            that position.

    Raises:
        FairPlayError: The header does not fit the game, or a party's commitment is unsafe.
    """
    terms = fair_terms(header)
    dealer_key = terms.dealer_key
    deals = dealer_key is msgspec.UNSET
    beginning = _own_starting_position(game, header, terms, deals=deals) or _starting_position(
        game, header
    )
    _check_all_commitments(header, terms, beginning.roles)
    problem = secrecy_problem(game) if deals else ""
    if problem:
        raise FairPlayError(Role(""), f"the seats cannot deal the cards of this game: {problem}")
    return MatchSetup(
        game=game,
        match_id=header.match_id,
        header_hash=transcript_start(public_header(header)),
        host_key=terms.host_key,
        reply_limit=terms.reply_limit,
        may_lose_by_time=header.clock is not msgspec.UNSET and header.clock.flag == "loses",
        parties=tuple(
            Party(role=party.role, key=party.key, head=party.head, cards=party.cards)
            for party in terms.parties
        ),
        position=beginning.position,
        deals=deals,
        dealer_key=b"" if dealer_key is msgspec.UNSET else dealer_key,
        secret_commitment=header.secret_commitment,
        position_commitment=header.position_commitment,
        own_commitment=beginning.commitment,
        own_setup=beginning.shown,
        knows_position=beginning.is_complete,
    )


class _StartingPosition(NamedTuple):
    """A match's starting position."""

    position: msgspec.Struct
    roles: tuple[Role, ...]
    commitment: bytes = b""
    shown: Event | None = None
    is_complete: bool = True


def _starting_position(game: AnyGame, header: Header) -> _StartingPosition:
    """Return a scenario's starting position.

    Raises:
        FairPlayError: There is no such scenario.
    """
    try:
        position = game.position(header.scenario, header.options)
    except DataError as error:
        raise FairPlayError(Role(""), f"the match's scenario is unknown: {error}") from error
    if header.own_data is not msgspec.UNSET:
        raise FairPlayError(Role(""), "the match uses custom data, but has no custom set-up")
    deals = fair_terms(header).dealer_key is msgspec.UNSET
    # Otherwise, no copy would accept the record that closes the match.
    if deals and header.secret_commitment != secret_commitment(NO_SECRET):
        raise FairPlayError(
            Role(""), "the host has committed to a secret, although the seats deal the cards"
        )
    return _StartingPosition(position, game.roles_at(position))


def _own_starting_position(
    game: AnyGame, header: Header, terms: FairTerms, *, deals: bool
) -> _StartingPosition | None:
    """Return the starting position for a match with a custom position or custom data. Return None for a plain scenario.

    Raises:
        FairPlayError: The seats deal, or the set-up in the header is not a valid public form.
    """
    own_setup = terms.setup
    if own_setup is msgspec.UNSET:
        return None
    if deals:
        raise FairPlayError(Role(""), "the seats can deal the cards only in a scenario")
    try:
        public_event: Any = codec(game).event(own_setup.tag, own_setup.v, own_setup.body)
        # An event of another kind has no position, so it raises an AttributeError, which is
        # reported as an invalid header.
        position: msgspec.Struct = public_event.position
        if (
            game.redact(public_event, None) != public_event
            or codec(game).pack(public_event)[2] != own_setup.body
        ):
            raise FairPlayError(Role(""), "the match's set-up shows hidden information")
        if own_data_digest(game.user_data(position)) != header.own_data:
            raise FairPlayError(Role(""), "the custom data do not match their commitment")
        roles: tuple[Role, ...] = game.roles(game.evolve(game.initial_state(), public_event))
        full_position = _full_position(game, header, position)
        if full_position is None:
            return _StartingPosition(
                position, roles, own_setup.commitment, public_event, is_complete=False
            )
        if game.redact(_setup_event(game, full_position), None) != public_event:
            raise FairPlayError(Role(""), "the position does not match the match's set-up")
    except (UnreadableError, AttributeError, *FOLD_ERRORS) as error:
        raise FairPlayError(Role(""), f"the match's set-up is invalid: {error}") from error
    return _StartingPosition(full_position, roles, own_setup.commitment, public_event)


def _full_position(
    game: AnyGame, header: Header, public_position: msgspec.Struct
) -> msgspec.Struct | None:
    """Return the complete starting position for a match with custom data or a custom position.

    Return None if this copy does not include the position.

    Args:
        game: The rules.
        header: The header of any copy.
        public_position: The position's public form.

    Raises:
        FairPlayError: The header names a scenario, but the position does not match it.
        UnreadableError: The position in the header is not valid for the game.
    """
    full_position: msgspec.Struct | None = None
    if header.position is not None:
        decoder = msgspec.msgpack.Decoder(game.position_type)
        full_position = decode(decoder, header.position, MAX_RECORD_BYTES)
    if not header.scenario:
        return full_position
    problem, data = (
        f"this is not how scenario '{header.scenario}' begins",
        game.user_data(public_position),
    )
    # Without custom data, the scenario defines the whole set-up. Otherwise, a host could change the
    # set-up to give itself a better hand.
    if not data:
        raise FairPlayError(Role(""), problem)
    try:
        position = game.position(header.scenario, header.options)
        scenario_position: msgspec.Struct = game.with_data(position, data)
    except DataError as error:
        raise FairPlayError(Role(""), f"{problem}: {error}") from error
    if full_position is not None and full_position != scenario_position:
        raise FairPlayError(Role(""), problem)
    return scenario_position


def _setup_event(game: AnyGame, position: msgspec.Struct) -> Event:
    events: tuple[Event, ...] = game.open_game(position, DerivedDice(bytes(SECRET_BYTES), 0))
    return events[0]


def own_setup(game: AnyGame, header: Header) -> OwnSetup | msgspec.UnsetType:
    """Return the public set-up that a dealing host includes in the header; UNSET for a plain scenario.

    Only custom positions and custom data need a public set-up.

    Args:
        game: The rules.
        header: The full header.

    Raises:
        UnreadableError: The position in the header is not valid for the game.
    """
    assert header.position is not None, "this must be a full header"
    assert header.secret is not None, "this must be a full header"
    with suppress(DataError):
        if header.position == canonical(game.position(header.scenario, header.options)):
            return msgspec.UNSET
    decoder = msgspec.msgpack.Decoder(game.position_type)
    full_event = _setup_event(game, decode(decoder, header.position, MAX_RECORD_BYTES))
    redacted = game.redact(full_event, None)
    assert redacted is not None, "a set-up must be visible to everyone"
    tag, v, body = codec(game).pack(redacted)
    entry = DealerSecrets(header.secret).own_entry(codec(game).pack(full_event))
    return OwnSetup(tag=tag, v=v, body=body, commitment=entry.commitment)


@lru_cache(maxsize=16)
def secrecy_problem(game: AnyGame) -> str:
    """Return the reason why the seats cannot deal a game's cards, or an empty string if they can.

    The first call plays an opening to find out, and the result is cached.
    """
    problem: str = game.secrecy_problem()
    return problem


@lru_cache(maxsize=16)
def hiding_problem(game: AnyGame) -> str:
    """Return the reason why the seats cannot check what the host hides, or an empty string if they can.

    The result is cached.
    """
    problem: str = game.hiding_problem()
    return problem


def check_commitments(match_id: str, party: FairParty) -> None:
    """Check that a party's commitments are signed with its own key.

    Raises:
        FairPlayError: The key is unusable, or the signature is wrong.
    """
    if not is_usable_key(party.key):
        raise FairPlayError(party.role, f"the key of {party.role} is not a valid signing key")
    if not verify_signature(party.key, party_message(match_id, party), party.proof):
        raise FairPlayError(
            party.role, f"the commitment of {party.role} is not signed with its key"
        )


def _check_all_commitments(header: Header, terms: FairTerms, roles: tuple[Role, ...]) -> None:
    if tuple(party.role for party in terms.parties) != roles:
        raise FairPlayError(Role(""), "the parties are not the roles of the match")
    if not is_usable_key(terms.host_key):
        raise FairPlayError(Role(""), "the host's key is not a valid signing key")
    dealer_key = terms.dealer_key
    deals = dealer_key is msgspec.UNSET
    if dealer_key is not msgspec.UNSET and not is_usable_dealer_key(dealer_key):
        raise FairPlayError(Role(""), "the host deals, but its key cannot be used for encryption")
    seen_values: set[bytes] = {terms.host_key}
    for party in terms.parties:
        if len(party.cards) != (HASH_BYTES if deals else 0):
            raise FairPlayError(
                party.role,
                f"{party.role} must commit to a card seed if, and only if, the seats deal",
            )
        for value in (party.key, party.head, *([party.cards] if deals else [])):
            # A party that copied another party's head could repeat its reveals and add no
            # randomness of its own.
            if value in seen_values:
                raise FairPlayError(
                    party.role, f"{party.role} has the same key or commitment as another party"
                )
            seen_values.add(value)
        check_commitments(header.match_id, party)


def new_fair_header(
    game: AnyGame,
    match_id: str,
    scenario: str,
    options: Mapping[str, str],
    terms: FairTerms | msgspec.UnsetType = msgspec.UNSET,
    secret: bytes = NO_SECRET,
    position: msgspec.Struct | None = None,
) -> Header:
    """Return the public header for a new match.

    The caller adds the seats, the clock and any terms that are not known yet.

    Args:
        game: The rules.
        match_id: The match.
        scenario: The scenario's id.
        options: Scenario options by name.
        terms: The commitments of the host and the parties.
        secret: A dealing host's secret, from which the dealer key in the terms is derived.
        position: The starting position; None for the scenario's position.

    Raises:
        DataError: The scenario, an option or its value is unknown.
    """
    start_position = game.position(scenario, options) if position is None else position
    encoded_position = canonical(start_position)
    return Header(
        format=FORMAT_VERSION,
        match_id=match_id,
        game=game.game,
        edition=game.edition,
        rules_version=game.version,
        data_digest=game.data_digest,
        scenario=scenario,
        options=dict(options),
        seats=(),
        secret_commitment=secret_commitment(secret),
        position_commitment=position_commitment(secret, encoded_position),
        audience=SPECTATOR,
        own_data=own_data_digest(game.user_data(start_position)),
        fair=terms,
    )


def full_header(
    game: AnyGame, header: Header, secret: bytes, position: msgspec.Struct | None = None
) -> Header:
    """Return the header of a dealing host's full copy.

    Args:
        game: The rules.
        header: The public header.
        secret: The host's secret.
        position: The starting position; None for the scenario's position.
    """
    start_position = (
        game.position(header.scenario, header.options) if position is None else position
    )
    encoded_position = canonical(start_position)
    return msgspec.structs.replace(header, audience=FULL, secret=secret, position=encoded_position)
