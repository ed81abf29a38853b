"""The modes in which a host can open network matches."""

from typing import Final, Literal, TypeAlias

Chance: TypeAlias = Literal["host", "joint", "fair"]
HOST: Final = "host"
"""Dice and draws are derived from the host's secret alone."""
JOINT: Final = "joint"
"""Dice and draws combine contributions from the host and every seat. No single party can choose or predict them."""
FAIR: Final = "fair"
"""Experimental, with no independent review: seats generate randomness and deal cards to hide hands from the host."""
MODE_FOR_TWO: Final[Chance] = JOINT
"""Default mode when exactly two people play on a host that has a screen."""
CHOICES: Final[tuple[Chance, ...]] = (JOINT, HOST, FAIR)
"""The modes that a player can choose, in the order used by the form and the help."""
