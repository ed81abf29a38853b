"""The command that runs all of the project's checks, at one of three sizes."""

import datetime as dt
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple
from xml.etree import ElementTree as ET

import click
import msgspec

from saves.workers import available_cpu_count
from tools.click_commands import CheckedCommand
from tools.dev import changed
from tools.dev.generators import GENERATORS
from tools.dev.series import find_series
from tools.robustness_series import (
    PROPERTY,
    UNREACHED,
    SeriesResult,
    save_results,
    series_with_tests,
)

CACHE: Final = Path(".check_cache")
"""Folder for files kept between runs, such as the test report and the list of finished nightly series."""
SECONDS: Final = CACHE / "seconds.json"
"""File with the seconds that each test file took in its last run on this machine."""
_NIGHTLY_MINUTES: Final = 600


class Check(NamedTuple):
    """One check: the name in the summary, the command that runs it, and its time limit."""

    name: str
    command: tuple[str, ...]
    minutes: float = 30


class CheckOutcome(NamedTuple):
    """The result of a check, with the numbers of checks or tests that passed and failed."""

    name: str
    exit_code: int
    seconds: float
    passed: int
    failed: int
    output: str = ""
    results_by_series: Mapping[str, SeriesResult] = {}
    """Test results by series id."""
    unreached: int = 0
    """Number of tests that were not started before the time limit."""


STATIC: Final = (
    Check("format", ("ruff", "format", "--check", ".")),
    Check("lint", ("ruff", "check", ".")),
    Check("imports", ("lint-imports",)),
    Check("types", ("mypy",)),
)
_PYTEST: Final = (
    *("pytest", "-q", "-n", str(available_cpu_count() + 1), "--dist", "worksteal"),
    *("--max-worker-restart", "4"),
    *("--junit-xml", str(CACHE / "tests.xml"), "--durations", "10"),
)
"""Starts one worker more than there are processors, because some tests spend a quarter of their time waiting."""
FIRST: Final = Check("compile", ("pytest", "-q", "--collect-only"))
"""Collects all tests, which compiles them once. In a new clone, every worker would otherwise compile all of them."""
QUICK: Final = Check("tests", (*_PYTEST, "--size", "quick"), minutes=60)
_LONG_TIMEOUT: Final = ("-o", "timeout=1800")
"""A longer timeout for tests that take minutes, in case another program is using both cores."""
FULL: Final = Check("tests", (*_PYTEST, "--size", "full", *_LONG_TIMEOUT), minutes=180)
COVERAGE: Final = Check(
    "coverage",
    (
        *("pytest", "-q", "-n", str(available_cpu_count() + 1), "--dist", "worksteal"),
        *("tests/engine", "tests/tools/test_scripts_and_scenarios.py"),
        *("--size", "quick", "--cov=engine", "--cov-report=term", *_LONG_TIMEOUT),
    ),
)
"""Measures which branches of the rules the quick tests cover. The full tests would take three times as long."""
FIXES: Final = (
    Check("lint", ("ruff", "check", "--fix", ".")),
    Check("format", ("ruff", "format", ".")),
)
"""Programs that correct the source files in place."""
_CONFIGURATION: Final = "pyproject.toml"
"""File with the settings of the static checks. If it has changed, the checks cover all files."""
_CHANGED_SECONDS: Final = 12.0
"""Seconds of tests per processor for ``--changed``. With collection and type checks, a run takes less than a minute."""

SITE: Final = Check("site", ("mkdocs", "build", "--strict"))
"""Builds the documentation site. A broken link, anchor or navigation entry fails the check."""
_NO_SITE: Final = "site     not checked: MkDocs is not installed; run uv sync --group docs first."


def nightly_check(id: str, minutes: float | None = None) -> Check:
    """Return the check that runs one test series at nightly size. With a limit, no test starts after the limit."""
    files = dict.fromkeys(test.path for test in find_series()[id].tests)
    arguments = ("--size", "nightly", "--series", id, "-o", f"timeout={_NIGHTLY_MINUTES * 60}")
    time_limit = () if minutes is None else ("--minutes", f"{minutes:g}")
    return Check(id, (*_PYTEST, *files, *arguments, *time_limit), minutes=_NIGHTLY_MINUTES)


