"""Runs a lesson: an ordinary game that accepts only the lesson's commands and replies to all other commands.

The rules still decide whether a command is legal. The lesson only makes the player follow its steps. Dice results
depend on the lesson's secret and on the number of commands given, so committed commands cannot be taken back.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from typing_extensions import override

from engine.kernel.decision import Decision
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from engine.registry import AnyState
from play.lesson import Lesson, LessonStep, LessonStepKind
from play.local_negotiation import LocalNegotiation
from play.local_session import LocalSession
from play.order_books import OrderBooks
from play.session import CommandResult
from saves.entries import decode_command
from saves.match import Match
from saves.records import Record

_COMMIT_STEP: Final = LessonStep(kind=LessonStepKind.COMMIT)
"""Step used if drafted commands must be committed before the lesson continues, but the script lacks a commit step."""


class LessonError(FlagplotError):
    """The lesson expects a different action. The game has not changed."""


class _ScriptedPlayer:
    """Placeholder for the players of the seats that the lesson controls."""

    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Raise AssertionError, because the lesson chooses the other seats' commands."""
        del view, decision
        raise AssertionError("the lesson gives the commands of the other seats")


class _LessonNegotiation(LocalNegotiation):
    @property
    @override
    def can_propose(self) -> bool:
        return False

    @override
    async def take_back(self) -> str:
        raise LessonError(
            "In a lesson, only the current plan can be undone; start over to play differently."
        )


class _LessonOrderBooks(OrderBooks):
    """Refuses new standing orders."""

    @override
    def change(self, text: str) -> tuple[str, ...]:
        """Return the standing orders in words. A lesson does not accept new orders.

        Raises:
            LessonError: An order was given.
        """
        if text:
            raise LessonError("Standing orders cannot be used in a lesson.")
        return super().change(text)

    @override
    def give_course(self, state: AnyState, role: Role, text: str) -> str:
        """Refuse a course order.

        Raises:
            LessonError: Always.
        """
        raise LessonError("Orders for a whole flight cannot be given in a lesson.")


