"""Checks of the map file; each yields one sentence per problem."""

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from engine.eots.board import GRID
from engine.eots.data.map_file import BorderSide, HexRow
from engine.eots.ids import HexId
from tests.engine.eots.data import map_facts
from tests.engine.eots.data.whole_map import WholeMap

OPPOSITE: Final = {"N": "S", "S": "N", "NE": "SW", "SW": "NE", "SE": "NW", "NW": "SE"}
LAND_WORDS: Final = frozenset({"land", "both"})
SEA_WORDS: Final = frozenset({"water", "both"})


def beyond(name: str, side: str) -> HexId:
    """Return the number of the hex across a side, even if it is not on the map."""
    return HexId(GRID.name(*GRID.neighbour(*GRID.coordinates(name), GRID.sides.index(side))))


def direction(start: str, end: str) -> str | None:
    """Return the side that leads to a neighbour."""
    return next((side for side in GRID.sides if beyond(start, side) == end), None)


def words(row: HexRow) -> dict[str, str]:
    """Return the word of each side."""
    return dict(zip(GRID.sides, row.sides.clockwise(), strict=True))


def reach(start: HexId, file: WholeMap, allowed: Iterable[str]) -> set[HexId]:
    """Return every hex that is connected to the start by sides with the allowed words."""
    seen, todo, passable = {start}, [start], {*allowed}
    while todo:
        here = todo.pop()
        for side, word in words(file.hexes[here]).items():
            other = beyond(here, side)
            if word in passable and other in file.hexes and other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


def plain(text: str) -> str:
    """Return only the letters of a name, without accents and case."""
    return re.sub("[^a-z]", "", unicodedata.normalize("NFD", text).lower())


def check_numbers(file: WholeMap) -> Iterator[str]:
    """Hex numbers are well formed and no column is empty."""
    for name in file.hexes:
        if not re.fullmatch(r"[1-6]\d[0-2]\d", name):
            yield f"{name}: bad hex number"
    for column in range(10, 61):
        if not any(name.startswith(str(column)) for name in file.hexes):
            yield f"column {column} is empty"


def check_kinds(file: WholeMap) -> Iterator[str]:
    """Terrain, kind, land and symbols of a hex agree."""
    for name, row in file.hexes.items():
        is_land = row.landmass is not None
        if is_land != (row.kind.value in {"coastal", "inland", "island"}):
            yield f"{name}: landmass and kind disagree"
        if (row.terrain.value == "ocean") != (row.kind.value == "ocean"):
            yield f"{name}: ocean terrain and kind disagree"
        if row.terrain.value == "atoll" and row.kind.value != "island":
            yield f"{name}: an atoll is a one-hex island"
        if row.port and not (row.naval_access and row.kind.value in {"coastal", "island"}):
            yield f"{name}: port without sea access"
        if (row.port or row.airfield or row.resource or row.city) and not is_land:
            yield f"{name}: symbol on a hex without land"


def check_side_words(file: WholeMap) -> Iterator[str]:
    """The sides of a hex fit its kind."""
    for name, row in file.hexes.items():
        found, kind = {*words(row).values()}, row.kind.value
        if kind in {"ocean", "island"} and found & LAND_WORDS:
            yield f"{name}: {kind} hex with a land side"
        if kind == "inland" and found & SEA_WORDS:
            yield f"{name}: inland hex with a water side"
        if kind == "unplayable" and found - {"unplayable", "edge"}:
            yield f"{name}: unplayable hex with a usable side"
        if row.landmass is not None and row.naval_access != bool(found & SEA_WORDS):
            yield f"{name}: naval_access is wrong"


def check_sides_agree(file: WholeMap) -> Iterator[str]:
    """Adjacent hexes agree about the side between them."""
    for name, row in file.hexes.items():
        for side, word in words(row).items():
            other = file.hexes.get(beyond(name, side))
            if other is None:
                if word not in {"edge", "unplayable"}:
                    yield f"{name} {side}: usable side towards no hex"
            elif word == "edge" or words(other)[OPPOSITE[side]] != word:
                yield f"{name} {side}: the hexes disagree"
            elif word in LAND_WORDS and (row.landmass is None or row.landmass != other.landmass):
                yield f"{name} {side}: land side between two landmasses"


def check_connected(file: WholeMap) -> Iterator[str]:
    """All sea is connected, and so is each landmass."""
    sea = reach(HexId("6015"), file, SEA_WORDS)
    for name, row in file.playable.items():
        if (row.kind.value == "ocean" or row.naval_access) and name not in sea:
            yield f"{name}: cut off from the sea"
    masses: dict[str, list[HexId]] = {}
    for name, row in file.land.items():
        masses.setdefault(row.landmass or "", []).append(name)
    for mass, hexes in masses.items():
        if not {*hexes} <= reach(hexes[0], file, LAND_WORDS):
            yield f"landmass {mass} is not connected"
        if (len(hexes) == 1) != (file.hexes[hexes[0]].kind.value == "island"):
            yield f"landmass {mass}: one-hex island flag wrong"


