"""Strategic ground transport by sea for units that can make landings, and for the 7th Armour (8.44, 8.49, OP-29)."""

from collections.abc import Iterator
from typing import Final

from typing_extensions import override

from engine.eots.ch06_supply.bitsets import Bits
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch06_supply.supply import supply
from engine.eots.ch06_supply.zoi import zoi_without_units
from engine.eots.ch08_movement.amphibious import ground_units
from engine.eots.ch08_movement.areas import closed_to_ground, coastal_hexes
from engine.eots.ch08_movement.course import finish_move, move_stack
from engine.eots.ch08_movement.fleet import (
    carrier_ranges,
    enemy_zones,
    has_ground,
    has_naval,
    naval_hexes,
    place_bit,
    unneutralised_enemy_zones,
)
from engine.eots.ch08_movement.legs import HALVES_PER_HEX, LANDING, Leg, LegCommand
from engine.eots.ch08_movement.naval import strategic_allowance
from engine.eots.ch08_movement.search import (
    distance_layers,
    hexes_within_by_sea,
    sea_steps,
    shortest_path,
    troop_sea,
    union_layers,
)
from engine.eots.commands import Transport
from engine.eots.counters import counters
from engine.eots.flow import EotsRun
from engine.eots.frames import Purpose, StackFrame
from engine.eots.ids import HexId, Side
from engine.eots.rulings import STRATEGIC_ZOI
from engine.eots.state import Mode, State, current_offensive
from engine.kernel.ids import Refusal, Rule


def _is_transport_capable(frame: StackFrame) -> bool:
    rows = [counters()[unit].ground for unit in ground_units(frame.units)]
    return bool(rows) and all(row is not None and row.strategic_ground_transport for row in rows)


def _transport_water(state: State, frame: StackFrame, *, uses_strategic_ships: bool) -> Bits:
    """Return the sea hexes that transports may enter (8.44, 6.4).

    Ships in strategic movement do not neutralise zones.
    """
    bitsets = occupancy(state).bitsets
    allowed_hexes = troop_sea(bitsets)
    if uses_strategic_ships or not carrier_ranges(state, frame.units):
        allowed_hexes &= ~_blocking_zones(state, frame, uses_strategic_ships=uses_strategic_ships)
    if not has_naval(frame.units):
        allowed_hexes &= ~naval_hexes(state, frame.side.enemy)  # 8.11
    return allowed_hexes


def _blocking_zones(state: State, frame: StackFrame, *, uses_strategic_ships: bool) -> Bits:
    """Return the enemy zones that are unneutralised while the stack moves (6.4)."""
    if uses_strategic_ships:
        return zoi_without_units(state, frame.units).open_zones[frame.side.enemy]
    return unneutralised_enemy_zones(state, frame.side)


def _transport_allowance(state: State, frame: StackFrame, *, uses_strategic_ships: bool) -> int:
    """Return the range of a transport in hexes.

    It is doubled from a port if the ships can move that far (8.44, 8.23).
    """
    hex_occupancy = occupancy(state)
    from_port = bool(place_bit(hex_occupancy, frame.at) & hex_occupancy.bitsets.ports)
    if from_port and (uses_strategic_ships or not has_naval(frame.units)):
        return strategic_allowance(state)
    return current_offensive(state).naval_move


def _transport_ports(state: State, frame: StackFrame) -> Bits:
    """Return the friendly ports without enemy units that the troops may enter (8.4, 8.44, OP-26)."""
    hex_occupancy = occupancy(state)
    ports = (
        hex_occupancy.controlled[frame.side]
        & hex_occupancy.bitsets.ports
        & ~hex_occupancy.anyone[frame.side.enemy]
    )
    for unit in ground_units(frame.units):
        ports &= ~closed_to_ground(hex_occupancy.bitsets, counters()[unit])
    return ports & ~place_bit(hex_occupancy, frame.at)


def _transport_layers(state: State, frame: StackFrame, *, uses_strategic_ships: bool) -> Bits:
    hex_occupancy = occupancy(state)
    start_bit = place_bit(hex_occupancy, frame.at)
    max_hexes = _transport_allowance(state, frame, uses_strategic_ships=uses_strategic_ships)
    # The hexes in reach when zones are ignored are cached, so this test often avoids the costly
    # search below.
    ports = _transport_ports(state, frame) & hexes_within_by_sea(
        hex_occupancy.bitsets, start_bit, max_hexes
    )
    if not ports:
        return 0
    allowed_hexes = _transport_water(state, frame, uses_strategic_ships=uses_strategic_ships)
    if not start_bit & allowed_hexes and not STRATEGIC_ZOI.uses_alternative(state.options):  # OP-21
        return 0
    ports &= union_layers(
        distance_layers(sea_steps(hex_occupancy.bitsets), start_bit, max_hexes, allowed_hexes)
    )
    if not ports:
        return 0
    eligible_ports = supply(state).eligible_ports(frame.side)
    return hex_occupancy.bitsets.from_indexes(
        i for i in hex_occupancy.bitsets.indexes(ports) if i in eligible_ports
    )


