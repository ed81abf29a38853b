"""Prints the fair-play costs in ``docs/benchmarks.md`` as a table with the target, protocol 7 and protocol 6.

``python -m tools.bench.fair_costs`` measures this checkout. ``--protocol6 CHECKOUT`` also measures, on the same
machine, a checkout of the last version that supports protocol 6. Run nothing else at the same time.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import click

from engine.kernel.errors import FlagplotError
from tools.bench.fair7 import CODE6_LINES
from tools.bench.measure import BenchmarkResult
from tools.bench.other_checkout import rows
from tools.bench.processes import ROOT
from tools.bench.suite import number
from tools.click_commands import CheckedCommand

OURS: Final = ("mixes", "fair7", "joint", "fair-processes")
"""Benchmarks whose results the table contains."""
HEADINGS: Final = ("cost", "target", "protocol 7", "protocol 6")


class Cost(NamedTuple):
    """A table row. It refers to benchmark rows by name."""

    subject: str
    target: str
    ours: tuple[str, ...]
    theirs: tuple[str, ...] = ()


def _for_two_and_six(name: str) -> tuple[str, ...]:
    return tuple(f"{name}-{seats}" for seats in ("two", "six"))


def _mix_cost(count: int, subject: str, target: str) -> Cost:
    parts = ("prove", "check", "bytes")
    protocol7_names, protocol6_names = (
        tuple(f"{kind}-{count}-{part}" for part in parts) for kind in ("mix", "shuffle6")
    )
    return Cost(
        f"{subject}, {count} cards: prove, check, bytes", target, protocol7_names, protocol6_names
    )


COSTS: Final = (
    Cost(
        "assumed for the targets: base point multiplied, points added, point and signature checked",
        "13, 12, 31, 63 us",
        tuple(f"operation-{name}" for name in ("base", "add", "point", "signature")),
    ),
    Cost("one write synced to disk", "", ("disk-sync",)),
    _mix_cost(84, "deck mix", "62 ms, 56 ms, 41 kB"),
    _mix_cost(63, "deck mix", "46 ms, 42 ms, 31 kB"),
    _mix_cost(37, "deck mix", "26 ms, 25 ms, 20 kB"),
    _mix_cost(7, "hand mix", "5.5 ms, 4.8 ms, 4.7 kB"),
    Cost("two seats ready, 170 cards, one process", "0.35 s", ("fair7-begin-two",)),
    Cost(
        "two seats ready over TLS, all in one process",
        "0.35 s",
        ("fair-begin-two",),
        ("fair-begin-two",),
    ),
    Cost("two seats ready, three processes over TLS", "0.35 s", ("begin-fair-processes",)),
    Cost("one of these two seats in its own process", "", ("fair7-begin-two-alone",)),
    Cost("six seats ready, 380 cards, one process", "1.8 s", ("fair7-begin-six",)),
    Cost(
        "six seats ready over TLS, all in one process",
        "1.8 s",
        ("fair-begin-six",),
        ("fair-begin-six",),
    ),
    Cost("one of these six seats in its own process", "0.5 s", ("fair7-begin-six-alone",)),
    Cost(
        "command without chance over TLS, all in one process",
        "10 ms",
        ("decided-fair",),
        ("decided-fair",),
    ),
    Cost(
        "command with dice over TLS, all in one process", "50 ms", ("given-fair",), ("given-fair",)
    ),
    Cost(
        "command that moves cards over TLS, all in one process",
        "50 ms",
        ("dealt-fair",),
        ("dealt-fair",),
    ),
    *(
        Cost(f"{what}, three processes over TLS", target, (name,))
        for what, target, name in (
            ("command without chance", "10 ms", "decided-fair-processes"),
            ("command with dice", "50 ms", "given-fair-processes"),
            ("command that moves cards", "50 ms", "dealt-fair-processes"),
        )
    ),
    Cost("command without chance, two and six seats", "10 ms", _for_two_and_six("fair7-command")),
    Cost("command with dice, two and six seats", "50 ms", _for_two_and_six("fair7-throw")),
    Cost("command with a mix, two and six seats", "50 ms", _for_two_and_six("fair7-draw")),
    Cost(
        "round trips of the opening, two and six seats", "4", _for_two_and_six("fair7-trips-begin")
    ),
    Cost("round trips of a command without chance", "1", _for_two_and_six("fair7-trips-command")),
    Cost("round trips with dice", "2", _for_two_and_six("fair7-trips-throw")),
    Cost(
        "round trips with a reshuffle before the dice",
        "3",
        _for_two_and_six("fair7-trips-reshuffle"),
    ),
    Cost(
        "record without cards, two and six seats",
        "1.2, 2.2 kB",
        _for_two_and_six("fair7-bytes-command"),
    ),
    Cost("record with a mix, two and six seats", "6 kB", _for_two_and_six("fair7-bytes-draw")),
    Cost("average record, two and six seats", "2.5 kB", _for_two_and_six("fair7-bytes")),
    *(
        Cost(what, "", (name,), (name,))
        for name, what in (
            ("bytes-fair", "record of a command of 1943"),
            ("joint-begin-two", "mode joint: two seats ready over TLS"),
            ("joint-begin-six", "mode joint: six seats ready over TLS"),
            ("given-joint", "mode joint: command with dice over TLS"),
            ("given-signed", "mode joint: other commands over TLS"),
            ("bytes-joint", "mode joint: record of a command of 1943"),
            ("given-host-chance", "trusted host: command with dice over TLS"),
            ("given-unsigned", "trusted host: other commands over TLS"),
        )
    ),
)
"""The table rows, in the order of the protocol 7 specification."""


def table(ours: Mapping[str, BenchmarkResult], theirs: Mapping[str, BenchmarkResult]) -> str:
    """Return the table in Markdown.

    Args:
        ours: This checkout's benchmark rows by name.
        theirs: Benchmark rows of the protocol 6 checkout; empty if there is no such checkout.
    """
    protocol6_rows = {name: row for name, row in ours.items() if name.startswith("shuffle6")}
    protocol6_rows.update(theirs)
    cells = [
        (cost.subject, cost.target, _cell(cost.ours, ours), _cell(cost.theirs, protocol6_rows))
        for cost in COSTS
    ]
    lines = number(ours["fair7-lines"].median)
    cells.append(("lines of code", "fewer than before", lines, f"{CODE6_LINES:,}"))
    header = (HEADINGS, tuple("---" for _ in HEADINGS))
    return "\n".join(f"| {' | '.join(row)} |".replace("|  |", "| |") for row in (*header, *cells))


def _cell(names: tuple[str, ...], results: Mapping[str, BenchmarkResult]) -> str:
    """Return the medians of the given benchmark rows; empty if none of them was measured."""
    measured = [results[name] for name in names if name in results]
    return ", ".join(_value(result.median, result.unit) for result in measured)


def _value(value: float, unit: str) -> str:
    return f"{value:g}" if unit == "trips" else f"{number(value)} {unit}"


@click.command(cls=CheckedCommand)
@click.option(
    "--protocol6",
    metavar="CHECKOUT",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Checkout of the last version that plays protocol 6.",
)
def main(protocol6: Path | None) -> None:
    """Measure the costs of fair play, and print them as one table in Markdown."""
    try:
        ours = [row for name in OURS for row in rows(ROOT, name)]
        theirs = rows(protocol6.resolve(), "joint") if protocol6 is not None else ()
    except FlagplotError as error:
        raise click.ClickException(str(error)) from error
    click.echo(table({row.name: row for row in ours}, {row.name: row for row in theirs}))


if __name__ == "__main__":
    main()
