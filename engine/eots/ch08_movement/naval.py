"""Ship movement: normal, strategic and post-battle (8.2, 7.26, 9.6)."""

from collections.abc import Iterator
from typing import Final

from typing_extensions import override

from engine.eots.ch06_supply.bitsets import Bits
from engine.eots.ch06_supply.occupancy import Occupancy, occupancy
from engine.eots.ch06_supply.zoi import zoi_without_units
from engine.eots.ch07_offensive.activation import fixed_units
from engine.eots.ch07_offensive.escort_carriers import has_limited_unit
from engine.eots.ch08_movement.areas import enterable_hexes
from engine.eots.ch08_movement.battles import naval_ends as reaction_ends
from engine.eots.ch08_movement.course import finish_move, move_stack
from engine.eots.ch08_movement.fleet import (
    carrier_ranges,
    enemy_zones,
    has_ground,
    has_naval,
    place_bit,
    unneutralised_enemy_zones,
)
from engine.eots.ch08_movement.legs import AT_SEA, HALVES_PER_HEX, Leg, LegCommand, WayPoint
from engine.eots.ch08_movement.losers import loser_end_hexes, loser_layers, loser_path
from engine.eots.ch08_movement.outlook import outlook_for
from engine.eots.ch08_movement.post_battle import base_ends, friendly_bases
from engine.eots.ch08_movement.search import (
    distance_layers,
    hexes_within_by_sea,
    open_sea,
    sea_layers,
    sea_steps,
    shortest_path,
    union_layers,
    way_points,
)
from engine.eots.ch17_south_pacific import battle_refusals
from engine.eots.commands import Sail, SailStrategic, SailVia
from engine.eots.flow import EotsRun
from engine.eots.frames import Purpose, StackFrame
from engine.eots.ids import HexId, Side
from engine.eots.rulings import J9_STRATEGIC, STRATEGIC_ZOI
from engine.eots.state import Mode, State, current_offensive
from engine.kernel.ids import Refusal, Rule

NAVAL_BASE: Final = 5
"""Naval movement allowance in hexes per point of operations value (8.1)."""
STRATEGIC_FACTOR: Final = 2
"""Strategic movement multiplies the allowance by this factor (8.23, 8.44)."""


def hexes_left(state: State, frame: StackFrame) -> int:
    """Return the number of hexes that a stack at sea may still enter in normal movement (8.1)."""
    return current_offensive(state).naval_move - len(frame.path)


def friendly_ports(hex_occupancy: Occupancy, side: Side) -> Bits:
    """Return the ports that a side controls (6.5)."""
    return hex_occupancy.controlled[side] & hex_occupancy.bitsets.ports


def offensive_ends(state: State, frame: StackFrame) -> Bits:
    """Return the hexes where ships may end a move in step 2 (8.21-1 to 8.21-4, 7.24). J-1 ships must fight (17.11)."""
    hex_occupancy = occupancy(state)
    view = outlook_for(state, frame)
    ranges = carrier_ranges(state, frame.units)
    is_limited = has_limited_unit(state, frame.units)
    in_port = 0 if fixed_units(state, frame.side) else friendly_ports(hex_occupancy, frame.side)
    end_hexes = in_port | view.landings
    if ranges:
        end_hexes |= view.sea_ends(min(ranges), is_limited=is_limited)
    return (end_hexes & ~view.enemy) | (
        view.battle_hexes & view.landed if is_limited else view.battle_hexes
    )


def sail_ends(state: State, frame: StackFrame) -> Bits:
    """Return the hexes, at any distance, where the stack may end its move (8.21, 7.26, 9.61, 9.62)."""
    match frame.purpose:
        case Purpose.OFFENSIVE:
            return offensive_ends(state, frame)
        case Purpose.REACTION:
            return reaction_ends(state, frame)
        case Purpose.POST_BATTLE:
            if has_ground(frame.units):
                return loser_end_hexes(state, frame)
            return base_ends(state, frame.side, frame.units, frame.origin)


