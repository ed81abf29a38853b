"""The easy player of Carrier Battle: the greedy one with fewer searches, thin CAP and small strikes at short range."""

from typing import Final

from engine.bots.greedy_cbps import GreedyCbps
from engine.bots.greedy_cbps_stance import Stance

TIMID: Final = Stance(
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
"""Few searches, thin CAP, small strikes from which everybody comes home."""


class EasyCbps(GreedyCbps):
    """Plays with caution and in small numbers."""

    stance = TIMID
