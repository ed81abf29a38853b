"""The map of Empire of the Sun as a neutral scene, with its overlays."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from msgspec.structs import replace

from engine.eots.board import GRID, Hex, board, board_of
from engine.eots.counters import counters
from engine.eots.ids import AreaId, Category, HexId, ScenarioId, Side, Terrain
from engine.eots.rulings import SP_MAP
from engine.eots.scenarios import scenario, scenario_ids
from engine.eots.view import EotsView, OffensiveView
from tui.eots.index import Index, Stack
from tui.eots.words import SIDE_LETTERS, places, short_name, values
from tui.hexmap.scene import Ground, HexCell, HexScene, scene_of
from tui.marks import Highlight, Owner
from tui.presenter import Selection

NEW_HEBRIDES: Final = AreaId("new-hebrides-sp")
OWNERS: Final = {Side.ALLIED: Owner.ONE, Side.JAPAN: Owner.TWO, None: Owner.NOBODY}
_GROUNDS: Final = {
    Terrain.OPEN: Ground.OPEN,
    Terrain.JUNGLE: Ground.JUNGLE,
    Terrain.MIXED: Ground.MIXED,
    Terrain.MOUNTAIN: Ground.MOUNTAIN,
    Terrain.ATOLL: Ground.COAST,
    Terrain.OCEAN: Ground.SEA,
    Terrain.UNPLAYABLE: Ground.VOID,
}
_LETTERS: Final = {Category.NAVAL: "n", Category.AIR: "a", Category.GROUND: "g"}
_MANY: Final = 9
_DETAILS: Final = 4
_ZOI_MARKS: Final = {Side.ALLIED: ":", Side.JAPAN: ";"}
_CONTESTED: Final = "#"


@cache
def _cells_of(sheet: str) -> Mapping[str, HexCell]:
    """Return a printed map: terrain, bases, names.

    Args:
        sheet: Value of the switch of the South Pacific sheet (OPS-11), empty for the whole map.
    """
    of = board_of({SP_MAP.id: sheet}) if sheet else board()
    cells = {str(row.id): _printed(row) for row in of.hexes.values() if of.is_in_play[row.index]}
    inside = [GRID.coordinates(at) for at in of.south_pacific.hexes]
    columns, rows = ({place[n] for place in inside} for n in (0, 1))
    for grey in of.grey_hexes:
        column, row = GRID.coordinates(grey)
        if not sheet or (column in columns and row in rows):
            cells[str(grey)] = HexCell(id=str(grey), ground=Ground.VOID)
    return cells


def blank_cells(view: EotsView) -> Mapping[str, HexCell]:
    """Return the map on which a game is played (17.10)."""
    return _cells_of(SP_MAP.value(view.options) if is_south_pacific(view.scenario) else "")


def _symbols(row: Hex) -> str:
    marks = (row.resource, "*"), (row.port, "P"), (row.airfield, "A"), (row.city is not None, "c")
    return "".join(letter for held, letter in marks if held)


def _printed(row: Hex) -> HexCell:
    name = row.name or ""
    return HexCell(
        id=str(row.id),
        ground=_GROUNDS[row.terrain],
        symbols=_symbols(row),
        lines=(name,),
        details=(name,),
    )


def _brief(stacks: tuple[Stack, ...]) -> str:
    """Return who is here in two characters."""
    if len(stacks) > 1:
        return "AJ"
    count = len(stacks[0].units)
    return f"{SIDE_LETTERS[stacks[0].side]}{count if count <= _MANY else '+'}"


def _summary(stack: Stack) -> str:
    """Return a stack in a few characters: side, ships, aircraft, ground, headquarters."""
    parts = [
        f"{stack.count(kind)}{letter}" for kind, letter in _LETTERS.items() if stack.count(kind)
    ]
    return SIDE_LETTERS[stack.side] + "".join(parts) + ("H" if stack.count(Category.HQ) else "")


def _detail(stacks: tuple[Stack, ...]) -> list[str]:
    """Return the units with values, as many as fit."""
    lines = []
    for stack in stacks:
        for unit in stack.units:
            row = counters()[unit.id]
            mark = "" if unit.supplied else "!"
            step = "'" if row.max_steps > 1 and unit.steps == 1 else ""
            numbers = "HQ" if row.is_hq else values(row, unit.steps).split(" ")[0]
            lines.append(f"{mark}{row.counter_label or short_name(unit.id)} {numbers}{step}")
    room = _DETAILS - 1
    return (
        lines if len(lines) <= room else [*lines[: room - 1], f"and {len(lines) - room + 1} more"]
    )


def _with_units(cell: HexCell, stacks: tuple[Stack, ...], owner: Side | None) -> HexCell:
    """Return the printed hex with who holds it and who stands there."""
    name = cell.lines[0]
    summary = "/".join(_summary(stack) for stack in stacks)
    return HexCell(
        id=cell.id,
        ground=cell.ground,
        symbols=cell.symbols,
        brief=_brief(stacks) if stacks else "",
        lines=(name, summary),
        details=(name, *_detail(stacks)),
        owner=OWNERS[owner] if cell.symbols else Owner.NOBODY,
        owner_mark=SIDE_LETTERS[owner] if owner is not None and cell.symbols else "",
        occupant=OWNERS[stacks[0].side] if stacks else Owner.NOBODY,
    )


@cache
def is_south_pacific(name: str) -> bool:
    """Return whether a scenario is played on the South Pacific sheet (17.10)."""
    return name in scenario_ids() and scenario(ScenarioId(name)).map == "south-pacific"


def base_cells(index: Index) -> dict[str, HexCell]:
    """Return all hexes with owners and units, nothing highlighted."""
    cells = dict(blank_cells(index.view))
    for name, cell in cells.items():
        stacks = index.stacks.get(name, ())
        owner = index.owner(name) if cell.symbols else None
        if stacks or owner is not None:
            cells[name] = _with_units(cell, stacks, owner)
    return cells


def _shade(cells: dict[str, HexCell], hexes: Iterable[str], side: Side, mark: str) -> None:
    for name in hexes:
        if name in cells:
            cells[name] = replace(cells[name], shade=OWNERS[side], shade_mark=mark)


def _light(cells: dict[str, HexCell], hexes: Iterable[str], highlight: Highlight) -> None:
    for name in hexes:
        if name in cells:
            cells[name] = replace(cells[name], highlight=highlight)


def _show_zones(cells: dict[str, HexCell], view: EotsView) -> None:
    """Shade un-neutralised zones of influence; ``#`` marks hexes in the zones of both (6.4)."""
    for side, hexes in ((Side.ALLIED, view.zones.allied), (Side.JAPAN, view.zones.japan)):
        _shade(cells, hexes, side, _ZOI_MARKS[side])
    for name in view.zones.contested:
        if name in cells:
            cells[name] = replace(cells[name], shade_mark=_CONTESTED)


