"""Safe Return rolls after all landings in a segment, and deck crashes (4.451, 4.452)."""

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.cbps.air.ch04_fuel import lose_unit
from engine.cbps.commands import CbpsCommand, Land, Wait
from engine.cbps.decks.ch06_decks import NO_SHIP, record_operating_carrier
from engine.cbps.decks.ch06_landing import (
    is_safe_return_needed,
    landing_refusals,
    remove_if_finished,
    roll_safe_return,
)
from engine.cbps.events.air import MissionEnded, UnitMoved
from engine.cbps.events.fleet import DeckCrashed
from engine.cbps.frames import SafeReturnFrame
from engine.cbps.locations import carriers_in, ship_hex, unit_hex, units_at
from engine.cbps.rulings import DECK_CRASHES, is_on
from engine.cbps.run import Action, DecisionHandler, Run
from engine.cbps.seats import commanders, commands_carrier, commands_mission
from engine.cbps.state import State
from engine.kernel.ids import Refusal, Rule


class DivertAction(Action[SafeReturnFrame, Land]):
    """Lands a unit on another carrier after a deck crash (4.452)."""

    kind = Land
    timing = Refusal(Rule("6.28"), "units land in the US Air Operations Segment")

    @override
    def candidates(self, state: State, frame: SafeReturnFrame, role: str) -> Iterable[Land]:
        """Yield a command for each diverted unit that the seat commands and each carrier in the unit's hex."""
        for unit in frame.diverted:
            if commands_diverted_unit(state, role, unit):
                for carrier in carriers_in(state, unit_hex(state, unit)):
                    yield Land(unit=unit, carrier=carrier)

    @override
    def refusals(
        self, state: State, frame: SafeReturnFrame, role: str, command: Land
    ) -> Iterator[Refusal]:
        """Yield the reasons why the unit cannot land on the carrier."""
        yield from _diversion_refusals(state, frame, role, command.unit)
        if command.carrier not in state.ships:
            yield NO_SHIP
        elif not state.game_data.us_ships[command.carrier].is_carrier:
            yield Refusal(Rule("6.28"), "a unit can land only on a carrier")
        elif command.unit in frame.diverted:
            yield from landing_refusals(state, command.unit, command.carrier)

    @override
    def apply(self, run: Run, frame: SafeReturnFrame, role: str, command: Land) -> None:
        """Move the unit to the other carrier, where it will roll Safe Return."""
        record_operating_carrier(run, command.carrier)
        unit, carrier = command.unit, command.carrier
        run.add(UnitMoved(unit=unit, place="landed", at=carrier, why="divert"))
        remaining_units = tuple(
            (name, carrier if name == unit else old_unit, fuel)
            for name, old_unit, fuel in frame.left
        )
        diverted_units = tuple(
            diverted_unit for diverted_unit in frame.diverted if diverted_unit != unit
        )
        run.replace_top(replace(frame, left=remaining_units, diverted=diverted_units))


class WaitAction(Action[SafeReturnFrame, Wait]):
    """Keeps a unit in the air for another phase after a deck crash (4.452)."""

    kind = Wait
    timing = Refusal(
        Rule("4.452"), "a unit stays in the air only when a crash has closed its carrier"
    )

    @override
    def candidates(self, state: State, frame: SafeReturnFrame, role: str) -> Iterable[Wait]:
        """Yield one command for each unit whose carrier has had a deck crash."""
        return [Wait(unit=unit) for unit in frame.diverted]

    @override
    def refusals(
        self, state: State, frame: SafeReturnFrame, role: str, command: Wait
    ) -> Iterator[Refusal]:
        """Yield the reasons why the unit cannot wait."""
        yield from _diversion_refusals(state, frame, role, command.unit)
        if (
            command.unit in frame.diverted
            and state.units[command.unit].came_from not in state.missions
        ):
            yield Refusal(Rule("8.28"), "a search that cannot land is lost")

    @override
    def apply(self, run: Run, frame: SafeReturnFrame, role: str, command: Wait) -> None:
        """Put the unit back into its mission, where it pays no more fuel in this phase (OP-8)."""
        unit = command.unit
        origin = run.state.units[unit].came_from
        run.add(UnitMoved(unit=unit, place="mission", at=origin, why="wait"))
        run.replace_top(_without_unit(frame, unit))


