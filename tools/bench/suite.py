"""Lists all benchmarks, and formats their results."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Final

import msgspec

from tools.bench.measure import BenchmarkResult
from tools.bench.processes import machine

Benchmark = Callable[[], Iterator[BenchmarkResult]]

BENCHMARKS: Final[Mapping[str, str]] = {
    "load": "tools.bench.rules:load",
    "verify": "tools.bench.rules:verify",
    "cores": "tools.bench.cores:cores",
    "matches-in-turn": "tools.bench.cores:matches_in_turn",
    "random-play": "tools.bench.rules:random_play",
    "greedy-play": "tools.bench.rules:greedy_play",
    "rules-start": "tools.bench.rules:start_rules",
    "append": "tools.bench.hosting:append",
    "latency": "tools.bench.hosting:latency",
    "crowd": "tools.bench.hosting:crowd",
    "workers": "tools.bench.load:workers",
    "killed-worker": "tools.bench.killed_worker:killed_worker",
    "bounds": "tools.bench.time_limits:bounds",
    "joint": "tools.bench.joint:joint",
    "fair-processes": "tools.bench.seat_processes:fair_processes",
    "fair7": "tools.bench.fair7:fair7",
    "mixes": "tools.bench.mixes:mixes",
    "fair-delay": "tools.bench.fair_delay:fair_delay",
    "fair-timing": "tools.bench.fair_timing:fair_timing",
    "spectators": "tools.bench.hosting:spectators",
    "matches": "tools.bench.hosting:matches",
    "keys": "tools.bench.screens:keys",
    "replay": "tools.bench.screens:replay",
    "start": "tools.bench.screens:start",
}
"""The ``module:function`` of each benchmark, by name. A module is imported only when one of its benchmarks runs."""


def benchmark(name: str) -> Benchmark:
    """Return a benchmark by name."""
    module, _, function = BENCHMARKS[name].partition(":")
    benchmark_function: Benchmark = getattr(import_module(module), function)
    return benchmark_function


def number(value: float) -> str:
    """Format a number with three significant digits, never in scientific notation."""
    if value >= 100:  # noqa: PLR2004  # three digits before the decimal point
        return f"{value:,.0f}"
    if value >= 10:  # noqa: PLR2004  # two digits before the decimal point
        return f"{value:.1f}"
    return f"{value:.3f}" if value < 1 else f"{value:.2f}"


def row(result: BenchmarkResult) -> tuple[str, ...]:
    """Return the cells of a table row."""
    goal = result.goal
    cells = (
        result.name,
        number(result.median),
        number(result.p95),
        number(result.p99),
        result.unit,
        str(result.samples),
    )
    if goal is None:
        return (*cells, "", "", "")
    percentile_text = "" if goal.at == 50 else f" p{goal.at}"  # noqa: PLR2004  # the median has no label
    comparison = ">=" if goal.more_is_better else "<="
    return (
        *cells,
        f"{comparison} {number(goal.first)}{percentile_text}",
        f"{comparison} {number(goal.aim)}",
        "yes" if result.met else "NO",
    )


HEADINGS: Final = ("what", "median", "p95", "p99", "unit", "n", "target", "aim", "met")


def table(measures: Sequence[BenchmarkResult]) -> str:
    """Return the results as a plain table."""
    return columns([HEADINGS, *map(row, measures)])


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Format rows of cells as a table with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in rows
    )


def as_json(measures: Sequence[BenchmarkResult]) -> str:
    """Return the machine and the results as one JSON document."""
    document = {"machine": machine(), "results": measures}
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()
