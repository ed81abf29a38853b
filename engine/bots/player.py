"""What every bot is: it sees the view and the question of its seat, exactly what a person there sees."""

from typing import Protocol

from engine.kernel.decision import Decision
from engine.kernel.ruleset import Command, View


class Player(Protocol):
    """Answers the questions of one seat."""

    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Return one of the decision's options."""
        ...