def _reached_layers(state: State, frame: StackFrame) -> tuple[Bits, ...]:
    hex_occupancy = occupancy(state)
    start_bit, max_distance = place_bit(hex_occupancy, frame.at), hexes_left(state, frame)
    if frame.purpose is Purpose.POST_BATTLE and has_ground(frame.units):
        return loser_layers(state, frame, max_distance)
    return sea_layers(hex_occupancy.bitsets, start_bit, max_distance)


def _hexes_in_reach(state: State, frame: StackFrame) -> Bits:
    """Return the hexes within reach of the stack, including its current hex."""
    if frame.purpose is Purpose.POST_BATTLE and has_ground(frame.units):
        return union_layers(_reached_layers(state, frame))
    hex_occupancy = occupancy(state)
    return hexes_within_by_sea(
        hex_occupancy.bitsets, place_bit(hex_occupancy, frame.at), hexes_left(state, frame)
    )


def can_halt_at_sea(state: State, frame: StackFrame) -> bool:
    """Return whether a stack that has already sailed may end its move at its way point (8.21)."""
    return bool(sail_ends(state, frame) & place_bit(occupancy(state), frame.at))


def sail_path(state: State, frame: StackFrame, destination: str) -> tuple[HexId, ...]:
    """Return the hexes that the stack enters on its way to a hex in reach (8.21)."""
    hex_occupancy = occupancy(state)
    bitsets = hex_occupancy.bitsets
    if frame.purpose is Purpose.POST_BATTLE and has_ground(frame.units):
        return loser_path(state, frame, destination, hexes_left(state, frame))
    is_watched = frame.purpose is Purpose.OFFENSIVE
    own_cover = bool(carrier_ranges(state, frame.units))
    path = shortest_path(
        bitsets,
        sea_steps(bitsets),
        place_bit(hex_occupancy, frame.at),
        place_bit(hex_occupancy, destination),
        max_distance=hexes_left(state, frame),
        allowed_hexes=open_sea(bitsets),
        # The stack's own carriers neutralise the zones in every hex that they enter (6.4).
        unneutralised_hexes=unneutralised_enemy_zones(state, frame.side)
        if is_watched and not own_cover
        else 0,
        zoi_hexes=enemy_zones(state, frame.side) if is_watched else 0,
    )
    assert path is not None
    return path


# -- strategic naval movement (8.23)


def _strategic_allowed(state: State, frame: StackFrame) -> Bits:
    """Return the sea hexes that strategic movement may enter (6.4, 8.23).

    These are the hexes outside unneutralised enemy zones. The stack itself neutralises no zones.
    """
    bitsets = occupancy(state).bitsets
    return open_sea(bitsets) & ~zoi_without_units(state, frame.units).open_zones[frame.side.enemy]


def strategic_allowance(state: State) -> int:
    """Return the allowance for strategic movement in hexes (8.23).

    It is twice the normal allowance, even if an event sets that allowance (CP-24).
    """
    if J9_STRATEGIC.uses_alternative(state.options):
        return STRATEGIC_FACTOR * NAVAL_BASE * current_offensive(state).ov
    return STRATEGIC_FACTOR * current_offensive(state).naval_move


def _may_start_strategic(state: State, frame: StackFrame, allowed_hexes: Bits) -> bool:
    hex_occupancy = occupancy(state)
    start_bit = place_bit(hex_occupancy, frame.at)
    may_leave = bool(start_bit & allowed_hexes) or STRATEGIC_ZOI.uses_alternative(
        state.options
    )  # OP-21
    return bool(start_bit & friendly_ports(hex_occupancy, frame.side)) and may_leave


def strategic_path(state: State, frame: StackFrame, destination: str) -> tuple[HexId, ...]:
    """Return the hexes that the stack enters in a strategic move (8.23)."""
    hex_occupancy = occupancy(state)
    path = shortest_path(
        hex_occupancy.bitsets,
        sea_steps(hex_occupancy.bitsets),
        place_bit(hex_occupancy, frame.at),
        place_bit(hex_occupancy, destination),
        max_distance=strategic_allowance(state),
        allowed_hexes=_strategic_allowed(state, frame),
        zoi_hexes=enemy_zones(state, frame.side),
    )
    assert path is not None
    return path


