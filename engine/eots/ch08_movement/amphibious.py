"""Landings: the hexes where they are legal, the escorts they need, and their cost (8.45-8.47)."""

from collections.abc import Iterator, Mapping
from typing import Final

from typing_extensions import override

from engine.eots.board import SEA
from engine.eots.cards.activation_limits import is_marine_requirement_waived
from engine.eots.cards.modifiers import has_special
from engine.eots.ch06_supply.bitsets import Bits
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch07_offensive.escort_carriers import has_limited_unit
from engine.eots.ch08_movement.areas import (
    closed_to_ground,
    coastal_hexes,
    entry_refusals,
    landing_hexes,
)
from engine.eots.ch08_movement.asp import asp_cost, asp_left, spend_asp
from engine.eots.ch08_movement.battles import battle_hexes
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
from engine.eots.ch08_movement.outlook import outlook_for
from engine.eots.ch08_movement.search import (
    distance_layers,
    hexes_within_by_sea,
    sea_steps,
    shortest_path,
    troop_sea,
    union_layers,
    way_points,
)
from engine.eots.ch17_south_pacific import battle_refusals
from engine.eots.commands import Assault, AssaultVia, BargeAssault, OrganicAssault
from engine.eots.counters import counters
from engine.eots.events.offensive import BargeUsed
from engine.eots.flow import EotsRun
from engine.eots.frames import Purpose, StackFrame
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.rulings import BARGE_SIDE
from engine.eots.state import Mode, State, current_offensive
from engine.kernel.ids import Refusal, Rule

BARGE_OV: Final = 3
"""Minimum operations value of a card that allows barges (8.47)."""
NEAR_PORT_HEXES: Final = 5
"""Maximum distance from a J-2 landing to a Japanese port, in water hexes (17.11)."""
_NEAR_PORT: Final = "jp02_amphib_within_5_water_hexes_of_port"
COASTAL_GUNS: Final = "jp02_coastal_guns_manila_singapore"
GUN_HEXES: Final = (HexId("2015"), HexId("2813"))
"""Singapore and Manila. A J-2 landing there needs an escort, and coast guns fire on that escort (17.11)."""


def ground_units(units: tuple[UnitId, ...]) -> tuple[UnitId, ...]:
    """Return a stack's ground units."""
    return tuple(unit for unit in units if counters()[unit].is_ground)


def organic_carriers(units: tuple[UnitId, ...]) -> dict[UnitId, UnitId]:
    """Return the ship that carries each brigade by organic transport (8.46).

    Brigades and ships are paired in the order in which they joined the stack, so the player decides which ship carries
    which brigade.
    """
    brigades = [unit for unit in units if (row := counters()[unit].ground) and row.organic_cargo]
    ships = [unit for unit in units if counters()[unit].organic_transport]
    return dict(zip(brigades, ships, strict=False))


def organic_cost(state: State, units: tuple[UnitId, ...]) -> int | None:
    """Return the shipping points for the troops that no ship carries; None if any of these cannot assault (8.46)."""
    carriers = organic_carriers(units)
    return asp_cost(state, tuple(unit for unit in ground_units(units) if unit not in carriers))


def can_embark(state: State, frame: StackFrame) -> bool:
    """Return whether the troops of a stack can make a landing from their current hex (1.3, 8.45)."""
    hex_occupancy = occupancy(state)
    rows = [counters()[unit].ground for unit in ground_units(frame.units)]
    if not rows or any(row is None or not row.amphibious_assault for row in rows):
        return False
    start_bit = place_bit(hex_occupancy, frame.origin)
    if frame.purpose is Purpose.POST_BATTLE or start_bit & battle_hexes(state):
        return False
    return bool(
        start_bit & coastal_hexes(hex_occupancy.bitsets) & hex_occupancy.controlled[frame.side]
    )


def _open_water(state: State, frame: StackFrame, cover: Bits = 0) -> Bits:
    """Return the hexes that troops at sea may enter (8.45B, OP-25).

    Troops must avoid unneutralised enemy zones. Without an escort, they must also avoid hexes with enemy ships.
    Carriers in the stack neutralise the zone of every hex that the stack enters (6.4). ``cover`` contains the hexes
    where other units neutralise enemy zones.
    """
    bitsets = occupancy(state).bitsets
    allowed_hexes = troop_sea(bitsets)
    if not carrier_ranges(state, frame.units):
        allowed_hexes &= ~unneutralised_enemy_zones(state, frame.side) | cover
    if not has_naval(frame.units):
        allowed_hexes &= ~naval_hexes(state, frame.side.enemy)
    return allowed_hexes


