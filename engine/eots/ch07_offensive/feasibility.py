"""Checks whether step 3 can be completed legally from the current position (7.24, 8.21, 9.11).

A stack may not end its move in step 2 where this would make step 3 impossible, so these checks are made earlier.
"""

from collections.abc import Iterator
from functools import cache
from typing import Final

import msgspec

from engine.eots.board import board
from engine.eots.cards.activation_limits import battle_hex_places
from engine.eots.cards.conditions import is_place
from engine.eots.ch06_supply.bitsets import Bits, BoardBitsets, whole_map
from engine.eots.ch06_supply.control import controls, intrinsic_units, units_at
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch07_offensive.escort_carriers import supported_battles
from engine.eots.ch17_south_pacific import TRUK, is_battle_barred
from engine.eots.counters import Counter, counters
from engine.eots.ids import AreaId, HexId, Side, UnitId
from engine.eots.state import Offensive, State, current_offensive
from engine.kernel.ids import Refusal, Rule
from engine.kernel.memo import Memo

CHINA_INTERIOR: Final = AreaId("china-interior")
_MEMO: Final = Memo["DeclarationRequirements"](256)


class DeclarationRequirements(msgspec.Struct, frozen=True):
    """The hexes that step 3 requires or allows as battles, and the units that must fight."""

    forced: frozenset[HexId]
    """Hexes with units of both sides. They must be declared battle hexes."""
    landings: frozenset[HexId]
    """Vacant enemy-controlled hexes where a unit has landed. Units can be committed to cover these landings."""
    must_fight: tuple[UnitId, ...]
    """Carriers at sea outside forced battle hexes that are not committed yet."""


def battle_range(counter: Counter, steps: int) -> int:
    """Return the maximum distance from which a unit may join a battle; 0 if the unit has no range (1.3)."""
    strength = counter.strength(steps)
    if (
        counter.is_air
        and strength.extended_range is not None
        and not strength.extended_in_parentheses
    ):
        return max(strength.range, strength.extended_range)
    return strength.range


def can_fight(state: State, unit: UnitId) -> bool:
    """Return whether an activated unit may still take part in a battle (7.28, 8.31, 12.31)."""
    offensive = current_offensive(state)
    move = offensive.moved.get(unit)
    if move is not None and (move.mode.is_strategic or move.parentheses):
        return False
    # 12.31: a B29 that bombed may fight this turn only in reaction.
    return unit not in state.tracks.bombed_this_turn or unit in offensive.reaction.activated


def join_refusals(state: State, unit: UnitId, hex_id: HexId) -> Iterator[Refusal]:
    """Yield the reasons why a unit may not join a hex's battle from its current hex (1.3, 8.31, 9.11, 18.0)."""
    counter, piece = counters()[unit], state.units[unit]
    if not counter.is_air_capable or not piece.is_on_map:
        yield Refusal(Rule("9.11"), f"{unit} is neither an air unit nor a carrier on the map")
        return
    yield from _can_fight_refusals(state, unit)
    start_hex = HexId(piece.at)
    distance = board().distance(start_hex, hex_id)
    if distance > battle_range(counter, piece.steps):
        yield Refusal(Rule("9.11"), f"{hex_id} is {distance} hexes from {unit}, beyond its range")
    if not supported_battles(state, unit) & occupancy(state).bitsets.bit_by_id[hex_id]:
        yield Refusal(
            Rule("18.0"), f"{unit} may only support landings, and there is none in {hex_id}"
        )
    if (
        counter.is_air
        and start_hex != hex_id
        and not _is_own_airfield(state, counter.side, start_hex)
    ):
        yield Refusal(Rule("8.31"), f"{unit} is not on a friendly airfield")


def _can_fight_refusals(state: State, unit: UnitId) -> Iterator[Refusal]:
    """Yield the reasons why an activated unit may not take part in any battle (8.23, 8.33, 9.2, 12.31)."""
    if can_fight(state, unit):
        return
    move = current_offensive(state).moved.get(unit)
    if move is not None and move.mode.is_strategic:
        rule = Rule("8.33" if counters()[unit].is_air else "8.23")
        yield Refusal(rule, f"{unit} moved strategically")
    elif move is not None and move.parentheses:
        yield Refusal(Rule("9.2A"), f"{unit} moved using a bracketed extended range")
    else:
        yield Refusal(Rule("12.31"), f"{unit} bombed this turn")


def can_join(state: State, unit: UnitId, hex_id: HexId) -> bool:
    """Return whether a unit may join a hex's battle from its current hex."""
    return next(join_refusals(state, unit, hex_id), None) is None


