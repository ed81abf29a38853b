"""Defines the easy Carrier Battle bot: a greedy bot with few searches, little CAP, and small strikes at short range."""

from typing import Final

from engine.bots.greedy_cbps import GreedyCbps
from engine.bots.greedy_cbps_stance import Stance

CAUTIOUS_STANCE: Final = Stance(
    cap_units=2,
    min_attackers=4,
    max_attackers=6,
    max_strike_distance=7,
    max_critical_box=0,
    min_target_value=12,
    min_useful_distance=6,
    max_new_searches=3,
    max_searches=6,
)
"""Style with few searches, little CAP, and small strikes at short range, so that every plane can return."""


class EasyCbps(GreedyCbps):
    """Plays like the greedy bot, but cautiously and with small forces."""

    stance = CAUTIOUS_STANCE
