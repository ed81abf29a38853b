"""Flight planning: routes, their fuel costs, and when missions become Fuel Critical (4.42-4.45)."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from engine.cbps.air.ch04_fuel import LAST_BOX, fuel_cost
from engine.cbps.air.ch04_missions import may_fly_second_hex
from engine.cbps.decks.ch06_landing import (
    is_critical_landing,
    rolls_safe_return,
    safe_return_modifiers,
)
from engine.cbps.decks.ch22_night import is_night_capable
from engine.cbps.ids import Light
from engine.cbps.planner.chances import die_chances
from engine.cbps.planner.moments import moment_after
from engine.cbps.state import State
from engine.kernel.chances import Chances, mean, probability

Start: TypeAlias = Literal["none", "launch", "second", "full"]
"""The moves that a mission has left in the current phase: none, a launch move, a second hex, or two hexes."""
_PER_SEGMENT: Final = 2
_FUEL_ACTIONS: Final[Mapping[Start, str]] = {
    "launch": "launch_move_1_hex",
    "full": "move_0_or_1_hex",
}
_FIRST_PHASE_HEXES: Final[Mapping[Start, int]] = {
    "none": 0,
    "launch": 1,
    "second": 1,
    "full": _PER_SEGMENT,
}


class FlightEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """The fastest flight over a distance, for a mission that does not run out of fuel."""

    hexes: int
    phases: int
    """Number of phases until arrival. 0 means the current phase."""
    least: int
    expected: Fraction
    most: int
    """Highest fuel cost. ``least`` is the lowest cost, and ``expected`` is the average (4.431, 4.432)."""


class FlightArrival(NamedTuple):
    """A possible arrival of a mission: phases from now, and fuel left (Fuel Critical at 0 or below)."""

    phases: int
    fuel: int


def fastest_flight(state: State, hexes: int, start_kind: Start = "none") -> FlightEstimate:
    """Return the fastest flight and its cost: two hexes per segment, with any odd hex last (4.431, 4.432)."""
    hexes_left = hexes
    fixed_cost = seconds = 0
    if start_kind != "none" and hexes_left:
        hexes_flown = min(hexes_left, _FIRST_PHASE_HEXES[start_kind])
        hexes_left -= hexes_flown
        seconds += start_kind == "second" or hexes_flown == _PER_SEGMENT
        fixed_cost += (
            fuel_cost(state, _FUEL_ACTIONS[start_kind]) if start_kind in _FUEL_ACTIONS else 0
        )
    full_segments, single = divmod(hexes_left, _PER_SEGMENT)
    seconds += full_segments
    fixed_cost += (full_segments + single) * fuel_cost(state, _FUEL_ACTIONS["full"])
    second = die_chances(state.game_data.charts.second_hex_fuel)
    return FlightEstimate(
        hexes=hexes,
        phases=full_segments + single,
        least=fixed_cost + seconds * min(second),
        expected=fixed_cost + seconds * mean(second),
        most=fixed_cost + seconds * max(second),
    )


def arrivals(
    state: State, fuel: int, hexes: int, start_kind: Start = "none"
) -> dict[FlightArrival, Fraction]:
    """Return a mission's possible arrivals with their probabilities.

    The probabilities add up to less than 1 if the mission may be lost on the way (4.44-4.454).

    The mission flies at full speed: two hexes per segment, or one if it is Fuel Critical.

    Args:
        state: The position, for its charts and rulings.
        fuel: Fuel at the start. The mission is Fuel Critical at 0 or below.
        hexes: Distance to fly.
        start_kind: The moves left in the current phase.
    """
    second = die_chances(state.game_data.charts.second_hex_fuel)
    pending: dict[tuple[int, int], Fraction] = {}
    for remaining, fuel_paid, chance in _segment_results(state, fuel, hexes, start_kind, second):
        pending[remaining, fuel_paid] = pending.get((remaining, fuel_paid), Fraction(0)) + chance
    chances: dict[FlightArrival, Fraction] = {}
    phases = 0
    while pending:
        later_chances: dict[tuple[int, int], Fraction] = {}
        for (remaining, fuel_rest), chance in pending.items():
            if fuel_rest <= -LAST_BOX:
                continue
            if not remaining:
                place = FlightArrival(phases, fuel_rest)
                chances[place] = chances.get(place, Fraction(0)) + chance
                continue
            for fuel_left, fuel_paid, share in _segment_results(
                state, fuel_rest, remaining, "full", second
            ):
                later_chances[fuel_left, fuel_paid] = (
                    later_chances.get((fuel_left, fuel_paid), Fraction(0)) + chance * share
                )
        pending, phases = later_chances, phases + 1
    return chances


def _segment_results(
    state: State, fuel: int, hexes: int, start_kind: Start, second_chances: Chances[int]
) -> list[tuple[int, int, Fraction]]:
    """Return the possible numbers of hexes and fuel points left after a segment, with their probabilities."""
    if start_kind == "none" or not hexes:
        return [(hexes, fuel, Fraction(1))]
    hexes_left = hexes
    if start_kind != "second":
        hexes_left, fuel = hexes_left - 1, fuel - fuel_cost(state, _FUEL_ACTIONS[start_kind])
    if start_kind == "launch" or not hexes_left or not may_fly_second_hex(state, fuel):
        return [(hexes_left, fuel, Fraction(1))]
    return [(hexes_left - 1, fuel - points, chance) for points, chance in second_chances.items()]


# -- landing: 4.433, 4.451, 6.42


class LandingEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """The expected outcome of a mission's landing."""

    critical: Fraction
    """Probability of landing Fuel Critical."""
    in_flight: Fraction
    """Probability of being lost in flight (4.454)."""
    lost: Fraction
    """Expected share of the mission's units lost in flight or on landing."""
    lost_lit: Fraction
    """Expected share of the mission's units lost if the lights are on (6.432)."""


