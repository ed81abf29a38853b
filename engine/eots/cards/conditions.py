"""Evaluates the card data's conditions, unit filters and place filters against a given state (C4.3-C4.5)."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from engine.eots.board import board
from engine.eots.cards.islands import vacant_landings
from engine.eots.ch06_supply.control import controls, units_at
from engine.eots.ch06_supply.supply import supply
from engine.eots.ch06_supply.zoi import zoi
from engine.eots.counters import counters
from engine.eots.deck import cards, selects_hq
from engine.eots.deck_terms import (
    Activated,
    ActivatedIn,
    AllOf,
    AnyOf,
    BaseWithin,
    BattleHas,
    BattleIn,
    BattleWithin,
    ChinaNotSurrendered,
    Condition,
    EventPlayed,
    Filter,
    FrenchFrigateScreen,
    GameTurn,
    HexesControlled,
    HqSelector,
    LandedUnoccupiedIsland,
    NewSubDoctrineNotPlayed,
    Not,
    NoWeatherPlayed,
    NthCardOfTurn,
    Occupied,
    OffensiveHq,
    PlaceFilter,
    PtBoatsNotPlayed,
    Rivalry,
    RivalryIs,
    TerrainIn,
    TojoResigned,
    UnitIn,
    UsCarrierDeclaresBattle,
    YearAtLeast,
)
from engine.eots.frames import CardPlayFrame
from engine.eots.ids import (
    CHINA_BOX,
    AreaId,
    HexId,
    Nationality,
    NationId,
    Side,
    UnitId,
    UnitType,
)
from engine.eots.rulings import MIDWAY_SCREEN
from engine.eots.state import OFF_MAP, State, current_offensive

FRENCH_FRIGATE_SHOALS: Final = HexId("5508")
"""The hex that J-12's condition is about (CP-25)."""
SCREEN_HEXES: Final = 3
CHINA: Final = NationId("china")
_YEARS: Final = (1941, 1942, 1942, 1942, 1943, 1943, 1943, 1944, 1944, 1944, 1945, 1945)


def turn_year(turn: int) -> int:
    """Return the year of a turn: 1941 for turn 1, 1942 for turns 2 to 4, and so on."""
    return _YEARS[turn - 1]


def units_activated_by_both(state: State) -> tuple[UnitId, ...]:
    """Return the units of both sides activated in the current offensive."""
    offensive = state.offensive
    return () if offensive is None else (*offensive.activated, *offensive.reaction.activated)


def matches_filter(state: State, unit_filter: Filter, unit: UnitId) -> bool:
    """Return whether a unit in its current state matches a filter (C4.4)."""
    if not unit_filter.matches(counters()[unit]):
        return False
    piece = state.units[unit]
    for word in unit_filter.state:
        match word:
            case "active":
                is_match = unit in units_activated_by_both(state)
            case "inactive":
                is_match = unit not in units_activated_by_both(state)
            case "full":
                is_match = piece.steps == counters()[unit].max_steps and piece.steps > 1
            case "reduced":
                is_match = piece.steps == 1
            case "in_play":
                is_match = piece.is_on_map
            case "in_battle":
                is_match = state.offensive is not None and unit in state.offensive.joined
        if not is_match:
            return False
    return True


def is_in_areas(areas: Iterable[AreaId], place: str) -> bool:
    """Return whether a hex is in one of the areas."""
    return any(place in board().areas[area].hexes for area in areas)


def is_place(
    state: State, place: PlaceFilter, location: str, owner: Side, unit: UnitId | None = None
) -> bool:
    """Return whether a hex matches a place filter.

    Conditions that refer to a unit fail if no ``unit`` is given (C4.5).
    """
    if location == CHINA_BOX:
        return _is_box(place, owner)
    row = board().hexes[HexId(location)]
    return (
        (not place.port or row.port)
        and (not place.airfield or row.airfield)
        and (not place.friendly or controls(state, owner, location))
        and (place.control is None or controls(state, place.control, location))
        and (not place.region or is_in_areas(place.region, location))
        and not (place.not_region and is_in_areas(place.not_region, location))
        and (not place.hexes or location in place.hexes)
        and (
            place.within is None
            or place.of is None
            or board().distance(HexId(location), place.of) <= place.within
        )
        and (
            place.within_of_resource is None
            or any(
                board().distance(HexId(location), resource) <= place.within_of_resource
                for resource in board().resource_hexes
            )
        )
        and _is_place_in_play(state, place, HexId(location), owner, unit)
        and (
            not place.any
            or any(is_place(state, place_part, location, owner, unit) for place_part in place.any)
        )
        and all(is_place(state, place_part, location, owner, unit) for place_part in place.all)
    )


