"""Builds the scene of the operations map: forces, searches, raids, zones and ranges."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Final

import msgspec
from msgspec.structs import replace

from engine.cbps.game_data import MapData
from engine.cbps.geometry import GRID, HexMap
from engine.cbps.ids import GUAM
from engine.cbps.search_area import Zone, zone_hexes
from tui.cbps.map.counters import counters_by_hex
from tui.cbps.map.order_preview import NO_PREVIEW, OrderPreview
from tui.cbps.map.view_protocols import MapContents, MapSearch
from tui.drawing.colour_roles import GroundRole, OverlayRole, TextRole
from tui.maps.enums import Highlight
from tui.maps.hexmap.elements import (
    EdgeMark,
    Fill,
    MapCounter,
    Outline,
    Ring,
    Swatch,
    Track,
    legend,
)
from tui.maps.hexmap.scene import HexCell, HexGround, HexScene, add_counters, build_scene, fill_area

RANGES: Final = "ranges"
ZONE_LINES: Final = "zones"
OVERLAYS: Final = (
    ("O", ZONE_LINES, "Movement zones, sections, arrival and oil hexes"),
    ("a", RANGES, "Strike radius, search radius, raid range"),
)
"""Key, id and name of each overlay, as in `Presenter.overlays`."""
_INVASION_FILL: Final = Fill("-", TextRole.ZONE, "invasion zone")
_OIL_FILL: Final = Fill("o", TextRole.PATH, "oil hex", OverlayRole.PATH)
_SEARCH_FILLS: Final = {
    "extended": Fill("'", TextRole.SCAN_FAR, "extended zone", OverlayRole.SCAN_FARTHEST),
    "far": Fill(".", TextRole.SCAN_FAR, "far zone", OverlayRole.SCAN_FAR),
    "middle": Fill(":", TextRole.SCAN, "middle zone", OverlayRole.SCAN_MIDDLE),
    "near": Fill(";", TextRole.SCAN, "near zone", OverlayRole.SCAN_NEAR),
}
"""Fills for the search zones, outermost first. Where searches overlap, the innermost zone is on top."""
_EDGE_NAME: Final = "arrival or exit"
_NAME_LINES: Final = {
    "Saipan/Tinian": ("Sai-", "pan"),
    "Anatahan": ("Ana-", "tahan"),
    "Agrihan": ("Agri-", "han"),
    "Ulithi": ("Uli-", "thi"),
}
PLANNED_SEARCH: Final = "search-plan"
"""Name of a search that has been planned but not launched."""
_NARROW_SEARCH_FILL: Final = Fill(":", TextRole.SCAN, "narrow search", OverlayRole.SCAN_MIDDLE)


_HIGHLIGHT_NAMES: Final = {
    OverlayRole.HIGHLIGHTED: "aim of this order",
    OverlayRole.REACH: "may be chosen",
}
"""Legend entries for the hexes highlighted by the option list."""


class Ranges(msgspec.Struct, frozen=True, kw_only=True):
    """This turn's ranges, in hexes. A range of 0 is not drawn."""

    strike_hexes: int = 0
    """Maximum distance of a strike that flies out and back (4.4)."""
    search_hexes: int = 0
    """Maximum distance of a search (8.23)."""
    raid_hexes: int = 0
    """Maximum distance of a raid in this turn (10.1B)."""


_SECTION_BORDER: Final = partial(
    EdgeMark, outline=Outline.BROKEN, tone=TextRole.RING_TWO, name="East and West"
)
_ZONE_BORDER: Final = partial(
    EdgeMark, outline=Outline.DOTTED, tone=TextRole.RING_NEUTRAL, name="movement zone"
)
NO_RANGES: Final = Ranges()


class CourseMarks(msgspec.Struct, frozen=True, kw_only=True):
    """The courses of missions under orders, as drawn on the map."""

    tracks: tuple[Track, ...] = ()
    """The flight paths to the target and home."""
    counters: Mapping[str, tuple[MapCounter, ...]] = {}
    """Markers at the end of each phase, by hex."""


