"""Text of the log entries about the sequence of play."""

from collections.abc import Callable, Mapping
from typing import Final

from engine.cbps.events import turns as ev
from engine.cbps.events.base import CbpsEvent
from engine.cbps.ids import GUAM, IWO_JIMA, NO_OP, US_MOVE, US_SUBS, YAP
from engine.cbps.prose.names import display_name
from engine.kernel.sentences import count_noun


def _describe_chit_drawn(event: ev.ChitDrawn) -> str:
    if event.chit in {US_MOVE, US_SUBS, GUAM, IWO_JIMA, YAP, NO_OP}:
        return f"The chit is {event.chit}."
    return f"The chit is for {display_name(event.chit)}."


def _describe_points_counted(event: ev.PointsCounted) -> str:
    sign = "+" if event.points > 0 else ""
    return f"{event.what}: {sign}{event.points} VP."


def _describe_cup_filled(event: ev.CupFilled) -> str:
    per_phase = count_noun(event.per_phase, "chit")
    return f"The cup holds {count_noun(len(event.chits), 'chit')}, {per_phase} for each phase."


_SEGMENTS: Final = {
    "japanese-air-movement": "Japanese Air Movement",
    "activation": "Activation",
    "us-air-movement": "US Air Movement",
    "search": "US Search",
    "operations": "US Air Operations",
    "intercept": "US Intercept",
    "japanese-attack": "Japanese Air Attack",
    "us-attack": "US Air Attack",
    "end-of-phase": "End of Action Phase",
}


def segment_name(segment: str) -> str:
    """Return the name of a segment (3.1)."""
    return _SEGMENTS.get(segment, "")


SENTENCES: Final[Mapping[type[CbpsEvent], str]] = {
    ev.TurnBegan: "The turn of {label}.",
    ev.PhaseBegan: "Phase {phase}.",
    ev.MissionDieSet: "The die for mission movement of this phase is {die} (7.221).",
    ev.WindSet: "The wind blows toward {wind}.",
    ev.SearchDeclared: "This turn's Search Segment is held now.",
}
"""Sentence templates by event type, filled in from the event's fields."""
WRITERS: Final[Mapping[type[CbpsEvent], Callable[..., str]]] = {
    ev.ChitDrawn: _describe_chit_drawn,
    ev.PointsCounted: _describe_points_counted,
    ev.CupFilled: _describe_cup_filled,
    ev.GameEnded: lambda event: str(event.outcome.reason),
}
"""Functions by event type, for events whose sentences cannot be written as a template."""
