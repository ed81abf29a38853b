"""Names shared by all rulesets: roles, rule numbers and refusals."""

from typing import Final, NewType

import msgspec
from typing_extensions import override

Role = NewType("Role", str)
"""A side or country that makes decisions in the game, such as ``allied``. A role is not a person or a connection."""

BOT_PREFIX: Final = "bot:"
"""Player-name prefix for a bot that the program runs with access to the full game."""

Rule = NewType("Rule", str)
"""The number of a rule or ruling as printed, such as ``8.45`` or ``OP-12``."""


class Refusal(msgspec.Struct, frozen=True, gc=False):
    """One reason why a command is illegal, worded for the player."""

    rule: Rule
    text: str

    @override
    def __str__(self) -> str:
        """Return the refusal's sentence, preceded by its rule number."""
        return f"{self.rule}: {self.text}"
