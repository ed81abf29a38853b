"""Defines random players, for fuzzing and as the weakest opponents.

One kind chooses uniformly. The two other kinds reach later stages of a game.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from engine.kernel.decision import Decision
from engine.kernel.dice import DerivedDice
from engine.kernel.ruleset import Command, View

BUSY_STAY_PER_10000: Final = 8_500
"""Number of decisions out of 10,000 in which the busy player does not finish a step if it has other options."""


class Habit(StrEnum):
    """How a random player chooses among commands."""

    UNIFORM = "uniform"
    """All legal commands are equally likely."""
    BY_VERB = "by-verb"
    """All kinds of command are equally likely, and so are all commands of the chosen kind."""
    BUSY = "busy"
    """Like ``BY_VERB``, but rarely finishes a step early."""


class RandomPlayer:
    """Chooses at random. The same dice yield the same choices."""

    def __init__(self, dice: DerivedDice, habit: Habit = Habit.UNIFORM) -> None:
        """Create the bot with its own source of randomness, which is separate from the game's dice."""
        self._dice = dice
        self._habit = habit

    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Return a random option."""
        del view
        options = decision.options
        if self._habit is Habit.UNIFORM:
            return self._pick(options)
        if self._habit is Habit.BUSY and self._dice.randbelow(10_000) < BUSY_STAY_PER_10000:
            options = tuple(option for option in options if option.__struct_fields__) or options
        of_kind: dict[str, list[Command]] = {}
        for option in options:
            of_kind.setdefault(type(option).__name__, []).append(option)
        kinds = sorted(of_kind)
        return self._pick(of_kind[kinds[self._dice.randbelow(len(kinds))]])

    def _pick(self, options: Sequence[Command]) -> Command:
        return options[self._dice.randbelow(len(options))]
