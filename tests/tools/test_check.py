"""The command that runs all checks: what it runs and counts, and that its exit code reports a failure."""

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from tools import check, robustness_series
from tools.check import Check, CheckOutcome, main, run, run_tests, summary
from tools.dev import changed
from tools.dev.generators import GENERATORS
from tools.robustness_series import SeriesResult, load_results, series_with_tests

REPORT = '<testsuites><testsuite tests="{}" failures="{}" errors="{}">{}</testsuite></testsuites>'
CASE = '<testcase time="1.5"><properties>{}</properties>{}</testcase>'
SKIP = '<skipped message="{}"/>'
Run = Callable[..., int]


class Made(NamedTuple):
    """The requests to the stand-in for the tests."""

    commands: list[tuple[str, ...]]
    failing: set[str]
    cases: list[str]
    """Test cases of the report, in XML."""


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    """Replace every program by one that records its arguments. Test runs report three cases."""
    asked = Made([], set(), [])

    def stand_in(command: list[str | Path], **rest: object) -> "subprocess.CompletedProcess[str]":
        words = tuple(map(str, command[1:]))
        name = Path(command[0]).name
        asked.commands.append((name, *words))
        failed = bool(asked.failing & {name, *words})
        if "--junit-xml" in words:
            report = REPORT.format(3, int(failed), 0, "".join(asked.cases))
            Path(words[words.index("--junit-xml") + 1]).write_text(report)
        return subprocess.CompletedProcess([], int(failed), stdout=f"{name} has spoken\n")

    monkeypatch.chdir(tmp_path)
    check.CACHE.mkdir()
    monkeypatch.setattr(subprocess, "run", stand_in)
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    return asked


