"""Builds the Quartermaster General map scene, including overlays."""

from collections.abc import Iterable
from functools import cache
from typing import Final

from msgspec.structs import replace

from engine.qmg.atlas import ATLAS, BORDERS, SPACE_IDS, SPACES, STRAITS, names
from engine.qmg.ids import AIR, ARMY, DECIDER, MINOR_FORCE, NAVY, TEAM_BY_FORCE, TEAMS
from tui.drawing.colour_roles import CHIP_ROLES, HOME_ROLES, GroundRole, OverlayRole, TextRole
from tui.maps.areamap.scene import AreaCell, AreaLink, AreaScene, Arm, Token, WrappedEdge
from tui.maps.enums import OWNER_TONES, Highlight, Owner
from tui.presenter.presenter import NO_OVERLAY, Selection
from tui.qmg.index import Index, Piece
from tui.qmg.map.chart import CHART
from tui.qmg.panels.status_bar import COUNTRY_CHIPS
from tui.qmg.texts import CODES, LETTERS, TEAM_TITLES, places

OWNERS: Final = {"axis": Owner.TWO, "allies": Owner.ONE, "": Owner.NONE}
TEAM_MARKS: Final = {"axis": "Ax", "allies": "Al"}
"""Marks for land that controls a strait. The mark shows which team may use the strait."""
UNSUPPLIED_MARK: Final = "!"
AIR_MARK: Final = "^"
_MEDIUM_NAMES: Final = {
    "eastern_us": "E. US",
    "western_us": "W. US",
    "latin_america": "Lat.Am.",
    "united_kingdom": "UK",
    "scandinavia": "Scand.",
    "western_europe": "W.Eur.",
    "eastern_europe": "E.Eur.",
    "kazakhstan": "Kazakh.",
    "mongolia": "Mongol.",
    "vladivostok": "Vladiv.",
    "middle_east": "MidEast",
    "north_africa": "N.Afr.",
    "madagascar": "Madag.",
    "southeast_asia": "SE Asia",
    "szechuan": "Szech.",
    "philippines": "Philip.",
    "indonesia": "Indon.",
    "new_guinea": "N.Guin.",
    "iwo_jima": "IwoJima",
    "australia": "Austr.",
    "new_zealand": "N.Zeal.",
    "pacific_northwest": "Pac. NW",
    "north_atlantic": "N. Atl.",
    "north_sea": "North S",
    "south_atlantic": "S. Atl.",
    "southern_ocean": "S.Ocean",
    "southeast_pacific": "SE Pac.",
    "baltic_sea": "Baltic",
    "mediterranean": "Medit.",
    "black_sea": "Black S",
    "caspian_sea": "Caspian",
    "bay_of_bengal": "Bengal",
    "indian_ocean": "Ind.Oc.",
    "south_china_sea": "S.China",
    "east_china_sea": "E.China",
    "north_pacific": "N. Pac.",
    "central_pacific": "C. Pac.",
    "east_pacific": "E. Pac.",
    "south_pacific": "S. Pac.",
}
"""Names of at most seven characters, for spaces with longer printed names."""
_MEDIUM_NAME_CELLS: Final = 7
_SHALLOW_SEAS: Final = frozenset(
    {
        "baltic_sea",
        "north_sea",
        "mediterranean",
        "black_sea",
        "caspian_sea",
        "bay_of_bengal",
        "south_china_sea",
        "east_china_sea",
    }
)
"""Seas between land spaces, painted lighter than the oceans."""
ARM_BY_KIND: Final = {ARMY: Arm.LAND, NAVY: Arm.SEA, AIR: Arm.AIR}
FORCE_CHIPS: Final = {force: COUNTRY_CHIPS[DECIDER[force]] for force in TEAM_BY_FORCE}
"""Each force's colours. France and China use the colours of the UK and the USA, whose players control them."""
HOME_TONES: Final = {
    force: HOME_ROLES[CHIP_ROLES.index(chip)] for force, chip in FORCE_CHIPS.items()
}
_LEGENDS: Final = {
    "supply": "Own supply: @ source, = in supply, x out of supply",
    "all": "Supply of all countries: @ source, = in supply, x out of supply",
    "homes": "Home spaces: @",
}
_HOLLOW_ROLES: Final = {Owner.ONE: TextRole.HOLLOW_ONE, Owner.TWO: TextRole.HOLLOW_TWO}


