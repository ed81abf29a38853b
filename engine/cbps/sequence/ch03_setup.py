"""Scenario set-up: the starting position, and the player's placements (2.35, 14.11)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.cbps.air.ch04_fuel import is_fighter
from engine.cbps.air.ch04_missions import free_display
from engine.cbps.commands import Cap, Done, Place, Station
from engine.cbps.data.scenarios_file import Scenario
from engine.cbps.decks.ch06_decks import LEEWARD_MARKER
from engine.cbps.decks.ch06_launch import CAP_MISSIONS, CAP_UNITS
from engine.cbps.decks.ch17_wind import deploy_group_cap, set_wind
from engine.cbps.events.air import MissionEnded, MissionFormed, MissionMoved, UnitMoved
from engine.cbps.events.boats import BoatPlaced
from engine.cbps.events.fleet import GroupDetached, GroupMoved
from engine.cbps.frames import SetupFrame, TurnFrame
from engine.cbps.game_data import GameData
from engine.cbps.ids import ABOARD, BATTLE_LINE, Box
from engine.cbps.intelligence.ch07_fleet import initial_fleet_forces
from engine.cbps.position import Position
from engine.cbps.rulings import (
    DOUBLE_FORCES,
    LATER_RULINGS,
    LEEWARD,
    LINE_AHEAD,
    RULINGS,
    WITHOUT_58_1,
    WITHOUT_BOATS,
    is_on,
)
from engine.cbps.run import Action, Run
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.seats import US, commands_carrier, group_commanders, staff_seats
from engine.cbps.segment import SegmentDoneAction, SegmentQuestion
from engine.cbps.sequence.ch03_sequence import begin_turn
from engine.cbps.state import AirUnit, Boat, Force, Group, Hull, LandBase, Mission, State, UsShip
from engine.cbps.surface.ch06_groups import share_lights
from engine.kernel.errors import DataError
from engine.kernel.ids import Refusal, Rule
from engine.kernel.lexicon import suggestion_or_list
from engine.kernel.rulings import check_options

_CAP_AT_START: Final = 2
_READY_UNIT_COUNTS: Final[Mapping[str, int]] = {"CV": 2, "CVL": 1}
_OMITTED_GROUP: Final = "58.1"
"""The group omitted in the 24.1 variant."""


# -- the starting position


def starting_position(game_data: GameData, scenario: str, options: Mapping[str, str]) -> Position:
    """Return a scenario's position before the player places anything.

    Raises:
        DataError: The scenario, an option or its value is unknown.
    """
    if scenario not in game_data.scenarios:
        hint = suggestion_or_list(scenario, game_data.scenarios)
        raise DataError("scenario", "", f"there is no scenario '{scenario}'{hint}")
    check_options(RULINGS, options)
    chosen = {
        ruling.id: ruling.value(options)
        for ruling in RULINGS
        if ruling not in LATER_RULINGS or ruling.id in options
    }
    position = Position(scenario=scenario, options=chosen)
    data = game_data.scenarios[scenario]
    has_options = scenario_rules(position).has_full_rules
    groups = tuple(
        group
        for group in data.us.task_groups
        if not (has_options and chosen[WITHOUT_58_1.id] == "on" and group == _OMITTED_GROUP)
    )
    ships = _starting_ships(game_data, data, groups)
    units, missions = _starting_air(game_data, scenario, ships)
    commanders = group_commanders(groups, len(staff_seats(chosen)))
    has_boats = has_options and chosen[WITHOUT_BOATS.id] != "on"
    has_doubles = has_options and chosen[DOUBLE_FORCES.id] == "on"
    changes = game_data.charts.l1_chit_mix.rule_7_5_changes
    has_wind = has_options and chosen[LEEWARD.id] == "on"
    marker = LEEWARD_MARKER if has_wind and data.us.leeward_marker_at_start else ""  # 17.5
    return Position(
        scenario=scenario,
        options=chosen,
        ships=ships,
        units=units,
        missions={name: _with_commander(mission, commanders) for name, mission in missions.items()},
        groups={
            group: Group(
                hex=data.us.task_force_58_hex,
                marker=marker if group != BATTLE_LINE else "",
                commander=commanders[group],
            )
            for group in groups
        },
        boats=_starting_submarines(game_data, data) if has_boats else {},
        guam=LandBase(air_value=data.japan.guam_air_value or 0),
        forces={**_starting_forces(data), **initial_fleet_forces(game_data, position)},
        hulls={
            ship: Hull(force=force.id)
            for force in data.japan.forces
            for ship in (*force.carriers, *force.screen)
        },
        level_1_cup=_level_1_cup(game_data, data, has_doubles=has_doubles),
        double_chits=tuple(changes.set_aside_for_double) if has_doubles else (),
    )


def _with_commander(mission: Mission, commanders: Mapping[str, str]) -> Mission:
    group = mission.cap or mission.groups[0]
    return Mission(
        kind=mission.kind,
        hex=mission.hex,
        cap=mission.cap,
        fuel=mission.fuel,
        groups=mission.groups,
        commander=commanders[group],
    )


def _starting_ships(
    game_data: GameData, data: Scenario, groups: tuple[str, ...]
) -> dict[str, UsShip]:
    ships = {
        ship: UsShip(group=group) for group in groups for ship in game_data.task_groups[group].ships
    }
    extra_carrier = data.us.extra_carrier
    if extra_carrier is not None and extra_carrier.tg in groups:
        ships[extra_carrier.id] = UsShip(group=extra_carrier.tg)
    return ships


def _starting_air(
    game_data: GameData, scenario: str, ships: Mapping[str, UsShip]
) -> tuple[dict[str, AirUnit], dict[str, Mission]]:
    """Return the air units and missions at the start, in a default placement if the player may set up freely."""
    data = game_data.scenarios[scenario]
    units: dict[str, AirUnit] = {}
    missions: dict[str, Mission] = {}
    for number, cap in enumerate(data.us.cap, 1):
        name = f"intercept-{number}"
        missions[name] = Mission(kind="intercept", cap=cap.tg)
        units.update({unit: AirUnit(place="mission", at=name) for unit in cap.units})
    for unit in data.us.ready:
        units[unit] = AirUnit(place="ready", at=game_data.air_units[unit].carrier)
    for place, strike in enumerate(data.us.strikes):
        missions[strike.id] = Mission(
            kind="strike",
            hex=data.japan.forces[place % len(data.japan.forces)].hex,
            fuel=strike.fuel,
            groups=(strike.tg,),
        )
        units.update({unit: AirUnit(place="mission", at=strike.id) for unit in strike.units})
    if data.us.air_setup:
        has_cap = scenario_rules(Position(scenario=scenario)).has_intercepts
        _place_default_air(game_data, ships, units, missions, has_cap=has_cap)
    return units, missions


def _place_default_air(
    game_data: GameData,
    ships: Mapping[str, UsShip],
    units: dict[str, AirUnit],
    missions: dict[str, Mission],
    *,
    has_cap: bool,
) -> None:
    """Place CAP over each carrier group if allowed, then fill Ready, Servicing and Hangar boxes, attackers first."""
    limits = game_data.charts.carrier_operations_limits
    cap_units: dict[str, int] = {}
    for carrier, ship in ships.items():
        card = game_data.us_ships[carrier]
        if not card.is_carrier:
            continue
        ready_count, servicing = 0, 0
        fighters = [
            fighter
            for fighter in game_data.carrier_units(carrier)
            if game_data.is_fighter(fighter.id)
        ]
        other_units = [
            fighter
            for fighter in game_data.carrier_units(carrier)
            if not game_data.is_fighter(fighter.id)
        ]
        group = ship.group
        is_short = has_cap and cap_units.get(group, 0) < _CAP_AT_START
        if card.type == "CV" and fighters and is_short:
            name = next((key for key, fighter in missions.items() if fighter.cap == group), "")
            if not name:
                name = f"intercept-{len(missions) + 1}"
                missions[name] = Mission(kind="intercept", cap=group)
            units[fighters.pop(0).id] = AirUnit(place="mission", at=name)
            cap_units[group] = cap_units.get(group, 0) + 1
        for unit in (*other_units, *fighters):
            place: Box = "hangar"
            if ready_count < _READY_UNIT_COUNTS[card.type]:
                place, ready_count = "ready", ready_count + 1
            elif servicing < limits.look_up("servicing", card.type):
                place, servicing = "servicing", servicing + 1
            units[unit.id] = AirUnit(place=place, at=carrier)


def _starting_submarines(game_data: GameData, data: Scenario) -> dict[str, Boat]:
    suggested_hexes = game_data.common.historical_submarines.hexes
    return {boat: Boat(hex=suggested_hexes[boat]) for boat in data.us.submarines}


def _starting_forces(data: Scenario) -> dict[str, Force]:
    return {
        force.id: Force(
            hex=force.hex,
            level=4,
            is_carrier=True,
            detection="L",
            raids=1,  # the force counts as having launched raids (5.32)
            first_carriers=force.carriers,
        )
        for force in data.japan.forces
    }


def _level_1_cup(game_data: GameData, data: Scenario, *, has_doubles: bool) -> dict[str, int]:
    """Return the chits in the level-1 cup at the start, after any exchange for double forces (7.51)."""
    cup: dict[str, int] = {str(chit): count for chit, count in data.japan.l1_cup.items()}
    if has_doubles:
        changes = game_data.charts.l1_chit_mix.rule_7_5_changes
        for chit, count in changes.add.items():
            cup[chit] = cup.get(chit, 0) + count
        for chit, count in changes.remove.items():
            cup[chit] -= count
    return cup


# -- the player's placements


def begin_setup(run: Run) -> None:
    """Begin the set-up, followed by the first turn."""
    run.push(TurnFrame())
    run.push(SetupFrame())


class PlaceAction(Action[SetupFrame, Place]):
    """Moves an air unit to a box of its carrier."""

    kind = Place
    timing = Refusal(Rule("6.22"), "boxes can be chosen freely only at set-up")

    @override
    def candidates(self, state: State, frame: SetupFrame, role: str) -> Iterable[Place]:
        """Yield a command to move each unit on the seat's carriers to each other box."""
        for unit, unit_state in state.units.items():
            if commands_carrier(state, role, state.game_data.air_units[unit].carrier):
                for box in ABOARD[:3]:
                    if box != unit_state.place:
                        yield Place(unit=unit, box=box)

    @override
    def refusals(
        self, state: State, frame: SetupFrame, role: str, command: Place
    ) -> Iterator[Refusal]:
        """Yield the reasons why the unit cannot be placed in the box (6.22)."""
        if not state.game_data.scenarios[state.scenario].us.air_setup:
            yield Refusal(Rule("4.16"), "this scenario places the air units itself")
            return
        if command.unit not in state.units:
            yield Refusal(Rule("6.2"), "this unit is not in play")
            return
        carrier = state.game_data.air_units[command.unit].carrier
        if not commands_carrier(state, role, carrier):
            yield Refusal(Rule("6.13"), "this carrier is not in your task groups")
        if command.box == "landed":
            yield Refusal(Rule("6.21"), "nothing has landed before the first turn")
            return
        if state.units[command.unit].place == command.box:
            yield Refusal(Rule("6.21"), "it is already there")
        card = state.game_data.us_ships[carrier]
        limits = state.game_data.charts.carrier_operations_limits
        room = {
            "ready": limits.look_up("flight_deck", card.type),
            "servicing": limits.look_up("servicing", card.type),
        }.get(command.box)
        unit_count = sum(
            unit.at == carrier and unit.place == command.box for unit in state.units.values()
        )
        if room is not None and unit_count >= room:
            yield Refusal(Rule("6.22"), f"the {command.box} box of this carrier is full")

    @override
    def apply(self, run: Run, frame: SetupFrame, role: str, command: Place) -> None:
        """Move the unit, and end a CAP mission that has no units left."""
        old_unit = run.state.units[command.unit]
        carrier = run.state.game_data.air_units[command.unit].carrier
        run.add(UnitMoved(unit=command.unit, place=command.box, at=carrier, why="setup"))
        if old_unit.place == "mission" and all(
            unit.at != old_unit.at for unit in run.state.units.values()
        ):
            run.add(MissionEnded(mission=old_unit.at))


