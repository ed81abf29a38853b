"""How far fuel lasts: ways, what they cost, and where missions become Fuel Critical (4.42-4.45)."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from engine.cbps.ch04_fuel import LAST_BOX, cost
from engine.cbps.ch06_landing import is_critical_landing
from engine.cbps.ch22_night import is_night_capable
from engine.cbps.ids import Light
from engine.cbps.planner.chances import of_cells, of_die
from engine.cbps.planner.moments import moment_in
from engine.cbps.rulings import SECOND_HEX
from engine.cbps.run import drm
from engine.cbps.state import State
from engine.kernel.chances import Chances, chance_of, mean

Start: TypeAlias = Literal["none", "launch", "second", "full"]
"""What may be flown in the present phase: nothing, the launch move, the second hex of the segment, or two hexes."""
_PER_SEGMENT: Final = 2
_ACT: Final[Mapping[Start, str]] = {"launch": "launch_move_1_hex", "full": "move_0_or_1_hex"}
_FIRST: Final[Mapping[Start, int]] = {"none": 0, "launch": 1, "second": 1, "full": _PER_SEGMENT}


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """A way by the shortest time, for a mission that does not run out of fuel on it."""

    hexes: int
    phases: int
    """After how many phases it has been flown; 0 for the present one."""
    least: int
    expected: Fraction
    most: int
    """Fuel (4.431, 4.432)."""


class Arrival(NamedTuple):
    """When a mission has flown a way, and with what fuel; at 0 and below it is Fuel Critical."""

    phases: int
    fuel: int


def way(state: State, hexes: int, start: Start = "none") -> Way:
    """Return what a way costs, two hexes in each segment and the rest at its end (4.431, 4.432)."""
    left = hexes
    fixed = seconds = 0
    if start != "none" and left:
        flown = min(left, _FIRST[start])
        left -= flown
        seconds += start == "second" or flown == _PER_SEGMENT
        fixed += cost(state, _ACT[start]) if start in _ACT else 0
    full, single = divmod(left, _PER_SEGMENT)
    seconds += full
    fixed += (full + single) * cost(state, _ACT["full"])
    second = of_die(state.book.charts.second_hex_fuel)
    return Way(
        hexes=hexes,
        phases=full + single,
        least=fixed + seconds * min(second),
        expected=fixed + seconds * mean(second),
        most=fixed + seconds * max(second),
    )


def arrivals(state: State, fuel: int, hexes: int, start: Start = "none") -> dict[Arrival, Fraction]:
    """Return when a mission has flown a way, and with what fuel; what is missing to 1 is lost on it (4.44-4.454).

    It flies as fast as it can: two hexes in a segment, one when it is Fuel Critical.

    Args:
        state: Position, for its charts and rulings.
        fuel: Its fuel at the start; 0 and below is critical.
        hexes: The way.
        start: What it may still fly in the present phase.
    """
    second = of_die(state.book.charts.second_hex_fuel)
    now: dict[tuple[int, int], Fraction] = {}
    for left, paid, chance in _segment(state, fuel, hexes, start, second):
        now[left, paid] = now.get((left, paid), Fraction(0)) + chance
    found: dict[Arrival, Fraction] = {}
    phases = 0
    while now:
        later: dict[tuple[int, int], Fraction] = {}
        for (left, rest), chance in now.items():
            if rest <= -LAST_BOX:
                continue
            if not left:
                place = Arrival(phases, rest)
                found[place] = found.get(place, Fraction(0)) + chance
                continue
            for further, paid, part in _segment(state, rest, left, "full", second):
                later[further, paid] = later.get((further, paid), Fraction(0)) + chance * part
        now, phases = later, phases + 1
    return found


def _segment(
    state: State, fuel: int, hexes: int, start: Start, second: Chances[int]
) -> list[tuple[int, int, Fraction]]:
    """Return hexes and fuel left after a segment, with their chances."""
    if start == "none" or not hexes:
        return [(hexes, fuel, Fraction(1))]
    left = hexes
    if start != "second":
        left, fuel = left - 1, fuel - cost(state, _ACT[start])
    # OP-68: the first hex is paid before the second is declared
    may_go_on = fuel > 0 or (SECOND_HEX.is_other(state.options) and fuel == 0)
    if start == "launch" or not left or not may_go_on:
        return [(left, fuel, Fraction(1))]
    return [(left - 1, fuel - points, chance) for points, chance in second.items()]


# -- landing: 4.433, 4.451, 6.42


class Landing(msgspec.Struct, frozen=True, kw_only=True):
    """How a mission comes home."""

    critical: Fraction
    """Chance that it lands Fuel Critical."""
    in_flight: Fraction
    """Chance that it is lost on the way (4.454)."""
    lost: Fraction
    """Share of its units that is lost on the way or on landing."""
    lost_lit: Fraction
    """The same with the lights on (6.432)."""


def landing(state: State, home: Chances[Arrival], units: tuple[str, ...]) -> Landing:
    """Return how units come home that arrive with so much fuel; the landing point is paid here (4.433, 4.451)."""
    arrived = sum(home.values(), Fraction(0))
    dark = lit = critical = Fraction(0)
    for (phases, fuel), chance in home.items():
        after = max(fuel - cost(state, "land"), -LAST_BOX)
        if is_critical_landing(state, after):
            critical += chance
        then = moment_in(state, phases)
        light: Light = "day" if then is None else then.light
        lit += chance * lost_on_landing(state, after, "day")
        dark += chance * _lost(state, units, after, light)
    in_flight = 1 - arrived
    return Landing(
        critical=critical, in_flight=in_flight, lost=in_flight + dark, lost_lit=in_flight + lit
    )


def _lost(state: State, units: tuple[str, ...], fuel: int, light: Light) -> Fraction:
    """Return the share of units that is lost on landing; night fighters see by night (22.7)."""
    others = lost_on_landing(state, fuel, light)
    able = sum(is_night_capable(state, unit) for unit in units)
    if not able:
        return others
    return others + Fraction(able, len(units)) * (lost_on_landing(state, fuel, "day") - others)


def lost_on_landing(state: State, fuel: int, light: Light) -> Fraction:
    """Return the chance to lose a unit on landing (4.451, 6.42).

    Args:
        state: Position, for its charts and rulings.
        fuel: Less the landing point; -7 where that could not be paid.
        light: ``day`` also stands for a lit hex and for night fighters.
    """
    if not is_critical_landing(state, fuel) and light == "day":
        return Fraction(0)
    chart = state.book.charts.safe_return
    total = min(max(-fuel, 0), LAST_BOX - 1)
    if fuel <= -LAST_BOX:
        total += drm(chart, "cannot_pay_landing").drm
    if light != "day":
        total += drm(chart, light).drm
    return chance_of(of_cells(chart.at, total), lambda word: word != "safe")