def _named() -> Iterator[tuple[HexId, str, str]]:
    """Yield hex, name and symbols of the independent list."""
    for item in re.split(r"[|\n]", map_facts.NAMED):
        if item.strip():
            name, text, needs = item.split()
            yield HexId(name), text, needs


def _symbols(row: HexRow) -> set[str]:
    """Return the letters for all symbols in a hex."""
    city = None if row.city is None else row.city.value
    tests = {
        "P": row.port,
        "A": row.airfield,
        "R": row.resource,
        "C": city == "city",
        "i": city == "city_intrinsic",
        "j": city == "japanese_city_intrinsic",
        "G": row.landmass is not None,
        "S": row.kind.value == "ocean",
    }
    return {letter for letter, holds in tests.items() if holds}


def check_named(file: WholeMap) -> Iterator[str]:
    """Names and symbols agree with an independent list, and no other hex has a symbol."""
    listed = set()
    for name, text, needs in _named():
        listed.add(name)
        row = file.hexes.get(name)
        if row is None:
            yield f"{name} {text}: hex missing"
            continue
        if text != "-" and not any(plain(text) in plain(printed) for printed in row.names):
            yield f"{name}: the name {text} is not in {row.names}"
        have = _symbols(row)
        if not {*needs} <= have:
            yield f"{name} {text}: lacks {sorted({*needs} - have)}"
        if needs != "S" and (have & {*"PAR"}) - {*needs}:
            yield f"{name} {text}: unexpected {sorted((have & {*'PAR'}) - {*needs})}"
    for name, row in file.playable.items():
        if _symbols(row) & {*"PARCij"} and name not in listed:
            yield f"{name}: symbol in a hex that is not in the list"


def check_setup_places(file: WholeMap) -> Iterator[str]:
    """Five set-ups have the bases that they need; the resource hexes are those of 12.11."""
    resources = sorted(name for name, row in file.hexes.items() if row.resource)
    if resources != sorted(map_facts.RESOURCES.split()):
        yield "resource hexes differ from 12.11"
    for item in map_facts.SETUP.split():
        name, kinds = HexId(item[:4]), item[4:]
        row = file.hexes.get(name)
        needs = {{"N": "P", "H": "P"}.get(kind, kind) for kind in kinds}
        if row is None or not needs <= _symbols(row):
            yield f"set-up hex {item} lacks a symbol"


def check_rule_facts(file: WholeMap) -> Iterator[str]:
    """Sides, terrain and distances that the rules state."""
    for start, end, allowed in map_facts.RULE_SIDES:
        side = direction(start, end)
        if side is None or words(file.hexes[HexId(start)])[side] not in allowed.split():
            yield f"the side {start}-{end} is not {allowed}"
    for name, terrain in map_facts.RULE_TERRAIN.items():
        if file.hexes[HexId(name)].terrain.value != terrain:
            yield f"{name} is not {terrain}"
    for start, end, hexes in map_facts.RULE_DISTANCES:
        if GRID.distance(*GRID.coordinates(start), *GRID.coordinates(end)) != hexes:
            yield f"the distance {start}-{end} is not {hexes}"


def check_routes(file: WholeMap) -> Iterator[str]:
    """Routes cross land between neighbours, the known paths exist, and routes end at cities."""
    edges: set[frozenset[str]] = set()
    for route in file.routes:
        start, end = route.hexes
        side = direction(start, end)
        if side is None or side != route.side:
            yield f"route {start}-{end}: not neighbours or wrong side"
            continue
        if words(file.hexes[start])[side] not in LAND_WORDS:
            yield f"route {start}-{end}: crosses no land"
        if frozenset(route.hexes) in edges:
            yield f"route {start}-{end}: listed twice"
        edges.add(frozenset(route.hexes))
    for path in map_facts.ROUTE_PATHS:
        hexes = path.split()
        for pair in itertools.pairwise(hexes):
            if frozenset(pair) not in edges:
                yield f"route path {path}: no edge {pair}"
    ends = Counter(name for edge in sorted(edges, key=sorted) for name in edge)
    for name, degree in ends.items():
        if degree == 1 and file.hexes[HexId(name)].city is None and name != "3403":
            yield f"a route ends at {name}, which is not a city"


def _inside(point: tuple[float, float], polygon: tuple[tuple[float, float], ...]) -> bool:
    """Return whether a point lies inside a polygon."""
    x, y = point
    result = False
    for (ax, ay), (bx, by) in zip(polygon, (polygon[-1], *polygon[:-1]), strict=True):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            result = not result
    return result