def run(check: Check, *, shows_output: bool) -> CheckOutcome:
    """Run one check. The exit code is 127 if the program is missing and 124 if the check exceeds its time limit.

    The output is either shown on the terminal as it is produced, or returned. Programs are run from the interpreter's
    folder, so the environment need not be active.
    """
    program, *words = check.command
    # Programs started by the tests share the compiled code, because compiling it for each program
    # would take a minute.
    environment = {
        name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    pipe = None if shows_output else subprocess.PIPE
    started, output = time.monotonic(), ""
    try:
        process = subprocess.run(
            [Path(sys.executable).parent / program, *words],
            check=False,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=None if shows_output else subprocess.STDOUT,
            text=True,
            timeout=check.minutes * 60,
        )
        exit_code, output = process.returncode, process.stdout or ""
    except FileNotFoundError:
        exit_code, output = 127, f"{program} is not installed; run uv sync --group dev first.\n"
    except subprocess.TimeoutExpired:
        exit_code, output = 124, f"{check.name} did not finish within {check.minutes:g} minutes.\n"
    seconds = time.monotonic() - started
    return CheckOutcome(
        check.name, exit_code, seconds, int(exit_code == 0), int(exit_code != 0), output
    )


def run_tests(check: Check) -> CheckOutcome:
    """Run tests and count them. Their output is shown on the terminal. A run without a report counts as one failure."""
    CACHE.mkdir(exist_ok=True)
    report = CACHE / "tests.xml"
    report.unlink(missing_ok=True)
    click.secho(f"== {check.name}: {' '.join(check.command)}", bold=True)
    outcome = run(check, shows_output=True)
    if not report.exists():
        return outcome
    suite = ET.parse(report).getroot()[0]  # noqa: S314 - our own file
    if "quick" in check.command:
        save_test_seconds(suite)
    total, failures, errors = (int(suite.get(key, 0)) for key in ("tests", "failures", "errors"))
    failed = max(failures + errors, outcome.failed)
    unreached = sum(skip.get("message") == UNREACHED for skip in suite.iter("skipped"))
    return outcome._replace(
        passed=total - failures - errors - unreached,
        failed=failed,
        results_by_series=series_results(suite),
        unreached=unreached,
    )


def series_results(suite: ET.Element) -> Mapping[str, SeriesResult]:
    """Return the test results in a report, by series id."""
    cases_by_id: dict[str, list[ET.Element]] = {}
    for case in suite.iter("testcase"):
        for item in case.iterfind(f"properties/property[@name='{PROPERTY}']"):
            cases_by_id.setdefault(item.get("value", ""), []).append(case)
    return {id: _result(cases) for id, cases in cases_by_id.items()}


def _result(cases: list[ET.Element]) -> SeriesResult:
    skips = [case.find("skipped") for case in cases]
    reasons = [skip.get("message", "") for skip in skips if skip is not None]
    failed = sum(
        case.find("failure") is not None or case.find("error") is not None for case in cases
    )
    return SeriesResult(
        date=dt.datetime.now(dt.UTC).date().isoformat(),
        passed=len(cases) - failed - len(reasons),
        failed=failed,
        skipped=len(reasons) - reasons.count(UNREACHED),
        unreached=reasons.count(UNREACHED),
        seconds=round(sum(float(case.get("time", 0)) for case in cases), 1),
        python=platform.python_version(),
    )


def load_test_seconds() -> dict[str, float]:
    """Return how many seconds each test file took in its last quick run; empty before the first run."""
    return (
        msgspec.json.decode(SECONDS.read_bytes(), type=dict[str, float]) if SECONDS.exists() else {}
    )


def save_test_seconds(suite: ET.Element) -> None:
    """Store the time that each test file in a report took. The stored times of other files are kept."""
    seconds_by_file: dict[str, float] = {}
    for case in suite.iter("testcase"):
        module, dot, rest = case.get("classname", "").partition(".test_")
        path = f"{module}{dot}{rest.partition('.')[0]}".replace(".", "/") + ".py"
        seconds_by_file[path] = seconds_by_file.get(path, 0.0) + float(case.get("time", 0))
    SECONDS.write_bytes(msgspec.json.encode({**load_test_seconds(), **seconds_by_file}))


def run_all(tests: Check, *others: Check) -> list[CheckOutcome]:
    """Run the tests and, in parallel, the static checks. Afterwards, run the other checks and show their output.

    In a new clone, the tests are compiled first. Errors in that step are ignored, because the test run reports them
    again.
    """
    with ThreadPoolExecutor(len(STATIC)) as pool:
        static_runs = [pool.submit(run, check, shows_output=False) for check in STATIC]
        if not CACHE.exists():
            run(FIRST, shows_output=False)
        test_outcome = run_tests(tests)
        return [
            *(outcome.result() for outcome in static_runs),
            *(run(check, shows_output=True) for check in others),
            test_outcome,
        ]


def run_fixes() -> list[CheckOutcome]:
    """Fix lint errors, format the code, run every program that generates files from it, and list the changed files."""
    digests_before = changed.digests()
    outcomes = [run(check, shows_output=False) for check in FIXES]
    generators = [
        Check(name, ("python", "-m", f"tools.dev.{name}", *words))
        for name, words in GENERATORS.items()
    ]
    with ThreadPoolExecutor(available_cpu_count()) as pool:
        outcomes += pool.map(lambda check: run(check, shows_output=False), generators)
    digests_after = changed.digests()
    for path in sorted(
        path for path in digests_after if digests_after[path] != digests_before.get(path)
    ):
        click.echo(f"Rewrote {path}")
    return outcomes


def run_changed() -> list[CheckOutcome]:
    """Check what the changes since ``main`` can affect, with as many tests as fit into a minute."""
    change = changed.find_changes()
    if not change.files:
        click.echo(f"No file differs from {change.base[:8]}.")
        return []
    click.echo(f"{len(change.files)} files differ from {change.base[:8]}.")
    affected = changed.Dependencies(changed.tracked_files()).affected(change.files)
    seconds, budget = load_test_seconds(), _CHANGED_SECONDS * available_cpu_count()
    chosen, left_out = changed.select(change.files, affected, seconds, budget)
    if left_out:
        click.echo(
            f"{len(chosen)} of {len(chosen) + len(left_out)} test files that depend on them fit"
            " into a minute; flagplot-check runs them all."
        )
    with ThreadPoolExecutor() as pool:
        static = STATIC if _CONFIGURATION in change.files else static_checks(affected)
        static_runs = [pool.submit(run, check, shows_output=False) for check in static]
        tests = Check("tests", (*_PYTEST, "--size", "quick", *chosen))
        test_outcomes = [run_tests(tests)] if chosen else []
        return [*(outcome.result() for outcome in static_runs), *test_outcomes]


def static_checks(affected: Mapping[str, int]) -> list[Check]:
    """Return the static checks for changed Python files. Type checks also cover the files that import them."""
    own_files = [path for path, distance in affected.items() if not distance]
    near_modules = [
        changed.module_name(path) for path, distance in affected.items() if distance <= 1
    ]
    if not own_files:
        return []
    format_, lint, imports, types = STATIC
    return [
        format_._replace(command=(*format_.command[:-1], *own_files)),
        lint._replace(command=(*lint.command[:-1], *own_files)),
        imports,
        types._replace(
            command=(*types.command, *(word for name in near_modules for word in ("-m", name)))
        ),
    ]


def run_nightly(
    ids: tuple[str, ...], minutes: float | None = None, *, recorded: bool = False
) -> list[CheckOutcome]:
    """Run the remaining test series one after another. Mark each series that passes in full as done."""
    done_file = CACHE / "nightly"
    outcomes = []
    for id in ids:
        if id in (done_file.read_text().split() if done_file.exists() else ()):
            click.echo(f"{id} is done; --again runs it again")
            continue
        outcome = run_tests(nightly_check(id, minutes))
        outcomes.append(outcome)
        own_results = {
            key: result for key, result in outcome.results_by_series.items() if key == id
        }
        if recorded:
            save_results(own_results, "nightly")
        if outcome.exit_code == 0 and not any(result.unreached for result in own_results.values()):
            with done_file.open("a") as file:
                file.write(f"{id}\n")
    return outcomes


def summary(outcomes: list[CheckOutcome], seconds: float) -> str:
    """Return the final report: the output of failed checks, one line per check, and the totals."""
    outputs = [
        outcome.output.rstrip() for outcome in outcomes if outcome.exit_code and outcome.output
    ]
    lines = [
        f"{outcome.name:<8} {'ok' if outcome.exit_code == 0 else f'FAILED ({outcome.exit_code})'}"
        f"  {outcome.seconds:.1f} s"
        for outcome in outcomes
    ]
    passed = sum(outcome.passed for outcome in outcomes)
    failed = sum(outcome.failed for outcome in outcomes)
    if unreached := sum(outcome.unreached for outcome in outcomes):
        lines.append(f"{unreached} tests were not started before the time limit")
    return "\n".join([*outputs, *lines, f"{passed} passed, {failed} failed in {seconds:.1f} s"])


def rule_details(id: str) -> str:
    """Return the code, tests and scripts for a rule, card or test series, as text."""
    from tools.dev.coverage_details import details

    try:
        return details(id)
    except LookupError as error:
        raise click.UsageError(f"There is no rule, card or test series {id}.") from error


@click.command(cls=CheckedCommand)
@click.option(
    "--changed", "only_changed", is_flag=True, help="Check what this branch can break, in a minute."
)
@click.option("--fix", is_flag=True, help="Format, fix lint, and rewrite all generated files.")
@click.option(
    "--full",
    is_flag=True,
    help="Run everything that a change must pass, with coverage and the site.",
)
@click.option(
    "--nightly", is_flag=True, help="Run all test series at nightly size, or those given."
)
@click.option("--again", is_flag=True, help="With --nightly: also run series that are done.")
@click.option(
    "--minutes", type=float, help="With --nightly: start no test after this many minutes."
)
@click.option("--record", is_flag=True, help="Write the results to tests/results.json.")
@click.option(
    "--rule", metavar="ID", help="Print the code and tests of a rule, card or test series."
)
@click.argument("chosen", nargs=-1, metavar="[ID]...")
def main(  # noqa: PLR0913  # one per option
    chosen: tuple[str, ...],
    *,
    only_changed: bool,
    fix: bool,
    full: bool,
    nightly: bool,
    again: bool,
    minutes: float | None,
    record: bool,
    rule: str | None,
) -> None:
    """Run format, lint, types, import contracts and tests; exit 1 if one of them failed.

    All checks run even if one fails. An interrupted nightly run continues where it stopped. Run it in the project
    folder.
    """
    if rule is not None:
        click.echo(rule_details(rule))
        return
    if (chosen or again or minutes is not None) and not nightly:
        raise click.UsageError("Ids, --again and --minutes require --nightly.")
    if sum((only_changed, fix, full, nightly)) > 1:
        raise click.UsageError("Choose one of --changed, --fix, --full and --nightly.")
    if record and (only_changed or fix):
        raise click.UsageError("--record requires a run of all tests.")
    if unknown := [id for id in chosen if id not in series_with_tests()]:
        raise click.UsageError(f"There is no test series {unknown[0]}.")
    signal.signal(
        signal.SIGTERM, lambda number, _: sys.exit(128 + number)
    )  # exiting also stops the running checks
    started = time.monotonic()
    if only_changed:
        outcomes = run_changed()
    elif fix:
        outcomes = run_fixes()
    elif nightly:
        if again:
            (CACHE / "nightly").unlink(missing_ok=True)
        outcomes = run_nightly(chosen or series_with_tests(), minutes, recorded=record)
    else:
        has_site = full and find_spec("material") is not None
        extra_checks = (COVERAGE, SITE) if has_site else (COVERAGE,)
        outcomes = run_all(FULL, *extra_checks) if full else run_all(QUICK)
        if record:
            save_results(outcomes[-1].results_by_series, "full" if full else "quick")
        if full and not has_site:
            click.echo(_NO_SITE)
    click.echo(summary(outcomes, time.monotonic() - started))
    sys.exit(any(outcome.exit_code for outcome in outcomes))
