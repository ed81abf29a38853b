"""Planning for fighters: CAP fuel, raid arrivals, expected results of interceptions (4.3, 4.5, 10.2)."""

from fractions import Fraction
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from engine.cbps.air.ch04_air_to_air import (
    ABORT,
    ELIMINATE,
    fire_effects,
    japanese_modifiers,
    us_modifiers,
)
from engine.cbps.air.ch04_fuel import can_pay, mission_units
from engine.cbps.evolve.folds import evolve
from engine.cbps.frames import InterceptionFrame
from engine.cbps.locations import mission_hex
from engine.cbps.planner.chances import column_chances, die_chances
from engine.cbps.planner.flight import arrivals
from engine.cbps.planner.moments import Moment, moment_after
from engine.cbps.planner.strikes import remaining_moves
from engine.cbps.raids.ch04_interception import combat_cost, min_units_against_escorts, raids_in
from engine.cbps.raids.ch10_flight import goal_hex, move_raid
from engine.cbps.run import Run
from engine.cbps.state import Raid, State
from engine.kernel.chances import Chances, certain, mean, mixture, probability
from engine.kernel.dice import ScriptedDice

_SEGMENTS_AFTER_INTERCEPTS: Final = ("japanese-attack", "us-attack", "end-of-phase")


def cap_fuel(state: State) -> dict[int, Fraction]:
    """Return the probability of each fuel level for a CAP mission that is put on the map (4.35)."""
    return die_chances(state.game_data.charts.interception_fuel_level)


# -- an interception: 4.51-4.57


class Clash(NamedTuple):
    """One possible result of an interception."""

    fighters: int
    """Number of Japanese fighter points destroyed."""
    attackers: int
    units_lost: int
    """Number of US units lost."""


class Interception(msgspec.Struct, frozen=True, kw_only=True):
    """The expected result of an interception."""

    units: int
    destroyed: Fraction
    most_destroyed: int
    lost: Fraction
    most_lost: int
    attackers_left: Fraction
    """Average number of attacker points that get past the interceptors."""
    stopped: Fraction
    """Probability that no attacker is left."""


def interception(
    state: State, mission: str, raid: str, opponents: int | None = None
) -> Interception:
    """Return the expected result of a mission's attack on a raid.

    Args:
        state: The position.
        mission: A fighter mission.
        raid: The raid.
        opponents: Number of units sent against escorts, or None for the minimum (4.52).
    """
    units = len(mission_units(state, mission))
    raid_state = state.raids[raid]
    results = clash_chances(state, mission, raid, opponents)
    fighter_counts = _fighter_counts(state, raid_state)
    attackers = (
        mean(fighter_counts, lambda result: raid_state.points - result)
        if not raid_state.is_split
        else None
    )
    attackers_before = Fraction(raid_state.attackers) if attackers is None else attackers
    return Interception(
        units=units,
        destroyed=mean(results, lambda result: result[1].fighters + result[1].attackers),
        most_destroyed=max(result.fighters + result.attackers for _, result in results),
        lost=mean(results, lambda result: result[1].units_lost),
        most_lost=max(result.units_lost for _, result in results),
        attackers_left=attackers_before - mean(results, lambda result: result[1].attackers),
        stopped=probability(results, lambda result: result[1].attackers >= result[0]),
    )


def clash_chances(
    state: State, mission: str, raid: str, opponents: int | None = None
) -> dict[tuple[int, Clash], Fraction]:
    """Return the probabilities of a fight's results, each with the raid's initial number of attackers (4.52-4.57)."""
    state = _state_in_combat(state, mission)
    raid_state = state.raids[raid]
    units = len(mission_units(state, mission))
    fighter_counts = _fighter_counts(state, raid_state)
    parts = []
    for fighters, chance in fighter_counts.items():
        attackers = raid_state.attackers if raid_state.is_split else raid_state.points - fighters
        raid_met = replace(raid_state, fighters=fighters, attackers=attackers)
        sent_points = (
            min_units_against_escorts(state, units, raid_met) if opponents is None else opponents
        )
        results = _fight_results(
            state, mission, raid_state, (sent_points, units - sent_points), (fighters, attackers)
        )
        parts.append(
            (chance, {(attackers, defenders): share for defenders, share in results.items()})
        )
    return mixture(parts)


def _state_in_combat(state: State, mission: str) -> State:
    """Return the state after a mission has paid for a fight, which may make it Fuel Critical (4.434, 4.51)."""
    mission_state = state.missions[mission]
    is_paid = any(
        isinstance(frame, InterceptionFrame) and frame.mission == mission for frame in state.frames
    )
    # CAP in its box is put on the map first, with enough fuel for a fight (4.35).
    if is_paid or mission_state.cap:
        return state
    paid_state = replace(mission_state, fuel=mission_state.fuel - combat_cost(state))
    return replace(state, missions={**state.missions, mission: paid_state})


def _fighter_counts(state: State, raid: Raid) -> dict[int, Fraction]:
    """Return the probability of each number of fighters in a raid (10.13)."""
    if raid.is_split:
        return certain(raid.fighters)
    chances = column_chances(state.game_data.charts.japanese_escort_fighters, raid.points)
    return mixture((share, certain(min(count, raid.points))) for count, share in chances.items())


