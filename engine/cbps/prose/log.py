"""Text of every log entry, and the heading with the current time."""

from typing import Final

from engine.cbps.clock import current_light, day_and_time
from engine.cbps.events.base import CbpsEvent
from engine.cbps.prose import air, boats, chance, fleet, japan, raids, search, strikes, turns
from engine.cbps.prose.names import box_name, display_name, display_names
from engine.cbps.state import State
from engine.kernel.sentences import SentenceFormatter

_MODULES: Final = (turns, chance, air, fleet, japan, raids, search, boats, strikes)
_SENTENCES: Final = {kind: text for module in _MODULES for kind, text in module.SENTENCES.items()}
_WRITERS: Final = {kind: write for module in _MODULES for kind, write in module.WRITERS.items()}
_FORMATTER: Final = SentenceFormatter(
    {
        **dict.fromkeys(
            (
                *("unit", "mission", "group", "ship", "force", "partner", "owner", "boat"),
                *("search", "raid", "target", "carrier", "at", "cap", "parent", "about", "one"),
                *("chit", "against", "origin"),
            ),
            display_name,
        ),
        **dict.fromkeys(("ships", "hexes", "units"), display_names),
        **dict.fromkeys(("source", "to"), box_name),
    }
)
"""Fills in sentence templates. The ids in these fields are replaced with printed names."""


def describe(event: CbpsEvent) -> str:
    """Return the log sentence for an event. Empty for events that are only bookkeeping."""
    write = _WRITERS.get(type(event))
    if write is not None:
        return str(write(event))
    sentence = _SENTENCES.get(type(event), "")
    text = _FORMATTER.fill(sentence, event) if sentence else ""
    return text[:1].upper() + text[1:]


def heading(state: State) -> str:
    """Return a heading with the current day, turn, phase, light and segment."""
    day, time = day_and_time(state)
    segment = turns.segment_name(state.segment)
    parts = [day, f"{time} turn", f"phase {state.phase}", current_light(state)]
    return ", ".join([*parts, segment] if segment else parts)


def turn_name(state: State) -> str:
    """Return the day and label of the current turn, such as ``19 June 0810``."""
    day, time = day_and_time(state)
    return f"{day} {time}"
