"""Searches for hexes, forces, groups, ships, units, missions and submarines by name."""

from collections.abc import Iterator

from engine.cbps.prose.names import display_name
from tui.cbps.enemy import force_lines, hull_text
from tui.cbps.flights import boat_line, mission_lines, raid_line, search_line
from tui.cbps.index import Index
from tui.cbps.panels.carrier_board import carrier_lines
from tui.cbps.panels.page_texts import unit_location
from tui.cbps.texts import group_hex, unit_text
from tui.presenter.presenter import Found

_MAX_RESULTS: int = 60


def find(index: Index, query: str) -> tuple[Found, ...]:
    """Return at most `_MAX_RESULTS` matches whose names contain every word of the query, exact matches first."""
    words = query.lower().split()
    if not words:
        return ()
    matches = [match for match in _all_results(index) if _matches(match.title, words)]
    exact_name = query.strip().lower()
    # The sort is stable, so other matches keep the order of `_all_results`.
    matches.sort(
        key=lambda match: (
            match.hex_id != exact_name,
            not match.title.lower().startswith(exact_name),
        )
    )
    return tuple(matches[:_MAX_RESULTS])


def _matches(title: str, words: list[str]) -> bool:
    text = title.lower()
    return all(word in text for word in words)


def _all_results(index: Index) -> Iterator[Found]:
    view = index.view
    for force, known_force in view.forces.items():
        yield Found(display_name(force), known_force.hex, "\n".join(force_lines(index, force)))
    for group in view.groups:
        yield Found(display_name(group), group_hex(index, group))
    for mission, flight in view.missions.items():
        hex = group_hex(index, flight.cap) if flight.cap else flight.hex
        yield Found(display_name(mission), hex, "\n".join(mission_lines(index, mission)))
    for search, search_piece in view.searches.items():
        yield Found(display_name(search), search_piece.hex, search_line(index, search))
    for raid, raid_piece in view.raids.items():
        yield Found(display_name(raid), raid_piece.hex, raid_line(index, raid))
    for boat, boat_piece in view.boats.items():
        yield Found(display_name(boat), boat_piece.hex, boat_line(index, boat))
    for ship in view.ships:
        is_carrier = index.game_data.us_ships[ship].is_carrier
        text = "\n".join(carrier_lines(index, ship)) if is_carrier else ""
        yield Found(display_name(ship), index.ship_hex(ship), text)
    for ship, hull in view.hulls.items():
        yield Found(display_name(ship), hull.hex, hull_text(index, ship))
    for unit in view.units:
        title, lines = unit_location(index, unit)
        yield Found(unit_text(index, unit), "", "\n".join((title, *lines)))
    for island in index.game_data.map.islands:
        yield Found(f"{index.game_data.map.islands[island]} {island}", island)
    for hex in index.game_data.map.hexes:
        if hex not in index.game_data.map.islands:
            yield Found(hex, hex)


def find_hex(index: Index, query: str) -> str:
    """Return the hex with this number, or the hex of the named island, force or group; empty if there is none."""
    if query in index.game_data.map.hexes:
        return query
    return next((match.hex_id for match in find(index, query) if match.hex_id), "")
