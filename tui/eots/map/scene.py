"""Builds the Empire of the Sun map scene, including overlays."""

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
from tui.eots.map.counters import SIDE_OWNERS, stack_counter, unit_counter
from tui.eots.map.overlays import Overlay, is_south_pacific, select_overlay
from tui.eots.texts import SIDE_LETTERS, places
from tui.maps.enums import HIGHLIGHT_TINTS, Highlight, Owner
from tui.maps.hexmap.elements import Caption, Swatch
from tui.maps.hexmap.scene import HexCell, HexGround, HexScene, Place, build_scene
from tui.presenter.presenter import Selection

_GROUND_BY_TERRAIN: Final = {
    Terrain.OPEN: HexGround.OPEN,
    Terrain.JUNGLE: HexGround.JUNGLE,
    Terrain.MIXED: HexGround.MIXED,
    Terrain.MOUNTAIN: HexGround.MOUNTAIN,
    Terrain.ATOLL: HexGround.COAST,
    Terrain.OCEAN: HexGround.SEA,
    Terrain.UNPLAYABLE: HexGround.VOID,
}
_UNNAMED_RANK: Final = 3
"""Rank of hexes without a city, port or airfield."""
_CAPTION_TONES: Final = {
    "sea": TextRole.CAPTION,
    "region": TextRole.CAPTION,
    "island group": TextRole.CAPTION,
}
_HIGHLIGHT_NAMES: Final = {
    Highlight.REACH: "may be chosen",
    Highlight.TARGET: "battle",
    Highlight.SELECTED: "activated",
    Highlight.PATH: "path of the move",
}
"""Legend entries for the highlights that tint a hex."""
_OVERRIDING_TINTS: Final = frozenset({OverlayRole.NEAR, OverlayRole.FAR})
"""Overlay tints that are drawn instead of highlights."""
_BRACKETED_NOTE: Final = re.compile(r" \([^)]*\)")


@cache
def _printed_cells(map_option: str) -> Mapping[str, HexCell]:
    """Return the hexes of the printed map, with terrain, bases and names.

    Args:
        map_option: Value of the South Pacific map option (OPS-11); empty for the whole map.
    """
    game_board = board_of({SP_MAP.id: map_option}) if map_option else board()
    sea_floors = _sea_floors(game_board)
    cells = {
        str(row.id): _printed_hex(row, sea_floors)
        for row in game_board.hexes.values()
        if game_board.is_in_play[row.index]
    }
    map_positions = [GRID.coordinates(hex_id) for hex_id in game_board.south_pacific.hexes]
    columns, rows = ({place[axis] for place in map_positions} for axis in (0, 1))
    for grey_hex in game_board.grey_hexes:
        column, row = GRID.coordinates(grey_hex)
        if not map_option or (column in columns and row in rows):
            cells[str(grey_hex)] = HexCell(
                id=str(grey_hex), ground=HexGround.VOID, floor=GroundRole.OUTSIDE
            )
    return cells


def blank_cells(view: EotsView) -> Mapping[str, HexCell]:
    """Return the hexes of the map that this game uses (17.10)."""
    return _printed_cells(_map_option(view))


def _map_option(view: EotsView) -> str:
    return SP_MAP.value(view.options) if is_south_pacific(view.scenario) else ""


def _base_symbols(row: Hex) -> str:
    marks = (row.resource, "*"), (row.port, "P"), (row.airfield, "A"), (row.city is not None, "c")
    return "".join(letter for is_present, letter in marks if is_present)


def _with_neighbours(places: Iterable[Place]) -> set[Place]:
    """Return the given places and their neighbours."""
    positions = set(places)
    return positions.union(GRID.neighbour(*place, side) for place in positions for side in range(6))


def _sea_floors(game_board: Board) -> Mapping[Place, GroundRole]:
    """Return the background colour of sea hexes near land. All others are deep sea. Atolls have no shallow coast."""
    land = {GRID.coordinates(row.id) for row in game_board.hexes.values() if not row.is_sea}
    atolls = {
        GRID.coordinates(hex_id)
        for hex_id, row in game_board.hexes.items()
        if row.terrain is Terrain.ATOLL
    }
    coast = _with_neighbours(land - atolls)
    near_coast = _with_neighbours(coast | atolls)
    return dict.fromkeys(near_coast, GroundRole.SEA) | dict.fromkeys(coast, GroundRole.COAST)


def _printed_hex(row: Hex, sea_floors: Mapping[Place, GroundRole]) -> HexCell:
    is_sea = row.terrain is Terrain.OCEAN
    return HexCell(
        id=str(row.id),
        ground=_GROUND_BY_TERRAIN[row.terrain],
        floor=sea_floors.get(GRID.coordinates(row.id), GroundRole.DEEP)
        if is_sea
        else GroundRole.NONE,
        symbols=_base_symbols(row),
        name=row.name or "",
        is_city=row.city is not None,
    )


def _with_units(
    cell: HexCell, stacks: tuple[Stack, ...], owner: Side | None, activated_ids: frozenset[str]
) -> HexCell:
    """Return a printed hex with its owner and units."""
    return replace(
        cell,
        counters=tuple(stack_counter(stack, activated_ids) for stack in stacks),
        units=tuple(unit_counter(unit, activated_ids) for stack in stacks for unit in stack.units),
        owner=SIDE_OWNERS[owner] if cell.symbols else Owner.NONE,
        owner_mark=SIDE_LETTERS[owner] if owner is not None and cell.symbols else "",
    )


