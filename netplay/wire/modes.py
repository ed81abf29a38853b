"""Defines the modes of network matches, which determine who generates the randomness and who deals."""

from typing import Final, Literal, TypeAlias

Chance: TypeAlias = Literal["host", "joint", "fair"]
HOST: Final = "host"
"""Dice and draws depend only on the host's secret."""
JOINT: Final = "joint"
"""Dice and draws depend on contributions from the host and every seat. No single party can choose or predict them."""
FAIR: Final = "fair"
"""The seats generate all randomness and deal the cards, which hides hands from the host. Experimental, not reviewed."""
MODE_FOR_TWO: Final[Chance] = JOINT
"""The default mode when exactly two people play on a host that has a screen."""
CHOICES: Final[tuple[Chance, ...]] = (JOINT, HOST, FAIR)
"""The modes that a player can choose, in the order of the form and the help text."""
