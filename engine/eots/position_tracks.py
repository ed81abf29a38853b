"""Markers and tracks of a position: what must agree (10-16)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.board import board
from engine.eots.ch13_nations.penalties import PENALTIES
from engine.eots.counters import counters
from engine.eots.ids import AreaId, NationId
from engine.eots.position import Position
from engine.eots.state import ChinaFront, India, Tracks
from engine.kernel.words import Problem

CHINA: Final = NationId("china")
INDIA: Final = NationId("india")
LAST_TURN: Final = 12
_ROUTES: Final = AreaId("no-transport-route")
_HELD: Final = {
    "aleutians_held": (AreaId("aleutians"),),
    "hawaii_held": (AreaId("hawaii"), AreaId("midway")),
}
_TURNS: Final = ("china_offensive_turn", "casualties_turn", "us_force_lost_turn")
"""Turns that lie behind, 0 = never."""
_LENT: Final = 4
"""Shipping points that a card may add to those of a turn (CP-21)."""


def track_problems(position: Position) -> Iterator[Problem]:
    """Yield every pair of markers that disagree; bounds stand with the markers."""
    tracks = position.tracks
    if tracks.escorts not in (0, 2, 4):
        yield "tracks.escorts", f"{tracks.escorts} is none of 0, 2 and 4"
    if tracks.barges and tracks.pt_boats:
        yield "tracks.barges", "PT boats end the barges for good (10.33)"
    if tracks.allied_asp_used > tracks.allied_asp + _LENT:
        yield "tracks.allied_asp_used", f"{tracks.allied_asp_used} points are more than there are"
    yield from _turns(position)
    yield from _nations(tracks)
    yield from _hexes(tracks)
    for n, unit in enumerate(tracks.bombed_this_turn):
        if not counters()[unit].b29:
            yield f"tracks.bombed_this_turn[{n}]", f"{unit} is no B29 (12.31)"


def _turns(position: Position) -> Iterator[Problem]:
    tracks = position.tracks
    for name in _TURNS:
        value = getattr(tracks, name)
        if not 0 <= value <= position.turn:
            yield f"tracks.{name}", f"turn {value} is outside 0 to {position.turn}"
    for n, turn in enumerate(tracks.bombing_turns):
        if not 1 <= turn <= position.turn:
            yield f"tracks.bombing_turns[{n}]", f"turn {turn} is outside 1 to {position.turn}"
    for key in tracks.replacement_loss:
        if not (key.isascii() and key.isdigit() and 1 <= int(key[:3]) <= LAST_TURN + 1):
            yield "tracks.replacement_loss", f"'{key}' is no turn"


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
        for at in getattr(tracks, name):
            if at not in known:
                yield f"tracks.{name}.{at}", f"{at} is no hex of 16.42"
