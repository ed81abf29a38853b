"""Raid generation: the launch roll, and the boxes that supply the points (10.1B, 10.1F, 10.1G)."""

from collections.abc import Iterable
from typing import Final

from engine.cbps.clock import current_light, turn_label
from engine.cbps.events.chance import Modifier
from engine.cbps.events.japan import PointsMoved
from engine.cbps.ids import D10, GUAM, JapaneseBox
from engine.cbps.rulings import RAID_THRESHOLD
from engine.cbps.run import Run, chart_modifier
from engine.cbps.scenario_rules import GHOST_SCENARIO
from engine.cbps.state import State

_READY_BOXES: Final[tuple[JapaneseBox, ...]] = ("aall", "a11", "a7", "a3")
"""The boxes that supply the points for a raid, in this order (9.23, OP-34)."""


def raid_range(state: State) -> int | None:
    """Return the maximum range of raids in this turn, or None if raids cannot fly, such as at night (10.1B)."""
    if current_light(state) == "night":
        return None
    return state.game_data.charts.air_raid_generation.turn(turn_label(state)).max_range


def roll_launch(run: Run, subject: str, hexes: int, modifiers: Iterable[Modifier] = ()) -> bool:
    """Roll to determine whether a raid is launched at a target at the given distance (10.1B, OP-65).

    Args:
        run: The command being carried out, in a turn in which raids can fly.
        subject: A force or Guam.
        hexes: Distance to the target.
        modifiers: Modifiers other than those for the turn, the range and Scenario 9.
    """
    chart = run.state.game_data.charts.air_raid_generation
    turn, reach = chart.turn(turn_label(run.state)), chart.range_for(hexes)
    launch_modifiers = [
        Modifier(id="turn", drm=turn.drm, is_assumed=turn.is_assumed),
        Modifier(id="range", drm=reach.drm, is_assumed=reach.is_assumed),
        *modifiers,
    ]
    if run.state.scenario == GHOST_SCENARIO:
        launch_modifiers.append(chart_modifier(chart, "scenario_9"))
    used_modifiers = tuple(modifier for modifier in launch_modifiers if modifier.drm)
    die = run.dice.roll(D10)
    is_launched = die + sum(modifier.drm for modifier in used_modifiers) >= launch_threshold(
        run.state
    )
    run.record_result(
        chart,
        subject,
        "raid" if is_launched else "no raid",
        die,
        used_modifiers,
        is_assumed=chart.launch_at_or_above.is_assumed,
    )
    return is_launched


def launch_threshold(state: State) -> int:
    """Return the minimum total that launches a raid (10.1B, OP-65)."""
    ruled_threshold = RAID_THRESHOLD.value(state.options)
    if ruled_threshold != RAID_THRESHOLD.default:
        return int(ruled_threshold)
    return state.game_data.charts.air_raid_generation.launch_at_or_above.value


def reduced_points(run: Run, subject: str, points: int, lost_points: int) -> int:
    """Return the raid points left after losses. The chart for this needs no die (10.1F)."""
    chart = run.state.game_data.charts.raid_strength_reduction
    points_left = chart.look_up(points, lost_points)
    is_assumed = chart.prov == "assumed"
    run.record_result(
        chart, subject, points_left, column=f"{points} - {lost_points}", is_assumed=is_assumed
    )
    return points_left


def usable_range(state: State, box: str) -> int | None:
    """Return the maximum range of points in a box, or None if points in this box cannot fly (9.12)."""
    for entry in state.game_data.charts.butai_tracks.turnaround:
        if entry.id.lower() == box:
            return entry.usable_range
    return None


def is_usable(state: State, box: JapaneseBox, hexes: int) -> bool:
    """Return whether points in a box can raid a target at the given distance (9.12, 10.1F)."""
    max_range = usable_range(state, box)
    return max_range is not None and max_range >= hexes


def take_points(run: Run, owner: str, hexes: int, points: int, target_box: JapaneseBox) -> None:
    """Move the points of a raid to the raid box: known points within range first, then new points (9.23, OP-34)."""
    points_left = points
    for box in _READY_BOXES:
        if not is_usable(run.state, box, hexes):
            continue
        boxes = run.state.guam.boxes if owner == GUAM else run.state.forces[owner].boxes
        moved_points = min(points_left, boxes.get(box, 0))
        if moved_points:
            run.add(PointsMoved(owner=owner, points=moved_points, source=box, to=target_box))
            points_left -= moved_points
    if points_left:
        run.add(PointsMoved(owner=owner, points=points_left, to=target_box))