def _landing_reach(state: State, frame: StackFrame, cover: Bits = 0) -> tuple[Bits, ...]:
    hex_occupancy = occupancy(state)
    allowed_hexes = _open_water(state, frame, cover)
    start_bit = place_bit(hex_occupancy, frame.at)
    if not start_bit & allowed_hexes:  # both hexes of a step must be open to the troops (8.45B)
        return (start_bit,)
    hexes_left = current_offensive(state).naval_move - len(frame.path)
    return distance_layers(sea_steps(hex_occupancy.bitsets), start_bit, hexes_left, allowed_hexes)


def _landable_hexes(state: State, frame: StackFrame) -> Bits:
    """Return the hexes where the terrain, the area and the card allow the troops to land (8.41, 8.45, 17.11)."""
    bitsets = occupancy(state).bitsets
    shores = landing_hexes(bitsets)
    for unit in ground_units(frame.units):
        shores &= ~closed_to_ground(bitsets, counters()[unit])
    return shores & _near_ports(state, frame) & ~_gun_guarded_hexes(state, frame)


def _near_ports(state: State, frame: StackFrame) -> Bits:
    """Return the hexes within 5 water hexes of a Japanese port. If J-2 does not apply, return all hexes (17.11)."""
    if frame.purpose is not Purpose.OFFENSIVE or not has_special(state, _NEAR_PORT):
        return -1
    hex_occupancy = occupancy(state)
    hexes = 0
    for index in hex_occupancy.bitsets.indexes(
        hex_occupancy.controlled[Side.JAPAN] & hex_occupancy.bitsets.ports
    ):
        hexes |= hexes_within_by_sea(
            hex_occupancy.bitsets, hex_occupancy.bitsets.bit_by_index[index], NEAR_PORT_HEXES
        )
    return hexes


def _escorts_under_fire(state: State, frame: StackFrame) -> tuple[UnitId, ...]:
    """Return the stack's ships if coast guns will fire on them as escorts; otherwise empty (17.11, OP-25)."""
    if frame.at not in GUN_HEXES or not has_special(state, COASTAL_GUNS):
        return ()
    return tuple(unit for unit in frame.units if counters()[unit].is_naval)


def _gun_guarded_hexes(state: State, frame: StackFrame) -> Bits:
    """Return the hexes where coast guns prevent a landing without an escort (17.11)."""
    if frame.purpose is not Purpose.OFFENSIVE or has_naval(frame.units):
        return 0
    is_bound = has_special(state, COASTAL_GUNS)
    return occupancy(state).bitsets.from_hexes(GUN_HEXES) if is_bound else 0


def _marine_hexes(state: State) -> Bits:
    """Return the one-hex islands where a Marine unit has landed in this offensive (8.45D)."""
    hex_occupancy = occupancy(state)
    hexes = 0
    for unit, move in current_offensive(state).moved.items():
        counter = counters()[unit]
        if counter.marine and counter.is_ground and move.mode.is_landing:
            hexes |= place_bit(hex_occupancy, state.units[unit].at)
    return hexes


def army_barred_hexes(state: State, frame: StackFrame) -> Bits:
    """Return the islands where the troops may not land because Marines are missing (8.45D, A-62).

    Marines must have landed there already or land in the same stack, so that the rule is certain to be met.
    """
    if frame.purpose is not Purpose.OFFENSIVE or is_marine_requirement_waived(state):
        return 0
    units = ground_units(frame.units)
    if any(counters()[unit].marine for unit in units):
        return 0
    rows = [counters()[unit].ground for unit in units]
    if not any(row is not None and row.us_army_one_hex_island_limit for row in rows):
        return 0
    occupied_now = occupancy(state)
    board = occupied_now.bitsets.board
    barred_hexes = occupied_now.controlled[Side.JAPAN] & occupied_now.anyone[Side.JAPAN]
    islands = occupied_now.bitsets.from_indexes(
        i for i in occupied_now.bitsets.indexes(barred_hexes) if board.is_one_hex_island[i]
    )
    return islands & ~_marine_hexes(state)


