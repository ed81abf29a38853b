"""``flagplot fuzz``: random legal play with invariants; prints seeds that reproduce."""

import concurrent.futures
import sys

import click
import msgspec

from engine.registry import games, ruleset
from tools.fuzz import Played, play


def _play(game: str, scenario: str, seed: int) -> Played:
    """Play one game in a worker process."""
    return play(ruleset(game), scenario, seed)


def _line(played: Played) -> str:
    end = (
        f"FINDING after {played.finding.line}: {played.finding.problem}"
        if played.finding
        else played.result
    )
    return f"{played.scenario} seed {played.seed}: {played.commands} commands in {played.seconds:.1f} s, {end}"


@click.command()
@click.argument("game", type=click.Choice(games()))
@click.option(
    "--scenario",
    "scenarios",
    multiple=True,
    help="Scenario; may be given several times. Default: all.",
)
@click.option(
    "--games",
    "count",
    default=10,
    show_default=True,
    type=click.IntRange(1),
    help="Number of games.",
)
@click.option(
    "--seed",
    default=1,
    show_default=True,
    type=click.IntRange(0),
    help="First seed; the others follow.",
)
@click.option(
    "--jobs", default=1, show_default=True, type=click.IntRange(1), help="Processes at once."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per game on stdout.")
def fuzz(
    game: str, scenarios: tuple[str, ...], count: int, seed: int, jobs: int, *, as_json: bool
) -> int:
    """Play random legal games of GAME and check what must always hold.

    Exit code 1 when anything was found; the seed and the scenario reproduce it.
    """
    rules = ruleset(game)
    names = scenarios or tuple(info.id for info in rules.scenarios())
    for name in names:
        rules.position(name, {})
    tasks = [(game, names[number % len(names)], seed + number) for number in range(count)]
    results: list[Played] = []

    def report(played: Played) -> None:
        results.append(played)
        text = msgspec.json.encode(played).decode() if as_json else _line(played)
        click.echo(text)
        sys.stdout.flush()

    if jobs == 1:
        for task in tasks:
            report(_play(*task))
    else:
        with concurrent.futures.ProcessPoolExecutor(max_workers=jobs) as pool:
            for future in [pool.submit(_play, *task) for task in tasks]:
                report(future.result())
    found = sum(played.finding is not None for played in results)
    commands = sum(played.commands for played in results)
    seconds = sum(played.seconds for played in results)
    rate = commands / seconds if seconds else 0.0
    click.echo(
        f"{len(results)} games, {commands} commands, {rate:.0f} commands/s, {found} findings",
        err=True,
    )
    return 1 if found else 0
