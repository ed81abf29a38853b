"""One command that runs every check of the project."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Final, NamedTuple

import click

TIME_OVER: Final = 124
"""Exit code of a check whose time was over."""
_LAST_WORDS_SECONDS: Final = 5.0


class Check(NamedTuple):
    """One check: the name in the summary, the command that runs it, and its time."""

    name: str
    command: tuple[str, ...]
    minutes: float = 6


class Outcome(NamedTuple):
    """How one check ended."""

    name: str
    exit_code: int
    seconds: float


_PYTEST = (
    *("pytest", "-n", "2", "--max-worker-restart", "4", "--durations", "25"),
    *("--cov=engine", "--cov-report=term"),
)
CHECKS = (
    Check("format", ("ruff", "format", "--check", ".")),
    Check("lint", ("ruff", "check", ".")),
    Check("types", ("mypy", "--strict")),
    Check("imports", ("lint-imports",)),
    Check("tests", _PYTEST, minutes=45),
)


def run(check: Check) -> Outcome:
    """Run one check with its output on the terminal; a missing program counts as 127.

    Programs of the environment that this one runs in come first, also when it is not activated. A check reads no
    input, and when it ends, or its time does, everything that it has started ends with it.
    """
    click.secho(f"== {check.name}: {' '.join(check.command)}", bold=True)
    sys.stdout.flush()
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    started = time.monotonic()
    try:
        process = subprocess.Popen(
            check.command,
            env={**os.environ, "PATH": programs},
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # the whole group can be ended, and no terminal can stop it
        )
    except FileNotFoundError:
        click.echo(f"{check.command[0]} is not installed; run uv sync first.", err=True)
        return Outcome(check.name, 127, time.monotonic() - started)
    try:
        exit_code = _wait(process, check)
    finally:
        _signal(process, signal.SIGKILL)
        process.wait()
    return Outcome(check.name, exit_code, time.monotonic() - started)


def _wait(process: "subprocess.Popen[bytes]", check: Check) -> int:
    try:
        return process.wait(check.minutes * 60)
    except subprocess.TimeoutExpired:
        click.echo(
            f"{check.name} did not end within {check.minutes:g} minutes and is stopped.", err=True
        )
    _signal(process, signal.SIGABRT)  # a test run then prints where each of its threads stands
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_LAST_WORDS_SECONDS)
    return TIME_OVER


def _signal(process: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
    """Reach the program and all that it has started, unless they have ended."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


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


@contextlib.contextmanager
def _ending_with_us() -> Iterator[None]:
    """Let a check end as well when this program is told to end."""

    def leave(number: int, frame: FrameType | None) -> None:
        del frame
        sys.exit(128 + number)

    numbers = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, leave) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


@click.command()
def main() -> None:
    """Run format, lint, types, import contracts and tests; exit 1 if one of them failed.

    All checks run, also after a failure. Start it in the project folder.
    """
    with _ending_with_us():
        outcomes = tuple(run(check) for check in CHECKS)
    click.secho("== summary", bold=True)
    click.echo(summary(outcomes))
    sys.exit(any(outcome.exit_code != 0 for outcome in outcomes))
