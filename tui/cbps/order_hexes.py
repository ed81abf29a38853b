"""The hexes to which orders refer. The map highlights them, and Enter on such a hex chooses the order."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from engine.cbps import commands as c
from engine.cbps.geometry import HexMap
from engine.cbps.ids import GUAM
from engine.cbps.search.ch08_courses import LONG, RADIUS_HEXES, STANDARD
from engine.cbps.search_area import radius_hex
from tui.cbps.index import Index
from tui.cbps.texts import group_hex

_radius = lru_cache(maxsize=256)(radius_hex)
Finder = Callable[[Index, Any], str]


def places(index: Index, order: object) -> tuple[str, ...]:
    """Return the hexes to which an order refers, its target first."""
    find = _FINDERS.get(type(order))
    hex = find(index, order) if find is not None else ""
    return (hex,) if hex in index.book.map.hexes else ()


def _mission_hex(index: Index, mission: str) -> str:
    one = index.view.missions.get(mission)
    if one is None:
        return ""
    return group_hex(index, one.cap) if one.cap else one.hex


def aboard(index: Index, unit: str) -> str:
    """Return the hex of a unit aboard a carrier; empty for units elsewhere."""
    at = index.view.units[unit].at
    return index.ship_hex(at) if at in index.view.ships else ""


def _search(index: Index, order: c.SearchOut | c.SearchLong) -> str:
    origin = aboard(index, order.unit)
    grid: HexMap = index.book.map.grid
    kind = LONG if isinstance(order, c.SearchLong) else STANDARD
    return _radius(grid, origin, order.bearing, RADIUS_HEXES[kind]) if origin else ""


def _target(index: Index, target: str) -> str:
    view = index.view
    if target in view.forces:
        return view.forces[target].hex
    if target in view.hulls:
        return view.hulls[target].hex
    return index.book.map.guam if target == GUAM else ""


def _raid(index: Index, order: c.Intercept) -> str:
    raid = index.view.raids.get(order.raid)
    return raid.hex if raid is not None else ""


def _mission(index: Index, order: c.Deploy | c.Commit | c.Hold) -> str:
    return _mission_hex(index, order.mission)


def _hex(index: Index, order: Any) -> str:  # noqa: ANN401  (any command with a hex)
    del index
    return str(order.hex)


def _aboard(index: Index, order: Any) -> str:  # noqa: ANN401  (any command with a unit)
    return aboard(index, order.unit)


def _at_target(index: Index, order: Any) -> str:  # noqa: ANN401  (any command with a target)
    return _target(index, order.target)


def _group(index: Index, order: Any) -> str:  # noqa: ANN401  (any command with a group)
    return group_hex(index, order.group)


_FINDERS: Final[Mapping[type, Finder]] = {
    **dict.fromkeys(
        (c.Station, c.Fly, c.SearchNarrow, c.Pass, c.Sail, c.Tow, c.Hunt),
        _hex,
    ),
    **dict.fromkeys((c.Launch, c.Cap, c.Raise, c.Service, c.Store, c.Lower, c.Place), _aboard),
    **dict.fromkeys((c.Attack, c.Retry, c.Contact), _at_target),
    **dict.fromkeys((c.SearchOut, c.SearchLong), _search),
    **dict.fromkeys((c.Deploy, c.Commit, c.Hold), _mission),
    **dict.fromkeys((c.LightUp, c.Darken, c.Detach, c.Rejoin), _group),
    c.Attempt: lambda index, order: _target(index, order.force),
    c.Intercept: _raid,
    c.Land: lambda index, order: index.ship_hex(order.carrier),
}
"""Functions that find the hex for each kind of order. All other orders refer to no hex."""
