"""Surprise, and Japanese CAP with its combat against a strike (4.53, 5.3, 5.4)."""

from collections.abc import Iterator
from typing import Final

from engine.cbps.air.ch04_air_to_air import (
    ABORT,
    ELIMINATE,
    engaging_fighters,
    japanese_fire,
    japanese_modifiers,
    us_fire,
    us_modifiers,
)
from engine.cbps.air.ch04_fuel import is_fighter, lose_unit, mission_units
from engine.cbps.charts.results import SurpriseWord
from engine.cbps.damage.ch12_hulls import carriers_in_force, net_air_value
from engine.cbps.events.air import MissionFought, UnitAborted
from engine.cbps.events.chance import Modifier
from engine.cbps.events.japan import CapGenerated, CapLost
from engine.cbps.force_ids import counter_of
from engine.cbps.rulings import CAP_AFTER_SURPRISE, ESCORT_MODIFIER
from engine.cbps.run import Run, chart_modifier
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.state import State

_FEW_CARRIERS: Final = 2
"""Maximum number of carriers in a force with the smaller fixed CAP (Scenario 5)."""


# -- the units of a strike


def strike_escorts(state: State, mission: str) -> tuple[str, ...]:
    """Return a strike's fighters (4.21)."""
    return tuple(unit for unit in mission_units(state, mission) if is_fighter(state, unit))


def strike_attackers(state: State, mission: str) -> tuple[str, ...]:
    """Return a strike's attackers that are not aborted (4.21, 5.51)."""
    return tuple(
        unit
        for unit in mission_units(state, mission)
        if not (state.units[unit].is_aborted or is_fighter(state, unit))
    )


def apply_attacker_losses(
    run: Run, mission: str, *, points_lost: int, aborted_count: int, cause: str
) -> None:
    """Eliminate random attackers in a strike, then abort others. Any excess has no effect (4.56, 5.51)."""
    rule = "4.56" if cause == "combat" else "5.51"
    for _ in range(points_lost):
        if attackers := strike_attackers(run.state, mission):
            lose_unit(run, run.pick(attackers, rule, mission), cause)
    for _ in range(aborted_count):
        if attackers := strike_attackers(run.state, mission):
            run.add(UnitAborted(unit=run.pick(attackers, rule, mission)))


# -- surprise and CAP


def roll_surprise(run: Run, force: str) -> SurpriseWord:
    """Roll for surprise against a carrier force, separately for each strike (5.31, 5.32, 5.34)."""
    chart = run.state.game_data.charts.surprise
    return run.roll_on_chart(chart, force, surprise_modifiers(run.state, force))


def surprise_modifiers(state: State, force: str) -> Iterator[Modifier]:
    """Yield the modifiers for surprise against a carrier force (5.31, 5.32)."""
    chart, force_state = state.game_data.charts.surprise, state.forces[force]
    if force_state.has_advantage:
        yield chart_modifier(chart, "us_advantage")
    if not force_state.raids:
        yield chart_modifier(chart, "no_raid_yet")


def cap_against_strike(run: Run, force: str, word: SurpriseWord) -> int:
    """Return the CAP points that meet a strike, generating them for the first strike of the phase (5.41, 5.43)."""
    force_state = run.state.forces[force]
    is_forbidden = run.state.game_data.charts.surprise.effects[word].cap == "none"
    if is_forbidden and (
        force_state.cap is not None or not CAP_AFTER_SURPRISE.uses_alternative(run.state.options)
    ):
        return 0  # OP-14: CAP may still be generated for the next strike on the force
    if force_state.cap is not None:
        return force_state.cap
    # Even 0 points are recorded, so that CAP is generated only once in the phase (5.43).
    points = 0 if is_forbidden else _generate_cap(run, force, word)
    run.add(CapGenerated(force=force, points=points))
    return points


def _generate_cap(run: Run, force: str, word: SurpriseWord) -> int:
    state = run.state
    if scenario_rules(state).is_fixed_strength:
        return fixed_cap(state, force, len(carriers_in_force(state, force)))
    chart = state.game_data.charts.japanese_cap_strength
    modifiers = (chart_modifier(chart, "surprise_partial"),) if word == "partial" else ()
    return run.roll_on_column(chart, net_air_value(state, force), force, modifiers)


def fixed_cap(state: State, force: str, carriers: int) -> int:
    """Return the scenario's CAP for a force with the given number of carriers (5.41: Scenarios 2 and 5)."""
    japan = state.game_data.scenarios[state.scenario].japan
    for placed_force in japan.forces:
        if placed_force.id == counter_of(state, force):
            return placed_force.cap
    assert japan.cap is not None, state.scenario
    return japan.cap.one_or_two if carriers <= _FEW_CARRIERS else japan.cap.three_or_more


# -- combat


def strike_combat(run: Run, mission: str, force: str, cap: int) -> None:
    """Resolve CAP combat against a strike's escorts and attackers (4.53-4.57, 5.42)."""
    if not cap:
        return
    run.add(MissionFought(mission=mission, against=force))
    escorts = len(strike_escorts(run.state, mission))
    # Without escorts, the CAP points count double (4.53).
    if not escorts:
        _fire_at_attackers(run, mission, 2 * cap)
        return
    engaged = min(cap, engaging_fighters(run.state, escorts))  # OP-10
    unengaged_points = cap - engaged
    # Both sides fire before losses take effect (4.54), and excess hits are ignored (4.55).
    points_destroyed = min(
        us_fire(run, escorts, escort_modifiers(run.state, mission), force), engaged
    )
    codes = japanese_fire(run, engaged, japanese_modifiers(run.state, mission), mission)
    if points_destroyed:
        run.add(CapLost(force=force, points=points_destroyed))
    for _ in range(codes.count(ELIMINATE)):
        if escorts_left := strike_escorts(run.state, mission):
            lose_unit(run, run.pick(escorts_left, "4.56", mission), "combat")
    if ABORT in codes and engaged > points_destroyed:
        unengaged_points += 1  # 4.57: a surviving point also joins the fight against the attackers
    if unengaged_points:
        _fire_at_attackers(run, mission, unengaged_points)


def _fire_at_attackers(run: Run, mission: str, points: int) -> None:
    if not strike_attackers(run.state, mission):
        return
    codes = japanese_fire(run, points, japanese_modifiers(run.state, mission), mission)
    apply_attacker_losses(
        run,
        mission,
        points_lost=codes.count(ELIMINATE),
        aborted_count=codes.count(ABORT),
        cause="combat",
    )


def escort_modifiers(state: State, mission: str) -> tuple[Modifier, ...]:
    """Return the modifiers for a strike's escorts that fire at CAP (4.45, 5.42, OP-67)."""
    modifiers = us_modifiers(state, mission, at_fighters=True, is_escort=True)
    if ESCORT_MODIFIER.uses_alternative(state.options):
        return (
            *modifiers,
            chart_modifier(state.game_data.charts.us_air_to_air, "target_is_fighters"),
        )
    return modifiers
