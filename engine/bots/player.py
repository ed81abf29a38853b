"""What every bot is: it sees the view and the question of its seat, exactly what a person there sees."""

from typing import Protocol

from engine.kernel.decision import Decision
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from engine.registry import AnyRuleset


class Player(Protocol):
    """Answers the questions of one seat."""

    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Return one of the decision's options."""
        ...


def uses_any_time(player: object) -> bool:
    """Return whether a bot knows what to make of commands that nobody asked for.

    Such a bot has a class attribute ``any_time`` that is true; to others, such as players who choose by chance, only
    what the question asks for is offered: pieces may be taken off the board at any time, which few should be.
    """
    return bool(getattr(player, "any_time", False))


def reason_of(player: object) -> str:
    """Return why a bot chose its latest command: a sentence of open facts, empty when it says nothing."""
    return str(getattr(player, "reason", ""))


def choice(rules: AnyRuleset, state: object, role: Role, player: Player) -> Command:
    """Return what a bot answers for a role that is asked, from what the role may see of a full state."""
    question = rules.offered if uses_any_time(player) else rules.decision
    return player.choose(rules.project(state, role), question(state, role))
