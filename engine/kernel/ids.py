"""Names that all rulesets share: roles, rule numbers, refusals."""

from typing import Final, NewType

import msgspec

Role = NewType("Role", str)
"""A party that makes decisions, such as ``allied``; never a person or a connection."""

BOT_PREFIX: Final = "bot:"
"""Prefix of the player name of a bot that is run by the program holding the full game."""

Rule = NewType("Rule", str)
"""The number of a rule or ruling, as printed: ``8.45``, ``OP-12``."""


class Refusal(msgspec.Struct, frozen=True, gc=False):
    """One reason why a command is illegal, worded for the player."""

    rule: Rule
    text: str

    def __str__(self) -> str:
        """Return the sentence preceded by its rule number."""
        return f"{self.rule}: {self.text}"
