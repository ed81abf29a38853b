"""Folds for events about the sequence of play and about random results."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Final

from msgspec.structs import replace

from engine.cbps.events import chance, turns
from engine.cbps.events.base import CbpsEvent
from engine.cbps.evolve.base import each
from engine.cbps.position import state_of
from engine.cbps.state import AirUnit, Force, Group, Mission, Raid, State, UsShip


def _started(_state: State, event: turns.GameStarted) -> State:
    return state_of(event.position)


def _frames(state: State, event: turns.FramesChanged) -> State:
    return replace(state, frames=state.frames[: event.keep] + event.frames)


def _turn(state: State, event: turns.TurnBegan) -> State:
    units = state.units
    guam = state.guam
    if event.is_new_day:
        units = each(units, _unit_of_new_day)
        guam = replace(guam, reinforced=(), first_day=guam.reinforced)
    return replace(
        state,
        turn=event.turn,
        phase=1,
        has_searched=False,
        units=units,
        guam=guam,
        forces=each(state.forces, _force_at_turn),
        ships=each(state.ships, _ship_at_phase),
        groups=each(state.groups, _group_at_phase),
    )


def _unit_of_new_day(unit: AirUnit) -> AirUnit:
    return replace(unit, by_day=False) if unit.by_day else unit


def _force_at_turn(force: Force) -> Force:
    return replace(force, has_acted=False) if force.has_acted else force


_COUNTED: Final[Mapping[str, int | bool]] = {
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
"""The fields of a ship that are reset at the start of a phase, with their initial values."""
_counts: Final = attrgetter(*_COUNTED)


def _ship_at_phase(ship: UsShip) -> UsShip:
    return replace(ship, **_COUNTED) if any(_counts(ship)) else ship


def _force_at_phase(force: Force) -> Force:
    return force if force.cap is None else replace(force, cap=None)


def _group_at_phase(group: Group) -> Group:
    return replace(group, operates="") if group.operates else group


def _raid_at_phase(raid: Raid) -> Raid:
    if raid.is_new or raid.is_taking_off:
        return replace(raid, is_new=False, is_taking_off=False)
    return raid


def _phase(state: State, event: turns.PhaseBegan) -> State:
    """Reset the values tracked per phase (3.1). Launches of a morning search count toward phase 1 (18.41)."""
    return replace(
        state,
        phase=event.phase,
        segment="",
        oilers_tried=(),
        ships=each(state.ships, _ship_at_phase) if event.phase > 1 else state.ships,
        forces=each(state.forces, _force_at_phase),
        groups=each(state.groups, _group_at_phase) if event.phase > 1 else state.groups,
        raids=each(state.raids, _raid_at_phase),
    )


def _mission_that_moves(mission: Mission) -> Mission:
    if mission.moved or mission.toward or mission.is_fresh:
        return replace(mission, moved=0, toward=(), is_fresh=False)
    return mission


def _mission_that_meets(mission: Mission) -> Mission:
    if mission.has_fought or mission.is_fresh:
        return replace(mission, has_fought=False, is_fresh=False)
    return mission


_HITS: Final = attrgetter("segment_hits")


def _ship_at_segment(ship: UsShip) -> UsShip:
    return replace(ship, segment_hits=0, was_armed=False) if ship.segment_hits else ship


_MISSIONS_AT: Final = {"us-air-movement": _mission_that_moves, "intercept": _mission_that_meets}


def _segment(state: State, event: turns.SegmentBegan) -> State:
    """Reset the values tracked per segment (4.4, 4.51)."""
    change = _MISSIONS_AT.get(event.segment)
    ships = state.ships
    return replace(
        state,
        segment=event.segment,
        missions=state.missions if change is None else each(state.missions, change),
        ships=each(ships, _ship_at_segment) if any(map(_HITS, ships.values())) else ships,
    )


def _cup(state: State, event: turns.CupFilled) -> State:
    return replace(state, cup=event.chits, chits_per_phase=event.per_phase)


def _mission_die(state: State, event: turns.MissionDieSet) -> State:
    return replace(state, mission_die=event.die)


def _chit(state: State, event: turns.ChitDrawn) -> State:
    left = list(state.cup)
    left.remove(event.chit)
    return replace(state, cup=tuple(left))


def _swapped(state: State, event: turns.ChitSwapped) -> State:
    if event.chit not in state.cup:
        return state
    left = list(state.cup)
    left[left.index(event.chit)] = event.by
    return replace(state, cup=tuple(sorted(left)))


def _wind(state: State, event: turns.WindSet) -> State:
    return replace(state, wind=event.wind)


def _declared(state: State, _event: turns.SearchDeclared) -> State:
    return replace(state, has_searched=True)


def _ended(state: State, event: turns.GameEnded) -> State:
    return replace(state, outcome=event.outcome)


def _nothing(state: State, _event: CbpsEvent) -> State:
    return state


FOLDS: Final[Mapping[type, object]] = {
    turns.GameStarted: _started,
    turns.FramesChanged: _frames,
    turns.TurnBegan: _turn,
    turns.PhaseBegan: _phase,
    turns.SegmentBegan: _segment,
    turns.CupFilled: _cup,
    turns.MissionDieSet: _mission_die,
    turns.ChitDrawn: _chit,
    turns.ChitSwapped: _swapped,
    turns.WindSet: _wind,
    turns.SearchDeclared: _declared,
    turns.PointsCounted: _nothing,
    turns.GameEnded: _ended,
    chance.ChartRead: _nothing,
    chance.DieRolled: _nothing,
    chance.Chosen: _nothing,
}
"""One fold for each event of the turns and chance modules in :mod:`engine.cbps.events`."""
