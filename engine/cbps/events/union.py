"""The union of all events, used to decode records."""

from typing import Final

from engine.cbps.events import air, boats, chance, combat, fleet, japan, raids, search, turns
from engine.cbps.events.base import CbpsEvent
from engine.kernel.unions import leaf_types, union_of

EVENTS: Final = leaf_types(
    CbpsEvent,
    *(vars(module) for module in (turns, chance, air, fleet, japan, raids, search, boats, combat)),
)
"""The types of all events."""
EVENT_UNION: Final[object] = union_of(EVENTS)
