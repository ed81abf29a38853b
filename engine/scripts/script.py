"""Runs scripts, which are used for rule tests, tutorials and bug reports.

A script is a text file that contains a position, scripted dice, command lines and expectations. This module handles
everything that all games have in common. A game adds its ``setup`` and ``expect`` words with
:class:`~engine.scripts.words.ScriptWords`. See ``docs/scripts.md`` for the language.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final, TypeVar

import msgspec

from engine.kernel.errors import (
    DataError,
    FlagplotError,
    NotationError,
    PositionError,
)
from engine.kernel.lexicon import suggestion
from engine.kernel.numerals import is_whole_number
from engine.kernel.ruleset import Ruleset
from engine.kernel.sentences import pluralise
from engine.scripts.runner import DieLine, Runner
from engine.scripts.words import COMMON_FORMS, ScriptWords

P = TypeVar("P", bound=msgspec.Struct)
_COMMENT: Final = re.compile(r"(?:^|\s)#.*")
"""Comments begin at the start of a line or after whitespace. A ``#`` inside a word is part of the word."""
_ANY: Final = "any"
_DICE: Final = "dice"
_MAX_FACE: Final = 10
"""Highest face on any die in any game. Each die checks its own range when rolled."""
_DIE_LINE_RULE: Final = "a die line must come before the command that rolls, or directly after it"
_REMARK: Final = ">"


class ScriptError(DataError):
    """A script or one of its lines cannot be read."""

    log: tuple[str, ...] = ()
    """The text of each log entry up to the failing line."""


class ScriptFailure(ScriptError):  # noqa: N818  # the script may be right and the game wrong
    """A script line fails. Examples are an illegal command, an unexpectedly legal one and an unmet expectation."""

    exit_code = 1


class ScriptResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a script that ran to its end."""

    file: str
    commands: int
    expectations: int
    remarks: int = 0
    log: tuple[str, ...]
    """The text of each log entry, in order."""


def run_script(
    rules: Ruleset[Any, Any, Any, Any, P],
    words: ScriptWords[P],
    text: str,
    file: str,
    read: Callable[[str], P] | None = None,
    read_data: Callable[[str], bytes] | None = None,
) -> ScriptResult:
    """Run a script to its end.

    Args:
        rules: The game named in the script's ``game`` line.
        words: The game's additions to the language.
        text: The script.
        file: The script's name, for messages.
        read: Function that returns the position in the scenario file with the given name, or None if scripts may not
            name files.
        read_data: Function that returns the content of the user's data file with the given name, or None if scripts may
            not name files.

    Raises:
        ScriptFailure: A line fails. The first failure ends the run.
        ScriptError: A line cannot be read.
    """
    return run_with(Runner(rules, words, read, read_data), text, file)


def run_with(runner: Runner[P], text: str, file: str) -> ScriptResult:
    """Run a script to its end with a new runner. Raises the same errors as :func:`run_script`."""
    lines = [*statements(text)]
    for place in range(len(lines)):
        run_statement(runner, lines, place, file)
    unused_roll = runner.dice.first_unused()
    if unused_roll is not None:
        number, face_count = unused_roll
        faces = pluralise(face_count, "face is", "faces are")
        problem = f"'{dict(lines)[number]}': {faces} left that were never rolled; {_DIE_LINE_RULE}"
        raise _script_error(runner, file, number, problem, FlagplotError(problem))
    return ScriptResult(
        file=file,
        commands=runner.commands,
        expectations=runner.expectations,
        remarks=runner.remarks,
        log=tuple(runner.log),
    )


def run_statement(
    runner: Runner[P], lines: Sequence[tuple[int, str]], index: int, file: str
) -> None:
    """Execute one statement of a script. The statement may use faces from the die lines after it.

    Raises:
        ScriptFailure: The statement fails.
        ScriptError: The statement cannot be read.
    """
    number, line = lines[index]
    try:
        with suppress(ValueError):  # an invalid die line is reported when it is reached
            runner.dice.following_lines = [*_leading_die_lines(lines[index + 1 :])]
        _run_line(runner, number, line)
    except (FlagplotError, ValueError) as error:
        raise _script_error(runner, file, number, f"'{line}': {error}", error) from error


def _script_error(
    runner: Runner[P], file: str, number: int, problem: str, error: FlagplotError | ValueError
) -> ScriptError:
    """Return the error for a line: ScriptError if it cannot be read, ScriptFailure if it fails during play."""
    unused_draws = isinstance(error, NotationError | ValueError | DataError)
    script_error: ScriptError
    if unused_draws and not isinstance(error, PositionError):
        script_error = ScriptError(file, f"line {number}", problem)
    else:
        location = f" [{runner.location}]" if runner.location else ""
        script_error = ScriptFailure(file, f"line {number}", problem + location)
    script_error.log = tuple(runner.log)
    return script_error


def game_name(text: str, file: str) -> str:
    """Return the game named in a script's first line.

    Raises:
        ScriptError: The script does not begin with a ``game`` line.
    """
    for number, line in statements(text):
        words = line.split()
        if words[0].lower() == "game" and len(words) == 2:  # noqa: PLR2004  # the word and the game
            return words[1]
        raise ScriptError(
            file, f"line {number}", "a script must begin with 'game' and the game's name"
        )
    raise ScriptError(file, "", "the script is empty")


def statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield the non-empty lines with their line numbers. Consecutive remark lines are joined into one."""
    remark: list[str] = []
    start_line = 0
    # The empty last line ends a remark at the end of the file.
    for number, raw_line in enumerate((*text.splitlines(), ""), start=1):
        line = _COMMENT.sub("", raw_line).strip()
        if line.startswith(_REMARK):
            start_line = start_line if remark else number
            remark.append(line.removeprefix(_REMARK).strip())
            continue
        if remark:
            yield start_line, f"{_REMARK} {' '.join(remark)}".rstrip()
            remark.clear()
        if line:
            yield number, line