NO_COURSES: Final = CourseMarks()


def _printed_hex(name: str, island: str) -> HexCell:
    if not island:
        return HexCell(id=name)
    return HexCell(
        id=name, ground=HexGround.OPEN, name=island, name_lines=_NAME_LINES.get(island, ())
    )


# The hexes in range change only when the fleet moves, so most redraws can use the cached map.
@lru_cache(maxsize=8)
def _cached_blank_cells(map_data: MapData, in_range: frozenset[str]) -> dict[str, HexCell]:
    cells = {name: _printed_hex(name, map_data.islands.get(name, "")) for name in map_data.hexes}
    for name, cell in cells.items():
        if cell.ground is HexGround.SEA:
            floor = GroundRole.SHALLOW if name in in_range else GroundRole.DEEP
            cells[name] = replace(cell, floor=floor)
    fill_area(cells, sorted(map_data.invasion_zone), _INVASION_FILL)
    return cells


def blank_cells(map_data: MapData, in_range: frozenset[str] = frozenset()) -> dict[str, HexCell]:
    """Return a copy of the printed map with the invasion zone (2.1). The caller may change the copy.

    Args:
        map_data: The printed map.
        in_range: Hexes within range of US strikes. Their sea is painted lighter.
    """
    return dict(_cached_blank_cells(map_data, in_range))


# -- searches


def show_searches(cells: dict[str, HexCell], grid: HexMap, searches: Iterable[MapSearch]) -> None:
    """Fill the hexes that searches cover during the whole flight: sectors by zone, or a narrow path (8.25, 8.26).

    Where searches overlap, the innermost zone is on top.
    """
    hexes_by_fill: dict[Fill, set[str]] = {
        fill: set() for fill in (*_SEARCH_FILLS.values(), _NARROW_SEARCH_FILL)
    }
    for search in searches:
        if search.kind == "narrow":
            path = grid.line(search.origin, search.radius)
            hexes_by_fill[_NARROW_SEARCH_FILL].update(name for step in path for name in step)
            continue
        zones: Sequence[Zone] = ("near", "middle", "far")
        if search.kind == "long":
            zones = (*zones, "extended")
        for zone in zones:
            hexes_by_fill[_SEARCH_FILLS[zone]].update(
                zone_hexes(grid, search.origin, search.bearing, zone)
            )
    for fill, hexes in hexes_by_fill.items():
        fill_area(cells, sorted(hexes), fill)


# -- outlines


def hexes_within(grid: HexMap, centres: Iterable[str], hexes: int) -> frozenset[str]:
    """Return the hexes within a given distance of at least one of the centres."""
    return frozenset(name for centre in set(centres) for name in grid.within(centre, hexes))


def range_rings(grid: HexMap, table: MapContents, ranges: Ranges, cursor: str) -> Iterator[Ring]:
    """Yield rings for the search, strike and raid ranges of the units under the cursor, or of all units together."""
    us_hexes = {group.hex for group in table.groups.values() if group.hex}
    enemy_hexes = {force.hex for force in table.forces.values() if force.hex}
    if cursor in us_hexes | enemy_hexes:
        us_hexes, enemy_hexes = us_hexes & {cursor}, enemy_hexes & {cursor}
    for centres, hexes, outline, tone, name in (
        (us_hexes, ranges.search_hexes, Outline.DOTTED, TextRole.RING_NEUTRAL, "search radius"),
        (us_hexes, ranges.strike_hexes, Outline.DASHED, TextRole.RING_ONE, "strike radius"),
        (enemy_hexes, ranges.raid_hexes, Outline.BROKEN, TextRole.RING_TWO, "raid range"),
    ):
        if centres and hexes:
            covered_hexes = hexes_within(grid, centres, hexes)
            yield Ring(hexes=covered_hexes, outline=outline, tone=tone, name=f"{name} {hexes}")


