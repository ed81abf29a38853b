"""Defines a Carrier Battle bot's style of play, as numbers used in its decisions."""

from typing import Final

import msgspec


class Stance(msgspec.Struct, frozen=True, kw_only=True):
    """A style of play. Every number is a rule of thumb."""

    cap_units: int = 3
    """Desired number of CAP units over each carrier group (4.33)."""
    min_attackers: int = 6
    """Minimum number of attackers in a strike."""
    max_attackers: int = 14
    """Maximum number of attackers in a strike. Additional attackers would add no dice (5.61)."""
    attackers_per_escort: int = 3
    """Number of attackers per escort."""
    max_escorts: int = 4
    max_strike_distance: int = 9
    """Maximum distance, in hexes, to a strike's target."""
    max_critical_box: int = 4
    """Highest Fuel Critical box where a strike may end its flight. Most units in this box still return."""
    min_target_value: int = 10
    """Minimum value, in victory points, of a force that is worth a strike."""
    min_useful_distance: int = 4
    """Distance to a force, in hexes. Moving closer than this gains the task force nothing."""
    westernmost_column: int = 16
    """Westernmost column that the task force normally enters."""
    max_saipan_distance: int = 10
    """Maximum distance from Saipan, in hexes, while enemy forces may still attack the invasion fleet."""
    covered_phases: int = 40
    """If at most this many phases remain, distant forces can no longer reach the invasion fleet."""
    max_new_searches: int = 9
    """Maximum number of searches to start in one turn."""
    max_searches: int = 20
    """Maximum number of searches in the air."""


USUAL_STANCE: Final = Stance()
