"""``flagplot fuzz``: play random legal games, check invariants, and print how to reproduce each finding."""

import sys
from collections.abc import Mapping
from contextlib import closing

import click
import msgspec

from engine.registry import games, ruleset
from saves.workers import as_completed, available_cpu_count
from tools.click_commands import CheckedCommand, SuggestingChoice
from tools.fuzz import FuzzResult, draw_settings, play
from tools.game_series import chosen_scenarios, series_options
from tools.name_value import parse_pairs


def _play(game: str, scenario: str, seed: int, options: Mapping[str, str]) -> FuzzResult:
    """Play one game in a worker process."""
    return play(ruleset(game), scenario, seed, options)


def _line(played: FuzzResult) -> str:
    result_text = played.result
    if played.finding is not None:
        finding = played.finding
        result_text = (
            f"FINDING after {finding.line}: {finding.problem}\n  reproduce: {finding.command_line}"
        )
    options_text = f" (options: {len(played.options)})" if played.options else ""
    return (
        f"{played.scenario} seed {played.seed}{options_text}: {played.commands} commands in"
        f" {played.seconds:.1f} s, {result_text}"
    )


def _summary(results: list[FuzzResult]) -> str:
    commands = sum(played.commands for played in results)
    seconds = sum(played.seconds for played in results)
    finding_count = sum(played.finding is not None for played in results)
    scenarios = {played.scenario for played in results}
    switches = {frozenset(played.options.items()) for played in results}
    return (
        f"{len(results)} games, {commands} commands, {commands / seconds if seconds else 0.0:.0f} commands/s,"
        f" {finding_count} findings; {len(scenarios)} scenarios, {len(switches)} option sets"
    )


@click.command(cls=CheckedCommand)
@click.argument("game", type=SuggestingChoice(games()))
@series_options
@click.option(
    "--games",
    "count",
    default=10,
    show_default=True,
    type=click.IntRange(1),
    help="Number of games.",
)
@click.option(
    "--any-options",
    is_flag=True,
    help="Draw scenario and switches at random for each seed; --option fixes a switch.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per game.")
def fuzz(
    game: str,
    scenarios: tuple[str, ...],
    options: tuple[str, ...],
    seed: int,
    jobs: int,
    count: int,
    *,
    any_options: bool,
    as_json: bool,
) -> int:
    """Play random legal games of GAME and check the invariants.

    The scenarios are played in turn, or chosen at random with --any-options. Exits with 1 if anything was found. The
    line after each finding is the command that replays its game.
    """
    rules, fixed = ruleset(game), parse_pairs(options)
    names = [info.id for info in chosen_scenarios(rules, scenarios, fixed)]
    tasks = []
    for number in range(count):
        name, switches = names[number % len(names)], dict[str, str]()
        if any_options:
            name, switches = draw_settings(rules, names, seed + number)
        tasks.append((game, name, seed + number, {**switches, **fixed}))
    results: list[FuzzResult] = []
    with closing(as_completed(jobs or available_cpu_count(), _play, tasks)) as answers:
        for played in answers:
            results.append(played)
            click.echo(msgspec.json.encode(played).decode() if as_json else _line(played))
            sys.stdout.flush()  # games take a long time, so print each result at once
    click.echo(_summary(results), err=True)
    return 1 if any(played.finding is not None for played in results) else 0
