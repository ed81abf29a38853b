"""Reads a guided lesson from a script: its explanations, highlights and expected commands.

The script uses the script language (``docs/scripts.md``) with a few extra kinds of line. Its ``expect`` lines are used
only when the lesson is checked.
"""

from enum import StrEnum
from fnmatch import fnmatch
from typing import Any, Final, NamedTuple

import msgspec

from engine import registry
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from engine.scripts.runner import Runner
from engine.scripts.script import ScriptError, run_with, statements

_HEADER_WORDS: Final = frozenset({"game", "scenario", "option", "secret", "setup"})
"""First words of the lines that set up the lesson's initial state."""
_NO_GROUP: Final = -1
"""Group number of a command that belongs to no group. Such a command must be given in script order."""
LESSON_WORDS: Final = (
    ("title TEXT", "The title of the lesson."),
    ("learner ROLE", "The learner's role. All other roles act automatically."),
    ("point PLACE ...", "Highlights places during the next step."),
    (
        "do TEXT",
        "The instruction on the card. Without it, the card shows the next command in words.",
    ),
    (
        "but PATTERN: TEXT",
        "The reply to a legal command other than the next one. `*` matches any text.",
    ),
    ("press ACTION", "Waits until the learner performs this action. The card shows its key."),
    ("commit", "Waits until the learner commits all planned commands."),
    ("any order", "The following commands with the same verb may be given in any order."),
)
"""The kinds of line that occur only in lessons, each with a short explanation."""
LESSON_ONLY_WORDS: Final = frozenset(form.split()[0] for form, _ in LESSON_WORDS)
"""First words of the lines that occur only in lessons."""


class LessonStepKind(StrEnum):
    """The action that a step waits for before the lesson continues."""

    TELL = "tell"
    """Waits until the player has read the card."""
    PRESS = "press"
    """Waits for an action that only changes the display."""
    GIVE = "give"
    """Waits for a command by the player or another role."""
    COMMIT = "commit"
    """Waits until all drafted commands are committed."""


class LessonStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a lesson."""

    kind: LessonStepKind
    text: str = ""
    """Text of the card; empty to keep the previous text."""
    instruction: str = ""
    """The instruction to the player; empty to describe the command instead."""
    targets: tuple[str, ...] = ()
    """Places to highlight in addition to the command's places."""
    role: Role | None = None
    """The role that gives the command; None in other kinds of step."""
    command: Any = None
    action: str = ""
    """The action that a ``press`` step waits for; empty in other kinds of step."""
    replies: tuple[tuple[str, str], ...] = ()
    """Patterns for other commands, each with the reply to a matching command."""
    group: int = _NO_GROUP
    """Index of the first step in the command's group. The commands of a group may be given in any order."""

    def reply_to(self, line: str) -> str:
        """Return this step's reply to a command other than the expected one; empty if no pattern matches."""
        return next((text for pattern, text in self.replies if fnmatch(line, pattern)), "")


class LessonOpening(NamedTuple):
    """A lesson's initial state."""

    position: msgspec.Struct
    scenario: str
    """Id of the scenario; empty if the lesson changes its position."""
    options: dict[str, str]
    secret: bytes


