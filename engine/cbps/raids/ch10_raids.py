"""The raid procedure of a Japanese force (10.1)."""

from collections.abc import Iterator
from typing import Final

from engine.cbps.damage.ch12_hulls import air_value, effective_lost_points
from engine.cbps.events.chance import Modifier
from engine.cbps.events.japan import RaidsCounted
from engine.cbps.events.raids import RaidCalledOff
from engine.cbps.forces.ch09_butai import open_butai
from engine.cbps.forces.ch09_points import known_strength
from engine.cbps.ids import SIZES, JapaneseBox
from engine.cbps.intelligence.ch07_levels import promote, prove_type
from engine.cbps.intelligence.ch13_commitment import recompute_commitment
from engine.cbps.locations import sea_map
from engine.cbps.raids.ch10_flight import place_raid, raid_box, raid_target, target_hex
from engine.cbps.raids.ch10_generation import (
    is_usable,
    raid_range,
    reduced_points,
    roll_launch,
    take_points,
)
from engine.cbps.rulings import NOTHING_LEFT, RAID_LIMIT, RETURNING_POINTS, SHUTTLE_SLOT
from engine.cbps.run import Run, chart_modifier
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.state import Force, State

SLOTS: Final = ("a", "b")
_LEVEL_ONE: Final = "L1 Carrier"
"""The column for a level-1 Carrier in the strength charts (10.1E)."""
_LARGEST_CHIT: Final = "4+ Carriers"
_AIR_VALUE_KNOWN: Final = 3
_RETURN_BOXES: Final[tuple[JapaneseBox, ...]] = ("r12", "r8", "r4", "r0")
_AWAY_BOXES: Final[tuple[JapaneseBox, ...]] = ("s1", "s2", "raid-a", "raid-b", *_RETURN_BOXES)
"""Boxes other than LOST with points that cannot raid at any range (10.1F, OP-37)."""
_ABOARD_BOXES: Final[tuple[JapaneseBox, ...]] = ("a3", "a7", "a11")


def raid_procedure(run: Run, force: str) -> None:
    """Carry out the raid procedure for a force (10.1, steps A to G).

    A lettered force that raids becomes a Butai (9.11). If the force sends no raid after all, everything revealed about
    the force is undone, because no raid was seen (10.1C, OP-36).
    """
    if not _can_raid(run.state, force):
        return
    target = _raid_target(run, force)
    if not target:
        return
    mark = run.mark()
    if not _prove_carriers(run, force):
        run.add(RaidCalledOff(force=force, why="unproved"))
        return
    hexes = _target_distance(run.state, force, target)
    waves = _raid_points(run, force, hexes)
    if waves:
        _launch_raids(run, force, target, hexes, waves)
        return
    if NOTHING_LEFT.uses_alternative(run.state.options):
        recompute_commitment(run)
    else:
        run.undo_to(mark)
    run.add(RaidCalledOff(force=force, why="nothing-left"))


# -- A and B: the decision to attack


def active_raid_count(state: State, force: str) -> int:
    """Return the number of a force's raids on the map and the return track (10.1A, OP-35, OP-56)."""
    is_free = SHUTTLE_SLOT.uses_alternative(state.options)
    points_flying = sum(
        raid.origin == force and not (is_free and raid.kind == "shuttle")
        for raid in state.raids.values()
    )
    if RAID_LIMIT.uses_alternative(state.options):
        return points_flying
    return points_flying + len(state.forces[force].returning)


def _free_slots_first(state: State, force: str) -> tuple[str, ...]:
    """Return a display's raid boxes, unused ones first (9.12)."""
    used_slots = [raid.slot for raid in state.raids.values() if raid.origin == force]
    used_slots += state.forces[force].returning
    free_slots = tuple(slot for slot in SLOTS if slot not in used_slots)
    return free_slots + SLOTS


def _can_raid(state: State, name: str) -> bool:
    """Return whether a force may raid at all. A retiring force may not (step A: 10.1A, 19.3)."""
    force = state.forces[name]
    if force.is_retiring:
        return False
    if active_raid_count(state, name) >= state.game_data.charts.constants.value("raids_per_force"):
        return False
    if force.is_carrier:
        return True
    may_prove = force.level == 0 or (force.level == 1 and force.chit in SIZES)
    return may_prove and not state.limit_reached


def _raid_target(run: Run, name: str) -> str:
    """Return the target that a force is about to attack, or an empty string if it does not attack (step B)."""
    force = run.state.forces[name]
    max_range = raid_range(run.state)
    target = raid_target(run, name, force.hex, max_range) if max_range is not None else ""
    if not target:
        return ""
    hexes = _target_distance(run.state, name, target)
    return target if roll_launch(run, name, hexes, _advantage_modifiers(run.state, force)) else ""