def _show_supply(cells: dict[str, HexCell], index: Index) -> None:
    """Mark units in supply with ``=`` and those without with ``x`` (6.2)."""
    for name, stacks in index.stacks.items():
        units = [unit for stack in stacks for unit in stack.units]
        lacking = any(not unit.supplied for unit in units)
        _light(cells, (name,), Highlight.TARGET if lacking else Highlight.SUPPLY)


def hq_hexes(scenario_id: str, unit_at: str, hexes: int) -> tuple[str, ...]:
    """Return the hexes in the command range of a headquarters (6.1); from Oahu the New Hebrides only (17.10.5K)."""
    of = board()
    centre = of.index.get(HexId(unit_at))
    if is_south_pacific(scenario_id) and unit_at in of.south_pacific.off_map_hexes:
        return of.areas[NEW_HEBRIDES].hexes
    return () if centre is None else tuple(of.ids[i] for i in of.within(centre, hexes))


def _show_ranges(cells: dict[str, HexCell], index: Index, cursor: str) -> None:
    """Shade the range of the headquarters under the cursor, else of all own ones (6.1)."""
    side = index.view.side
    found = [
        (stack.side, unit)
        for stacks in index.stacks.values()
        for stack in stacks
        for unit in stack.units
        if counters()[unit.id].is_hq and unit.at in cells
    ]
    here = [(owner, unit) for owner, unit in found if unit.at == cursor]
    own = [(owner, unit) for owner, unit in found if side is None or owner is side]
    for owner, unit in here or own:
        hq = counters()[unit.id].hq
        if hq is not None:
            _shade(cells, hq_hexes(index.view.scenario, unit.at, hq.command_range), owner, "-")


def show_offensive(cells: dict[str, HexCell], offensive: OffensiveView) -> None:
    """Mark paths with ``o`` and battle hexes with ``x``."""
    for path in offensive.paths.values():
        _light(cells, path, Highlight.PATH)
    _light(cells, offensive.battles, Highlight.TARGET)


def _show_activated(cells: dict[str, HexCell], index: Index) -> None:
    for unit in index.view.units:
        if unit.activated and unit.at in cells and cells[unit.at].highlight is Highlight.NONE:
            _light(cells, (unit.at,), Highlight.SELECTED)


def _show_moving(cells: dict[str, HexCell], view: EotsView) -> None:
    """Mark the way of the stack that is moving."""
    frame = view.frames[-1] if view.frames else None
    path = getattr(frame, "path", ())
    _light(cells, path, Highlight.PATH)
    at = getattr(frame, "at", None)
    if at is not None:
        _light(cells, (at,), Highlight.SELECTED)


def draw_scene(index: Index, selection: Selection, last: OffensiveView | None) -> HexScene:
    """Return the map with what the selection asks for.

    Args:
        index: The view.
        selection: Overlay, cursor and the commands on offer.
        last: The last offensive seen, for its overlay.
    """
    cells = base_cells(index)
    match selection.overlay:
        case "zoi":
            _show_zones(cells, index.view)
        case "supply":
            _show_supply(cells, index)
        case "range":
            _show_ranges(cells, index, selection.cursor)
        case "last":
            if last is not None:
                show_offensive(cells, last)
        case _:
            pass
    if index.view.offensive is not None and selection.overlay != "supply":
        _light(cells, index.view.offensive.battles, Highlight.TARGET)
        _show_activated(cells, index)
        _show_moving(cells, index.view)
    targets = (place for command in selection.options for place in places(index, command))
    _light(cells, dict.fromkeys(targets), Highlight.REACH)
    return scene_of(GRID, cells)
