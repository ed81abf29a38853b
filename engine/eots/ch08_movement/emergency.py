"""Emergency naval and air movement (8.22, 8.32)."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from engine.eots.ch06_supply.bitmap import Bits
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch08_movement.airfields import airfields
from engine.eots.ch08_movement.areas import on_sheet
from engine.eots.ch08_movement.search import ring
from engine.eots.commands import Emergency, EotsCommand
from engine.eots.counters import counters
from engine.eots.events.units import UnitEliminated, UnitPlaced
from engine.eots.flow import EotsDecision, EotsRun, Handler
from engine.eots.frames import EmergencyFrame
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import State
from engine.kernel.decision import Decision
from engine.kernel.ids import Refusal, Role, Rule

NAVAL_HEXES: Final = 10
"""Straight distance of an emergency move at sea (8.22)."""


def _rule(unit: UnitId) -> Rule:
    return Rule("8.32") if counters()[unit].is_air else Rule("8.22")


def emergency_bits(state: State, unit: UnitId) -> Bits:
    """Return the bases in which a displaced unit may be placed (8.22, 8.32, 8.35)."""
    held = occupancy(state)
    counter, piece = counters()[unit], state.units[unit]
    index = held.ground.board.index.get(HexId(piece.at))
    if index is None:
        return 0
    if counter.is_air:
        row = counter.strength(piece.steps)
        hexes = max(row.range, row.extended_range or 0)  # brackets do not matter (8.32)
        return airfields(held, counter.side) & ring(held.ground, index, hexes)
    ports = held.controlled[counter.side] & held.ground.ports & on_sheet(held.ground)
    return ports & ring(held.ground, index, NAVAL_HEXES)


def emergency_options(state: State, unit: UnitId) -> tuple[Emergency, ...]:
    """Return every base for a displaced unit, in ascending order (8.22, 8.32)."""
    ground = occupancy(state).ground
    return tuple(Emergency(unit=unit, to=to) for to in ground.ids(emergency_bits(state, unit)))


def check_emergency(
    state: State, frame: EmergencyFrame, unit: UnitId, to: str
) -> Iterator[Refusal]:
    """Yield every reason why a unit may not be placed in a base (8.22, 8.32)."""
    if unit not in frame.waiting:
        yield Refusal(Rule("8.22"), f"{unit} is not displaced")
        return
    if unit != frame.waiting[0]:
        yield Refusal(_rule(unit), f"{frame.waiting[0]} is placed first")
    if not occupancy(state).ground.of.get(to, 0) & emergency_bits(state, unit):
        what = (
            "friendly airfield in range" if counters()[unit].is_air else "friendly port within 10"
        )
        yield Refusal(_rule(unit), f"{to} is no {what} of {state.units[unit].at}")


class EmergencyHandler(Handler[EmergencyFrame]):
    """Place displaced units one after the other (8.22, 8.32)."""

    frame = EmergencyFrame

    def asked(self, state: State, frame: EmergencyFrame) -> tuple[Side, ...]:
        """Ask the owner of the first waiting unit when there is a choice."""
        if not frame.waiting:
            return ()
        unit = frame.waiting[0]
        choice = len(emergency_options(state, unit)) > 1
        return (counters()[unit].side,) if choice else ()

    def decision(self, state: State, frame: EmergencyFrame, side: Side) -> EotsDecision:
        """Offer every base of the first waiting unit; the nearest is the default."""
        unit = frame.waiting[0]
        options = emergency_options(state, unit)
        board = occupancy(state).ground.board
        here = HexId(state.units[unit].at)
        commands: tuple[EotsCommand, ...] = options
        return Decision(
            role=Role(side),
            rule=_rule(unit),
            prompt=f"Emergency move of {counters()[unit].name} from {here}",
            options=commands,
            default=min(options, key=lambda option: board.distance(here, option.to)),
        )

    def resolve(
        self,
        run: EotsRun,
        frame: EmergencyFrame,
        side: Side,
        command: EotsCommand,
    ) -> None:
        """Place the unit."""
        assert isinstance(command, Emergency)
        _place(run, frame, command.to)

    def step(self, run: EotsRun, frame: EmergencyFrame) -> None:
        """Place a unit with one base, eliminate one with none, or end."""
        if not frame.waiting:
            run.leave()
            return
        options = emergency_options(run.state, frame.waiting[0])
        _place(run, frame, options[0].to if options else None)

    def why_not(
        self, state: State, frame: EmergencyFrame, side: Side, command: EotsCommand
    ) -> Iterator[Refusal]:
        """Yield the rules against a base."""
        if isinstance(command, Emergency):
            yield from check_emergency(state, frame, command.unit, command.to)
        else:
            yield Refusal(Rule("8.22"), "displaced units are being placed now")


def _place(run: EotsRun, frame: EmergencyFrame, to: HexId | None) -> None:
    unit = frame.waiting[0]
    piece = run.state.units[unit]
    if to is None:
        if piece.is_on_map:
            run.add(UnitEliminated(rule=_rule(unit), unit=unit))
    else:
        run.add(UnitPlaced(rule=_rule(unit), unit=unit, at=to, steps=piece.steps))
    run.replace(replace(frame, waiting=frame.waiting[1:]))
