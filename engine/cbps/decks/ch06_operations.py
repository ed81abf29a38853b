"""The US Air Operations Segment: landings, lights, and the full list of its actions (6.2, 6.43, 17.3)."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec.structs import replace
from typing_extensions import override

from engine.cbps.air.ch04_fuel import mission_units
from engine.cbps.air.ch04_missions import LaunchMoveAction
from engine.cbps.clock import current_light
from engine.cbps.commands import Done, Land, LightUp, Operate
from engine.cbps.decks.ch06_boxes import LowerAction, RaiseAction, ServiceAction, StoreAction
from engine.cbps.decks.ch06_decks import (
    NO_SHIP,
    STATION_MARKER,
    closed_deck_refusals,
    is_open,
    landing_deck_refusals,
)
from engine.cbps.decks.ch06_landing import (
    land_unit,
    landing_fuel,
    may_need_safe_return,
    seat_landing_refusals,
)
from engine.cbps.decks.ch06_launch import CapAction, LaunchAction
from engine.cbps.events.fleet import GroupOperates, LightsSwitched
from engine.cbps.frames import OperationsFrame, SafeReturnFrame
from engine.cbps.locations import (
    all_carriers,
    carriers_in,
    groups_in,
    is_lit,
    mission_hex,
    ships_in_group,
)
from engine.cbps.rulings import CAP_LANDING
from engine.cbps.run import Action, Run
from engine.cbps.seats import commands_group
from engine.cbps.segment import SegmentDoneAction, SegmentQuestion
from engine.cbps.state import State
from engine.kernel.ids import Refusal, Rule

_FLIGHT_ACTIONS: Final = 3
"""Number of flight actions at the start of the list: launch, CAP, launch move."""


class LandAction(Action[OperationsFrame, Land]):
    """Lands a unit of a mission on a carrier in its hex (6.28, 4.433)."""

    kind = Land
    is_exact = True

    @override
    def candidates(self, state: State, frame: OperationsFrame, role: str) -> Iterable[Land]:
        """Yield a landing command for each unit in a mission and each carrier in the hex that can accept a unit."""
        open_in: dict[str, list[str]] = {}
        for name, mission in state.missions.items():
            if (
                mission.commander != role
                or next(_mission_landing_refusals(state, name), None) is not None
            ):
                continue
            hex = mission_hex(state, name)
            if hex not in open_in:
                open_in[hex] = [
                    carrier
                    for carrier in carriers_in(state, hex)
                    if next(landing_deck_refusals(state, carrier), None) is None
                ]
            for unit in mission_units(state, name) if open_in[hex] else ():
                yield from (Land(unit=unit, carrier=carrier) for carrier in open_in[hex])

    @override
    def refusals(
        self, state: State, frame: OperationsFrame, role: str, command: Land
    ) -> Iterator[Refusal]:
        """Yield the reasons why the unit cannot land on the carrier."""
        unit = state.units.get(command.unit)
        if unit is not None and unit.place == "search":
            yield Refusal(Rule("8.28"), "a returning search lands in the Search Segment")
            return
        yield from seat_landing_refusals(state, role, command.unit, command.carrier)
        if unit is not None and unit.place == "mission":
            yield from _mission_landing_refusals(state, unit.at)

    @override
    def apply(self, run: Run, frame: OperationsFrame, role: str, command: Land) -> None:
        """Land the unit. Only this unit pays the fuel for landing, so the mission's marker does not move (4.433)."""
        state = run.state
        fuel = landing_fuel(state, state.units[command.unit].at)
        land_unit(run, command.unit, command.carrier, fuel)
        if may_need_safe_return(run.state, fuel):
            landing = (command.unit, command.carrier, fuel)
            run.replace_top(replace(frame, landings=(*frame.landings, landing)))


def _mission_landing_refusals(state: State, mission: str) -> Iterator[Refusal]:
    """Yield the reasons why a mission's units cannot land."""
    is_barred = CAP_LANDING.uses_alternative(state.options)
    if is_barred and state.missions[mission].cap:
        # OP-6: by default, CAP may land directly from its box
        yield Refusal(Rule("4.33"), "CAP must go on the map before it lands")


