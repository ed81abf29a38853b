"""Planner lines about fighters: raids, their interception, and CAP (4.3, 4.5, 10.2)."""

from collections.abc import Iterator

from engine.cbps.planner.fighters import (
    Interception,
    cap_fuel,
    interception,
    raids_in_hex,
)
from engine.cbps.planner.moments import state_from_view
from engine.cbps.prose.names import display_name, display_names
from engine.cbps.view import CbpsView
from engine.kernel.chances import Chances, format_tenths, percent
from tui.cbps.planner.phrases import Lines
from tui.cbps.wrapping import wrap_lines


def interception_text(interception: Interception) -> Iterator[str]:
    """Yield the expected results of an interception."""
    yield f"  Destroys {format_tenths(interception.destroyed)}, {interception.most_destroyed} at most"
    yield f"  Loses {format_tenths(interception.lost)}, {interception.most_lost} at most"
    yield f"  Stops the raid {percent(interception.stopped)}%"


def interception_lines(view: CbpsView, mission: str, raid: str, width: int) -> Lines:
    """Return lines with the expected results if a mission attacks one raid (4.51-4.57)."""
    state = state_from_view(view)
    if mission not in state.missions or raid not in state.raids:
        return ()
    heading = f"{display_name(mission)} against {display_name(raid)}"
    return wrap_lines((heading, *interception_text(interception(state, mission, raid))), width)


def commit_lines(view: CbpsView, mission: str, width: int) -> Lines:
    """Return lines with the expected results of a mission's attack on each raid in its hex."""
    state = state_from_view(view)
    if mission not in state.missions:
        return ()
    lines = [
        line
        for raid in raids_in_hex(state, mission)
        for line in (
            f"Against {display_name(raid)}",
            *interception_text(interception(state, mission, raid)),
        )
    ]
    return wrap_lines((display_name(mission), *lines), width)


def cap_lines(view: CbpsView, units: tuple[str, ...], width: int) -> Lines:
    """Return the fuel that a CAP of these fighters would have (4.33-4.35)."""
    heading = f"CAP of {display_names(units)}"
    return fuel_lines(heading, cap_fuel(state_from_view(view)), width)


def fuel_lines(heading: str, fuel: Chances[int], width: int) -> Lines:
    """Return a heading and a CAP's possible fuel (4.35)."""
    table = ", ".join(f"{points} ({percent(chance)}%)" for points, chance in fuel.items())
    if len(fuel) > 1 and len(set(fuel.values())) == 1:
        table = f"{min(fuel)} to {max(fuel)}, each as likely"
    return wrap_lines((heading, "In its box it spends no fuel", f"Fuel on the map: {table}"), width)