def _is_place_in_play(
    state: State, place: PlaceFilter, hex_id: HexId, owner: Side, unit: UnitId | None
) -> bool:
    """Return whether a hex meets a place filter's conditions on HQs, battles and moves."""
    bombers = place.moved_within_extended_range_of
    return (
        (
            not isinstance(place.within_hq_range, tuple)
            or _is_in_hq_range(state, place.within_hq_range, hex_id)
        )
        and (not place.was_active or unit in units_activated_by_both(state))
        and (not place.was_in_battle_hex or _is_battle_hex(state, hex_id))
        and (not place.bombarded or _is_bombarded(state, hex_id, owner))
        and (bombers is None or (unit is not None and _has_passed(state, bombers, unit)))
    )


def _is_in_hq_range(state: State, selectors: tuple[HqSelector, ...], hex_id: HexId) -> bool:
    """Return whether a hex is in the command range of one of these HQs. Unsupplied HQs count (CP-18)."""
    return any(
        row.hq is not None
        and board().distance(HexId(state.units[hq].at), hex_id) <= row.hq.command_range
        for hq, row in counters().items()
        if state.units[hq].is_on_map and any(selects_hq(word, row) for word in selectors)
    )


def _is_battle_hex(state: State, hex_id: HexId) -> bool:
    return state.offensive is not None and hex_id in state.offensive.battles


def _is_bombarded(state: State, hex_id: HexId, owner: Side) -> bool:
    """Return whether a battle hex contains a BB of the card's owner and no enemy BB (J-20, CP-29)."""
    sides = {
        counters()[unit].side
        for unit in units_at(state).get(hex_id, ())
        if counters()[unit].type is UnitType.BB
    }
    return _is_battle_hex(state, hex_id) and sides == {owner}


def _has_passed(state: State, bombers: Filter, unit: UnitId) -> bool:
    """Return whether a unit moved through the extended range of a matching air unit (A-24, CP-09)."""
    move = None if state.offensive is None else state.offensive.moved.get(unit)
    if move is None:
        return False
    return any(
        board().distance(HexId(piece.at), hex_id)
        <= counters()[other_unit].strength(piece.steps).reach
        for other_unit, piece in sorted(state.units.items())
        if piece.is_on_map and matches_filter(state, bombers, other_unit)
        for hex_id in move.path
    )


def _is_box(place: PlaceFilter, owner: Side) -> bool:
    """Return whether the China box matches a place filter.

    The box is not a hex, has no controller and is a separate area (C4.6).
    """
    hex_only = (
        place.port,
        place.airfield,
        place.friendly,
        place.control is not None,
        place.hexes,
        place.within is not None,
        place.within_of_resource is not None,
        place.region and CHINA_BOX not in map(str, place.region),
    )
    return (
        not any(hex_only)
        and (not place.any or any(_is_box(place_part, owner) for place_part in place.any))
        and all(_is_box(place_part, owner) for place_part in place.all)
    )


def is_condition_met(
    state: State, condition: Condition, owner: Side, battle: HexId | None = None
) -> bool:
    """Return whether a condition is true now (C4.3).

    Args:
        state: The position.
        condition: The condition, from card data.
        owner: The side that owns the card.
        battle: The hex of the battle being resolved, for conditions that refer to a battle.
    """
    match condition:
        case AllOf(of=parts):
            return all(
                is_condition_met(state, condition_part, owner, battle) for condition_part in parts
            )
        case AnyOf(of=parts):
            return any(
                is_condition_met(state, condition_part, owner, battle) for condition_part in parts
            )
        case Not(of=part):
            return not is_condition_met(state, part, owner, battle)
        case GameTurn() | NthCardOfTurn():
            return _is_named_moment(state, condition)
        case YearAtLeast(year=year):
            return turn_year(state.turn) >= year
        case EventPlayed(card=card):
            return card in state.events_played
        case RivalryIs(service=service, state=rivalry):
            return state.tracks.has_rivalry(service.side) is (rivalry is Rivalry.RIVALRY)
        case TojoResigned():
            return state.tracks.tojo_resigned
        case ChinaNotSurrendered():
            return CHINA not in state.tracks.surrendered
        case HexesControlled(hexes=hexes, side=side):
            return all(controls(state, side, hex_id) for hex_id in hexes)
        case Occupied(region=region, side=side):
            return any(
                counters()[unit].side is side
                for hex_id in board().areas[region].hexes
                for unit in units_at(state).get(hex_id, ())
            )
        case PtBoatsNotPlayed():
            return not state.tracks.pt_boats
        case NewSubDoctrineNotPlayed():
            return not state.tracks.escorts_void
        case BaseWithin(n=max_distance, of=centre, side=side):
            centre_index = board().index[centre]
            return any(
                board().distance_index(centre_index, hex_id) <= max_distance
                for hex_id in supply(state).eligible_airfields(side)
            )
        case _:
            return _is_offensive_condition_met(state, condition, owner, battle)


def _is_named_moment(state: State, condition: GameTurn | NthCardOfTurn) -> bool:
    """Return whether a condition names the current turn or card play. Only Japan plays in turn 1 (17.11)."""
    if isinstance(condition, GameTurn):
        return state.turn == condition.n
    frame = state.frames[-1] if state.frames else None
    return isinstance(frame, CardPlayFrame) and frame.played == condition.n - 1