def landing_estimate(
    state: State, home: Chances[FlightArrival], units: tuple[str, ...]
) -> LandingEstimate:
    """Return the expected landing outcome of arrivals. Their fuel does not yet include the cost of landing (4.433)."""
    arrival_chance = sum(home.values(), Fraction(0))
    dark_chance = lit_chance = critical_chance = Fraction(0)
    for (phases, fuel), chance in home.items():
        fuel_after = max(fuel - fuel_cost(state, "land"), -LAST_BOX)
        if is_critical_landing(state, fuel_after):
            critical_chance += chance
        landing_time = moment_after(state, phases)
        light: Light = "day" if landing_time is None else landing_time.light
        lit_chance += chance * _share_lost(state, units, fuel_after, light, is_lit=True)
        dark_chance += chance * _share_lost(state, units, fuel_after, light, is_lit=False)
    in_flight = 1 - arrival_chance
    return LandingEstimate(
        critical=critical_chance,
        in_flight=in_flight,
        lost=in_flight + dark_chance,
        lost_lit=in_flight + lit_chance,
    )


def _share_lost(
    state: State, units: tuple[str, ...], fuel: int, light: Light, *, is_lit: bool
) -> Fraction:
    """Return the expected share of units lost on landing. Night fighters land as if by day (22.7)."""
    other_loss = landing_loss_chance(state, fuel, light, is_lit=is_lit)
    night_capable = sum(is_night_capable(state, unit) for unit in units)
    if not night_capable:
        return other_loss
    return other_loss + Fraction(night_capable, len(units)) * (
        landing_loss_chance(state, fuel, "day") - other_loss
    )


def landing_loss_chance(state: State, fuel: int, light: Light, *, is_lit: bool = False) -> Fraction:
    """Return the probability of losing a unit on landing (4.451, 6.42).

    Args:
        state: The position, for its charts and rulings.
        fuel: Fuel after paying for the landing, or -7 if it could not be paid.
        light: The light on landing. Use ``day`` also for a night fighter.
        is_lit: True if a task group in the hex has its lights on (6.432).
    """
    if not rolls_safe_return(state, fuel, light, is_lit=is_lit):
        return Fraction(0)
    modifiers = safe_return_modifiers(state, fuel, light, is_lit=is_lit)
    results = die_chances(state.game_data.charts.safe_return, modifiers)
    return probability(results, lambda word: word != "safe")