def is_strategic_transport(state: State, frame: StackFrame, destination: str) -> bool:
    """Return whether the ships of a transport must move strategically to reach a port (8.23, 8.44)."""
    if not has_naval(frame.units):
        return False
    bit = place_bit(occupancy(state), destination)
    return not bit & _transport_layers(state, frame, uses_strategic_ships=False)


def transport_path(state: State, frame: StackFrame, destination: str) -> tuple[HexId, ...]:
    """Return the hexes that the stack enters in strategic ground transport (8.44)."""
    hex_occupancy = occupancy(state)
    strategic_ships = is_strategic_transport(state, frame, destination)
    path = shortest_path(
        hex_occupancy.bitsets,
        sea_steps(hex_occupancy.bitsets),
        place_bit(hex_occupancy, frame.at),
        place_bit(hex_occupancy, destination),
        max_distance=_transport_allowance(state, frame, uses_strategic_ships=strategic_ships),
        allowed_hexes=_transport_water(state, frame, uses_strategic_ships=strategic_ships),
        zoi_hexes=enemy_zones(state, frame.side),
    )
    assert path is not None
    return path


class StrategicGroundTransport(Leg):
    """Carries ground units from a friendly coast to a friendly port (8.44)."""

    kind = Transport
    movers = "ground units can be transported"

    @override
    def can_move(self, frame: StackFrame) -> bool:
        """Return whether the stack includes troops and none of them has moved. Ships may accompany the troops."""
        return has_ground(frame.units) and frame.purpose is Purpose.OFFENSIVE and frame.mode is None

    @override
    def reachable_hexes(self, state: State, frame: StackFrame) -> Bits:
        hex_occupancy = occupancy(state)
        start = (
            place_bit(hex_occupancy, frame.at)
            & coastal_hexes(hex_occupancy.bitsets)
            & hex_occupancy.controlled[frame.side]
        )
        if not start or not _is_transport_capable(frame):
            return 0
        layers = _transport_layers(state, frame, uses_strategic_ships=False)
        if has_naval(frame.units) and start & hex_occupancy.bitsets.ports:
            layers |= _transport_layers(state, frame, uses_strategic_ships=True)
        return layers

    @override
    def refusals(
        self, state: State, frame: StackFrame, role: Side, command: LegCommand
    ) -> Iterator[Refusal]:
        """Yield every reason why strategic ground transport may not go to a port (8.44, OP-21, OP-26)."""
        if frame.purpose is not Purpose.OFFENSIVE:
            yield Refusal(Rule("8.44"), "only offensive units move strategically")
        elif frame.mode is not None:
            yield Refusal(
                Rule("8.4"), "a unit can move in only one way, and these have begun to move"
            )
        elif not _is_transport_capable(frame):
            yield Refusal(Rule("8.44"), "these units cannot be transported by sea")
        else:
            yield from self.place_refusals(state, frame, command.to)

    @override
    def place_refusals(
        self, state: State, frame: StackFrame, destination: str
    ) -> Iterator[Refusal]:
        """Refuse a port that the transport cannot reach."""
        if not place_bit(occupancy(state), destination) & self.named_hexes(state, frame):
            yield Refusal(
                Rule("8.44"),
                f"{destination} is not a supply-eligible friendly port in reach outside unneutralised enemy ZOI",
            )

    @override
    def apply(self, run: EotsRun, frame: StackFrame, role: Side, command: LegCommand) -> None:
        """Carry the units and end the move. The ships move strategically only if necessary."""
        state = run.state
        is_strategic = is_strategic_transport(state, frame, command.to)
        path = transport_path(state, frame, command.to)
        ships = Mode.NAVAL_STRATEGIC if is_strategic else Mode.NAVAL
        modes = {
            unit: Mode.GROUND_STRATEGIC if counters()[unit].is_ground else ships
            for unit in frame.units
        }
        finish_move(
            run,
            move_stack(run, frame, path, mode=LANDING, halves=HALVES_PER_HEX * len(path)),
            modes,
        )


TRANSPORT: Final = StrategicGroundTransport()
