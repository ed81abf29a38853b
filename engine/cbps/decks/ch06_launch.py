"""Launching air units on missions and CAP (4.14, 4.33, 6.24)."""

from collections.abc import Iterable, Iterator
from typing import Final

from typing_extensions import override

from engine.cbps.air.ch04_fuel import endurance, is_fighter, mission_units
from engine.cbps.air.ch04_missions import mission_kind, new_mission_refusals, next_mission_name
from engine.cbps.clock import current_light
from engine.cbps.commands import Cap, Launch
from engine.cbps.decks.ch06_decks import (
    LEEWARD_MARKER,
    NO_UNIT,
    launch_deck_refusals,
    open_carriers,
    record_operating_carrier,
)
from engine.cbps.decks.ch22_night import night_refusals, night_strike_refusals
from engine.cbps.events.air import MissionFormed, MissionJoined, UnitMoved
from engine.cbps.frames import OperationsFrame
from engine.cbps.ids import Kind
from engine.cbps.locations import ship_hex, units_by_location
from engine.cbps.run import Action, Run
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.seats import commands_carrier
from engine.cbps.state import State
from engine.kernel.ids import Refusal, Rule

CAP_MISSIONS: Final = 2
CAP_UNITS: Final = 3
"""The maximum numbers of CAP missions and CAP units in each task group (4.33)."""
_KINDS: Final[tuple[Kind, ...]] = ("strike", "intercept")
_CAP_KINDS: Final[tuple[Kind, ...]] = ("intercept",)


def unit_refusals(state: State, unit: str) -> Iterator[Refusal]:
    """Yield the reasons why a ready unit cannot fly, whatever the state of its carrier (4.16, 22.1)."""
    if not scenario_rules(state).has_servicing and state.units[unit].has_flown:
        yield Refusal(Rule("4.16"), "each air unit flies at most one mission in this scenario")
    yield from night_refusals(state, unit)


def launch_refusals(state: State, role: str, unit: str) -> Iterator[Refusal]:
    """Yield the reasons why a seat cannot launch a unit on a mission or search (6.24, 8.27)."""
    unit_state = state.units.get(unit)
    if unit_state is None:
        yield NO_UNIT
        return
    if unit_state.place != "ready":
        yield Refusal(Rule("6.24"), "only a unit in a Ready box can be launched")
        return
    if not commands_carrier(state, role, unit_state.at):
        yield Refusal(Rule("6.1"), "this carrier is under another commander")
    yield from launch_deck_refusals(state, unit_state.at)
    yield from unit_refusals(state, unit)


