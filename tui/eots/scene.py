"""Builds the Empire of the Sun hex-map scene, including overlays."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Final

from msgspec.structs import replace

from engine.eots.board import GRID, Board, Hex, board, board_of
from engine.eots.ids import Side, Terrain
from engine.eots.rulings import SP_MAP
from engine.eots.view import EotsView, OffensiveView
from tui.drawing.colour_roles import GroundRole, OverlayRole, TextRole
from tui.eots.index import Index, Stack
from tui.eots.map_counters import SIDE_OWNERS, stack_counter, unit_counter
from tui.eots.overlays import Overlay, is_south_pacific, select_overlay
from tui.eots.texts import SIDE_LETTERS, places
from tui.hexmap.elements import Caption, Swatch
from tui.hexmap.scene import HexCell, HexGround, HexScene, Place, build_scene
from tui.map_enums import HIGHLIGHT_TINTS, Highlight, Owner
from tui.presenter import Selection

_GROUNDS: Final = {
    Terrain.OPEN: HexGround.OPEN,
    Terrain.JUNGLE: HexGround.JUNGLE,
    Terrain.MIXED: HexGround.MIXED,
    Terrain.MOUNTAIN: HexGround.MOUNTAIN,
    Terrain.ATOLL: HexGround.COAST,
    Terrain.OCEAN: HexGround.SEA,
    Terrain.UNPLAYABLE: HexGround.VOID,
}
_CAPTIONS: Final = {
    "sea": TextRole.CAPTION,
    "region": TextRole.CAPTION,
    "island group": TextRole.CAPTION,
}
_MARKS: Final = {
    Highlight.REACH: "may be chosen",
    Highlight.TARGET: "battle",
    Highlight.SELECTED: "activated",
    Highlight.PATH: "way of the move",
}
"""Legend texts for the highlights that colour a hex's ground."""
_OVER_MARKS: Final = frozenset({OverlayRole.NEAR, OverlayRole.FAR})
"""Tints that override highlights."""
_NOTES: Final = re.compile(r" \([^)]*\)")


@cache
def _printed_cells(sheet: str) -> Mapping[str, HexCell]:
    """Return the hexes of the printed map, with terrain, bases and names.

    Args:
        sheet: Value of the South Pacific map option (OPS-11); empty for the whole map.
    """
    of = board_of({SP_MAP.id: sheet}) if sheet else board()
    seas = _seas(of)
    cells = {
        str(row.id): _printed_hex(row, seas)
        for row in of.hexes.values()
        if of.is_in_play[row.index]
    }
    inside = [GRID.coordinates(at) for at in of.south_pacific.hexes]
    columns, rows = ({place[n] for place in inside} for n in (0, 1))
    for grey in of.grey_hexes:
        column, row = GRID.coordinates(grey)
        if not sheet or (column in columns and row in rows):
            cells[str(grey)] = HexCell(
                id=str(grey), ground=HexGround.VOID, floor=GroundRole.OUTSIDE
            )
    return cells


def blank_cells(view: EotsView) -> Mapping[str, HexCell]:
    """Return the hexes of the map that this game uses (17.10)."""
    return _printed_cells(_sheet(view))


def _sheet(view: EotsView) -> str:
    return SP_MAP.value(view.options) if is_south_pacific(view.scenario) else ""


def _symbols(row: Hex) -> str:
    marks = (row.resource, "*"), (row.port, "P"), (row.airfield, "A"), (row.city is not None, "c")
    return "".join(letter for held, letter in marks if held)


def _with_neighbours(places: Iterable[Place]) -> set[Place]:
    """Return these places and their neighbours."""
    found = set(places)
    return found.union(GRID.neighbour(*place, side) for place in found for side in range(6))


def _seas(land_cells: Board) -> Mapping[Place, GroundRole]:
    """Return the sea's colours near land; all other sea hexes are deep. Atolls have no shallow coast."""
    land = {GRID.coordinates(row.id) for row in land_cells.hexes.values() if not row.is_sea}
    atolls = {
        GRID.coordinates(at) for at, row in land_cells.hexes.items() if row.terrain is Terrain.ATOLL
    }
    coast = _with_neighbours(land - atolls)
    near = _with_neighbours(coast | atolls)
    return dict.fromkeys(near, GroundRole.SEA) | dict.fromkeys(coast, GroundRole.COAST)


def _printed_hex(row: Hex, seas: Mapping[Place, GroundRole]) -> HexCell:
    is_sea = row.terrain is Terrain.OCEAN
    return HexCell(
        id=str(row.id),
        ground=_GROUNDS[row.terrain],
        floor=seas.get(GRID.coordinates(row.id), GroundRole.DEEP) if is_sea else GroundRole.NONE,
        symbols=_symbols(row),
        name=row.name or "",
        is_city=row.city is not None,
    )


