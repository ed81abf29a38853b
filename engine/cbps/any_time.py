"""Commands that can be given at any time (4.37, 6.15, 6.291, 6.33)."""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from typing_extensions import override

from engine.cbps.air.ch04_fuel import lose_unit, mission_units
from engine.cbps.air.ch04_missions import new_mission_refusals, next_mission_name
from engine.cbps.commands import CbpsCommand, DetachShip, Overboard, Rejoin, Split
from engine.cbps.events.air import MissionFormed, UnitMoved
from engine.cbps.events.fleet import GroupFormed, ShipDetached
from engine.cbps.frames import (
    AirMovementFrame,
    InterceptFrame,
    OperationsFrame,
    SailFrame,
    SearchChoiceFrame,
    SearchLaunchFrame,
    StrikesFrame,
)
from engine.cbps.ids import BATTLE_LINE, SURFACE_GROUPS
from engine.cbps.locations import all_carriers, ships_in_group, units_at
from engine.cbps.run import Run
from engine.cbps.seats import commands_carrier, commands_group, commands_mission
from engine.cbps.state import Mission, State
from engine.cbps.surface.ch06_groups import rejoin_refusals, rejoin_task_force
from engine.kernel.framed import FreeAction
from engine.kernel.ids import Refusal, Role, Rule

_BETWEEN_PROCEDURES: Final = (
    AirMovementFrame,
    OperationsFrame,
    InterceptFrame,
    StrikesFrame,
    SearchChoiceFrame,
    SearchLaunchFrame,
    SailFrame,
)
"""Frames in which the any-time commands are legal. All other frames are part of a procedure in progress."""


_RULES: Final[Mapping[type[CbpsCommand], Rule]] = {
    Overboard: Rule("6.291"),
    Split: Rule("4.37"),
    DetachShip: Rule("6.15"),
    Rejoin: Rule("6.33"),
}


def is_between_procedures(state: State) -> bool:
    """Return whether the current decision is between procedures, not during a combat or a series of rolls (4.37)."""
    if state.outcome is not None or not state.frames:
        return False
    top = state.frames[-1]
    if isinstance(top, InterceptFrame) and top.is_fighting:
        return False
    return isinstance(top, _BETWEEN_PROCEDURES)


class AnyTimeCommands(FreeAction[State, CbpsCommand, Run]):
    """Commands to push units overboard, split intercepts, detach Battle Line ships, and rejoin TF 58."""

    kinds = (Overboard, Split, DetachShip, Rejoin)

    @override
    def options(self, state: State, role: Role) -> tuple[CbpsCommand, ...]:
        """Return the legal any-time commands of a seat."""
        if not is_between_procedures(state):
            return ()
        candidates = (
            *_overboard_options(state),
            *_split_options(state),
            *_detach_options(state),
            *_rejoin_options(state),
        )
        return tuple(
            command
            for command in candidates
            if next(self._command_refusals(state, role, command), None) is None
        )

    @override
    def is_free_only(self, command: CbpsCommand) -> bool:
        """Return whether a command is only an any-time command and never answers a decision.

        ``Rejoin`` can answer a decision, because the US Move chit offers it too.
        """
        return isinstance(command, self.kinds) and not isinstance(command, Rejoin)

    @override
    def refusals(self, state: State, role: Role, command: CbpsCommand) -> Iterator[Refusal]:
        if not is_between_procedures(state):
            rule = _RULES.get(type(command), Rule("3.1"))
            yield Refusal(rule, "a procedure is being carried out; wait until it ends")
        elif isinstance(command, self.kinds):
            yield from self._command_refusals(state, role, command)
        else:
            yield Refusal(Rule("3.1"), "this commander has no decision to make now")

    def _command_refusals(self, state: State, role: str, command: CbpsCommand) -> Iterator[Refusal]:
        match command:
            case Overboard():
                yield from _overboard_refusals(state, role, command)
            case Split():
                yield from _split_refusals(state, role, command)
            case DetachShip():
                yield from _detach_refusals(state, role, command)
            case Rejoin():
                yield from rejoin_refusals(state, _groups_moved(state), role, command)
            case _:
                raise AssertionError(command)

    @override
    def apply(self, run: Run, role: Role, command: CbpsCommand) -> None:
        match command:
            case Overboard():
                lose_unit(run, command.unit, "overboard")
            case Split():
                _split_mission(run, command)
            case DetachShip():
                _detach_ship(run, command)
            case Rejoin():
                rejoin_task_force(run, command)
            case _:
                raise AssertionError(command)


# -- 6.33


def _rejoin_options(state: State) -> Iterator[Rejoin]:
    """Yield a command for each detached group, except in a US Move activation, which offers its own (6.32)."""
    if not isinstance(state.frames[-1], SailFrame):
        yield from (Rejoin(group=name) for name, group in state.groups.items() if group.is_detached)


def _groups_moved(state: State) -> Collection[str]:
    """Return the groups that have moved in this US Move activation. Empty at any other time (6.34)."""
    top = state.frames[-1]
    return top.origins if isinstance(top, SailFrame) else ()


# -- 6.291


def _overboard_options(state: State) -> Iterator[Overboard]:
    for carrier in all_carriers(state.game_data):
        yield from (Overboard(unit=unit) for unit in units_at(state, "landed", carrier))