class StartCapAction(Action[SetupFrame, Cap]):
    """Lets a fighter start in a CAP box (4.33)."""

    kind = Cap

    @override
    def candidates(self, state: State, frame: SetupFrame, role: str) -> Iterable[Cap]:
        """Yield a command for each fighter aboard to start in a new or existing CAP mission of its group."""
        if not scenario_rules(state).has_intercepts:
            return
        new_display = free_display(state)
        for unit, unit_state in state.units.items():
            carrier = state.game_data.air_units[unit].carrier
            if unit_state.place == "mission" or not commands_carrier(state, role, carrier):
                continue
            group = state.ships[carrier].group
            for name, mission in state.missions.items():
                if mission.cap == group:
                    yield Cap(unit=unit, mission=name)
            if new_display:
                yield Cap(unit=unit, mission=f"intercept-{new_display}")

    @override
    def refusals(
        self, state: State, frame: SetupFrame, role: str, command: Cap
    ) -> Iterator[Refusal]:
        """Yield the reasons why the unit cannot start on CAP (4.31, 4.33)."""
        if not state.game_data.scenarios[state.scenario].us.air_setup:
            yield Refusal(Rule("4.16"), "this scenario places the air units itself")
            return
        if not scenario_rules(state).has_intercepts:
            yield Refusal(Rule("4.11"), "this scenario has no missions of this kind")
        unit_state = state.units.get(command.unit)
        if unit_state is None or unit_state.place == "mission":
            yield Refusal(Rule("4.33"), "this unit is not aboard a carrier")
            return
        card = state.game_data.air_units[command.unit]
        if not commands_carrier(state, role, card.carrier):
            yield Refusal(Rule("6.13"), "this carrier is not in your task groups")
        if not is_fighter(state, command.unit):
            yield Refusal(Rule("4.31"), "only fighters fly CAP")
        group = state.ships[card.carrier].group
        own_spaces = {
            name: mission_state
            for name, mission_state in state.missions.items()
            if mission_state.cap == group
        }
        if (
            sum(mission_state.at in own_spaces for mission_state in state.units.values())
            >= CAP_UNITS
        ):
            yield Refusal(Rule("4.33"), "the group already has three CAP units")
        if command.mission not in own_spaces:
            if command.mission != f"intercept-{free_display(state)}":
                yield Refusal(
                    Rule("4.13"),
                    "this is neither a CAP mission of the group nor the next free display",
                )
            if len(own_spaces) >= CAP_MISSIONS:
                yield Refusal(Rule("4.33"), "the group already has two CAP missions")

    @override
    def apply(self, run: Run, frame: SetupFrame, role: str, command: Cap) -> None:
        group = run.state.ships[run.state.game_data.air_units[command.unit].carrier].group
        if command.mission not in run.state.missions:
            run.add(
                MissionFormed(
                    mission=command.mission, kind_of="intercept", cap=group, commander=role
                )
            )
        run.add(UnitMoved(unit=command.unit, place="mission", at=command.mission, why="setup"))