@cache
def entry_and_exit_marks(map_data: MapData) -> tuple[EdgeMark, ...]:
    """Return the map edges where forces arrive or leave (7.13, 7.23)."""
    arrivals = (
        EdgeMark(hex=name, side=side, tone=TextRole.RING_TWO, name=_EDGE_NAME)
        for hexes in map_data.arrival.values()
        for name in hexes
        for side, neighbour in _sides_with_neighbours(name)
        if neighbour not in map_data.hexes
    )
    exits = (
        EdgeMark(
            hex=name, side=map_data.exit_direction, tone=TextRole.RING_NEUTRAL, name=_EDGE_NAME
        )
        for name in map_data.exit_hexes
    )
    return (*arrivals, *exits)


def _sides_with_neighbours(name: str) -> Iterator[tuple[str, str]]:
    """Yield each side of a hex and the neighbour on that side, which may be off the map."""
    column, row = GRID.coordinates(name)
    for number, side in enumerate(GRID.sides):
        yield side, GRID.name(*GRID.neighbour(column, row, number))


@cache
def zone_lines(map_data: MapData) -> tuple[EdgeMark, ...]:
    """Return the borders between sections and, within a section, between movement zones (2.13, 7.22)."""
    borders = []
    for name, row in map_data.hexes.items():
        for side, neighbour_name in _sides_with_neighbours(name):
            neighbour = map_data.hexes.get(neighbour_name)
            # The loop visits the hexes on both sides of a border, so only the western hex adds the
            # border.
            if neighbour is None or "E" not in side:
                continue
            if neighbour.section != row.section:
                borders.append(_SECTION_BORDER(hex=name, side=side))
            elif neighbour.zone != row.zone:
                borders.append(_ZONE_BORDER(hex=name, side=side))
    return tuple(borders)


def arrival_outlines(map_data: MapData) -> Iterator[Ring]:
    """Yield the outline of each arrival zone. Not every hex of a zone is at the map edge (7.13)."""
    for hexes in map_data.arrival.values():
        zone = frozenset(hexes)
        yield Ring(hexes=zone, outline=Outline.DASHED, tone=TextRole.RING_TWO, name="arrival hexes")


# -- raids


def raid_target_hexes(table: MapContents, map_data: MapData) -> dict[str, str]:
    """Return the current hex of each raid's target. Raids whose target is not on the map are omitted."""
    targets = {}
    for name, raid in table.raids.items():
        # A ship has a hex of its own only if it is alone (12.41).
        ship = table.ships.get(raid.target)
        group = table.groups.get(ship.group if ship is not None else raid.target)
        hex = group.hex if group is not None else ship.hex if ship is not None else ""
        if raid.target == GUAM:
            hex = map_data.guam
        if hex:
            targets[name] = hex
    return targets


def first_direction(grid: HexMap, start_hex: str, end_hex: str) -> str:
    """Return the direction of the first step from one hex to another; empty if both are the same hex."""
    steps = grid.steps_toward(start_hex, end_hex)
    return grid.direction_between(start_hex, steps[0]) if steps else ""


# -- the whole map