def _with_units(
    cell: HexCell, stacks: tuple[Stack, ...], owner: Side | None, active: frozenset[str]
) -> HexCell:
    """Return a printed hex, with its owner and units added."""
    return replace(
        cell,
        counters=tuple(stack_counter(stack, active) for stack in stacks),
        units=tuple(unit_counter(unit, active) for stack in stacks for unit in stack.units),
        owner=SIDE_OWNERS[owner] if cell.symbols else Owner.NONE,
        owner_mark=SIDE_LETTERS[owner] if owner is not None and cell.symbols else "",
    )


@lru_cache(maxsize=2)
def base_cells(index: Index) -> Mapping[str, HexCell]:
    """Return all hexes with owners and units, but without highlights. The result is cached per view."""
    cells = dict(blank_cells(index.view))
    active = frozenset(str(unit.id) for unit in index.view.units if unit.activated)
    for name, cell in cells.items():
        stacks = index.stacks.get(name, ())
        owner = index.owner(name) if cell.symbols else None
        if stacks or owner is not None:
            cells[name] = _with_units(cell, stacks, owner, active)
    return cells


@cache
def _blank_scene(sheet: str) -> HexScene:
    """Return a printed map, with the names of seas, regions and island groups."""
    cells = _printed_cells(sheet)
    return build_scene(GRID, cells, captions=_captions(cells))


def _captions(cells: Mapping[str, HexCell]) -> Iterator[Caption]:
    for label in board().labels:
        tone = _CAPTIONS.get(label.type)
        at = label.hexes[len(label.hexes) // 2]
        if tone is not None and at in cells:
            text = _NOTES.sub("", label.text).upper()
            wide = " ".join(text) if "OCEAN" in text else ""
            yield Caption(hex=str(at), text=text, wide=wide, tone=tone)


# -- highlights over the overlay


class _Canvas:
    """The hexes of a map while highlights are added."""

    def __init__(self, cells: Mapping[str, HexCell]) -> None:
        self.cells = dict(cells)

    def highlight(self, hexes: Iterable[str], highlight: Highlight) -> None:
        """Highlight hexes."""
        for name in hexes:
            cell = self.cells.get(name)
            if cell is not None:
                self.cells[name] = replace(cell, highlight=highlight)

    def highlight_swatches(self, found: Overlay) -> Iterator[Swatch]:
        """Yield legend entries for the highlights in use that are missing from the overlay's legend."""
        named = {swatch.tint for swatch in found.swatches}
        used = {cell.highlight for cell in self.cells.values() if cell.tint not in _OVER_MARKS}
        for highlight, words in _MARKS.items():
            tint = HIGHLIGHT_TINTS[highlight]
            if highlight in used and tint not in named:
                yield Swatch(tint, words)

    def apply_overlay(self, found: Overlay) -> None:
        """Tint the hexes of an overlay."""
        for name, tint in found.tints.items():
            cell = self.cells.get(name)
            if cell is not None:
                self.cells[name] = replace(cell, tint=tint, tag=found.tags.get(name, ""))


def _mark_offensive(canvas: _Canvas, index: Index, offensive: OffensiveView) -> None:
    """Highlight battles, activated units and the path of the moving stack."""
    canvas.highlight(offensive.battles, Highlight.TARGET)
    for unit in index.view.units:
        cell = canvas.cells.get(unit.at)
        if unit.activated and cell is not None and cell.highlight is Highlight.NONE:
            canvas.highlight((unit.at,), Highlight.SELECTED)
    frame = index.view.frames[-1] if index.view.frames else None
    canvas.highlight(getattr(frame, "path", ()), Highlight.PATH)
    at = getattr(frame, "at", None)
    if at is not None:
        canvas.highlight((at,), Highlight.SELECTED)


def draw_scene(index: Index, selection: Selection, last: OffensiveView | None) -> HexScene:
    """Return the map, with the overlay and highlights of the selection.

    Args:
        index: Lookups in the view.
        selection: The chosen overlay, the cursor and the available commands.
        last: The last offensive seen, for the overlay that shows it; None if there was none.
    """
    canvas = _Canvas(base_cells(index))
    found = select_overlay(index, selection, last)
    canvas.apply_overlay(found)
    offensive = index.view.offensive
    if offensive is not None and selection.overlay != "supply":
        _mark_offensive(canvas, index, offensive)
    if not selection.overlay:  # never paint over an overlay that the player chose
        targets = (place for command in selection.options for place in places(index, command))
        canvas.highlight(dict.fromkeys(targets), Highlight.REACH)
    blank = _blank_scene(_sheet(index.view))
    return replace(
        blank, cells=canvas.cells, swatches=(*found.swatches, *canvas.highlight_swatches(found))
    )
