"""The two combat results tables (9.2-T, 9.4-T); they govern over printed examples (OPB-10)."""

from typing import Final

from engine.kernel.dice import FACES

AIR_NAVAL: Final = ((2, 1), (5, 2))
"""Highest modified roll of a row and its rating in quarters; higher rolls have :data:`AIR_NAVAL_BEST` (9.2-T)."""
AIR_NAVAL_BEST: Final = 4
GROUND: Final = ((2, 2), (6, 4), (8, 6))
"""As above (9.4-T)."""
GROUND_BEST: Final = 8
QUARTERS: Final = 4
CRITICAL_FACE: Final = FACES - 1
"""Unmodified roll that is a critical hit in air-naval combat (9.2F-6)."""


def air_naval_rating(modified: int) -> int:
    """Return the combat effectiveness rating of an air-naval roll in quarters (9.2-T)."""
    return next((rating for last, rating in AIR_NAVAL if modified <= last), AIR_NAVAL_BEST)


def ground_rating(modified: int) -> int:
    """Return the combat effectiveness rating of a ground roll in quarters (9.4-T)."""
    return next((rating for last, rating in GROUND if modified <= last), GROUND_BEST)


def hits_of(total: int, rating_quarters: int) -> int:
    """Return strength times rating, rounded up (9.2B, 9.4A)."""
    return -(-total * rating_quarters // QUARTERS)