def draw_scene(
    table: MapContents,
    map_data: MapData,
    *,
    cursor: str = "",
    overlay: str = "",
    ranges: Ranges = NO_RANGES,
    targets_offered: Iterable[str] = (),
    preview: OrderPreview = NO_PREVIEW,
    course_marks: CourseMarks = NO_COURSES,
) -> HexScene:
    """Build the operations map.

    Args:
        table: The pieces on the map.
        map_data: The printed map.
        cursor: Hex under the cursor. The ranges of its units are drawn.
        overlay: One of :data:`OVERLAYS`; empty for no overlay.
        ranges: This turn's ranges, in hexes.
        targets_offered: Target hexes of the available options.
        preview: Path, target and range of the highlighted order.
        course_marks: The courses of missions under orders.
    """
    grid = map_data.grid
    us_hexes = {group.hex for group in table.groups.values() if group.hex}
    in_range = (
        hexes_within(grid, us_hexes, ranges.strike_hexes) if ranges.strike_hexes else frozenset()
    )
    cells = blank_cells(map_data, in_range)
    if overlay != ZONE_LINES:
        show_searches(cells, grid, table.searches.values())
    else:
        for hexes in map_data.oil.values():
            fill_area(cells, hexes, _OIL_FILL)
    raid_targets = raid_target_hexes(table, map_data)
    courses = {
        name: first_direction(grid, table.raids[name].hex, hex)
        for name, hex in raid_targets.items()
    }
    counters = counters_by_hex(table, map_data, courses)
    for hex, marks_here in course_marks.counters.items():
        counters[hex] = [*counters.get(hex, ()), *marks_here]
    add_counters(cells, counters)
    for name in dict.fromkeys(targets_offered):
        if name in cells:
            cells[name] = replace(cells[name], highlight=Highlight.REACH)
    rings: Iterable[Ring] = ()
    if overlay == RANGES:
        rings = range_rings(grid, table, ranges, cursor)
    elif overlay == ZONE_LINES:
        rings = arrival_outlines(map_data)
    if preview.centre:
        covered_hexes = hexes_within(grid, (preview.centre,), ranges.strike_hexes)
        rings = (*rings, preview.ring(covered_hexes, ranges.strike_hexes))
    if preview.target_hex in cells:
        cells[preview.target_hex] = replace(cells[preview.target_hex], tint=OverlayRole.HIGHLIGHTED)
    marks = (
        (*zone_lines(map_data), *entry_and_exit_marks(map_data))
        if overlay == ZONE_LINES
        else entry_and_exit_marks(map_data)
    )
    raid_paths = [(table.raids[name].hex, hex) for name, hex in raid_targets.items()]
    return build_scene(
        GRID,
        cells,
        rings=rings,
        edge_marks=marks,
        tracks=[
            *(
                Track(hexes=path, tone=TextRole.TRACK, name="raid")
                for path in raid_paths
                if len(set(path)) > 1
            ),
            *course_marks.tracks,
            *preview.tracks(),
        ],
        swatches=tuple(_swatches(cells, ranges)),
    )


def _swatches(cells: dict[str, HexCell], ranges: Ranges) -> Iterator[Swatch]:
    """Yield legend entries for the tints in use: first highlights, then searches, ranges and zones."""
    paints = {cell.paint for cell in cells.values()}
    tints = {tint for _, tint in paints}
    for tint, name in _HIGHLIGHT_NAMES.items():
        if tint in tints:
            yield Swatch(tint, name)
    used_fills = {fill for cell in cells.values() for fill in cell.fills}
    for fill in (*reversed(_SEARCH_FILLS.values()), _NARROW_SEARCH_FILL, _OIL_FILL):
        if fill in used_fills:
            yield Swatch(fill.tint, fill.name)
    # A highlight that covers the whole sea leaves the radius visible as a lighter tint.
    shallow_tints = {tint for ground, tint in paints if ground is GroundRole.SHALLOW}
    for tint in (OverlayRole.NONE, OverlayRole.REACH):
        if tint in shallow_tints:
            yield Swatch(tint, f"strike radius {ranges.strike_hexes}", GroundRole.SHALLOW)
            break
    if _INVASION_FILL in used_fills:
        yield Swatch(_INVASION_FILL.tint, _INVASION_FILL.name)


def scene_legend(scene: HexScene) -> str:
    """Return one line that explains the tints, outlines and tracks in use."""
    return "  ".join(
        text
        for text in (
            scene.legend,
            legend([*scene.rings, *scene.edge_marks, *scene.tracks]),
        )
        if text
    )
