"""The log of one command. A change of Political Will names the nation that caused it (16.41)."""

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


class NationsWill:
    """Follows events, and finds the nation behind each change of Political Will (16.41)."""

    def __init__(self) -> None:
        """Start with no events seen."""
        self._why = ""

    def cause(self, event: EotsEvent) -> str:
        """Return the reason why Political Will moves, such as "Malaya surrenders".

        Empty for any other event, and for a change that no nation has caused.
        """
        match event:
            case NationSurrendered() | NationRecaptured():
                self._why = cause_of_will(event)
            case OnceUsed(rule=rule, what=what) if rule == NATIONS_WILL:
                self._why = _EVERY.get(what, "")
            case PoliticalWillMoved(rule=rule) if rule == NATIONS_WILL:
                return self._why
            case _:
                pass
        return ""


def sentence(event: EotsEvent, cause: str) -> str:
    """Return the log sentence of an event, with the cause of a change of Political Will if there is one."""
    if cause and isinstance(event, PoliticalWillMoved):
        return f"US Political Will is now {event.to} ({event.rule}): {cause}"
    return describe(event)


def told(events: Sequence[EotsEvent]) -> Iterator[str]:
    """Yield the log sentences for the events of one command, in order."""
    will = NationsWill()
    for event in events:
        if text := sentence(event, will.cause(event)):
            yield text
