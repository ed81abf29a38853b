"""Describes the die rolls in a game's events in the same form for every game."""

import msgspec


class DieRoll(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One roll of one die."""

    face: int
    """The face, before modifiers."""
    modifier: int = 0
    """The sum of all modifiers."""
    rule: str = ""
    """Number of the rule that required the roll; empty if the purpose names a chart."""
    purpose: str
    """What the die was rolled for: a word of the game, or the id of a chart."""
    about: str = ""
    """The piece or place that the roll concerns; empty if there is none."""
    result: str = ""
    """The result as printed on the chart; empty for a roll without a chart."""
