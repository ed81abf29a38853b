"""The transport routes that currently exist, and the course of the Kwai railway (8.1, 13.77, 13.79, OP-18)."""

from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Final

from engine.eots.ch06_supply.bitsets import BoardBitsets, Steps, steps_between, whole_map
from engine.eots.ids import AreaId, HexId, RouteEvent
from engine.eots.rulings import KWAI_PATH
from engine.eots.state import State

_KWAI_AREA: Final = AreaId("kwai-route")
RANGOON: Final = HexId("2008")


def railway(state: State) -> tuple[HexId, ...]:
    """Return the hexes of the Bangkok-Rangoon railway, in that direction (13.79, OP-18)."""
    return _railway(KWAI_PATH.uses_alternative(state.options))


def bridge_stretch(state: State) -> tuple[HexId, ...]:
    """Return the hexes of the railway that need the bridge, in order towards Rangoon."""
    route = railway(state)
    return route if KWAI_PATH.uses_alternative(state.options) else route[1:]


def _railway(is_direct: bool) -> tuple[HexId, ...]:  # noqa: FBT001  # private, and named at both calls
    return whole_map().board.area(_KWAI_AREA, KWAI_PATH.specs if is_direct else ()).path


@cache
def _open_pairs(
    missing_hexes: tuple[HexId, ...],
    includes_bridge: bool,  # noqa: FBT001  # key of the cache
    is_direct: bool,  # noqa: FBT001  # key of the cache
) -> tuple[tuple[HexId, HexId], ...]:
    """Return the pairs of adjacent hexes joined by a route, given the missing routes and whether the bridge exists."""
    corner = set(_railway(False)) - set(_railway(True)) if is_direct else set()
    pairs = [
        route.hexes
        for route in whole_map().board.routes
        if route.event is not RouteEvent.KWAI_BRIDGE or (includes_bridge and not is_direct)
    ]
    if is_direct and includes_bridge:
        way = _railway(True)
        pairs += list(pairwise(way))
    barred_pairs = {*missing_hexes, *corner}
    return tuple(
        (first, second)
        for first, second in pairs
        if first not in barred_pairs and second not in barred_pairs
    )


def route_pairs(state: State) -> tuple[tuple[HexId, HexId], ...]:
    """Return the pairs of neighbours that a transport route currently joins (13.77, 13.79)."""
    tracks = state.tracks
    return _open_pairs(
        tracks.no_transport_route, tracks.kwai_bridge, KWAI_PATH.uses_alternative(state.options)
    )


@cache
def _neighbours(pairs: tuple[tuple[HexId, HexId], ...]) -> Mapping[HexId, tuple[HexId, ...]]:
    neighbours: dict[HexId, list[HexId]] = {}
    for first, second in pairs:
        neighbours.setdefault(first, []).append(second)
        neighbours.setdefault(second, []).append(first)
    return {hex_id: tuple(sorted(neighbour_ids)) for hex_id, neighbour_ids in neighbours.items()}


def route_neighbours(state: State) -> Mapping[HexId, tuple[HexId, ...]]:
    """Return each hex's neighbours along transport routes, in hex order. Hexes without a route are missing (8.1)."""
    return _neighbours(route_pairs(state))


@cache
def _route_steps(
    bitsets: BoardBitsets,
    missing_hexes: tuple[HexId, ...],
    includes_bridge: bool,  # noqa: FBT001  # key of the cache
    is_direct: bool,  # noqa: FBT001  # key of the cache
) -> Steps:
    return steps_between(bitsets, _open_pairs(missing_hexes, includes_bridge, is_direct))


def route_steps(bitsets: BoardBitsets, state: State) -> Steps:
    """Return the steps along transport routes that exist now."""
    tracks = state.tracks
    is_direct = KWAI_PATH.uses_alternative(state.options)
    return _route_steps(bitsets, tracks.no_transport_route, tracks.kwai_bridge, is_direct)
