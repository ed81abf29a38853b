"""Shuttle raids, which attack and then fly on to Guam (23)."""

from typing import Final

from engine.cbps.events.japan import GuamChanged, PointsMoved
from engine.cbps.events.raids import RaidEnded, RaidTurned
from engine.cbps.ids import GUAM
from engine.cbps.locations import sea_map
from engine.cbps.raids.ch10_flight import has_own_box, raid_box, target_hex
from engine.cbps.rulings import SHUTTLE_RAIDS, is_on
from engine.cbps.run import Run
from engine.cbps.state import State

_RANGE_HEXES: Final = 4
"""Maximum distance between Guam and a shuttle raid's target (23.1)."""


def can_shuttle(state: State, raid: str) -> bool:
    """Return whether a carrier raid may fly on to Guam after its attack (23.1)."""
    raid_state = state.raids[raid]
    return (
        is_on(state, SHUTTLE_RAIDS)
        and raid_state.kind == "raid"
        and not raid_state.is_land
        and _distance_to_guam(state, raid) <= _RANGE_HEXES
    )


def _distance_to_guam(state: State, raid: str) -> int:
    return sea_map(state).distance(state.raids[raid].hex, target_hex(state, GUAM))


def roll_shuttle(run: Run, raid: str) -> bool:
    """Roll for a raid to fly on to Guam after its attack. If it does, redirect it and return True (23.2)."""
    if not can_shuttle(run.state, raid):
        return False
    if run.roll_on_chart(run.state.game_data.charts.guam_shuttle, raid) <= _distance_to_guam(
        run.state, raid
    ):
        return False
    turn_event = RaidTurned(
        raid=raid,
        target=GUAM,
        is_home=True,
        line_from=run.state.raids[raid].hex,
        kind_of="shuttle",
    )
    run.add(turn_event)
    return True


def land_shuttle(run: Run, raid: str) -> None:
    """Land a shuttle raid (23.3).

    The points are added to Guam's Air Value and removed from the force that launched them. They score no VP.
    """
    raid_state = run.state.raids[raid]
    if has_own_box(run.state, raid_state):
        run.add(
            PointsMoved(
                owner=raid_state.origin,
                points=raid_state.points,
                source=raid_box(raid_state.slot),
                to="lost",
                is_free=True,
            )
        )
    run.add(RaidEnded(raid=raid, why="landed"))
    land_on_guam(run, raid_state.points)


def land_on_guam(run: Run, points: int) -> None:
    """Land points that are new to Guam, raising its Air Value (16.2, 23.3)."""
    run.add(GuamChanged(air_value=run.state.guam.air_value + points))
    run.add(PointsMoved(owner=GUAM, points=points, to="landed"))
