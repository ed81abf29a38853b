"""The planner panel: shows the likely results of a strike, search, mission or raid before the player decides.

The functions are pure: their results depend only on their arguments. :mod:`engine.cbps.planner` calculates the numbers.
"""

from engine.cbps import commands
from engine.cbps.commands import CbpsCommand
from engine.cbps.planner.moments import state_from_view
from engine.cbps.planner.strikes import launchable_units_in, units_in_flight
from engine.cbps.view import CbpsView
from tui.cbps.planner.order_lines import order_lines
from tui.cbps.planner.phrases import Lines
from tui.cbps.planner.raid_lines import cap_lines, commit_lines, interception_lines
from tui.cbps.planner.search_lines import attempt_lines, join_lines, search_lines, search_plan_lines
from tui.cbps.planner.strike_lines import (
    attack_lines,
    best_target,
    launch_lines,
    mission_lines,
    strike_plan_lines,
)

__all__ = [
    "attack_lines",
    "cap_lines",
    "interception_lines",
    "mission_lines",
    "planner_lines",
    "search_lines",
    "search_plan_lines",
    "strike_from_lines",
    "strike_plan_lines",
]


def planner_lines(view: CbpsView, command: CbpsCommand, width: int, cursor: str = "") -> Lines:
    """Return the plan for an option; empty if the option has nothing to calculate.

    Args:
        view: The player's view.
        command: The highlighted option.
        width: Width of the panel in columns.
        cursor: Hex under the map cursor. A strike about to be launched targets the detected force there.
    """
    match command:
        case commands.Launch(unit=unit) | commands.Cap(unit=unit) if _is_airborne(view, unit):
            return mission_lines(view, view.units[unit].at, width)
        case commands.Launch(unit=unit, mission=mission):
            return launch_lines(view, unit, mission, width, cursor)
        case commands.Cap(unit=unit, mission=mission):
            return cap_lines(view, (*units_in_flight(state_from_view(view), mission), unit), width)
        case commands.Fly(mission=mission, hex=hex):
            return mission_lines(view, mission, width, hex)
        case commands.Station(name=mission, hex=hex) if mission in view.missions:
            return attack_lines(view, mission, best_target(view, hex), width)
        case commands.Hold(mission=mission) | commands.Deploy(mission=mission):
            return mission_lines(view, mission, width)
        case commands.Attack(mission=mission, target=target):
            return attack_lines(view, mission, target, width)
        case commands.Intercept(mission=mission, raid=raid):
            return interception_lines(view, mission, raid, width)
        case commands.Commit(mission=mission):
            return commit_lines(view, mission, width)
        case _:
            return _search_lines(view, command, width)


def _is_airborne(view: CbpsView, unit: str) -> bool:
    """Return whether a unit has been launched. A launch order stays highlighted after the player has ticked it."""
    return view.units[unit].at in view.missions or view.units[unit].at in view.searches


def _search_lines(view: CbpsView, command: CbpsCommand, width: int) -> Lines:
    match command:
        case (
            commands.SearchOut(unit=unit)
            | commands.SearchLong(unit=unit)
            | commands.SearchNarrow(unit=unit)
            | commands.JoinSearch(unit=unit)
        ) if _is_airborne(view, unit):
            return search_lines(view, view.units[unit].at, width)
        case commands.SearchOut(unit=unit, bearing=bearing):
            return search_plan_lines(view, (unit,), width, bearing=bearing)
        case commands.SearchLong(unit=unit, bearing=bearing):
            return search_plan_lines(view, (unit,), width, kind="long", bearing=bearing)
        case commands.SearchNarrow(unit=unit, hex=hex):
            return search_plan_lines(view, (unit,), width, kind="narrow", radius=hex)
        case commands.JoinSearch(unit=unit, search=search):
            return join_lines(view, unit, search, width)
        case commands.Attempt(search=search, force=force):
            return attempt_lines(view, search, force, width)
        case _:
            return order_lines(view, command, width)


def strike_from_lines(view: CbpsView, origin: str, target: str, width: int) -> Lines:
    """Return the plan for a strike with all ready units in a hex.

    Args:
        view: The player's view.
        origin: Hex of carriers.
        target: A detected force, a lone crippled ship or Guam, as a name or a hex.
        width: Width of the panel in columns.
    """
    units = launchable_units_in(state_from_view(view), origin)
    if not units:
        return (f"Nothing is ready in {origin}",)
    return strike_plan_lines(view, units, best_target(view, target) or target, width)
