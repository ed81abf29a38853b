"""The drop of the airborne division that a card allows between moves (A-69, CP-17)."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.eots.board import board
from engine.eots.cards.activation_limits import active_steps
from engine.eots.ch06_supply.bitsets import Bits
from engine.eots.ch06_supply.control import controls, units_at
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch06_supply.supply import supply
from engine.eots.ch06_supply.zoi import zoi
from engine.eots.ch08_movement.areas import closed_to_ground, enterable_hexes, entry_refusals
from engine.eots.ch08_movement.search import hexes_within
from engine.eots.commands import AirDrop
from engine.eots.counters import counters
from engine.eots.deck_campaign import AirborneDrop
from engine.eots.events.units import UnitPlaced
from engine.eots.flow import Action, EotsRun
from engine.eots.frames import MovementFrame, Purpose
from engine.eots.hex_control import capture_hexes
from engine.eots.ids import HexId, Side
from engine.eots.state import State, current_offensive
from engine.kernel.ids import Refusal, Rule

_RULE: Final = Rule("5.31")


def airborne_drop(state: State, frame: MovementFrame) -> AirborneDrop | None:
    """Return the drop that the offensive's card allows, or None if it allows none."""
    if frame.purpose is not Purpose.OFFENSIVE:
        return None
    return next(iter(active_steps(state, frame.side, AirborneDrop)), None)


def _drop_reach(state: State, drop: AirborneDrop) -> Bits:
    """Return the hexes within range of a suitable air unit that is in supply at the division's airfield."""
    hex_occupancy, place = occupancy(state), state.units[drop.unit].at
    index = hex_occupancy.bitsets.board.index.get(HexId(place))
    if index is None or not hex_occupancy.bitsets.board.is_airfield[index]:
        return 0
    ranges = [
        counters()[unit].strength(state.units[unit].steps).reach
        for unit in units_at(state).get(place, ())
        if drop.carried_by.matches(counters()[unit]) and supply(state).is_supplied(unit)
    ]
    return hexes_within(hex_occupancy.bitsets, index, max(ranges)) if ranges else 0


def drop_hexes(state: State, frame: MovementFrame) -> Bits:
    """Return the hexes into which the division may be dropped now (CP-17)."""
    drop = airborne_drop(state, frame)
    if drop is None or any(_division_refusals(state, frame, drop)):
        return 0
    hex_occupancy = occupancy(state)
    land = (
        hex_occupancy.controlled[Side.JAPAN] | hex_occupancy.controlled[Side.ALLIED]
    ) & enterable_hexes(hex_occupancy.bitsets)
    unoccupied_hexes = land & ~hex_occupancy.anyone[Side.JAPAN] & ~hex_occupancy.anyone[Side.ALLIED]
    unoccupied_hexes &= ~closed_to_ground(hex_occupancy.bitsets, counters()[drop.unit])
    return unoccupied_hexes & ~zoi(state).open_zones[frame.side.enemy] & _drop_reach(state, drop)


def _division_refusals(state: State, frame: MovementFrame, drop: AirborneDrop) -> Iterator[Refusal]:
    """Yield the reasons why the division cannot be dropped anywhere."""
    if drop.unit in frame.halted:
        yield Refusal(_RULE, f"{drop.unit} has already been dropped")
    elif drop.unit in current_offensive(state).activated:
        yield Refusal(_RULE, f"{drop.unit} is activated for the offensive")
    elif not _drop_reach(state, drop):
        yield Refusal(_RULE, f"{drop.unit} is not on an airfield with a supplied US air unit")


class AirDropping(Action[MovementFrame, AirDrop]):
    """Drops the division into an empty hex in range and captures that hex. It drops only once (6.5, CP-17)."""

    kind = AirDrop

    @override
    def candidates(self, state: State, frame: MovementFrame, role: Side) -> Iterator[AirDrop]:
        for hex_id in occupancy(state).bitsets.ids(drop_hexes(state, frame)):
            yield AirDrop(to=hex_id)

    @override
    def refusals(
        self, state: State, frame: MovementFrame, role: Side, command: AirDrop
    ) -> Iterator[Refusal]:
        """Yield every reason why the division may not be dropped into a hex (8.41, CP-17)."""
        drop = airborne_drop(state, frame)
        if drop is None:
            yield Refusal(_RULE, "no card drops an airborne division now")
            return
        yield from _division_refusals(state, frame, drop)
        hex_occupancy, destination = occupancy(state), command.to
        bit = hex_occupancy.bitsets.bit_by_id.get(destination, 0)
        yield from entry_refusals(hex_occupancy.bitsets, counters()[drop.unit], destination)
        if not board().hexes[destination].is_land or not bit & enterable_hexes(
            hex_occupancy.bitsets
        ):
            yield Refusal(_RULE, f"{destination} is not land")
        if bit & (hex_occupancy.anyone[Side.JAPAN] | hex_occupancy.anyone[Side.ALLIED]):
            yield Refusal(_RULE, f"{destination} is occupied")
        if bit & zoi(state).open_zones[frame.side.enemy]:
            yield Refusal(_RULE, f"{destination} is in unneutralised enemy ZOI")
        if not bit & _drop_reach(state, drop):
            yield Refusal(
                _RULE, f"{destination} is not within range of an air unit on the airfield"
            )

    @override
    def apply(self, run: EotsRun, frame: MovementFrame, role: Side, command: AirDrop) -> None:
        drop = airborne_drop(run.state, frame)
        assert drop is not None
        rule, steps = Rule(current_offensive(run.state).card), run.state.units[drop.unit].steps
        run.add(UnitPlaced(rule=rule, unit=drop.unit, at=command.to, steps=steps))
        if not controls(run.state, role, command.to):
            capture_hexes(run, role, (command.to,), rule)
        run.replace_top(replace(frame, halted=(*frame.halted, drop.unit)))


AIR_DROP: Final = AirDropping()
