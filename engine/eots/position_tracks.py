"""Markers and tracks of a position: bounds, and what must agree (10-16)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.board import board
from engine.eots.ch13_nations.penalties import PENALTIES
from engine.eots.counters import counters
from engine.eots.ids import AreaId, HexId, NationId
from engine.eots.position import Position
from engine.eots.position_references import Problem
from engine.eots.state import ChinaFront, India, Tracks

CHINA: Final = NationId("china")
INDIA: Final = NationId("india")
LAST_TURN: Final = 12
_ROUTES: Final = AreaId("no-transport-route")
_HELD: Final = {
    "aleutians_held": (AreaId("aleutians"),),
    "hawaii_held": (AreaId("hawaii"), AreaId("midway")),
}
_ESCORTS: Final = (0, 2, 4)
_BOUNDS: Final = (
    ("political_will", 0, 10),
    ("war_in_europe", -7, 3),
    ("war_in_europe_at_turn_start", -7, 3),
    ("divisions_in_china", 0, 12),
    ("allied_asp", 0, 20),
    ("japan_asp", 1, 7),
    ("allied_asp_used", 0, 24),
    ("japan_asp_used", 0, 11),
    ("allied_asp_after_reinforcement", 0, 20),
    ("japan_air_points", 0, 99),
    ("japan_naval_points", 0, 99),
    ("draw_loss", 0, 10),
    ("blockade_turns", 0, 2),
)
"""Field, least and greatest value, both included (10.31, 10.32, 11.23, 12.22, 13.93, 15, 16.4)."""
_TURNS: Final = ("china_offensive_turn", "casualties_turn", "us_force_lost_turn")
"""Turns that lie behind, 0 = never."""
_POOLS: Final = (
    "allied_ground",
    "allied_air",
    "us_naval",
    "cw_naval",
    "china_ground",
    "japan_ground",
)
MOST_STEPS: Final = 20


def track_problems(position: Position) -> Iterator[Problem]:
    """Yield every marker outside its track and every pair of markers that disagree."""
    tracks = position.tracks
    yield from _bounds(tracks)
    yield from _turns(position)
    yield from _nations(tracks)
    yield from _hexes(tracks)
    yield from _units(tracks)
    for name in _POOLS:
        value = getattr(position.pools, name)
        if not 0 <= value <= MOST_STEPS:
            yield f"pools.{name}", f"{value} is outside 0 to {MOST_STEPS}"


def _bounds(tracks: Tracks) -> Iterator[Problem]:
    for name, low, high in _BOUNDS:
        value = getattr(tracks, name)
        if not low <= value <= high:
            yield f"tracks.{name}", f"{value} is outside {low} to {high}"
    if tracks.escorts not in _ESCORTS:
        yield "tracks.escorts", f"{tracks.escorts} is none of 0, 2 and 4"
    if tracks.barges and tracks.pt_boats:
        yield "tracks.barges", "PT boats end the barges for good (10.33)"


def _turns(position: Position) -> Iterator[Problem]:
    tracks = position.tracks
    for name in _TURNS:
        value = getattr(tracks, name)
        if not 0 <= value <= position.turn:
            yield f"tracks.{name}", f"turn {value} is outside 0 to {position.turn}"
    if not 0 <= tracks.allied_delay_turn <= LAST_TURN + 1:
        yield (
            "tracks.allied_delay_turn",
            f"turn {tracks.allied_delay_turn} is outside 0 to {LAST_TURN + 1}",
        )
    for n, turn in enumerate(tracks.bombing_turns):
        if not 1 <= turn <= position.turn:
            yield f"tracks.bombing_turns[{n}]", f"turn {turn} is outside 1 to {position.turn}"
    for key, loss in tracks.replacement_loss.items():
        if not (key.isascii() and key.isdigit() and 1 <= int(key[:3]) <= LAST_TURN + 1):
            yield "tracks.replacement_loss", f"'{key}' is no turn"
        elif not 0 <= loss <= MOST_STEPS:
            yield f"tracks.replacement_loss.{key}", f"{loss} is outside 0 to {MOST_STEPS}"


def _nations(tracks: Tracks) -> Iterator[Problem]:
    for n, nation in enumerate(tracks.surrendered):
        if nation in tracks.surrendered[:n]:
            yield f"tracks.surrendered[{n}]", f"{nation} surrendered twice (13.1)"
    for n, nation in enumerate(tracks.recaptured):
        if nation not in tracks.surrendered:
            yield f"tracks.recaptured[{n}]", f"{nation} has not surrendered"
        elif nation in tracks.recaptured[:n]:
            yield f"tracks.recaptured[{n}]", f"{nation} was recaptured twice"
    collapsed = tracks.china_front is ChinaFront.GOVERNMENT_COLLAPSED
    if collapsed is not (CHINA in tracks.surrendered):
        yield (
            "tracks.china_front",
            "China has surrendered exactly when its government has collapsed (13.73)",
        )
    if INDIA in tracks.surrendered and tracks.india is not India.REVOLTS:
        yield "tracks.india", "India has surrendered, so its marker is in Revolts (13.62)"
    if tracks.all_surrendered_penalty and not set(PENALTIES) <= set(tracks.surrendered):
        yield "tracks.all_surrendered_penalty", "not every nation has surrendered (16.41)"


def _hexes(tracks: Tracks) -> Iterator[Problem]:
    for n, at in enumerate(tracks.no_transport_route):
        if at not in board().areas[_ROUTES].hexes:
            yield f"tracks.no_transport_route[{n}]", f"no marker ever lies on {at} (13.77)"
        elif at in tracks.no_transport_route[:n]:
            yield f"tracks.no_transport_route[{n}]", f"{at} stands twice"
    cities = board().areas[AreaId("japanese-islands")].cities
    for n, at in enumerate(tracks.cities_taken):
        if at not in cities:
            yield (
                f"tracks.cities_taken[{n}]",
                f"{at} has no intrinsic unit of the home islands (13.94)",
            )
    if tracks.tokyo_express is not None and not board().hexes[tracks.tokyo_express].is_land:
        yield "tracks.tokyo_express", f"{tracks.tokyo_express} is ocean (6.23)"
    for name, areas in _HELD.items():
        known = {at for area in areas for at in board().areas[area].hexes}
        yield from _held(f"tracks.{name}", getattr(tracks, name), known)


def _held(path: str, held: dict[HexId, int], known: set[HexId]) -> Iterator[Problem]:
    for at, segments in held.items():
        if at not in known:
            yield f"{path}.{at}", f"{at} is no hex of 16.42"
        elif not 1 <= segments <= LAST_TURN:
            yield f"{path}.{at}", f"{segments} is outside 1 to {LAST_TURN}"


def _units(tracks: Tracks) -> Iterator[Problem]:
    for n, unit in enumerate(tracks.bombed_this_turn):
        if not counters()[unit].b29:
            yield f"tracks.bombed_this_turn[{n}]", f"{unit} is no B29 (12.31)"