def reaction_held_hexes(state: State) -> Bits:
    """Return the hexes with Reaction units and no Offensive units, except in China's interior (0.4, 7.24).

    Intrinsic units count.
    """
    hex_occupancy, side = occupancy(state), current_offensive(state).side
    return (
        hex_occupancy.anyone[side.enemy]
        & ~hex_occupancy.anyone[side]
        & ~_china_interior(hex_occupancy.bitsets)
    )


@cache
def _china_interior(bitsets: BoardBitsets) -> Bits:
    """Return the hexes of China's interior. Some of them always count as occupied (13.75)."""
    return bitsets.from_hexes(board().areas[CHINA_INTERIOR].hexes)


def is_allowed_battle(state: State, hex_id: HexId) -> bool:
    """Return whether the card and the scenario allow a battle to be declared in a hex (17.10.5F)."""
    offensive = current_offensive(state)
    if is_battle_barred(state, offensive.side, hex_id):
        return False
    return all(is_place(state, place, hex_id, offensive.side) for place in battle_hex_places(state))


def declaration_requirements(state: State) -> DeclarationRequirements:
    """Return what step 3 requires and allows in the current position (7.24)."""
    offensive = current_offensive(state)
    key = (
        state.units,
        state.control,
        offensive.moved,
        offensive.activated,
        offensive.joined,
        offensive.covers,
    )
    return _MEMO.get(state, key, lambda: _declaration_requirements(state, offensive))


def strike_targets(
    state: State, offensive: Offensive, requirements: DeclarationRequirements
) -> tuple[HexId, ...]:
    """Return the hexes, other than forced ones, where a battle may still be declared, in hex order (7.24)."""
    battle_hexes_declared = requirements.forced | frozenset(offensive.battles)
    if not offensive.event and battle_hexes_declared:
        return ()
    targets = occupancy(state).bitsets.ids(reaction_held_hexes(state))
    if battle_hex_places(state) or is_battle_barred(state, offensive.side, TRUK):
        targets = tuple(hex_id for hex_id in targets if is_allowed_battle(state, hex_id))
    if offensive.event:
        return targets
    # Only one battle is allowed, so every carrier that cannot cover a landing must be able to join
    # it.
    need = tuple(
        unit for unit in requirements.must_fight if not _can_cover(state, unit, requirements)
    )
    return tuple(
        hex_id for hex_id in targets if all(can_join(state, unit, hex_id) for unit in need)
    )


def coverable_landings(state: State, unit: UnitId) -> tuple[HexId, ...]:
    """Return the landings that a unit could cover, in hex order (7.24)."""
    requirements = declaration_requirements(state)
    return tuple(
        hex_id for hex_id in sorted(requirements.landings) if can_join(state, unit, hex_id)
    )


def _can_cover(state: State, unit: UnitId, requirements: DeclarationRequirements) -> bool:
    return any(can_join(state, unit, hex_id) for hex_id in requirements.landings)


def _declaration_requirements(state: State, offensive: Offensive) -> DeclarationRequirements:
    side, hex_occupancy = offensive.side, occupancy(state)
    own_hexes = hex_occupancy.deployment.anyone[side]
    contested_hexes = own_hexes & (
        hex_occupancy.deployment.anyone[side.enemy] | hex_occupancy.controlled[side.enemy]
    )
    forced_hexes = frozenset(
        hex_id for hex_id in whole_map().ids(contested_hexes) if _is_shared(state, side, hex_id)
    )
    landings = frozenset(
        HexId(state.units[unit].at)
        for unit, move in offensive.moved.items()
        if counters()[unit].side is side
        and move.mode.is_landing
        and state.units[unit].is_on_map
        and HexId(state.units[unit].at) not in forced_hexes
        and not controls(state, side, HexId(state.units[unit].at))
    )
    required_units = tuple(
        unit
        for unit in offensive.activated
        if _is_at_sea(state, unit)
        and state.units[unit].at not in forced_hexes
        and unit not in offensive.joined
        and unit not in offensive.covers
    )
    return DeclarationRequirements(forced_hexes, landings, required_units)


def _is_shared(state: State, side: Side, hex_id: HexId) -> bool:
    """Return whether a hex with a side's units also contains enemy units, including intrinsic ones."""
    if any(counters()[unit].side is not side for unit in units_at(state)[hex_id]):
        return True
    return controls(state, side.enemy, hex_id) and intrinsic_units(state, hex_id) > 0


def _is_at_sea(state: State, unit: UnitId) -> bool:
    """Return whether a carrier ended its move outside a friendly port (7.24)."""
    counter, piece = counters()[unit], state.units[unit]
    if not counter.carrier or not piece.is_on_map:
        return False
    hex_index = board().index[HexId(piece.at)]
    return not (board().is_port[hex_index] and controls(state, counter.side, HexId(piece.at)))


def _is_own_airfield(state: State, side: Side, hex_id: HexId) -> bool:
    return board().is_airfield[board().index[hex_id]] and controls(state, side, hex_id)
