"""The log sentences for one command. They name the nation behind each change in Political Will (16.41)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from engine.eots.events.base import EotsEvent
from engine.eots.events.tracks import (
    NationRecaptured,
    NationSurrendered,
    OnceUsed,
    PoliticalWillMoved,
)
from engine.eots.prose import NATIONS_WILL, describe, will_cause

_ALL_NATIONS: Final[Mapping[str, str]] = {
    "all-surrendered": "every nation has surrendered",
    "all-recovered": "at least one nation is free again",
}
"""For the changes in Political Will that depend on several nations, the reason as text."""


class NationWillMerger:
    """Goes through events in order and remembers which nation causes the next change in Political Will (16.41)."""

    def __init__(self) -> None:
        """Start without a known cause."""
        self._cause = ""

    def cause(self, event: EotsEvent) -> str:
        """Return the reason why this event changes Political Will, such as "Malaya surrenders".

        Empty if the event does not change Political Will, or if the reason is not a nation.
        """
        match event:
            case NationSurrendered() | NationRecaptured():
                self._cause = will_cause(event)
            case OnceUsed(rule=rule, what=what) if rule == NATIONS_WILL:
                self._cause = _ALL_NATIONS.get(what, "")
            case PoliticalWillMoved(rule=rule) if rule == NATIONS_WILL:
                return self._cause
            case _:
                pass
        return ""


def sentence(event: EotsEvent, cause: str) -> str:
    """Return the log sentence for an event, with the cause of any change in Political Will."""
    if cause and isinstance(event, PoliticalWillMoved):
        return f"US Political Will is now {event.to} ({event.rule}): {cause}"
    return describe(event)


def log_sentences(events: Sequence[EotsEvent]) -> Iterator[str]:
    """Yield the log sentences for one command's events, in order."""
    will_merger = NationWillMerger()
    for event in events:
        if text := sentence(event, will_merger.cause(event)):
            yield text
