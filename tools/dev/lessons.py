"""Rehearses the guided lessons: plays a lesson's script as a match and shows the commands in it.

Run ``python -m tools.dev.lessons`` after you change a lesson, a rule or an event. ``--search`` finds a new number for
the ``secret`` line. ``--trace`` prints every command in full, in the form used in lessons.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

import click
from typing_extensions import override

from engine import registry
from engine.kernel.ids import Role
from engine.scripts.script import ScriptError, run_with
from play.lesson import strip_lesson_lines
from tools.click_commands import CheckedCommand
from tools.dev.tutorials import Recorder

_SECRET: Final = re.compile(r"^secret \d+$", re.MULTILINE)
_MAX_SECRETS: Final = 20_000
"""Maximum number of secrets to try."""


class Rehearsal(Recorder):
    """Plays a lesson as a match. Remarks are not recorded."""

    def __init__(self, game: str) -> None:
        """Prepare a game's lesson."""
        super().__init__(registry.ruleset(game), registry.script_words(game), None)
        self.given: list[tuple[Role, Any]] = []
        """Every command in order, including automatic passes."""

    @override
    def decide(self, role: Role, command: Any) -> tuple[Any, ...]:
        events = super().decide(role, command)
        self.given.append((role, command))
        return events

    @override
    def remark(self, text: str) -> None:
        """Count a remark. The first remark also opens the game."""
        del text
        self.begin()
        self.remarks += 1


def rehearse(game: str, text: str) -> Rehearsal:
    """Play a lesson to its end, and return the rehearsal.

    Raises:
        ScriptFailure: An expectation fails. The first failure is reported.
        ScriptError: A line is invalid. The first invalid line is reported.
    """
    rehearsal = Rehearsal(game)
    run_with(rehearsal, strip_lesson_lines(text), registry.lesson(game).name)
    return rehearsal


def command_lines(rehearsal: Rehearsal) -> Iterator[str]:
    """Yield a rehearsal's commands as script lines."""
    line = rehearsal.rules.notation.line
    yield from (f"{role}: {line(command)}" for role, command in rehearsal.given)


def with_secret(game: str, text: str) -> str:
    """Return the lesson with the first secret for which all of its lines hold.

    Raises:
        ScriptError: No secret within the limit works.
    """
    last_error = ""
    for number in range(_MAX_SECRETS):
        candidate = _SECRET.sub(f"secret {number}", text, count=1)
        try:
            rehearse(game, candidate)
        except ScriptError as error:
            if str(error) != last_error:
                last_error = str(error)
                click.echo(f"{number}: {error}", err=True)
            continue
        return candidate
    raise ScriptError(game, "secret", f"none of the first {_MAX_SECRETS} secrets works")


@click.command(cls=CheckedCommand)
@click.argument("games", nargs=-1)
@click.option("--search", is_flag=True, help="Find a new secret for the lesson first.")
@click.option("--trace", is_flag=True, help="Print the commands in full.")
def main(games: tuple[str, ...], *, search: bool, trace: bool) -> None:
    """Rehearse the lessons of GAMES, by default of all games."""
    for game in games or registry.games():
        path = registry.lesson(game)
        text = path.read_text(encoding="utf-8")
        if search:
            text = with_secret(game, text)
            path.write_text(text, encoding="utf-8")
        rehearsal = rehearse(game, text)
        click.echo(f"{game}: {len(rehearsal.given)} commands, {rehearsal.expectations} checks")
        for line in command_lines(rehearsal) if trace else ():
            click.echo(f"  {line}")


if __name__ == "__main__":
    main()
