"""Forecasts a mission's flight under a course order: hex, fuel and light in each phase (4.43-4.454, 5.61, 6.41)."""

from collections.abc import Collection, Iterator
from fractions import Fraction
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from engine.cbps.air.ch04_courses import strike_targets
from engine.cbps.air.ch04_fuel import LAST_BOX, can_pay, fuel_cost, mission_units
from engine.cbps.air.ch04_missions import may_fly_second_hex
from engine.cbps.courses.order import SAFE_FUEL, CourseOrder, has_attack_left, is_outbound
from engine.cbps.force_ids import force_with_counter
from engine.cbps.ids import Light
from engine.cbps.locations import nearest_carrier_groups, sea_map
from engine.cbps.planner.chances import die_chances
from engine.cbps.planner.flight import FlightArrival, LandingEstimate, Start, landing_estimate
from engine.cbps.planner.moments import Moment, moment_after, phases_left
from engine.cbps.planner.strikes import SEGMENTS_AFTER_LANDINGS, remaining_moves
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.state import Mission, State
from engine.kernel.chances import Chances
from engine.kernel.memo import Memo

CourseAct: TypeAlias = Literal["launch", "fly", "wait", "attack", "turn", "land"]
_MAX_PHASES: Final = 60
"""Maximum number of phases in a forecast. No mission has enough fuel to reach it."""
_DARKNESS: Final[tuple[Light, ...]] = ("day", "dusk", "night")


class CoursePhase(msgspec.Struct, frozen=True, kw_only=True):
    """A mission's most likely flight in one phase."""

    phases_away: int
    """Number of phases from now. 0 means the current phase."""
    moment: Moment | None
    """The phase's turn and light. None after the end of the scenario."""
    act: CourseAct
    hexes: int
    hex: str
    """The mission's hex at the end of the phase."""
    is_homeward: bool
    least: int
    most: int
    """The lowest and highest fuel at the end of the phase, with the fuel for attacking and landing deducted."""


class CourseForecast(msgspec.Struct, frozen=True, kw_only=True):
    """The predicted result of an order, provided that neither the target nor the carriers move."""

    phases: tuple[CoursePhase, ...]
    target_hex: str
    """The hex of the target, or the hex in which the mission turns home. Empty on the way home."""
    home: str
    """The hex of the carriers on which the mission lands. Empty if no carrier is left."""
    fuel: int
    worst: int
    """The lowest possible fuel after landing. -7 if the mission may be lost on the way."""
    best: int
    latest: Moment | None
    """The latest possible landing."""
    light: Light
    """The darkest possible light on landing."""
    is_late: bool
    """True if the scenario may end before the landing, so that the units are lost (common end of game)."""
    landing: LandingEstimate


_SECOND_HEX: Final = Memo[Chances[int]]()
_FORECASTS: Final = Memo[tuple[CourseForecast | None]](16)


class _Flight(NamedTuple):
    """A mission's progress on its course, and its fuel."""

    hexes_out: int
    """Number of hexes to the target."""
    hexes_back: int
    """Number of hexes to the carriers: from the target or, on the way home, from the mission."""
    fuel: int
    is_outbound: bool
    attacks: bool
    """True if the mission will attack when it reaches its target. It turns home in an empty hex without an attack."""


def second_hex_die(state: State) -> Chances[int]:
    """Return the possible fuel costs of a second hex, with their probabilities (4.432)."""
    charts = state.game_data.charts
    return _SECOND_HEX.get(state, (charts,), lambda: die_chances(charts.second_hex_fuel))


def slow_need(state: State, hexes: int, *, attacks: bool) -> int:
    """Return the fuel needed for the rest of the course at one hex per phase, with no die roll (4.431, 4.433, 5.61)."""
    attack = fuel_cost(state, "air_strike_attack") if attacks else 0
    return hexes * fuel_cost(state, "move_0_or_1_hex") + attack + fuel_cost(state, "land")


def flies_second_hex(
    state: State, fuel: int, hexes: int, min_fuel: int, *, is_outbound: bool, attacks: bool
) -> bool:
    """Return whether a mission can afford a second hex in this segment (4.432).

    Even after the worst die roll, the mission must be able to fly the rest of the course at one hex per phase and land
    with at least the accepted minimum.

    Args:
        state: The position.
        fuel: Fuel after the first hex.
        hexes: Number of hexes left on the course, out and home, including the second hex.
        min_fuel: The lowest fuel after landing that the player accepts.
        is_outbound: True if the mission still has to reach its target.
        attacks: True if the attack is still to come.
    """
    need = max(second_hex_die(state)) + slow_need(state, hexes - 1, attacks=attacks)
    # On the way home, saving time is not worth any fuel risk, so the mission spends only fuel that
    # it can spare.
    floor = min_fuel if is_outbound else max(min_fuel, SAFE_FUEL)
    return may_fly_second_hex(state, fuel) and fuel - need >= floor


