"""Reads and checks scenario files. Impossible positions are refused with the path to the problem (2, 4, 9)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, product
from typing import Final

import msgspec
from msgspec.structs import replace

from engine.kernel.errors import DataError, PositionError
from engine.kernel.rulings import check_options
from engine.kernel.schema_errors import schema_problem
from engine.qmg.atlas import LAND, mask, names
from engine.qmg.ch03_setup import FIRST_HAND_SIZE, is_before_setup
from engine.qmg.ch13_decks import deck_size
from engine.qmg.deck import CARD, CARDS, POOLS, REPLACED_CARDS, deck_list
from engine.qmg.frames import ConstructionFrame, RepositionFrame
from engine.qmg.ids import (
    AIR,
    ALLIES,
    ARMY,
    AXIS,
    BOLSTER,
    COUNTRIES,
    HIDDEN,
    MEMBERS,
    NAVY,
    RESPONSE,
    STATUS,
    instance_name,
)
from engine.qmg.names import name_problems
from engine.qmg.options import BASE, TOTAL_WAR
from engine.qmg.position import FORMAT, Pieces, Position, Zones, cards_in_play, piles
from engine.qmg.position_frames import frame_problems, turn_problems
from engine.qmg.rulings import RULINGS

_CARD_TYPES: Final = frozenset(card.type for card in CARDS.values())
_TABLE_CARD_TYPES: Final = {"responses": (RESPONSE, BOLSTER), "statuses": (STATUS,)}
"""Card types that can be on the table, by zone (9.1, 17.12)."""


_decode: Final = msgspec.json.Decoder(Position).decode


def decode_position(text: bytes, file: str) -> Position:
    """Decode the position in a scenario file. Cards that the position omits are put in their decks (9.1).

    Raises:
        PositionError: The file is not a position. The error's path names the field.
    """
    try:
        return _with_decks(_decode(text))
    except msgspec.DecodeError as cause:
        raise PositionError(file, *schema_problem(text, _decode, cause)) from cause


def _with_decks(position: Position) -> Position:
    """Put every card that a hand-written position omits into its country's deck.

    Other positions are returned unchanged.
    """
    is_dealt = is_before_setup(position) and not position.cards
    is_exported = bool(position.frames)
    if is_dealt or is_exported or position.limits or position.scenario not in {BASE, TOTAL_WAR}:
        return position
    cards = dict(position.cards)
    for country in COUNTRIES:
        zones = cards.get(country, Zones())
        known_cards = {card for _, pile in piles(zones) for card in pile}
        remaining_cards = (
            set(deck_list(country, is_total_war=position.scenario == TOTAL_WAR)) - known_cards
        )
        # A hidden card could be any of the omitted cards.
        if remaining_cards and HIDDEN not in known_cards:
            cards[country] = replace(zones, deck=(*zones.deck, *sorted(remaining_cards)))
    return replace(position, cards=cards)


def check_position(position: Position) -> None:
    """Check an untrusted position.

    Raises:
        PositionError: The position contains unknown names, or violates a rule that always applies.
    """
    text = msgspec.json.encode(position)
    try:
        _decode(text)  # decoding checks the bounds of numbers
    except msgspec.ValidationError as cause:
        raise PositionError("scenario", *schema_problem(text, _decode, cause)) from cause
    # Names are checked first, because the other checks look up names.
    for path, problem in chain(name_problems(position), _problems(position)):
        raise PositionError("scenario", path, problem)


def _problems(position: Position) -> Iterator[tuple[str, str]]:
    if position.format != FORMAT:
        yield "$.format", f"this is not a position in format {FORMAT}"
    if position.scenario not in {BASE, TOTAL_WAR}:
        yield "$.scenario", f"there is no scenario '{position.scenario}'"
    try:
        check_options(RULINGS, position.options)
    except DataError as error:
        yield f"$.options.{error.path}", error.problem
    yield from table_problems(position)
    yield from _opening_problems(position)
    yield from frame_problems(position)
    yield from turn_problems(position)


def table_problems(position: Position) -> Iterator[tuple[str, str]]:
    """Yield problems with pieces and card locations that must not occur in any position."""
    yield from _piece_problems("$.pieces", position.pieces, _lone_air_forces(position))
    yield from _piece_problems("$.turn.begin", position.turn.begin, _lone_air_forces(position))
    yield from _card_problems(position)
    yield from deck_problems(position)


def _opening_problems(position: Position) -> Iterator[tuple[str, str]]:
    """Yield problems that make set-up from this position impossible (3.1, 3.2)."""
    if not is_before_setup(position):
        return
    if position.pieces:
        yield "$.pieces", "no piece can be on the board before set-up (3.1)"
    hand_size = FIRST_HAND_SIZE[position.scenario == TOTAL_WAR]
    if position.limits:
        yield from _construction_problems(position, hand_size)
    for country in COUNTRIES if position.cards else ():
        zones = position.cards.get(country, Zones())
        if len(zones.deck) + len(zones.deck_top) + len(zones.deck_bottom) < hand_size:
            yield (
                f"$.cards.{country}",
                f"the first hand needs a deck of at least {hand_size} cards (3.1)",
            )


def _construction_problems(position: Position, cards_needed: int) -> Iterator[tuple[str, str]]:
    """Yield problems that make it impossible to choose decks within these limits (13.9)."""
    if position.scenario != TOTAL_WAR:
        yield "$.limits", "decks are constructed only in Total War (13.9)"
    if position.cards:
        yield "$.cards", "constructed decks are chosen from all of a country's cards (13.9)"
    for kind, number in position.limits.items():
        if kind not in _CARD_TYPES or number < 0:
            yield f"$.limits.{kind}", "a limit is a card type and a number of cards (13.9)"
    for country in COUNTRIES:
        if deck_size(country, position.limits) < cards_needed:
            yield "$.limits", f"{country} would have fewer than {cards_needed} cards (13.9)"


def _lone_air_forces(position: Position) -> frozenset[tuple[str, str]]:
    """Return the force and space of each Air Force that is about to be repositioned (13.4)."""
    return frozenset(
        (frame.force, frame.space)
        for frame in position.frames
        if isinstance(frame, RepositionFrame)
    )


def _piece_problems(
    place: str, board: Mapping[str, Pieces], occupied_alone: frozenset[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    occupied: dict[tuple[str, str], int] = {}
    for force, pieces in board.items():
        for kind, spaces in ((ARMY, pieces.army), (NAVY, pieces.navy), (AIR, pieces.air)):
            path = f"{place}.{force}.{kind}"
            if len({*spaces}) < len(spaces):
                yield path, f"two pieces of one kind and force are in {_first_twice(spaces)} (4.1)"
            if len(spaces) > POOLS[force][kind]:
                yield (
                    path,
                    f"{len(spaces)} are on the board, but only {POOLS[force][kind]} exist (1)",
                )
            occupied_spaces = mask(spaces)
            if kind == ARMY and occupied_spaces & ~LAND:
                yield (
                    path,
                    f"an Army can only be on land, not in {names(occupied_spaces & ~LAND)[0]} (0)",
                )
            if kind == NAVY and occupied_spaces & LAND:
                yield (
                    path,
                    f"a Navy can only be at sea, not in {names(occupied_spaces & LAND)[0]} (0)",
                )
            occupied[force, kind] = occupied_spaces
    for force in board:
        air = occupied.get((force, AIR), 0) & ~mask(
            space for owner, space in occupied_alone if owner == force
        )
        air_alone = names(air & ~(occupied.get((force, ARMY), 0) | occupied.get((force, NAVY), 0)))
        if air_alone:
            problem = "needs an Army or Navy of its country (13.4)"
            yield f"{place}.{force}.air", f"the Air Force in {air_alone[0]} {problem}"
    for kind in (ARMY, NAVY):
        for axis_force, allied_force in product(MEMBERS[AXIS], MEMBERS[ALLIES]):
            shared_spaces = occupied.get((axis_force, kind), 0) & occupied.get(
                (allied_force, kind), 0
            )
            if shared_spaces:
                forces = f"{axis_force} and {allied_force}"
                yield (
                    place,
                    f"enemy pieces share a space (4.1): {kind} of {forces} in {names(shared_spaces)[0]}",
                )


def _first_twice(names: Sequence[str]) -> str:
    """Return the first name that occurs more than once."""
    return next(name for name, number in Counter(names).items() if number > 1)


def _card_problems(position: Position) -> Iterator[tuple[str, str]]:
    for country, zones in position.cards.items():
        yield from _zone_problems(country, zones, position.scenario)


# Cached for fuzz tests, which check the position after each command. A command changes the cards of
# few countries.
@lru_cache(maxsize=64)
def _zone_problems(country: str, zones: Zones, scenario: str) -> tuple[tuple[str, str], ...]:
    """Return problems with the locations of one country's cards. The result is cached."""
    return tuple(_find_zone_problems(country, zones, scenario))


