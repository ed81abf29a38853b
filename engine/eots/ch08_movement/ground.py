"""Marches by ground units, their cost, and the hexes captured on the way (8.41, 8.42, 8.49, 6.5)."""

import heapq
from collections.abc import Iterator
from typing import Final

import msgspec
from typing_extensions import override

from engine.eots.ch06_supply.bitsets import Bits
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch06_supply.routes import route_neighbours
from engine.eots.ch08_movement.areas import closed_to_ground, entry_refusals
from engine.eots.ch08_movement.battles import battle_hexes
from engine.eots.ch08_movement.course import move_stack
from engine.eots.ch08_movement.disengage import begin_disengagement
from engine.eots.ch08_movement.fleet import enemy_zones, place_bit, unneutralised_enemy_zones
from engine.eots.ch08_movement.legs import LANDING, ON_FOOT, Leg, LegCommand
from engine.eots.ch08_movement.outlook import outlook_for
from engine.eots.commands import March
from engine.eots.counters import counters
from engine.eots.flow import EotsRun
from engine.eots.frames import Purpose, StackFrame
from engine.eots.hex_control import capture_hexes
from engine.eots.ids import HexId, Side, Terrain
from engine.eots.state import State, current_offensive
from engine.kernel.ids import Refusal, Rule
from engine.kernel.memo import Memo

HALVES_PER_POINT: Final = 2
"""Half movement points per movement point (8.1)."""
ROUTE_COST: Final = 1
"""Cost, in half movement points, to enter a hex along a transport route (8.42)."""

# The heap orders routes by cost, then hexes in unneutralised zones, then hexes in any zone, then
# path.
_Label = tuple[int, int, int, tuple[int, ...]]


class MarchRoute(msgspec.Struct, frozen=True):
    """The route of one leg of a march."""

    halves: int
    """The route's cost in half movement points."""
    path: tuple[int, ...]
    """Indexes of the hexes entered, in order."""


_MEMO: Final = Memo[dict[int, MarchRoute]](64)
_MARCH_ROUTE_CACHE: Final = Memo[dict[int, MarchRoute]](64)


def halves_left(state: State, frame: StackFrame) -> int:
    """Return how many half movement points are left.

    The card gives one movement point for each point of operations value (8.1).
    """
    return HALVES_PER_POINT * current_offensive(state).ov - frame.spent_halves


def march_routes(state: State, frame: StackFrame) -> dict[int, MarchRoute]:
    """Return the best route to every hex that the stack can still enter, by hex index (8.42)."""
    # Detection matters only in offensive movement (7.25E). Otherwise, it does not matter which of
    # the cheapest routes is used.
    if frame.purpose is not Purpose.OFFENSIVE:
        return cheapest_routes(state, frame)
    key = (state.units, state.control, state.tracks, current_offensive(state).battles, frame)
    return _MEMO.get(state, key, lambda: _search(state, frame, is_watched=True))


def cheapest_routes(state: State, frame: StackFrame) -> dict[int, MarchRoute]:
    """Return a cheapest route to every hex that :func:`march_routes` can reach, ignoring enemy zones."""
    key = (state.units, state.control, state.tracks, current_offensive(state).battles, frame)
    return _MARCH_ROUTE_CACHE.get(state, key, lambda: _search(state, frame, is_watched=False))


def _search(state: State, frame: StackFrame, *, is_watched: bool) -> dict[int, MarchRoute]:
    """Search for the cheapest routes. Break ties by the fewest hexes in enemy zones, then by the lowest hex numbers."""
    hex_occupancy = occupancy(state)
    board = hex_occupancy.bitsets.board
    start_index = board.index.get(HexId(frame.at))
    budget = halves_left(state, frame)
    if start_index is None or budget < ROUTE_COST:
        return {}
    terrain = _Terrain(state, frame, is_watched=is_watched)
    start_bit = hex_occupancy.bitsets.bit_by_index[start_index]
    if start_bit & terrain.battle_hexes or (frame.path and start_bit & terrain.stops):
        return {}  # 8.42: units may not leave a declared battle hex, and entering a hex with enemies ends the march
    routes: dict[int, MarchRoute] = {}
    visited_nodes = {start_index}
    queue: list[_Label] = []
    label: _Label = (0, 0, 0, ())
    start_hex = start_index
    while True:
        if (
            start_hex == start_index
            or not hex_occupancy.bitsets.bit_by_index[start_hex] & terrain.stops
        ):
            for neighbour in board.land_adjacent[start_hex]:
                cost = terrain.cost(start_hex, neighbour)
                if cost and neighbour not in visited_nodes and label[0] + cost <= budget:
                    bit = hex_occupancy.bitsets.bit_by_index[neighbour]
                    heapq.heappush(
                        queue,
                        (
                            label[0] + cost,
                            label[1] + bool(bit & terrain.bare),
                            label[2] + bool(bit & terrain.watched_hexes),
                            (*label[3], neighbour),
                        ),
                    )
        while queue and queue[0][3][-1] in visited_nodes:
            heapq.heappop(queue)
        if not queue:
            return routes
        label = heapq.heappop(queue)
        start_hex = label[3][-1]
        visited_nodes.add(start_hex)
        routes[start_hex] = MarchRoute(label[0], label[3])