@cache
def _printed_map() -> dict[str, AreaCell]:
    """Return the printed map without pieces."""
    return {
        space.id: AreaCell(
            id=space.id,
            name=space.name,
            short=space.abbr.lower() if space.kind == "sea" else space.abbr,
            medium=_MEDIUM_NAMES.get(space.id, space.name)[:_MEDIUM_NAME_CELLS],
            is_sea=space.kind == "sea",
            floor=GroundRole.SHALLOW if space.id in _SHALLOW_SEAS else GroundRole.NONE,
            symbol="*" if space.supply else "",
        )
        for space in SPACES
    }


@cache
def _wrapped_edges() -> tuple[WrappedEdge, ...]:
    """Return the places where the map continues beyond its left and right edges (5.2)."""
    left_labels = {row[0] for row in CHART.rows}
    return tuple(
        WrappedEdge(space, space not in left_labels, neighbour)
        for pair in ATLAS.layout.wrap_edges
        for space, neighbour in (pair, pair[::-1])
    )


def _strait_links(index: Index) -> tuple[AreaLink, ...]:
    """Return the links through straits, with the mark of the team that can use each strait (5.3)."""
    holders = ((strait, index.view.straits[strait.id]) for strait in STRAITS)
    return tuple(AreaLink(*strait.seas, TEAM_MARKS[team], OWNERS[team]) for strait, team in holders)


def token(piece: Piece) -> Token:
    """Return the token for a piece.

    Navies have lower-case letters, Air Forces ``^``, and pieces out of supply ``!``.
    """
    letter = LETTERS[piece.force]
    mark = "" if piece.is_supplied else UNSUPPLIED_MARK
    return Token(
        letter={AIR: f"{letter}{AIR_MARK}", NAVY: letter.lower()}.get(piece.kind, letter) + mark,
        code=CODES[piece.force],
        arm=ARM_BY_KIND[piece.kind],
        tone=FORCE_CHIPS[piece.force]
        if piece.is_supplied
        else _HOLLOW_ROLES[OWNERS[TEAM_BY_FORCE[piece.force]]],
        is_supplied=piece.is_supplied,
    )


def _holder_floors(index: Index) -> dict[str, GroundRole]:
    """Return the colour of each land space that contains an Army.

    A space shared by allies has the colour of the force whose Home it is.
    """
    floors = {}
    for space in index.pieces_by_space:
        holders = [piece.force for piece in index.pieces(space, ARMY)]
        at_home = (force for force in holders if force in index.forces_at_home(space))
        if holders:
            floors[space] = HOME_TONES[next(at_home, holders[0])]
    return floors


def _cells(index: Index) -> dict[str, AreaCell]:
    cells = dict(_printed_map())
    for name, floor in _holder_floors(index).items():
        cells[name] = replace(cells[name], floor=floor)
    for name, cell in cells.items():  # supply spaces that have moved or been lost (13.10)
        star = "*" if index.forces_supplied_by(name) else ""
        if star != cell.symbol:
            cells[name] = replace(cell, symbol=star)
    for space in index.pieces_by_space:
        cells[space] = replace(
            cells[space], tokens=tuple(token(piece) for piece in index.pieces(space))
        )
    for strait in STRAITS:
        team = index.view.straits[strait.id]
        cells[strait.land] = replace(
            cells[strait.land],
            symbol=TEAM_MARKS[team],
            symbol_tone=OWNER_TONES[OWNERS[team]],
            note=f"{strait.name.replace('Strait of ', '').split()[0]}: {TEAM_TITLES[team]}",
        )
    return cells


