"""A guided lesson, read from a script: its explanations, its highlights and the commands that it waits for.

It is written in the script language (``docs/scripts.md``) with a few extra kinds of line. ``expect`` lines are only
used by checks.
"""

from collections.abc import Iterator
from enum import StrEnum
from fnmatch import fnmatch
from typing import Any, Final, NamedTuple

import msgspec

from engine import registry
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from engine.scripts.runner import Runner
from engine.scripts.script import ScriptError, run_by, statements

_REMARK: Final = ">"
_HEAD: Final = frozenset({"game", "scenario", "option", "secret", "setup"})
"""First words of the lines that set up the start of the lesson."""
_ALONE: Final = -1
"""Group number of a command that belongs to no group and must be given at its place in the order."""
WORDS: Final = (
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
    ("commit", "Waits until the learner commits all tried commands."),
    ("any order", "The following commands with the same verb may be given in any order."),
)
"""The extra kinds of line in lessons, each with a short explanation."""
BEYOND: Final = frozenset(form.split()[0] for form, _ in WORDS)
"""First words of the extra lines."""


class Kind(StrEnum):
    """The kinds of step, by what each waits for."""

    TELL = "tell"
    """Waits until the player has read the card."""
    PRESS = "press"
    """Waits for an action that only changes the display."""
    GIVE = "give"
    """Waits for a command by the player or another role."""
    COMMIT = "commit"
    """Waits until all tried commands are committed."""


class LessonStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a lesson."""

    kind: Kind
    text: str = ""
    """Text of the card; if empty, the previous text remains."""
    do: str = ""
    """What to do, in words; if empty, the command is described."""
    points: tuple[str, ...] = ()
    """Places to highlight in addition to those of the command."""
    role: Role | None = None
    """The role that gives the command."""
    command: Any = None
    action: str = ""
    """The action to wait for."""
    buts: tuple[tuple[str, str], ...] = ()
    """Patterns of other commands, each with the reply to a matching command."""
    group: int = _ALONE
    """Index of the first command in a group that may be given in any order."""

    def answer_to(self, line: str) -> str:
        """Return the reply to a command other than the expected one; empty if this step has none."""
        return next((text for pattern, text in self.buts if fnmatch(line, pattern)), "")


class Opening(NamedTuple):
    """Initial state of a lesson."""

    position: msgspec.Struct
    scenario: str
    """Id of the scenario; empty if the lesson has changed its position."""
    options: dict[str, str]
    secret: bytes


class Lesson(msgspec.Struct, frozen=True, kw_only=True):
    """A parsed lesson."""

    game: str
    title: str
    learner: Role
    steps: tuple[LessonStep, ...]
    head: str
    """The script lines that set up its start."""

    def opening(self) -> Opening:
        """Return the initial state of the lesson.

        Raises:
            ScriptError: A line is invalid.
        """
        rules, words = registry.ruleset(self.game), registry.script_words(self.game)
        runner: Runner[Any] = Runner(rules, words, None)
        run_by(runner, self.head, "lesson")
        assert runner.position is not None, "a lesson has a scenario"
        options = runner.options if runner.scenario else {}
        return Opening(runner.position, runner.scenario, options, runner.dice.secret)

    @property
    def gives(self) -> tuple[int, ...]:
        """Return the indices of the steps that are commands."""
        return tuple(place for place, step in enumerate(self.steps) if step.kind is Kind.GIVE)

    def may_follow(self, given: int, since: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the commands that may come next.

        Args:
            given: Number of commands given so far.
            since: Those commands, in order.
        """
        gives = self.gives
        if given >= len(gives):
            return ()
        step = self.steps[gives[given]]
        if step.group == _ALONE:
            return (step.command,)
        first = gives.index(step.group)
        left = [
            self.steps[place].command for place in gives if self.steps[place].group == step.group
        ]
        for command in since[first:given]:
            if command in left:
                left.remove(command)
        return tuple(left)


def lesson(game: str) -> Lesson:
    """Return the lesson of a game.

    Raises:
        DataError: There is no such game.
        ScriptError: A line is invalid.
    """
    path = registry.lesson(game)
    return read(path.read_text(encoding="utf-8"), path.name)


