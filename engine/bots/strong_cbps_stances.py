"""Defines the styles of play for the strong Carrier Battle bot, starting with the default."""

from typing import Final

from msgspec.structs import replace

from engine.bots.greedy_cbps_stance import Stance

BOLD_STANCE: Final = Stance(
    max_strike_distance=11, max_critical_box=12, min_attackers=4, min_target_value=8
)
"""Long-range strikes, even with few aircraft. A carrier is worth more than the planes that ditch on the way home."""
STANCES: Final = (
    BOLD_STANCE,
    replace(BOLD_STANCE, max_strike_distance=12, max_critical_box=16),
    replace(BOLD_STANCE, max_strike_distance=9, max_critical_box=6),
    replace(BOLD_STANCE, min_useful_distance=2),
)