def _highlight_spaces(
    cells: dict[str, AreaCell],
    spaces: Iterable[str],
    highlight: Highlight,
    tint: OverlayRole = OverlayRole.NONE,
) -> None:
    for name in spaces:
        if name in cells:
            cells[name] = replace(cells[name], highlight=highlight, tint=tint)


def _overlay_forces(index: Index, overlay: str) -> tuple[str, ...]:
    """Return the forces covered by the supply overlay."""
    if overlay == "all":
        return tuple(TEAM_BY_FORCE)
    own_role = index.view.role or index.view.active
    return (own_role, MINOR_FORCE[own_role]) if own_role in MINOR_FORCE else (own_role,)


def _show_supply(cells: dict[str, AreaCell], index: Index, forces: tuple[str, ...]) -> None:
    """Mark supply sources with ``@``, spaces in supply with ``=``, and spaces with unsupplied pieces with ``x`` (6)."""
    for space in index.pieces_by_space:
        own_pieces = [piece for piece in index.pieces(space) if piece.force in forces]
        if not own_pieces:
            continue
        is_source = any(
            piece.kind == "army" and piece.force in index.forces_supplied_by(space)
            for piece in own_pieces
        )
        if any(not piece.is_supplied for piece in own_pieces):
            _highlight_spaces(cells, (space,), Highlight.TARGET, OverlayRole.CUT)
        else:
            mark = Highlight.SELECTED if is_source else Highlight.SUPPLY
            _highlight_spaces(cells, (space,), mark, OverlayRole.SUPPLIED)


def _mark_in_progress(cells: dict[str, AreaCell], index: Index) -> None:
    """Mark current battles and removals, and the event that opened the response window."""
    view = index.view
    spaces = [name for kind, name in view.chain if kind in ("battle", "removal")]
    if view.trigger is not None and view.trigger.space:
        spaces.append(view.trigger.space)
    _highlight_spaces(cells, spaces, Highlight.TARGET)
    for name in spaces[-1:]:
        if name in cells:
            cells[name] = replace(cells[name], is_focus=True)


def draw_scene(index: Index, selection: Selection) -> AreaScene:
    """Return the map, with the overlay and highlights of the selection."""
    cells = _cells(index)
    match selection.overlay:
        case "supply" | "all":
            _show_supply(cells, index, _overlay_forces(index, selection.overlay))
        case "homes":
            homes = (space.id for space in SPACES if index.forces_at_home(space.id))
            _highlight_spaces(cells, homes, Highlight.SELECTED)
        case overlay if overlay == NO_OVERLAY:
            _mark_in_progress(cells, index)
        case _:
            _mark_in_progress(cells, index)
            targets = (place for command in selection.options for place in places(command))
            _highlight_spaces(cells, dict.fromkeys(targets), Highlight.REACH)
    return AreaScene(
        chart=CHART,
        cells=cells,
        links=(*_border_links(), *_strait_links(index), *_status_links(index)),
        wrapped_edges=_wrapped_edges(),
        legend=_LEGENDS.get(selection.overlay, ""),
    )


@cache
def _border_links() -> tuple[AreaLink, ...]:
    """Return the permanent borders, including those across the edges of the map (5.1, 5.2)."""
    pairs = dict.fromkeys(
        tuple(sorted((space.id, neighbour))) for space in SPACES for neighbour in space.adjacent
    )
    return tuple(AreaLink(space, other_space) for space, other_space in pairs)


def _status_links(index: Index) -> tuple[AreaLink, ...]:
    """Return the adjacencies that Statuses add, each for one team only (A.3)."""
    straits = {frozenset(strait.seas) for strait in STRAITS}
    team_by_link = {}
    for team in TEAMS:
        for number, adjacent_spaces in enumerate(index.analysis.adjacent_spaces(team)):
            for neighbour in names(adjacent_spaces & ~BORDERS[number]):
                space = SPACE_IDS[number]
                if space < neighbour and frozenset((space, neighbour)) not in straits:
                    team_by_link[space, neighbour] = team
    return tuple(
        AreaLink(space, other_space, TEAM_MARKS[team], OWNERS[team])
        for (space, other_space), team in team_by_link.items()
    )
