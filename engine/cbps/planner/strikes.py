"""Planning for strikes: flight, contact, losses, hits (4.2, 4.4, 5)."""

from fractions import Fraction
from typing import Final

import msgspec
from msgspec.structs import replace

from engine.cbps.air.ch04_courses import GUAM_TARGET, strike_targets
from engine.cbps.air.ch04_fuel import can_pay, endurance, fuel_cost, mission_units
from engine.cbps.air.ch04_missions import display_number, mission_kind
from engine.cbps.decks.ch06_decks import launch_deck_refusals
from engine.cbps.decks.ch06_launch import take_off, unit_refusals
from engine.cbps.evolve.folds import evolve
from engine.cbps.locations import (
    carrier_groups,
    carriers_in,
    nearest_carrier_groups,
    ship_hex,
    units_at,
)
from engine.cbps.planner.attack import Forecast, forecasts
from engine.cbps.planner.contact import ContactChances, contact_chances, target_hex
from engine.cbps.planner.flight import (
    FlightArrival,
    FlightEstimate,
    LandingEstimate,
    Start,
    arrivals,
    fastest_flight,
    landing_estimate,
)
from engine.cbps.planner.moments import Moment, moment_after, phases_left
from engine.cbps.run import Run
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.state import Mission, State
from engine.cbps.strikes.ch05_cap import strike_attackers, strike_escorts
from engine.cbps.strikes.ch05_contact import strike_targets_in
from engine.kernel.dice import ScriptedDice

_NEW_STRIKE: Final = "strike-9"
"""Name of a strike that has not been formed yet. Its number is not in use, because there are eight displays (4.13)."""


SEGMENTS_AFTER_LANDINGS: Final = ("intercept", "japanese-attack", "us-attack", "end-of-phase")
_FULLY_MOVED: Final = 3
"""The value of ``moved`` for a mission that has finished moving in its segment."""


class StrikePlan(msgspec.Struct, frozen=True, kw_only=True):
    """The plan for one strike sortie against one target, from the strike's current hex."""

    target: str
    """Name of a force, a lone crippled ship or Guam."""
    origin: str
    hex: str
    """The hex of the target."""
    home: str
    """The hex of the nearest carriers, or empty if no carrier is left."""
    units: tuple[str, ...]
    escorts: int
    attackers: int
    fuel: int
    """Fuel at the start of the plan."""
    out: FlightEstimate
    back: FlightEstimate
    acts: int
    """Fuel for the attack and the landing (4.433, 5.61)."""
    attack_at: Moment | None
    """Phase of the attack, or None if the scenario ends before it."""
    home_at: Moment | None
    slow_fuel: int
    """Fuel needed at one hex per phase, which avoids the cost of second hexes."""
    slow_home_at: Moment | None
    is_lost_at_end: bool
    """True if the scenario ends before the strike is over its carriers, so its units are lost (common end of game)."""
    landing: LandingEstimate
    contact: ContactChances | None
    """Probabilities of contact, or None for Guam, which cannot be attacked (OP-12)."""
    forecasts: tuple[Forecast, ...]

    @property
    def min_fuel(self) -> int:
        """Return the lowest possible fuel cost of the whole sortie."""
        return self.out.least + self.back.least + self.acts

    @property
    def expected_fuel(self) -> Fraction:
        """Return the expected fuel cost of the whole sortie."""
        return self.out.expected + self.back.expected + self.acts

    @property
    def max_fuel(self) -> int:
        """Return the highest possible fuel cost of the whole sortie, if the mission does not run out of fuel."""
        return self.out.most + self.back.most + self.acts


def targets_by_distance(state: State) -> tuple[str, ...]:
    """Return the possible strike targets (forces and lone crippled ships), sorted by distance from carriers (4.22)."""
    grid = state.game_data.map.grid
    targets = {
        name: hex
        for name, hex in strike_targets(state).items()
        if name in strike_targets_in(state, hex)
    }
    hexes = [state.groups[group].hex for group in carrier_groups(state)]
    return tuple(
        sorted(
            targets,
            key=lambda name: min((grid.distance(targets[name], hex) for hex in hexes), default=0),
        )
    )


