"""Defines the interface of all bots. A bot sees its seat's view and decision, exactly as a human player would.

A thinker is a bot that also looks ahead. It receives its seat's knowledge as a position in which hidden cards are
blank, and repeatedly yields the best command found so far. The caller limits the search by steps or by time.
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
    """Makes the decisions of one seat."""

    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Return one of the decision's options."""
        ...


class Thought(msgspec.Struct, frozen=True):
    """A command proposed by a thinker."""

    command: Command
    reason: str = ""
    """The reason for the command in one sentence, based only on public information; empty if no reason is given."""
    plan: object = None
    """The thinker's own data about the command. They never leave the process."""


class Thinker(Player, Protocol):
    """A bot that looks ahead. Its :meth:`choose` answers without a search."""

    looks_ahead: bool
    """Always True."""
    level: str
    """The name of this bot in :mod:`engine.bots.registry`."""
    steps: int
    """Number of thoughts to compute if there is no time limit."""
    reason: str

    is_stateful: bool
    """True if the bot's answers depend on earlier ones. One process must then give all of them."""

    def should_search(self, view: View, decision: Decision[Command]) -> bool:
        """Return whether a decision is worth a search. If not, :meth:`choose` answers it."""
        ...

    def search(
        self, known_position: msgspec.Struct, role: Role, decision: Decision[Command]
    ) -> Iterator[Thought]:
        """Yield the best command so far, first immediately and then after each step.

        The search ends once further steps are pointless.

        Args:
            known_position: The seat's knowledge, from :func:`known_position`.
            role: The seat.
            decision: The seat's decision.
        """
        ...

    def finish(self, thought: Thought) -> None:
        """Notify the thinker that one of its proposed commands was given."""
        ...


def looks_ahead(player: object) -> TypeGuard[Thinker]:
    """Return whether a bot is a thinker. A thinker sets its class attribute ``looks_ahead`` to True."""
    return bool(getattr(player, "looks_ahead", False))


def uses_any_time(player: object) -> bool:
    """Return whether a bot can handle any-time commands.

    Such a bot sets its class attribute ``any_time`` to True. Other bots, such as random players, are offered only the
    decision's options. Otherwise, they would keep taking pieces off the board, which is legal at any time but rarely
    wise.
    """
    return bool(getattr(player, "any_time", False))


def last_reason(player: object) -> str:
    """Return the reason for a bot's latest command, based only on public information; empty if no reason is given."""
    return str(getattr(player, "reason", ""))


def bot_decision(rules: AnyRuleset, state: object, role: Role, player: object) -> Decision[Any]:
    """Return a role's current decision in the form that a bot receives."""
    return (rules.decision_with_free_actions if uses_any_time(player) else rules.decision)(
        state, role
    )


def known_position(rules: AnyRuleset, state: object, role: Role) -> msgspec.Struct:
    """Return a position that contains only what a role knows. Hidden information is blank, as in the role's own copy.

    Args:
        rules: The game.
        state: A full state, or the state in the role's own copy.
        role: The role whose knowledge is returned.
    """
    # Redacting the opening removes exactly what the role's own copy of a record does not contain.
    opening = rules.open_game(rules.to_position(state), DerivedDice(bytes(SECRET_BYTES), 0))
    copy = rules.fold(rules.initial_state(), rules.redact_all(opening, role))
    position: msgspec.Struct = rules.to_position(copy)
    return position


def choose_command(rules: AnyRuleset, state: object, role: Role, player: Player) -> Command:
    """Return a bot's command for a role that has a decision, based only on what the role may see of a full state.

    A thinker computes a fixed number of steps, so that the result is reproducible.
    """
    question, view = bot_decision(rules, state, role, player), rules.project(state, role)
    if not looks_ahead(player) or not player.should_search(view, question):
        return player.choose(view, question)
    thoughts = player.search(known_position(rules, state, role), role, question)
    *_, thought = islice(thoughts, player.steps)
    player.finish(thought)
    return thought.command
