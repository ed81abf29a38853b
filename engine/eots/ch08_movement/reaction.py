"""Determines which units may be activated in reaction because they can take part in a battle (7.26, 12.31-4)."""

from typing import Final

from engine.eots.ch06_supply.bitsets import ZOI_HEXES, Bits, within_distance
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch06_supply.projection import is_air_capable, is_neutralising
from engine.eots.ch07_offensive.escort_carriers import supported_battles
from engine.eots.ch08_movement import air, amphibious, ground
from engine.eots.ch08_movement.air import can_fly_to_battle
from engine.eots.ch08_movement.asp import asp_cost, asp_left
from engine.eots.ch08_movement.battles import battle_hexes, battle_range_of, reaches_battle
from engine.eots.ch08_movement.fleet import activated_units, place_bit, probe_frame
from engine.eots.ch08_movement.search import hexes_around, hexes_within_by_sea
from engine.eots.counters import counters
from engine.eots.frames import Purpose
from engine.eots.ids import Side, UnitId
from engine.eots.state import OFF_MAP, State, current_offensive
from engine.kernel.memo import Memo

_MEMO: Final = Memo[dict[UnitId, bool]]()


def can_react(state: State, unit: UnitId) -> bool:
    """Return whether a unit could take part in a battle if it were activated now (7.26).

    This is a quick estimate. It ignores help from units that are not active yet. It assumes that active air units and
    carriers can neutralise zones before a landing. A unit that reaches no battle is deactivated at the end of reaction
    movement. A B29 that bombed this turn may react only to enemy units in its hex (12.31-4). Results are cached for the
    latest position.
    """
    cache = _MEMO.get(state, (state,), dict)
    cached_reach = cache.get(unit)
    if cached_reach is None:
        cached_reach = cache[unit] = _can_react(state, unit)
    return cached_reach


def _can_react(state: State, unit: UnitId) -> bool:
    hex_occupancy = occupancy(state)
    counter, place = counters()[unit], state.units[unit].at
    if place in OFF_MAP:
        return False
    piece_bit = place_bit(hex_occupancy, place)
    if (
        unit in state.tracks.bombed_this_turn
        and not piece_bit & hex_occupancy.anyone[counter.side.enemy]
    ):
        return False  # 12.31-4
    if piece_bit & battle_hexes(state):
        return True
    if counter.is_air:
        return (piece_bit != 0 and reaches_battle(state, unit)) or can_fly_to_battle(state, unit)
    if not piece_bit:
        return False
    return _ship_can_react(state, unit) if counter.is_naval else _ground_can_react(state, unit)


def _ship_can_react(state: State, unit: UnitId) -> bool:
    hex_occupancy = occupancy(state)
    max_hexes = current_offensive(state).naval_move
    ball = hexes_within_by_sea(
        hex_occupancy.bitsets, place_bit(hex_occupancy, state.units[unit].at), max_hexes
    )
    battles = battle_hexes(state) & supported_battles(state, unit)
    if battles & ball:
        return True
    if counters()[unit].carrier:
        return bool(
            hexes_around(hex_occupancy.bitsets, battles, battle_range_of(state, unit)) & ball
        )
    # A ship that reaches no battle may still escort a carrier that fights from nearby.
    for other_unit in activated_units(state, counters()[unit].side):
        if counters()[other_unit].carrier:
            place = place_bit(hex_occupancy, state.units[other_unit].at)
            reachable_battles = hexes_within_by_sea(hex_occupancy.bitsets, place, max_hexes) & ball
            if (
                hexes_around(hex_occupancy.bitsets, battles, battle_range_of(state, other_unit))
                & reachable_battles
            ):
                return True
    return False


def _ground_can_react(state: State, unit: UnitId) -> bool:
    side, place = counters()[unit].side, state.units[unit].at
    unit_frame = probe_frame(side, Purpose.REACTION, (unit,), place)
    if ground.MARCH.named_hexes(state, unit_frame):
        return True
    if not amphibious.can_embark(state, unit_frame):
        return False
    if _points_needed(state, unit) > asp_left(state, side):
        return False
    cost = asp_cost(state, (unit,))
    ships = tuple(
        other_unit
        for other_unit in activated_units(state, side)
        if counters()[other_unit].is_naval and state.units[other_unit].at == place
    )
    cover = _neutralised_hexes(state, side)
    is_affordable = cost is not None and cost <= asp_left(state, side)
    if is_affordable and amphibious.ASSAULT.reach_with_cover(state, unit_frame, cover):
        return True
    if not ships:
        return False
    group = probe_frame(side, Purpose.REACTION, (unit, *ships), place)
    return any(
        leg.can_move(group) and leg.reach_with_cover(state, group, cover)
        for leg in (amphibious.ASSAULT, amphibious.ORGANIC)
    )


def _neutralised_hexes(state: State, side: Side) -> Bits:
    """Return the hexes where active air units and carriers could neutralise enemy zones before a landing (6.4)."""
    hex_occupancy = occupancy(state)
    end_hexes = 0
    for unit in activated_units(state, side):
        place = state.units[unit].at
        if place in OFF_MAP or not is_air_capable(unit) or not is_neutralising(unit):
            continue
        if counters()[unit].is_air:
            end_hexes |= place_bit(hex_occupancy, place) | air.flight_ends(state, unit)
        else:
            battles = battle_hexes(state)
            strike = (
                hexes_around(hex_occupancy.bitsets, battles, battle_range_of(state, unit)) | battles
            )
            end_hexes |= (
                hexes_within_by_sea(
                    hex_occupancy.bitsets,
                    place_bit(hex_occupancy, place),
                    current_offensive(state).naval_move,
                )
                & strike
            )
    return within_distance(hex_occupancy.bitsets, end_hexes, ZOI_HEXES) if end_hexes else 0


def _points_needed(state: State, unit: UnitId) -> int:
    """Return the number of shipping points needed for a unit and all active troops that must land (8.45A, 8.46)."""
    side = counters()[unit].side
    active_units = (*activated_units(state, side), unit)
    landing_units = tuple(
        other_unit
        for other_unit in active_units
        if other_unit == unit or _must_land(state, other_unit)
    )
    points = 0
    for place in sorted({state.units[landing_unit].at for landing_unit in landing_units}):
        ships = (
            unit_id
            for unit_id in active_units
            if counters()[unit_id].is_naval and state.units[unit_id].at == place
        )
        group = (
            *(unit_id for unit_id in landing_units if state.units[unit_id].at == place),
            *ships,
        )
        points += amphibious.organic_cost(state, group) or 0
    return points


def _must_land(state: State, unit: UnitId) -> bool:
    """Return whether an active ground unit can reach a battle only by sea."""
    if not counters()[unit].is_ground:
        return False
    place = state.units[unit].at
    if place_bit(occupancy(state), place) & battle_hexes(state):
        return False
    unit_frame = probe_frame(counters()[unit].side, Purpose.REACTION, (unit,), place)
    return not ground.MARCH.named_hexes(state, unit_frame)