def ended(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(list(words), prog_name="flagplot-check", standalone_mode=False)
    assert isinstance(left.value.code, int)
    return left.value.code


def test_quick_run_executes_all_checks_without_coverage(
    made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended() == 0
    assert sorted(name for name, *_ in made.commands) == [
        *("lint-imports", "mypy", "pytest", "ruff", "ruff"),
    ]
    (tests,) = [words for words in made.commands if words[0] == "pytest"]
    assert tests[-2:] == ("--size", "quick")
    assert not [word for word in tests if word.startswith("--cov")]
    assert capsys.readouterr().out.splitlines()[-1].startswith("7 passed, 0 failed in ")


def test_new_clone_collects_tests_once_before_workers_start(made: Made) -> None:
    check.CACHE.rmdir()
    for _ in range(2):
        assert ended() == 0
    first, *later = [words for words in made.commands if words[0] == "pytest"]
    assert first == ("pytest", "-q", "--collect-only")
    assert [words[-2:] for words in later] == [("--size", "quick")] * 2


def test_full_run_measures_coverage(made: Made) -> None:
    assert ended("--full") == 0
    tests, coverage = [words for words in made.commands if words[0] == "pytest"]
    assert "full" in tests
    assert not [word for word in tests if word.startswith("--cov")]
    assert "tests/engine" in coverage
    assert "--cov=engine" in coverage


def test_a_full_run_builds_the_site(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "find_spec", lambda name: name)
    assert ended("--full") == 0
    assert made.commands.count(check.SITE.command) == 1
    made.failing.add("mkdocs")
    assert ended("--full") == 1


def test_full_run_without_mkdocs_prints_an_install_hint(
    made: Made, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(check, "find_spec", lambda name: None)
    assert ended("--full") == 0
    assert check.SITE.command not in made.commands
    assert "uv sync --group docs" in capsys.readouterr().out


def test_quick_run_does_not_build_the_site(
    made: Made, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(check, "find_spec", lambda name: name)
    assert ended() == 0
    assert check.SITE.command not in made.commands
    assert "uv sync --group docs" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("broken", "count"), [("mypy", "6 passed, 1 failed"), ("pytest", "6 passed, 1 failed")]
)
def test_failed_check_does_not_stop_the_others_and_fails_the_run(
    made: Made, capsys: pytest.CaptureFixture[str], broken: str, count: str
) -> None:
    made.failing.add(broken)
    assert ended() == 1
    assert len(made.commands) == 5
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].startswith(count)
    assert f"{broken} has spoken" in lines


def test_nightly_run_resumes_at_the_failed_series_and_restarts_on_request(made: Made) -> None:
    def played() -> list[str]:
        found = [words[words.index("--series") + 1] for words in made.commands]
        made.commands.clear()
        return found

    made.failing.add("D2")
    assert ended("--nightly", "D1", "D2", "D3") == 1
    assert played() == ["D1", "D2", "D3"]
    made.failing.clear()
    assert ended("--nightly", "D1", "D2", "D3") == 0
    assert played() == ["D2"]
    assert ended("--nightly", "--again", "D1") == 0
    assert played() == ["D1"]
    assert ended("--nightly") == 0
    assert played() == [name for name in series_with_tests() if name != "D1"]


def case(ids: str, ended: str = "") -> str:
    return CASE.format(
        "".join(f'<property name="series" value="{id}"/>' for id in ids.split()), ended
    )


@pytest.fixture
def on_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "results.json"
    monkeypatch.setattr(robustness_series, "RESULTS_FILE", path)
    return path


def counts(result: SeriesResult) -> tuple[int, int, int, int, float]:
    return (result.passed, result.failed, result.skipped, result.unreached, result.seconds)


def test_series_results_are_saved_only_with_the_record_option(made: Made, on_record: Path) -> None:
    made.cases.extend([case("D1"), case("D1 P2"), case("D1", "<failure/>"), case("")])
    made.cases.append(case("P2", SKIP.format("no such kernel")))
    assert ended() == 0
    assert not on_record.exists()
    assert ended("--full", "--record") == 0
    held = load_results()
    assert {id: [*of] for id, of in held.items()} == {"D1": ["full"], "P2": ["full"]}
    assert counts(held["D1"]["full"]) == (2, 1, 0, 0, 4.5)
    assert counts(held["P2"]["full"]) == (1, 0, 1, 0, 3.0)


def test_nightly_run_records_finished_and_unreached_tests(made: Made, on_record: Path) -> None:
    made.cases.extend(
        [case("D1"), case("P2 D1"), case("D1", SKIP.format(robustness_series.UNREACHED))]
    )
    assert ended("--nightly", "--minutes", "0.5", "--record", "D1") == 0
    assert made.commands[-1][-2:] == ("--minutes", "0.5")
    assert {id: [*of] for id, of in load_results().items()} == {"D1": ["nightly"]}
    assert counts(load_results()["D1"]["nightly"]) == (2, 0, 0, 1, 4.5)
    made.commands.clear()
    made.cases.pop()
    assert ended("--nightly", "--record", "D1") == 0, "what was not reached is not done"
    assert len(made.commands) == 1
    assert counts(load_results()["D1"]["nightly"]) == (2, 0, 0, 0, 3.0)


class Tree(NamedTuple):
    """A stand-in for the working tree: the changed files, and the files that depend on them."""

    files: tuple[str, ...]
    distances: dict[str, int]


@pytest.fixture
def tree(monkeypatch: pytest.MonkeyPatch) -> Callable[[Tree], None]:
    def put(tree: Tree) -> None:
        class Dependencies:
            def __init__(self, files: object) -> None: ...
            def affected(self, files: object) -> dict[str, int]:
                return tree.distances

        monkeypatch.setattr(
            changed, "find_changes", lambda: changed.Difference("a" * 40, tree.files)
        )
        monkeypatch.setattr(changed, "tracked_files", tuple)
        monkeypatch.setattr(changed, "Dependencies", Dependencies)

    return put


EDITED = Tree(("saves/chain.py",), {"saves/chain.py": 0, "saves/match.py": 1, "tests/test_a.py": 2})


def test_changed_run_checks_changed_files_importers_and_their_tests(
    made: Made, tree: Callable[[Tree], None]
) -> None:
    tree(EDITED)
    assert ended("--changed") == 0
    *_, tests = sorted(made.commands, key=lambda words: words[0] == "pytest")
    assert sorted(made.commands)[:2] == [
        ("lint-imports",),
        ("mypy", "-m", "saves.chain", "-m", "saves.match"),
    ]
    assert ("ruff", "check", "saves/chain.py") in made.commands
    assert ("ruff", "format", "--check", "saves/chain.py") in made.commands
    assert tests[-1] == "tests/test_a.py"


def test_changed_run_fails_if_a_test_fails(made: Made, tree: Callable[[Tree], None]) -> None:
    tree(EDITED)
    made.failing.add("tests/test_a.py")
    assert ended("--changed") == 1


def test_changed_settings_run_all_static_checks(made: Made, tree: Callable[[Tree], None]) -> None:
    tree(Tree(("pyproject.toml",), {}))
    assert ended("--changed") == 0
    assert sorted(made.commands) == sorted(each.command for each in check.STATIC)


def test_changed_page_without_tests_runs_no_program(
    made: Made, tree: Callable[[Tree], None]
) -> None:
    tree(Tree(("docs/plan.md",), {}))
    assert ended("--changed") == 0
    assert made.commands == []


def test_changed_run_without_changes_runs_nothing(
    made: Made, tree: Callable[[Tree], None], capsys: pytest.CaptureFixture[str]
) -> None:
    tree(Tree((), {}))
    assert ended("--changed") == 0
    assert made.commands == []
    assert capsys.readouterr().out.startswith("No file differs from aaaaaaaa.\n")


def test_changed_run_leaves_out_tests_that_were_slow_before(
    made: Made, tree: Callable[[Tree], None], capsys: pytest.CaptureFixture[str]
) -> None:
    case = '<testcase classname="tests.{}" time="{}"/>'
    made.cases.append(case.format("test_a", 4000) + case.format("test_b.TestRules", 0.5))
    assert ended() == 0
    assert check.load_test_seconds() == {"tests/test_a.py": 4000, "tests/test_b.py": 0.5}
    made.commands.clear()
    tree(EDITED._replace(distances={**EDITED.distances, "tests/test_b.py": 3}))
    assert ended("--changed") == 0
    (tests,) = [words for words in made.commands if words[0] == "pytest"]
    assert tests[-1] == "tests/test_b.py"
    assert "tests/test_a.py" not in tests
    assert "1 of 2 test files" in capsys.readouterr().out


def test_tests_not_started_in_time_do_not_count_as_passed(
    made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    made.cases.append(case("", SKIP.format(robustness_series.UNREACHED)))
    assert ended("--nightly", "--minutes", "1", "D1") == 0
    *_, unreached, count = capsys.readouterr().out.splitlines()
    assert unreached == "1 tests were not started before the time limit"
    assert count.startswith("2 passed, 0 failed")


def test_fix_corrects_sources_before_it_generates_pages(
    made: Made, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = iter([{"a.md": b"1", "b.md": b"1"}, {"a.md": b"1", "b.md": b"2", "c.md": b"1"}])
    monkeypatch.setattr(changed, "digests", lambda: next(found))
    made.failing.add("tools.dev.pictures")
    assert ended("--fix") == 1
    assert made.commands[:2] == [("ruff", "check", "--fix", "."), ("ruff", "format", ".")]
    programs = {(name, *words[:2]) for name, *words in made.commands[2:]}
    assert programs == {("python", "-m", f"tools.dev.{name}") for name in GENERATORS}
    assert capsys.readouterr().out.splitlines()[:2] == ["Rewrote b.md", "Rewrote c.md"]


NO_GENERATORS = {
    "digests": "prints digests of games, which are compared by hand",
    "protocol6_cost": "measures how long cards in cipher take",
    "lessons": "checks the lessons, whose scripts are written by hand",
    "own_copies": "measures records that the user names",
    "public_copies": "measures records that the user names",
    "sentences": "prints texts for a reader",
}
"""Programs for contributors that do not write files of the repository."""


def test_fix_runs_every_generator_program() -> None:
    folder = Path(changed.__file__).parent
    programs = {path.stem for path in folder.glob("*.py") if "__main__" in path.read_text()}
    assert programs == {*GENERATORS, *NO_GENERATORS}


@pytest.mark.parametrize(
    "words",
    [
        *(["D1"], ["--again"], ["--minutes", "2"], ["--full", "--nightly"]),
        *(["--nightly", "D99"], ["--nightly", "D10"], ["--rule", "99.9"]),
        *(["--changed", "--fix"], ["--changed", "--full"], ["--changed", "--record"]),
    ],
)
def test_invalid_option_combinations_are_refused(words: list[str]) -> None:
    with pytest.raises(click.UsageError):
        main(words, prog_name="flagplot-check", standalone_mode=False)


@pytest.mark.full
def test_rule_details_are_printed_without_running_checks(
    made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["--rule", "D3"], prog_name="flagplot-check", standalone_mode=False)
    assert made.commands == []
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "D3 Zeroed sectors"
    assert any(line.startswith("  tests/saves/test_logfile.py: ") for line in lines)


def test_a_missing_program_is_a_failed_check() -> None:
    outcome = run(Check("none", ("flagplot-no-such-program",)), shows_output=False)
    assert (outcome.exit_code, outcome.failed) == (127, 1)
    assert "flagplot-no-such-program is not installed" in outcome.output


def test_check_that_exceeds_its_time_limit_is_stopped() -> None:
    endless = "import threading; threading.Event().wait()"
    outcome = run(Check("endless", ("python", "-c", endless), minutes=0.01), shows_output=False)
    assert (outcome.exit_code, outcome.passed, outcome.failed) == (124, 0, 1)
    assert outcome.output == "endless did not finish within 0.01 minutes.\n"


def test_program_next_to_the_interpreter_is_found_without_activation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    outcome = run(Check("lint", ("ruff", "--version")), shows_output=False)
    assert outcome.exit_code == 0
    assert outcome.output.startswith("ruff ")


def test_tests_without_a_report_count_as_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run_tests(Check("tests", ("python", "-c", "raise SystemExit(3)")))
    assert (outcome.exit_code, outcome.passed, outcome.failed) == (3, 0, 1)


def test_run_that_fails_after_its_last_test_counts_as_a_failure(made: Made) -> None:
    made.failing.add("night")
    words = ("pytest", "night", "--junit-xml", str(check.CACHE / "tests.xml"))
    outcome = run_tests(Check("tests", words))
    assert outcome.failed == 1


def test_summary_shows_output_of_failed_checks_and_ends_with_the_count() -> None:
    outcomes = [
        CheckOutcome("lint", 0, 1.25, 1, 0, "All checks passed!\n"),
        CheckOutcome("types", 1, 2.0, 0, 1, "a.py:1: error\n"),
        CheckOutcome("tests", 1, 0.04, 9, 2),
    ]
    assert summary(outcomes, 3.1).splitlines() == [
        "a.py:1: error",
        "lint     ok  1.2 s",
        "types    FAILED (1)  2.0 s",
        "tests    FAILED (1)  0.0 s",
        "10 passed, 3 failed in 3.1 s",
    ]
