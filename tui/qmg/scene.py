"""The map of Quartermaster General as a neutral scene, with its overlays."""

from collections.abc import Iterable
from functools import cache
from typing import Final

from msgspec.structs import replace

from engine.qmg.atlas import ATLAS, SPACE, SPACES, STRAITS, Space
from engine.qmg.ids import AIR, MINOR, NAVY, TEAM_OF
from engine.qmg.sayings import PIECES
from tui.areamap.scene import AreaCell, AreaScene, Link, Rim, Token
from tui.marks import Highlight, Owner
from tui.presenter import Selection
from tui.qmg.index import Index, Piece
from tui.qmg.words import LETTERS, SHORT_FORCES, TEAM_TITLES, places

OWNERS: Final = {"axis": Owner.TWO, "allies": Owner.ONE, "": Owner.NOBODY}
TEAM_MARKS: Final = {"axis": "x", "allies": "l"}
"""Behind the land that controls a strait: to which team it is open."""
UNSUPPLIED: Final = "!"
AIR_MARK: Final = "^"
_MIDDLE: Final = {
    "eastern_us": "E. US",
    "western_us": "W. US",
    "latin_america": "Latin A",
    "united_kingdom": "UK",
    "scandinavia": "Scandin",
    "western_europe": "W. Euro",
    "eastern_europe": "E. Euro",
    "kazakhstan": "Kazakh",
    "mongolia": "Mongol",
    "vladivostok": "Vladiv",
    "middle_east": "Mid East",
    "north_africa": "N. Afr",
    "madagascar": "Madagas",
    "southeast_asia": "SE Asia",
    "szechuan": "Szechua",
    "philippines": "Philipp",
    "indonesia": "Indones",
    "new_guinea": "N. Guin",
    "iwo_jima": "IwoJima",
    "australia": "Austral",
    "new_zealand": "N. Zeal",
    "pacific_northwest": "Pac. NW",
    "north_atlantic": "N. Atl.",
    "north_sea": "North S",
    "south_atlantic": "S. Atl.",
    "southern_ocean": "South.O",
    "southeast_pacific": "SE Pac.",
    "baltic_sea": "Baltic",
    "mediterranean": "Mediter",
    "black_sea": "Black S",
    "caspian_sea": "Caspian",
    "bay_of_bengal": "Bengal",
    "indian_ocean": "Ind. Oc",
    "south_china_sea": "S.China",
    "east_china_sea": "E.China",
    "north_pacific": "N. Pac.",
    "central_pacific": "C. Pac.",
    "east_pacific": "E. Pac.",
    "south_pacific": "S. Pac.",
}
"""Names in at most seven letters, where the printed name is longer."""
_WIDTH: Final = 7
_LONG: Final = {
    "eastern_us": "Eastern US",
    "western_us": "Western US",
    "mediterranean": "Mediterran. Sea",
}
"""Names for the detail zoom, where the printed one does not fit into two lines of a box."""


def _cased(space: Space, name: str) -> str:
    """Return a name in capitals for land and in small letters for sea."""
    return name.lower() if space.kind == "sea" else name.upper()


@cache
def _printed() -> dict[str, AreaCell]:
    """Return the printed map."""
    return {
        space.id: AreaCell(
            id=space.id,
            column=space.grid[0],
            row=space.grid[1],
            name=_cased(space, _LONG.get(space.id, space.name)),
            short=_cased(space, space.abbr),
            middle=_cased(space, _MIDDLE.get(space.id, space.name))[:_WIDTH],
            is_sea=space.kind == "sea",
            symbol="*" if space.supply else "",
        )
        for space in SPACES
    }


@cache
def _borders() -> tuple[Link, ...]:
    """Return the permanent borders that do not cross the edge of the map."""
    over = {frozenset(pair) for pair in ATLAS.layout.wrap_edges}
    pairs = dict.fromkeys(
        tuple(sorted((space.id, other))) for space in SPACES for other in space.adjacent
    )
    return tuple(Link(one, other) for one, other in pairs if frozenset((one, other)) not in over)


@cache
def _rims() -> tuple[Rim, ...]:
    """Return where the map goes on at its left and right edge (5.2)."""
    middle = ATLAS.layout.columns // 2
    return tuple(
        Rim(here, SPACE[here].grid[0] >= middle, _cased(SPACE[there], SPACE[there].abbr))
        for pair in ATLAS.layout.wrap_edges
        for here, there in (pair, pair[::-1])
    )