def state_with_strike(state: State, units: tuple[str, ...], mission: str = "") -> tuple[State, str]:
    """Return the state after launching units on a strike, and the name of the strike (4.14, 4.15).

    Args:
        state: The position.
        units: Ready units of carriers in one hex.
        mission: The strike to join, or empty for a new one.
    """
    return state_with_launch(state, units, mission or _NEW_STRIKE)


def state_with_launch(state: State, units: tuple[str, ...], mission: str) -> tuple[State, str]:
    """Return the state after launching units on a new or existing mission, and the mission's name (4.14)."""
    name = mission if mission in state.missions or display_number(mission) else _NEW_STRIKE
    ships = [state.ships[state.units[unit].at] for unit in units]
    old_mission = state.missions.get(name)
    fuels = [endurance(state, unit) for unit in units]
    groups = tuple(
        dict.fromkeys(
            (*(old_mission.groups if old_mission else ()), *(ship.group for ship in ships))
        )
    )
    if old_mission is None:
        mission_after = Mission(
            kind="strike" if mission_kind(name) == "strike" else "intercept",
            hex=ship_hex(state, state.units[units[0]].at),
            fuel=min(fuels),
            groups=groups,
            is_fresh=True,
        )
    else:  # a joining unit gets no launch move of its own
        mission_after = replace(old_mission, fuel=min((old_mission.fuel, *fuels)), groups=groups)
    launched_units = {
        unit: replace(state.units[unit], place="mission", at=name, is_aborted=False)
        for unit in units
    }
    table = replace(
        state,
        units={**state.units, **launched_units},
        missions={**state.missions, name: mission_after},
    )
    return table, name


def remaining_moves(state: State, mission: str) -> Start:
    """Return the moves that a mission has left in the current phase (4.41, 4.42)."""
    mission_state = state.missions[mission]
    if mission_state.is_fresh:
        return "launch"
    if state.segment in ("", "japanese-air-movement", "activation"):
        return "full"
    if state.segment == "us-air-movement" and not mission_state.moved:
        return "full"
    return "second" if state.segment == "us-air-movement" and mission_state.moved == 1 else "none"


def strike_plan(state: State, mission: str, target: str) -> StrikePlan:
    """Return the plan for a strike on the map, including one placed there by :func:`state_with_strike`.

    The strike flies to its target, attacks at once and returns to the nearest carriers. The plan assumes that the
    target and the carriers do not move.
    """
    origin_state, units, grid = (
        state.missions[mission],
        mission_units(state, mission),
        state.game_data.map.grid,
    )
    hex = _target_hex(state, target)
    homes = nearest_carrier_groups(state, hex)
    home = state.groups[homes[0]].hex if homes else ""
    way_out = fastest_flight(
        state, grid.distance(origin_state.hex, hex), remaining_moves(state, mission)
    )
    way_home = fastest_flight(state, grid.distance(hex, home) if home else 0)
    arrivals_at_target = arrivals(
        state, origin_state.fuel, way_out.hexes, remaining_moves(state, mission)
    )
    is_attack = target != GUAM_TARGET
    fuel_spent = fuel_cost(state, "air_strike_attack") if is_attack else 0
    at_target = replace(
        origin_state,
        fuel=max(
            origin_state.fuel - int(way_out.expected),
            min_fuel(arrivals_at_target, origin_state.fuel),
        ),
    )
    state_at_target = replace(state, missions={**state.missions, mission: at_target})
    return StrikePlan(
        target=target,
        origin=origin_state.hex,
        hex=hex,
        home=home,
        units=units,
        escorts=len(strike_escorts(state, mission)),
        attackers=len(strike_attackers(state, mission)),
        fuel=origin_state.fuel,
        out=way_out,
        back=way_home,
        acts=fuel_spent + fuel_cost(state, "land"),
        attack_at=moment_after(state, way_out.phases),
        home_at=moment_after(state, way_out.phases + way_home.phases),
        slow_fuel=(way_out.hexes + way_home.hexes) * fuel_cost(state, "move_0_or_1_hex")
        + fuel_spent
        + fuel_cost(state, "land"),
        slow_home_at=moment_after(
            state, way_out.hexes + way_home.hexes - _hexes_at_launch(state, mission)
        ),
        is_lost_at_end=scenario_rules(state).flies_home
        and way_out.phases + way_home.phases > phases_left(state),
        landing=landing_estimate(
            state, _arrivals_home(state, arrivals_at_target, way_home.hexes, fuel_spent), units
        ),
        contact=contact_chances(state, target) if is_attack else None,
        forecasts=forecasts(state_at_target, mission, target) if is_attack else (),
    )


