"""Maps for tests: a small one with four columns, three rows and a hole, and a large one with all elements."""

from collections.abc import Iterable

from engine.kernel.hexgrid import HexGrid, HexOrientation, Numbering
from tui.drawing.colour_roles import OverlayRole, TextRole
from tui.maps.enums import Highlight, Owner
from tui.maps.hexmap.elements import EdgeMark, Emphasis, Fill, MapCounter, Outline, Ring, Track
from tui.maps.hexmap.scene import HexCell, HexGround, HexScene, add_counters, build_scene, fill_area


def small_scene(top: HexOrientation = HexOrientation.FLAT, **changes: HexCell) -> HexScene:
    """Return the map; a change replaces the cell whose id is the key behind an `x`."""
    cells = {
        f"{column:02}{row:02}": HexCell(id=f"{column:02}{row:02}")
        for column in range(10, 14)
        for row in range(1, 4)
    }
    del cells["1303"]
    cells["1102"] = HexCell(
        id="1102",
        ground=HexGround.JUNGLE,
        symbols="PA*",
        name="Rabaul",
        counters=(MapCounter(text="▲1■2", brief="3", icon="■", mark="J", owner=Owner.TWO),),
        units=tuple(
            MapCounter(text=text, owner=Owner.TWO)
            for text in ("8 Fleet CA 8-10", "25 AF 6-12", "17 Army 8-8")
        ),
        owner=Owner.TWO,
        owner_mark="J",
    )
    cells["1201"] = HexCell(
        id="1201", ground=HexGround.MOUNTAIN, highlight=Highlight.REACH, tag="4"
    )
    cells["1203"] = HexCell(id="1203", tint=OverlayRole.OURS)
    cells |= {name[1:]: cell for name, cell in changes.items()}
    return build_scene(HexGrid(top=top), cells)


WESTWARD = HexGrid(
    top=HexOrientation.POINTY, numbering=Numbering(is_row_first=True), columns_from_right=True
)
"""Rows first; columns grow to the left, and odd rows are shifted half a hex further left."""
_SIZES = {HexOrientation.POINTY: (30, 24), HexOrientation.FLAT: (24, 20)}


def within(grid: HexGrid, centre: str, hexes: int, names: Iterable[str]) -> frozenset[str]:
    """Return the hexes within the given distance."""
    at = grid.coordinates(centre)
    return frozenset(name for name in names if grid.distance(*at, *grid.coordinates(name)) <= hexes)


def operations(top: HexOrientation = HexOrientation.POINTY) -> HexScene:
    """Return a large map with one of everything that can be on a hex."""
    grid = (
        WESTWARD
        if top is HexOrientation.POINTY
        else HexGrid(numbering=Numbering(is_row_first=True))
    )
    columns, rows = _SIZES[top]
    names = [
        grid.name(column, row) for row in range(1, rows + 1) for column in range(1, columns + 1)
    ]
    cells = {name: HexCell(id=name) for name in names}
    for name, island in (("1005", "Saipan"), ("1407", "Guam")):
        cells[name] = HexCell(id=name, ground=HexGround.OPEN, name=island)
    cells["0812"] = HexCell(id="0812", highlight=Highlight.REACH, tag="12")
    zone = [name for name in names if "08" <= name[:2] <= "12" and name[2:] <= "05"]
    fill_area(cells, zone, Fill("%", TextRole.ZONE, "invasion zone"))
    near, far = (within(grid, "1109", reach, names) for reach in (3, 6))
    west = {name for name in names if name[2:] > "09" and "08" <= name[:2] <= "14"}
    fill_area(cells, (far - near) & west, Fill(".", TextRole.SCAN_FAR, "middle zone"))
    fill_area(cells, near & west, Fill(":", TextRole.SCAN, "near zone"))
    task_force = MapCounter(text="TF58", brief="58", owner=Owner.ONE, course="NW")
    counters = {
        "1109": [task_force, MapCounter(text="CAP6", owner=Owner.ONE, emphasis=Emphasis.QUIET)],
        "1117": [MapCounter(text="A?L1", brief="A1", owner=Owner.TWO, course="E", long="Force A")],
        "1113": [MapCounter(text="R9", owner=Owner.TWO, emphasis=Emphasis.ALERT, course="E")],
        "1407": [
            MapCounter(text="GUAM", brief="GU", owner=Owner.TWO),
            MapCounter(text="S2", owner=Owner.ONE, count=2),
            MapCounter(text="I1", owner=Owner.ONE),
        ],
        "1213": [MapCounter(text="SS", emphasis=Emphasis.NORMAL)],
    }
    add_counters(cells, counters)
    side = "NW" if top is HexOrientation.POINTY else "N"
    return build_scene(
        grid,
        cells,
        rings=(
            Ring(
                hexes=within(grid, "1109", 8, names), outline=Outline.DASHED, tone=TextRole.RING_ONE
            ),
            Ring(
                hexes=within(grid, "1117", 4, names), outline=Outline.DOTTED, tone=TextRole.RING_TWO
            ),
        ),
        edge_marks=[
            EdgeMark(hex=f"01{column:02}", side=side, tone=TextRole.RING_TWO)
            for column in range(8, 12)
        ],
        tracks=(Track(hexes=("1117", "1109"), tone=TextRole.TRACK),),
    )
