"""Fold the facts about markers and tracks."""

from typing import Final

from msgspec.structs import replace

from engine.eots.counters import counters
from engine.eots.events import tracks as facts
from engine.eots.ids import Side
from engine.eots.state import State, Tracks

_MARKERS: Final = {
    "hump": "hump",
    "kwai-bridge": "kwai_bridge",
    "barges": "barges",
    "pt-boats": "pt_boats",
    "interceptors": "interceptors",
    "tojo-resigned": "tojo_resigned",
    "defence-doctrine": "defence_doctrine",
    "soviet-invasion": "soviet_invasion",
}
"""Marker names of events to fields of :class:`Tracks`."""


def _track(state: State, tracks: Tracks) -> State:
    return replace(state, tracks=tracks)


def die_rolled(state: State, _: facts.DieRolled) -> State:
    """A roll changes nothing by itself."""
    return state


def political_will_moved(state: State, event: facts.PoliticalWillMoved) -> State:
    """Move the marker."""
    return _track(state, replace(state.tracks, political_will=event.to))


def war_in_europe_moved(state: State, event: facts.WarInEuropeMoved) -> State:
    """Move the marker."""
    return _track(state, replace(state.tracks, war_in_europe=event.to))


def china_front_moved(state: State, event: facts.ChinaFrontMoved) -> State:
    """Move the marker."""
    return _track(state, replace(state.tracks, china_front=event.to))


def china_offensive_tried(state: State, _: facts.ChinaOffensiveTried) -> State:
    """Note the turn."""
    return _track(state, replace(state.tracks, china_offensive_turn=state.turn))


def divisions_left_china(state: State, event: facts.DivisionsLeftChina) -> State:
    """Lower the divisions and add ground steps."""
    tracks = replace(state.tracks, divisions_in_china=state.tracks.divisions_in_china - event.count)
    pools = replace(state.pools, japan_ground=state.pools.japan_ground + event.count)
    return replace(state, tracks=tracks, pools=pools)


def india_moved(state: State, event: facts.IndiaMoved) -> State:
    """Move the marker."""
    return _track(state, replace(state.tracks, india=event.to))


def north_india_lost(state: State, event: facts.NorthIndiaLost) -> State:
    """Note whether Japan holds all of Northern India."""
    return _track(state, replace(state.tracks, north_india_lost=event.lost))


def rivalry_set(state: State, event: facts.RivalrySet) -> State:
    """Turn a rivalry marker."""
    if event.side is Side.JAPAN:
        return _track(state, replace(state.tracks, japan_rivalry=event.rivalry))
    return _track(state, replace(state.tracks, us_rivalry=event.rivalry))


def asp_level_changed(state: State, event: facts.AspLevelChanged) -> State:
    """Set a side's shipping points."""
    if event.side is Side.JAPAN:
        return _track(state, replace(state.tracks, japan_asp=event.level))
    return _track(state, replace(state.tracks, allied_asp=event.level))


def asp_quota_fixed(state: State, event: facts.AspQuotaFixed) -> State:
    """Note the level that sets the quota."""
    return _track(state, replace(state.tracks, allied_asp_after_reinforcement=event.level))


def escorts_set(state: State, event: facts.EscortsSet) -> State:
    """Set the escort modifier."""
    return _track(state, replace(state.tracks, escorts=event.level, escorts_void=event.void))


def nation_surrendered(state: State, event: facts.NationSurrendered) -> State:
    """Add a surrendered nation."""
    return _track(
        state, replace(state.tracks, surrendered=(*state.tracks.surrendered, event.nation))
    )


def nation_recaptured(state: State, event: facts.NationRecaptured) -> State:
    """Add a recaptured nation."""
    return _track(state, replace(state.tracks, recaptured=(*state.tracks.recaptured, event.nation)))


def pools_set(state: State, event: facts.PoolsSet) -> State:
    """Set the replacement steps."""
    return replace(state, pools=event.pools)


def japan_points_set(state: State, event: facts.JapanPointsSet) -> State:
    """Set the saved Japanese points."""
    return _track(
        state, replace(state.tracks, japan_naval_points=event.naval, japan_air_points=event.air)
    )


def unit_arrived(state: State, event: facts.UnitArrived) -> State:
    """Note who arrived in this segment."""
    counter = counters()[event.unit]
    if counter.is_hq and event.segment == "reinforcement":
        state = replace(state, arrived_hqs=(*state.arrived_hqs, event.unit))
    if counter.is_air_capable:
        state = replace(state, arrived_air=(*state.arrived_air, event.unit))
    if event.segment == "replacement":
        state = replace(state, rebuilt=(*state.rebuilt, event.unit))
    return state


