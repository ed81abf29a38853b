"""Searches for hexes, forces, groups, ships, units, missions and submarines by name."""

from collections.abc import Iterator

from engine.cbps.prose.names import display_name
from tui.cbps.carrier_board import carrier_lines
from tui.cbps.enemy import force_lines, hull_text
from tui.cbps.flights import boat_line, mission_lines, raid_line, search_line
from tui.cbps.index import Index
from tui.cbps.panels import unit_about
from tui.cbps.texts import group_hex, unit_text
from tui.presenter import Found

_MAX_RESULTS: int = 60


def find(index: Index, query: str) -> tuple[Found, ...]:
    """Return at most 60 matches whose names contain every query word, exact matches first."""
    wanted = query.lower().split()
    if not wanted:
        return ()
    hits = [hit for hit in _all(index) if _matches(hit.title, wanted)]
    exact = query.strip().lower()
    hits.sort(key=lambda hit: (hit.hex_id != exact, not hit.title.lower().startswith(exact)))
    return tuple(hits[:_MAX_RESULTS])


def _matches(title: str, wanted: list[str]) -> bool:
    text = title.lower()
    return all(word in text for word in wanted)


def _all(index: Index) -> Iterator[Found]:
    view = index.view
    for force, one in view.forces.items():
        yield Found(display_name(force), one.hex, "\n".join(force_lines(index, force)))
    for group in view.groups:
        yield Found(display_name(group), group_hex(index, group))
    for mission, flying in view.missions.items():
        at = group_hex(index, flying.cap) if flying.cap else flying.hex
        yield Found(display_name(mission), at, "\n".join(mission_lines(index, mission)))
    for search, out in view.searches.items():
        yield Found(display_name(search), out.hex, search_line(index, search))
    for raid, against in view.raids.items():
        yield Found(display_name(raid), against.hex, raid_line(index, raid))
    for boat, below in view.boats.items():
        yield Found(display_name(boat), below.hex, boat_line(index, boat))
    for ship in view.ships:
        is_carrier = index.book.us_ships[ship].is_carrier
        text = "\n".join(carrier_lines(index, ship)) if is_carrier else ""
        yield Found(display_name(ship), index.ship_hex(ship), text)
    for ship, hull in view.hulls.items():
        yield Found(display_name(ship), hull.hex, hull_text(index, ship))
    for unit in view.units:
        title, lines = unit_about(index, unit)
        yield Found(unit_text(index, unit), "", "\n".join((title, *lines)))
    for island in index.book.map.islands:
        yield Found(f"{index.book.map.islands[island]} {island}", island)
    for hex in index.book.map.hexes:
        if hex not in index.book.map.islands:
            yield Found(hex, hex)


def find_hex(index: Index, query: str) -> str:
    """Return the hex with this number, or the hex of the named island, force or group; empty if there is none."""
    if query in index.book.map.hexes:
        return query
    return next((hit.hex_id for hit in find(index, query) if hit.hex_id), "")
