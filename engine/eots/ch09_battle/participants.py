"""Determines the units that take part in a battle: units that add strength, and units that can only be hit.

See 9.1, 9.11-9.13 and 9.2A.
"""

from typing import Final

from engine.eots.ch06_supply.control import units_at
from engine.eots.ch07_offensive.feasibility import can_fight
from engine.eots.counters import counters
from engine.eots.ids import HexId, UnitId
from engine.eots.state import Offensive, State, current_offensive

INTRINSIC: Final = UnitId("intrinsic")
"""Unit id that represents one of the battle hex's intrinsic units (13.76, 13.94)."""


def is_air_naval(unit: UnitId) -> bool:
    """Return whether a unit is an air or naval unit, which fights in air-naval combat."""
    counter = counters()[unit]
    return counter.is_air or counter.is_naval


def is_landed(state: State, unit: UnitId) -> bool:
    """Return whether a ground unit entered its hex by amphibious assault (8.45-8.47)."""
    move = current_offensive(state).moved.get(unit)
    return move is not None and move.mode.is_landing and move.path[-1:] == (state.units[unit].at,)


def is_alive(state: State, unit: UnitId) -> bool:
    """Return whether a participant survives, which means that it is still on the map."""
    return state.units[unit].is_on_map


def participants(state: State, hex_id: HexId) -> tuple[UnitId, ...]:
    """Return the units of both sides in a battle, sorted by id (9.1).

    Targets without strength are included: inactive Offensive units in the hex (OPB-34), and naval units stacked outside
    the hex with a participating carrier (9.12). Headquarters never take part, as they have no strength or steps
    (OPB-6).
    """
    offensive = current_offensive(state)
    units_in_hex = tuple(
        unit
        for unit in units_at(state).get(hex_id, ())
        if not counters()[unit].is_hq
        and offensive.joined.get(unit, hex_id) == hex_id
        and _is_free(offensive, unit, hex_id)
    )
    outside_units = tuple(
        unit
        for unit, battle in offensive.joined.items()
        if battle == hex_id
        and counters()[unit].is_air_capable
        and is_alive(state, unit)
        and state.units[unit].at != hex_id
        and _is_free(offensive, unit, hex_id)
    )
    return tuple(sorted({*units_in_hex, *outside_units, *_escorts(state, hex_id, outside_units)}))


def _is_free(offensive: Offensive, unit: UnitId, hex_id: HexId) -> bool:
    """Return whether a unit may fight in a battle. It must not have fought in another battle of the offensive (9.1)."""
    return offensive.fought.get(unit, hex_id) == hex_id


def _escorts(state: State, hex_id: HexId, outside_units: tuple[UnitId, ...]) -> tuple[UnitId, ...]:
    """Return the naval units stacked with carriers that fight from outside the battle hex (9.12).

    Naval units in another battle hex fight in that hex instead (9.1).
    """
    offensive = current_offensive(state)
    stacks = {
        (state.units[unit].at, counters()[unit].side)
        for unit in outside_units
        if counters()[unit].carrier
    }
    return tuple(
        unit
        for place, side in sorted(stacks)
        if HexId(place) not in offensive.battles
        for unit in units_at(state).get(place, ())
        if counters()[unit].is_naval
        and not counters()[unit].carrier
        and counters()[unit].side is side
        and _is_free(offensive, unit, hex_id)
    )


def adds_strength(state: State, hex_id: HexId, unit: UnitId) -> bool:
    """Return whether an air or naval unit adds its attack strength in a battle (9.11, 9.12, 9.2A, OPB-34)."""
    counter = counters()[unit]
    if not (counter.is_air or counter.is_naval) or not is_alive(state, unit):
        return False
    offensive = current_offensive(state)
    if state.units[unit].at != hex_id:
        is_present = counter.is_air_capable and offensive.joined.get(unit) == hex_id
    else:
        is_present = counter.side is not offensive.side or unit in offensive.activated
    return is_present and can_fight(state, unit)


def has_no_attackers(state: State, hex_id: HexId) -> bool:
    """Return whether the Offensive player has no units left in a battle (7.27)."""
    side = current_offensive(state).side
    return not any(counters()[unit].side is side for unit in participants(state, hex_id))
