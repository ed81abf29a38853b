"""``flagplot bench``: measure performance on this machine."""

from pathlib import Path

import click

from tools.bench.measure import BenchmarkResult
from tools.bench.suite import BENCHMARKS
from tools.click_commands import CheckedCommand

_EPILOG = """\b
Names: load, verify, cores, matches-in-turn, random-play, greedy-play,
       rules-start, append, latency, crowd, workers, killed-worker, bounds,
       joint, fair-processes, fair7, mixes, fair-delay, fair-timing,
       spectators, matches, keys, replay, start.
"""


@click.command(cls=CheckedCommand, epilog=_EPILOG)
@click.option("--json", "as_json", is_flag=True, help="Print machine and results as JSON.")
@click.option(
    "--only",
    "names",
    multiple=True,
    metavar="NAME",
    type=click.Choice(tuple(BENCHMARKS)),
    help="Run only this benchmark; repeatable.",
)
@click.option(
    "--against",
    metavar="PATH",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Compare with another checkout of flagplot, in alternating runs.",
)
def bench(names: tuple[str, ...], against: Path | None, *, as_json: bool) -> int:
    """Measure speed, latency, memory and sizes, and compare them with the targets.

    In column p95, 95 of 100 samples are at least as good as the value shown. Run nothing else at the same time.
    """
    from tools.bench import suite

    if against is not None:
        from tools.bench.other_checkout import comparison_table

        click.echo(comparison_table(against, names or tuple(BENCHMARKS)))
        return 0
    results: list[BenchmarkResult] = []
    for name in names or tuple(BENCHMARKS):
        click.echo(f"measuring {name} ...", err=True)
        results.extend(suite.benchmark(name)())
    click.echo(suite.as_json(results) if as_json else suite.table(results))
    if not as_json:
        missed = [measured.name for measured in results if measured.met is False]
        click.echo(f"missed: {', '.join(missed)}" if missed else "all targets met")
    return 0
