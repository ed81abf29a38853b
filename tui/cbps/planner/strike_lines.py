"""Planner lines about strikes and missions in flight: time, fuel, contact, losses and hits (4, 5)."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from engine.cbps.air.ch04_missions import mission_kind
from engine.cbps.ids import GUAM
from engine.cbps.planner.attack import Forecast, forecasts
from engine.cbps.planner.contact import ContactChances, contact_chances, target_hex
from engine.cbps.planner.fighters import cap_fuel
from engine.cbps.planner.flight import LandingEstimate
from engine.cbps.planner.moments import state_from_view
from engine.cbps.planner.strikes import (
    MissionPlan,
    StrikePlan,
    mission_plan,
    onward_plan,
    state_after_step,
    state_with_launch,
    state_with_strike,
    strike_plan,
    targets_by_distance,
)
from engine.cbps.prose.names import display_name, display_names
from engine.cbps.view import CbpsView
from engine.kernel.chances import format_tenths, percent
from engine.kernel.sentences import count_noun, pluralise
from tui.cbps.planner.phrases import Lines, average_and_range, force_text, moment_text, number_range
from tui.cbps.planner.raid_lines import fuel_lines
from tui.cbps.wrapping import wrap_lines

_LOST_AT_END: Final = "Not home when the scenario ends: its units are lost then"
_NO_EFFECT: Final = "An attack on Guam has no effect (OP-12)"

# -- strikes


def strike_plan_lines(
    view: CbpsView, units: tuple[str, ...], target: str, width: int, mission: str = ""
) -> Lines:
    """Return the plan for a strike that has not been launched.

    Args:
        view: The player's view.
        units: Ready units aboard carriers in the same hex.
        target: A detected force, a lone crippled ship or Guam; empty for the nearest target.
        width: Width of the panel in columns.
        mission: The strike to join; empty for a new one.
    """
    table = state_from_view(view)
    planned_target = target or next(iter(targets_by_distance(table)), "")
    state, strike = state_with_strike(table, units, mission)
    if not planned_target:
        plan = mission_plan(state, strike)
        waiting_phases = plan.fuel - plan.land
        text = f"No target is detected: the strike waits near its group, for {waiting_phases} phases at most"
        return wrap_lines((display_names(units), text), width)
    return wrap_lines(_strike_text(view, strike_plan(state, strike, planned_target)), width)


def _strike_text(view: CbpsView, plan: StrikePlan) -> Iterator[str]:
    yield f"Strike on {force_text(view, plan.target)} in {plan.hex}"
    yield f"{count_noun(plan.attackers, 'attacker')}, {count_noun(plan.escorts, 'escort')}"
    yield (
        f"{pluralise(plan.out.hexes, 'hex', 'hexes')} out, {plan.back.hexes} home"
        f"; phases {plan.out.phases} and {plan.back.phases}"
    )
    yield f"Attack: {moment_text(plan.attack_at)}"
    yield _LOST_AT_END if plan.is_lost_at_end else f"Home by: {moment_text(plan.home_at)}"
    yield f"Fuel {plan.fuel}, needs {number_range(plan.min_fuel, plan.expected_fuel, plan.max_fuel)}"
    if not plan.is_lost_at_end:
        yield from _landing_text(plan.landing)
    # Mention a slower speed only if the fuel lasts at that speed but may run out at full speed.
    if plan.slow_fuel < plan.fuel <= plan.max_fuel and not plan.is_lost_at_end:
        slow_arrival = moment_text(plan.slow_home_at)
        yield f"At 1 hex a phase: needs {plan.slow_fuel}, home by {slow_arrival}"
    if plan.contact is not None:
        yield from _contact_text(plan.contact)
    yield from _forecast_texts(plan.forecasts)


def _landing_text(estimate: LandingEstimate) -> Iterator[str]:
    if estimate.critical:
        yield f"Lands Fuel Critical: {percent(estimate.critical)}%"
    if estimate.in_flight:
        yield f"Out of fuel on the way: {percent(estimate.in_flight)}%"
    lights_note = (
        ""
        if estimate.lost == estimate.lost_lit
        else f", {percent(estimate.lost_lit)}% with lights on"
    )
    yield f"Lost on the way home: {percent(estimate.lost)}%{lights_note}"


def _contact_text(chances: ContactChances) -> Iterator[str]:
    first_chances, second = chances.first, chances.second
    drms = "".join(f" {modifier.drm:+d} {modifier.id}" for modifier in chances.modifiers)
    yield f"Contact {percent(first_chances.contact)}% (column {chances.column}{drms})"
    if first_chances.no_contact:
        yield f"Second try for 1 fuel {percent(second.contact)}%, in two {percent(chances.within_two)}%"
    if first_chances.wrong_force:
        yield f"Wrong force {percent(first_chances.wrong_force)}%"


def _forecast_texts(forecasts: tuple[Forecast, ...]) -> Iterator[str]:
    for forecast in forecasts:
        # Only an attack on carriers has a surprise roll, so surprise chances mean that the force
        # has carriers.
        kind = "carriers" if forecast.surprise else "surface ships"
        if forecast.chance < 1:
            yield f"If {kind} ({percent(forecast.chance)}%):"
        if forecast.surprise:
            partial_chance = percent(forecast.surprise.get("partial", Fraction(0)))
            complete_chance = percent(forecast.surprise.get("complete", Fraction(0)))
            yield f"  Surprise: partial {partial_chance}%, complete {complete_chance}%"
            yield f"  CAP {average_and_range(forecast.cap)}"
        yield f"  AA value {average_and_range(forecast.aa)}"
        causes = (
            f" (CAP {format_tenths(forecast.by_cap)}, AA {format_tenths(forecast.by_aa)})"
            if forecast.by_cap
            else ""
        )
        yield f"  Lost {format_tenths(forecast.average_losses)} of {forecast.most_lost} at most{causes}"
        if forecast.aborted:
            yield f"  Turned away {format_tenths(forecast.aborted)}"
        yield f"  Hits {format_tenths(forecast.hits)}, {forecast.most_hits} at most"


def forecast_text(view: CbpsView, mission: str, target: str) -> Iterator[str]:
    """Yield the expected results of a strike that has contacted its target (5.3-5.6)."""
    yield from _forecast_texts(forecasts(state_from_view(view), mission, target))


def attack_lines(view: CbpsView, mission: str, target: str, width: int) -> Lines:
    """Return the expected results of a strike over its target (5.1-5.6)."""
    state = state_from_view(view)
    if mission not in state.missions:
        return ()
    heading = f"{display_name(mission)} on {force_text(view, target)}"
    if target == GUAM:
        return wrap_lines((heading, _NO_EFFECT), width)
    lines = (heading, *_contact_text(contact_chances(state, target)))
    return wrap_lines((*lines, *_forecast_texts(forecasts(state, mission, target))), width)


# -- missions in flight


def mission_lines(view: CbpsView, mission: str, width: int, hex: str = "") -> Lines:
    """Return the lines about a mission's flight home, or about a CAP's possible fuel (4.35, 4.43).

    Args:
        view: The player's view.
        mission: The mission.
        width: Width of the panel in columns.
        hex: The next hex that the mission may enter; empty for its current hex.
    """
    state = state_from_view(view)
    mission_state = state.missions.get(mission)
    if mission_state is None:
        return ()
    if mission_state.cap:
        return fuel_lines(
            f"{display_name(mission)}, CAP of {display_name(mission_state.cap)}",
            cap_fuel(state),
            width,
        )
    if hex:
        state = state_after_step(state, mission, hex)
    plan = mission_plan(state, mission)
    lines = _mission_text(f"{display_name(mission)} in {plan.hex}", plan)
    return wrap_lines((*lines, *_continuation_lines(view, onward_plan(state, mission))), width)


def _continuation_lines(view: CbpsView, plan: StrikePlan | None) -> Iterator[str]:
    """Yield the plan for continuing to the nearest target. If there is no plan, yield nothing."""
    if plan is None:
        return
    yield f"On to {force_text(view, plan.target)} in {plan.hex}:"
    yield f"  Attack: {moment_text(plan.attack_at)}"
    yield f"  {_LOST_AT_END}" if plan.is_lost_at_end else f"  Home by: {moment_text(plan.home_at)}"
    yield f"  Needs {number_range(plan.min_fuel, plan.expected_fuel, plan.max_fuel)}"
    for line in _landing_text(plan.landing) if not plan.is_lost_at_end else ():
        yield f"  {line}"


def _mission_text(heading: str, plan: MissionPlan) -> Iterator[str]:
    yield heading
    if plan.fuel <= 0:
        yield f"Fuel Critical, box {-plan.fuel}"
    if not plan.home:
        yield "No carrier is left to land on"
        return
    min_fuel, max_fuel = plan.way_home.least + plan.land, plan.way_home.most + plan.land
    needs = number_range(min_fuel, plan.way_home.expected + plan.land, max_fuel)
    if plan.way_home.hexes:
        unit_word = pluralise(plan.way_home.hexes, "hex", "hexes")
        yield f"Home is {unit_word} away: fuel {plan.fuel}, needs {needs}"
    else:
        yield f"Over its carriers: fuel {plan.fuel}, landing takes {needs}"
    end_waits = plan.end_waits
    if end_waits is not None and end_waits < 0:
        yield _LOST_AT_END
        return
    yield f"Home by: {moment_text(plan.home_at)}"
    if plan.waits == end_waits and not plan.way_home.hexes:
        yield "Can wait over its carriers until the scenario ends, and lands then"
    elif plan.waits == end_waits:
        yield (
            f"Must turn home in {moment_text(plan.turn_at)}:"
            " a unit that is not over a carrier when the scenario ends is lost"
        )
    elif plan.turn_at is not None:
        wait_text = pluralise(plan.waits, "phase", "phases")
        yield f"Can wait {wait_text}; must turn home in {moment_text(plan.turn_at)}"
    elif plan.waits >= 0:
        yield "Can wait until the scenario ends"
    elif plan.fuel > 0:
        yield "Must turn home now, and may land Fuel Critical"
    yield from _landing_text(plan.landing)


def launch_lines(view: CbpsView, unit: str, mission: str, width: int, cursor: str) -> Lines:
    """Return the plan for launching a unit into a strike or an intercept mission.

    Args:
        view: The player's view.
        unit: A ready unit.
        mission: The mission, which may be a new one.
        width: Width of the panel in columns.
        cursor: Hex under the map cursor. The strike targets the detected force there.
    """
    table = state_from_view(view)
    if mission_kind(mission) == "strike":
        return strike_plan_lines(view, (unit,), best_target(view, cursor), width, mission)
    state, mission_name = state_with_launch(table, (unit,), mission)
    plan = mission_plan(state, mission_name)
    return wrap_lines(_mission_text(f"Intercept with {display_names((unit,))}", plan), width)


def best_target(view: CbpsView, cursor: str) -> str:
    """Return the best detected target in a hex; empty if the hex contains no detected target."""
    state = state_from_view(view)
    targets_in_hex = (
        target for target in targets_by_distance(state) if target_hex(state, target) == cursor
    )
    return next(targets_in_hex, "")