# -- legs


class _OfShips(Leg):
    """A leg for ships, or for troops leaving a lost landing with or without ships (8.2, 9.62)."""

    movers = "ships sail"

    @override
    def can_move(self, frame: StackFrame) -> bool:
        """Return whether the stack consists of ships. After battle, troops may also move this way."""
        if has_ground(frame.units):
            return frame.purpose is Purpose.POST_BATTLE
        return has_naval(frame.units)


class NavalMovement(_OfShips):
    """Sails to a hex and ends the move there (8.21, 7.26, 9.6)."""

    kind = Sail

    @override
    def reachable_hexes(self, state: State, frame: StackFrame) -> Bits:
        start_bit = place_bit(occupancy(state), frame.at)
        return _hexes_in_reach(state, frame) & sail_ends(state, frame) & ~start_bit

    @override
    def is_open(self, state: State, frame: StackFrame, role: Side) -> bool:
        """Return whether the stack can reach a hex where its move may end.

        For a ship outside a base, any base will do (9.61, 9.62).
        """
        if frame.purpose is Purpose.POST_BATTLE and frame.mode is None and len(frame.units) == 1:
            (unit,) = frame.units
            ports = (
                friendly_bases(state, unit)
                if self.can_move(frame) and not has_ground(frame.units)
                else 0
            )
            # Any base in reach is enough for a ship outside a base, because the best base in reach
            # is always legal.
            if ports and not ports & place_bit(occupancy(state), frame.at):
                return bool(ports & _hexes_in_reach(state, frame))
        return super().is_open(state, frame, role)

    @override
    def place_refusals(
        self, state: State, frame: StackFrame, destination: str
    ) -> Iterator[Refusal]:
        """Yield every reason why ships may not sail to a hex and end their move there (8.21)."""
        hex_occupancy = occupancy(state)
        bit = place_bit(hex_occupancy, destination)
        hexes_available = hexes_left(state, frame)
        if destination == frame.at:
            yield Refusal(Rule("8.21"), f"the stack is already in {destination}")
            return
        if not bit & _hexes_in_reach(state, frame):
            yield Refusal(
                Rule("8.21"),
                f"{destination} cannot be reached by sea within {hexes_available} hexes",
            )
        if bit & sail_ends(state, frame):
            return
        match frame.purpose:
            case Purpose.OFFENSIVE:
                yield from battle_refusals(state, frame.side, HexId(destination))
                if fixed_units(state, frame.side):
                    yield Refusal(
                        Rule("17.11"),
                        f"the ships of {current_offensive(state).card} must end within range of Oahu",
                    )
                if bit & hex_occupancy.anyone[frame.side.enemy]:
                    yield Refusal(
                        Rule("7.24"),
                        f"after a move to {destination}, battles could not be declared legally",
                    )
                else:
                    yield Refusal(
                        Rule("8.21"),
                        f"ships may not end in {destination}: "
                        "it has no friendly port, no enemy, and no task for a carrier",
                    )
            case Purpose.REACTION:
                yield Refusal(
                    Rule("7.26"), f"in {destination}, the stack would not take part in any battle"
                )
            case Purpose.POST_BATTLE:
                yield Refusal(Rule("9.6"), f"{destination} is not among the best bases in reach")

    @override
    def apply(self, run: EotsRun, frame: StackFrame, role: Side, command: LegCommand) -> None:
        move = _sail_path(run, frame, sail_path(run.state, frame, command.to))
        finish_move(run, move, dict.fromkeys(frame.units, Mode.NAVAL))