def _overboard_refusals(state: State, role: str, command: Overboard) -> Iterator[Refusal]:
    unit = state.units.get(command.unit)
    if unit is None or unit.place != "landed":
        yield Refusal(Rule("6.291"), "only units in a Landed box can be pushed overboard")
    elif not commands_carrier(state, role, unit.at):
        yield Refusal(Rule("6.1"), "this carrier is under another commander")


# -- 4.37


def _split_options(state: State) -> Iterator[Split]:
    new_name = next_mission_name(state, "intercept")
    for name, mission in state.missions.items():
        if mission.kind == "intercept" and not mission.cap:
            parts = [
                child
                for child, mission_state in state.missions.items()
                if mission_state.parent == name
            ]
            for unit in mission_units(state, name):
                for part in (new_name, *parts) if new_name else parts:
                    yield Split(unit=unit, mission=part)


def _mission_flags(mission: Mission) -> tuple[object, ...]:
    return (mission.hex, mission.fuel, mission.moved, mission.has_fought, mission.has_met_aircraft)


def _split_refusals(state: State, role: str, command: Split) -> Iterator[Refusal]:
    unit = state.units.get(command.unit)
    if unit is None or unit.place != "mission":
        yield Refusal(Rule("4.37"), "only a unit in flight can be split off")
        return
    source = state.missions.get(unit.at)
    if source is None or source.kind != "intercept":
        yield Refusal(Rule("4.25"), "only units of an intercept mission can be split off")
        return
    if not commands_mission(state, role, unit.at):
        yield Refusal(Rule("6.1"), "this mission is under another commander")
    if source.cap:
        yield Refusal(Rule("4.37"), "a CAP mission can be split only on the map")
    if len(mission_units(state, unit.at)) == 1:
        yield Refusal(Rule("4.37"), "at least one unit must stay in the mission")
    top = state.frames[-1]
    if isinstance(top, InterceptFrame) and unit.at in top.committed:
        yield Refusal(Rule("4.51"), "this mission is committed to fight")
    part = state.missions.get(command.mission)
    if part is None:
        yield from new_mission_refusals(state, command.mission, ("intercept",))
    # Each command splits off one unit. More units may follow as long as the flags of both missions
    # are equal (4.37).
    elif part.parent != unit.at or _mission_flags(part) != _mission_flags(source):
        yield Refusal(Rule("4.37"), "missions cannot be merged")


def _split_mission(run: Run, command: Split) -> None:
    source = run.state.units[command.unit].at
    if command.mission not in run.state.missions:
        old_mission = run.state.missions[source]
        run.add(
            MissionFormed(
                mission=command.mission,
                kind_of="intercept",
                hex=old_mission.hex,
                fuel=old_mission.fuel,
                groups=old_mission.groups,
                parent=source,
                commander=old_mission.commander,
            )
        )
    run.add(UnitMoved(unit=command.unit, place="mission", at=command.mission, why="split"))


# -- 6.15


def _detach_options(state: State) -> Iterator[DetachShip]:
    markers = SURFACE_GROUPS[: state.game_data.surface_tg_markers]
    free_marker = next((marker for marker in markers if not ships_in_group(state, marker)), None)
    groups = [
        marker for marker in markers if ships_in_group(state, marker) or marker == free_marker
    ]
    for ship in ships_in_group(state, BATTLE_LINE):
        yield from (DetachShip(ship=ship, group=group) for group in groups)


def _detach_refusals(state: State, role: str, command: DetachShip) -> Iterator[Refusal]:
    ship = state.ships.get(command.ship)
    markers = SURFACE_GROUPS[: state.game_data.surface_tg_markers]
    if ship is None or ship.group != BATTLE_LINE:
        yield Refusal(Rule("6.15"), "only ships of the Battle Line, TG 58.7, can be detached")
        return
    if not commands_group(state, role, BATTLE_LINE):
        yield Refusal(Rule("6.1"), "the Battle Line is under another commander")
    if command.group not in markers:
        yield Refusal(Rule("6.15"), f"the new group must be one of {', '.join(markers)}")
        return
    if len(ships_in_group(state, BATTLE_LINE)) == 1:
        yield Refusal(Rule("6.15"), "the last ship cannot leave the Battle Line")
    line = state.groups[BATTLE_LINE]
    if not ships_in_group(state, command.group):
        free_marker = next(marker for marker in markers if not ships_in_group(state, marker))
        if command.group != free_marker:
            yield Refusal(Rule("6.15"), f"the next free marker is {free_marker}")
    elif state.groups[command.group].hex != line.hex:
        yield Refusal(Rule("6.15"), "the surface group is in another hex")
    top = state.frames[-1]
    if isinstance(top, SailFrame) and BATTLE_LINE in top.origins:
        yield Refusal(Rule("6.34"), "the Battle Line has moved; detach ships after US movement")


def _detach_ship(run: Run, command: DetachShip) -> None:
    line = run.state.groups[BATTLE_LINE]
    if not ships_in_group(run.state, command.group):
        run.add(GroupFormed(group=command.group, hex=line.hex, commander=line.commander))
    run.add(ShipDetached(ship=command.ship, group=command.group))