def _straits(index: Index) -> tuple[Link, ...]:
    """Return the links of the straits; the mark tells the team to which one is open (5.3)."""
    return tuple(
        Link(*strait.seas, TEAM_MARKS[index.view.straits[strait.id]]) for strait in STRAITS
    )


def token(piece: Piece) -> Token:
    """Return a piece as letters: Armies capital, Navies small, Air Forces with ``^``, ``!`` out of supply."""
    letter = LETTERS[piece.force]
    mark = "" if piece.is_supplied else UNSUPPLIED
    short = {AIR: f"{letter}{AIR_MARK}", NAVY: letter.lower()}.get(piece.kind, letter) + mark
    return Token(
        short,
        f"{SHORT_FORCES[piece.force]} {PIECES[piece.kind].split()[0]}{mark}",
        OWNERS[TEAM_OF[piece.force]],
    )


def _cells(index: Index) -> dict[str, AreaCell]:
    cells = dict(_printed())
    for name, cell in _printed().items():  # markers of moved and lost supply spaces (13.10)
        star = "*" if index.supplies(name) else ""
        if star != cell.symbol:
            cells[name] = replace(cell, symbol=star)
    for space in index.at:
        cells[space] = replace(
            cells[space], tokens=tuple(token(piece) for piece in index.pieces(space))
        )
    for strait in STRAITS:
        team = index.view.straits[strait.id]
        cells[strait.land] = replace(
            cells[strait.land],
            symbol=TEAM_MARKS[team],
            symbol_owner=OWNERS[team],
            note=f"to {TEAM_TITLES[team]}",
        )
    return cells


def _light(cells: dict[str, AreaCell], spaces: Iterable[str], highlight: Highlight) -> None:
    for name in spaces:
        if name in cells:
            cells[name] = replace(cells[name], highlight=highlight)


def _forces(index: Index, overlay: str) -> tuple[str, ...]:
    """Return whose supply an overlay shows."""
    if overlay == "all":
        return tuple(TEAM_OF)
    own = index.view.role or index.view.active
    return (own, MINOR[own]) if own in MINOR else (own,)


def _show_supply(cells: dict[str, AreaCell], index: Index, forces: tuple[str, ...]) -> None:
    """Mark pieces in supply with ``=``, sources with ``@`` and those out of supply with ``x`` (6)."""
    for space in index.at:
        own = [piece for piece in index.pieces(space) if piece.force in forces]
        if not own:
            continue
        is_source = any(
            piece.kind == "army" and piece.force in index.supplies(space) for piece in own
        )
        lacking = any(not piece.is_supplied for piece in own)
        _light(
            cells,
            (space,),
            Highlight.TARGET if lacking else Highlight.SELECTED if is_source else Highlight.SUPPLY,
        )


def _show_going_on(cells: dict[str, AreaCell], index: Index) -> None:
    """Mark where a battle or a removal is under way, and what set off the open window."""
    view = index.view
    _light(
        cells,
        (name for kind, name in view.chain if kind in ("battle", "removal")),
        Highlight.TARGET,
    )
    if view.trigger is not None and view.trigger.space:
        _light(cells, (view.trigger.space,), Highlight.TARGET)


def draw_scene(index: Index, selection: Selection) -> AreaScene:
    """Return the map with what the selection asks for."""
    cells = _cells(index)
    match selection.overlay:
        case "supply" | "all":
            _show_supply(cells, index, _forces(index, selection.overlay))
        case "homes":
            homes = (space.id for space in SPACES if index.at_home(space.id))
            _light(cells, homes, Highlight.SELECTED)
        case _:
            _show_going_on(cells, index)
            targets = (place for command in selection.options for place in places(command))
            _light(cells, dict.fromkeys(targets), Highlight.REACH)
    return AreaScene(
        columns=ATLAS.layout.columns,
        rows=ATLAS.layout.rows,
        cells=cells,
        links=(*_borders(), *_straits(index), *_over_the_edge()),
        rims=_rims(),
    )


@cache
def _over_the_edge() -> tuple[Link, ...]:
    """Return the borders over the edge; they are marked beside the cursor and have no way on the map."""
    return tuple(Link(one, other) for one, other in ATLAS.layout.wrap_edges)
