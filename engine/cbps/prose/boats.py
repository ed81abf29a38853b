"""Text of the log entries about submarines."""

from collections.abc import Callable, Mapping
from typing import Final

from engine.cbps.events import boats as ev
from engine.cbps.events.base import CbpsEvent
from engine.cbps.prose.names import display_name

_PLACED: Final = {
    "setup": "is stationed in",
    "follow": "follows into",
}


def _describe_boat_placed(event: ev.BoatPlaced) -> str:
    return f"{display_name(event.boat)} {_PLACED.get(event.why, 'moves to')} {event.hex}."


def _describe_boat_shadows(event: ev.BoatShadows) -> str:
    if event.force:
        return f"{display_name(event.boat)} shadows {display_name(event.force)}."
    return f"{display_name(event.boat)} is no longer shadowing."


def _describe_boat_pinned(event: ev.BoatPinned) -> str:
    if event.pin:
        return f"{display_name(event.boat)} is pinned: {event.pin}."
    return f"{display_name(event.boat)} is no longer pinned."


SENTENCES: Final[Mapping[type[CbpsEvent], str]] = {
    ev.BoatSunk: "{boat} is sunk.",
}
"""Sentence templates by event type, filled in from the event's fields."""
WRITERS: Final[Mapping[type[CbpsEvent], Callable[..., str]]] = {
    ev.BoatPlaced: _describe_boat_placed,
    ev.BoatShadows: _describe_boat_shadows,
    ev.BoatPinned: _describe_boat_pinned,
}
"""Functions by event type, for events whose sentences cannot be written as a template."""