_KEYWORDS: Final = tuple(
    dict.fromkeys(form.split()[0] for form, _ in COMMON_FORMS if form.split()[0].islower())
)
"""The words with which a line can begin."""


def _run_line(runner: Runner[P], number: int, line: str) -> None:
    before_colon, colon, line_rest = line.partition(":")
    role = runner.role(before_colon.strip()) if colon else None
    if line.startswith(_REMARK):
        runner.remark(line.removeprefix(_REMARK).strip())
    elif role is not None:
        runner.give_line(role, line_rest.strip())
    else:
        words = line.split()
        words[0] = words[0].lower()
        if not _run_setup_line(runner, words):
            _run_game_line(runner, number, line, words)


def _run_setup_line(runner: Runner[P], words: list[str]) -> bool:
    """Execute a line that defines how the game starts. Return False if the line is of another kind."""
    match words:
        case ["game", name]:
            if name != runner.rules.game:
                raise ValueError(f"this script is for {runner.rules.game}")
        case ["secret", number]:
            runner.set_secret(number)
        case ["option", name, value]:
            runner.set_option(name, value)
        case ["scenario", name]:
            runner.set_scenario(name)
        case ["position", name]:
            runner.set_position(runner.read_position(name))
        case ["data", name]:
            runner.set_data(name)
        case ["setup", *rest_words] if rest_words:
            runner.apply_setup(rest_words)
        case _:
            return False
    return True


def _run_game_line(runner: Runner[P], number: int, line: str, words: list[str]) -> None:
    """Execute a line that acts on the running game."""
    match words:
        case ["dice", *faces] if faces:
            runner.dice.queue(_parse_die_line(number, faces))
        case ["draws", *names]:
            runner.queue_draws(names)
        case ["begin"]:
            runner.begin()
        case ["default", default_name]:
            runner.give_default(runner.named_role(default_name))
        case ["until", rule, *details]:
            _run_until(runner, rule, details)
        case ["refuse", *_]:
            _run_refuse(runner, line)
        case ["expect", _, *_]:
            runner.expect(words[1:])
        case _:
            raise NotationError(line, f"this is not a script line{_keyword_hint(runner, words[0])}")


def _keyword_hint(runner: Runner[P], keyword: str) -> str:
    """Return a hint about the kind of line that the first word may have been meant to begin."""
    forms = [form for form, _ in COMMON_FORMS if form.split()[0] == keyword and keyword != "expect"]
    if forms:
        return f"; write '{forms[0]}'"
    if keyword.endswith(":"):
        roles = ", ".join(runner.rules.roles(runner.rules.initial_state()))
        return f"; roles are {roles}"
    return suggestion(keyword, _KEYWORDS) or f"; lines begin with ROLE: or {', '.join(_KEYWORDS)}"


def _leading_die_lines(lines: Iterable[tuple[int, str]]) -> Iterator[DieLine]:
    """Yield the die lines that precede any other line."""
    for number, line in lines:
        keyword, *faces = line.split()
        if keyword.lower() != _DICE or not faces:
            return
        yield _parse_die_line(number, faces)


def _parse_die_line(number: int, words: Sequence[str]) -> DieLine:
    is_free = words[-1].lower() == _ANY
    faces = words[:-1] if is_free else words
    return DieLine(number, tuple(map(_parse_face, faces)), is_free)


def _parse_face(word: str) -> int:
    if not is_whole_number(word) or not 0 <= int(word) <= _MAX_FACE:
        raise ValueError(
            f"'{word}' is not a face of a die; faces are 0 to 10, and 'any' at the end"
        )
    return int(word)


def _run_until(runner: Runner[P], rule: str, later_lines: list[str]) -> None:
    """Parse and run ``until RULE [ROLE] [within LIMIT]``."""
    limit = later_lines[-1] if later_lines[-2:-1] == ["within"] else ""
    roles = later_lines[:-2] if limit else later_lines
    if len(roles) > 1:
        raise ValueError("write 'until RULE [ROLE] [within LIMIT]'")
    runner.advance_until(rule, runner.named_role(roles[0]) if roles else None, limit)


def _run_refuse(runner: Runner[P], line: str) -> None:
    """Parse and run ``refuse ROLE: COMMAND by [any] RULE [RULE ...]``."""
    order, separator, rules = line.partition(" ")[2].rpartition(" by ")
    role_text, colon, command = order.partition(":")
    role = runner.role(role_text.strip())
    if not separator or not colon or not rules.split() or role is None or not command.strip():
        raise ValueError("write 'refuse ROLE: COMMAND by RULE'")
    first_rule, *other_rules = rules.split()
    if first_rule == "any" and other_rules:
        runner.expect_refusal(role, command.strip(), other_rules, quantifier=any)
    else:
        runner.expect_refusal(role, command.strip(), [first_rule, *other_rules])