class LessonSession(LocalSession):
    """A local game that follows a lesson."""

    _negotiation_type = _LessonNegotiation
    _orders_type = _LessonOrderBooks

    def __init__(self, match: Match[Any], lesson: Lesson, path: Path | None = None) -> None:
        """Continue from the current state of a match.

        Args:
            match: The game. It is closed together with the session.
            lesson: The lesson.
            path: The record file; None keeps the game in memory.
        """
        roles = match.ruleset.roles(match.state)
        other_players = {role: _ScriptedPlayer() for role in roles if role != lesson.learner}
        super().__init__(match, other_players, lesson.learner, path)
        self.lesson = lesson
        self.path = path
        self._committed_commands = list(commands_given(match))
        # The restored draft may have been made with an earlier version of the lesson.
        self.drafts.restored_count -= len(self._undo_deviations())
        self._first_unread_index = 0
        """Index of the first step whose card has not been read yet."""
        self.format_command: Callable[[Command], str] = match.ruleset.notation.line
        """Formats a command for the player."""
        self.has_keys = True
        """True if the keys, map and card that the lesson mentions are available; False in console mode."""
        self.key_of: Callable[[str], str] = str
        """Returns the name of the key that performs an action."""

    @property
    @override
    def title(self) -> str:
        """Return the title of the game's lesson."""
        return f"{self.ruleset.title}: {self.lesson.title}"

    @override
    def briefing(self) -> str:
        """Return an empty string, because the lesson explains everything."""
        return ""

    @override
    def next_step(self, post: str) -> str:
        """Return the current instruction: while the card waits for the player, no other seat is thinking."""
        del post
        if self.step is None:
            return "The lesson is complete."
        return self.instruction() if self.has_keys else ""

    @property
    @override
    def repeats_answers(self) -> bool:
        """Return False, because the lesson explains each answer."""
        return False

    # -- progress of the lesson

    @property
    def _all_commands(self) -> tuple[Command, ...]:
        """Return all committed and drafted commands."""
        return (*(command for _, command in self._committed_commands), *self.draft.commands)

    @property
    def step_index(self) -> int:
        """Return the index of the current step or, after the last step, the number of steps."""
        steps, command_indices, given_count = (
            self.lesson.steps,
            self.lesson.command_steps,
            len(self._all_commands),
        )
        first_index = command_indices[given_count - 1] + 1 if given_count else 0
        last_index = (
            command_indices[given_count] if given_count < len(command_indices) else len(steps)
        )
        index = min(max(self._first_unread_index, first_index), last_index)
        # A command with a random result commits the plan immediately, so a commit step after it has
        # nothing to commit and is skipped.
        while (
            index < last_index
            and steps[index].kind is LessonStepKind.COMMIT
            and not self.draft.commands
        ):
            index += 1
        return index

    @property
    def step(self) -> LessonStep | None:
        """Return the step for which the lesson is waiting; None at the end of the lesson."""
        if self._must_commit:
            return _COMMIT_STEP
        index, steps = self.step_index, self.lesson.steps
        return steps[index] if index < len(steps) else None

    @property
    def _must_commit(self) -> bool:
        """Return whether drafted commands must be committed before the next command can be given."""
        is_next = bool(self.expected_commands and self.draft.commands)
        return is_next and not set(self.expected_commands) & set(self.offered_commands())

    @property
    def _shown_steps(self) -> Sequence[LessonStep]:
        """Return all steps up to and including the current step."""
        return self.lesson.steps[: self.step_index + (not self._must_commit)]

    @property
    def text(self) -> str:
        """Return the text of the current card."""
        return next((step.text for step in reversed(self._shown_steps) if step.text), "")

    @property
    def card_position(self) -> tuple[int, int]:
        """Return the number of the current card and the total number of cards."""
        steps = self.lesson.steps
        return sum(bool(step.text) for step in self._shown_steps), sum(
            bool(step.text) for step in steps
        )

    @property
    def expected_commands(self) -> tuple[Command, ...]:
        """Return the commands that the lesson accepts now; empty while it waits for an action other than a command."""
        index, steps = self.step_index, self.lesson.steps
        if index >= len(steps) or steps[index].kind is not LessonStepKind.GIVE:
            return ()
        commands = self._all_commands
        return self.lesson.accepted_commands(len(commands), commands)

    def instruction(self) -> str:
        """Return text that states what the player should do now; empty after the last step."""
        step = self.step
        if step is None:
            return ""
        if step.instruction and self.has_keys:
            return self.with_key_names(step.instruction)
        match step.kind:
            case LessonStepKind.TELL:
                return f"{self.key_of('lesson_on')} continues."
            case LessonStepKind.PRESS:
                return f"Press {self.key_of(step.action)}."
            case LessonStepKind.COMMIT:
                return (
                    f"Press {self.key_of('commit')} to carry out your plan. This cannot be undone."
                )
            case LessonStepKind.GIVE:
                text = "; ".join(map(self.format_command, self.expected_commands))
                return f"{text}." if text.startswith("Choose ") else f"Choose: {text}."

    def with_key_names(self, text: str) -> str:
        """Replace action names in braces with the names of their keys."""
        parts = text.split("{")
        return parts[0] + "".join(
            self.key_of(action) + text_rest
            for action, _, text_rest in (part.partition("}") for part in parts[1:])
        )

    # -- actions of the player

    def mark_read(self) -> bool:
        """Mark the current card as read. Return False if the step requires more than reading."""
        step = self.step
        if step is None or step.kind is not LessonStepKind.TELL:
            return False
        self._first_unread_index = self.step_index + 1
        return True

    def record_action(self, action: str) -> bool:
        """Record an action that changes only the display. Return True if the lesson was waiting for that action."""
        step = self.step
        if step is None or step.kind is not LessonStepKind.PRESS or step.action != action:
            return False
        self._first_unread_index = self.step_index + 1
        return True

    def skip_action(self) -> None:
        """Skip the current step if it asks for a key. Its action may be unavailable here, or the player may skip it."""
        step = self.step
        if step is not None and step.kind is LessonStepKind.PRESS:
            self._first_unread_index = self.step_index + 1

    @override
    def objection(self, command: Command) -> str:
        """Return why the lesson does not accept a legal command now; empty if it accepts the command.

        The result is also empty for an illegal command, because the rules state why they refuse it.
        """
        step = self.step
        if step is None:
            return "The lesson is over."
        if command in self.expected_commands or command not in self.offered_commands():
            return ""
        reply = step.reply_to(self.ruleset.notation.line(command))
        hint = "First:" if self.has_keys else self.instruction()
        return self.with_key_names(reply) or f"Not yet. {hint}"

    @override
    async def give(self, command: Command) -> CommandResult:
        """Draft a command or carry it out if the lesson expects it.

        Raises:
            LessonError: The lesson expects another command.
            FlagplotError: The rules refuse the command. The draft is unchanged.
        """
        if problem := self.objection(command):
            raise LessonError(problem)
        return await super().give(command)

    @override
    def undo_entry(self, number: int) -> tuple[Command, ...]:
        undone_entry = super().undo_entry(number)
        return (*undone_entry, *self._undo_deviations())

    def _undo_deviations(self) -> tuple[Command, ...]:
        """Undo drafted commands until the rest of the draft follows the lesson. Return the undone commands."""
        undone_moves = []
        while self.draft.commands and not self._follows_lesson():
            command = self.draft.undo()
            if command is not None:
                undone_moves.append(command)
        return tuple(undone_moves)

    def _follows_lesson(self) -> bool:
        """Return whether the lesson expects the drafted commands."""
        commands = self._all_commands
        return all(
            commands[index] in self.lesson.accepted_commands(index, commands)
            for index in range(len(self._committed_commands), len(commands))
        )

    @override
    def submit(self, role: Role, command: Command) -> None:
        super().submit(role, command)
        self._committed_commands.append((role, command))

    @override
    async def advance(self) -> bool:
        """Give the lesson's next command if the learner has no choice to make.

        That is the case for another role's command and for the learner's automatic answer. Return False if no command
        was given.
        """
        step = self.step
        if (
            step is None
            or step.kind is not LessonStepKind.GIVE
            or step.role is None
            or self.draft.commands
        ):
            return False
        is_own = step.role == self.lesson.learner
        if is_own and self._automatic_answer(step.role) != step.command:
            return False
        await asyncio.sleep(0)
        self.submit(step.role, step.command)
        return True


def commands_given(match: Match[Any]) -> Sequence[tuple[Role, Command]]:
    """Return a match's commands, each with the role that gave it."""
    commands = []
    for record in match.records:
        command = _record_command(match, record)
        if command is not None:
            commands.append((record.role, command))
    return commands


def _record_command(match: Match[Any], record: Record) -> Command | None:
    if record.kind != "command" or record.command is None:
        return None
    return decode_command(match.ruleset, record.command)
