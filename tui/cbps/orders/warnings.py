"""Warnings before orders that are easily given by mistake (4.431, 5.1, 6.28, 6.291)."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec.structs import replace

from engine.cbps.air.ch04_courses import Course, goes_home_by_default
from engine.cbps.air.ch04_fuel import LAST_BOX, fuel_cost
from engine.cbps.commands import Attack, CbpsCommand, Commit, Done, Fly, Land, Overboard
from engine.cbps.damage.ch15_victory import score_lines
from engine.cbps.frames import AirMovementFrame, InterceptFrame, OperationsFrame, SearchChoiceFrame
from engine.cbps.planner.strikes import mission_plan, state_after_step
from engine.cbps.prose.names import display_name, display_names
from engine.cbps.sequence.ch03_sequence import PHASES
from engine.kernel.sentences import pluralise
from tui.cbps.index import Index
from tui.cbps.texts import hex_text, label

_MAX_NAMES: Final = 4
"""Maximum number of units that a warning names one by one."""
_LOW_FUEL: Final = 2
"""A mission should land if it can and has at most this much fuel."""


def confirmation_question(index: Index, order: CbpsCommand, options: Sequence[Any]) -> str:
    """Return a question to ask before carrying out an order; empty if the order needs no confirmation."""
    match order:
        case Overboard():
            return f"{label(index, order)}? It is lost."
        case Fly(mission=mission, hex=hex):
            return _one_way_question(index, mission, hex)
        case Done():
            reasons = list(_unused_options(index, options))
            return f"{' '.join(reasons)} {_end_question(index, order)}" if reasons else ""
        case _:
            return ""


def _one_way_question(index: Index, mission: str, hex: str) -> str:
    """Return a question if a step means that a mission cannot be home when the scenario ends; otherwise empty."""
    waits_now = mission_plan(index.table, mission).end_waits
    waits_after = mission_plan(state_after_step(index.table, mission, hex), mission).end_waits
    if waits_now is None or waits_after is None or waits_now < 0 or waits_after >= 0:
        return ""
    return (
        f"From {hex_text(index, hex)}, {display_name(mission)} cannot be home in time:"
        f" {_end_loss(index, mission)}. Fly there?"
    )


def _end_question(index: Index, order: Done) -> str:
    """Return the question that ends a warning, such as ``End US Air Movement?``."""
    step_text = label(index, order).removeprefix("Done").removeprefix(": ")
    return f"{step_text[:1].upper()}{step_text[1:]}?" if step_text else "End the step?"


def _unused_options(index: Index, options: Sequence[Any]) -> Iterator[str]:
    """Yield sentences about the options that are lost if the player ends the step now."""
    frame = index.view.frames[-1] if index.view.frames else None
    attackers = tuple(
        dict.fromkeys(option.mission for option in options if isinstance(option, Attack))
    )
    if attackers:
        yield f"{display_names(attackers)} {_do_or_does(attackers)} not attack."
    interceptors = tuple(
        dict.fromkeys(option.mission for option in options if isinstance(option, Commit))
    )
    if interceptors and isinstance(frame, InterceptFrame) and not frame.committed:
        raids = [raid for raid in index.view.raids.values() if raid.hex == frame.hexes[0]]
        points = sum(raid.points for raid in raids)
        yield f"Nobody fights the {pluralise(points, 'raid point', 'raid points')} in {frame.hexes[0]}."
    if isinstance(frame, AirMovementFrame):
        yield from _idle_mission_warnings(index)
    if isinstance(frame, OperationsFrame):
        low_missions = tuple(_low_fuel_missions(index, options))
        if low_missions:
            yield f"{display_names(low_missions)} could land and {_do_or_does(low_missions)} not."


def loss(index: Index, order: CbpsCommand, options: Sequence[Any]) -> str:
    """Describe the options lost, and what idle missions do, if a segment ends now; empty if nothing is lost.

    Rules 4.431, 4.435, 4.51 and 8.22 apply.
    """
    if isinstance(order, Overboard):
        return "the unit is lost"
    frame = index.view.frames[-1] if index.view.frames else None
    interceptors = tuple(
        dict.fromkeys(option.mission for option in options if isinstance(option, Commit))
    )
    if isinstance(order, Done) and isinstance(frame, SearchChoiceFrame):
        return _searches_without_segment(index)
    if isinstance(order, Done) and interceptors:
        return f"{display_names(interceptors)} {_do_or_does(interceptors)} not fight"
    if not (isinstance(order, Done) and isinstance(frame, AirMovementFrame)):
        return ""
    homing, waiting_missions = list[str](), list[str]()
    for mission, flight in index.view.missions.items():
        if not (flight.cap or flight.moved or flight.commander != index.view.role):
            is_homing = goes_home_by_default(flight) and bool(
                Course(index.table, mission).step_home()
            )
            (homing if is_homing else waiting_missions).append(mission)
    points = fuel_cost(index.table, "move_0_or_1_hex")
    each_text = " each" if len(waiting_missions) > 1 else ""
    parts = (
        [
            (
                f"{display_names(tuple(waiting_missions))} {_conjugate(waiting_missions, 'wait')} "
                f"for {points} fuel{each_text}"
            )
        ]
        if waiting_missions
        else []
    )
    parts += [f"{display_names(tuple(homing))} {_conjugate(homing, 'turn')} home"] if homing else []
    return ", ".join(parts)


def _searches_without_segment(index: Index) -> str:
    """Describe what happens to airborne searches if the last phase has no Search Segment; otherwise empty (8.22)."""
    searches = len(index.view.searches)
    if not searches or index.view.phase < PHASES:
        return ""
    return pluralise(searches, "search in the air sees nothing", "searches in the air see nothing")


def _conjugate(subjects: Sequence[str], verb: str) -> str:
    return f"{verb}s" if len(subjects) == 1 else verb


def _do_or_does(subjects: Sequence[str]) -> str:
    return "does" if len(subjects) == 1 else "do"


def _idle_mission_warnings(index: Index) -> Iterator[str]:
    """Yield warnings about missions that would waste fuel, run out of it, or fail to get home (4.431, 4.454)."""
    view, table = index.view, index.table
    points = fuel_cost(table, "move_0_or_1_hex")
    for mission, flight in view.missions.items():
        if flight.cap or flight.commander != view.role:
            continue
        fuel_left = flight.fuel - points
        step_home = (
            Course(table, mission).step_home()
            if goes_home_by_default(flight) and not flight.moved
            else ""
        )
        plan = mission_plan(table, mission)
        end_waits, must_stay = (
            plan.end_waits,
            bool(plan.way_home.hexes) and not (step_home or flight.moved),
        )
        # A mission that stays in this phase uses up one of its remaining waiting phases.
        if end_waits is not None and end_waits - must_stay < 0:
            yield _lost_at_end_warning(index, mission, end_waits)
        elif flight.moved:
            continue
        elif fuel_left <= -LAST_BOX:
            yield f"{display_name(mission)} runs out of fuel and is lost."
        elif not step_home and not _is_worth_waiting(index, flight.hex):
            outcome = f"fuel {fuel_left} is left" if fuel_left > 0 else "it is Fuel Critical then"
            yield f"{display_name(mission)} stays in {hex_text(index, flight.hex)} for {points} fuel, {outcome}."


def _lost_at_end_warning(index: Index, mission: str, end_waits: int) -> str:
    """Warn that a mission will not be over a carrier at the end of the scenario (common end of game)."""
    if end_waits < 0:
        return f"{display_name(mission)} cannot be home in time: {_end_loss(index, mission)}."
    return f"{display_name(mission)} must turn home now, or {_end_loss(index, mission)}."


def _end_loss(index: Index, mission: str) -> str:
    """Name the units lost if a mission ends the scenario away from a carrier, and their cost in points (15.1)."""
    units = index.mission_units(mission)
    table = index.table
    lost_units = {unit: replace(table.units[unit], place="lost") for unit in units}
    table_after = replace(table, units={**table.units, **lost_units})
    points = sum(line.points for line in score_lines(table_after)) - sum(
        line.points for line in score_lines(table)
    )
    names = display_names(units) if len(units) <= _MAX_NAMES else f"its {len(units)} units"
    cost = f" ({points:+} VP)" if points else ""
    return f"{names} {'is' if len(units) == 1 else 'are'} lost when the scenario ends{cost}"


def _is_worth_waiting(index: Index, hex: str) -> bool:
    """Return whether a mission may have a reason to wait in a hex: carriers, an enemy, a raid or Guam."""
    view = index.view
    return (
        any(view.groups[group].hex == hex for group in index.carrier_groups())
        or any(force.hex == hex for force in view.forces.values())
        or any(hull.hex == hex for hull in view.hulls.values())
        or any(raid.hex == hex for raid in view.raids.values())
        or hex == index.game_data.map.guam
    )


def _low_fuel_missions(index: Index, options: Sequence[Any]) -> Iterator[str]:
    """Yield the missions that are low on fuel or returning, and that contain a unit able to land."""
    landings = dict.fromkeys(
        index.view.units[option.unit].at for option in options if isinstance(option, Land)
    )
    for mission in landings:
        flight = index.view.missions.get(mission)
        if (
            flight is not None
            and not flight.cap
            and (flight.fuel <= _LOW_FUEL or flight.is_flipped)
        ):
            yield mission
