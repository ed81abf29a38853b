"""The styles of play available to the strong Carrier Battle bot, starting with the default."""

from typing import Final

from msgspec.structs import replace

from engine.bots.greedy_cbps_stance import Stance

BOLD_STANCE: Final = Stance(far=11, critical=12, least_strike=4, worth=8)
"""Long-range strikes, even with few aircraft: a carrier is worth more than planes that ditch on the way home."""
STANCES: Final = (
    BOLD_STANCE,
    replace(BOLD_STANCE, far=12, critical=16),
    replace(BOLD_STANCE, far=9, critical=6),
    replace(BOLD_STANCE, close=2),
)