def _find_zone_problems(country: str, zones: Zones, scenario: str) -> Iterator[tuple[str, str]]:
    seen_zones: set[str] = set()
    for name, pile in piles(zones):
        path = f"$.cards.{country}.{name}"
        for card in pile:
            if CARD[card].deck != country:
                yield path, f"'{card}' belongs to another deck"
            elif card in seen_zones:
                yield path, f"'{card}' is in two places"
            elif CARD[card].set != "base" and scenario == BASE:
                yield path, f"'{card}' belongs to Total War"
            elif instance_name(card) in REPLACED_CARDS and scenario == TOTAL_WAR:
                yield path, f"'{card}' is replaced in Total War (3.2)"
            elif name in _TABLE_CARD_TYPES and CARD[card].type not in _TABLE_CARD_TYPES[name]:
                yield path, f"'{card}' cannot be on the table in this way (9.1)"
            seen_zones.add(card)
    strangers = [card for card in zones.face_up if card not in zones.discard]
    if strangers:
        yield f"$.cards.{country}.face_up", f"'{strangers[0]}' is not in the discard pile"


def deck_problems(position: Position) -> Iterator[tuple[str, str]]:
    """Yield a problem for each missing or duplicate card. Each card must be in exactly one place (9.1, 13.9)."""
    if is_before_setup(position) and not position.cards:
        return  # set-up creates the decks
    is_chosen = position.limits and not any(
        isinstance(frame, ConstructionFrame) for frame in position.frames
    )
    for country in COUNTRIES:
        zones = position.cards.get(country, Zones())
        cards_in_piles = [card for _, pile in piles(zones) for card in pile]
        cards = [*cards_in_piles, *cards_in_play(position.frames, country)]
        path = f"$.cards.{country}"
        if len({*cards}) < len(cards):
            yield path, f"'{_first_twice(cards)}' is in two places (9.1)"
        elif is_chosen:
            yield from (
                (path, problem) for problem in _constructed_deck_problems(position, country, cards)
            )
        else:
            full_deck = deck_list(country, is_total_war=position.scenario == TOTAL_WAR)
            missing_cards = sorted({*full_deck}.difference(cards))
            if missing_cards:
                yield (
                    path,
                    f"'{missing_cards[0]}' is missing; every card must be in one place (9.1)",
                )


def _constructed_deck_problems(
    position: Position, country: str, cards: Sequence[str]
) -> Iterator[str]:
    """Yield a sentence for each card type with too few or too many cards in a constructed deck (13.9)."""
    full_counts = Counter[str](CARD[card].type for card in deck_list(country, is_total_war=True))
    counts = Counter[str](CARD[card].type for card in cards)
    for kind in sorted(full_counts.keys() | counts.keys()):
        required_count = min(position.limits.get(kind, 0), full_counts[kind])
        if counts[kind] != required_count:
            yield f"there are {counts[kind]} cards of type {kind}, and {required_count} were chosen (13.9)"
