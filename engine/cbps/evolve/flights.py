"""Folds for events about raids, searches and submarines."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from engine.cbps.events import boats, raids, search
from engine.cbps.evolve.base import with_value, without_key
from engine.cbps.force_ids import counter_of
from engine.cbps.state import Boat, Raid, Search, State

# -- raids


def _with_raid(state: State, raid: str, new_raid: Raid) -> State:
    return replace(state, raids=with_value(state.raids, raid, new_raid))


def _apply_raid_placed(state: State, event: raids.RaidPlaced) -> State:
    new_raid = Raid(
        origin=event.origin,
        slot=event.slot,
        kind=event.kind_of,
        is_land=event.is_land,
        hex=event.hex,
        target=event.target,
        points=event.points,
        line_from=event.line_from,
        is_taking_off=event.is_taking_off,
        is_new=True,
    )
    return _with_raid(state, event.raid, new_raid)


def _apply_raid_moved(state: State, event: raids.RaidMoved) -> State:
    return _with_raid(state, event.raid, replace(state.raids[event.raid], hex=event.hexes[-1]))


def _apply_raid_turned(state: State, event: raids.RaidTurned) -> State:
    old_raid = state.raids[event.raid]
    new_raid = replace(
        old_raid,
        target=event.target,
        is_home=event.is_home or old_raid.is_home,
        line_from=event.line_from or old_raid.line_from,
        kind=event.kind_of or old_raid.kind,
    )
    return _with_raid(state, event.raid, new_raid)


def _apply_raid_split(state: State, event: raids.RaidSplit) -> State:
    new_raid = replace(
        state.raids[event.raid],
        is_split=True,
        fighters=event.fighters,
        attackers=event.attackers,
        points=event.fighters + event.attackers,
    )
    return _with_raid(state, event.raid, new_raid)


def _apply_raid_reduced(state: State, event: raids.RaidReduced) -> State:
    old_raid = state.raids[event.raid]
    new_raid = replace(
        old_raid,
        fighters=old_raid.fighters - event.fighters,
        attackers=old_raid.attackers - event.attackers,
        points=old_raid.points - event.fighters - event.attackers,
    )
    return _with_raid(state, event.raid, new_raid)


def _apply_raid_aborted(state: State, event: raids.RaidAborted) -> State:
    old_raid = state.raids[event.raid]
    return _with_raid(state, event.raid, replace(old_raid, aborted=old_raid.aborted + event.points))


def _apply_raid_intercepted(state: State, event: raids.RaidIntercepted) -> State:
    return _with_raid(state, event.raid, replace(state.raids[event.raid], was_intercepted=True))


def _apply_raid_ended(state: State, event: raids.RaidEnded) -> State:
    return replace(state, raids=without_key(state.raids, event.raid))


def _apply_points_destroyed(state: State, event: raids.PointsDestroyed) -> State:
    return replace(
        state,
        destroyed=state.destroyed + event.destroyed,
        destroyed_naval=state.destroyed_naval + event.naval,
        through=state.through + event.through,
    )


# -- searches


def _with_search(state: State, name: str, new_search: Search) -> State:
    return replace(state, searches=with_value(state.searches, name, new_search))


def _apply_search_launched(state: State, event: search.SearchLaunched) -> State:
    new_force = Search(
        kind=event.kind_of,
        origin=event.origin,
        hex=event.origin,
        group=event.group,
        bearing=event.bearing,
        radius=event.radius,
        commander=event.commander,
    )
    return _with_search(state, event.search, new_force)


def _apply_search_moved(state: State, event: search.SearchMoved) -> State:
    old_search = state.searches[event.search]
    # Each zone is examined once per leg, so the way home starts a new list (8.28).
    zones = () if event.is_back and not old_search.is_back else old_search.zones
    new_search = replace(
        old_search,
        hex=event.hex,
        passed=event.passed,
        moves=old_search.moves + 1,
        zone=event.zone,
        zones=(*zones, *(zone for zone in (event.skipped, event.zone) if zone)),
        is_back=event.is_back or old_search.is_back,
        # Each force may be tried once in each segment (8.331).
        tried=(),
    )
    return _with_search(state, event.search, new_search)


def _apply_search_tried(state: State, event: search.SearchTried) -> State:
    old_search = state.searches[event.search]
    tried_counters = (*old_search.tried, counter_of(state, event.force))
    searches_changed = _with_search(state, event.search, replace(old_search, tried=tried_counters))
    if not event.by_night:
        return searches_changed
    units = {
        name: replace(unit, by_night=True)
        if unit.place == "search" and unit.at == event.search
        else unit
        for name, unit in state.units.items()
    }
    return replace(searches_changed, units=units)


def _apply_search_turned(state: State, event: search.SearchTurned) -> State:
    old_search = state.searches[event.search]
    return _with_search(state, event.search, replace(old_search, is_back=True, zones=()))


def _apply_search_shadows(state: State, event: search.SearchShadows) -> State:
    old_search = state.searches[event.search]
    new_search = replace(
        old_search, shadowing=event.force, has_shadowed=old_search.has_shadowed or not event.force
    )
    return _with_search(state, event.search, new_search)


def _apply_search_ended(state: State, event: search.SearchEnded) -> State:
    return replace(state, searches=without_key(state.searches, event.search))


# -- submarines


def _with_boat(state: State, boat: str, new_boat: Boat) -> State:
    return replace(state, boats=with_value(state.boats, boat, new_boat))


def _apply_boat_placed(state: State, event: boats.BoatPlaced) -> State:
    return _with_boat(state, event.boat, replace(state.boats[event.boat], hex=event.hex))


def _apply_boat_shadows(state: State, event: boats.BoatShadows) -> State:
    return _with_boat(state, event.boat, replace(state.boats[event.boat], shadowing=event.force))


def _apply_boat_pinned(state: State, event: boats.BoatPinned) -> State:
    old_boat = state.boats[event.boat]
    shadowed_name = "" if event.pin else old_boat.shadowing
    return _with_boat(state, event.boat, replace(old_boat, pin=event.pin, shadowing=shadowed_name))


def _apply_boat_sunk(state: State, event: boats.BoatSunk) -> State:
    return _with_boat(state, event.boat, Boat(is_sunk=True))


def _keep_state(state: State, _event: raids.RaidCalledOff) -> State:
    return state


FOLDS: Final[Mapping[type, object]] = {
    raids.RaidCalledOff: _keep_state,
    raids.RaidPlaced: _apply_raid_placed,
    raids.RaidMoved: _apply_raid_moved,
    raids.RaidTurned: _apply_raid_turned,
    raids.RaidSplit: _apply_raid_split,
    raids.RaidReduced: _apply_raid_reduced,
    raids.RaidAborted: _apply_raid_aborted,
    raids.RaidIntercepted: _apply_raid_intercepted,
    raids.RaidEnded: _apply_raid_ended,
    raids.PointsDestroyed: _apply_points_destroyed,
    search.SearchLaunched: _apply_search_launched,
    search.SearchMoved: _apply_search_moved,
    search.SearchTried: _apply_search_tried,
    search.SearchTurned: _apply_search_turned,
    search.SearchShadows: _apply_search_shadows,
    search.SearchEnded: _apply_search_ended,
    boats.BoatPlaced: _apply_boat_placed,
    boats.BoatShadows: _apply_boat_shadows,
    boats.BoatPinned: _apply_boat_pinned,
    boats.BoatSunk: _apply_boat_sunk,
}
"""One fold for each event of the raids, search and boats modules in :mod:`engine.cbps.events`."""
