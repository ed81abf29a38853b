"""The command that runs all checks, and that neither a check nor a test can hold it up for ever."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools import check
from tools.check import TIME_OVER, Check, Outcome, main, run, summary

ROOT = Path(__file__).parents[2]
SLEEPER = "import subprocess, sys; sys.exit(subprocess.run(['sleep', sys.argv[1]]).returncode)"
PATIENCE = 60


def python(code: str, *words: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code, *words)


def is_running(*words: str) -> bool:
    line = b"\0".join(word.encode() for word in words) + b"\0"
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes() == line:
                return True
        except OSError:
            continue  # it has just ended
    return False


def until_running(*words: str, wanted: bool) -> bool:
    end = time.monotonic() + PATIENCE
    while is_running(*words) is not wanted:
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


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


def test_a_check_that_does_not_end_is_stopped_with_all_it_started(
    capsys: pytest.CaptureFixture[str],
) -> None:
    outcome = run(Check("endless", python(SLEEPER, "7301"), minutes=0.02))
    assert outcome.exit_code == TIME_OVER
    assert outcome.seconds < PATIENCE
    told = "endless did not end within 0.02 minutes and is stopped.\n"
    assert capsys.readouterr().err == told
    assert until_running("sleep", "7301", wanted=False)


def test_what_a_check_leaves_behind_ends_with_it() -> None:
    code = "import subprocess; subprocess.Popen(['sleep', '7302'])"
    assert run(Check("leaves", python(code))).exit_code == 0
    assert until_running("sleep", "7302", wanted=False)


def test_a_check_reads_no_input() -> None:
    reads = python("import sys; sys.exit(len(sys.stdin.read()))")
    code = f"from tools.check import Check, run; raise SystemExit(run(Check('in', {reads!r})).exit_code)"
    ours, theirs = os.pipe()
    try:
        ended = subprocess.run(
            python(code), check=False, cwd=ROOT, stdin=ours, capture_output=True, timeout=PATIENCE
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert ended.returncode == 0


def test_a_check_ends_when_the_command_is_told_to_end() -> None:
    checks = (Check("endless", python(SLEEPER, "7303")),)
    code = f"from tools import check\nfrom tools.check import Check\ncheck.CHECKS = {checks!r}\ncheck.main()"
    with subprocess.Popen(python(code), cwd=ROOT, stdout=subprocess.DEVNULL) as command:
        try:
            assert until_running("sleep", "7303", wanted=True)
            command.send_signal(signal.SIGTERM)
            assert command.wait(PATIENCE) == 128 + signal.SIGTERM
        finally:
            command.kill()
    assert until_running("sleep", "7303", wanted=False)


# -- the safety net of the tests themselves

CONFTEST = """
import os
from tests import conftest as net
from tests.conftest import *
net.JOIN_SECONDS = 0.5
net.SHUTDOWN_SECONDS = 2 if "PYTEST_XDIST_WORKER" in os.environ else 40
"""
BLOCKED_IN_C = """
import ctypes, os
def test_first():
    pass
def test_endless():
    ctypes.CDLL(None).read(os.pipe()[0], ctypes.create_string_buffer(1), 1)
def test_last():
    pass
"""
THREAD_LEFT = """
import threading
def test_first():
    threading.Thread(target=threading.Event().wait, args=(4,), name="left-over").start()
"""
LATE = """
import time
class Late:
    def pytest_sessionfinish(self, session):
        time.sleep(600 if hasattr(session.config, "workerinput") else 0)
def test_first(request):
    request.config.pluginmanager.register(Late())
"""


def run_tests(folder: Path, code: str) -> "subprocess.CompletedProcess[str]":
    """Run tests in two workers with the settings of the project, but less patience."""
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_it.py").write_text(code)
    words = (
        *("-m", "pytest", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(folder)),
        *("-n", "2", "--max-worker-restart", "1", "-p", "no:cacheprovider"),
        *("-o", "timeout=6", "-o", "faulthandler_timeout=3", str(folder)),
    )
    ours = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, *words],
        check=False,
        cwd=folder,
        env={**ours, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=150,
    )


def test_a_test_that_waits_in_c_code_fails_by_name_and_the_others_run(tmp_path: Path) -> None:
    ended = run_tests(tmp_path, BLOCKED_IN_C)
    assert ended.returncode == pytest.ExitCode.TESTS_FAILED
    assert "crashed while running 'test_it.py::test_endless'" in ended.stdout
    assert "1 failed, 2 passed" in ended.stdout
    assert "in test_endless" in ended.stderr


def test_a_thread_that_is_left_fails_the_run(tmp_path: Path) -> None:
    ended = run_tests(tmp_path, THREAD_LEFT)
    assert ended.returncode == pytest.ExitCode.TESTS_FAILED
    assert "'left-over'" in ended.stdout


def test_a_worker_that_does_not_shut_down_fails_the_run(tmp_path: Path) -> None:
    ended = run_tests(tmp_path, LATE)
    assert ended.returncode == pytest.ExitCode.TESTS_FAILED
    assert "in pytest_sessionfinish" in ended.stderr
    assert "1 passed" in ended.stdout