class OperateAction(Action[OperationsFrame, Operate]):
    """Chooses the CVL that operates while its group keeps station (17.3)."""

    kind = Operate
    timing = Refusal(Rule("17.3"), "this is chosen in the US Air Operations Segment")

    @override
    def candidates(self, state: State, frame: OperationsFrame, role: str) -> Iterable[Operate]:
        """Yield a command for each carrier in a group that keeps station."""
        for carrier in all_carriers(state.game_data):
            ship = state.ships.get(carrier)
            if ship and ship.group and state.groups[ship.group].marker == STATION_MARKER:
                yield Operate(carrier=carrier)

    @override
    def refusals(
        self, state: State, frame: OperationsFrame, role: str, command: Operate
    ) -> Iterator[Refusal]:
        """Yield the reasons why the carrier cannot be chosen."""
        carrier = command.carrier
        ship = state.ships.get(carrier)
        if ship is None:
            yield NO_SHIP
            return
        if state.game_data.us_ships[carrier].type != "CVL" or not ship.group:
            yield Refusal(
                Rule("17.3"), "only a CVL that is with its group can be chosen to operate"
            )
            return
        group = state.groups[ship.group]
        if not commands_group(state, role, ship.group):
            yield Refusal(Rule("6.1"), "this carrier is under another commander")
        if group.marker != STATION_MARKER:
            yield Refusal(Rule("17.3"), "its group is not keeping station")
        if group.operates:
            yield Refusal(Rule("17.3"), "this group's CVL has already been chosen for the phase")
        if not is_open(state, carrier):
            yield from closed_deck_refusals(state, carrier)

    @override
    def apply(self, run: Run, frame: OperationsFrame, role: str, command: Operate) -> None:
        group = run.state.ships[command.carrier].group
        run.add(GroupOperates(group=group, carrier=command.carrier))


class LightUpAction(Action[OperationsFrame, LightUp]):
    """Switches on the lights of a group and of all other groups in its hex (6.43, 6.431)."""

    kind = LightUp
    timing = Refusal(Rule("6.43"), "lights go on in the US Air Operations Segment")

    @override
    def candidates(self, state: State, frame: OperationsFrame, role: str) -> Iterable[LightUp]:
        """Yield a command for each group at dusk or night, but none by day."""
        if current_light(state) == "day":
            return
        for group in state.groups:
            yield LightUp(group=group)

    @override
    def refusals(
        self, state: State, frame: OperationsFrame, role: str, command: LightUp
    ) -> Iterator[Refusal]:
        """Yield the reasons why the lights cannot be switched on."""
        group = state.groups.get(command.group)
        if group is None or not ships_in_group(state, command.group):
            yield Refusal(Rule("6.43"), "this group is not on the map")
            return
        if not commands_group(state, role, command.group):
            yield Refusal(Rule("6.1"), "this group is under another commander")
        if current_light(state) == "day":
            yield Refusal(Rule("6.42"), "lights can be switched on only at dusk or at night")
        if is_lit(state, group.hex):
            yield Refusal(Rule("6.431"), "the lights in this hex are already on")

    @override
    def apply(self, run: Run, frame: OperationsFrame, role: str, command: LightUp) -> None:
        for group in groups_in(run.state, run.state.groups[command.group].hex):
            run.add(LightsSwitched(group=group, is_lit=True))


class OperationsHandler(SegmentQuestion[OperationsFrame]):
    """The US Air Operations Segment (6.2)."""

    frame = OperationsFrame
    rule = Rule("6.23")
    question = "Launch, service and land (US Air Operations)"
    actions = (
        LaunchAction(),
        CapAction(),
        LaunchMoveAction(),
        RaiseAction(),
        ServiceAction(),
        StoreAction(),
        LowerAction(),
        LandAction(),
        OperateAction(),
        LightUpAction(),
        SegmentDoneAction(Done),
    )

    @override
    def search_order(self) -> tuple[Action[Any, Any], ...]:
        """Return the actions with launches last, because a legal move between boxes is found faster."""
        return (*self.actions[_FLIGHT_ACTIONS:-1], *self.actions[:_FLIGHT_ACTIONS])

    @override
    def close(self, run: Run, frame: OperationsFrame) -> None:
        """Begin the Safe Return rolls after all landings, or end the segment if no rolls are due (4.451)."""
        if frame.landings:
            run.replace_top(SafeReturnFrame(left=frame.landings))
        else:
            run.pop()


HANDLERS: Final = (OperationsHandler(),)
