"""The modes in which a host opens matches for a network."""

from typing import Final, Literal, TypeAlias

Chance: TypeAlias = Literal["host", "joint", "fair"]
HOST: Final = "host"
"""Dice and draws follow from the host's secret alone."""
JOINT: Final = "joint"
"""They follow from a part of every seat and a secret of the host, which nobody can choose or foresee alone."""
FAIR: Final = "fair"
"""Experimental: the seats make them without the host and deal the cards to hide hands. No outside review yet."""
USUAL_OF_TWO: Final[Chance] = JOINT
"""The mode where exactly two people play at a host with a screen."""
OFFERED: Final[tuple[Chance, ...]] = (JOINT, HOST, FAIR)
"""The modes that a player can choose, in the order of the form and the help."""
