"""Folds for events about the sequence of play and about random results."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Final

from msgspec.structs import replace

from engine.cbps.events import chance, turns
from engine.cbps.events.base import CbpsEvent
from engine.cbps.evolve.base import map_values
from engine.cbps.position import state_from_position
from engine.cbps.state import AirUnit, Force, Group, Mission, Raid, State, UsShip


def _apply_game_started(_state: State, event: turns.GameStarted) -> State:
    return state_from_position(event.position)


def _apply_frames_changed(state: State, event: turns.FramesChanged) -> State:
    return replace(state, frames=state.frames[: event.keep] + event.frames)


def _apply_turn_began(state: State, event: turns.TurnBegan) -> State:
    units = state.units
    guam = state.guam
    if event.is_new_day:
        units = map_values(units, _reset_unit_for_day)
        guam = replace(guam, reinforced=(), first_day=guam.reinforced)
    return replace(
        state,
        turn=event.turn,
        phase=1,
        has_searched=False,
        units=units,
        guam=guam,
        forces=map_values(state.forces, _reset_force_for_turn),
        ships=map_values(state.ships, _reset_ship_for_phase),
        groups=map_values(state.groups, _reset_group_for_phase),
    )


def _reset_unit_for_day(unit: AirUnit) -> AirUnit:
    return replace(unit, by_day=False) if unit.by_day else unit


def _reset_force_for_turn(force: Force) -> Force:
    return replace(force, has_acted=False) if force.has_acted else force


_PHASE_COUNTERS: Final[Mapping[str, int | bool]] = {
    "is_hit_now": False,
    "segment_hits": 0,
    "was_armed": False,
    "step": 0,
    "launched": 0,
    "landed": 0,
    "lowered": 0,
    "serviced": 0,
    "has_fired": False,
}
"""Ship fields that are reset at the start of a phase, with their initial values."""
_phase_counters: Final = attrgetter(*_PHASE_COUNTERS)


def _reset_ship_for_phase(ship: UsShip) -> UsShip:
    return replace(ship, **_PHASE_COUNTERS) if any(_phase_counters(ship)) else ship


def _reset_force_for_phase(force: Force) -> Force:
    return force if force.cap is None else replace(force, cap=None)


def _reset_group_for_phase(group: Group) -> Group:
    return replace(group, operates="") if group.operates else group


def _reset_raid_for_phase(raid: Raid) -> Raid:
    if raid.is_new or raid.is_taking_off:
        return replace(raid, is_new=False, is_taking_off=False)
    return raid


def _apply_phase_began(state: State, event: turns.PhaseBegan) -> State:
    """Reset the values tracked per phase (3.1). Launches of a morning search count toward phase 1 (18.41)."""
    return replace(
        state,
        phase=event.phase,
        segment="",
        oilers_tried=(),
        ships=map_values(state.ships, _reset_ship_for_phase) if event.phase > 1 else state.ships,
        forces=map_values(state.forces, _reset_force_for_phase),
        groups=map_values(state.groups, _reset_group_for_phase)
        if event.phase > 1
        else state.groups,
        raids=map_values(state.raids, _reset_raid_for_phase),
    )


def _reset_mission_movement(mission: Mission) -> Mission:
    if mission.moved or mission.toward or mission.is_fresh:
        return replace(mission, moved=0, toward=(), is_fresh=False)
    return mission


def _reset_mission_combat(mission: Mission) -> Mission:
    if mission.has_fought or mission.is_fresh:
        return replace(mission, has_fought=False, is_fresh=False)
    return mission


_segment_hits: Final = attrgetter("segment_hits")


def _reset_ship_for_segment(ship: UsShip) -> UsShip:
    return replace(ship, segment_hits=0, was_armed=False) if ship.segment_hits else ship


_MISSION_RESETS: Final = {
    "us-air-movement": _reset_mission_movement,
    "intercept": _reset_mission_combat,
}


def _apply_segment_began(state: State, event: turns.SegmentBegan) -> State:
    """Reset the values tracked per segment (4.4, 4.51)."""
    change = _MISSION_RESETS.get(event.segment)
    ships = state.ships
    return replace(
        state,
        segment=event.segment,
        missions=state.missions if change is None else map_values(state.missions, change),
        ships=map_values(ships, _reset_ship_for_segment)
        if any(map(_segment_hits, ships.values()))
        else ships,
    )


def _apply_cup_filled(state: State, event: turns.CupFilled) -> State:
    return replace(state, cup=event.chits, chits_per_phase=event.per_phase)


def _apply_mission_die_set(state: State, event: turns.MissionDieSet) -> State:
    return replace(state, mission_die=event.die)


def _apply_chit_drawn(state: State, event: turns.ChitDrawn) -> State:
    cup = list(state.cup)
    cup.remove(event.chit)
    return replace(state, cup=tuple(cup))


def _apply_chit_swapped(state: State, event: turns.ChitSwapped) -> State:
    if event.chit not in state.cup:
        return state
    cup = list(state.cup)
    cup[cup.index(event.chit)] = event.by
    return replace(state, cup=tuple(sorted(cup)))


def _apply_wind_set(state: State, event: turns.WindSet) -> State:
    return replace(state, wind=event.wind)


def _apply_search_declared(state: State, _event: turns.SearchDeclared) -> State:
    return replace(state, has_searched=True)


def _apply_game_ended(state: State, event: turns.GameEnded) -> State:
    return replace(state, outcome=event.outcome)


def _keep_state(state: State, _event: CbpsEvent) -> State:
    return state


FOLDS: Final[Mapping[type, object]] = {
    turns.GameStarted: _apply_game_started,
    turns.FramesChanged: _apply_frames_changed,
    turns.TurnBegan: _apply_turn_began,
    turns.PhaseBegan: _apply_phase_began,
    turns.SegmentBegan: _apply_segment_began,
    turns.CupFilled: _apply_cup_filled,
    turns.MissionDieSet: _apply_mission_die_set,
    turns.ChitDrawn: _apply_chit_drawn,
    turns.ChitSwapped: _apply_chit_swapped,
    turns.WindSet: _apply_wind_set,
    turns.SearchDeclared: _apply_search_declared,
    turns.PointsCounted: _keep_state,
    turns.GameEnded: _apply_game_ended,
    chance.ChartRead: _keep_state,
    chance.DieRolled: _keep_state,
    chance.Chosen: _keep_state,
}
"""The fold function of each event in the turns and chance modules in :mod:`engine.cbps.events`."""
