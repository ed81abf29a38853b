"""A second implementation of supply, zones and paths: simple, slow searches hex by hex, written from the text of 6."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property
from itertools import pairwise

from engine.eots.board import LAND, LAND_AND_SEA, SEA, UNPLAYABLE, board
from engine.eots.counters import Counter, counters, hq_can_command
from engine.eots.ids import (
    CHINA_BOX,
    AreaId,
    HexId,
    Nationality,
    RouteEvent,
    RulingId,
    Side,
    Terrain,
    UnitId,
)
from engine.eots.state import State

AirUnitLocations = frozenset[UnitId]
Edges = dict[int, list[tuple[int, str]]]
ENTRY = {Terrain.OPEN: 2, Terrain.JUNGLE: 4, Terrain.MIXED: 4, Terrain.MOUNTAIN: 6}
AREA = board().areas
KUNMING = {board().index[h] for h in AREA[AreaId("kunming-area")].hexes}
NAMES = board().ids
AT = board().index


@cache
def hexes_of(*names: str) -> set[int]:
    return {AT[h] for name in names for h in AREA[AreaId(name)].hexes}


class Reference:
    """One position on the whole map, computed slowly."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.standing: dict[int, list[Counter]] = {}
        for unit, piece in state.units.items():
            if piece.is_on_map:
                self.standing.setdefault(AT[HexId(piece.at)], []).append(counters()[unit])
        offensive = state.offensive
        self.frozen: AirUnitLocations = frozenset()
        if offensive is not None:
            self.frozen = frozenset((*offensive.activated, *offensive.reaction.activated))

    def option(self, name: str, other: str) -> bool:
        return self.state.options.get(name) == other

    # -- occupation and control

    def controls(self, side: Side, i: int) -> bool:
        if i in KUNMING:
            return side is Side.ALLIED
        return self.state.control.get(NAMES[i]) is side

    def has_intrinsic(self, i: int) -> bool:
        china = NAMES[i] in AREA[AreaId("intrinsic-china")].hexes
        home = NAMES[i] in AREA[AreaId("japanese-islands")].cities
        gone = NAMES[i] in self.state.tracks.cities_taken
        return self.controls(Side.JAPAN, i) and (china or (home and not gone))

    def any_unit(self, side: Side, i: int) -> bool:
        if any(unit.side is side for unit in self.standing.get(i, ())):
            return True
        return i in KUNMING if side is Side.ALLIED else self.has_intrinsic(i)

    def armed(self, side: Side, i: int) -> bool:
        if any(unit.side is side and not unit.is_naval for unit in self.standing.get(i, ())):
            return True
        return i in KUNMING if side is Side.ALLIED else self.has_intrinsic(i)

    @cached_property
    def sole(self) -> dict[Side, set[int]]:
        return {
            side: {
                i
                for i in range(len(NAMES))
                if self.armed(side, i) and not self.armed(side.enemy, i)
            }
            for side in Side
        }

    @cached_property
    def hqs(self) -> dict[Side, dict[UnitId, int]]:
        found: dict[Side, dict[UnitId, int]] = {side: {} for side in Side}
        for i, units in self.standing.items():
            for unit in units:
                if unit.is_hq:
                    found[unit.side][unit.id] = i
        return found

    # -- zones

    def zone(self, units: Iterable[UnitId], neutralising: bool = False) -> set[int]:
        found: set[int] = set()
        for unit in units:
            if neutralising and (counters()[unit].lrb or unit in self.state.arrived_air):
                continue
            found.update(board().within(AT[HexId(self.state.units[unit].at)], 2))
        return found

    def open_zone(self, side: Side, fliers: dict[Side, AirUnitLocations]) -> set[int]:
        return self.zone(fliers[side]) - self.zone(fliers[side.enemy], neutralising=True)

    # -- lines

    def edges(self, side: Side, hostile: set[int]) -> Edges:
        """Return where a line may continue from each hex, by sea or by land (6.21 A, B, E)."""
        sole = self.sole[side.enemy]
        land_only = self.option("mixed-hexsides", "land-only")
        found: Edges = {}
        for i, row in enumerate(board().neighbours):
            ways = found[i] = []
            for j, code in row:
                if code == SEA and i not in hostile and j not in hostile:
                    ways.append((j, "sea"))
                if code in (LAND, LAND_AND_SEA) and i not in sole and j not in sole:
                    ways.append((j, "land"))
                    if code == LAND_AND_SEA and not land_only:
                        ways.append((j, "sea"))
        return found

    def line(
        self,
        edges: Edges,
        start: int,
        length: int,
        may_change: Callable[[int], bool],
    ) -> set[tuple[int, str]]:
        """Return the ends of lines that change at most once: (end, last hexside) (6.21 C, D, F, G, A-3)."""
        queue = deque([(start, "", 0, 0)])
        seen = {(start, "", 0)}
        while queue:
            i, came, used, far = queue.popleft()
            if far == length:
                continue
            free = came == "" or (used == 0 and may_change(i))
            for j, way in edges[i]:
                if way != came and not free:
                    continue
                state = (j, way, used if came in ("", way) else 1)
                if state not in seen:
                    seen.add(state)
                    queue.append((*state, far + 1))
        return {(i, came) for i, came, _ in seen}

    def joins(
        self, edges: Edges, start: int, goals: set[int], may_change: Callable[[int], bool]
    ) -> bool:
        """Return whether a line of any length with any number of changes reaches a goal (6.21B)."""
        todo, seen = [(start, "")], {(start, "")}
        while todo:
            i, came = todo.pop()
            if i in goals:
                return True
            free = came == "" or may_change(i)
            for j, way in edges[i]:
                if (way == came or free) and (j, way) not in seen:
                    seen.add((j, way))
                    todo.append((j, way))
        return False

    def route(self, i: int, j: int, side: Side) -> bool:
        """Return whether a half-point route joins two hexes for a side (6.21A-4, 13.77)."""
        for pair in self.routes:
            if {i, j} == pair:
                return all(self.any_unit(side, k) or not self.any_unit(side.enemy, k) for k in pair)
        return False

    @cached_property
    def routes(self) -> list[set[int]]:
        tracks = self.state.tracks
        way = AREA[AreaId("kwai-route")].path
        pairs = [
            set(route.hexes)
            for route in board().routes
            if route.event is not RouteEvent.KWAI_BRIDGE
        ]
        bridge = [set(pair) for pair in pairwise(way[1:])]
        if self.option("kwai-path", "direct"):
            direct = board().area(AreaId("kwai-route"), (RulingId("OP-18"),)).path
            bridge = [set(pair) for pair in pairwise(direct)]
            pairs = [pair for pair in pairs if HexId("2010") not in pair]
        if tracks.kwai_bridge:
            pairs += bridge
        return [
            {AT[h] for h in pair} for pair in pairs if not pair & set(tracks.no_transport_route)
        ]

    def may_enter(self, counter: Counter | None, side: Side, i: int) -> bool:
        """Return whether the nation of a ground unit may be in a hex (8.41). None means an HQ's own measure."""
        if i in hexes_of("soviet-territory", "manchukuo"):
            return False
        if counter is not None and not counter.is_ground:
            return True
        if side is Side.JAPAN:
            return i not in hexes_of("continental-india", "china-interior")
        if counter is not None and counter.nationality is Nationality.CHINA:
            return i in hexes_of("burma", "northern-india", "kunming-area")
        return True  # 8.41D does not apply to the measure (13.75, OP-4)

    def overland(self, side: Side, starts: Iterable[int], counter: Counter | None) -> set[int]:
        """Return the hexes within 8 half points (6.21A-4, OP-4)."""
        best = dict.fromkeys(starts, 0)
        todo = list(best)
        sole = self.sole[side.enemy]
        while todo:
            i = todo.pop()
            for j, code in board().neighbours[i]:
                if code not in (LAND, LAND_AND_SEA) or i in sole or j in sole:
                    continue
                if not self.may_enter(counter, side, j):
                    continue
                cost = ENTRY.get(board().terrain[j], 99)
                if self.route(i, j, side):
                    cost = 1
                spent = best[i] + cost
                if spent <= 8 and spent < best.get(j, 99):
                    best[j] = spent
                    todo.append(j)
        return set(best)

    def sources(self, side: Side) -> set[int]:
        if side is Side.ALLIED:
            return {i for i, edge in enumerate(board().is_allied_edge) if edge}
        rulings = (RulingId("OP-31"),) if self.option("japan-supply-cities", "honshu") else ()
        cities = board().area(AreaId("japanese-islands"), rulings).cities
        return {AT[h] for h in cities if self.controls(side, AT[h])}


