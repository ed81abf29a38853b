"""Finds the hexes that belong to an order. The map highlights them, and Enter on such a hex chooses the order."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from engine.cbps import commands as c
from engine.cbps.geometry import HexMap
from engine.cbps.ids import GUAM
from engine.cbps.search.ch08_courses import LONG_SEARCH, RADIUS_HEXES, STANDARD
from engine.cbps.search_area import radius_hex
from tui.cbps.index import Index
from tui.cbps.texts import group_hex

# Every redraw of the map needs the hexes of all options, so the results are cached.
_cached_radius_hex = lru_cache(maxsize=256)(radius_hex)
HexFinder = Callable[[Index, Any], str]


def order_hexes(index: Index, order: object) -> tuple[str, ...]:
    """Return the hexes of an order, its target first."""
    find = _HEX_FINDERS.get(type(order))
    hex = find(index, order) if find is not None else ""
    return (hex,) if hex in index.game_data.map.hexes else ()


def _mission_hex(index: Index, mission: str) -> str:
    flight = index.view.missions.get(mission)
    if flight is None:
        return ""
    # CAP is in the hex of its group (4.33).
    return group_hex(index, flight.cap) if flight.cap else flight.hex


def carrier_hex(index: Index, unit: str) -> str:
    """Return the hex of a unit aboard a carrier; empty for units elsewhere."""
    location = index.view.units[unit].at
    return index.ship_hex(location) if location in index.view.ships else ""


def _search_radius_hex(index: Index, order: c.SearchOut | c.SearchLong) -> str:
    origin = carrier_hex(index, order.unit)
    grid: HexMap = index.game_data.map.grid
    kind = LONG_SEARCH if isinstance(order, c.SearchLong) else STANDARD
    return _cached_radius_hex(grid, origin, order.bearing, RADIUS_HEXES[kind]) if origin else ""


def _target_hex(index: Index, target: str) -> str:
    view = index.view
    if target in view.forces:
        return view.forces[target].hex
    if target in view.hulls:
        return view.hulls[target].hex
    return index.game_data.map.guam if target == GUAM else ""


def _intercepted_raid_hex(index: Index, order: c.Intercept) -> str:
    raid = index.view.raids.get(order.raid)
    return raid.hex if raid is not None else ""


def _order_mission_hex(index: Index, order: c.Deploy | c.Commit | c.Hold) -> str:
    return _mission_hex(index, order.mission)


def _order_hex(index: Index, order: Any) -> str:  # noqa: ANN401  (any command with a hex)
    del index
    return str(order.hex)


def _unit_carrier_hex(index: Index, order: Any) -> str:  # noqa: ANN401  (any command with a unit)
    return carrier_hex(index, order.unit)


def _order_target_hex(index: Index, order: Any) -> str:  # noqa: ANN401  (any command with a target)
    return _target_hex(index, order.target)


def _order_group_hex(index: Index, order: Any) -> str:  # noqa: ANN401  (any command with a group)
    return group_hex(index, order.group)


_HEX_FINDERS: Final[Mapping[type, HexFinder]] = {
    **dict.fromkeys(
        (c.Station, c.Fly, c.SearchNarrow, c.Pass, c.Sail, c.Tow, c.Hunt),
        _order_hex,
    ),
    **dict.fromkeys(
        (c.Launch, c.Cap, c.Raise, c.Service, c.Store, c.Lower, c.Place), _unit_carrier_hex
    ),
    **dict.fromkeys((c.Attack, c.Retry, c.Contact), _order_target_hex),
    **dict.fromkeys((c.SearchOut, c.SearchLong), _search_radius_hex),
    **dict.fromkeys((c.Deploy, c.Commit, c.Hold), _order_mission_hex),
    **dict.fromkeys((c.LightUp, c.Darken, c.Detach, c.Rejoin), _order_group_hex),
    c.Attempt: lambda index, order: _target_hex(index, order.force),
    c.Intercept: _intercepted_raid_hex,
    c.Land: lambda index, order: index.ship_hex(order.carrier),
}
"""For each kind of order, the function that finds its hex. Other kinds of order have no hex."""
