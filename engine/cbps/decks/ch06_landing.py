"""Landing and Safe Return (4.433, 4.451, 4.452, 6.28, 6.42)."""

from collections.abc import Iterator
from typing import assert_never

from engine.cbps.air.ch04_fuel import LAST_BOX, NO_MARKER, end_if_empty, fuel_cost
from engine.cbps.clock import current_light
from engine.cbps.decks.ch06_decks import (
    NO_SHIP,
    NO_UNIT,
    landing_deck_refusals,
    record_operating_carrier,
)
from engine.cbps.decks.ch22_night import is_night_capable, leaves_play
from engine.cbps.events.air import UnitMoved
from engine.cbps.events.chance import Modifier
from engine.cbps.ids import Light
from engine.cbps.locations import is_lit, ship_hex, unit_hex
from engine.cbps.rulings import DECK_CRASHES, LANDING_POINT, LIT_LANDING, is_on
from engine.cbps.run import Run, chart_modifier
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.seats import commands_carrier, commands_mission, commands_search
from engine.cbps.state import State
from engine.kernel.ids import Refusal, Rule


def commands_unit(state: State, role: str, unit: str) -> bool:
    """Return whether a seat commands an air unit, through the unit's carrier, mission or search."""
    unit_state = state.units[unit]
    match unit_state.place:
        case "mission":
            return commands_mission(state, role, unit_state.at)
        case "search":
            return commands_search(state, role, unit_state.at)
        case "hangar" | "servicing" | "ready" | "landed":
            return commands_carrier(state, role, unit_state.at)
        case "lost" | "lost-at-group" | "gone":
            return False
        case other_case:
            assert_never(other_case)


def landing_refusals(state: State, unit: str, carrier: str) -> Iterator[Refusal]:
    """Yield the reasons why a unit cannot land on a carrier, regardless of who commands it (6.28, 8.28)."""
    if unit_hex(state, unit) != ship_hex(state, carrier):
        yield Refusal(Rule("6.28"), "a unit can land only on a carrier in its hex")
    yield from landing_deck_refusals(state, carrier)


def seat_landing_refusals(state: State, role: str, unit: str, carrier: str) -> Iterator[Refusal]:
    """Yield the reasons why a seat cannot land a unit of a mission or search on a carrier (6.28, 8.28)."""
    if unit not in state.units:
        yield NO_UNIT
        return
    if state.units[unit].place not in {"mission", "search"}:
        yield Refusal(Rule("6.28"), "only a unit in the air can land")
        return
    if not commands_unit(state, role, unit):
        yield Refusal(Rule("6.1"), "this unit is under another commander")
    if carrier not in state.ships:
        yield NO_SHIP
    elif not state.game_data.us_ships[carrier].is_carrier:
        yield Refusal(Rule("6.28"), "a unit can land only on a carrier")
    else:
        yield from landing_refusals(state, unit, carrier)


def landing_fuel(state: State, mission: str) -> int:
    """Return the fuel that a mission's units have left after paying for the landing (4.433, 4.451).

    CAP in its box has no fuel marker and pays nothing (OP-6).
    """
    mission_state = state.missions[mission]
    return (
        NO_MARKER
        if mission_state.cap
        else max(mission_state.fuel - fuel_cost(state, "land"), -LAST_BOX)
    )


def is_critical_landing(state: State, fuel: int) -> bool:
    """Return whether units with this fuel after paying for the landing count as Fuel Critical (4.451)."""
    # OP-66: the fuel for landing is paid before the check
    is_paid_first = not LANDING_POINT.uses_alternative(state.options)
    return fuel <= 0 if is_paid_first else fuel < 0


def is_safe_return_needed(state: State, unit: str, hex: str, fuel: int) -> bool:
    """Return whether a unit landing in a hex must roll Safe Return (4.451, 6.42, 6.432, 22.7).

    Args:
        state: The state when the dice are rolled, including the lights.
        unit: The landing unit.
        hex: The hex in which the unit lands.
        fuel: The unit's fuel after paying for the landing.
    """
    return rolls_safe_return(state, fuel, landing_light(state, unit), is_lit=is_lit(state, hex))


def landing_light(state: State, unit: str) -> Light:
    """Return the light for a landing: ``day`` for a night-capable unit, the current light for others (22.7)."""
    return "day" if is_night_capable(state, unit) else current_light(state)


def rolls_safe_return(state: State, fuel: int, light: Light, *, is_lit: bool) -> bool:
    """Return whether a landing needs a Safe Return roll. For the arguments, see :func:`safe_return_modifiers`."""
    return is_critical_landing(state, fuel) or (light != "day" and not is_lit)


def may_need_safe_return(state: State, fuel: int) -> bool:
    """Return whether a landing may need a Safe Return roll.

    Lights can still change until the rolls are made (6.42, 6.43).
    """
    return is_critical_landing(state, fuel) or current_light(state) != "day"


def land_unit(run: Run, unit: str, carrier: str, fuel_after: int) -> None:
    """Land a unit. If :func:`may_need_safe_return` is true, the unit rolls after all landings in the segment (6.28).

    Landing a mission's last unit ends the mission. Searches end under their own rules (8.28).
    """
    origin = run.state.units[unit]
    record_operating_carrier(run, carrier)
    run.add(UnitMoved(unit=unit, place="landed", at=carrier, why="land"))
    is_open = may_need_safe_return(run.state, fuel_after)
    if not is_open:
        remove_if_finished(run, unit)
    if origin.place == "mission" and not (is_open and is_on(run.state, DECK_CRASHES)):
        end_if_empty(run, origin.at)  # otherwise, units may still return to the mission (4.452)


def remove_if_finished(run: Run, unit: str) -> None:
    """After a safe landing, remove a unit from play if it cannot fly again (4.16, 22.4)."""
    if not scenario_rules(run.state).has_servicing or leaves_play(run.state, unit):
        run.add(UnitMoved(unit=unit, place="gone", why="leave"))


def safe_return_modifiers(
    state: State, fuel: int, light: Light, *, is_lit: bool
) -> Iterator[Modifier]:
    """Yield the modifiers of a Safe Return roll (4.451, 6.42, 6.432).

    Args:
        state: The position, for its charts and rulings.
        fuel: The unit's fuel after paying for the landing, or -7 if it could not be paid.
        light: The light on landing, or ``day`` for a night fighter (22.7).
        is_lit: True if a task group in the hex has its lights on.
    """
    chart = state.game_data.charts.safe_return
    if fuel < 0:
        yield Modifier(id="fuel_critical_box", drm=min(-fuel, LAST_BOX - 1))
    if fuel <= -LAST_BOX:
        yield chart_modifier(chart, "cannot_pay_landing")
    # OP-19: the modifier does not apply in a lit hex
    if light != "day" and (not is_lit or LIT_LANDING.uses_alternative(state.options)):
        yield chart_modifier(chart, light)


def roll_safe_return(run: Run, unit: str, hex: str, fuel: int) -> bool:
    """Roll Safe Return for a unit landing in a hex, and return whether it is safe (4.451).

    Args:
        run: The command being carried out.
        unit: The landing unit.
        hex: The hex in which the unit lands.
        fuel: The unit's fuel after paying for the landing, or -7 if it could not be paid.
    """
    state = run.state
    light, is_hex_lit = landing_light(state, unit), is_lit(state, hex)
    modifiers = safe_return_modifiers(state, fuel, light, is_lit=is_hex_lit)
    return run.roll_on_chart(state.game_data.charts.safe_return, unit, modifiers) == "safe"
