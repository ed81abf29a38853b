"""Chooses bases for the greedy bot. Good bases are near the front, guarded and within HQ range (9.6, 10.11, 11)."""

from typing import Final

from engine.bots.greedy_eots_situation import EotsSituation, attack_strength
from engine.bots.greedy_eots_stakes import B29_HEXES
from engine.eots import commands as orders
from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import ZOI_HEXES
from engine.eots.ch06_supply.stacking import LAND_LIMIT, NAVAL_LIMIT, land_stack
from engine.eots.ch16_victory.judgement import TOKYO
from engine.eots.counters import Counter, counters
from engine.eots.ids import HexId, Side, UnitId

BASE_VALUE: Final = 60
"""Value of every place before bonuses and penalties. It is large enough to keep all values positive."""
WANTED_HEXES: Final = {"hq": 5, "naval": 4, "air": 2, "ground": 1}
"""Preferred distance from the front, in hexes, for each type of unit."""
MAX_HEXES: Final = 25
"""A place's value falls with distance, up to this many hexes."""
IN_HQ_RANGE_VALUE: Final = 15
"""Bonus for a place within range of a friendly HQ (6.21)."""
GUARD_VALUE: Final = 8
"""Bonus for a place with a friendly ground unit."""
LIFT_VALUE: Final = 6
"""Bonus for placing ships in a port with troops that can make landings."""
EXPOSED_PENALTY: Final = 40
"""Penalty for unguarded ships and aircraft next to enemy ground units that could take the hex (8.22, 8.32)."""
BESIDE_ENEMY_PENALTY: Final = 10
"""Penalty for guarded ships and aircraft next to enemy ground units."""
LONE_HQ_PENALTY: Final = 30
"""Penalty for an unguarded HQ."""
GARRISON_SHARE: Final = 2
"""A ground unit's garrison bonus in a hex is the value of the hex, divided by this number."""
BOMBER_VALUE: Final = 40
"""Bonus for a B29 within range of Tokyo (12.3)."""
PREWAR_VALUE: Final = 50
"""Value of keeping a pre-war unit. If it is removed from the map, it cannot return (8.24)."""
RESERVED_DIVISIONS: Final = 4
"""The bot takes divisions from China only if at least this many remain there (11.23, 13.76)."""


def base_value(situation: EotsSituation, unit: UnitId, place: str) -> int:
    """Return the value of a place as a base for a unit."""
    counter = counters()[unit]
    hex_index = board().index.get(HexId(place))
    if hex_index is None:
        return BASE_VALUE // 2
    if is_full(situation, unit, place):
        return 0
    distance = min(situation.prize_distance(place), MAX_HEXES)
    value = BASE_VALUE - abs(distance - WANTED_HEXES[counter.category])
    cover = situation.cover_value(hex_index) if counter.is_air_capable else 0
    if not counter.is_hq and situation.is_in_hq_supply(
        place, counter, max_distance=ZOI_HEXES if cover else 0
    ):
        value += IN_HQ_RANGE_VALUE
    if counter.b29 and board().distance(HexId(place), TOKYO) <= B29_HEXES:
        value += BOMBER_VALUE
    if counter.is_ground:
        return value + _guard_value(situation, unit, HexId(place))
    is_guarded = any(
        counters()[friend.id].is_ground and friend.id != unit
        for friend in situation.friendly_units(place)
    )
    if is_beside_enemy(situation, hex_index):
        value -= BESIDE_ENEMY_PENALTY if is_guarded and not counter.is_hq else EXPOSED_PENALTY
    if is_guarded:
        return (
            value + GUARD_VALUE + LIFT_VALUE * (counter.is_naval and _has_landers(situation, place))
        )
    return value - LONE_HQ_PENALTY * counter.is_hq


def _has_landers(situation: EotsSituation, place: str) -> bool:
    """Return whether a hex has friendly troops that can make landings. Landings need ships in the same port (8.45B)."""
    return any(
        (row := counters()[unit.id].ground) is not None and row.amphibious_assault
        for unit in situation.friendly_units(place)
    )