def landing_ends(state: State, frame: StackFrame, *, is_organic: bool) -> Bits:
    """Return the hexes, at any distance, where the whole stack may land and end its move (8.21, 8.45, 7.24, OP-30)."""
    hex_occupancy = occupancy(state)
    shores = _landable_hexes(state, frame)
    if frame.purpose is Purpose.REACTION:
        return shores & battle_hexes(state)
    view = outlook_for(state, frame)
    own_hexes = hex_occupancy.controlled[frame.side]
    enemy = hex_occupancy.controlled[frame.side.enemy] & ~view.enemy
    friendly = own_hexes & ~view.enemy
    ranges = carrier_ranges(state, frame.units)
    if has_naval(frame.units):
        escorted = friendly & hex_occupancy.bitsets.ports
        if ranges:
            is_limited = has_limited_unit(state, frame.units)
            escorted |= friendly & view.sea_ends(min(ranges), is_limited=is_limited)
        elif is_organic:
            escorted = friendly  # 8.21-5
        friendly = escorted
    return shores & (view.battle_hexes | enemy | friendly) & ~army_barred_hexes(state, frame)


def landing_path(state: State, frame: StackFrame, destination: str) -> tuple[HexId, ...]:
    """Return the route to a landing hex or way point in reach; empty if the stack lands in its current hex (8.45)."""
    if destination == frame.at:
        return ()
    hex_occupancy = occupancy(state)
    path = shortest_path(
        hex_occupancy.bitsets,
        sea_steps(hex_occupancy.bitsets),
        place_bit(hex_occupancy, frame.at),
        place_bit(hex_occupancy, destination),
        max_distance=current_offensive(state).naval_move - len(frame.path),
        allowed_hexes=_open_water(state, frame),
        zoi_hexes=enemy_zones(state, frame.side) if frame.purpose is Purpose.OFFENSIVE else 0,
    )
    assert path is not None
    return path


# -- legs