def _hexes_at_launch(state: State, mission: str) -> int:
    """Return 1 if a mission can still move in this phase, otherwise 0 (4.42)."""
    return 0 if remaining_moves(state, mission) == "none" else 1


def min_fuel(chance_by_arrival: dict[FlightArrival, Fraction], default: int) -> int:
    """Return the lowest fuel among possible arrivals, or a default if there are none."""
    return min((arrival.fuel for arrival in chance_by_arrival), default=default)


def _target_hex(state: State, target: str) -> str:
    if target == GUAM_TARGET:
        return state.game_data.map.guam
    return state.forces[target].hex if target in state.forces else state.hulls[target].hex


def _arrivals_home(
    state: State, arrivals_at_target: dict[FlightArrival, Fraction], hexes: int, fuel_spent: int
) -> dict[FlightArrival, Fraction]:
    """Return a strike's possible arrivals at home after an attack, with their probabilities (5.61)."""
    chances: dict[FlightArrival, Fraction] = {}
    for (phases, fuel), chance in arrivals_at_target.items():
        is_paid = can_pay(Mission(kind="strike", fuel=fuel), fuel_spent)
        for arrival, share in arrivals(
            state, fuel - fuel_spent if is_paid else fuel, hexes
        ).items():
            home = FlightArrival(phases + arrival.phases, arrival.fuel)
            chances[home] = chances.get(home, Fraction(0)) + chance * share
    return chances


# -- a mission in flight


class MissionPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The plan for the return flight of a mission on the map (4.431-4.451)."""

    hex: str
    home: str
    """The hex of the nearest carriers, or empty if no carrier is left."""
    fuel: int
    way_home: FlightEstimate
    land: int
    """Fuel for the landing, plus fuel for waiting if the mission can land only in the next phase."""
    home_at: Moment | None
    """Phase of return on the fastest flight, or None if the scenario ends before it."""
    landing: LandingEstimate
    waits: int
    """Number of phases by which the mission can delay its return and still land with fuel left.

    Negative if too late.
    """
    turn_at: Moment | None
    """Last phase in which the mission can turn back and is sure to land with fuel left. None if it is too late."""
    end_waits: int | None
    """Number of phases that the mission can wait and still reach its carriers before the scenario ends.

    Negative if it is too late. None if aircraft in flight at the end are not lost (common end of game).
    """


def mission_plan(state: State, mission: str) -> MissionPlan:
    """Return the plan for a mission's return flight."""
    mission_state, grid = state.missions[mission], state.game_data.map.grid
    homes = nearest_carrier_groups(state, mission_state.hex)
    home = state.groups[homes[0]].hex if homes else mission_state.hex
    start_kind = remaining_moves(state, mission)
    hexes = grid.distance(mission_state.hex, home)
    per_phase = fuel_cost(state, "move_0_or_1_hex")
    # A mission over its carriers lands in the next phase if this phase's landings are over (3.1).
    phases_lost = 1 if not hexes and state.segment in SEGMENTS_AFTER_LANDINGS else 0
    way_home = fastest_flight(state, hexes, start_kind)
    land = fuel_cost(state, "land") + phases_lost * per_phase
    arrivals_over = arrivals(state, mission_state.fuel - phases_lost * per_phase, hexes, start_kind)
    arrivals_at_target = {
        FlightArrival(arrival.phases + phases_lost, arrival.fuel): chance
        for arrival, chance in arrivals_over.items()
    }
    phases_to_wait = (mission_state.fuel - way_home.most - land - 1) // per_phase
    phases_available = phases_left(state)
    end_waits = phases_available - way_home.phases if scenario_rules(state).flies_home else None
    if end_waits is not None:  # at the end of the scenario, a mission lands in its hex or is lost
        phases_lost = min(phases_lost, max(end_waits, 0))
        phases_to_wait = min(phases_to_wait, end_waits)
    first_leg = 0 if start_kind in ("full", "second", "launch") else 1
    return MissionPlan(
        hex=mission_state.hex,
        home=home if homes else "",
        fuel=mission_state.fuel,
        way_home=way_home,
        land=land,
        home_at=moment_after(state, way_home.phases + phases_lost),
        landing=landing_estimate(state, arrivals_at_target, mission_units(state, mission)),
        waits=phases_to_wait,
        turn_at=moment_after(state, first_leg + phases_to_wait) if phases_to_wait >= 0 else None,
        end_waits=end_waits,
    )


def state_after_step(state: State, mission: str, hex: str) -> State:
    """Return the state after a mission moves to a hex, with a second hex at its highest cost (4.42, 4.432)."""
    mission_state = state.missions[mission]
    if mission_state.is_fresh:
        launched = replace(
            mission_state,
            is_fresh=False,
            fuel=mission_state.fuel - fuel_cost(state, "launch_move_1_hex"),
        )
    elif mission_state.moved:
        highest_cost = max(cell.result for cell in state.game_data.charts.second_hex_fuel.cells)
        launched = replace(
            mission_state, moved=_FULLY_MOVED, fuel=mission_state.fuel - highest_cost
        )
    else:
        launched = replace(
            mission_state, moved=1, fuel=mission_state.fuel - fuel_cost(state, "move_0_or_1_hex")
        )
    launched = replace(launched, hex=hex)
    return replace(state, missions={**state.missions, mission: launched})


def onward_plan(state: State, mission: str) -> StrikePlan | None:
    """Return the plan for a strike in flight against its nearest target.

    None for other missions or without a target.
    """
    mission_state, grid = state.missions[mission], state.game_data.map.grid
    targets = targets_by_distance(state)
    if (
        mission_state.kind != "strike"
        or mission_state.cap
        or mission_state.is_flipped
        or not targets
    ):
        return None
    nearest_base = min(
        targets, key=lambda target: grid.distance(mission_state.hex, target_hex(state, target))
    )
    return strike_plan(state, mission, nearest_base)


def units_in_flight(state: State, mission: str) -> tuple[str, ...]:
    """Return a mission's units, or an empty tuple if the mission does not exist yet."""
    return mission_units(state, mission)


def launchable_units_in(state: State, hex: str) -> tuple[str, ...]:
    """Return the ready units in a hex that can be launched together in this phase (6.24)."""
    units: list[str] = []
    # Each unit takes off before the next is checked, because some limits apply to a whole group (17.2, 17.3).
    run = Run(state, evolve, ScriptedDice())
    for carrier in carriers_in(state, hex):
        for unit in units_at(state, "ready", carrier):
            if next(launch_deck_refusals(run.state, carrier), None) is not None:
                break
            if next(unit_refusals(state, unit), None) is None:
                units.append(unit)
                take_off(run, unit, _NEW_STRIKE)
    return tuple(units)
