"""Base classes for all kinds of legs. Each kind has a single rule, evaluated on sets of hexes (7.23, 8.2-8.4)."""

from abc import abstractmethod
from collections.abc import Iterator
from functools import cache
from typing import ClassVar, Final

from typing_extensions import override

from engine.eots.ch06_supply.bitsets import Bits
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch08_movement.fleet import place_bit
from engine.eots.commands import (
    Assault,
    AssaultVia,
    BargeAssault,
    Fly,
    FlyStrategic,
    FlyVia,
    March,
    OrganicAssault,
    Sail,
    SailStrategic,
    SailVia,
    Transport,
)
from engine.eots.flow import Action
from engine.eots.frames import Purpose, StackFrame
from engine.eots.ids import HexId, Side
from engine.eots.state import State
from engine.kernel.ids import Refusal, Rule

LegCommand = (
    Sail
    | SailVia
    | SailStrategic
    | Fly
    | FlyVia
    | FlyStrategic
    | March
    | Assault
    | AssaultVia
    | OrganicAssault
    | BargeAssault
    | Transport
)
ON_FOOT: Final = "ground"
AT_SEA: Final = "naval"
IN_AIR: Final = "air"
LANDING: Final = "landing"
"""The modes of a moving stack: on foot, at sea, in the air or landing."""
HALVES_PER_HEX: Final = 2
"""Cost of a sea hex or a flight leg, in half movement points."""


@cache
def leg_command(kind: type[LegCommand], destination: str) -> LegCommand:
    """Return the command of the given type for this destination. Results are cached."""
    return kind(to=HexId(destination))


class Leg(Action[StackFrame, LegCommand]):
    """Base class for the rule of one kind of leg."""

    kind: type[LegCommand]
    is_exact = True
    movers: ClassVar[str]
    """Clause that states which units move this way, such as "ships sail". Used in refusals."""

    @abstractmethod
    def can_move(self, frame: StackFrame) -> bool:
        """Return whether these units can currently move this way (8.4)."""

    @abstractmethod
    def reachable_hexes(self, state: State, frame: StackFrame) -> Bits:
        """Return the hexes that the leg can reach. Call this only if :meth:`can_move` is true."""

    @abstractmethod
    def place_refusals(
        self, state: State, frame: StackFrame, destination: str
    ) -> Iterator[Refusal]:
        """Yield every reason why the leg may not go to a place. Call this only if :meth:`can_move` is true."""

    def named_hexes(self, state: State, frame: StackFrame) -> Bits:
        """Return the hexes that the command may name as its destination."""
        return self.reachable_hexes(state, frame) if self.can_move(frame) else 0

    @override
    def candidates(self, state: State, frame: StackFrame, role: Side) -> Iterator[LegCommand]:
        """Yield a command for every hex in reach, in hex order."""
        for hex_id in occupancy(state).bitsets.ids(self.named_hexes(state, frame)):
            yield leg_command(self.kind, hex_id)

    @override
    def refusals(
        self, state: State, frame: StackFrame, role: Side, command: LegCommand
    ) -> Iterator[Refusal]:
        """Yield every reason why a leg is illegal, or a single refusal if the units cannot move this way at all."""
        if self.can_move(frame):
            yield from self.place_refusals(state, frame, command.to)
        else:
            yield Refusal(Rule("8.4"), f"only {self.movers}, not {', '.join(frame.units)}")

    @override
    def is_legal(self, state: State, frame: StackFrame, role: Side, command: LegCommand) -> bool:
        return bool(self.named_hexes(state, frame) & place_bit(occupancy(state), command.to))

    @override
    def is_open(self, state: State, frame: StackFrame, role: Side) -> bool:
        return bool(self.named_hexes(state, frame))


class WayPoint(Leg):
    """A leg to a way point, where the stack does not end its move. A stack's route matters only in step 2 (7.25E)."""

    rule: ClassVar[Rule]
    """The rule to cite when a way point is refused."""

    @override
    def place_refusals(
        self, state: State, frame: StackFrame, destination: str
    ) -> Iterator[Refusal]:
        """Yield the reasons why a hex cannot be a way point."""
        if frame.purpose is not Purpose.OFFENSIVE:
            yield Refusal(self.rule, "way points matter only in offensive movement")
        elif not place_bit(occupancy(state), destination) & self.reachable_hexes(state, frame):
            yield Refusal(self.rule, f"from {destination}, the move could not end legally")
