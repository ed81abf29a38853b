"""The battles that reaction units may join, and the hexes where these units may end a move (7.26, 9.11, 9.12)."""

from typing import Final

from engine.eots.ch06_supply.bitsets import Bits
from engine.eots.ch06_supply.occupancy import Occupancy, occupancy
from engine.eots.ch07_offensive.escort_carriers import supported_battles
from engine.eots.ch07_offensive.feasibility import battle_range, can_fight
from engine.eots.ch08_movement.areas import enterable_hexes
from engine.eots.ch08_movement.fleet import activated_units, place_bit
from engine.eots.ch08_movement.search import hexes_around, hexes_within
from engine.eots.counters import counters
from engine.eots.frames import StackFrame
from engine.eots.ids import HexId, UnitId
from engine.eots.state import State, current_offensive
from engine.kernel.memo import Memo

_MEMO: Final = Memo[Bits](16)


def battle_hexes(state: State) -> Bits:
    """Return all battle hexes: declared hexes (7.24) and hexes created by special reaction (7.27)."""
    cached_hexes = _MEMO.result_for(state)
    if cached_hexes is not None:
        return cached_hexes
    battles = current_offensive(state).battles
    hex_occupancy = occupancy(state)
    return _MEMO.store(
        state,
        _MEMO.get(
            state,
            (battles, hex_occupancy.bitsets),
            lambda: hex_occupancy.bitsets.from_hexes(battles),
        ),
    )


def required_battle_hex(state: State, unit: UnitId) -> Bits:
    """Return the battle hex in which an air-capable unit must fight because it was activated there (7.26).

    Empty if the unit was activated elsewhere.
    """
    origin = current_offensive(state).origins.get(unit, state.units[unit].at)
    return place_bit(occupancy(state), origin) & battle_hexes(state)


def joinable_battles(state: State, units: tuple[UnitId, ...]) -> Bits:
    """Return the battles that all air-capable units of a group may still join (7.26, 9.11-3, 18.0)."""
    battles = battle_hexes(state)
    for unit in units:
        if counters()[unit].is_air_capable:
            battles &= required_battle_hex(state, unit) or battles
            battles &= supported_battles(state, unit)
    return battles


def _hexes_within(hex_occupancy: Occupancy, place: str, hexes: int) -> Bits:
    index = hex_occupancy.bitsets.board.index.get(HexId(place))
    return 0 if index is None else hexes_within(hex_occupancy.bitsets, index, hexes)


def battle_range_of(state: State, unit: UnitId) -> int:
    """Return the maximum distance from which a unit may join a battle (1.3)."""
    return battle_range(counters()[unit], state.units[unit].steps)


def reaches_battle(state: State, unit: UnitId) -> bool:
    """Return whether an air-capable unit can join a battle from its current hex (8.31, 9.11)."""
    hex_occupancy = occupancy(state)
    piece, counter = state.units[unit], counters()[unit]
    piece_bit = place_bit(hex_occupancy, piece.at)
    targets = joinable_battles(state, (unit,))
    if not piece_bit or not can_fight(state, unit):
        return False
    if piece_bit & battle_hexes(state):
        return bool(piece_bit & targets)
    if (
        counter.is_air
        and not piece_bit & hex_occupancy.controlled[counter.side] & hex_occupancy.bitsets.airfields
    ):
        return False
    return bool(targets & _hexes_within(hex_occupancy, piece.at, battle_range_of(state, unit)))


def _escorts(state: State, unit: UnitId) -> tuple[UnitId, ...]:
    """Return the active carriers in a unit's hex that are taking part in a battle elsewhere (8.21-2, 9.12)."""
    place = state.units[unit].at
    return tuple(
        other_unit
        for other_unit in activated_units(state, counters()[unit].side)
        if other_unit != unit
        and counters()[other_unit].carrier
        and state.units[other_unit].at == place
        and reaches_battle(state, other_unit)
    )


def is_in_battle_position(state: State, unit: UnitId) -> bool:
    """Return whether a reaction unit can take part in a battle from its current hex (7.26)."""
    counter = counters()[unit]
    if place_bit(occupancy(state), state.units[unit].at) & battle_hexes(state):
        return not counter.is_air_capable or reaches_battle(state, unit)
    if counter.is_air_capable:
        return reaches_battle(state, unit)
    return counter.is_naval and bool(_escorts(state, unit))


def must_stay(state: State, unit: UnitId, halted_units: tuple[UnitId, ...]) -> bool:
    """Return whether a carrier must stay in its hex because a ship has moved there as its escort (8.21-2)."""
    counter, place = counters()[unit], state.units[unit].at
    if not counter.carrier or place_bit(occupancy(state), place) & battle_hexes(state):
        return False
    return any(
        state.units[halted_unit].at == place
        and counters()[halted_unit].is_naval
        and not counters()[halted_unit].carrier
        # A ship that also escorts another carrier in the hex does not keep this one there.
        and _escorts(state, halted_unit) == (unit,)
        for halted_unit in halted_units
    )


def naval_ends(state: State, frame: StackFrame) -> Bits:
    """Return the hexes where a reacting stack of ships may end its move (7.26, 8.21-1, 8.21-2, 9.12)."""
    hex_occupancy = occupancy(state)
    battles = battle_hexes(state)
    carriers = tuple(unit for unit in frame.units if counters()[unit].carrier)
    without_enemies = ~hex_occupancy.anyone[frame.side.enemy] & ~battles
    if not carriers:
        return battles | (_carrier_hexes(state, frame) & without_enemies)
    targets = joinable_battles(state, carriers)
    hexes = min(battle_range_of(state, unit) for unit in carriers)
    end_hexes = hexes_around(hex_occupancy.bitsets, targets, hexes) & enterable_hexes(
        hex_occupancy.bitsets
    )
    return end_hexes & (without_enemies | targets)


def _carrier_hexes(state: State, frame: StackFrame) -> Bits:
    """Return the hexes of active carriers, other than those in the stack, that fight in a battle elsewhere (9.12)."""
    hex_occupancy = occupancy(state)
    hexes = 0
    for unit in activated_units(state, frame.side):
        if counters()[unit].carrier and unit not in frame.units and reaches_battle(state, unit):
            hexes |= place_bit(hex_occupancy, state.units[unit].at)
    return hexes
