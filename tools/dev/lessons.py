"""Rehearses the guided lessons: plays a lesson's script as a match and tells which commands it really takes.

Run ``python -m tools.dev.lessons`` after a change of a lesson, a rule or an event. With ``--search`` the number of the
``secret`` line is looked for anew; ``--trace`` prints every command in full, as the lesson must have it.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

import click

from engine import registry
from engine.kernel.ids import Role
from engine.scripts.script import ScriptError, run_by
from play.lesson import script_of
from tools.dev.tutorials import Recorder
from tools.parameters import Command

_SECRET: Final = re.compile(r"^secret \d+$", re.MULTILINE)
_MOST: Final = 20_000
"""Secrets that are tried."""


class Rehearsal(Recorder):
    """Runs a lesson as a match; what it tells is no record."""

    def __init__(self, game: str) -> None:
        """Rehearse a lesson of a game."""
        super().__init__(registry.ruleset(game), registry.script_words(game), None)
        self.given: list[tuple[Role, Any]] = []
        """Every command, those that were passed for another one as well."""

    def decided(self, role: Role, command: Any) -> tuple[Any, ...]:  # noqa: ANN401  (commands of any game)
        """Record a command with what follows from it."""
        events = super().decided(role, command)
        self.given.append((role, command))
        return events

    def remark(self, text: str) -> None:
        """Begin at the first remark, and record none."""
        del text
        self.begin()
        self.remarks += 1


def rehearsed(game: str, text: str) -> Rehearsal:
    """Return a lesson that was played to its end.

    Raises:
        ScriptFailure: The first line that does not hold.
        ScriptError: The first line that cannot be read.
    """
    rehearsal = Rehearsal(game)
    run_by(rehearsal, script_of(text), registry.lesson(game).name)
    return rehearsal


def lines_of(rehearsal: Rehearsal) -> Iterator[str]:
    """Yield the commands of a rehearsal as lines of a script."""
    line = rehearsal.rules.notation.line
    yield from (f"{role}: {line(command)}" for role, command in rehearsal.given)


def with_secret(game: str, text: str) -> str:
    """Return a lesson with the first secret by which all its lines hold.

    Raises:
        ScriptError: None of those tried is one.
    """
    last = ""
    for number in range(_MOST):
        tried = _SECRET.sub(f"secret {number}", text, count=1)
        try:
            rehearsed(game, tried)
        except ScriptError as error:
            if str(error) != last:
                last = str(error)
                click.echo(f"{number}: {error}", err=True)
            continue
        return tried
    raise ScriptError(game, "secret", f"none of the first {_MOST} is right")


@click.command(cls=Command)
@click.argument("games", nargs=-1)
@click.option("--search", is_flag=True, help="Find the lesson another secret first.")
@click.option("--trace", is_flag=True, help="Print the commands in full.")
def main(games: tuple[str, ...], *, search: bool, trace: bool) -> None:
    """Rehearse the lessons of GAMES, or of all."""
    for game in games or registry.games():
        path = registry.lesson(game)
        text = path.read_text(encoding="utf-8")
        if search:
            text = with_secret(game, text)
            path.write_text(text, encoding="utf-8")
        rehearsal = rehearsed(game, text)
        click.echo(f"{game}: {len(rehearsal.given)} commands, {rehearsal.expectations} checks")
        for line in lines_of(rehearsal) if trace else ():
            click.echo(f"  {line}")


if __name__ == "__main__":
    main()