@lru_cache(maxsize=2)
def base_cells(index: Index) -> Mapping[str, HexCell]:
    """Return all hexes with owners and units, but without highlights. The result is cached per view."""
    cells = dict(blank_cells(index.view))
    activated_ids = frozenset(str(unit.id) for unit in index.view.units if unit.activated)
    for name, cell in cells.items():
        stacks = index.stacks.get(name, ())
        owner = index.owner(name) if cell.symbols else None
        if stacks or owner is not None:
            cells[name] = _with_units(cell, stacks, owner, activated_ids)
    return cells


@cache
def _blank_scene(map_option: str) -> HexScene:
    """Return the printed map with the names of seas, regions and island groups."""
    cells = _printed_cells(map_option)
    return build_scene(GRID, cells, captions=_captions(cells))


def _captions(cells: Mapping[str, HexCell]) -> Iterator[Caption]:
    for label in board().labels:
        tone = _CAPTION_TONES.get(label.type)
        position_at = label.hexes[len(label.hexes) // 2]
        if tone is not None and position_at in cells:
            text = _BRACKETED_NOTE.sub("", label.text).upper()
            wide_text = " ".join(text) if "OCEAN" in text else ""
            yield Caption(hex=str(position_at), text=text, wide=wide_text, tone=tone)
    for position_at, row in sorted(board().hexes.items(), key=lambda item: _place_rank(item[1])):
        if row.name and _place_rank(row) < _UNNAMED_RANK and str(position_at) in cells:
            yield Caption(hex=str(position_at), text=row.name, tone=TextRole.NAME, is_place=True)


def _place_rank(row: Hex) -> int:
    """Return the rank in which a hex's name is added to the overview: cities first, then ports, then airfields."""
    features = (row.city, row.port, row.airfield)
    return next((rank for rank, feature in enumerate(features) if feature), _UNNAMED_RANK)


# -- highlights over the overlay


class _Canvas:
    """A copy of the map hexes, for adding highlights and tints."""

    def __init__(self, cells: Mapping[str, HexCell]) -> None:
        self.cells = dict(cells)

    def highlight(self, hexes: Iterable[str], highlight: Highlight) -> None:
        """Highlight hexes."""
        for name in hexes:
            cell = self.cells.get(name)
            if cell is not None:
                self.cells[name] = replace(cell, highlight=highlight)

    def highlight_swatches(self, overlay: Overlay) -> Iterator[Swatch]:
        """Yield legend entries for the highlights that are in use but not in the overlay's legend."""
        overlay_tints = {swatch.tint for swatch in overlay.swatches}
        highlights = {
            cell.highlight for cell in self.cells.values() if cell.tint not in _OVERRIDING_TINTS
        }
        for highlight, name in _HIGHLIGHT_NAMES.items():
            tint = HIGHLIGHT_TINTS[highlight]
            if highlight in highlights and tint not in overlay_tints:
                yield Swatch(tint, name)

    def apply_overlay(self, overlay: Overlay) -> None:
        """Tint the hexes of an overlay."""
        for name, tint in overlay.tints.items():
            cell = self.cells.get(name)
            if cell is not None:
                self.cells[name] = replace(cell, tint=tint, tag=overlay.tags.get(name, ""))


def _mark_offensive(canvas: _Canvas, index: Index, offensive: OffensiveView) -> None:
    """Highlight battles, activated units and the path of the moving stack."""
    canvas.highlight(offensive.battles, Highlight.TARGET)
    for unit in index.view.units:
        cell = canvas.cells.get(unit.at)
        if unit.activated and cell is not None and cell.highlight is Highlight.NONE:
            canvas.highlight((unit.at,), Highlight.SELECTED)
    frame = index.view.frames[-1] if index.view.frames else None
    canvas.highlight(getattr(frame, "path", ()), Highlight.PATH)
    position_at = getattr(frame, "at", None)
    if position_at is not None:
        canvas.highlight((position_at,), Highlight.SELECTED)


def draw_scene(
    index: Index, selection: Selection, last_offensive: OffensiveView | None
) -> HexScene:
    """Return the map, with the overlay and highlights of the selection.

    Args:
        index: Index of the player's view.
        selection: The chosen overlay, the cursor and the available commands.
        last_offensive: The most recent offensive, for the overlay that shows it; None if no offensive has been seen.
    """
    canvas = _Canvas(base_cells(index))
    overlay = select_overlay(index, selection, last_offensive)
    canvas.apply_overlay(overlay)
    offensive = index.view.offensive
    if offensive is not None and selection.overlay != "supply":
        _mark_offensive(canvas, index, offensive)
    if not selection.overlay:  # never paint over an overlay that the player chose
        targets = (place for command in selection.options for place in places(index, command))
        canvas.highlight(dict.fromkeys(targets), Highlight.REACH)
    blank_scene = _blank_scene(_map_option(index.view))
    return replace(
        blank_scene,
        cells=canvas.cells,
        swatches=(*overlay.swatches, *canvas.highlight_swatches(overlay)),
    )
