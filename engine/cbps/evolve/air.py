"""Folds for events about US air units and missions."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from engine.cbps.events import air as ev
from engine.cbps.evolve.base import with_value, without_key
from engine.cbps.locations import note_unit_change
from engine.cbps.state import AirUnit, Mission, State, UsShip

FULLY_MOVED: Final = 3
"""The value of ``moved`` for a mission that has finished moving in the segment."""
_OPERATION_STEPS: Final[Mapping[str, int]] = {
    "launch": 1,
    "raise": 2,
    "service": 3,
    "store": 3,
    "lower": 4,
}
_LANDING_STEP: Final = 5


def _with_unit(state: State, unit: str, new_unit: AirUnit, **other_changes: object) -> State:
    """Return the state with one unit replaced, and with any other given fields changed."""
    units = with_value(state.units, unit, new_unit)
    # Updating the cached locations here saves comparing all units at the next lookup.
    note_unit_change(state, units, unit)
    return replace(state, units=units, **other_changes)


def _with_mission(state: State, mission: str, new_mission: Mission) -> State:
    return replace(state, missions=with_value(state.missions, mission, new_mission))


def _count_operation(state: State, ship: UsShip, cause: str) -> UsShip:
    """Return a carrier with one more operation counted in this phase (6.22)."""
    step = ship.step
    if state.segment == "operations":  # search landings do not count as a step (8.282)
        step = max(step, _OPERATION_STEPS.get(cause, _LANDING_STEP))
    match cause:
        case "launch":
            return replace(ship, step=step, launched=ship.launched + 1)
        case "service" | "store":
            return replace(ship, step=step, serviced=ship.serviced + 1)
        case "lower":
            return replace(ship, step=step, lowered=ship.lowered + 1)
        case "land":
            return replace(ship, step=step, landed=ship.landed + 1)
        case _:
            return replace(ship, step=step)


def _apply_unit_moved(state: State, event: ev.UnitMoved) -> State:
    old_unit = state.units[event.unit]
    new_unit = replace(old_unit, place=event.place, at=event.at)
    ships = state.ships
    if event.why == "launch":
        day = {"by_night": True} if event.by_night else {"by_day": True}
        new_unit = replace(new_unit, has_flown=True, came_from="", **day)
        ship = _count_operation(state, ships[old_unit.at], "launch")
        if event.by_night:
            ship = replace(ship, night_launches=ship.night_launches + 1)
        ships = with_value(ships, old_unit.at, ship)
    elif event.why in {"raise", "service", "store", "lower"}:
        ships = with_value(
            ships, old_unit.at, _count_operation(state, ships[old_unit.at], event.why)
        )
    elif event.why in {"land", "divert"}:
        ships = with_value(ships, event.at, _count_operation(state, ships[event.at], "land"))
        origin = old_unit.came_from if event.why == "divert" else old_unit.at
        new_unit = replace(new_unit, is_aborted=False, came_from=origin)
    return _with_unit(state, event.unit, new_unit, ships=ships)


def _apply_unit_lost(state: State, event: ev.UnitLost) -> State:
    place = "lost-at-group" if event.is_at_group else "lost"
    return _with_unit(state, event.unit, AirUnit(place=place, has_flown=True))  # type: ignore[arg-type]  # one of two words


def _apply_unit_aborted(state: State, event: ev.UnitAborted) -> State:
    return _with_unit(state, event.unit, replace(state.units[event.unit], is_aborted=True))


def _apply_mission_formed(state: State, event: ev.MissionFormed) -> State:
    parent = state.missions.get(event.parent)
    if parent is not None:
        new_mission = replace(parent, kind=event.kind_of, parent=event.parent)
        return _with_mission(state, event.mission, new_mission)
    new_mission = Mission(
        kind=event.kind_of,
        hex=event.hex,
        cap=event.cap,
        fuel=event.fuel,
        groups=event.groups,
        is_fresh=not event.cap,
        # In the phase of its launch, a mission can make only its launch move (4.42).
        moved=FULLY_MOVED if not event.cap else 0,
        commander=event.commander,
    )
    return _with_mission(state, event.mission, new_mission)


def _apply_mission_joined(state: State, event: ev.MissionJoined) -> State:
    old_mission = state.missions[event.mission]
    groups = (
        old_mission.groups
        if event.group in old_mission.groups
        else (*old_mission.groups, event.group)
    )
    return _with_mission(state, event.mission, replace(old_mission, fuel=event.fuel, groups=groups))


def _apply_cap_deployed(state: State, event: ev.CapDeployed) -> State:
    old_mission = state.missions[event.mission]
    return _with_mission(
        state,
        event.mission,
        replace(old_mission, cap="", hex=event.hex, fuel=event.fuel, groups=(old_mission.cap,)),
    )


def _apply_mission_moved(state: State, event: ev.MissionMoved) -> State:
    old_mission = state.missions[event.mission]
    match event.why:
        case "launch":
            new_mission = replace(old_mission, hex=event.hex, is_fresh=False)
        case "wrong-target":
            new_mission = replace(old_mission, hex=event.hex)
        case _:
            new_mission = replace(
                old_mission, hex=event.hex, moved=old_mission.moved + 1, toward=event.toward
            )
    return _with_mission(state, event.mission, new_mission)


def _apply_fuel_spent(state: State, event: ev.FuelSpent) -> State:
    old_mission = state.missions[event.mission]
    new_mission = replace(old_mission, fuel=old_mission.fuel - event.points)
    if event.why == "wait":
        new_mission = replace(new_mission, moved=FULLY_MOVED)
    return _with_mission(state, event.mission, new_mission)


def _apply_mission_flipped(state: State, event: ev.MissionFlipped) -> State:
    return _with_mission(
        state, event.mission, replace(state.missions[event.mission], is_flipped=True)
    )


def _apply_attempt_made(state: State, event: ev.AttemptMade) -> State:
    old_mission = state.missions[event.mission]
    return _with_mission(
        state, event.mission, replace(old_mission, attempts=old_mission.attempts + 1)
    )


def _apply_mission_fought(state: State, event: ev.MissionFought) -> State:
    old_mission = state.missions[event.mission]
    return _with_mission(
        state, event.mission, replace(old_mission, has_fought=True, has_met_aircraft=True)
    )


def _apply_mission_ended(state: State, event: ev.MissionEnded) -> State:
    missions = without_key(state.missions, event.mission)
    # A later mission may reuse the name and must not be taken for the parent.
    for name, mission in state.missions.items():
        if mission.parent == event.mission:
            missions[name] = replace(mission, parent="")
    return replace(state, missions=missions)


FOLDS: Final[Mapping[type, object]] = {
    ev.UnitMoved: _apply_unit_moved,
    ev.UnitLost: _apply_unit_lost,
    ev.UnitAborted: _apply_unit_aborted,
    ev.MissionFormed: _apply_mission_formed,
    ev.MissionJoined: _apply_mission_joined,
    ev.CapDeployed: _apply_cap_deployed,
    ev.MissionMoved: _apply_mission_moved,
    ev.FuelSpent: _apply_fuel_spent,
    ev.MissionFlipped: _apply_mission_flipped,
    ev.AttemptMade: _apply_attempt_made,
    ev.MissionFought: _apply_mission_fought,
    ev.MissionEnded: _apply_mission_ended,
}
"""The fold function of each event in :mod:`engine.cbps.events.air`."""