class SideSupply:
    """The supply of a side against given hostile zones."""

    def __init__(self, reference: Reference, side: Side, hostile: set[int]) -> None:
        self.of = reference
        self.side = side
        self.hostile = hostile
        self.edges = reference.edges(side, hostile)

    def is_own_port(self, i: int) -> bool:
        return board().is_port[i] and self.of.controls(self.side, i)

    @cached_property
    def supplied_hqs(self) -> set[UnitId]:
        found, sources = set(), self.of.sources(self.side)
        for hq, i in self.of.hqs[self.side].items():
            if self.of.joins(self.edges, i, sources, self.is_own_port):
                found.add(hq)
        return found

    @cached_property
    def eligible_ports(self) -> set[int]:
        found: set[int] = set()
        by_sea = {i: [(j, way) for j, way in row if way == "sea"] for i, row in self.edges.items()}
        for i in self.of.hqs[self.side].values():
            found |= {end for end, _ in self.of.line(by_sea, i, 999, lambda _: False)}
            if not self.of.option("supply-eligible-port", "sea-only"):
                found |= self.of.overland(self.side, [i], None)
        return {i for i in found if self.is_own_port(i)}

    @cached_property
    def eligible_airfields(self) -> set[int]:
        found: set[int] = set()
        for i in self.of.hqs[self.side].values():
            ends = self.of.line(self.edges, i, 999, self.eligible_ports.__contains__)
            found |= {end for end, _ in ends}
        return {i for i in found if board().is_airfield[i] and self.of.controls(self.side, i)}

    @cached_property
    def hump_works(self) -> bool:
        if not self.of.state.tracks.hump:
            return False
        airfields = ["1905", "2104"]
        if self.of.option("hump-airfields", "northern-india"):
            airfields.append("2205")
        return any(AT[HexId(h)] in self.eligible_airfields for h in airfields)

    @cached_property
    def road_is_open(self) -> bool:
        """Return whether 13.78 A or B holds."""
        kunming, rangoon, madras = (AT[HexId(h)] for h in ("2407", "2008", "1406"))

        def along(allowed: Callable[[int], bool]) -> set[int]:
            seen, todo = {kunming}, [kunming]
            while todo:
                i = todo.pop()
                for pair in self.of.routes:
                    if i in pair:
                        (j,) = pair - {i}
                        if j not in seen and allowed(j):
                            seen.add(j)
                            todo.append(j)
            return seen

        held = along(lambda i: self.of.controls(Side.ALLIED, i))
        sole = self.of.sole[Side.JAPAN]
        if madras in along(lambda i: self.of.controls(Side.ALLIED, i) and i not in sole):
            return True
        if rangoon not in held or rangoon in self.hostile:
            return False
        seen, todo = {rangoon}, [rangoon]
        while todo:
            for j, way in self.edges[todo.pop()]:
                if way == "sea" and j not in self.hostile and j not in seen:
                    seen.add(j)
                    todo.append(j)
        return bool(seen & (self.of.sources(Side.ALLIED) | {madras}))

    @cached_property
    def kunming(self) -> set[int]:
        if self.side is Side.JAPAN or not (self.road_is_open or self.hump_works):
            return set()
        return {AT[HexId("2407")]}

    @cached_property
    def ends(self) -> dict[UnitId, set[tuple[int, str]]]:
        found = {}
        for hq in self.supplied_hqs:
            values = counters()[hq].hq
            assert values is not None
            found[hq] = self.of.line(
                self.edges,
                self.of.hqs[self.side][hq],
                values.command_range,
                self.eligible_ports.__contains__,
            )
        return found

    def near(self, counter: Counter, hq: int) -> set[int]:
        key = (counter.is_ground, counter.nationality, hq)
        if key not in self._near:
            starts = self.eligible_ports | self.kunming | {hq}
            self._near[key] = self.of.overland(self.side, starts, counter)
        return self._near[key]

    def from_kunming(self, counter: Counter) -> set[int]:
        key = (counter.is_ground, counter.nationality)
        if key not in self._near:
            self._near[key] = self.of.overland(self.side, self.kunming, counter)
        return self._near[key]

    @cached_property
    def _near(self) -> dict[object, set[int]]:
        return {}

    def supplies(self, unit: UnitId, i: int) -> bool:
        """Return whether 6.21A, 13.75 or the Tokyo Express supplies a unit that is not an HQ in a hex."""
        counter = counters()[unit]
        if self.side is Side.JAPAN and NAMES[i] == self.of.state.tracks.tokyo_express:
            return True
        if self.kunming and i in self.from_kunming(counter):
            return True
        for hq, ends in self.ends.items():
            if not hq_can_command(counters()[hq], counter):
                continue
            if (i, "") in ends or (i, "sea") in ends:
                return True
            if (i, "land") in ends and i in self.near(counter, self.of.hqs[self.side][hq]):
                return True
        return False


