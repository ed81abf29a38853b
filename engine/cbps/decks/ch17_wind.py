"""Leeward movement: group markers after US movement, and the wind direction (17)."""

from collections.abc import Mapping
from typing import Final

from engine.cbps.air.ch04_missions import deploy
from engine.cbps.decks.ch06_decks import LEEWARD_MARKER, STATION_MARKER
from engine.cbps.directions import is_downwind
from engine.cbps.events.fleet import GroupMarked
from engine.cbps.events.turns import WindSet
from engine.cbps.ids import Direction
from engine.cbps.locations import carrier_groups
from engine.cbps.rulings import LEEWARD, VARIABLE_WIND, is_on
from engine.cbps.run import Run
from engine.cbps.state import State

_WIND_DIRECTIONS: Final[Mapping[str, Direction]] = {
    "E to W": "W",
    "SE to NW": "NW",
    "NE to SW": "SW",
    "NW to SE": "SE",
    "W to E": "E",
    "SW to NE": "NE",
}
"""The wind direction for each chart result (17.6)."""
_ROLL_AGAIN: Final = "roll_again"


def set_wind(run: Run) -> None:
    """If the variable wind option is used, roll for the wind direction of the whole game (17.6)."""
    if not (is_on(run.state, LEEWARD) and is_on(run.state, VARIABLE_WIND)):
        return
    charts = run.state.game_data.charts
    wind = run.roll_on_chart(charts.wind, "wind")
    if wind == _ROLL_AGAIN:
        wind = run.roll_on_chart(charts.wind_second, "wind")
    run.add(WindSet(wind=_WIND_DIRECTIONS[wind]))


def wind_marker(state: State, heading: Direction | None) -> str:
    """Return the wind marker after a move in a direction (None for no move), or an empty string (17.0, 17.4)."""
    if heading is None:
        return STATION_MARKER
    return LEEWARD_MARKER if is_downwind(heading, state.wind) else ""


def mark_groups(run: Run, headings: Mapping[str, Direction | None]) -> None:
    """Mark the carrier groups at the end of US movement (17.0, 17.1).

    Each group under the TF 58 counter has its own marker (OP-64).

    Args:
        run: The command being carried out.
        headings: Direction in which each group moved. Omitted groups did not move.
    """
    if not is_on(run.state, LEEWARD):
        return
    for name in carrier_groups(run.state):
        marker = wind_marker(run.state, headings.get(name))
        if run.state.groups[name].marker != marker:
            run.add(GroupMarked(group=name, marker=marker))
        deploy_group_cap(run, name)


def deploy_group_cap(run: Run, group: str) -> None:
    """Put all CAP of a group with a Leeward Move marker on the map, and roll for its fuel (17.2)."""
    if run.state.groups[group].marker != LEEWARD_MARKER:
        return
    for mission in tuple(run.state.missions):
        if run.state.missions[mission].cap == group:
            deploy(run, mission)