class _Landing(Leg):
    """A leg for troops at sea, with or without ships (8.45)."""

    @override
    def can_move(self, frame: StackFrame) -> bool:
        """Return whether the stack includes troops and none of them has marched. Ships may accompany the troops."""
        return has_ground(frame.units) and frame.mode in {None, LANDING}

    def cost(self, state: State, frame: StackFrame) -> int | None:
        """Return the cost in shipping points; None if the troops cannot move this way (8.45A)."""
        return asp_cost(state, ground_units(frame.units))

    def ends(self, state: State, frame: StackFrame) -> Bits:
        """Return the hexes, at any distance, where the stack may land; empty if the side cannot pay for a landing."""
        cost = self.cost(state, frame)
        if cost is None or cost > asp_left(state, frame.side):
            return 0
        organic = self.kind is OrganicAssault
        return landing_ends(state, frame, is_organic=organic) & ~place_bit(
            occupancy(state), frame.origin
        )

    @override
    def reachable_hexes(self, state: State, frame: StackFrame) -> Bits:
        return self.reach_with_cover(state, frame, 0)

    def reach_with_cover(self, state: State, frame: StackFrame, cover: Bits) -> Bits:
        """Return the landing hexes in reach, assuming that other units neutralise zones in ``cover`` (6.4, 8.45B)."""
        if not can_embark(state, frame):
            return 0
        end_hexes = self.ends(state, frame)
        return end_hexes & union_layers(_landing_reach(state, frame, cover)) if end_hexes else 0

    @override
    def refusals(
        self, state: State, frame: StackFrame, role: Side, command: LegCommand
    ) -> Iterator[Refusal]:
        """Yield every reason why the stack may not land in a hex (8.45-8.47, 7.24, 7.26)."""
        if can_embark(state, frame):
            yield from self.place_refusals(state, frame, command.to)
        else:
            yield Refusal(
                Rule("8.45"),
                f"the stack has no troops that can land, or {frame.origin} is not a friendly coastal hex",
            )

    @override
    def place_refusals(
        self, state: State, frame: StackFrame, destination: str
    ) -> Iterator[Refusal]:
        """Yield every reason why the stack may not land in a hex."""
        yield from self.point_refusals(state, frame)
        yield from _army_refusals(state, frame, destination)
        yield from self.way_refusals(state, frame, destination)

    def point_refusals(self, state: State, frame: StackFrame) -> Iterator[Refusal]:
        """Refuse the landing if there are not enough shipping points (8.45A, 14.2B)."""
        points_left, cost = asp_left(state, frame.side), self.cost(state, frame)
        if cost is not None and cost > points_left:
            yield Refusal(
                Rule("8.45A"), f"the landing costs {cost} ASP, and {points_left} are left"
            )
            if frame.side is Side.JAPAN and state.tracks.japan_rivalry:
                yield Refusal(
                    Rule("14.2B"), "under rivalry, only half of the Japanese ASP level can be used"
                )

    def way_refusals(self, state: State, frame: StackFrame, destination: str) -> Iterator[Refusal]:
        """Yield the reasons why the stack cannot reach a hex (8.45B)."""
        hex_occupancy = occupancy(state)
        if place_bit(hex_occupancy, destination) & self.named_hexes(state, frame):
            return
        for unit in ground_units(frame.units):
            yield from entry_refusals(hex_occupancy.bitsets, counters()[unit], destination)
        yield from battle_refusals(state, frame.side, HexId(destination))
        zones = (
            0
            if carrier_ranges(state, frame.units)
            else unneutralised_enemy_zones(state, frame.side)
        )
        for hex_id in (frame.at, destination):
            if place_bit(hex_occupancy, hex_id) & zones:
                yield Refusal(Rule("8.45B"), f"{hex_id} is in unneutralised enemy ZOI")
        enemy_ships = naval_hexes(state, frame.side.enemy)
        if place_bit(hex_occupancy, destination) & enemy_ships and not has_naval(frame.units):
            yield Refusal(
                Rule("8.45B"), f"because of enemy ships, a landing in {destination} needs an escort"
            )
        if not place_bit(hex_occupancy, destination) & _near_ports(state, frame):
            text = (
                f"{destination} is more than {NEAR_PORT_HEXES} hexes by water from a Japanese port"
            )
            yield Refusal(Rule("17.11"), text)
        if place_bit(hex_occupancy, destination) & _gun_guarded_hexes(state, frame):
            yield Refusal(
                Rule("17.11"), f"because of coast guns, a landing in {destination} needs an escort"
            )
        yield Refusal(
            Rule("8.45"),
            f"the units cannot land in {destination}, or battles could not be declared legally afterwards",
        )

    @override
    def apply(self, run: EotsRun, frame: StackFrame, role: Side, command: LegCommand) -> None:
        self.land(run, frame, command.to, cost=self.cost(run.state, frame) or 0, mode=Mode.ASP)

    def land(
        self,
        run: EotsRun,
        frame: StackFrame,
        destination: str,
        *,
        cost: int,
        mode: Mode,
        ships: Mapping[UnitId, UnitId] | None = None,
    ) -> None:
        """Sail, land and end the move.

        Brigades that ships carry are recorded as using organic transport, all other troops as using the given mode.
        """
        path = landing_path(run.state, frame, destination)
        if cost:
            spend_asp(run, frame.side, cost)
        move = move_stack(run, frame, path, mode=LANDING, halves=HALVES_PER_HEX * len(path))
        modes = {unit: mode if counters()[unit].is_ground else Mode.NAVAL for unit in frame.units}
        modes.update(dict.fromkeys(ships or {}, Mode.ORGANIC))
        finish_move(run, move, modes, ships, _escorts_under_fire(run.state, move))


class AmphibiousAssault(_Landing):
    """Lands a stack, paying shipping points for all its troops (8.45)."""

    kind = Assault


class OrganicTransport(_Landing):
    """Lands a stack with brigades carried by ships, paying shipping points for the other troops (8.46)."""

    kind = OrganicAssault

    @override
    def cost(self, state: State, frame: StackFrame) -> int | None:
        """Return the shipping points for the troops that no ship carries; None if the ships carry no troops at all."""
        if not organic_carriers(frame.units):
            return None
        return organic_cost(state, frame.units)

    @override
    def point_refusals(self, state: State, frame: StackFrame) -> Iterator[Refusal]:
        if organic_carriers(frame.units):
            yield from super().point_refusals(state, frame)
        else:
            yield Refusal(Rule("8.46"), "no CA, CL or APD in the stack carries a brigade")

    @override
    def apply(self, run: EotsRun, frame: StackFrame, role: Side, command: LegCommand) -> None:
        """Pay for the troops that no ship carries, then sail and land."""
        cost = self.cost(run.state, frame) or 0
        self.land(
            run, frame, command.to, cost=cost, mode=Mode.ASP, ships=organic_carriers(frame.units)
        )