def segment_closed(state: State, _: facts.SegmentClosed) -> State:
    """Let the arrived air-capable units neutralise."""
    return replace(state, arrived_air=())


def bombing_resolved(state: State, event: facts.BombingResolved) -> State:
    """Note who bombed, the card that a success costs, and a success once per turn."""
    tracks = replace(state.tracks, bombed_this_turn=(*state.tracks.bombed_this_turn, event.unit))
    if event.success:
        tracks = replace(tracks, draw_loss=tracks.draw_loss + 1)
    if event.success and state.turn not in tracks.bombing_turns:
        tracks = replace(tracks, bombing_turns=(*tracks.bombing_turns, state.turn))
    return _track(state, tracks)


def route_built(state: State, event: facts.RouteBuilt) -> State:
    """Take a No Transport Route marker off."""
    left = tuple(at for at in state.tracks.no_transport_route if at != event.at)
    return _track(state, replace(state.tracks, no_transport_route=left))


def holds_counted(state: State, event: facts.HoldsCounted) -> State:
    """Set the counters of 16.42."""
    return _track(
        state, replace(state.tracks, aleutians_held=event.aleutians, hawaii_held=event.hawaii)
    )


def once_used(state: State, event: facts.OnceUsed) -> State:
    """Mark a shift as used."""
    match event.what:
        case "alaska":
            return _track(state, replace(state.tracks, alaska_penalty_used=True))
        case "hawaii":
            return _track(state, replace(state.tracks, hawaii_penalty_used=True))
        case "resources":
            return _track(state, replace(state.tracks, resource_bonus_used=True))
        case "all-surrendered":
            return _track(state, replace(state.tracks, all_surrendered_penalty=True))
        case "all-recovered":
            return _track(state, replace(state.tracks, all_surrendered_penalty=False))
        case _:
            return _track(state, replace(state.tracks, casualties_turn=state.turn))


def blockade_counted(state: State, event: facts.BlockadeCounted) -> State:
    """Set the blockade counter."""
    return _track(state, replace(state.tracks, blockade_turns=event.turns))


def city_taken(state: State, event: facts.CityTaken) -> State:
    """Note that an intrinsic unit is gone."""
    return _track(state, replace(state.tracks, cities_taken=(*state.tracks.cities_taken, event.at)))


def occupation_scored(state: State, event: facts.OccupationScored) -> State:
    """Note a hex that scores once."""
    return _track(
        state, replace(state.tracks, once_occupied=(*state.tracks.once_occupied, event.at))
    )


def marker_set(state: State, event: facts.MarkerSet) -> State:
    """Set a lasting marker."""
    return _track(state, replace(state.tracks, **{_MARKERS[event.marker]: event.on}))


def tokyo_express_moved(state: State, event: facts.TokyoExpressMoved) -> State:
    """Move the Tokyo Express marker."""
    return _track(state, replace(state.tracks, tokyo_express=event.at))


FOLDS: Final = {
    facts.DieRolled: die_rolled,
    facts.PoliticalWillMoved: political_will_moved,
    facts.WarInEuropeMoved: war_in_europe_moved,
    facts.ChinaFrontMoved: china_front_moved,
    facts.ChinaOffensiveTried: china_offensive_tried,
    facts.DivisionsLeftChina: divisions_left_china,
    facts.IndiaMoved: india_moved,
    facts.NorthIndiaLost: north_india_lost,
    facts.RivalrySet: rivalry_set,
    facts.AspLevelChanged: asp_level_changed,
    facts.AspQuotaFixed: asp_quota_fixed,
    facts.EscortsSet: escorts_set,
    facts.NationSurrendered: nation_surrendered,
    facts.NationRecaptured: nation_recaptured,
    facts.PoolsSet: pools_set,
    facts.JapanPointsSet: japan_points_set,
    facts.UnitArrived: unit_arrived,
    facts.SegmentClosed: segment_closed,
    facts.BombingResolved: bombing_resolved,
    facts.RouteBuilt: route_built,
    facts.HoldsCounted: holds_counted,
    facts.OnceUsed: once_used,
    facts.BlockadeCounted: blockade_counted,
    facts.CityTaken: city_taken,
    facts.OccupationScored: occupation_scored,
    facts.MarkerSet: marker_set,
    facts.TokyoExpressMoved: tokyo_express_moved,
}