class Lesson(msgspec.Struct, frozen=True, kw_only=True):
    """A parsed lesson."""

    game: str
    title: str
    learner: Role
    steps: tuple[LessonStep, ...]
    head: str
    """The script lines that set up the initial state."""

    def opening(self) -> LessonOpening:
        """Return the lesson's initial state.

        Raises:
            ScriptError: A line is invalid.
        """
        rules, words = registry.ruleset(self.game), registry.script_words(self.game)
        runner: Runner[Any] = Runner(rules, words, None)
        run_with(runner, self.head, "lesson")
        assert runner.position is not None, "a lesson must have a scenario"
        # If the script has changed the position, it already contains the options.
        options = runner.options if runner.scenario else {}
        return LessonOpening(runner.position, runner.scenario, options, runner.dice.secret)

    @property
    def command_steps(self) -> tuple[int, ...]:
        """Return the indices of the steps that are commands."""
        return tuple(
            index for index, step in enumerate(self.steps) if step.kind is LessonStepKind.GIVE
        )

    def accepted_commands(
        self, given_count: int, earlier_commands: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        """Return the commands that the lesson accepts next.

        Args:
            given_count: Number of commands given so far.
            earlier_commands: The commands given so far, in order.
        """
        command_indices = self.command_steps
        if given_count >= len(command_indices):
            return ()
        step = self.steps[command_indices[given_count]]
        if step.group == _NO_GROUP:
            return (step.command,)
        first_index = command_indices.index(step.group)
        remaining_commands = [
            self.steps[index].command
            for index in command_indices
            if self.steps[index].group == step.group
        ]
        for command in earlier_commands[first_index:given_count]:
            if command in remaining_commands:
                remaining_commands.remove(command)
        return tuple(remaining_commands)


def load_lesson(game: str) -> Lesson:
    """Return a game's lesson.

    Raises:
        DataError: There is no such game.
        ScriptError: A line is invalid.
    """
    path = registry.lesson(game)
    return parse_lesson(path.read_text(encoding="utf-8"), path.name)


def parse_lesson(text: str, file: str) -> Lesson:
    """Parse a lesson's script.

    Args:
        text: The script.
        file: Name of the file, for messages.

    Raises:
        ScriptError: A line is invalid.
    """
    lines = [*statements(text)]
    split_lines = [line.split() for _, line in lines]
    header_lines = [
        line
        for (_, line), parts in zip(lines, split_lines, strict=True)
        if parts[0] in _HEADER_WORDS
    ]
    metadata = {
        parts[0]: " ".join(parts[1:]) for parts in split_lines if parts[0] in {"title", "learner"}
    }
    games = [parts[1] for parts in split_lines if parts[0] == "game"]
    if not games or set(metadata) != {"title", "learner"}:
        raise ScriptError(file, "", "a lesson begins with 'game', 'title' and 'learner'")
    reader = _LessonReader(registry.ruleset(games[0]), Role(metadata["learner"]))
    for number, line in lines:
        try:
            reader.read_line(line)
        except (FlagplotError, ValueError) as error:
            raise ScriptError(file, f"line {number}", f"'{line}': {error}") from error
    reader.finish()
    return Lesson(
        game=games[0],
        title=metadata["title"],
        learner=Role(metadata["learner"]),
        steps=tuple(reader.steps),
        head="\n".join(header_lines),
    )


def strip_lesson_lines(text: str) -> str:
    """Return the text as an ordinary script, with blank lines for lines that occur only in lessons."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line.split(maxsplit=1)[:1] and line.split(maxsplit=1)[0] in LESSON_ONLY_WORDS:
            lines[number] = ""
    return "\n".join(lines)


class _LessonReader:
    """Builds a lesson's steps from its lines. Text and hints become part of the step with the next command or key."""

    def __init__(self, rules: AnyRuleset, learner: Role) -> None:
        self.steps: list[LessonStep] = []
        self._rules = rules
        self._roles = {str(role): role for role in rules.all_roles()}
        self._learner = learner
        self._starts_group = False
        """True if the next command starts a group of commands that may be given in any order."""
        self._group = _NO_GROUP
        self._verb = ""
        self._reset_step()

    def _reset_step(self) -> None:
        self._text = self._instruction = ""
        self._targets: tuple[str, ...] = ()
        self._replies: list[tuple[str, str]] = []

    def read_line(self, line: str) -> None:
        """Process the next line."""
        first_part, _, argument = line.partition(" ")
        argument = argument.strip()
        role = self._roles.get(first_part.removesuffix(":")) if first_part.endswith(":") else None
        if role is not None:
            self._add_command(role, argument)
            return
        match first_part:
            case ">":
                self._flush_text()
                self._text = argument
            case "point":
                self._targets = tuple(argument.split())
            case "do":
                self._instruction = argument
            case "but":
                pattern, colon, text = argument.partition(": ")
                if not colon:
                    raise ValueError("write 'but PATTERN: TEXT'")
                self._replies.append((pattern, text))
            case "press":
                self._add_step(LessonStepKind.PRESS, action=argument)
            case "commit":
                self._add_step(LessonStepKind.COMMIT)
            case "any" if argument == "order":
                self._starts_group = True
            case "expect" | "title" | "learner":
                pass
            case _ if first_part not in _HEADER_WORDS:
                raise ValueError("this is not a valid lesson line")
            case _:
                pass

    def finish(self) -> None:
        """Add any remaining text as a step after the last line."""
        self._flush_text()

    def _flush_text(self) -> None:
        if self._text:
            self._add_step(LessonStepKind.TELL)
        self._group = _NO_GROUP

    def _add_command(self, role: Role, line: str) -> None:
        command = self._rules.notation.parse(line)
        if role != self._learner:
            self._flush_text()
        verb = line.split(maxsplit=1)[0]
        if self._starts_group:
            self._group, self._verb, self._starts_group = len(self.steps), verb, False
        elif self._text or verb != self._verb or role != self._learner:
            self._group = _NO_GROUP
        elif self._group != _NO_GROUP:
            # Any command in the group may be the next one, so each step in the group has its
            # instruction and replies.
            first_step = self.steps[self._group]
            self._instruction, self._replies = (
                self._instruction or first_step.instruction,
                [*self._replies, *first_step.replies],
            )
        self._add_step(LessonStepKind.GIVE, role=role, command=command, group=self._group)

    def _add_step(self, kind: LessonStepKind, **fields: Any) -> None:  # noqa: ANN401  (fields of a step)
        if kind is not LessonStepKind.GIVE:
            self._group = _NO_GROUP
        self.steps.append(
            LessonStep(
                kind=kind,
                text=self._text,
                instruction=self._instruction,
                targets=self._targets,
                replies=tuple(self._replies),
                **fields,
            )
        )
        self._reset_step()
