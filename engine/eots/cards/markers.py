"""Lasting markers and capabilities that events put on the map and its tracks (C4.2)."""

from collections.abc import Mapping
from typing import Final

from engine.eots.deck_campaign import Capability, Marker
from engine.eots.events.tracks import Marker as TrackMarker
from engine.eots.events.tracks import MarkerSet
from engine.eots.flow import EotsRun
from engine.kernel.ids import Rule

_MARKERS: Final[Mapping[str, TrackMarker]] = {
    "barges": "barges",
    "hump": "hump",
    "defensive_doctrine": "defence-doctrine",
    "high_altitude_interceptors": "interceptors",
    "pt_boats": "pt-boats",
    "tojo": "tojo-resigned",
}
"""The track marker for each name that cards use.

Names that are missing here need no marker, because the fact is recorded elsewhere: that a card was played (Doolittle,
Tojo for the Soviets), that a capability flipped a marker, or that another step set a turn or a route.
"""


def set_marker(run: EotsRun, step: Capability | Marker, rule: Rule) -> None:
    """Set the marker that a step names, unless it is already set. Ignore names without a marker."""
    marker = _MARKERS.get(step.name)
    is_on = step.value if isinstance(step, Capability) else True
    if marker is not None and getattr(run.state.tracks, marker.replace("-", "_")) is not is_on:
        run.add(MarkerSet(rule=rule, marker=marker, on=is_on))
