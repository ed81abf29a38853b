"""What the players have bid for their sides, as a number agreed before the game (16.48)."""

from collections.abc import Mapping
from typing import Final

BIDDING_VP: Final = "bidding-vp"
"""Added to the Japanese points at the end; for scenarios that count points (16.48A)."""
BIDDING_PW: Final = "bidding-pw"
"""Added to Political Will at the start of a campaign (16.48B)."""
OFF: Final = "off"
_MOST: Final = 5
VALUES: Final = (OFF, *(f"{n:+d}" for n in range(-_MOST, _MOST + 1) if n))
"""More than 3 counts as an overbid; nobody is kept from it."""


def bid(options: Mapping[str, str], name: str) -> int:
    """Return the number that a bid adds, 0 without one (16.48)."""
    value = options.get(name, OFF)
    return 0 if value == OFF else int(value)
