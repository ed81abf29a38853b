"""Compares this checkout's benchmarks with those of another checkout, in alternating runs."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Final

import click
import msgspec

from engine.kernel.errors import FlagplotError
from tools.bench.measure import BenchmarkResult
from tools.bench.processes import ROOT, environment
from tools.bench.suite import columns, number

ROUNDS: Final = 3
_RUN: Final = (
    "import sys\nfrom tools.cli import main\nmain(['bench', '--json', '--only', sys.argv[1]])\n"
)
HEADINGS: Final = ("what", "before", "after", "unit", "times as good")


class OtherCheckoutError(FlagplotError):
    """The benchmarks of the other checkout cannot be run."""


class _Report(msgspec.Struct):
    results: tuple[BenchmarkResult, ...]


def rows(root: Path, name: str) -> tuple[BenchmarkResult, ...]:
    """Run one of a checkout's benchmarks in its own process. Return the rows; empty if there is no such benchmark.

    Raises:
        OtherCheckoutError: The folder is not a checkout, or its benchmark failed.
    """
    if not (root / "tools" / "bench").is_dir():
        raise OtherCheckoutError(f"there is no checkout of flagplot in {root}")
    process = subprocess.run(
        [sys.executable, "-c", _RUN, name],
        cwd=root,
        env={**environment(), "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode == click.UsageError.exit_code:
        return ()
    if process.returncode:
        last_line = (process.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise OtherCheckoutError(f"'{name}' fails in {root}: {last_line}")
    return msgspec.json.decode(process.stdout, type=_Report).results


def comparison_table(other: Path, names: Sequence[str], rounds: int = ROUNDS) -> str:
    """Return a table with both checkouts' medians over all rounds, and their ratio."""
    medians_by_row: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    for name in names:
        for _ in range(rounds):
            for side, root in enumerate((other.resolve(), ROOT)):
                for row in rows(root, name):
                    medians_by_row.setdefault((row.name, row.unit), ([], []))[side].append(
                        row.median
                    )
    return columns(
        [HEADINGS, *(_row(*key, *sides) for key, sides in medians_by_row.items() if all(sides))]
    )


def _row(name: str, unit: str, before: Sequence[float], after: Sequence[float]) -> tuple[str, ...]:
    old, new = median(before), median(after)
    more_is_better = unit.endswith("/s") or unit == "matches"
    ratio = (new / old if more_is_better else old / new) if old and new else 1.0
    return name, number(old), number(new), unit, f"{ratio:.2f}"
