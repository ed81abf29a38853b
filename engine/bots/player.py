"""What every bot is: it sees the view and the question of its seat, exactly what a person there sees.

A thinker looks ahead, too: it is given what its seat knows as a position, in which hidden cards are blank, and says
again and again what is best so far. How long it may go on is for the caller to say: so many steps, or so much time.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Protocol, TypeGuard

import msgspec

from engine.kernel.decision import Decision
from engine.kernel.dice import SECRET_BYTES, DerivedDice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from engine.registry import AnyRuleset


class Player(Protocol):
    """Answers the questions of one seat."""

    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Return one of the decision's options."""
        ...


class Thought(msgspec.Struct, frozen=True):
    """What a thinker would do."""

    command: Command
    reason: str = ""
    """Why, in a sentence of open facts; empty when it says nothing."""
    plan: object = None
    """What the thinker wants to remember of it; it stays where it thinks."""


class Thinker(Player, Protocol):
    """Looks ahead; :meth:`choose` is what it does without a look ahead."""

    looks_ahead: bool
    """True."""
    level: str
    """Its name in :mod:`engine.bots.registry`."""
    steps: int
    """How many thoughts it takes where nobody measures time."""
    reason: str

    remembers: bool
    """True when an answer depends on the answers before, so that all of them are given in the same place."""

    def wonders(self, view: View, decision: Decision[Command]) -> bool:
        """Return whether a question is worth a look ahead; else :meth:`choose` answers it."""
        ...

    def thoughts(
        self, known: msgspec.Struct, role: Role, decision: Decision[Command]
    ) -> Iterator[Thought]:
        """Yield what is best so far, at once and then after each step; ends when more would change nothing.

        Args:
            known: What the seat knows, from :func:`known`.
            role: The seat.
            decision: Its question.
        """
        ...

    def settle(self, thought: Thought) -> None:
        """Hear which thought became the command."""
        ...


def looks_ahead(player: object) -> TypeGuard[Thinker]:
    """Return whether a bot is a thinker: it has a class attribute ``looks_ahead`` that is true."""
    return bool(getattr(player, "looks_ahead", False))


def uses_any_time(player: object) -> bool:
    """Return whether a bot knows what to make of commands that nobody asked for.

    Such a bot has a class attribute ``any_time`` that is true; to others, such as players who choose by chance, only
    what the question asks for is offered: pieces may be taken off the board at any time, which few should be.
    """
    return bool(getattr(player, "any_time", False))


def reason_of(player: object) -> str:
    """Return why a bot chose its latest command: a sentence of open facts, empty when it says nothing."""
    return str(getattr(player, "reason", ""))


def question_of(rules: AnyRuleset, state: object, role: Role, player: object) -> Decision[Any]:
    """Return the question of an asked role as a bot gets it."""
    return (rules.offered if uses_any_time(player) else rules.decision)(state, role)


def known(rules: AnyRuleset, state: object, role: Role) -> msgspec.Struct:
    """Return what a role knows as a position: what it may not see is blank, as in its copy of the record.

    Args:
        rules: The game.
        state: A full state, or that of the role's own copy.
        role: The role.
    """
    opening = rules.start(rules.export(state), DerivedDice(bytes(SECRET_BYTES), 0))
    copy = rules.fold(rules.blank(), rules.redacted(opening, role))
    position: msgspec.Struct = rules.export(copy)
    return position


def choice(rules: AnyRuleset, state: object, role: Role, player: Player) -> Command:
    """Return what a bot answers for a role that is asked, from what the role may see of a full state.

    A thinker takes as many steps as it is set to, so that the same game comes again.
    """
    question, view = question_of(rules, state, role, player), rules.project(state, role)
    if not looks_ahead(player) or not player.wonders(view, question):
        return player.choose(view, question)
    thoughts = player.thoughts(known(rules, state, role), role, question)
    *_, thought = islice(thoughts, player.steps)
    player.settle(thought)
    return thought.command