def _advantage_modifiers(state: State, force: Force) -> Iterator[Modifier]:
    """Yield the modifier of the raid roll for a US Advantage marker, if there is one (8.351)."""
    if force.has_advantage:
        yield chart_modifier(state.game_data.charts.air_raid_generation, "us_advantage")


def _target_distance(state: State, name: str, target: str) -> int:
    return sea_map(state).distance(state.forces[name].hex, target_hex(state, target))


# -- C: the check for carriers


def _prove_carriers(run: Run, force: str) -> bool:
    """Determine whether a force has carriers (step C). If it has none, undo all changes."""
    if not run.state.forces[force].is_carrier and not prove_type(run, force):
        return False
    force_state = run.state.forces[force]
    if (
        force_state.level == 1
        and known_strength(force_state) is not None
        and not scenario_rules(run.state).is_fixed_strength
    ):
        return promote(run, force, 2, "raid")
    return True


# -- D to F: the strength of the raid


def _raid_points(run: Run, name: str, hexes: int) -> tuple[int, ...]:
    """Return the points of one or two raids, or an empty tuple if no points remain after losses (steps D to F)."""
    waves = _initial_waves(run, name)
    total = sum(waves)
    lost_points = (
        0
        if scenario_rules(run.state).is_fixed_strength
        else unavailable_points(run.state, name, hexes)
    )
    points = reduced_points(run, name, total, lost_points) if lost_points else total
    if points <= 0:
        return ()
    if len(waves) == 1 or active_raid_count(run.state, name):
        return (points,)
    second = waves[1] - (total - points)
    merge = run.state.game_data.charts.constants.value("second_wave_merge_at_or_below")
    return waves if points == total else (waves[0], second) if second > merge else (points,)


def _initial_waves(run: Run, name: str) -> tuple[int, ...]:
    """Return the strength given by the charts, before losses (steps D and E)."""
    state = run.state
    force, charts = state.forces[name], state.game_data.charts
    fixed_strength = state.game_data.scenarios[state.scenario].japan.known_air_strength
    if scenario_rules(state).is_fixed_strength and fixed_strength is not None:
        # Scenario 5 uses this chart at every level, with the strength given by the scenario
        return _known_strength_waves(run, name, fixed_strength.value)
    if force.level >= _AIR_VALUE_KNOWN:
        value = air_value(state, name)
        return run.roll_on_column(charts.raid_strength_l3_l4_guam, value, name)
    strength = known_strength(force)
    if strength is None:
        return run.roll_on_column(charts.raid_strength_unknown, _strength_column(force), name)
    # 9.241: permanent hits reduce the strength here but do not change what is known about the force
    return _known_strength_waves(run, name, max(0, strength - force.hits.permanent))


def _known_strength_waves(run: Run, name: str, strength: int) -> tuple[int, ...]:
    chart = run.state.game_data.charts.raid_strength_known
    force = run.state.forces[name]
    shift = chart.shift(_strength_column(force)).shift if force.level < _AIR_VALUE_KNOWN else 0
    return run.roll_on_column(chart, chart.shifted(chart.column_for(strength), shift), name)


def _strength_column(force: Force) -> str:
    """Return a force's column heading in the strength charts: level-1 Carrier, 4+ Carriers, or its level-2 chit."""
    if force.level == 1:
        return _LEVEL_ONE
    return _LARGEST_CHIT if force.is_kido_butai else force.chit


def unavailable_points(state: State, name: str, hexes: int) -> int:
    """Return the points that cannot raid a target at the given distance (10.1F, OP-37).

    Lost points that went down with their carriers do not count (12.24).
    """
    boxes = state.forces[name].boxes
    is_home = RETURNING_POINTS.uses_alternative(state.options)
    airborne_points = sum(
        boxes.get(box, 0) for box in _AWAY_BOXES if not (is_home and box in _RETURN_BOXES)
    )
    aboard = sum(boxes.get(box, 0) for box in _ABOARD_BOXES if not is_usable(state, box, hexes))
    return effective_lost_points(state, name) + airborne_points + aboard


# -- G: the launch


def _launch_raids(run: Run, name: str, target: str, hexes: int, waves: tuple[int, ...]) -> None:
    """Move the points to the raid boxes and place the raids (step G)."""
    open_butai(run, name)
    slots = _free_slots_first(run.state, name)[: len(waves)]
    for slot, points in zip(slots, waves, strict=True):
        take_points(run, name, hexes, points, raid_box(slot))
    run.add(RaidsCounted(force=name, raids=run.state.forces[name].raids + 1))
    place_raid(
        run,
        origin=name,
        slot="".join(slots),
        start_hex=run.state.forces[name].hex,
        target=target,
        waves=waves,
    )
    recompute_commitment(run)
