"""A guided lesson being played: an ordinary game that waits for the right command and says what to do instead.

What is legal the rules say, as everywhere; the lesson only keeps to its way. Its dice follow from its secret and from
how many commands were given, so nothing is taken back that was done for good.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from engine.kernel.decision import Decision
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from play.lesson import Kind, Lesson, Step
from play.local_session import LocalSession
from play.session import CommandResult
from saves.entries import command_of
from saves.match import Match
from saves.records import Record

_COMMIT: Final = Step(kind=Kind.COMMIT)
"""What was tried goes first, where the lesson does not say so itself."""


class LessonError(FlagplotError):
    """The lesson waits for something else; nothing has happened."""


class _Others:
    """The seats that the lesson plays."""

    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Choose nothing: the lesson says what they do."""
        del view, decision
        raise AssertionError("the lesson says what the others do")


class LessonSession(LocalSession):
    """A match that follows a lesson."""

    def __init__(self, match: Match[Any], lesson: Lesson, path: Path | None = None) -> None:
        """Go on where the match stands.

        Args:
            match: The game; it is closed with the session.
            lesson: What is taught.
            path: The record file; None keeps the game in memory.
        """
        roles = match.ruleset.roles(match.state)
        others = {role: _Others() for role in roles if role != lesson.learner}
        super().__init__(match, others, lesson.learner, path)
        self.lesson = lesson
        self.path = path
        self._done = list(given_in(match))
        self.tries_back -= len(self._back_on_its_way())
        self._read = 0
        """Number of the first step that is not known to be read."""
        self.words: Callable[[Command], str] = match.ruleset.notation.line
        """Tells a command to the player."""
        self.has_keys = True
        """Whether the player has the keys, the map and the card of which the lesson speaks, or reads lines alone."""
        self.key_of: Callable[[str], str] = str
        """Tells the key of an action."""

    @property
    def title(self) -> str:
        """Return game and lesson."""
        return f"{self.ruleset.title}: {self.lesson.title}"

    def briefing(self) -> str:
        """Return nothing: the lesson tells what to know."""
        return ""

    # -- where the lesson stands

    @property
    def _given(self) -> tuple[Command, ...]:
        """Return every command that was given or tried."""
        return (*(command for _, command in self._done), *self.drafted)

    @property
    def place(self) -> int:
        """Return the number of the step that is open; that of no step behind the last one."""
        steps, gives, given = self.lesson.steps, self.lesson.gives, len(self._given)
        first = gives[given - 1] + 1 if given else 0
        last = gives[given] if given < len(gives) else len(steps)
        at = min(max(self._read, first), last)
        while at < last and steps[at].kind is Kind.COMMIT and not self.drafted:
            at += 1
        return at

    @property
    def step(self) -> Step | None:
        """Return what the lesson waits for; None at its end."""
        if self._must_commit:
            return _COMMIT
        at, steps = self.place, self.lesson.steps
        return steps[at] if at < len(steps) else None

    @property
    def _must_commit(self) -> bool:
        """Return whether the next command is possible only behind what was tried."""
        is_next = bool(self.expected and self.drafted)
        return is_next and not set(self.expected) & set(self.offered())

    @property
    def _told(self) -> Sequence[Step]:
        """Return the steps whose cards were told, the open one included."""
        return self.lesson.steps[: self.place + (not self._must_commit)]

    @property
    def text(self) -> str:
        """Return what the card tells."""
        return next((step.text for step in reversed(self._told) if step.text), "")

    @property
    def count(self) -> tuple[int, int]:
        """Return the number of the card and how many there are."""
        steps = self.lesson.steps
        return sum(bool(step.text) for step in self._told), sum(bool(step.text) for step in steps)

    @property
    def expected(self) -> tuple[Command, ...]:
        """Return the commands of which the lesson waits for one; none while it waits for something else."""
        at, steps = self.place, self.lesson.steps
        if at >= len(steps) or steps[at].kind is not Kind.GIVE:
            return ()
        given = self._given
        return self.lesson.may_follow(len(given), given)

    def instruction(self) -> str:
        """Return what the player is to do now, as a sentence."""
        step = self.step
        if step is None:
            return ""
        if step.do and self.has_keys:
            return self.filled(step.do)
        match step.kind:
            case Kind.TELL:
                return f"{self.key_of('lesson_on')} goes on."
            case Kind.PRESS:
                return f"Press {self.key_of(step.action)}."
            case Kind.COMMIT:
                return f"Press {self.key_of('commit')}: what you tried is done for good."
            case Kind.GIVE:
                return f"Choose: {'; '.join(map(self.words, self.expected))}."

    def filled(self, text: str) -> str:
        """Return a text with the keys of the actions that it names in braces."""
        parts = text.split("{")
        return parts[0] + "".join(
            self.key_of(action) + rest
            for action, _, rest in (part.partition("}") for part in parts[1:])
        )

    # -- what the player does

    def go_on(self) -> bool:
        """Take that the open card was read; False where the lesson waits for more than that."""
        step = self.step
        if step is None or step.kind is not Kind.TELL:
            return False
        self._read = self.place + 1
        return True

    def did(self, action: str) -> bool:
        """Take that an action was done that only looks; return whether the lesson has waited for it."""
        step = self.step
        if step is None or step.kind is not Kind.PRESS or step.action != action:
            return False
        self._read = self.place + 1
        return True

    def pass_over(self) -> None:
        """Go on without an action that cannot be done here."""
        step = self.step
        if step is not None and step.kind is Kind.PRESS:
            self._read = self.place + 1

    def objection(self, command: Command) -> str:
        """Return why the lesson does not take a legal command now; empty when it does.

        What is not legal is left to the rules, which say why.
        """
        step = self.step
        if step is None:
            return "The lesson is over."
        if command in self.expected or command not in self.offered():
            return ""
        own = step.answer_to(self.ruleset.notation.line(command))
        first = "First:" if self.has_keys else self.instruction()
        return self.filled(own) or f"Not yet. {first}"

    async def give(self, command: Command) -> CommandResult:
        """Try a command, or do it, if it is the one that the lesson waits for.

        Raises:
            LessonError: It is another one.
            FlagplotError: Refused by the rules; the draft stays as it was.
        """
        if problem := self.objection(command):
            raise LessonError(problem)
        return await super().give(command)

    def forget(self, number: int) -> tuple[Command, ...]:
        """Take back one tried command, with the later ones that the lesson does not know without it."""
        lost = super().forget(number)
        return (*lost, *self._back_on_its_way())

    def _back_on_its_way(self) -> tuple[Command, ...]:
        """Forget the tries that do not follow the lesson, and return them."""
        lost = []
        while self.drafted and not self._is_on_its_way():
            command = self.undo()
            if command is not None:
                lost.append(command)
        return tuple(lost)

    def _is_on_its_way(self) -> bool:
        """Return whether what was tried follows the lesson."""
        given = self._given
        return all(
            given[place] in self.lesson.may_follow(place, given)
            for place in range(len(self._done), len(given))
        )

    @property
    def _may_propose(self) -> bool:
        return False

    async def take_back(self) -> str:
        """Take nothing back.

        Raises:
            LessonError: Always.
        """
        raise LessonError(
            "In a lesson only what is tried can be undone; begin it again to play otherwise."
        )

    def order(self, text: str) -> tuple[str, ...]:
        """Tell the standing orders; a lesson takes none.

        Raises:
            LessonError: One was given.
        """
        if text:
            raise LessonError("A lesson takes no standing orders.")
        return super().order(text)

    def submit(self, role: Role, command: Command) -> None:
        """Do a command of any role for good."""
        super().submit(role, command)
        self._done.append((role, command))

    async def advance(self) -> bool:
        """Let another role do what the lesson says, or the player what goes without saying; False where neither is."""
        step = self.step
        if step is None or step.kind is not Kind.GIVE or step.role is None or self.drafted:
            return False
        is_own = step.role == self.lesson.learner
        if is_own and self._by_itself(step.role) != step.command:
            return False
        await asyncio.sleep(0)
        self.submit(step.role, step.command)
        return True


def given_in(match: Match[Any]) -> Sequence[tuple[Role, Command]]:
    """Return every command of a match with who gave it."""
    found = []
    for record in match.records:
        command = _command_in(match, record)
        if command is not None:
            found.append((record.role, command))
    return found


def _command_in(match: Match[Any], record: Record) -> Command | None:
    if record.kind != "command" or record.command is None:
        return None
    return command_of(match.ruleset, record.command)
