"""The log of one command; a change of Political Will names the nation that caused it (16.41)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from engine.eots.events.base import EotsEvent
from engine.eots.events.tracks import (
    NationRecaptured,
    NationSurrendered,
    OnceUsed,
    PoliticalWillMoved,
)
from engine.eots.prose import NATIONS_WILL, cause_of_will, describe

_EVERY: Final[Mapping[str, str]] = {
    "all-surrendered": "every nation has surrendered",
    "all-recovered": "not every nation is lost any more",
}
"""Reason for an additional change of Political Will, by the shift that happens once."""


def told(events: Sequence[EotsEvent]) -> Iterator[str]:
    """Yield the log sentences for the events of one command, in order."""
    why = ""
    for event in events:
        match event:
            case NationSurrendered() | NationRecaptured():
                why = cause_of_will(event)
            case OnceUsed(rule=rule, what=what) if rule == NATIONS_WILL:
                why = _EVERY.get(what, "")
            case PoliticalWillMoved(rule=rule, to=to) if rule == NATIONS_WILL and why:
                yield f"US Political Will is now {to} ({rule}): {why}"
                continue
            case _:
                pass
        if text := describe(event):
            yield text
