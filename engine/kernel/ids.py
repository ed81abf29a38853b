"""The names that every ruleset shares: roles, rule numbers, refusals."""

from typing import Final, NewType

import msgspec

Role = NewType("Role", str)
"""A party that answers decisions, such as ``allied``; never a person or a connection."""

BOT_PREFIX: Final = "bot:"
"""Begins the name of a player that is a program of whoever holds the whole game."""

Rule = NewType("Rule", str)
"""A number of the rulebook or of a ruling, as printed: ``8.45``, ``OP-12``."""


class Refusal(msgspec.Struct, frozen=True, gc=False):
    """One reason why a command is not legal, fit to be read by the player."""

    rule: Rule
    text: str

    def __str__(self) -> str:
        """Return the sentence with its rule number in front."""
        return f"{self.rule}: {self.text}"
