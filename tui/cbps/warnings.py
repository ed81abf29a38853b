"""Warnings before orders that are easily given by mistake (4.431, 5.1, 6.28, 6.291)."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from engine.cbps.air.ch04_courses import Course, goes_home_by_default
from engine.cbps.air.ch04_fuel import LAST_BOX, fuel_cost
from engine.cbps.commands import Attack, CbpsCommand, Commit, Done, Land, Overboard
from engine.cbps.frames import AirMovementFrame, InterceptFrame, OperationsFrame, SearchChoiceFrame
from engine.cbps.planner.strikes import mission_plan
from engine.cbps.prose.names import display_name, display_names
from engine.cbps.sequence.ch03_sequence import PHASES
from engine.kernel.sentences import pluralise
from tui.cbps.index import Index
from tui.cbps.texts import hex_text, label

_LOW_FUEL: Final = 2
"""A mission with this much fuel or less should land if it can."""


def warning(index: Index, order: CbpsCommand, options: Sequence[Any]) -> str:
    """Return a question to ask before carrying out an order; empty if there is none."""
    match order:
        case Overboard():
            return f"{label(index, order)}? It is lost."
        case Done():
            reasons = list(_unused_options(index, options))
            return f"{' '.join(reasons)} {_end_question(index, order)}" if reasons else ""
        case _:
            return ""


def _end_question(index: Index, order: Done) -> str:
    """Return the question that ends a warning, such as ``End US Air Movement?``."""
    what = label(index, order).removeprefix("Done").removeprefix(": ")
    return f"{what[:1].upper()}{what[1:]}?" if what else "End the step?"


def _unused_options(index: Index, options: Sequence[Any]) -> Iterator[str]:
    """Yield sentences about the options that ending the step now would give up."""
    frame = index.view.frames[-1] if index.view.frames else None
    held = tuple(dict.fromkeys(one.mission for one in options if isinstance(one, Attack)))
    if held:
        yield f"{display_names(held)} {_does(held)} not attack."
    free = tuple(dict.fromkeys(one.mission for one in options if isinstance(one, Commit)))
    if free and isinstance(frame, InterceptFrame) and not frame.committed:
        raids = [raid for raid in index.view.raids.values() if raid.hex == frame.hexes[0]]
        points = sum(raid.points for raid in raids)
        yield f"Nobody fights the {pluralise(points, 'raid point', 'raid points')} in {frame.hexes[0]}."
    if isinstance(frame, AirMovementFrame):
        yield from _idle_mission_warnings(index)
    if isinstance(frame, OperationsFrame):
        low = tuple(_low_on_fuel(index, options))
        if low:
            yield f"{display_names(low)} could land and {_does(low)} not."


def loss(index: Index, order: CbpsCommand, options: Sequence[Any]) -> str:
    """Return what ending a segment gives up, or its effect on idle missions (4.431, 4.435, 4.51, 8.22)."""
    frame = index.view.frames[-1] if index.view.frames else None
    free = tuple(dict.fromkeys(one.mission for one in options if isinstance(one, Commit)))
    if isinstance(order, Done) and isinstance(frame, SearchChoiceFrame):
        return _searches_without_segment(index)
    if isinstance(order, Done) and free:
        return f"{display_names(free)} {_does(free)} not fight"
    if not (isinstance(order, Done) and isinstance(frame, AirMovementFrame)):
        return ""
    homing, waiting = list[str](), list[str]()
    for mission, one in index.view.missions.items():
        if not (one.cap or one.moved or one.commander != index.view.role):
            is_homing = goes_home_by_default(one) and bool(Course(index.table, mission).step_home())
            (homing if is_homing else waiting).append(mission)
    points = fuel_cost(index.table, "move_0_or_1_hex")
    each = " each" if len(waiting) > 1 else ""
    parts = (
        [f"{display_names(tuple(waiting))} {_verb(waiting, 'wait')} for {points} fuel{each}"]
        if waiting
        else []
    )
    parts += [f"{display_names(tuple(homing))} {_verb(homing, 'turn')} home"] if homing else []
    return ", ".join(parts)


def _searches_without_segment(index: Index) -> str:
    """Describe what happens to airborne searches if there is no Search Segment in the last phase (8.22)."""
    searches = len(index.view.searches)
    if not searches or index.view.phase < PHASES:
        return ""
    return pluralise(searches, "search in the air sees nothing", "searches in the air see nothing")


def _verb(things: Sequence[str], verb: str) -> str:
    return f"{verb}s" if len(things) == 1 else verb


def _does(things: Sequence[str]) -> str:
    return "does" if len(things) == 1 else "do"


def _idle_mission_warnings(index: Index) -> Iterator[str]:
    """Yield warnings about missions that would waste fuel, run out of it, or fail to get home (4.431, 4.454)."""
    view, table = index.view, index.table
    points = fuel_cost(table, "move_0_or_1_hex")
    for mission, one in view.missions.items():
        if one.cap or one.commander != view.role:
            continue
        left = one.fuel - points
        way = (
            Course(table, mission).step_home()
            if goes_home_by_default(one) and not one.moved
            else ""
        )
        plan = mission_plan(table, mission)
        ends, stays = plan.end_waits, bool(plan.way_home.hexes) and not (way or one.moved)
        if ends is not None and ends - stays < 0:
            yield _lost_at_end(index, mission, ends)
        elif one.moved:
            continue
        elif left <= -LAST_BOX:
            yield f"{display_name(mission)} runs out of fuel and is lost."
        elif not way and not _is_worth_waiting(index, one.hex):
            then = f"fuel {left} is left" if left > 0 else "it is Fuel Critical then"
            yield f"{display_name(mission)} stays in {hex_text(index, one.hex)} for {points} fuel, {then}."


def _lost_at_end(index: Index, mission: str, ends: int) -> str:
    """Return a warning that a mission will not be over a carrier at the end of the scenario (common end of game)."""
    units = pluralise(len(index.mission_units(mission)), "unit is", "units are")
    lost = f"its {units} lost when the scenario ends"
    if ends < 0:
        return f"{display_name(mission)} cannot be home in time: {lost}."
    return f"{display_name(mission)} must turn home now, or {lost}."


def _is_worth_waiting(index: Index, hex: str) -> bool:
    """Return whether there is a reason to wait in a hex: carriers, an enemy or a raid."""
    view = index.view
    return (
        any(view.groups[group].hex == hex for group in index.carrier_groups())
        or any(force.hex == hex for force in view.forces.values())
        or any(hull.hex == hex for hull in view.hulls.values())
        or any(raid.hex == hex for raid in view.raids.values())
        or hex == index.book.map.guam
    )


def _low_on_fuel(index: Index, options: Sequence[Any]) -> Iterator[str]:
    """Yield the missions that are low on fuel or returning and have a unit that could land."""
    landings = dict.fromkeys(
        index.view.units[one.unit].at for one in options if isinstance(one, Land)
    )
    for mission in landings:
        one = index.view.missions.get(mission)
        if one is not None and not one.cap and (one.fuel <= _LOW_FUEL or one.is_flipped):
            yield mission