class StationAction(Action[SetupFrame, Station]):
    """Places a submarine (14.11), a strike in Scenario 2, or the Battle Line ahead of TF 58 (Scenario 7A)."""

    kind = Station
    timing = Refusal(Rule("14.11"), "this can be placed only at set-up")

    @override
    def candidates(self, state: State, frame: SetupFrame, role: str) -> Iterable[Station]:
        """Yield a command for each possible hex of each submarine, strike or group. Submarines can start anywhere."""
        if role != US:
            return
        hexes = state.game_data.map.hexes
        for boat in state.boats:
            for name in hexes if boat not in frame.stationed else ():
                yield Station(name=boat, hex=name)
        targets = tuple(dict.fromkeys(force.hex for force in state.forces.values()))
        for mission, mission_state in state.missions.items():
            if mission_state.kind == "strike":
                for name in targets:
                    yield Station(name=mission, hex=name)
        if BATTLE_LINE in state.groups:
            for name in _hexes_ahead(state):
                yield Station(name=BATTLE_LINE, hex=name)

    @override
    def refusals(
        self, state: State, frame: SetupFrame, role: str, command: Station
    ) -> Iterator[Refusal]:
        """Yield the reasons why the submarine, strike or group cannot be placed in the hex."""
        if role != US:
            yield Refusal(
                Rule("14.11"),
                "only the first commander places submarines, strikes and the Battle Line",
            )
        if command.hex not in state.game_data.map.hexes:
            yield Refusal(Rule("2.1"), "there is no such hex")
            return
        name = command.name
        if name in frame.stationed:
            yield Refusal(Rule("14.11"), "it has been placed; take the order back to change it")
        elif name in state.boats:
            if state.boats[name].hex == command.hex:
                yield Refusal(Rule("14.11"), "it is already there")
        elif name in state.missions and state.missions[name].kind == "strike":
            if command.hex not in {force.hex for force in state.forces.values()}:
                yield Refusal(
                    Rule("5.1"), "a strike starts in the hex of the force it is to attack"
                )
            elif state.missions[name].hex == command.hex:
                yield Refusal(Rule("5.1"), "it is already there")
        elif name == BATTLE_LINE and name in state.groups and _max_hexes_ahead(state):
            if command.hex not in _hexes_ahead(state):
                yield Refusal(
                    Rule("6.12"), "the Battle Line can start at most 2 hexes west of TF 58"
                )
            elif state.groups[name].hex == command.hex:
                yield Refusal(Rule("6.12"), "it is already there")
        else:
            yield Refusal(Rule("14.11"), "this cannot be placed at set-up")

    @override
    def apply(self, run: Run, frame: SetupFrame, role: str, command: Station) -> None:
        name = command.name
        run.replace_top(replace(frame, stationed=(*frame.stationed, name)))
        if name in run.state.boats:
            run.add(BoatPlaced(boat=name, hex=command.hex, why="setup"))
        elif name in run.state.missions:
            # With this reason, the move does not count as the mission's move of the segment.
            run.add(MissionMoved(mission=name, hex=command.hex, why="wrong-target"))
        else:
            run.add(GroupMoved(group=name, hex=command.hex))
            share_lights(run, command.hex)
            run.add(GroupDetached(group=name, is_detached=command.hex != _starting_hex(run.state)))


