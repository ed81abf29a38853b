"""Playback captions: log sentences that also name the side or nation that acts."""

import re
from collections.abc import Mapping
from typing import Any, Final

from engine.eots.counters import Counter, counters
from engine.eots.events import offensive
from engine.eots.ids import CommonwealthNation, Nationality, Side, UnitId
from engine.eots.prose import ADJECTIVES, SIDES, describe, place_name
from engine.kernel.sentences import pluralise


def event_caption(event: Any, attacker: Side) -> str:  # noqa: ANN401  (any event)
    """Return an event's sentence, including the side that acts; empty for internal bookkeeping events.

    Args:
        event: The event.
        attacker: The side conducting the offensive.
    """
    match event:
        case offensive.BattleDeclared(at=hex_id, special=special_id):
            side = attacker.enemy if special_id else attacker
            rule_text = "by special reaction (7.27)" if special_id else "(7.24)"
            verb_phrase = pluralise(SIDES[side], "declares a", "declare a")
            return f"{verb_phrase} battle in {place_name(hex_id)} {rule_text}"
        case offensive.SpecialReactionTried() | offensive.IntelligenceRolled():
            return _side_caption(event, attacker.enemy)
        case offensive.OffensiveCancelled() | offensive.OffensiveEnded():
            return _side_caption(event, attacker)
        case _:
            return _unit_caption(event)


def _side_caption(event: Any, owner: Side) -> str:  # noqa: ANN401  (any event)
    """Return an event's sentence, with the adjective of the acting side in front."""
    text = describe(event).removeprefix("The ")
    return f"The {ADJECTIVES[owner]} {text[:1].lower()}{text[1:]}"


def _unit_caption(event: Any) -> str:  # noqa: ANN401  (any event)
    """Return an event's sentence. If the sentence begins with a unit's name, add the unit's nation in front."""
    text = describe(event)
    units = getattr(event, "units", ())
    unit = getattr(event, "unit", "") or getattr(event, "hq", "") or (units[0] if units else "")
    counter = counters().get(UnitId(str(unit)))
    if counter is None or not text.startswith(counter.name):
        return text
    is_named = any(re.search(rf"\b{nation}\b", counter.name) for nation in _NATIONS)
    return text if is_named else f"{nation_adjective(counter)} {text}"


def nation_adjective(counter: Counter) -> str:
    """Return the adjective for a counter's nation (1.3)."""
    if counter.cw_nation is not None:
        return counter.cw_nation.replace("-", " ").title()
    return _ADJECTIVES.get(counter.nationality, ADJECTIVES[counter.side])


_ADJECTIVES: Final[Mapping[str, str]] = {
    Nationality.US: "US",
    Nationality.COMMONWEALTH: "Commonwealth",
    Nationality.CHINA: "Chinese",
    Nationality.DUTCH: "Dutch",
}
"""Adjectives for Allied nations. Multinational counters are called Allied."""
_NATIONS: Final = (
    *_ADJECTIVES.values(),
    *(nation.replace("-", " ").title() for nation in CommonwealthNation),
    *ADJECTIVES.values(),
)
"""Nations that a counter's name may already contain."""