def target_hex(state: State, target: str) -> str:
    """Return the hex of a detected target with this counter or name, or an empty string (4.22)."""
    return strike_targets(state).get(force_with_counter(state, target), "")


def goal_hex(state: State, order: CourseOrder) -> str:
    """Return the hex to which an order flies out, or an empty string if its target is no longer detected (4.22)."""
    return order.turning_hex or target_hex(state, order.target)


def darkest(light: Light, other_light: Light) -> Light:
    """Return the darker of two light conditions."""
    return max(light, other_light, key=_DARKNESS.index)


def course_forecast(state: State, order: CourseOrder) -> CourseForecast | None:
    """Return the course that an order will fly, or None if its target or the last carrier is gone."""
    key = (
        *(state.missions, state.units, state.groups, state.ships, state.forces, state.hulls),
        *(state.turn, state.phase, state.segment, order),
    )
    return _FORECASTS.get(state, key, lambda: (_course_forecast(state, order),))[0]


def _course_forecast(state: State, order: CourseOrder) -> CourseForecast | None:
    mission, sea = state.missions[order.mission], sea_map(state)
    outbound = is_outbound(state, order)
    goal = goal_hex(state, order) if outbound else ""
    homes = nearest_carrier_groups(state, goal or mission.hex)
    if not homes or (outbound and not goal):
        return None
    home = state.groups[homes[0]].hex
    flight = _Flight(
        sea.distance(mission.hex, goal) if goal else 0,
        sea.distance(goal or mission.hex, home),
        mission.fuel,
        outbound,
        has_attack_left(state, order),
    )
    pending, start_kind = {flight: Fraction(1)}, remaining_moves(state, order.mission)
    landings: dict[FlightArrival, Fraction] = {}
    rows: list[CoursePhase] = []
    path = _Path(state, mission.hex, goal, home)
    likely_flight: _Flight | None = flight
    is_lost = False
    for number in range(_MAX_PHASES):
        can_land = bool(number) or state.segment not in SEGMENTS_AFTER_LANDINGS
        chances_before, pending = pending, {}
        landed_chances: dict[_Flight, Fraction] = {}
        for old_flight, chance in chances_before.items():
            for new_flight, share in _phase_results(state, old_flight, order.least, start_kind):
                if new_flight.fuel <= -LAST_BOX:
                    is_lost = True
                    continue
                is_home = (
                    not new_flight.is_outbound
                    and not old_flight.is_outbound
                    and not new_flight.hexes_back
                )
                results = landed_chances if is_home and can_land else pending
                results[new_flight] = results.get(new_flight, Fraction(0)) + chance * share
        if likely_flight is not None:
            old_flight, likely_flight = (
                likely_flight,
                _likeliest(state, likely_flight, order.least, start_kind),
            )
            results = {**pending, **landed_chances}
            # If the mission has already moved in the current phase, the rest of the phase gets no
            # row of its own.
            if (
                old_flight != likely_flight
                or likely_flight in landed_chances
                or start_kind != "none"
            ):
                rows.append(
                    path.row(
                        number, (old_flight, likely_flight), results, landed_chances, start_kind
                    )
                )
            if likely_flight in landed_chances or likely_flight not in results:
                likely_flight = None
        for new_flight, chance in landed_chances.items():
            arrival = FlightArrival(number, new_flight.fuel)
            landings[arrival] = landings.get(arrival, Fraction(0)) + chance
        if not pending:
            break
        start_kind = "full"
    return _forecast(state, order, tuple(rows), landings, goal, home, is_lost=is_lost)


def _likeliest(state: State, flight: _Flight, min_fuel: int, start_kind: Start) -> _Flight:
    """Return the most likely position after a phase.

    Of equally likely positions, return the one with the least fuel.
    """
    results = _phase_results(state, flight, min_fuel, start_kind)
    return max(results, key=lambda result: (result[1], -result[0].fuel))[0]


def _phase_results(
    state: State, flight: _Flight, min_fuel: int, start_kind: Start
) -> Iterator[tuple[_Flight, Fraction]]:
    """Yield the possible positions at the end of a phase: after movement and any attack (4.43, 5.61)."""
    for moved_flight, chance in _segment_results(state, flight, min_fuel, start_kind):
        if not moved_flight.is_outbound or moved_flight.hexes_out:
            yield moved_flight, chance
            continue
        if not moved_flight.attacks:
            yield moved_flight._replace(is_outbound=False), chance
            continue
        attack = fuel_cost(state, "air_strike_attack")
        is_paid = can_pay(Mission(kind="strike", fuel=moved_flight.fuel), attack)
        fuel = moved_flight.fuel - attack if is_paid else moved_flight.fuel
        yield moved_flight._replace(fuel=fuel, is_outbound=False, attacks=False), chance


