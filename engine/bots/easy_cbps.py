"""The easy bot for Carrier Battle: a greedy bot with fewer searches, little CAP, and small strikes at short range."""

from typing import Final

from engine.bots.greedy_cbps import GreedyCbps
from engine.bots.greedy_cbps_stance import Stance

CAUTIOUS_STANCE: Final = Stance(
    cap=2,
    least_strike=4,
    most_strike=6,
    far=7,
    critical=0,
    worth=12,
    close=6,
    wave=3,
    searches=6,
)
"""Few searches, little CAP, and small strikes from which every plane can return."""


class EasyCbps(GreedyCbps):
    """Plays cautiously and with small forces."""

    stance = CAUTIOUS_STANCE