class NavalWayPoint(WayPoint, _OfShips):
    """Sails to a way point, from which the stack continues (8.21, 7.25E)."""

    kind = SailVia
    rule = Rule("8.21")

    @override
    def reachable_hexes(self, state: State, frame: StackFrame) -> Bits:
        """Return the way points from which the stack can still reach a hex where it may end its move."""
        if frame.purpose is not Purpose.OFFENSIVE:
            return 0
        bitsets = occupancy(state).bitsets
        return way_points(
            sea_steps(bitsets),
            _reached_layers(state, frame),
            sail_ends(state, frame) & enterable_hexes(bitsets),
            hexes_left(state, frame),
            open_sea(bitsets),
        )

    @override
    def apply(self, run: EotsRun, frame: StackFrame, role: Side, command: LegCommand) -> None:
        run.replace_top(_sail_path(run, frame, sail_path(run.state, frame, command.to)))


class StrategicNavalMovement(_OfShips):
    """Sails from port to port over up to twice the normal distance, avoiding unneutralised enemy zones (8.23)."""

    kind = SailStrategic

    @override
    def reachable_hexes(self, state: State, frame: StackFrame) -> Bits:
        if frame.purpose is not Purpose.OFFENSIVE or frame.mode is not None:
            return 0
        if fixed_units(state, frame.side):
            return 0
        hex_occupancy = occupancy(state)
        start_bit = place_bit(hex_occupancy, frame.at)
        ports = (
            friendly_ports(hex_occupancy, frame.side)
            & ~hex_occupancy.anyone[frame.side.enemy]
            & ~start_bit
        )
        # This cached test ignores zones. It rules out most stacks, so their zones need not be
        # computed.
        if not ports & hexes_within_by_sea(
            hex_occupancy.bitsets, start_bit, strategic_allowance(state)
        ):
            return 0
        allowed_hexes = _strategic_allowed(state, frame)
        if not _may_start_strategic(state, frame, allowed_hexes):
            return 0
        layers = distance_layers(
            sea_steps(hex_occupancy.bitsets), start_bit, strategic_allowance(state), allowed_hexes
        )
        return ports & union_layers(layers)

    @override
    def place_refusals(
        self, state: State, frame: StackFrame, destination: str
    ) -> Iterator[Refusal]:
        """Yield every reason why strategic naval movement may not go to a hex (8.23, OP-21)."""
        if frame.purpose is not Purpose.OFFENSIVE:
            yield Refusal(Rule("8.23"), "only offensive units move strategically")
            return
        if fixed_units(state, frame.side):
            yield Refusal(Rule("17.11"), f"the ships of {current_offensive(state).card} must fight")
            return
        hex_occupancy = occupancy(state)
        start_bit, bit = place_bit(hex_occupancy, frame.at), place_bit(hex_occupancy, destination)
        if not start_bit & friendly_ports(hex_occupancy, frame.side) or not bit & friendly_ports(
            hex_occupancy, frame.side
        ):
            yield Refusal(
                Rule("8.23"), "strategic movement must go from one friendly port to another"
            )
        if bit & hex_occupancy.anyone[frame.side.enemy]:
            yield Refusal(Rule("8.23"), f"{destination} contains enemy units")
        if not bit & self.reachable_hexes(state, frame):
            yield Refusal(
                Rule("8.23"),
                f"no route to {destination} within the allowance avoids unneutralised enemy ZOI",
            )

    @override
    def apply(self, run: EotsRun, frame: StackFrame, role: Side, command: LegCommand) -> None:
        move = _sail_path(run, frame, strategic_path(run.state, frame, command.to))
        finish_move(run, move, dict.fromkeys(frame.units, Mode.NAVAL_STRATEGIC))


def _sail_path(run: EotsRun, frame: StackFrame, path: tuple[HexId, ...]) -> StackFrame:
    return move_stack(run, frame, path, mode=AT_SEA, halves=HALVES_PER_HEX * len(path))


SAIL: Final = NavalMovement()
SAIL_VIA: Final = NavalWayPoint()
SAIL_STRATEGIC: Final = StrategicNavalMovement()
