"""Planner lines about fighters: raids, their interception, and CAP (4.3, 4.5, 10.2)."""

from collections.abc import Iterator

from engine.cbps.planner.fighters import (
    Interception,
    cap_fuel,
    interception,
    raid_plan,
    raids_met,
)
from engine.cbps.planner.moments import table_of
from engine.cbps.prose.names import name, names
from engine.cbps.view import CbpsView
from engine.kernel.chances import Chances, percent, tenths
from engine.kernel.sentences import counted, with_word
from tui.cbps.plan_texts import Lines, moment_text
from tui.cbps.wrapping import wrap_lines


def raid_lines(view: CbpsView, raid: str, width: int) -> Lines:
    """Return when a raid arrives and which fighters can intercept it (4.5, 10.2)."""
    state = table_of(view)
    found = state.raids.get(raid)
    if found is None:
        return ()
    plan = raid_plan(state, raid)
    lines = [f"Raid of {name(found.origin)} in {plan.hex}: {counted(found.points, 'point')}"]
    if not plan.goal:
        return wrap_lines((*lines, "Its target is gone"), width)
    lines.append(
        f"{with_word(plan.hexes, 'hex', 'hexes')} from {name(found.target)} in {plan.goal}"
    )
    when = "It is there" if not plan.phases else f"Comes in {moment_text(plan.at)}"
    lines.append(when)
    if not plan.meetings:
        lines.append("No fighters in the air can meet it")
    for met in plan.meetings:
        lines.append(
            f"{name(met.mission)} ({counted(met.units, 'unit')}) in {met.hex},"
            f" {moment_text(met.at)}"
        )
        lines.extend(interception_text(met.interception))
    return wrap_lines(lines, width)


def interception_text(found: Interception) -> Iterator[str]:
    """Yield the expected results of an interception."""
    yield f"  Destroys {tenths(found.destroyed)}, {found.most_destroyed} at most"
    yield f"  Loses {tenths(found.lost)}, {found.most_lost} at most"
    yield f"  Stops the raid {percent(found.stopped)}%"


def interception_lines(view: CbpsView, mission: str, raid: str, width: int) -> Lines:
    """Return the expected results of a mission against one raid (4.51-4.57)."""
    state = table_of(view)
    if mission not in state.missions or raid not in state.raids:
        return ()
    head = f"{name(mission)} against the raid of {name(state.raids[raid].origin)}"
    return wrap_lines((head, *interception_text(interception(state, mission, raid))), width)


def commit_lines(view: CbpsView, mission: str, width: int) -> Lines:
    """Return the expected results of a mission against each raid in its hex."""
    state = table_of(view)
    if mission not in state.missions:
        return ()
    lines = [
        line
        for raid in raids_met(state, mission)
        for line in (
            f"Against the raid of {name(state.raids[raid].origin)}",
            *interception_text(interception(state, mission, raid)),
        )
    ]
    return wrap_lines((name(mission), *lines), width)


def cap_lines(view: CbpsView, units: tuple[str, ...], width: int) -> Lines:
    """Return the fuel that a CAP of these fighters would have (4.33-4.35)."""
    head = f"CAP of {names(units)}"
    return fuel_lines(head, cap_fuel(table_of(view)), width)


def fuel_lines(head: str, fuel: Chances[int], width: int) -> Lines:
    """Return the possible fuel of a CAP, below a heading (4.35)."""
    table = ", ".join(f"{points} ({percent(chance)}%)" for points, chance in fuel.items())
    if len(fuel) > 1 and len(set(fuel.values())) == 1:
        table = f"{min(fuel)} to {max(fuel)}, each as likely"
    return wrap_lines((head, "In its box it spends no fuel", f"Fuel on the map: {table}"), width)
