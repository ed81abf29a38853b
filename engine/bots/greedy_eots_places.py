"""Where the greedy player bases units: near the front, yet guarded and in reach of an HQ (9.6, 10.11, 11)."""

from typing import Final

from engine.bots.greedy_eots_situation import Situation, attack
from engine.bots.greedy_eots_stakes import B29_HEXES
from engine.eots import commands as orders
from engine.eots.board import board
from engine.eots.ch06_supply.bitmap import ZOI_HEXES
from engine.eots.ch06_supply.stacking import LAND_LIMIT, NAVAL_LIMIT, land_stack
from engine.eots.ch16_victory.judgement import TOKYO
from engine.eots.counters import Counter, counters
from engine.eots.ids import HexId, Side, UnitId

BASE_VALUE: Final = 60
"""Value of a place before anything speaks for or against it; keeps values positive."""
WANTED_HEXES: Final = {"hq": 5, "naval": 4, "air": 2, "ground": 1}
"""How far from the front units of a family like to be."""
MOST_HEXES: Final = 25
"""Farther off, the distance makes no more difference."""
SERVED_VALUE: Final = 15
"""A place in the range of a friendly HQ (6.21)."""
GUARD_VALUE: Final = 8
"""An own ground unit stands there."""
LIFT_VALUE: Final = 6
"""Ships in a port with troops that can land."""
EXPOSED: Final = 40
"""Ships and aircraft without a guard beside enemy ground units are lost with their hex (8.22, 8.32)."""
BESIDE_ENEMY: Final = 10
"""As above with a guard."""
ALONE_HQ: Final = 30
"""An HQ without a guard."""
GARRISON_SHARE: Final = 2
"""A ground unit wants a hex without garrison by this part of its worth."""
BOMBER_VALUE: Final = 40
"""A B29 where it reaches Tokyo (12.3)."""
PREWAR_VALUE: Final = 50
"""A pre-war unit that leaves the map is out of the game (8.24)."""
KEPT_DIVISIONS: Final = 4
"""Fewer divisions in China double no garrison any more (13.76)."""


def base_value(now: Situation, unit: UnitId, at: str) -> int:
    """Return how good a place is for a unit to be based in."""
    counter = counters()[unit]
    here = board().index.get(HexId(at))
    if here is None:
        return BASE_VALUE // 2
    if is_full(now, unit, at):
        return 0
    far = min(now.prize_distance(at), MOST_HEXES)
    value = BASE_VALUE - abs(far - WANTED_HEXES[counter.category])
    cover = now.cover(here) if counter.is_air_capable else 0
    if not counter.is_hq and now.is_served(at, counter, near=ZOI_HEXES if cover else 0):
        value += SERVED_VALUE
    if counter.b29 and board().distance(HexId(at), TOKYO) <= B29_HEXES:
        value += BOMBER_VALUE
    if counter.is_ground:
        return value + _guard_value(now, unit, HexId(at))
    guarded = any(counters()[other.id].is_ground and other.id != unit for other in now.friends(at))
    if is_beside_enemy(now, here):
        value -= BESIDE_ENEMY if guarded and not counter.is_hq else EXPOSED
    if guarded:
        return value + GUARD_VALUE + LIFT_VALUE * (counter.is_naval and _has_landers(now, at))
    return value - ALONE_HQ * counter.is_hq


def _has_landers(now: Situation, at: str) -> bool:
    """Return whether own troops in a hex could land, for which they want ships in their port (8.45B)."""
    return any(
        (row := counters()[unit.id].ground) is not None and row.amphibious_assault
        for unit in now.friends(at)
    )


def is_full(now: Situation, unit: UnitId, at: str) -> bool:
    """Return whether a unit would be too many in a hex (8.24, 8.34, 8.48)."""
    together = (*(other.id for other in now.friends(at) if other.id != unit), unit)
    if counters()[unit].is_naval:
        return sum(counters()[other].is_naval for other in together) > NAVAL_LIMIT
    return not counters()[unit].is_hq and land_stack(together) > LAND_LIMIT


def excess_value(now: Situation, order: orders.EotsCommand) -> int:
    """Return what is lost with a unit that is too many in a hex; pre-war ones do not return (8.24, 8.34, 8.48)."""
    if not isinstance(order, orders.RemoveExcess):
        return 0
    return attack(now.units[order.unit]) + PREWAR_VALUE * counters()[order.unit].prewar


def _guard_value(now: Situation, unit: UnitId, at: HexId) -> int:
    """Return what a ground unit adds to the hold on a hex: most where it is the only one (10.11)."""
    guards = sum(counters()[u.id].is_ground and u.id != unit for u in now.friends(at))
    return now.value(at) // GARRISON_SHARE // (1 + 2 * guards)


def is_beside_enemy(now: Situation, here: int) -> bool:
    """Return whether enemy ground units stand across a land side of a hex."""
    ids = board().ids
    return any(now.has_enemy_ground(ids[other]) for other in board().land_adjacent[here])


def place_value(now: Situation, order: orders.EotsCommand) -> int:
    """Return how good a place for a reinforcement is (10.11)."""
    match order:
        case orders.Place(unit=unit, at=at):
            return base_value(now, unit, at) + _spread(now, counters()[unit], at)
        case _:
            return 0


def _spread(now: Situation, counter: Counter, at: str) -> int:
    """Return what speaks for another place than that of its HQs: each wants an area of its own (6.11)."""
    if not counter.is_hq:
        return 0
    near = min((board().distance(HexId(hq.at), HexId(at)) for hq in now.hqs()), default=0)
    return min(near, 10)


def repair_value(now: Situation, order: orders.EotsCommand) -> int:
    """Return how good a replacement is: the attack strength gained, sooner near the front (11.0)."""
    match order:
        case orders.Repair(unit=unit):
            counter = counters()[unit]
            gained = counter.strength(counter.max_steps).attack - counter.strength(1).attack
            return 20 + gained - min(now.front_distance(now.units[unit].at), 10)
        case orders.Rebuild(unit=unit, at=at, steps=steps):
            gained = counters()[unit].strength(steps).attack
            return 15 + gained + (base_value(now, unit, at) - BASE_VALUE) // 4
        case orders.Divisions(count=count):
            is_japan = now.side is Side.JAPAN
            return count if is_japan and _spare_divisions(now, count) else -count
        case _:
            return 0


def _spare_divisions(now: Situation, count: int) -> bool:
    """Return whether divisions can leave China and somebody waits for them (11.23)."""
    wanted = sum(
        counters()[unit.id].is_ground
        and counters()[unit.id].side is now.side
        and 0 < unit.steps < counters()[unit.id].max_steps
        for unit in now.view.units
    )
    return now.view.tracks.divisions_in_china - count >= KEPT_DIVISIONS and wanted >= count