def commands_diverted_unit(state: State, role: str, unit: str) -> bool:
    """Return whether a seat commands a diverted unit's mission or, if it has no mission, its carrier."""
    origin = state.units[unit].came_from
    if origin in state.missions:
        return commands_mission(state, role, origin)
    return commands_carrier(state, role, state.units[unit].at)


def _diversion_refusals(
    state: State, frame: SafeReturnFrame, role: str, unit: str
) -> Iterator[Refusal]:
    if unit not in frame.diverted:
        yield Refusal(Rule("4.452"), "this unit's carrier has not had a deck crash")
    elif not commands_diverted_unit(state, role, unit):
        yield Refusal(Rule("6.1"), "this unit is under another commander")


def _without_unit(frame: SafeReturnFrame, unit: str) -> SafeReturnFrame:
    return replace(
        frame,
        left=tuple(landing for landing in frame.left if landing[0] != unit),
        diverted=tuple(landing for landing in frame.diverted if landing != unit),
    )


class SafeReturnHandler(DecisionHandler[SafeReturnFrame]):
    """Safe Return rolls after all landings in a segment, with diversions after deck crashes (4.451, 4.452)."""

    frame = SafeReturnFrame
    rule = Rule("4.452")
    question = "A deck crash: where does the unit land? (Safe Return)"
    actions = (DivertAction(), WaitAction())
    default_index = 0

    @override
    def active_roles(self, state: State, frame: SafeReturnFrame) -> tuple[str, ...]:
        """Return the commanders who still have a choice for a diverted unit."""
        if not frame.diverted:
            return ()
        return tuple(role for role in commanders(state) if self.is_open(state, frame, role))

    @override
    def step(self, run: Run, frame: SafeReturnFrame) -> None:
        """Roll for the next landing, or leave the frame once every unit has rolled."""
        if frame.diverted:
            for unit in frame.diverted:  # no carrier can take it, and it cannot wait (8.28)
                lose_unit(run, unit, "no-room")
                frame = _without_unit(frame, unit)
            run.replace_top(frame)
            return
        if not frame.left:
            run.pop()
            # Empty missions were kept until now, because their landed units could have returned to
            # the air (4.452).
            for mission in tuple(run.state.missions):
                if not units_at(run.state, "mission", mission):
                    run.add(MissionEnded(mission=mission))
            return
        _roll_next(run, frame)

    @override
    def default(
        self,
        state: State,
        frame: SafeReturnFrame,
        role: str,
        options: tuple[CbpsCommand, ...],
    ) -> CbpsCommand:
        """Return the first option: another carrier or, if there is none, waiting (D-4.452)."""
        return options[0]


def _roll_next(run: Run, frame: SafeReturnFrame) -> None:
    """Roll for the first landing that is still unresolved (4.451)."""
    unit, carrier, fuel = frame.left[0]
    frame = replace(frame, left=frame.left[1:])
    run.replace_top(frame)
    state = run.state
    if (state.units[unit].place, state.units[unit].at) != ("landed", carrier):
        return  # the unit was pushed overboard before its roll
    hex = ship_hex(state, carrier)
    if not is_safe_return_needed(state, unit, hex, fuel):
        remove_if_finished(run, unit)
        return
    if roll_safe_return(run, unit, hex, fuel):
        remove_if_finished(run, unit)
        return
    lose_unit(run, unit, "landing")
    if is_on(state, DECK_CRASHES) and not state.ships[carrier].is_crashed:
        _check_crash(run, frame, carrier)


def _check_crash(run: Run, frame: SafeReturnFrame, carrier: str) -> None:
    """Roll for a deck crash after a lost unit. A crash diverts the units that must still roll there (4.452)."""
    charts = run.state.game_data.charts
    if run.roll_on_chart(charts.deck_crash, carrier) == "no crash":
        return
    run.add(DeckCrashed(ship=carrier))
    state, hex = run.state, ship_hex(run.state, carrier)
    diverted_units = tuple(
        unit
        for unit, landed_on, fuel in frame.left
        if landed_on == carrier
        and state.units[unit].at == carrier
        and is_safe_return_needed(state, unit, hex, fuel)
    )
    run.replace_top(replace(frame, diverted=diverted_units))


HANDLERS: Final = (SafeReturnHandler(),)
