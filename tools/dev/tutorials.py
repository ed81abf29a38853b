"""Generates every game's tutorial record from its script. Remarks in the script become comments.

Run ``python -m tools.dev.tutorials`` after you change a script, a rule or an event. A test compares the files.
``--search`` finds a new number for the script's ``secret`` line: the first number for which every line holds.
"""

import re
from pathlib import Path
from typing import Any, Final

import click
from typing_extensions import override

from engine import registry
from engine.kernel.ids import Role
from engine.scripts.runner import Runner
from engine.scripts.script import ScriptError, run_with
from saves.entries import visible_events
from saves.headers import Seat
from saves.logfile import log_bytes
from saves.match import Match
from tools.click_commands import CheckedCommand

_SECRET: Final = re.compile(r"^secret \d+$", re.MULTILINE)
_MAX_SECRETS: Final = 2_000
"""Maximum number of secrets to try."""


class Recorder(Runner[Any]):
    """Runs a script as a match, so that commands and remarks become records."""

    match: Match[Any] | None = None

    @override
    def opening_events(self, position: Any) -> tuple[Any, ...]:
        """Open the match and return the events of its first record."""
        roles = self.rules.roles_at(position)
        seats = [Seat(role=role, player="teacher", seat_id="") for role in roles]
        options = self.options if self.scenario else {}
        self.match = Match[Any].create(
            self.rules, position, self.scenario, options, seats, self.dice.secret
        )
        return visible_events(self.rules, self.match.records[0])

    @override
    def decide(self, role: Role, command: Any) -> tuple[Any, ...]:
        assert self.match is not None, "the match must have been opened"
        return visible_events(self.rules, self.match.submit(role, command, self.match.seq))

    @override
    def remark(self, text: str) -> None:
        super().remark(text)
        assert self.match is not None, "the match must have been opened"
        self.match.remark(text)

    @override
    def expect_refusal(self, *_: object, **__: object) -> None:
        """Reject ``refuse`` lines, because commands tried in such lines could end up in the record."""
        raise ValueError("a tutorial cannot contain 'refuse' lines")


def source(game: str) -> Path:
    """Return the script for a game's tutorial."""
    return registry.tutorial(game).with_suffix(".script")


def build_record(game: str, text: str) -> bytes:
    """Run a script, and return the content of the record file.

    Raises:
        ScriptFailure: An expectation fails. The first failure is reported.
        ScriptError: A line is invalid. The first invalid line is reported.
    """
    recorder = Recorder(registry.ruleset(game), registry.script_words(game), None)
    run_with(recorder, text, source(game).name)
    match = recorder.match
    if match is None:
        raise ScriptError(source(game).name, "", "the script gives no commands")
    return log_bytes(match.header, match.records)


def with_secret(game: str, text: str) -> str:
    """Return the script with the first secret for which all of its lines hold.

    Raises:
        ScriptError: No secret within the limit works. The problem with each secret is printed.
    """
    for number in range(_MAX_SECRETS):
        candidate = _SECRET.sub(f"secret {number}", text, count=1)
        try:
            build_record(game, candidate)
        except ScriptError as error:
            click.echo(f"{number}: {error}", err=True)
            continue
        return candidate
    raise ScriptError(
        source(game).name, "secret", f"none of the first {_MAX_SECRETS} secrets works"
    )


@click.command(cls=CheckedCommand)
@click.argument("games", nargs=-1)
@click.option("--search", is_flag=True, help="Find a new secret for the script first.")
def main(games: tuple[str, ...], *, search: bool) -> None:
    """Write the tutorial records of GAMES, by default of all games."""
    for game in games or registry.games():
        text = source(game).read_text(encoding="utf-8")
        if search:
            text = with_secret(game, text)
            source(game).write_text(text, encoding="utf-8")
        registry.tutorial(game).write_bytes(build_record(game, text))


if __name__ == "__main__":
    main()
