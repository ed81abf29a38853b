"""Scripts: position, scripted dice, command lines and expectations in a text file; rule tests, tutorials, bug reports.

This module reads and runs what is the same for all games; a game adds its ``setup`` and ``expect`` words by
:class:`ScriptWords`. See ``docs/scripts.md`` for the language.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Generic, TypeVar

import msgspec

from engine.kernel.dice import DerivedDice, ScriptedDice
from engine.kernel.errors import (
    DataError,
    FlagplotError,
    IllegalCommandError,
    NotationError,
    PositionError,
)
from engine.kernel.ids import Role, Rule
from engine.kernel.ruleset import Ruleset

P = TypeVar("P", bound=msgspec.Struct)
SCRIPT_SECRET: Final = b"flagplot script".ljust(32, b".")
"""Secret of draws and shuffles that a script does not dictate; the same in every run."""
MOST_DEFAULTS: Final = 500
"""Answers that one ``until`` gives before it gives up."""
_COMMENT: Final = re.compile(r"(?:^|\s)#.*")
"""A comment stands alone or behind a blank; ``#`` inside a word belongs to it."""
_SHOWN: Final = 6
"""Options quoted when one is missing."""

WORDS: Final = (
    ("game NAME", "first line: the game"),
    ("option NAME VALUE", "set a switch of the game; before `scenario`"),
    ("scenario NAME", "the starting position"),
    ("position FILE", "instead of `scenario`: a scenario file, its path seen from the script"),
    ("setup ...", "change the position, see below; before the first command"),
    ("begin", "start without a command; the first command or expectation starts, too"),
    ("dice FACE ...", "faces of coming rolls, in order; a roll without a face left is an error"),
    (
        "draws NAME ...",
        "names that coming random draws take when they can; other draws are fixed, too",
    ),
    ("ROLE: LINE", "a command of the notation, which must be legal"),
    ("default ROLE", "the role answers as it would when its time runs out"),
    ("until RULE [ROLE]", "everybody answers by default until this rule asks (this role)"),
    (
        "refuse ROLE: LINE by RULE [RULE ...]",
        "a command that must be refused, with these rules among the reasons",
    ),
    ("expect asked [ROLE ...]", "who has an open question; nobody when no role is named"),
    ("expect rule RULE", "the rule that asks"),
    ("expect prompt TEXT", "the question contains the text"),
    ("expect heading TEXT", "the line that says where the game stands contains the text"),
    (
        "expect option LINE / expect no option LINE",
        "offered or not; a trailing `*` stands for any ending",
    ),
    ("expect options NUMBER", "how many options are offered"),
    ("expect default LINE", "the answer when the time runs out"),
    ("expect said TEXT / expect no said TEXT", "the log has said it, or has not"),
    ("expect dice used", "no scripted face is left"),
    ("expect winner ROLE", "the game is over; `nobody` for a draw"),
    ("expect outcome TEXT", "the reason of the end contains the text"),
    ("expect no end", "the game goes on"),
)
"""Lines that every game knows, with a short explanation."""


class ScriptError(DataError):
    """A script that cannot be read, or a line of it that is none."""


class ScriptFailure(ScriptError):  # noqa: N818  # the script is right, the game differs
    """A script line that does not hold: an illegal command, a legal one that should not be, an unmet expectation."""

    exit_code = 1


class _Unmet(FlagplotError):  # noqa: N818  # becomes a failure with file and line
    """What a line demands is not so."""


class ScriptWords(ABC, Generic[P]):
    """What a game adds to the script language."""

    @abstractmethod
    def setup(self, position: P, words: Sequence[str]) -> P:
        """Return the position changed by a ``setup`` line.

        Raises:
            ValueError: The words make no sense; the message says why.
        """

    @abstractmethod
    def check(self, state: Any, words: Sequence[str]) -> str:  # noqa: ANN401 - every game has its own state
        """Return why an ``expect`` line does not hold, empty when it does.

        Raises:
            ValueError: The words make no sense; the message says why.
        """

    @abstractmethod
    def words(self) -> tuple[tuple[str, str], ...]:
        """Return every setup and expect form with a short explanation, for the documentation."""