def is_full(situation: EotsSituation, unit: UnitId, place: str) -> bool:
    """Return whether a unit would exceed the stacking limit of a hex (8.24, 8.34, 8.48)."""
    stack = (*(friend.id for friend in situation.friendly_units(place) if friend.id != unit), unit)
    if counters()[unit].is_naval:
        return sum(counters()[other_unit].is_naval for other_unit in stack) > NAVAL_LIMIT
    return not counters()[unit].is_hq and land_stack(stack) > LAND_LIMIT


def excess_value(situation: EotsSituation, order: orders.EotsCommand) -> int:
    """Return the cost of removing an excess unit. The cost is higher for pre-war units (8.24, 8.34, 8.48)."""
    if not isinstance(order, orders.RemoveExcess):
        return 0
    return (
        attack_strength(situation.units[order.unit]) + PREWAR_VALUE * counters()[order.unit].prewar
    )


def _guard_value(situation: EotsSituation, unit: UnitId, hex_id: HexId) -> int:
    """Return the value that a ground unit adds to a hex's defence. The value is highest for a lone unit (10.11)."""
    guards = sum(
        counters()[friend.id].is_ground and friend.id != unit
        for friend in situation.friendly_units(hex_id)
    )
    return situation.hex_value(hex_id) // GARRISON_SHARE // (1 + 2 * guards)


def is_beside_enemy(situation: EotsSituation, hex_index: int) -> bool:
    """Return whether an enemy ground unit is in an adjacent hex across a land hexside."""
    ids = board().ids
    return any(
        situation.has_enemy_ground(ids[neighbour]) for neighbour in board().land_adjacent[hex_index]
    )


def place_value(situation: EotsSituation, order: orders.EotsCommand) -> int:
    """Return the value of a place for a reinforcement (10.11)."""
    match order:
        case orders.Place(unit=unit, at=hex_id):
            return base_value(situation, unit, hex_id) + _hq_spacing_bonus(
                situation, counters()[unit], hex_id
            )
        case _:
            return 0


def _hq_spacing_bonus(situation: EotsSituation, counter: Counter, place: str) -> int:
    """Return the bonus for an HQ's distance from all other HQs, so that each HQ covers its own area (6.11)."""
    if not counter.is_hq:
        return 0
    distance = min(
        (board().distance(HexId(hq.at), HexId(place)) for hq in situation.hqs()), default=0
    )
    return min(distance, 10)


def repair_value(situation: EotsSituation, order: orders.EotsCommand) -> int:
    """Return the value of a replacement, based on the attack strength gained and the distance to the front (11.0)."""
    match order:
        case orders.Repair(unit=unit):
            counter = counters()[unit]
            attack_gained = counter.strength(counter.max_steps).attack - counter.strength(1).attack
            return 20 + attack_gained - min(situation.front_distance(situation.units[unit].at), 10)
        case orders.Rebuild(unit=unit, at=hex_id, steps=steps):
            attack_gained = counters()[unit].strength(steps).attack
            return 15 + attack_gained + (base_value(situation, unit, hex_id) - BASE_VALUE) // 4
        case orders.Divisions(count=count):
            is_japan = situation.side is Side.JAPAN
            return count if is_japan and _can_spare_divisions(situation, count) else -count
        case _:
            return 0


def _can_spare_divisions(situation: EotsSituation, count: int) -> bool:
    """Return whether China can spare the divisions and enough units need them (11.23)."""
    divisions_needed = sum(
        counters()[unit.id].is_ground
        and counters()[unit.id].side is situation.side
        and 0 < unit.steps < counters()[unit.id].max_steps
        for unit in situation.view.units
    )
    return (
        situation.view.tracks.divisions_in_china - count >= RESERVED_DIVISIONS
        and divisions_needed >= count
    )
