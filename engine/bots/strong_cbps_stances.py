"""The ways to play Carrier Battle among which the strong player chooses, the usual one first."""

from typing import Final

from msgspec.structs import replace

from engine.bots.greedy_cbps_stance import Stance

BOLD: Final = Stance(far=11, critical=12, least_strike=4, worth=8)
"""Strikes at long range, also with few aircraft: a carrier is worth more than those that ditch on the way home."""
STANCES: Final = (
    BOLD,
    replace(BOLD, far=12, critical=16),
    replace(BOLD, far=9, critical=6),
    replace(BOLD, close=2),
)
