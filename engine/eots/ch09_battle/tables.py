"""The two combat results tables (9.2-T, 9.4-T); they govern over printed examples (OPB-10)."""

from typing import Final

from engine.eots.ids import D10
from engine.kernel.tables import DieTable

AIR_NAVAL: Final = DieTable((0, 2, 1), (3, 5, 2), (6, 9, 4))
"""Rating in quarters by the modified roll (9.2-T)."""
GROUND: Final = DieTable((0, 2, 2), (3, 6, 4), (7, 8, 6), (9, 9, 8))
"""As above (9.4-T)."""
QUARTERS: Final = 4
CRITICAL_FACE: Final = D10.highest
"""Unmodified roll that is a critical hit in air-naval combat (9.2F-6)."""


def hits_of(total: int, rating_quarters: int) -> int:
    """Return strength times rating, rounded up (9.2B, 9.4A)."""
    return -(-total * rating_quarters // QUARTERS)
