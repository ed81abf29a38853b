"""One command that runs every check of the project."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import click


class Check(NamedTuple):
    """One check: the name in the summary and the command that runs it."""

    name: str
    command: tuple[str, ...]


class Outcome(NamedTuple):
    """How one check ended."""

    name: str
    exit_code: int
    seconds: float


CHECKS = (
    Check("format", ("ruff", "format", "--check", ".")),
    Check("lint", ("ruff", "check", ".")),
    Check("types", ("mypy", "--strict")),
    Check("imports", ("lint-imports",)),
    Check("tests", ("pytest", "-n", "2", "--cov=engine", "--cov-report=term")),
)


def run(check: Check) -> Outcome:
    """Run one check with its output on the terminal; a missing program counts as 127.

    Programs of the environment that this one runs in come first, also when it is not activated.
    """
    click.secho(f"== {check.name}: {' '.join(check.command)}", bold=True)
    sys.stdout.flush()
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    started = time.monotonic()
    try:
        done = subprocess.run(check.command, check=False, env={**os.environ, "PATH": programs})
        exit_code = done.returncode
    except FileNotFoundError:
        click.echo(f"{check.command[0]} is not installed; run uv sync first.", err=True)
        exit_code = 127
    return Outcome(check.name, exit_code, time.monotonic() - started)


def summary(outcomes: tuple[Outcome, ...]) -> str:
    """Return the closing lines: one per check, then the verdict."""
    lines = [
        f"{outcome.name:<8} {'ok' if outcome.exit_code == 0 else f'FAILED ({outcome.exit_code})'}"
        f"  {outcome.seconds:.1f} s"
        for outcome in outcomes
    ]
    failed = [outcome.name for outcome in outcomes if outcome.exit_code != 0]
    verdict = f"failed: {', '.join(failed)}" if failed else "all checks passed"
    return "\n".join([*lines, verdict])


@click.command()
def main() -> None:
    """Run format, lint, types, import contracts and tests; exit 1 if one of them failed.

    All checks run, also after a failure. Start it in the project folder.
    """
    outcomes = tuple(run(check) for check in CHECKS)
    click.secho("== summary", bold=True)
    click.echo(summary(outcomes))
    sys.exit(any(outcome.exit_code != 0 for outcome in outcomes))