class _Terrain:
    """Computes a stack's current cost to enter a hex (8.1, 8.41, 8.42, 8.49)."""

    def __init__(self, state: State, frame: StackFrame, *, is_watched: bool) -> None:
        hex_occupancy = occupancy(state)
        self.bitsets = hex_occupancy.bitsets
        self.enemy = hex_occupancy.armed[frame.side.enemy]
        self.battle_hexes = battle_hexes(state)
        self.stops = self.enemy | self.battle_hexes
        self.closed_hexes: Bits = 0
        self.keeps_to_routes = False
        for unit in frame.units:
            self.closed_hexes |= closed_to_ground(hex_occupancy.bitsets, counters()[unit])
            self.keeps_to_routes |= counters()[unit].armor
        self.routes = route_neighbours(state)
        self.bare = unneutralised_enemy_zones(state, frame.side) if is_watched else 0
        self.watched_hexes = enemy_zones(state, frame.side) if is_watched else 0

    def cost(self, hex_index: int, neighbour: int) -> int:
        """Return the cost to enter a neighbouring hex, in half movement points; 0 if the stack may not enter it."""
        board = self.bitsets.board
        bit = self.bitsets.bit_by_index[neighbour]
        if bit & self.closed_hexes:
            return 0
        is_joined = board.ids[neighbour] in self.routes.get(board.ids[hex_index], ())
        if is_joined and not bit & self.enemy:  # 8.42: no enemy air unit, ground unit or HQ (OP-3)
            return ROUTE_COST
        if self.keeps_to_routes and board.terrain[neighbour] is Terrain.MOUNTAIN and not is_joined:
            return 0  # 8.49
        return HALVES_PER_POINT * board.terrain_mp[neighbour]


def captured_hexes(state: State, frame: StackFrame, path: tuple[int, ...]) -> Bits:
    """Return the hexes that a stack captures by moving along a path (6.5, 8.42)."""
    hex_occupancy = occupancy(state)
    path_hexes = hex_occupancy.bitsets.from_indexes(path)
    return (
        path_hexes & ~hex_occupancy.controlled[frame.side] & ~hex_occupancy.armed[frame.side.enemy]
    )


def _offensive_hexes(state: State, frame: StackFrame) -> Bits:
    routes = cheapest_routes(state, frame)
    if not routes:
        return 0
    view = outlook_for(state, frame)
    if view.landings:
        routes = march_routes(state, frame)  # captures depend on the exact route
    bitsets = view.bitsets
    hexes = 0
    for index, route in routes.items():
        bit = bitsets.bit_by_index[index]
        if bit & view.enemy & ~view.battle_hexes:
            continue
        if view.landings and not view.keeps_cover(captured_hexes(state, frame, route.path)):
            continue
        hexes |= bit
    return hexes


def _reaction_hexes(state: State, frame: StackFrame) -> Bits:
    """Return the battle hexes that a unit can reach, and the hexes from which it could still reach one (7.26)."""
    routes = cheapest_routes(state, frame)
    battles = battle_hexes(state)
    bit_by_index = occupancy(state).bitsets.bit_by_index
    board = occupancy(state).bitsets.board
    if not any(bit_by_index[index] & battles for index in routes):
        return 0  # stopping on the way never lets a unit march farther
    hexes = 0
    for index, route in sorted(routes.items()):
        if bit_by_index[index] & battles:
            hexes |= bit_by_index[index]
        elif not bit_by_index[index] & occupancy(state).armed[frame.side.enemy]:
            later_state = msgspec.structs.replace(
                frame, at=board.ids[index], spent_halves=frame.spent_halves + route.halves
            )
            if any(
                bit_by_index[neighbour] & battles
                for neighbour in _search(state, later_state, is_watched=False)
            ):
                hexes |= bit_by_index[index]
    return hexes


