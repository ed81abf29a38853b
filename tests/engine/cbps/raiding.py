"""Raids, missions and turns for tests."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from engine.cbps.state import AirUnit, Group, Mission, Raid, State
from tests.engine.cbps.battle import battle, with_force, with_parts

TF_58 = "1108"
"""Starting hex of the task groups in Scenario 6."""
FIGHTERS = ("hornet-f2", "yorktown-f2", "bunker-hill-f2", "wasp-f2", "essex-f2", "lexington-f2")


def at_time(state: State, label: str, phase: int = 1) -> State:
    """Return a state at the first turn of its scenario with a label."""
    turns = state.game_data.scenarios[state.scenario].turns
    return replace(state, turn=[time for _, time in turns].index(label), phase=phase)


def with_raid(state: State, name: str = "1-a", **fields: Any) -> State:  # noqa: ANN401 - fields of any kind
    """Return a state with a raid on the map, whose points are in the box of its force if it has one."""
    raid = Raid(**{"origin": "1", "slot": "a", "hex": TF_58, "target": "58.1", **fields})
    state = with_parts(state, raids={name: raid})
    if raid.origin not in state.forces or not raid.slot:
        return state
    force = state.forces[raid.origin]
    boxes: Mapping[Any, int] = {**force.boxes, f"raid-{raid.slot}": raid.points}
    return with_parts(state, forces={raid.origin: replace(force, boxes=boxes)})


def with_interceptors(state: State, count: int, name: str = "intercept-7", **fields: Any) -> State:  # noqa: ANN401 - fields of any kind
    """Return a state with the given number of fighters on an intercept mission, by default over TF 58."""
    mission = Mission(**{"kind": "intercept", "hex": TF_58, "fuel": 16, **fields})
    taken = sum(unit.at.startswith("intercept-7") for unit in state.units.values())
    units = FIGHTERS[taken : taken + count]
    return with_parts(
        state,
        missions={name: mission},
        units={unit: AirUnit(place="mission", at=name) for unit in units},
    )


def with_groups_at(state: State, hex_id: str, *groups: str) -> State:
    """Return a state with task groups in another hex; all of them if none is named."""
    moved = {
        name: replace(group, hex=hex_id)
        for name, group in state.groups.items()
        if not groups or name in groups
    }
    return with_parts(state, groups=moved)


def without_group(state: State, *groups: str) -> State:
    """Return a state without some task groups and their ships."""
    kept: dict[str, Group] = {
        name: group for name, group in state.groups.items() if name not in groups
    }
    ships = {name: ship for name, ship in state.ships.items() if ship.group in kept}
    return replace(state, groups=kept, ships=ships)


def with_butai(state: State, hex_id: str = "1116", **fields: Any) -> State:  # noqa: ANN401 - fields of any kind
    """Return a state with Butai 1, a carrier force."""
    shown = {"level": 2, "chit": "2-3 Carriers", "is_carrier": True, "is_butai": True, **fields}
    return with_force(state, "1", hex_id, **shown)


def day(scenario: str = "6", label: str = "1050", phase: int = 1, **options: str) -> State:
    """Return a scenario at a time of the day."""
    return at_time(battle(scenario, **options), label, phase)