class AssaultWayPoint(_Landing):
    """Sails to a way point before a landing. A stack's route matters only in step 2 (8.45, 7.25E)."""

    kind = AssaultVia

    @override
    def reachable_hexes(self, state: State, frame: StackFrame) -> Bits:
        """Return the way points from which the stack can still reach a landing hex."""
        if frame.purpose is not Purpose.OFFENSIVE or not can_embark(state, frame):
            return 0
        end_hexes = ASSAULT.ends(state, frame) | ORGANIC.ends(state, frame)
        if not end_hexes:
            return 0
        steps = sea_steps(occupancy(state).bitsets)
        max_hexes = current_offensive(state).naval_move - len(frame.path)
        reached_hexes = _landing_reach(state, frame)
        return way_points(steps, reached_hexes, end_hexes, max_hexes, _open_water(state, frame))

    @override
    def place_refusals(
        self, state: State, frame: StackFrame, destination: str
    ) -> Iterator[Refusal]:
        """Yield the reasons why a hex cannot be a way point."""
        yield from self.way_refusals(state, frame, destination)

    @override
    def apply(self, run: EotsRun, frame: StackFrame, role: Side, command: LegCommand) -> None:
        path = landing_path(run.state, frame, command.to)
        run.replace_top(
            move_stack(run, frame, path, mode=LANDING, halves=HALVES_PER_HEX * len(path))
        )


class Barges(_Landing):
    """Carries a single ground unit, alone in its stack, across one sea hexside by barge (8.47, OP-15)."""

    kind = BargeAssault

    @override
    def reachable_hexes(self, state: State, frame: StackFrame) -> Bits:
        offensive = current_offensive(state)
        if frame.purpose is not Purpose.OFFENSIVE or frame.side is not Side.JAPAN:
            return 0
        if not state.tracks.barges or offensive.barge_used or offensive.ov < BARGE_OV or frame.path:
            return 0
        if len(ground_units(frame.units)) != 1 or not can_embark(state, frame):
            return 0
        hex_occupancy = occupancy(state)
        board = hex_occupancy.bitsets.board
        is_any_side = BARGE_SIDE.uses_alternative(state.options)
        opposite_hexes = hex_occupancy.bitsets.from_indexes(
            neighbour
            for neighbour, code in board.neighbours[board.index[HexId(frame.at)]]
            if code == SEA or (is_any_side and code & SEA)
        )
        hexes_in_reach = _landing_reach(state, frame)
        adjacent_hexes = hexes_in_reach[1] if len(hexes_in_reach) > 1 else 0
        return opposite_hexes & adjacent_hexes & landing_ends(state, frame, is_organic=False)

    @override
    def place_refusals(
        self, state: State, frame: StackFrame, destination: str
    ) -> Iterator[Refusal]:
        yield from _army_refusals(state, frame, destination)
        if not place_bit(occupancy(state), destination) & self.named_hexes(state, frame):
            yield Refusal(
                Rule("8.47"),
                "barges need the event, a card of operations value 3 and an adjacent shore across the sea",
            )

    @override
    def apply(self, run: EotsRun, frame: StackFrame, role: Side, command: LegCommand) -> None:
        """Cross the hexside and use up the offensive's barges."""
        run.add(BargeUsed())
        self.land(run, frame, command.to, cost=0, mode=Mode.BARGE)


def _army_refusals(state: State, frame: StackFrame, destination: str) -> Iterator[Refusal]:
    if place_bit(occupancy(state), destination) & army_barred_hexes(state, frame):
        yield Refusal(
            Rule("8.45D"), f"US Army units can land in {destination} only together with US Marines"
        )


ASSAULT: Final = AmphibiousAssault()
ASSAULT_VIA: Final = AssaultWayPoint()
ORGANIC: Final = OrganicTransport()
BARGES: Final = Barges()