class ScriptResult(msgspec.Struct, frozen=True, kw_only=True):
    """A script that ran to its end."""

    file: str
    commands: int
    expectations: int
    said: tuple[str, ...]
    """Sentences of the log in their order."""


class _Tail:
    """Scripted faces and names first, then derived dice, so that a deal needs no script."""

    def __init__(self) -> None:
        self.scripted = ScriptedDice()
        self.record = 0
        self.names: list[str] = []
        self._derived = DerivedDice(SCRIPT_SECRET, 0)

    def next_record(self) -> None:
        self.record += 1
        self._derived = DerivedDice(SCRIPT_SECRET, self.record)

    def d10(self) -> int:
        return self.scripted.d10()

    def below(self, limit: int) -> int:
        return self._derived.below(limit)

    def pick(self, items: Sequence[str]) -> str:
        for name in self.names:
            if name in items:
                self.names.remove(name)
                return name
        return self._derived.pick(items)


class _Runner(Generic[P]):
    """The state of one script run."""

    def __init__(
        self,
        rules: Ruleset[Any, Any, Any, Any, P],
        words: ScriptWords[P],
        read: Callable[[str], P] | None,
    ) -> None:
        self.rules = rules
        self.game_words = words
        self.read = read
        self.dice = _Tail()
        self.position: P | None = None
        self.options: dict[str, str] = {}
        self.state: Any = None
        self.commands = 0
        self.expectations = 0
        self.said: list[str] = []

    @property
    def where(self) -> str:
        """Return where the game stands, empty before it has begun."""
        return "" if self.state is None else self.rules.heading(self.state)

    def roles(self) -> tuple[Role, ...]:
        return self.rules.roles(self.rules.blank() if self.state is None else self.state)

    # position:

    def set_option(self, name: str, value: str) -> None:
        if self.position is not None:
            raise ValueError("'option' stands before 'scenario'")
        self.options[name] = value

    def set_position(self, position: P) -> None:
        if self.position is not None:
            raise ValueError("a script has one scenario")
        self.position = position

    def read_position(self, name: str) -> P:
        if self.read is None:
            raise ValueError("scenario files cannot be read here")
        return self.read(name)

    def change(self, words: Sequence[str]) -> None:
        if self.position is None or self.state is not None:
            raise ValueError("'setup' stands after 'scenario' and before the first command")
        self.position = self.game_words.setup(self.position, words)

    def begin(self) -> None:
        """Start the game from the position that the setup lines built."""
        if self.state is not None:
            return
        if self.position is None:
            raise ValueError("name a scenario first")
        self.rules.check_position(self.position)
        events = self.rules.start(self.position, self.dice)
        self._take(self.rules.blank(), events)

    # commands:

    def _take(self, state: Any, events: tuple[Any, ...]) -> None:  # noqa: ANN401 - every game has its own state
        """Fold events, keep what they say, and look at what must always hold."""
        self.state = self.rules.fold(state, events)
        self.said += [sentence for sentence in map(self.rules.describe, events) if sentence]
        broken = next(self.rules.violations(self.state), None)
        if broken is not None:
            raise _Unmet(f"broken: {broken}")

    def give(self, role: Role, command: Any) -> None:  # noqa: ANN401 - every game has its own commands
        self.dice.next_record()
        self._take(self.state, self.rules.decide(self.state, role, command, self.dice))
        self.commands += 1

    def order(self, role: Role, line: str) -> None:
        """Give a command that must be legal."""
        self.begin()
        self.give(role, self.rules.notation.parse(line))

    def default(self, role: Role) -> None:
        """Answer as the clock would."""
        self.begin()
        if role not in self.rules.asked(self.state):
            raise _Unmet(f"{role} is not asked")
        self.give(role, self.rules.decision(self.state, role).default)

    def until(self, rule: str, role: str | None) -> None:
        """Answer by default until a rule asks."""
        self.begin()
        for _ in range(MOST_DEFAULTS):
            asked = self.rules.asked(self.state)
            if not asked:
                raise _Unmet(f"nobody is asked any more, and rule {rule} was not reached")
            if any(
                role in {None, each} and self.rules.decision(self.state, each).rule == rule
                for each in asked
            ):
                return
            self.default(asked[0])
        raise _Unmet(f"rule {rule} does not ask within {MOST_DEFAULTS} answers")

    def refuse(self, role: Role, line: str, wanted: Sequence[str]) -> None:
        """Give a command that must be refused, with these rules among the reasons."""
        self.begin()
        command = self.rules.notation.parse(line)
        try:
            self.rules.decide(self.state, role, command, self.dice)
        except IllegalCommandError as error:
            rules = {refusal.rule for refusal in error.refusals}
            missing = [rule for rule in wanted if Rule(rule) not in rules]
            if missing:
                raise _Unmet(f"not refused by {', '.join(missing)} but so: {error}") from error
            self.expectations += 1
            return
        raise _Unmet("this is legal here")

    # expectations:

    def expect(self, words: Sequence[str]) -> None:
        """Check one expectation."""
        self.begin()
        self.expectations += 1
        problem = self._check_common(words)
        if problem is None:
            problem = self.game_words.check(self.state, words)
        if problem:
            raise _Unmet(problem)

    def _check_common(self, words: Sequence[str]) -> str | None:
        """Check what every game knows; None when the words are the game's own."""
        match words:
            case ["option", _, *_] | ["no", "option", _, *_] | ["options", _] | ["default", _, *_]:
                return self._check_options(words)
            case ["asked", *roles]:
                asked = self.rules.asked(self.state)
                return "" if list(asked) == roles else f"asked are: {' '.join(asked) or 'nobody'}"
            case ["rule", rule]:
                now = {question.rule for question in self.rules.pending(self.state)}
                shown = f"the open question is by {', '.join(sorted(now)) or 'no rule'}"
                return "" if Rule(rule) in now else shown
            case ["prompt", *text]:
                prompts = [question.prompt for question in self.rules.pending(self.state)]
                return _contains(prompts, text, f"asked is: {'; '.join(prompts) or 'nothing'}")
            case ["heading", *text]:
                return _contains([self.where], text, f"it is: {self.where}")
            case ["said", *text]:
                return _contains(self.said, text, f"the log does not say '{' '.join(text)}'")
            case ["no", "said", *text]:
                return "" if _contains(self.said, text, "no") else "the log has said it"
            case ["dice", "used"]:
                left = self.dice.scripted.faces_left
                return "" if left == 0 else f"{left} scripted faces were not rolled"
            case ["winner", _] | ["outcome", *_] | ["no", "end"]:
                return self._check_end(words)
            case _:
                return None

    def _check_options(self, words: Sequence[str]) -> str:
        """Check what is offered to whoever is asked."""
        lines = [
            self.rules.notation.line(option)
            for question in self.rules.pending(self.state)
            for option in question.options
        ]
        match words:
            case ["option", *line]:
                if _is_among(lines, " ".join(line)):
                    return ""
                alike = [found for found in lines if found.split()[0] == line[0]] or lines
                return f"offered are {len(lines)} options, such as: {'; '.join(alike[:_SHOWN])}"
            case ["no", "option", *line]:
                return "it is offered" if _is_among(lines, " ".join(line)) else ""
            case ["options", number]:
                return "" if len(lines) == int(number) else f"{len(lines)} options are offered"
            case [_, *line]:
                pending = self.rules.pending(self.state)
                defaults = [self.rules.notation.line(question.default) for question in pending]
                return "" if " ".join(line) in defaults else f"it is: {'; '.join(defaults)}"
            case _:
                return "nothing is asked for"

    def _check_end(self, words: Sequence[str]) -> str:
        """Check how the game ended."""
        outcome = self.rules.outcome(self.state)
        match words:
            case ["no", "end"]:
                return "" if outcome is None else f"the game is over: {outcome.reason}"
            case _ if outcome is None:
                return "the game goes on"
            case ["winner", winner]:
                found = outcome.winner or "nobody"
                return "" if found == winner else f"the winner is {found}: {outcome.reason}"
            case _:
                return _contains([outcome.reason], words[1:], f"it is: {outcome.reason}")


