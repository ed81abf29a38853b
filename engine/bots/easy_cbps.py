"""The easy bot for Carrier Battle: a greedy bot with fewer searches, little CAP, and small strikes at short range."""

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
"""Few searches, little CAP, and small strikes at ranges that let every plane return."""


class EasyCbps(GreedyCbps):
    """Plays cautiously and with small forces."""

    stance = CAUTIOUS_STANCE
