"""Planner lines about searches: the hexes that they cover in each turn (8.2)."""

from collections.abc import Iterator

from engine.cbps.ids import SearchKind
from engine.cbps.planner.chances import die_chances
from engine.cbps.planner.moments import state_from_view
from engine.cbps.planner.searches import (
    SearchLeg,
    SearchPlan,
    level_rise_chance,
    location_chance,
    planned_search,
    search_plan,
    search_units,
    sighting_chance,
)
from engine.cbps.prose.names import display_name, display_names
from engine.cbps.search.ch08_attempts import attempt_modifiers
from engine.cbps.view import CbpsView
from engine.kernel.chances import percent
from tui.cbps.planner.phrases import LIGHT_PHRASES, Lines, force_text
from tui.cbps.wrapping import wrap_lines


def search_plan_lines(
    view: CbpsView,
    units: tuple[str, ...],
    width: int,
    *,
    kind: SearchKind = "standard",
    bearing: int = 0,
    radius: str = "",
) -> Lines:
    """Return the lines about a planned search: its coverage in each turn and its return time (8.2).

    Args:
        view: The player's view.
        units: One or two ready units aboard carriers in the same hex.
        width: Width of the panel in columns.
        kind: ``standard``, ``narrow`` or ``long``.
        bearing: Direction in degrees, for standard and long searches.
        radius: Hex of the Max Radius marker, for narrow searches.
    """
    state = state_from_view(view)
    search = planned_search(state, units, kind, bearing=bearing, radius=radius)
    return wrap_lines(_search_plan_text(view, search_plan(state, search, units)), width)


def search_lines(view: CbpsView, search: str, width: int) -> Lines:
    """Return the lines about the area that a search in flight has yet to cover."""
    state = state_from_view(view)
    if search not in state.searches:
        return ()
    units = search_units(state, search)
    return wrap_lines(
        _search_plan_text(view, search_plan(state, state.searches[search], units, search)), width
    )


def attempt_lines(view: CbpsView, search: str, force: str, width: int) -> Lines:
    """Return lines about a search's chances of contacting forces, and the area still to be covered (8.34)."""
    state = state_from_view(view)
    if search not in state.searches or force not in state.forces:
        return ()
    modifiers = attempt_modifiers(state, search, force)
    chances = die_chances(state.game_data.charts.air_search, modifiers)
    drm = sum(modifier.drm for modifier in modifiers)
    current_lines = (
        f"{display_name(search)} looks for {force_text(view, force)}, {drm:+d}:"
        f" found {percent(sighting_chance(chances))}%, located {percent(location_chance(chances))}%,"
        f" more known {percent(level_rise_chance(chances))}%"
    )
    return (*wrap_lines((current_lines, "Later:"), width), *search_lines(view, search, width))


def _search_plan_text(view: CbpsView, plan: SearchPlan) -> Iterator[str]:
    direction = plan.radius if plan.kind == "narrow" else f"{plan.bearing} degrees"
    yield f"{plan.kind.capitalize()} search from {plan.origin}, {direction}"
    yield display_names(plan.units)
    for leg in plan.legs:
        yield _leg_text(leg)
    if not plan.legs or not plan.is_home:
        yield "Not home when the scenario ends: its units are lost then"
    else:
        last_leg = plan.legs[-1]
        yield f"Home by: {last_leg.time}, {_lights_text(last_leg)}"
    for sighting in plan.sightings:
        turns = " and ".join(plan.legs[index].time for index in sighting.legs)
        yield (
            f"{force_text(view, sighting.force)}: {turns}, found {percent(sighting.found)}%,"
            f" located {percent(sighting.located)}%"
        )


def _lights_text(leg: SearchLeg) -> str:
    return " or ".join(LIGHT_PHRASES[light] for light in leg.lights)


def _leg_text(leg: SearchLeg) -> str:
    return_note = " home" if leg.is_back else ""
    start_text = f"{leg.time} to {leg.hex}{return_note}"
    if not leg.hexes:
        return f"{start_text}: covers nothing"
    zone = f"{leg.zone} zone, " if leg.zone else ""
    coverage = f"{start_text}: {zone}{len(leg.hexes)} hexes"
    if not leg.chances:
        return f"{coverage}, blind by night"
    drm = sum(modifier.drm for modifier in leg.modifiers)
    return (
        f"{coverage}, {drm:+d}: found {percent(sighting_chance(leg.chances))}%,"
        f" located {percent(location_chance(leg.chances))}%, more known {percent(level_rise_chance(leg.chances))}%"
    )


def join_lines(view: CbpsView, unit: str, search: str, width: int) -> Lines:
    """Return the coverage of a newly launched search if this unit joins it (8.27)."""
    state = state_from_view(view)
    search_piece = state.searches.get(search)
    if search_piece is None:
        return ()
    units = (*search_units(state, search), unit)
    return wrap_lines(
        _search_plan_text(view, search_plan(state, search_piece, units, search)), width
    )