def _is_off_route(state: State, frame: StackFrame, index: int) -> bool:
    """Return whether armour could enter an adjacent mountain hex if there were a route (8.49)."""
    board, routes = occupancy(state).bitsets.board, cheapest_routes(state, frame)
    if board.terrain[index] is not Terrain.MOUNTAIN or index in routes:
        return False
    adjacent_indexes = {neighbour for neighbour, _ in board.neighbours[index]}
    reached_indexes = {*routes, board.index[HexId(frame.at)]}
    return any(counters()[unit].armor for unit in frame.units) and bool(
        adjacent_indexes & reached_indexes
    )


class GroundMovement(Leg):
    """A march over land. The stack may continue as long as it has movement left (8.42, 7.24, 7.26)."""

    kind = March
    movers = "ground units march"

    @override
    def can_move(self, frame: StackFrame) -> bool:
        """Return whether the stack consists of ground units only."""
        return all(counters()[unit].is_ground for unit in frame.units)

    @override
    def reachable_hexes(self, state: State, frame: StackFrame) -> Bits:
        """Return the hexes where a march may stop. Ground units never march after battle (9.6)."""
        if frame.mode == LANDING:
            return 0
        match frame.purpose:
            case Purpose.OFFENSIVE:
                return _offensive_hexes(state, frame)
            case Purpose.REACTION:
                return _reaction_hexes(state, frame)
            case Purpose.POST_BATTLE:
                return 0

    @override
    def place_refusals(
        self, state: State, frame: StackFrame, destination: str
    ) -> Iterator[Refusal]:
        """Yield every reason why a stack may not march to a hex (8.41, 8.42, 7.24, 7.26)."""
        hex_occupancy = occupancy(state)
        bit = place_bit(hex_occupancy, destination)
        if frame.purpose is Purpose.POST_BATTLE:
            yield Refusal(Rule("9.6"), "ground units cannot march after battle")
            return
        if frame.mode == LANDING:
            yield Refusal(Rule("8.4"), "the troops have gone to sea")
            return
        for unit in frame.units:
            yield from entry_refusals(hex_occupancy.bitsets, counters()[unit], destination)
        if place_bit(hex_occupancy, frame.at) & battle_hexes(state):
            yield Refusal(Rule("8.42"), "ground units may not leave a declared battle hex")
            return
        index = hex_occupancy.bitsets.board.index.get(HexId(destination))
        if index is not None and _is_off_route(state, frame, index):
            yield Refusal(Rule("8.49"), "armour can enter mountains only along transport routes")
            return
        if index is None or index not in cheapest_routes(state, frame):
            points_left, half = divmod(halves_left(state, frame), HALVES_PER_POINT)
            points = f"{points_left}.5" if half else f"{points_left}"
            yield Refusal(
                Rule("8.42"), f"{destination} cannot be reached over land with {points} MP"
            )
            return
        if bit & self.reachable_hexes(state, frame):
            return
        if frame.purpose is Purpose.REACTION:
            yield Refusal(Rule("7.26"), f"no battle hex can be reached from {destination}")
        else:
            yield Refusal(
                Rule("7.24"),
                f"after a move to {destination}, battles could not be declared legally",
            )

    @override
    def apply(self, run: EotsRun, frame: StackFrame, role: Side, command: LegCommand) -> None:
        """March, capture the hexes passed, and let reaction units disengage (6.5, 8.43)."""
        state = run.state
        hex_occupancy = occupancy(state)
        route = march_routes(state, frame)[hex_occupancy.bitsets.board.index[HexId(command.to)]]
        path = tuple(hex_occupancy.bitsets.board.ids[index] for index in route.path)
        came_from = path[-2] if len(path) > 1 else frame.at
        move = move_stack(run, frame, path, mode=ON_FOOT, halves=route.halves)
        hexes_gained = hex_occupancy.bitsets.ids(captured_hexes(run.state, move, route.path))
        capture_hexes(run, frame.side, hexes_gained, Rule("6.5"))
        run.replace_top(move)
        begin_disengagement(run, move, came_from, has_landed=False)


MARCH: Final = GroundMovement()
