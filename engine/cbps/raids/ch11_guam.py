"""Raids from Guam, which never change Guam's Air Value (11.2, 11.21)."""

from collections.abc import Iterator
from typing import Final

from engine.cbps.events.chance import Modifier
from engine.cbps.events.japan import BoxesShifted, PointsMoved
from engine.cbps.events.raids import RaidEnded, RaidPlaced
from engine.cbps.ids import GUAM, JapaneseBox
from engine.cbps.locations import sea_map
from engine.cbps.raids.ch10_flight import new_raid_id, place_raid, raid_box, raid_target, target_hex
from engine.cbps.raids.ch10_generation import (
    raid_range,
    reduced_points,
    roll_launch,
    take_points,
    usable_range,
)
from engine.cbps.rulings import GUAM_NO_OP, GUAM_REDUCTION
from engine.cbps.run import Run, chart_modifier
from engine.cbps.state import State

_AWAY_BOXES: Final[tuple[JapaneseBox, ...]] = ("lost", "landed", "s1", "s2")
"""Boxes of Guam with points that cannot raid at any range (11.24)."""
_SHIFTED_BOXES: Final[tuple[JapaneseBox, ...]] = ("landed", "s1", "s2", "a3", "a7", "a11")
_SLOT: Final = "a"


def activate_guam(run: Run) -> None:
    """Resolve Guam's chit: a possible raid, and the shift of its boxes (11.22).

    Nothing happens while a raid from Guam is in progress, not even the shift (11.23, OP-39).
    """
    if not any(raid.origin == GUAM for raid in run.state.raids.values()):
        _send_raid(run)
    elif not GUAM_NO_OP.uses_alternative(run.state.options):
        return
    if any(run.state.guam.boxes.get(box) for box in _SHIFTED_BOXES):
        run.add(BoxesShifted(owner=GUAM))


def _send_raid(run: Run) -> None:
    """Send a raid from Guam if range, strength and the roll allow it (11.24-11.27)."""
    max_range = raid_range(run.state)
    start_hex = run.state.game_data.map.guam
    target = raid_target(run, GUAM, start_hex, max_range) if max_range is not None else ""
    if not target:
        return
    hexes = sea_map(run.state).distance(start_hex, target_hex(run.state, target))
    net = net_air_value(run.state, hexes)
    if net < run.state.game_data.charts.constants.value("guam_minimum_air_value"):
        return
    is_watched = has_interceptors_over_guam(run.state)
    if not roll_launch(run, GUAM, hexes, _modifiers(run.state, is_watched=is_watched)):
        return
    # 11.26: always one raid. OP-40: its strength is not reduced.
    chart = run.state.game_data.charts.raid_strength_l3_l4_guam
    waves = run.roll_on_column(chart, net, GUAM)
    points = _points_after_losses(run, sum(waves), run.state.guam.air_value - net)
    if not points:
        return
    take_points(run, GUAM, hexes, points, raid_box(_SLOT))
    if is_watched:
        _place_raid_at_guam(run, target, points)
    else:
        place_raid(
            run,
            origin=GUAM,
            slot=_SLOT,
            start_hex=start_hex,
            target=target,
            waves=(points,),
            is_land=True,
        )


def _points_after_losses(run: Run, points: int, lost_points: int) -> int:
    """Return the points of a raid after losses, which count only under the alternative ruling of OP-40 (11.24)."""
    if not lost_points or not GUAM_REDUCTION.uses_alternative(run.state.options):
        return points
    return reduced_points(run, GUAM, points, lost_points)


def _modifiers(state: State, *, is_watched: bool) -> Iterator[Modifier]:
    if is_watched:
        yield chart_modifier(state.game_data.charts.air_raid_generation, "guam_intercept")


def _place_raid_at_guam(run: Run, target: str, points: int) -> None:
    """Place a raid in the Guam hex itself, because US interceptors are there (11.27)."""
    start_hex = run.state.game_data.map.guam
    run.add(
        RaidPlaced(
            raid=new_raid_id(run.state, GUAM, _SLOT),
            origin=GUAM,
            slot=_SLOT,
            hex=start_hex,
            target=target,
            points=points,
            is_land=True,
            line_from=start_hex,
            is_taking_off=True,
        )
    )


def has_interceptors_over_guam(state: State) -> bool:
    """Return whether an intercept mission is on the map in the Guam hex (11.25-11.27)."""
    guam = state.game_data.map.guam
    return any(
        mission.kind == "intercept" and not mission.cap and mission.hex == guam
        for mission in state.missions.values()
    )


def net_air_value(state: State, hexes: int) -> int:
    """Return Guam's Air Value minus the points that are lost, being serviced or out of range (11.24)."""
    boxes = state.guam.boxes
    return state.guam.air_value - sum(
        points
        for box, points in boxes.items()
        if box in _AWAY_BOXES
        or ((max_range := usable_range(state, box)) is not None and max_range < hexes)
    )


def land_returning_raid(run: Run, raid: str) -> None:
    """Land a raid returning to Guam (11.29)."""
    raid_state = run.state.raids[raid]
    source = raid_box(_SLOT)
    run.add(PointsMoved(owner=GUAM, points=raid_state.points, source=source, to="landed"))
    run.add(RaidEnded(raid=raid, why="landed"))
