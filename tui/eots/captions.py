"""Captions of a playback: sentences of the log that say whose unit, offensive or battle it is."""

import re
from collections.abc import Mapping
from typing import Any, Final

from engine.eots.counters import Counter, counters
from engine.eots.events import offensive
from engine.eots.ids import CommonwealthNation, Nationality, Side, UnitId
from engine.eots.prose import ADJECTIVES, SIDES, describe, place_name
from engine.kernel.sentences import with_word


def caption(event: Any, attacker: Side) -> str:  # noqa: ANN401  (any fact)
    """Return the sentence about a fact with the side that does it, empty when the fact only keeps the books.

    Args:
        event: The fact.
        attacker: The side whose offensive it is.
    """
    match event:
        case offensive.BattleDeclared(at=at, special=special):
            side = attacker.enemy if special else attacker
            how = "by special reaction (7.27)" if special else "(7.24)"
            words = with_word(SIDES[side], "declares a", "declare a")
            return f"{words} battle in {place_name(at)} {how}"
        case offensive.SpecialReactionTried() | offensive.IntelligenceRolled():
            return _owned(event, attacker.enemy)
        case offensive.OffensiveCancelled() | offensive.OffensiveEnded():
            return _owned(event, attacker)
        case _:
            return _of_units(event)


def _owned(event: Any, owner: Side) -> str:  # noqa: ANN401  (any fact)
    """Return a sentence about a deed with the side that does it."""
    text = describe(event).removeprefix("The ")
    return f"The {ADJECTIVES[owner]} {text[:1].lower()}{text[1:]}"


def _of_units(event: Any) -> str:  # noqa: ANN401  (any fact)
    """Return a sentence, behind the nation of the unit with whose name it begins."""
    text = describe(event)
    units = getattr(event, "units", ())
    unit = getattr(event, "unit", "") or getattr(event, "hq", "") or (units[0] if units else "")
    counter = counters().get(UnitId(str(unit)))
    if counter is None or not text.startswith(counter.name):
        return text
    is_named = any(re.search(rf"\b{nation}\b", counter.name) for nation in _NATIONS)
    return text if is_named else f"{nation_of(counter)} {text}"


def nation_of(counter: Counter) -> str:
    """Return the adjective of the nation to which a counter belongs (1.3)."""
    if counter.cw_nation is not None:
        return counter.cw_nation.replace("-", " ").title()
    return _ADJECTIVES.get(counter.nationality, ADJECTIVES[counter.side])


_ADJECTIVES: Final[Mapping[str, str]] = {
    Nationality.US: "US",
    Nationality.COMMONWEALTH: "Commonwealth",
    Nationality.CHINA: "Chinese",
    Nationality.DUTCH: "Dutch",
}
"""Nations of the Allies; counters of several nations are Allied."""
_NATIONS: Final = (
    *_ADJECTIVES.values(),
    *(nation.replace("-", " ").title() for nation in CommonwealthNation),
    *ADJECTIVES.values(),
)
"""Nations that a counter may have in its name."""
