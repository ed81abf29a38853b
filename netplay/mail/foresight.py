"""What follows from commands of one seat as far as nothing of chance and nothing hidden is needed."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.kernel.decision import Decision
from engine.kernel.dice import ChanceRevealedError, DraftDice
from engine.kernel.errors import HiddenError, IllegalCommandError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, Event
from engine.registry import AnyRuleset


class Foreseen(NamedTuple):
    """Where a seat's commands lead."""

    role: Role
    state: Any
    """The last state that is known."""
    questions: tuple[Decision[Any] | None, ...]
    """The question to which each command was given, None where there was none; one for each that could be followed."""
    events: tuple[tuple[Event, ...], ...]
    """What follows from each, as far as known."""
    is_open: bool
    """Whether the state behind the last command is known; if not, somebody else has to tell it."""
    misfit: int | None = None
    """The first command that the rules do not allow in its place; None when they allow all."""

    def fits(self, number: int, rules: AnyRuleset, state: Any, command: Command) -> bool:  # noqa: ANN401  # opaque
        """Return whether a command still answers the question for which it was meant, or needs none.

        Args:
            number: Which of the commands, counted from 0.
            rules: The game.
            state: The game as it stands now.
            command: That command.
        """
        asked = rules.asked(state)
        if asked and command in rules.any_time(state, self.role):
            return True
        if number >= len(self.questions) or self.role not in asked:
            return False
        return self.questions[number] == rules.decision(state, self.role)


def foreseen(rules: AnyRuleset, role: Role, state: Any, commands: Sequence[Command]) -> Foreseen:  # noqa: ANN401  # opaque
    """Return where commands lead that a role gives one after the other.

    Args:
        rules: The game.
        role: Who gives them.
        state: Where the game stands, as far as whoever asks may know.
        commands: They are followed up to the first behind which chance or something hidden comes.
    """
    questions: list[Decision[Any] | None] = []
    told: list[tuple[Event, ...]] = []

    def end(*, misfit: int | None = None, is_open: bool = False) -> Foreseen:
        return Foreseen(role, state, tuple(questions), tuple(told), is_open, misfit)

    for number, command in enumerate(commands):
        question = rules.decision(state, role) if role in rules.asked(state) else None
        try:
            events = rules.decide(state, role, command, DraftDice())
        except IllegalCommandError:
            return end(misfit=number)
        except (ChanceRevealedError, HiddenError):
            questions.append(question)
            return end()
        questions.append(question)
        if question is not None and not question.draft and command in question.options:
            return end()
        told.append(events)
        state = rules.fold(state, events)
    return end(is_open=True)
