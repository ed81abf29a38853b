"""Inter-service rivalry in the Reinforcement Segment: delays and rolls for Europe (14.1A, 14.1B).

The activation rules handle the choice of one service (14.1C, 14.2A). The shipping point rules halve Japanese shipping
points (14.2B).
"""

from typing import Final

from engine.eots.counters import counters
from engine.eots.ids import UnitId
from engine.eots.state import State

EUROPE_MODIFIER: Final = -1
"""Modifier to rolls for Europe under US rivalry (14.1B)."""


def delays_unit(state: State, unit: UnitId) -> bool:
    """Return whether US rivalry delays a reinforcement. It delays ground and air units of the US Army (14.1A)."""
    return state.tracks.us_rivalry and counters()[unit].delayed_by_us_isr


def europe_modifier(state: State) -> int:
    """Return the modifier to rolls for Europe from US rivalry (14.1B)."""
    return EUROPE_MODIFIER if state.tracks.us_rivalry else 0
