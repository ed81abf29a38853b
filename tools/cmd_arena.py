"""``flagplot arena``: many games between bots, and how often each of them wins."""

from collections.abc import Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from engine.registry import games
from tools.headless import series_options
from tools.parameters import Command

if TYPE_CHECKING:
    from tools.arena import Fixture, Played
    from tools.arena_file import ArenaFile, Terms


@click.command(cls=Command)
@click.argument("game", type=click.Choice(games()))
@click.argument("bots", nargs=-1, required=True, metavar="BOT...")
@series_options
@click.option(
    "--games",
    "count",
    default=10,
    show_default=True,
    type=click.IntRange(1),
    help="Games of each scenario with each way to share out the sides.",
)
@click.option(
    "--steps",
    default=0,
    type=click.IntRange(0, 100_000),
    help="How often a bot that looks ahead (strong) plays on before it answers. Default: its own number.",
)
@click.option(
    "--out",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a line per game that has ended; a file that exists is gone on with.",
)
@click.option(
    "--keep",
    metavar="FOLDER",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the records of the games in this folder.",
)
@click.option("--json", "as_json", is_flag=True, help="Print terms and table as JSON.")
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
    """Let bots play GAME against each other and print who wins how often.

    BOT is easy, greedy, strong or random. Each seed is played in every scenario with every way to
    share out the sides, so that each bot has each side equally often with the same deals; in a game
    with teams a bot plays a whole team. Bots that look ahead have a number of steps here, not a time,
    and so the same command plays the same games, however many processes it has.
    With --out it goes on where it was interrupted, also when --games has risen.

    Exit code 1 when a game did not end.
    """
    from engine.bots.registry import bot
    from engine.kernel.dice import DerivedDice
    from engine.registry import ruleset
    from tools.arena import as_text, fixtures, rows
    from tools.arena_file import ArenaFile, Terms
    from tools.headless import chosen_scenarios
    from tools.pairs import pairs

    rules, switches = ruleset(game), pairs(options)
    infos = chosen_scenarios(rules, scenarios, switches)
    for name in bots:
        bot(name, game, DerivedDice(bytes(32), 0))
    plan = list(fixtures(infos, bots, count, seed))
    terms = Terms(
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
        from tools.outputs import check_output_folder

        make_folder(keep)
        check_output_folder(keep)
    with nullcontext() if out is None else ArenaFile(out, terms) as file:
        results = _played(terms, plan, jobs, keep, file)
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


def _played(
    terms: "Terms",
    plan: Sequence["Fixture"],
    jobs: int,
    keep: Path | None,
    file: "ArenaFile | None",
) -> list["Played"]:
    """Play what a file does not hold yet, and return the games in the order of the plan."""
    from saves.workers import as_they_end, processors
    from tools.arena import play
    from tools.progress import Progress

    done = {played.name: played for played in (file.found if file is not None else ())}
    left = [fixture for fixture in plan if fixture.name not in done]
    tasks = [(terms.game, terms.options, fixture, keep, terms.steps) for fixture in left]
    with (
        Progress(len(plan), "playing") as progress,
        closing(as_they_end(jobs or processors(), play, tasks)) as answers,
    ):
        progress.tell(len(plan) - len(left))
        try:
            for played in answers:
                if file is not None:
                    file.add(played)
                done[played.name] = played
                progress.tell(1)
        except KeyboardInterrupt:
            progress.clear()
            on = "; the same command goes on from there" if file is not None else ""
            ended = sum(fixture.name in done for fixture in plan)
            click.echo(f"{ended} of {len(plan)} games have ended{on}", err=True)
            raise
    return [done[fixture.name] for fixture in plan]