def _starting_hex(state: State) -> str:
    return state.game_data.scenarios[state.scenario].us.task_force_58_hex


def _max_hexes_ahead(state: State) -> int:
    """Return the number of hexes that the Battle Line may start ahead (Scenario 7A)."""
    if not is_on(state, LINE_AHEAD):
        return 0
    variants = state.game_data.scenarios[state.scenario].variants
    return max((variant.battle_line_ahead_hexes for variant in variants), default=0)


def _hexes_ahead(state: State) -> tuple[str, ...]:
    """Return the hexes where the Battle Line may start: with TF 58 or west of it. Empty if it may not start ahead."""
    max_hexes, start_hex, grid = (
        _max_hexes_ahead(state),
        _starting_hex(state),
        state.game_data.map.grid,
    )
    if not max_hexes:
        return ()
    return tuple(
        name
        for name in grid.within(start_hex, max_hexes)
        if name == start_hex or grid.centre(name)[0] < grid.centre(start_hex)[0]
    )


class SetupQuestion(SegmentQuestion[SetupFrame]):
    """The player's placements before the first turn."""

    frame = SetupFrame
    actions = (
        PlaceAction(),
        StartCapAction(),
        StationAction(),
        SegmentDoneAction[SetupFrame](Done),
    )
    rule = Rule("6.22")
    question = "Set up: place air units, CAP and submarines"

    @override
    def prompt(self, state: State, frame: SetupFrame, role: str) -> str:
        """Return the prompt. It mentions only strikes if the scenario fixes all other placements."""
        del frame, role
        if scenario_rules(state).is_free_setup:
            return self.question
        return "Give each strike its target, then begin"

    @override
    def close(self, run: Run, frame: SetupFrame) -> None:
        run.pop()
        set_wind(run)
        begin_turn(run, 0)
        for group in run.state.groups:
            deploy_group_cap(run, group)


HANDLERS: Final = (SetupQuestion(),)
