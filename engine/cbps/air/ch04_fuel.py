"""Fuel use by US missions, and unit losses (4.15, 4.43, 4.435, 4.44, 4.45)."""

from typing import Final

from engine.cbps.events.air import FuelSpent, MissionEnded, UnitLost
from engine.cbps.events.search import SearchEnded
from engine.cbps.locations import groups_in, unit_hex, units_at
from engine.cbps.run import Run
from engine.cbps.state import Mission, State

LAST_BOX: Final = 7
"""The Fuel Critical box that eliminates a mission (4.454)."""
NO_MARKER: Final = 99
"""The fuel value for units without a fuel marker: CAP in its box, and searches (4.33, 8.21)."""


def mission_units(state: State, mission: str) -> tuple[str, ...]:
    """Return a mission's units in counter order."""
    return units_at(state, "mission", mission)


def is_fighter(state: State, unit: str) -> bool:
    """Return whether a unit is a fighter unit. All other units are attackers (4.21)."""
    return state.game_data.is_fighter(unit)


def endurance(state: State, unit: str) -> int:
    """Return a unit's starting fuel (4.15)."""
    game_data = state.game_data
    return game_data.air_types[game_data.air_units[unit].type].endurance


def fuel_cost(state: State, action: str) -> int:
    """Return the cost of an action, such as ``land``, from the US Fuel Expenditure Summary (4.43)."""
    return state.game_data.charts.us_fuel_expenditure.value(action)


def is_critical(mission: Mission) -> bool:
    """Return whether a mission on the map is Fuel Critical. CAP in its box is never Fuel Critical (4.44)."""
    return not mission.cap and mission.fuel <= 0


def can_pay(mission: Mission, points: int) -> bool:
    """Return whether a mission can pay for an optional action.

    A mission cannot pay a cost that would move its marker to the last box (OP-7).
    """
    return mission.fuel - points > -LAST_BOX


def spend_fuel(run: Run, mission: str, points: int, cause: str) -> None:
    """Deduct fuel from a mission, and eliminate all its units if the marker reaches the last box (4.43-4.454)."""
    run.add(FuelSpent(mission=mission, points=points, why=cause))
    # A mission always pays for movement, even if this eliminates it. Only optional actions check
    # can_pay first (OP-7).
    if run.state.missions[mission].fuel <= -LAST_BOX:
        for unit in mission_units(run.state, mission):
            lose_unit(run, unit, "fuel")


def lose_unit(run: Run, unit: str, cause: str) -> None:
    """Eliminate a unit, recording whether a task group was in its hex.

    End its mission or search if empty (2.26, 15.1).
    """
    state = run.state
    old_unit = state.units[unit]
    is_at_group = bool(groups_in(state, unit_hex(state, unit)))
    run.add(UnitLost(unit=unit, is_at_group=is_at_group, why=cause))
    if old_unit.place == "mission":
        end_if_empty(run, old_unit.at)
    elif old_unit.place == "search" and not units_at(run.state, "search", old_unit.at):
        run.add(SearchEnded(search=old_unit.at))
    elif old_unit.came_from in state.missions and not any(
        unit_state.came_from == old_unit.came_from for unit_state in run.state.units.values()
    ):
        end_if_empty(run, old_unit.came_from)  # no landed unit can return to the mission (4.452)


def end_if_empty(run: Run, mission: str) -> None:
    """Remove a mission that has no units left, which frees its display (4.13)."""
    if not mission_units(run.state, mission):
        run.add(MissionEnded(mission=mission))