class Answer:
    """OP-5: zones and supply that are consistent with each other."""

    def __init__(self, state: State) -> None:
        self.of = Reference(state)
        self.known: dict[tuple[Side, frozenset[int]], SideSupply] = {}
        fliers = {
            side: frozenset(
                unit
                for unit, piece in state.units.items()
                if piece.is_on_map
                and counters()[unit].is_air_capable
                and counters()[unit].side is side
            )
            for side in Side
        }
        allied = fliers[Side.ALLIED]
        while True:
            japan = fliers[Side.JAPAN]
            while True:
                against = {Side.ALLIED: allied, Side.JAPAN: japan}
                left = self.still_supplied(Side.JAPAN, against)
                if left == japan:
                    break
                japan = left
            self.projecting = {Side.ALLIED: allied, Side.JAPAN: japan}
            left = self.still_supplied(Side.ALLIED, self.projecting)
            if left == allied:
                break
            allied = left
        self.supply = {side: self.side_supply(side, self.projecting) for side in Side}

    def side_supply(self, side: Side, fliers: dict[Side, AirUnitLocations]) -> SideSupply:
        hostile = frozenset(self.of.open_zone(side.enemy, fliers))
        if (side, hostile) not in self.known:
            self.known[side, hostile] = SideSupply(self.of, side, set(hostile))
        return self.known[side, hostile]

    def still_supplied(self, side: Side, fliers: dict[Side, AirUnitLocations]) -> AirUnitLocations:
        supply = self.side_supply(side, fliers)
        return frozenset(
            unit
            for unit in fliers[side]
            if unit in self.of.frozen
            or supply.supplies(unit, AT[HexId(self.of.state.units[unit].at)])
        )

    def is_supplied(self, unit: UnitId) -> bool:
        counter, at = counters()[unit], self.of.state.units[unit].at
        supply = self.supply[counter.side]
        if unit in self.of.frozen:
            return True
        if at == CHINA_BOX:
            return supply.road_is_open or supply.hump_works
        if counter.is_hq:
            return unit in supply.supplied_hqs
        return supply.supplies(unit, AT[HexId(at)])

    def path_hexes(self, hq: UnitId, reaction: bool) -> set[int]:
        """Return the hexes to which 6.3 lets a path lead."""
        counter = counters()[hq]
        assert counter.hq is not None
        sole = set(self.of.sole[counter.side.enemy])
        if reaction and self.of.state.offensive is not None:
            sole -= {AT[h] for h in self.of.state.offensive.battles}
        hostile = self.supply[counter.side].hostile
        start = self.of.hqs[counter.side][hq]
        far, queue = {start: 0}, deque([start])
        while queue:
            i = queue.popleft()
            if far[i] == counter.hq.command_range:
                continue
            for j, code in board().neighbours[i]:
                shut = (code == SEA and (i in hostile or j in hostile)) or (
                    code in (LAND, LAND_AND_SEA) and (i in sole or j in sole)
                )
                assert code in (SEA, LAND, LAND_AND_SEA, UNPLAYABLE)
                if not shut and j not in far:
                    far[j] = far[i] + 1
                    queue.append(j)
        return set(far)

    def attrition(self) -> tuple[list[UnitId], list[UnitId]]:
        """Return the units eliminated and those flipped (6.24)."""
        eliminated, flipped = [], []
        for unit, piece in sorted(self.of.state.units.items()):
            counter = counters()[unit]
            if counter.is_hq or counter.is_naval or not (piece.is_on_map or piece.at == CHINA_BOX):
                continue
            if self.is_supplied(unit):
                continue
            if piece.steps == 2:
                flipped.append(unit)
            elif piece.at != CHINA_BOX and not any(self.in_range(counter.side, HexId(piece.at))):
                eliminated.append(unit)
        return eliminated, flipped

    def in_range(self, side: Side, at: HexId) -> Iterator[bool]:
        for hq, i in self.of.hqs[side].items():
            values = counters()[hq].hq
            assert values is not None
            if board().distance(at, NAMES[i]) <= values.command_range:
                yield True
