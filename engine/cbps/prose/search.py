"""Text of the log entries about searches."""

from collections.abc import Callable, Mapping
from typing import Final

from engine.cbps.events import search as ev
from engine.cbps.events.base import CbpsEvent
from engine.cbps.prose.names import display_name

_NARROW: Final = "narrow"
_HEXES: Final = {"standard": 10, "long": 12}


def _describe_search_launched(event: ev.SearchLaunched) -> str:
    start_text = f"{display_name(event.search)} starts from {event.origin}"
    if event.kind_of == _NARROW:
        return f"{start_text} on a narrow search to {event.radius}."
    return f"{start_text} on {event.bearing} degrees, up to {_HEXES[event.kind_of]} hexes."


def _describe_search_moved(event: ev.SearchMoved) -> str:
    home = " on its way home" if event.is_back else ""
    if event.zone:
        return f"{display_name(event.search)} flies to {event.hex}{home} and examines the {event.zone} zone."
    if event.passed:
        return f"{display_name(event.search)} flies{home} through {', '.join(event.passed)}."
    return f"{display_name(event.search)} flies to {event.hex}{home}."


def _describe_search_tried(event: ev.SearchTried) -> str:
    return (
        ""
        if event.is_left_out
        else f"{display_name(event.search)} looks for {display_name(event.force)}."
    )


def _describe_search_shadows(event: ev.SearchShadows) -> str:
    if event.force:
        return f"{display_name(event.search)} shadows {display_name(event.force)}."
    return f"{display_name(event.search)} stops shadowing and turns for home."


SENTENCES: Final[Mapping[type[CbpsEvent], str]] = {
    ev.SearchTurned: "{search} has found carriers and turns for home (18.23).",
    ev.SearchEnded: "{search} is over.",
}
"""Sentence templates by event type, filled in from the event's fields."""
WRITERS: Final[Mapping[type[CbpsEvent], Callable[..., str]]] = {
    ev.SearchLaunched: _describe_search_launched,
    ev.SearchMoved: _describe_search_moved,
    ev.SearchShadows: _describe_search_shadows,
    ev.SearchTried: _describe_search_tried,
}
"""Functions by event type, for events whose sentences cannot be written as a template."""