def _segment_results(
    state: State, flight: _Flight, min_fuel: int, start_kind: Start
) -> Iterator[tuple[_Flight, Fraction]]:
    if start_kind == "none":
        yield flight, Fraction(1)
        return
    if start_kind != "second":
        action = "launch_move_1_hex" if start_kind == "launch" else "move_0_or_1_hex"
        is_moving = bool(flight.hexes_out if flight.is_outbound else flight.hexes_back)
        # A mission that makes no launch move pays no fuel for its launch (4.42).
        if start_kind == "launch" and not is_moving:
            yield flight, Fraction(1)
            return
        flight = _advanced(flight, fuel_cost(state, action))
    fuel_left = flight.hexes_out if flight.is_outbound else flight.hexes_back
    if (
        start_kind == "launch"
        or not fuel_left
        or not flies_second_hex(
            state,
            flight.fuel,
            flight.hexes_out + flight.hexes_back,
            min_fuel,
            is_outbound=flight.is_outbound,
            attacks=flight.attacks,
        )
    ):
        yield flight, Fraction(1)
        return
    for points, chance in second_hex_die(state).items():
        yield _advanced(flight, points), chance


def _advanced(flight: _Flight, points: int) -> _Flight:
    """Return a flight after it has paid fuel and moved one hex along its leg.

    Once it has reached the end of the leg, it stays there.
    """
    if flight.is_outbound:
        return flight._replace(hexes_out=max(flight.hexes_out - 1, 0), fuel=flight.fuel - points)
    return flight._replace(hexes_back=max(flight.hexes_back - 1, 0), fuel=flight.fuel - points)


class _Path:
    """Builds the rows of a forecast from the hexes along the course."""

    def __init__(self, state: State, hex: str, target: str, home: str) -> None:
        self._state = state
        self._outward_course = straight_course(state, hex, target) if target else (hex,)
        self._return_course = straight_course(state, target or hex, home)
        self._target = target

    def row(
        self,
        number: int,
        likely_flights: tuple[_Flight, _Flight],
        results: Collection[_Flight],
        landed_flights: Collection[_Flight],
        start_kind: Start,
    ) -> CoursePhase:
        """Return the row for a phase: the most likely move, and the range of fuel over all possible positions."""
        land = fuel_cost(self._state, "land")
        old, new = likely_flights
        is_at_target = old.is_outbound and not new.is_outbound
        hexes = old.hexes_out + old.hexes_back - new.hexes_out - new.hexes_back
        act: CourseAct = "fly" if hexes else "wait"
        if is_at_target:
            act = "attack" if old.attacks else "turn"
        elif new in landed_flights:
            act = "land"
        elif start_kind == "launch":
            act = "launch"
        fuels = [
            flight.fuel - (land if flight in landed_flights else 0) for flight in results or (new,)
        ]
        return CoursePhase(
            phases_away=number,
            moment=moment_after(self._state, number),
            act=act,
            hexes=hexes,
            hex=self._hex(new, is_over_target=is_at_target),
            is_homeward=not old.is_outbound,
            least=max(min(fuels), -LAST_BOX),
            most=max(fuels),
        )

    def _hex(self, flight: _Flight, *, is_over_target: bool) -> str:
        if is_over_target:
            return self._target
        path, left = (
            (self._outward_course, flight.hexes_out)
            if flight.is_outbound
            else (self._return_course, flight.hexes_back)
        )
        return path[max(len(path) - 1 - left, 0)]


def straight_course(state: State, start_hex: str, goal: str) -> tuple[str, ...]:
    """Return the direct path between two hexes, including both. Of tied hexes, the first is used (0)."""
    sea, hexes = sea_map(state), [start_hex]
    while hexes[-1] != goal:
        hexes.append(sea.steps_toward(hexes[-1], goal)[0])
    return tuple(hexes)


def _forecast(
    state: State,
    order: CourseOrder,
    rows: tuple[CoursePhase, ...],
    landings: dict[FlightArrival, Fraction],
    goal: str,
    home: str,
    *,
    is_lost: bool,
) -> CourseForecast:
    land = fuel_cost(state, "land")
    fuels = [arrival.fuel - land for arrival in landings]
    latest_phase = max((arrival.phases for arrival in landings), default=_MAX_PHASES)
    light: Light = "day"
    for arrival in landings:
        moment = moment_after(state, arrival.phases)
        light = darkest(light, "day" if moment is None else moment.light)
    return CourseForecast(
        phases=rows,
        target_hex=goal,
        home=home,
        fuel=state.missions[order.mission].fuel,
        worst=-LAST_BOX if is_lost or not fuels else min(fuels),
        best=max(fuels, default=-LAST_BOX),
        latest=moment_after(state, latest_phase),
        light=light,
        is_late=scenario_rules(state).flies_home and latest_phase > phases_left(state),
        landing=landing_estimate(state, landings, mission_units(state, order.mission)),
    )
