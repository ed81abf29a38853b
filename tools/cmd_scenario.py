"""``flagplot scenario``: list, show, check and export starting positions."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tools.click_commands import CheckedGroup
from tools.completion import (
    complete_games,
    complete_games_or_scenarios,
    complete_scenarios,
    complete_switches,
)
from tools.custom_data import data_option, load_match_start
from tools.name_value import parse_pairs
from tools.record_path import RecordPath

if TYPE_CHECKING:
    from engine.registry import AnyRuleset
    from saves.logfile import Log

_MAX_SENTENCE_CELLS = 2000
_DEFAULT_GAME = "eots"


@click.group(cls=CheckedGroup)
def scenario() -> None:
    """List the scenarios, and read and write positions as scenario files (docs/scenario-format.md)."""


@scenario.command("list")
@click.argument("game", default=_DEFAULT_GAME, shell_complete=complete_games)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_scenarios(game: str, *, as_json: bool) -> None:
    """List the scenarios of GAME."""
    import msgspec

    from engine.registry import ruleset

    infos = ruleset(game).scenarios()
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(infos), indent=2).decode())
        return
    width = max(len(info.id) for info in infos)
    for info in infos:
        click.echo(f"{info.id:<{width}}  {info.name} ({info.rule}): {info.summary}")


@scenario.command("show")
@click.argument(
    "game",
    default="",
    metavar="[GAME]",
    type=click.Path(path_type=str),
    shell_complete=complete_games_or_scenarios,
)
@click.argument(
    "name",
    default="",
    metavar="SCENARIO|FILE",
    type=click.Path(path_type=str),
    shell_complete=complete_scenarios,
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a rule switch.",
    shell_complete=complete_switches,
)
@data_option
def show_scenario(game: str, name: str, options: tuple[str, ...], data: Path | None) -> None:
    """Print the starting position of a SCENARIO of GAME, or of a scenario FILE, as JSON.

    GAME is cbps, eots or qmg. Without GAME, the SCENARIO is one of eots.
    The output is a scenario file. Edit it, then play it with `flagplot play --position FILE`.
    """
    from engine.registry import games, ruleset
    from tools.scenario_files import as_json, load_position

    if not name:
        if not game or game in games():
            example = f"flagplot scenario list {game or _DEFAULT_GAME}"
            raise click.UsageError(f"Name a scenario; '{example}' lists them.")
        game, name = _DEFAULT_GAME, game
    rules = ruleset(game)
    path = Path(name)
    own_position = None
    if name not in {info.id for info in rules.scenarios()} and path.exists():
        loaded = load_position(path)
        rules, own_position = loaded.rules, loaded.position
    match_start, _ = load_match_start(data, rules, name, parse_pairs(options), own_position)
    click.echo(as_json(match_start.position), nl=False)


_EPILOG = """\b
Exit codes:
    0  all files are valid
    3  a file is invalid; the errors are on stderr
"""


@scenario.command("check", epilog=_EPILOG)
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE..."
)
def check_scenarios(files: tuple[Path, ...]) -> int:
    """Check whether a game can start from each FILE."""
    from engine.kernel.dice import DerivedDice
    from engine.kernel.errors import FlagplotError
    from netplay.wire.sanitising import sanitise
    from tools.scenario_files import load_position

    exit_code = 0
    for path in files:
        try:
            loaded = load_position(path)
        except FlagplotError as error:
            click.echo(f"BAD {sanitise(str(error), _MAX_SENTENCE_CELLS)}", err=True)
            exit_code = max(exit_code, error.exit_code)
            continue
        rules: AnyRuleset = loaded.rules
        events = rules.open_game(loaded.position, DerivedDice(bytes(32), 0))
        state = rules.fold(rules.initial_state(), events)
        active_roles = ", ".join(rules.active_roles(state)) or "none"
        click.echo(f"OK {path}: {rules.heading(state)}; to decide: {active_roles}")
    return exit_code


@scenario.command("export")
@click.argument("save", type=RecordPath())
@click.option(
    "--at",
    "seq",
    metavar="SEQ",
    type=click.IntRange(0),
    help="Export the position after this record. Default: the last.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Output file. Default: stdout.",
)
def export(save: Path, seq: int | None, output: Path | None) -> None:
    """Write a position from a record to a scenario file, from which you can continue playing.

    A redacted copy cannot be exported, because it does not contain all cards.
    """
    from saves.errors import StorageError
    from saves.logfile import read_log
    from tools.scenario_files import as_json

    log = read_log(save)
    text = as_json(_position(save, log, seq))
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StorageError(f"cannot write {output}: {error.strerror or error}") from error


def _position(save: Path, log: "Log", seq: int | None) -> Any:  # noqa: ANN401  # every game has its own
    """Return the full position after a record."""
    from engine.kernel.errors import DataError
    from saves.errors import MatchError
    from saves.headers import FULL
    from saves.record_views import ruleset_of
    from saves.replay_check import locating_errors
    from saves.timeline import Timeline, attribute_errors

    if log.header.audience != FULL:
        raise DataError(
            str(save), "", "a redacted copy does not contain all cards; export the full record"
        )
    seq_shown = len(log.records) - 1 if seq is None else seq
    if seq_shown >= len(log.records):
        raise MatchError(f"there is no record {seq_shown}; the last one is {len(log.records) - 1}")
    game = ruleset_of(log)
    timeline = Timeline(game)
    with locating_errors(save.name, log.record_offsets):
        timeline.load(log.records[: seq_shown + 1])
        with attribute_errors(seq_shown):
            outcome, position = game.outcome(timeline.state), game.to_position(timeline.state)
    if outcome is not None:
        raise MatchError(
            f"the game is over after record {seq_shown}; choose an earlier one with --at"
        )
    return position
