"""Tests of the selection of tests by size and series, and of the check that fails a run with a leftover thread."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests import sizes
from tests.sizes import sampled, sized
from tools.check import series_results

ROOT = Path(__file__).parents[1]
SOME = """
import pytest
from tests.sizes import sized
@pytest.mark.parametrize("seed", range(sized(1, 2, 3)))
def test_all(seed):
    pass
@pytest.mark.full
@pytest.mark.series("D1", "D2")
def test_whole():
    pass
@pytest.mark.nightly
@pytest.mark.series("D2")
def test_long():
    pass
"""
THREAD_LEFT = """
import threading
import tests.conftest
tests.conftest.JOIN_SECONDS = 0.1
def test_first():
    threading.Thread(target=threading.Event().wait, args=(4,), name="left-over").start()
"""


def run_tests(folder: Path, code: str, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run tests with the settings of the project."""
    (folder / "conftest.py").write_text("from tests.conftest import *\n")
    (folder / "test_it.py").write_text(code)
    settings = ("-c", str(ROOT / "pyproject.toml"), "--rootdir", str(folder))
    ours = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            *settings,
            "-v",
            "-p",
            "no:cacheprovider",
            *words,
            str(folder),
        ],
        check=False,
        cwd=folder,
        env={**ours, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
    )


@pytest.mark.parametrize(
    ("words", "names"),
    [
        pytest.param([], ["test_all[0]"], marks=pytest.mark.full),
        pytest.param(
            ["--size", "full"], ["test_all[0]", "test_all[1]", "test_whole"], marks=pytest.mark.full
        ),
        pytest.param(["--size", "full", "--series", "D2"], ["test_whole"], marks=pytest.mark.full),
        (["--size", "nightly", "--series", "D2"], ["test_whole", "test_long"]),
    ],
    ids=" ".join,
)
def test_size_and_series_options_select_tests(
    tmp_path: Path, words: list[str], names: list[str]
) -> None:
    ended = run_tests(tmp_path, SOME, *words)
    assert ended.returncode == 0
    lines = [line.split()[0] for line in ended.stdout.splitlines() if " PASSED " in line]
    assert [line.partition("::")[2] for line in lines] == names


@pytest.mark.full
def test_tests_not_started_in_time_are_counted_as_unreached(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    words = ("--size", "nightly", "--minutes", "0", "--junit-xml", str(report))
    assert run_tests(tmp_path, SOME, *words).returncode == 0
    ended = series_results(ET.parse(report).getroot()[0])
    assert {id: (one.passed, one.unreached) for id, one in ended.items()} == {
        "D1": (0, 1),
        "D2": (0, 2),
    }


@pytest.mark.full
def test_leftover_thread_fails_the_run(tmp_path: Path) -> None:
    ended = run_tests(tmp_path, THREAD_LEFT)
    assert ended.returncode == pytest.ExitCode.TESTS_FAILED
    assert "'left-over'" in ended.stdout


def test_counts_follow_the_size_and_samples_are_evenly_spread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for size, count, sample in (
        ("quick", 1, [0, 3, 6]),
        ("full", 2, [*range(10)]),
        ("nightly", 3, [*range(10)]),
    ):
        monkeypatch.setattr(sizes, "_chosen", [size])
        assert sized(1, 2, 3) == count
        assert sampled(range(10), 3) == sample
    assert sized(1, 2) == 2