def read(text: str, file: str) -> Lesson:
    """Parse the script of a lesson.

    Args:
        text: The script.
        file: Name of the file, for messages.

    Raises:
        ScriptError: A line is invalid.
    """
    lines = [*statements(text)]
    words = [line.split() for _, line in lines]
    head = [line for (_, line), parts in zip(lines, words, strict=True) if parts[0] in _HEAD]
    known = {parts[0]: " ".join(parts[1:]) for parts in words if parts[0] in {"title", "learner"}}
    games = [parts[1] for parts in words if parts[0] == "game"]
    if not games or set(known) != {"title", "learner"}:
        raise ScriptError(file, "", "a lesson begins with 'game', 'title' and 'learner'")
    reader = _Reader(registry.ruleset(games[0]), Role(known["learner"]))
    for number, line in lines:
        try:
            reader.take(line)
        except (FlagplotError, ValueError) as error:
            raise ScriptError(file, f"line {number}", f"'{line}': {error}") from error
    reader.end()
    return Lesson(
        game=games[0],
        title=known["title"],
        learner=Role(known["learner"]),
        steps=tuple(reader.steps),
        head="\n".join(head),
    )


def script_of(text: str) -> str:
    """Blank out the lines that only lessons have. The rest is an ordinary script with the same line numbers."""
    kept = text.splitlines()
    for number, line in enumerate(kept):
        if line.split(maxsplit=1)[:1] and line.split(maxsplit=1)[0] in BEYOND:
            kept[number] = ""
    return "\n".join(kept)


class _Reader:
    """Turns lines into steps. Text and hints before a command or key are added to its step."""

    def __init__(self, rules: AnyRuleset, learner: Role) -> None:
        self.steps: list[LessonStep] = []
        self._rules = rules
        self._roles = {str(role): role for role in rules.all_roles()}
        self._learner = learner
        self._is_free = False
        """True if the next command starts a group that may be given in any order."""
        self._group = _ALONE
        self._verb = ""
        self._clear()

    def _clear(self) -> None:
        self._text = self._do = ""
        self._points: tuple[str, ...] = ()
        self._buts: list[tuple[str, str]] = []

    def take(self, line: str) -> None:
        """Process the next line."""
        head, _, rest = line.partition(" ")
        rest = rest.strip()
        role = self._roles.get(head.removesuffix(":")) if head.endswith(":") else None
        if role is not None:
            self._command(role, rest)
            return
        match head:
            case ">":
                self._tell()
                self._text = rest
            case "point":
                self._points = tuple(rest.split())
            case "do":
                self._do = rest
            case "but":
                pattern, colon, text = rest.partition(": ")
                if not colon:
                    raise ValueError("write 'but PATTERN: TEXT'")
                self._buts.append((pattern, text))
            case "press":
                self._add(Kind.PRESS, action=rest)
            case "commit":
                self._add(Kind.COMMIT)
            case "any" if rest == "order":
                self._is_free = True
            case "expect" | "title" | "learner":
                pass
            case _ if head not in _HEAD:
                raise ValueError("this is not a valid lesson line")
            case _:
                pass

    def end(self) -> None:
        """Finish after the last line."""
        self._tell()

    def _tell(self) -> None:
        if self._text:
            self._add(Kind.TELL)
        self._group = _ALONE

    def _command(self, role: Role, line: str) -> None:
        command = self._rules.notation.parse(line)
        if role != self._learner:
            self._tell()
        verb = line.split(maxsplit=1)[0]
        if self._is_free:
            self._group, self._verb, self._is_free = len(self.steps), verb, False
        elif self._text or verb != self._verb or role != self._learner:
            self._group = _ALONE
        elif self._group != _ALONE:
            first = self.steps[self._group]
            self._do, self._buts = self._do or first.do, [*self._buts, *first.buts]
        self._add(Kind.GIVE, role=role, command=command, group=self._group)

    def _add(self, kind: Kind, **fields: Any) -> None:  # noqa: ANN401  (fields of a step)
        if kind is not Kind.GIVE:
            self._group = _ALONE
        self.steps.append(
            LessonStep(
                kind=kind,
                text=self._text,
                do=self._do,
                points=self._points,
                buts=tuple(self._buts),
                **fields,
            )
        )
        self._clear()


def texts(lesson: Lesson) -> Iterator[str]:
    """Yield every text written for the lesson itself."""
    for step in lesson.steps:
        yield from (text for text in (step.text, step.do) if text)
        yield from (text for _, text in step.buts)
