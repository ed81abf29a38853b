"""Legal places for several units at once. Units that may go to the same places share one search (10.11, 11.0-3)."""

from collections.abc import Hashable, Iterable

from engine.eots.ch06_supply.activation import placement_hexes
from engine.eots.ch06_supply.network import profile
from engine.eots.counters import counters
from engine.eots.ids import UnitId
from engine.eots.state import State


def _placement_kind(state: State, unit: UnitId) -> Hashable:
    """Return a key shared by all units that may go to the same places.

    The key covers nationality, supply (6.12, 6.21) and everything relevant to stacking: the partners of 8.34, B29s
    (13.74-1), and ship types in games that count them (OP-10).
    """
    counter = counters()[unit]
    if counter.is_hq:
        return unit
    # Ship types matter only under an option (OP-10), so games without options share more results.
    ship = counter.type if state.options else None
    return profile(unit), counter.category, counter.air_stack_group, counter.b29, ship


def legal_places(state: State, units: Iterable[UnitId]) -> dict[UnitId, tuple[str, ...]]:
    """Return each unit's legal places: hexes in ascending order, then the China box. The units keep the given order."""
    cache: dict[Hashable, tuple[str, ...]] = {}
    legal_place_lists = {}
    for unit in units:
        kind = _placement_kind(state, unit)
        places = cache.get(kind)
        if places is None:
            places = placement_hexes(state, unit)
            cache[kind] = places
        legal_place_lists[unit] = places
    return legal_place_lists
