"""The style of play of a Carrier Battle bot, as numbers used in its decisions."""

from typing import Final

import msgspec


class Stance(msgspec.Struct, frozen=True, kw_only=True):
    """A style of play. Every number is a rule of thumb."""

    cap: int = 3
    """Number of CAP units over each carrier group (4.33)."""
    least_strike: int = 6
    """Minimum number of attackers for a strike."""
    most_strike: int = 14
    """Maximum number of attackers in a strike. More attackers would add no dice (5.61)."""
    escort_share: int = 3
    """Number of attackers per escort."""
    most_escorts: int = 4
    far: int = 9
    """Maximum distance, in hexes, to a strike's target."""
    critical: int = 4
    """Highest Fuel Critical box in which a strike may end. Most units still return from there."""
    worth: int = 10
    """Minimum value, in victory points, of a force worth a strike."""
    close: int = 4
    """Minimum useful distance to a force, in hexes. The task force gains nothing by moving closer."""
    west: int = 16
    """Westernmost column that the task force enters without a special reason."""
    leash: int = 10
    """Maximum distance from Saipan, in hexes, as long as enemy forces may still attack the invasion fleet."""
    covered: int = 40
    """If this many phases or fewer are left, distant forces can no longer reach the invasion fleet."""
    wave: int = 9
    """Maximum number of searches to start in one turn."""
    searches: int = 20
    """Maximum number of searches in the air."""


USUAL_STANCE: Final = Stance()
