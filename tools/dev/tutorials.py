"""Writes the tutorial record of every game from its script, whose remarks are the comments.

Run ``python -m tools.dev.tutorials`` after a change of a script, a rule or an event; a test compares. With
``--search`` the number of the script's ``secret`` line is looked for anew: the first one by which every line holds.
"""

import re
from pathlib import Path
from typing import Any, Final

import click

from engine import registry
from engine.kernel.ids import Role
from engine.scripts.runner import Runner
from engine.scripts.script import ScriptError, run_by
from saves.entries import events_of
from saves.headers import Seat
from saves.logfile import log_bytes
from saves.match import Match
from tools.parameters import Command

_SECRET: Final = re.compile(r"^secret \d+$", re.MULTILINE)
_MOST: Final = 2_000
"""Secrets that are tried."""


class Recorder(Runner[Any]):
    """Runs a script as a match, so that its commands and remarks become records."""

    match: Match[Any] | None = None

    def opening(self, position: Any) -> tuple[Any, ...]:  # noqa: ANN401 - every game has its own
        """Open the record."""
        roles = self.rules.roles_at(position)
        seats = [Seat(role=role, player="teacher", seat_id="") for role in roles]
        options = self.options if self.scenario else {}
        self.match = Match[Any].create(
            self.rules, position, self.scenario, options, seats, self.dice.secret
        )
        return events_of(self.rules, self.match.records[0])

    def decided(self, role: Role, command: Any) -> tuple[Any, ...]:  # noqa: ANN401 - see above
        """Record a command with what follows from it."""
        assert self.match is not None, "a command comes after the opening"
        return events_of(self.rules, self.match.submit(role, command, self.match.seq))

    def remark(self, text: str) -> None:
        """Record a comment."""
        super().remark(text)
        assert self.match is not None, "a remark opens the game"
        self.match.remark(text)

    def refuse(self, *_: object, **__: object) -> None:
        """Take no such line: what a script tries behind a window would be recorded."""
        raise ValueError("a tutorial has no 'refuse' lines")


def source(game: str) -> Path:
    """Return the script of a game's tutorial."""
    return registry.tutorial(game).with_suffix(".script")


def record_of(game: str, text: str) -> bytes:
    """Return the record file that a script makes.

    Raises:
        ScriptFailure: The first line that does not hold.
        ScriptError: The first line that cannot be read.
    """
    recorder = Recorder(registry.ruleset(game), registry.script_words(game), None)
    run_by(recorder, text, source(game).name)
    match = recorder.match
    if match is None:
        raise ScriptError(source(game).name, "", "nothing happens")
    return log_bytes(match.header, match.records)


def with_secret(game: str, text: str) -> str:
    """Return a script with the first secret by which all its lines hold.

    Raises:
        ScriptError: None of those tried is one; what is wrong with each is told.
    """
    for number in range(_MOST):
        tried = _SECRET.sub(f"secret {number}", text, count=1)
        try:
            record_of(game, tried)
        except ScriptError as error:
            click.echo(f"{number}: {error}", err=True)
            continue
        return tried
    raise ScriptError(source(game).name, "secret", f"none of the first {_MOST} is right")


@click.command(cls=Command)
@click.argument("games", nargs=-1)
@click.option("--search", is_flag=True, help="Find the script another secret first.")
def main(games: tuple[str, ...], *, search: bool) -> None:
    """Write the tutorial records of GAMES, or of all."""
    for game in games or registry.games():
        text = source(game).read_text(encoding="utf-8")
        if search:
            text = with_secret(game, text)
            source(game).write_text(text, encoding="utf-8")
        registry.tutorial(game).write_bytes(record_of(game, text))


if __name__ == "__main__":
    main()