def _is_offensive_condition_met(
    state: State, condition: Condition, owner: Side, battle: HexId | None
) -> bool:
    """Return whether a condition about units, the offensive or a battle is true."""
    if isinstance(condition, UnitIn):
        return bool(matching_units(state, condition.filter, condition.where, owner))
    offensive = state.offensive
    if offensive is None:
        return False
    match condition:
        case OffensiveHq(hq=selectors):
            hq = offensive.hq
            return hq is not None and any(
                selects_hq(selector, counters()[hq]) for selector in selectors
            )
        case Activated(filter=unit_filter, minimum=min_count):
            return (
                sum(
                    unit_filter.matches(counters()[unit]) for unit in units_activated_by_both(state)
                )
                >= min_count
            )
        case ActivatedIn(regions=regions, filter=unit_filter):
            return any(
                is_in_areas(regions, offensive.origins[unit])
                and (unit_filter is None or matches_filter(state, unit_filter, unit))
                for unit in offensive.activated
            )
        case NoWeatherPlayed():
            return not any(
                cards()[card].reaction_class == "weather" for card in offensive.reaction.events
            )
        case UsCarrierDeclaresBattle(region=region):
            return any(
                is_in_areas((region,), hex_id) and _has_us_carrier(state, hex_id)
                for hex_id in offensive.battles
            )
        case BattleHas(filter=unit_filter):
            return any(
                matches_filter(state, unit_filter, unit) for unit in battle_units(state, battle)
            )
        case TerrainIn(terrain=kinds):
            return battle is not None and board().hexes[battle].terrain in kinds
        case BattleIn(where=place):
            return battle is not None and is_place(state, place, battle, owner)
        case BattleWithin(n=max_distance, of_unit=unit_filter):
            return battle is not None and any(
                board().distance(battle, HexId(state.units[unit].at)) <= max_distance
                for unit in sorted(state.units)
                if state.units[unit].is_on_map and matches_filter(state, unit_filter, unit)
            )
        case LandedUnoccupiedIsland():
            return bool(vacant_landings(state))
        case FrenchFrigateScreen():
            return _is_frigate_shoals_watched(state)
        case _:
            return False


def matching_units(
    state: State, unit_filter: Filter, place: PlaceFilter | None, owner: Side
) -> tuple[UnitId, ...]:
    """Return the units on the map or in the China box that match a unit filter and a place filter, sorted by id."""
    return tuple(
        unit
        for unit in _units_of_kind(unit_filter)
        if (piece := state.units.get(unit)) is not None
        and piece.at not in OFF_MAP
        and matches_filter(state, unit_filter, unit)
        and (place is None or is_place(state, place, piece.at, owner, unit))
    )


@lru_cache(maxsize=256)
def _units_of_kind(unit_filter: Filter) -> tuple[UnitId, ...]:
    """Return the units whose printed properties match a filter, sorted by id."""
    return tuple(
        unit for unit, counter in sorted(counters().items()) if unit_filter.matches(counter)
    )


def battle_units(state: State, battle: HexId | None) -> tuple[UnitId, ...]:
    """Return the units in a battle hex, followed by the units that joined the battle from other hexes (9.1)."""
    if battle is None or state.offensive is None:
        return ()
    units_there = units_at(state).get(battle, ())
    outside_units = tuple(
        unit
        for unit, hex_id in sorted(state.offensive.joined.items())
        if hex_id == battle and unit not in units_there
    )
    return (*units_there, *outside_units)


def _has_us_carrier(state: State, battle: HexId) -> bool:
    """Return whether an active US carrier takes part in a battle (A-72)."""
    return any(
        unit in current_offensive(state).activated
        and current_offensive(state).joined.get(unit, battle) == battle
        and counters()[unit].carrier
        and counters()[unit].nationality is Nationality.US
        for unit in battle_units(state, battle)
    )


def _is_frigate_shoals_watched(state: State) -> bool:
    """Return whether hex 5508 is in an Allied ZOI and within 3 hexes of a US CA (CP-25).

    A neutralised ZOI counts. Under the alternative reading, either condition is enough.
    """
    is_covered = zoi(state).covers(Side.ALLIED, board().index[FRENCH_FRIGATE_SHOALS])
    # By default, a US CA within 3 hexes is not enough: the zone is needed too. Under the
    # alternative reading, either will do.
    if is_covered is MIDWAY_SCREEN.uses_alternative(state.options):
        return is_covered
    return any(
        counters()[unit].type is UnitType.CA
        and counters()[unit].activation_nation == "us"
        and piece.is_on_map
        and board().distance(FRENCH_FRIGATE_SHOALS, HexId(piece.at)) <= SCREEN_HEXES
        for unit, piece in sorted(state.units.items())
    )
