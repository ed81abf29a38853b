"""Supply over the bridge across the River Kwai (13.79, OPB-41)."""

from functools import lru_cache
from itertools import pairwise

from engine.eots.ch06_supply.bitmap import Bits, steps_between, steps_inside
from engine.eots.ch06_supply.lines import flood_fill, supply_layers
from engine.eots.ch06_supply.network import Network, Profile
from engine.eots.ch06_supply.routes import RANGOON, bridge_stretch, railway, route_steps
from engine.eots.ids import HexId
from engine.eots.state import State


def has_route_to_rangoon(state: State, supply: Network, hq_at: HexId) -> bool:
    """Return whether an HQ can trace a continuous transport route over the railway to Rangoon (13.79).

    The route to the bridge must not use the bridge itself, and none of its hexes may be solely enemy-occupied (6.21E).
    """
    key = supply.key
    of = key.ground.of
    stretch = bridge_stretch(state)
    if not _is_stretch_open(supply, stretch):
        return False
    bridge = steps_between(key.ground, pairwise(stretch))
    rest = tuple(a & ~b for a, b in zip(route_steps(key.ground, state), bridge, strict=True))
    route = flood_fill(of[hq_at] & key.open_hexes, steps_inside(rest, key.open_hexes))
    return bool(route & of[railway(state)[0]]) and stretch[-1] == RANGOON


def _is_stretch_open(supply: Network, way: tuple[HexId, ...]) -> bool:
    wanted = supply.key.ground.from_hexes(way)
    return wanted & supply.key.open_hexes == wanted


@lru_cache(maxsize=64)
def area_across_bridge(supply: Network, stretch: tuple[HexId, ...], wanted: Profile) -> Bits:
    """Return the hexes where a unit can trace its supply line across the bridge in either direction (13.79).

    Args:
        supply: The Japanese network.
        stretch: Hexes joined by the bridge.
        wanted: The unit's profile.
    """
    if not _is_stretch_open(supply, stretch):
        return 0
    return _area_one_way(supply, stretch, wanted) | _area_one_way(supply, stretch[::-1], wanted)


def _area_one_way(supply: Network, way: tuple[HexId, ...], wanted: Profile) -> Bits:
    """Return the hexes reached by lines that cross the stretch in one direction."""
    of, ports = supply.key.ground.of, supply.eligible_ports
    entry, end, length = of[way[0]], of[way[-1]], len(way) - 1
    starts = supply.supplying_hq_starts(wanted)
    landed = {
        left - length: end for left, hexes in starts.items() if hexes & entry and left >= length
    }
    late: dict[int, Bits] = {}
    found_late = False
    for layer in supply_layers(starts, supply.steps, ports):
        left = layer.left - length
        if left < 0:
            break
        if layer.by_land & entry:
            landed[left] = end
        if layer.late_by_land & entry and not found_late:
            late[left] = end
            found_late = True
    if not landed and not late:
        return 0
    by_sea, by_land = 0, end
    for layer in supply_layers({}, supply.steps, ports, landed, late):
        by_sea |= layer.by_sea | layer.late_by_sea
        by_land |= layer.by_land | layer.late_by_land
    near = supply.overland_reach(
        ports | supply.kunming | supply.supplying_hq_hexes(wanted), wanted.mover
    )
    return by_sea | (by_land & near)
