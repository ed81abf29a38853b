"""How boldly a player of Carrier Battle plays: the numbers on which its plans rest."""

from typing import Final

import msgspec


class Stance(msgspec.Struct, frozen=True, kw_only=True):
    """A way to play; each number is a rule of thumb."""

    cap: int = 3
    """CAP units over each carrier group (4.33)."""
    least_strike: int = 6
    """Attackers that are worth a strike."""
    most_strike: int = 14
    """Attackers of a strike; more would add no dice (5.61)."""
    escort_share: int = 3
    """Attackers for each escort."""
    most_escorts: int = 4
    far: int = 9
    """Hexes beyond which no strike is launched."""
    critical: int = 4
    """Box of Fuel Critical up to which a strike is sent; most of its units come home."""
    worth: int = 10
    """Worth of a force, in victory points, that deserves a strike."""
    close: int = 4
    """Hexes to a known carrier force at which the task force closes no further."""
    west: int = 16
    """Column beyond which the task force does not go without a reason."""
    leash: int = 10
    """Hexes from Saipan within which the task force stays while forces may still come for the invasion fleet."""
    covered: int = 40
    """Phases before the end from which no force that is still out can do so."""
    wave: int = 9
    """Searches that start in one turn."""
    searches: int = 20
    """Searches in the air at a time."""


USUAL: Final = Stance()