def launchable_units(state: State, role: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the seat's carriers that can launch, each with the ready units that can take off (6.24)."""
    units_by_box = units_by_location(state)
    for carrier in open_carriers(state):
        ready_units = units_by_box.get(("ready", carrier))
        # The deck refusals below cover these cases too, but checking them first is faster.
        if not ready_units or state.ships[carrier].step > 1 or state.ships[carrier].landed:
            continue
        if (
            commands_carrier(state, role, carrier)
            and next(launch_deck_refusals(state, carrier), None) is None
        ):
            units = tuple(
                unit for unit in ready_units if next(unit_refusals(state, unit), None) is None
            )
            if units:
                yield carrier, units


def take_off(run: Run, unit: str, mission: str) -> None:
    """Record a unit's takeoff on a mission (6.24)."""
    record_operating_carrier(run, run.state.units[unit].at)
    run.add(
        UnitMoved(
            unit=unit,
            place="mission",
            at=mission,
            why="launch",
            by_night=current_light(run.state) == "night",
        )
    )


class LaunchAction(Action[OperationsFrame, Launch]):
    """Launches a ready unit into a mission on the map: a new one, or one in the unit's hex (4.14, 6.24)."""

    kind = Launch
    is_exact = True
    timing = Refusal(Rule("6.23"), "units are launched in the US Air Operations Segment")

    @override
    def candidates(self, state: State, frame: OperationsFrame, role: str) -> Iterable[Launch]:
        """Yield a command to launch each ready unit into a new strike, a new intercept or any mission in its hex."""
        rules = scenario_rules(state)
        kinds = [("strike", rules.has_strikes), ("intercept", rules.has_intercepts)]
        new_names = [next_mission_name(state, kind) for kind, is_used in kinds if is_used]  # type: ignore[arg-type]  # both kinds
        for carrier, units in launchable_units(state, role):
            hex = ship_hex(state, carrier)
            missions_here = [
                name for name, mission_state in state.missions.items() if mission_state.hex == hex
            ]
            names = [name for name in (*new_names, *missions_here) if name]
            for unit in units:
                for mission in names:
                    if next(_join_refusals(state, unit, mission, hex), None) is None:
                        yield Launch(unit=unit, mission=mission)

    @override
    def refusals(
        self, state: State, frame: OperationsFrame, role: str, command: Launch
    ) -> Iterator[Refusal]:
        """Yield the reasons why the unit cannot be launched into this mission."""
        unit, mission = command.unit, command.mission
        yield from launch_refusals(state, role, unit)
        unit_state = state.units.get(unit)
        if unit_state is not None and unit_state.place == "ready":
            hex = ship_hex(state, unit_state.at)
            yield from _join_refusals(state, unit, mission, hex)

    @override
    def apply(self, run: Run, frame: OperationsFrame, role: str, command: Launch) -> None:
        """Launch the unit, and form the mission if it is new."""
        state, unit, mission = run.state, command.unit, command.mission
        carrier = state.units[unit].at
        group = state.ships[carrier].group
        fuel = endurance(state, unit)
        old_mission = state.missions.get(mission)
        if old_mission is None:
            run.add(
                MissionFormed(
                    mission=mission,
                    kind_of="strike" if mission_kind(mission) == "strike" else "intercept",
                    hex=ship_hex(state, carrier),
                    fuel=fuel,
                    groups=(group,),
                    commander=role,
                )
            )
            take_off(run, unit, mission)
            return
        take_off(run, unit, mission)
        if fuel < old_mission.fuel or group not in old_mission.groups:
            run.add(MissionJoined(mission=mission, fuel=min(old_mission.fuel, fuel), group=group))


def _join_refusals(state: State, unit: str, mission: str, hex: str) -> Iterator[Refusal]:
    """Yield the reasons why a unit in a hex cannot join a mission on the map (4.14, 4.21, 4.31)."""
    rules = scenario_rules(state)
    is_strike = mission_kind(mission) == "strike"
    old_mission = state.missions.get(mission)
    if old_mission is None:
        yield from new_mission_refusals(state, mission, _KINDS)
        if not (rules.has_strikes if is_strike else rules.has_intercepts):
            yield Refusal(Rule("4.11"), "this scenario has no missions of this kind")
    elif old_mission.cap:
        yield Refusal(Rule("4.33"), "this mission is CAP in its box; launch the unit as CAP")
    elif old_mission.hex != hex:
        yield Refusal(Rule("4.14"), "a mission can only take units from its own hex")
    elif not mission_units(state, mission):
        yield Refusal(Rule("4.14"), "all units of this mission have landed")
    if not is_strike and not is_fighter(state, unit):
        yield Refusal(Rule("4.31"), "only fighters fly in an intercept mission")
    if is_strike:
        yield from night_strike_refusals(state)


class CapAction(Action[OperationsFrame, Cap]):
    """Launches a ready fighter into one of its group's CAP missions (4.33)."""

    kind = Cap
    is_exact = True
    timing = Refusal(Rule("6.23"), "units are launched in the US Air Operations Segment")

    @override
    def candidates(self, state: State, frame: OperationsFrame, role: str) -> Iterable[Cap]:
        """Yield a command to launch each ready fighter into a new or existing CAP mission of its group."""
        new_name = next_mission_name(state, "intercept")
        for carrier, units in launchable_units(state, role):
            group = state.ships[carrier].group
            names = [
                name for name, mission_state in state.missions.items() if mission_state.cap == group
            ]
            for mission in (new_name, *names) if new_name else names:
                if next(_cap_refusals(state, group, mission), None) is None:
                    for unit in units:
                        if is_fighter(state, unit):
                            yield Cap(unit=unit, mission=mission)

    @override
    def refusals(
        self, state: State, frame: OperationsFrame, role: str, command: Cap
    ) -> Iterator[Refusal]:
        """Yield the reasons why the unit cannot fly CAP."""
        unit = command.unit
        yield from launch_refusals(state, role, unit)
        unit_state = state.units.get(unit)
        if unit_state is None or unit_state.place != "ready":
            return
        if not is_fighter(state, unit):
            yield Refusal(Rule("4.31"), "only fighters fly CAP")
        group = state.ships[unit_state.at].group
        if group:
            yield from _cap_refusals(state, group, command.mission)

    @override
    def apply(self, run: Run, frame: OperationsFrame, role: str, command: Cap) -> None:
        state = run.state
        group = state.ships[state.units[command.unit].at].group
        if command.mission not in state.missions:
            run.add(
                MissionFormed(
                    mission=command.mission,
                    kind_of="intercept",
                    cap=group,
                    groups=(group,),
                    commander=role,
                )
            )
        take_off(run, command.unit, command.mission)


def _cap_refusals(state: State, group: str, mission: str) -> Iterator[Refusal]:
    """Yield the reasons why a group cannot put another unit into a CAP mission (4.33, 17.2)."""
    if not scenario_rules(state).has_intercepts:
        yield Refusal(Rule("4.11"), "this scenario has no missions of this kind")
    if state.groups[group].marker == LEEWARD_MARKER:
        text = "a group on a Leeward Move cannot keep CAP; launch an intercept mission"
        yield Refusal(Rule("17.2"), text)
    own_missions = [
        name for name, mission_state in state.missions.items() if mission_state.cap == group
    ]
    if sum(len(mission_units(state, name)) for name in own_missions) >= CAP_UNITS:
        yield Refusal(
            Rule("4.33"), f"a task group can have at most {CAP_UNITS} units in its CAP box"
        )
    if mission in own_missions:
        return
    if mission in state.missions:
        yield Refusal(Rule("4.33"), "this is not a CAP mission of the unit's group")
        return
    yield from new_mission_refusals(state, mission, _CAP_KINDS)
    if len(own_missions) >= CAP_MISSIONS:
        yield Refusal(Rule("4.33"), f"a task group can have at most {CAP_MISSIONS} CAP missions")
