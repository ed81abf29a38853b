"""Supply over the bridge across the River Kwai (13.79, OPB-41)."""

from functools import lru_cache
from itertools import pairwise

from engine.eots.ch06_supply.bitsets import Bits, steps_between, steps_inside
from engine.eots.ch06_supply.lines import flood_fill, supply_layers
from engine.eots.ch06_supply.network import Network, Profile
from engine.eots.ch06_supply.routes import RANGOON, bridge_stretch, railway, route_steps
from engine.eots.ids import HexId
from engine.eots.state import State


def has_route_to_rangoon(state: State, supply: Network, hq_at: HexId) -> bool:
    """Return whether an HQ can trace a continuous transport route over the railway to Rangoon (13.79).

    The route to the bridge must not use the bridge itself. No hex on the route may be solely enemy-occupied (6.21E).
    """
    key = supply.key
    bit_by_id = key.bitsets.bit_by_id
    stretch = bridge_stretch(state)
    if not _is_stretch_open(supply, stretch):
        return False
    bridge = steps_between(key.bitsets, pairwise(stretch))
    open_steps = tuple(
        opened_steps & ~b
        for opened_steps, b in zip(route_steps(key.bitsets, state), bridge, strict=True)
    )
    route = flood_fill(bit_by_id[hq_at] & key.open_hexes, steps_inside(open_steps, key.open_hexes))
    return bool(route & bit_by_id[railway(state)[0]]) and stretch[-1] == RANGOON


def _is_stretch_open(supply: Network, stretch: tuple[HexId, ...]) -> bool:
    stretch_hexes = supply.key.bitsets.from_hexes(stretch)
    return stretch_hexes & supply.key.open_hexes == stretch_hexes


@lru_cache(maxsize=64)
def area_across_bridge(supply: Network, stretch: tuple[HexId, ...], profile: Profile) -> Bits:
    """Return the hexes where a unit can be supplied by a line that crosses the bridge, in either direction (13.79).

    Args:
        supply: The Japanese network.
        stretch: Hexes that the bridge connects.
        profile: The unit's profile.
    """
    if not _is_stretch_open(supply, stretch):
        return 0
    return _area_one_way(supply, stretch, profile) | _area_one_way(supply, stretch[::-1], profile)


def _area_one_way(supply: Network, stretch: tuple[HexId, ...], profile: Profile) -> Bits:
    """Return the hexes that supply lines reach after crossing the stretch in one direction."""
    bit_by_id, ports = supply.key.bitsets.bit_by_id, supply.eligible_ports
    entry, end, length = bit_by_id[stretch[0]], bit_by_id[stretch[-1]], len(stretch) - 1
    starts = supply.supplying_hq_starts(profile)
    landed_areas = {
        points_left - length: end
        for points_left, hexes in starts.items()
        if hexes & entry and points_left >= length
    }
    late_starts: dict[int, Bits] = {}
    is_late_found = False
    for layer in supply_layers(starts, supply.steps, ports):
        points_left = layer.left - length
        if points_left < 0:
            break
        if layer.by_land & entry:
            landed_areas[points_left] = end
        # Lines can enter the stretch again in later layers. The first entry has the most range
        # left.
        if layer.late_by_land & entry and not is_late_found:
            late_starts[points_left] = end
            is_late_found = True
    if not landed_areas and not late_starts:
        return 0
    by_sea, by_land = 0, end
    for layer in supply_layers({}, supply.steps, ports, landed_areas, late_starts):
        by_sea |= layer.by_sea | layer.late_by_sea
        by_land |= layer.by_land | layer.late_by_land
    reachable_hexes_found = supply.overland_reach(
        ports | supply.kunming | supply.supplying_hq_hexes(profile), profile.mover
    )
    return by_sea | (by_land & reachable_hexes_found)
