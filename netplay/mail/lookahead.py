"""Simulates one seat's commands until one of them needs dice or hidden information."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.kernel.decision import Decision
from engine.kernel.dice import ChanceRevealedError, DraftDice
from engine.kernel.errors import HiddenError, IllegalCommandError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, Event
from engine.registry import AnyRuleset, AnyState


class Simulation(NamedTuple):
    """The result of simulating a seat's commands."""

    role: Role
    state: Any
    """The last state that could be computed."""
    questions: tuple[Decision[Any] | None, ...]
    """For each simulated command, the decision that the role had to make at that point; None if it had none."""
    events: tuple[tuple[Event, ...], ...]
    """The events of each command, as far as they are known."""
    is_open: bool
    """True if the state after the last command is known; False if the host must send a record first.
    """
    first_illegal: int | None = None
    """Index of the first illegal command; None if no simulated command is illegal."""

    def is_still_valid(
        self, number: int, rules: AnyRuleset, state: AnyState, command: Command
    ) -> bool:
        """Return whether a command still answers the decision that it was given for, or is a free action.

        Args:
            number: The command's index.
            rules: The game's rules.
            state: The game's current state.
            command: The command.
        """
        active_roles = rules.active_roles(state)
        if active_roles and command in rules.free_actions(state, self.role):
            return True
        if number >= len(self.questions) or self.role not in active_roles:
            return False
        return self.questions[number] == rules.decision(state, self.role)


def simulate(
    rules: AnyRuleset, role: Role, state: AnyState, commands: Sequence[Command]
) -> Simulation:
    """Simulate commands that a role gives one after another.

    Args:
        rules: The game's rules.
        role: The role that gives the commands.
        state: The current state, limited to what the caller may know.
        commands: The commands, in order. The simulation stops at the first command that needs dice or hidden
            information.
    """
    questions: list[Decision[Any] | None] = []
    known_events: list[tuple[Event, ...]] = []

    def build_result(*, first_illegal: int | None = None, is_open: bool = False) -> Simulation:
        return Simulation(
            role, state, tuple(questions), tuple(known_events), is_open, first_illegal
        )

    for number, command in enumerate(commands):
        question = rules.decision(state, role) if role in rules.active_roles(state) else None
        try:
            events = rules.decide(state, role, command, DraftDice())
        except IllegalCommandError:
            return build_result(first_illegal=number)
        except (ChanceRevealedError, HiddenError):
            questions.append(question)
            return build_result()
        questions.append(question)
        # Answering a decision that cannot be drafted reveals information that only the host's
        # record contains.
        if question is not None and not question.draft and command in question.options:
            return build_result()
        known_events.append(events)
        state = rules.fold(state, events)
    return build_result(is_open=True)