def _contains(texts: Sequence[str], words: Sequence[str], problem: str) -> str:
    """Return the problem when none of the texts contains the words, empty otherwise."""
    wanted = " ".join(words)
    return "" if any(wanted in text for text in texts) else problem


def _is_among(lines: Sequence[str], wanted: str) -> bool:
    """Return whether a line is there, or one beginning with it when it ends with a star."""
    if wanted.endswith("*"):
        return any(found.startswith(wanted[:-1].rstrip()) for found in lines)
    return wanted in lines


def run_script(
    rules: Ruleset[Any, Any, Any, Any, P],
    words: ScriptWords[P],
    text: str,
    file: str,
    read: Callable[[str], P] | None = None,
) -> ScriptResult:
    """Run a script to its end.

    Args:
        rules: The game that the script's ``game`` line names.
        words: What the game adds to the language.
        text: The script.
        file: Its name, for messages.
        read: Returns the position of a scenario file that the script names; None: there are none.

    Raises:
        ScriptFailure: The first line that does not hold.
        ScriptError: The first line that cannot be read.
    """
    runner = _Runner(rules, words, read)
    for number, line in _lines(text):
        try:
            _run_line(runner, line)
        except (NotationError, ValueError) as error:
            raise ScriptError(file, f"line {number}", f"'{line}': {error}") from error
        except FlagplotError as error:
            if isinstance(error, DataError) and not isinstance(error, PositionError):
                raise ScriptError(file, f"line {number}", f"'{line}': {error}") from error
            where = f" [{runner.where}]" if runner.where else ""
            raise ScriptFailure(file, f"line {number}", f"'{line}': {error}{where}") from error
    return ScriptResult(
        file=file,
        commands=runner.commands,
        expectations=runner.expectations,
        said=tuple(runner.said),
    )


