"""Compares random play and replay in a "Rally the Troops" module with our games, in alternating runs.

``python -m tools.bench.baseline.compare CHECKOUT GAME`` prints the rates and their ratios. The checkout contains the
server, with the module in ``public/GAME``. Node.js runs the server.
"""

import shutil
import subprocess
from pathlib import Path
from statistics import median
from typing import Final

import click
import msgspec

from engine.kernel.errors import FlagplotError
from tools.bench.other_checkout import rows
from tools.bench.processes import ROOT
from tools.bench.suite import columns, number
from tools.click_commands import CheckedCommand

SCRIPT: Final = Path(__file__).with_name("play.js")
ROWS: Final = {
    "cores": "replay",
    "verify": "replay",
    "random-play": "random_play",
}
"""For each of our benchmarks, the other engine's measurement. Its replay does not verify or hash anything."""


class BaselineError(FlagplotError):
    """The other engine cannot be run."""


class Rates(msgspec.Struct, frozen=True):
    """The other engine's speed, in actions per second."""

    actions: int
    """Number of actions played."""
    random_play: float
    replay: float


def measure_checkout(checkout: Path, game: str, games: int) -> Rates:
    """Measure how fast a module plays random games, including their views, and replays them.

    Raises:
        BaselineError: Node.js or the module is missing, or the module failed.
    """
    node = shutil.which("node")
    if node is None:
        raise BaselineError("the comparison needs Node.js: there is no program 'node'")
    if not (checkout / "public" / game / "rules.js").is_file():
        raise BaselineError(f"there is no module public/{game}/rules.js in {checkout}")
    command = [node, str(SCRIPT), str(checkout), game, str(games)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode:
        last_line = (process.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise BaselineError(f"the module '{game}' cannot be run: {last_line}")
    return msgspec.json.decode(process.stdout.strip().splitlines()[-1], type=Rates)


def table(checkout: Path, game: str, games: int, rounds: int) -> str:
    """Measure both engines in alternating runs. Return a table of our rates, their rates, and the median ratios."""
    rates_by_row: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    for _ in range(rounds):
        for name, other in ROWS.items():
            rate = getattr(measure_checkout(checkout, game, games), other)
            for row in rows(ROOT, name):
                if row.unit in {"commands/s", "records/s"}:
                    engine_rates, module_rates = rates_by_row.setdefault(
                        (row.name, other), ([], [])
                    )
                    engine_rates.append(row.median)
                    module_rates.append(rate)
    lines = [("ours", "per second", f"{game}", "actions/s", "ratio")]
    for (name, other), (our_rates, their_rates) in rates_by_row.items():
        cells = number(median(our_rates)), other.replace("_", "-"), number(median(their_rates))
        lines.append((name, *cells, f"{median(our_rates) / median(their_rates):.2f}"))
    return columns(lines)


@click.command(cls=CheckedCommand)
@click.argument("checkout", type=click.Path(path_type=Path))
@click.argument("game")
@click.option(
    "--games", default=40, show_default=True, help="Number of random games of the module."
)
@click.option("--rounds", default=3, show_default=True, help="Number of measuring rounds.")
def main(checkout: Path, game: str, games: int, rounds: int) -> None:
    """Compare the module GAME in CHECKOUT with our games, in alternating runs."""
    try:
        click.echo(table(checkout, game, games, rounds))
    except FlagplotError as error:
        raise click.ClickException(str(error)) from error


if __name__ == "__main__":
    main()