def _fight_results(
    state: State, mission: str, raid: Raid, units: tuple[int, int], points: tuple[int, int]
) -> dict[Clash, Fraction]:
    """Return the probability of each result of a fight.

    ``units`` contains the numbers against escorts and against attackers, and ``points`` the raid's fighters and
    attackers.
    """
    charts, is_naval = state.game_data.charts, not raid.is_land
    (against, free), (fighters, attackers) = units, points
    if not fighters:
        return _fire_at_attackers(state, mission, raid, free, attackers, Clash(0, 0, 0))
    own_modifiers = us_modifiers(
        state, mission, at_fighters=True, is_naval=is_naval, is_taking_off=raid.is_taking_off
    )
    their_modifiers = japanese_modifiers(state, mission, is_naval=is_naval)
    parts = []
    for hits, chance in column_chances(charts.us_air_to_air, against, own_modifiers).items():
        fighters_killed = min(hits, fighters)
        for code, part in column_chances(
            charts.japanese_air_to_air, fighters, their_modifiers
        ).items():
            attackers_lost = min(fire_effects(code).count(ELIMINATE), against)
            partial_clash = Clash(fighters_killed, 0, attackers_lost)
            weight = chance * part
            if ABORT in fire_effects(code) and fighters_killed < fighters and free:
                one_point = column_chances(charts.japanese_air_to_air, 1, their_modifiers)
                for second, share in one_point.items():
                    fighters_shot = min(fire_effects(second).count(ELIMINATE), free)
                    fighters_firing = (
                        free
                        - fighters_shot
                        - (ABORT in fire_effects(second) and free > fighters_shot)
                    )
                    clash_after = partial_clash._replace(units_lost=attackers_lost + fighters_shot)
                    fight = _fire_at_attackers(
                        state, mission, raid, fighters_firing, attackers, clash_after
                    )
                    parts.append((weight * share, fight))
            else:
                fight = _fire_at_attackers(state, mission, raid, free, attackers, partial_clash)
                parts.append((weight, fight))
    return mixture(parts)


def _fire_at_attackers(
    state: State, mission: str, raid: Raid, firing: int, attackers: int, clash: Clash
) -> dict[Clash, Fraction]:
    if firing <= 0 or not attackers:
        return certain(clash)
    own_modifiers = us_modifiers(
        state,
        mission,
        at_fighters=False,
        is_naval=not raid.is_land,
        is_taking_off=raid.is_taking_off,
    )
    shots: Chances[int] = column_chances(
        state.game_data.charts.us_air_to_air, firing, own_modifiers
    )
    return mixture(
        (share, certain(clash._replace(attackers=min(hits, attackers))))
        for hits, share in shots.items()
    )


def raids_in_hex(state: State, mission: str) -> tuple[str, ...]:
    """Return the raids in a mission's hex (4.51)."""
    return raids_in(state, mission_hex(state, mission))


# -- raids


class Meeting(msgspec.Struct, frozen=True, kw_only=True):
    """The first opportunity for a mission to meet and fight a raid."""

    mission: str
    hex: str
    at: Moment | None
    units: int
    interception: Interception


class RaidPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A raid's path to its target, assuming that the target does not move (10.23)."""

    hex: str
    goal: str
    """Hex of the raid's target, or empty if no target is left and the raid ends (OP-38)."""
    hexes: int
    phases: int
    at: Moment | None
    """Phase of arrival, or None if the scenario ends before it."""
    path: tuple[str, ...]
    """The raid's hex after each Japanese Air Movement Segment, starting with the current phase."""
    meetings: tuple[Meeting, ...]
    """Opportunities for missions to meet the raid, in chronological order."""


def raid_plan(state: State, raid: str) -> RaidPlan:
    """Return a raid's flight plan, with its arrival and the fighters that can meet it on the way."""
    path = [state.raids[raid].hex]
    # Ties between hexes or targets are broken at random. These scripted dice always pick the first.
    run = Run(state, evolve, ScriptedDice())
    move_raid(run, raid)
    while raid in run.state.raids and run.state.raids[raid].hex != path[-1]:
        path.append(run.state.raids[raid].hex)
        move_raid(run, raid)
    goal = goal_hex(run.state, raid) if raid in run.state.raids else ""
    hexes = state.game_data.map.grid.distance(path[0], goal) if goal else 0
    phases = len(path) - 1
    met_raids = [
        meeting
        for name in state.missions
        if (meeting := _first_meeting(state, name, raid, path)) is not None
    ]
    met_raids.sort(
        key=lambda meeting: meeting.at.phases_away if meeting.at is not None else phases + 1
    )
    return RaidPlan(
        hex=path[0],
        goal=goal,
        hexes=hexes,
        phases=phases,
        at=moment_after(state, phases),
        path=tuple(path),
        meetings=tuple(met_raids),
    )


def _first_meeting(state: State, mission: str, raid: str, path: list[str]) -> Meeting | None:
    """Return a mission's first opportunity to meet a raid, or None. CAP in its box stays over its group (4.34)."""
    mission_state = state.missions[mission]
    units = len(mission_units(state, mission))
    is_spent = not mission_state.cap and not can_pay(mission_state, combat_cost(state))
    if mission_state.kind != "intercept" or not units or is_spent:
        return None
    hex, grid = mission_hex(state, mission), state.game_data.map.grid
    for phases, place in enumerate(path):
        if not phases and state.segment in _SEGMENTS_AFTER_INTERCEPTS:
            continue
        if _can_reach(state, mission, grid.distance(hex, place), phases):
            return Meeting(
                mission=mission,
                hex=place,
                at=moment_after(state, phases),
                units=units,
                interception=interception(state, mission, raid),
            )
    return None


def _can_reach(state: State, mission: str, hexes: int, phases: int) -> bool:
    """Return whether a mission can fly a distance within a number of phases (4.41, 4.45, OP-68)."""
    mission_state = state.missions[mission]
    if mission_state.cap or not hexes:
        return not hexes
    reached_flights = arrivals(state, mission_state.fuel, hexes, remaining_moves(state, mission))
    return any(arrival.phases <= phases for arrival in reached_flights)
