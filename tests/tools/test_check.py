"""The command that runs all checks."""

import pytest

from tools import check
from tools.check import Check, Outcome, main, run, summary


def test_the_summary_names_every_check_and_what_failed() -> None:
    outcomes = (Outcome("lint", 0, 1.25), Outcome("types", 1, 2.0), Outcome("tests", 2, 0.04))
    assert summary(outcomes).splitlines() == [
        "lint     ok  1.2 s",
        "types    FAILED (1)  2.0 s",
        "tests    FAILED (2)  0.0 s",
        "failed: types, tests",
    ]


def test_the_summary_says_that_all_passed() -> None:
    assert summary((Outcome("lint", 0, 0.0),)).splitlines()[-1] == "all checks passed"


def test_a_missing_program_is_a_failed_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(Check("none", ("flagplot-no-such-program",))).exit_code == 127
    assert "flagplot-no-such-program is not installed" in capsys.readouterr().err


def test_programs_of_the_environment_are_found_without_activation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert run(Check("lint", ("ruff", "--version"))).exit_code == 0


@pytest.mark.parametrize(
    ("second", "code"),
    [pytest.param("true", 0, id="passed"), pytest.param("false", 1, id="failed")],
)
def test_all_checks_run_and_one_failure_is_enough(
    second: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    checks = (Check("one", ("true",)), Check("two", (second,)), Check("three", ("true",)))
    monkeypatch.setattr(check, "CHECKS", checks)
    with pytest.raises(SystemExit) as ended:
        main([], prog_name="flagplot-check", standalone_mode=False)
    assert ended.value.code == code
    text = capsys.readouterr().out
    assert [name for name in ("one", "two", "three") if f"== {name}: " not in text] == []
