"""``flagplot arena``: play many games between bots, and print how often each bot wins."""

from collections.abc import Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from engine.registry import games
from tools.click_commands import CheckedCommand, SuggestingChoice
from tools.completion import complete_bots
from tools.game_series import series_options

if TYPE_CHECKING:
    from tools.arena import ArenaResult, Fixture
    from tools.arena_file import ArenaFile, ArenaSettings


@click.command(cls=CheckedCommand)
@click.argument("game", type=SuggestingChoice(games()))
@click.argument("bots", nargs=-1, required=True, metavar="BOT...", shell_complete=complete_bots)
@series_options
@click.option(
    "--games",
    "count",
    default=10,
    show_default=True,
    type=click.IntRange(1),
    help="Games per scenario and assignment of bots to sides.",
)
@click.option(
    "--steps",
    default=0,
    type=click.IntRange(0, 100_000),
    help="Search steps per answer for bots that look ahead (strong). Default: the bot's own limit.",
)
@click.option(
    "--out",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write one line per finished game; an existing file is continued.",
)
@click.option(
    "--keep",
    metavar="FOLDER",
    type=click.Path(path_type=Path, file_okay=False),
    help="Save the records of the games in this folder.",
)
@click.option("--json", "as_json", is_flag=True, help="Print settings and table as JSON.")
def arena(  # noqa: PLR0913, PLR0917  # one parameter per option
    game: str,
    bots: tuple[str, ...],
    scenarios: tuple[str, ...],
    options: tuple[str, ...],
    seed: int,
    jobs: int,
    count: int,
    steps: int,
    out: Path | None,
    *,
    keep: Path | None,
    as_json: bool,
) -> int:
    """Play bots against each other in GAME and print their win rates.

    BOT is easy, greedy, strong or random. Each seed is played in every scenario with every assignment of bots to sides,
    so that each bot plays each side equally often with the same deals. In a team game, a bot plays a whole team. Bots
    that look ahead are limited by search steps, not by time, so the same command always plays the same games,
    regardless of the number of processes. With --out, an interrupted run continues where it stopped, even with a larger
    --games.

    Exits with 1 if a game did not finish.
    """
    from engine.bots.registry import create_bot
    from engine.kernel.dice import DerivedDice
    from engine.registry import ruleset
    from tools.arena import as_text, fixtures, rows
    from tools.arena_file import ArenaFile, ArenaSettings
    from tools.game_series import chosen_scenarios
    from tools.name_value import parse_pairs

    rules, switches = ruleset(game), parse_pairs(options)
    infos = chosen_scenarios(rules, scenarios, switches)
    for name in bots:
        create_bot(name, game, DerivedDice(bytes(32), 0))
    plan = list(fixtures(infos, bots, count, seed))
    terms = ArenaSettings(
        game=game,
        edition=rules.edition,
        rules=rules.version,
        data=rules.data_digest,
        options=switches,
        bots=bots,
        scenarios=tuple(info.id for info in infos),
        seed=seed,
        steps=steps,
    )
    if keep is not None:
        from saves.files import make_folder
        from tools.output_checks import check_output_folder

        make_folder(keep)
        check_output_folder(keep)
    with nullcontext() if out is None else ArenaFile(out, terms) as file:
        results = _results(terms, plan, jobs, keep, file)
    table = list(rows(bots, results))
    if as_json:
        document = {**msgspec.to_builtins(terms), "rows": msgspec.to_builtins(table)}
        click.echo(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())
    else:
        click.echo(as_text(table))
    for played in results:
        if played.problem:
            click.echo(f"{played.name}: {played.problem}", err=True)
    return 1 if any(played.problem for played in results) else 0


def _results(
    settings: "ArenaSettings",
    plan: Sequence["Fixture"],
    jobs: int,
    keep: Path | None,
    file: "ArenaFile | None",
) -> list["ArenaResult"]:
    """Play the games that are not in the file yet. Return all results in the order of the plan."""
    from saves.workers import as_completed, available_cpu_count
    from tools.arena import play
    from tools.progress_bar import ProgressBar

    results_by_name = {
        result.name: result for result in (file.stored_results if file is not None else ())
    }
    remaining = [fixture for fixture in plan if fixture.name not in results_by_name]
    tasks = [
        (settings.game, settings.options, fixture, keep, settings.steps) for fixture in remaining
    ]
    with (
        ProgressBar(len(plan), "playing") as progress,
        closing(as_completed(jobs or available_cpu_count(), play, tasks)) as answers,
    ):
        progress.advance(len(plan) - len(remaining))
        try:
            for result in answers:
                if file is not None:
                    file.add(result)
                results_by_name[result.name] = result
                progress.advance(1)
        except KeyboardInterrupt:
            progress.clear()
            hint = "; run the same command again to continue" if file is not None else ""
            finished_count = sum(fixture.name in results_by_name for fixture in plan)
            click.echo(f"{finished_count} of {len(plan)} games finished{hint}", err=True)
            raise
    return [results_by_name[fixture.name] for fixture in plan]