def game_of(text: str, file: str) -> str:
    """Return the game that a script names in its first line.

    Raises:
        ScriptError: There is no ``game`` line at the top.
    """
    for number, line in _lines(text):
        words = line.split()
        if words[0] == "game" and len(words) == 2:  # noqa: PLR2004 - the word and its game
            return words[1]
        raise ScriptError(file, f"line {number}", "a script begins with 'game' and the game's name")
    raise ScriptError(file, "", "the script is empty")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, raw in enumerate(text.splitlines(), start=1):
        line = _COMMENT.sub("", raw).strip()
        if line:
            yield number, line


def _run_line(runner: _Runner[P], line: str) -> None:
    head, colon, rest = line.partition(":")
    if colon and head.strip() in runner.roles():
        runner.order(Role(head.strip()), rest.strip())
        return
    words = line.split()
    match words:
        case ["game", name]:
            if name != runner.rules.game:
                raise ValueError(f"this script is for {runner.rules.game}")
        case ["option", name, value]:
            runner.set_option(name, value)
        case ["scenario", name]:
            runner.set_position(runner.rules.position(name, runner.options))
        case ["position", name]:
            runner.set_position(runner.read_position(name))
        case ["setup", *rest_words]:
            runner.change(rest_words)
        case ["dice", *faces]:
            runner.dice.scripted.extend([_face(face) for face in faces])
        case ["draws", *names]:
            runner.dice.names += names
        case ["begin"]:
            runner.begin()
        case ["default", role]:
            runner.default(Role(role))
        case ["until", rule, *roles] if len(roles) <= 1:
            runner.until(rule, roles[0] if roles else None)
        case ["refuse", *_]:
            _refuse(runner, line)
        case ["expect", _, *_]:
            runner.expect(words[1:])
        case _:
            raise NotationError(line, "this is no script line")


def _face(word: str) -> int:
    if len(word) != 1 or not word.isdecimal():
        raise ValueError(f"'{word}' is no face of a die")
    return int(word)


def _refuse(runner: _Runner[P], line: str) -> None:
    """Read ``refuse ROLE: COMMAND by RULE [RULE ...]``."""
    order, by, rules = line.removeprefix("refuse").rpartition(" by ")
    role, colon, command = order.partition(":")
    if not by or not colon or not rules.split() or role.strip() not in runner.roles():
        raise ValueError("write 'refuse ROLE: COMMAND by RULE'")
    runner.refuse(Role(role.strip()), command.strip(), rules.split())