def _centre(name: str) -> tuple[float, float]:
    """Return the middle of a hex in the units of the boundary polygon."""
    column, row = GRID.coordinates(name)
    return 66.826 + 42.2407 * (column - 10), 46.217 + 48.6087 * row + (24.3044 if column % 2 else 0)


def _border_problems(title: str, sides: tuple[BorderSide, ...], file: WholeMap) -> Iterator[str]:
    """Yield the sides of a border that do not lead to the stated hexes."""
    for side in sides:
        start, end = side.hexes
        if start not in file.hexes or beyond(start, side.side) != end:
            yield f"border {title}: bad side {start} {side.side}"


def check_borders(file: WholeMap) -> Iterator[str]:
    """Borders run along hexsides; the Empire flag of land agrees with the printed line (1.3)."""
    for border in file.borders:
        yield from _border_problems(border.name, border.sides, file)
    empire = file.japanese_empire
    yield from _border_problems("Empire of Japan", empire.on_hexsides, file)
    for name, row in file.land.items():
        cut = empire.land_hexes_cut_by_line.get(name)
        inside = _inside(_centre(name), empire.polygon_px) and name not in empire.enclaves_outside
        if row.japanese_empire is not (inside if cut is None else cut == "inside"):
            yield f"{name}: the Empire flag disagrees with the boundary"


def check_edges(file: WholeMap) -> Iterator[str]:
    """Edge lists contain exactly the hexes with an edge side; the supply edges are their unions (MAP-18)."""
    edges = file.map_edges
    lists = {
        "west": edges.west,
        "south": edges.south,
        "east": edges.east,
        "north": edges.north,
        "southwest": edges.southwest_staircase,
        "northeast": edges.northeast_staircase,
        "southeast": edges.southeast_staircase,
        "interior": edges.off_map_interior,
    }
    for key, some in lists.items():
        for name in some:
            if name not in file.hexes or "edge" not in words(file.hexes[name]).values():
                yield f"map edge {key}: {name} has no edge side"
    listed = {name for some in lists.values() for name in some}
    for name, row in file.playable.items():
        if "edge" in words(row).values() and name not in listed:
            yield f"{name}: edge side, but in no list"
    east = {*edges.east, *edges.northeast_staircase, *edges.southeast_staircase}
    if {*file.supply_edges.east} != east:
        yield "the east edge is not the union of its lists"
    if {*file.supply_edges.allied} != east | {*edges.west, *edges.south}:
        yield "the Allied edge is not the union of its lists"


def check_labels(file: WholeMap) -> Iterator[str]:
    """Every name in a hex has a label."""
    labelled = {plain(label.text) for label in file.labels}
    for name, row in file.playable.items():
        for printed in row.names[:1]:
            if plain(printed) not in labelled and name != "2105":
                yield f"{name}: the name {printed} has no label"


def check_counts(file: WholeMap) -> Iterator[str]:
    """The counts agree with those in the head of the file."""
    stated, rows = file.meta.counts, tuple(file.hexes.values())
    found = (
        ("hexes", stated.hexes_playable, len(file.playable)),
        ("grey hexes", stated.hexes_unplayable_listed, len(rows) - len(file.playable)),
        ("terrain", stated.terrain, dict(Counter(row.terrain.value for row in rows))),
        ("kinds", stated.kind, dict(Counter(row.kind.value for row in rows))),
        ("ports", stated.ports, sum(row.port for row in rows)),
        ("airfields", stated.airfields, sum(row.airfield for row in rows)),
        ("resource hexes", stated.resource_hexes, sum(row.resource for row in rows)),
        ("cities", stated.city, dict(Counter(row.city.value for row in rows if row.city))),
        ("routes", stated.routes, dict(Counter(route.kind.value for route in file.routes))),
        ("sides", stated.hexsides, _count_sides(file)),
    )
    for what, head, here in found:
        if head != here:
            yield f"{what}: the head says {head}, found {here}"


def _count_sides(file: WholeMap) -> dict[str, int]:
    """Return the number of sides of playable hexes by word, counting each side once."""
    seen: dict[frozenset[str], str] = {}
    for name, row in file.playable.items():
        for side, word in words(row).items():
            seen[frozenset((name, beyond(name, side)))] = word
    return dict(Counter(seen.values()))


CHECKS: Final = (
    check_numbers,
    check_kinds,
    check_side_words,
    check_sides_agree,
    check_connected,
    check_named,
    check_setup_places,
    check_rule_facts,
    check_routes,
    check_borders,
    check_edges,
    check_labels,
    check_counts,
)
