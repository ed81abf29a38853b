"""Tests for the generated robustness page: it matches the tests, their counts and their results."""

from pathlib import Path

import pytest

from tools.dev import series as reading
from tools.dev.robustness_doc import SIZES, TARGET, build, paragraph, run_text, summary
from tools.dev.series import MarkedTest, Series, SeriesCount, find_series
from tools.robustness_series import (
    RobustnessSeries,
    SeriesResult,
    load_results,
    load_series,
    series_with_tests,
)

LENGTHS = {"D": 10, "P": 12, "N": 11, "S": 9, "F": 11}
SHARED = """
from tests.sizes import sampled, sized

POSITIONS = sized(7, 70, of="positions")

def positions():
    return range(POSITIONS)
"""
MARKED = """
import pytest
from tests.sizes import ALL, sampled, sized
from tests.{shared} import positions as places

CUTS = sized(1, 2_000, ALL, of="cuts")
TEXT = "pytest.mark.series('N9')"

@pytest.fixture
def games():
    return sized(1, 3, len(TEXT), of="games")

@pytest.mark.series("D1", "D2")
def test_cuts(games):
    assert CUTS

@pytest.mark.nightly
@pytest.mark.series("D2")
@pytest.mark.parametrize("one", sampled([1, 2], 1, of="ones"))
async def test_ones(one):
    assert places()

TestRules = pytest.mark.series("P1")(object)
TestRules.settings = sized(5, 6, of="steps")

def test_nothing_marked():
    assert sized(9, 9)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(reading, "ROOT", tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/shared.py").write_text(SHARED)
    (tmp_path / "tests/test_marked.py").write_text(MARKED.format(shared="shared"))
    return tmp_path / "tests"


def test_tests_and_counts_are_read_from_the_source(folder: Path) -> None:
    of = find_series(folder)
    path = "tests/test_marked.py"
    assert {id: series.tests for id, series in of.items()} == {
        "D1": (MarkedTest(path, "test_cuts"),),
        "D2": (MarkedTest(path, "test_cuts"), MarkedTest(path, "test_ones", "nightly")),
        "P1": (MarkedTest(path, "TestRules"),),
    }
    cuts, games = SeriesCount("cuts", "1", "2,000", "all"), SeriesCount("games", "1", "3", "all")
    assert set(of["D1"].counts) == {cuts, games}
    ones, positions = (
        SeriesCount("ones", "1", "all", "all"),
        SeriesCount("positions", "7", "70", "70"),
    )
    assert set(of["D2"].counts) == {cuts, games, ones, positions}
    assert of["P1"].counts == (SeriesCount("steps", "5", "6", "6"),)


def test_the_page_is_up_to_date() -> None:
    assert TARGET.read_text(encoding="utf-8") == build(), (
        "run: uv run python -m tools.dev.robustness_doc"
    )


def test_every_id_is_listed_once_with_tests_or_a_reason() -> None:
    ids = [f"{letter}{n}" for letter, most in LENGTHS.items() for n in range(1, most + 1)]
    assert [*load_series()] == ids
    for id, anchor in load_series().items():
        assert bool(anchor.tests) != bool(anchor.later), id


def test_ids_with_tests_match_the_series_with_marked_tests() -> None:
    assert {*series_with_tests()} == {*find_series()}


def test_every_series_count_has_a_description() -> None:
    unnamed = {
        id: one for id, series in find_series().items() for one in series.counts if not one.what
    }
    assert unnamed == {}


def test_results_belong_to_known_series_and_sizes() -> None:
    assert {*load_results()} <= {*series_with_tests()}
    assert {size for of in load_results().values() for size in of} <= {*SIZES}


def test_paragraph_states_the_missing_coverage() -> None:
    anchor = RobustnessSeries(title="Cut", tests="The tests cut files.", missing="They burn none.")
    assert paragraph("D1", anchor) == "**D1 Cut.** The tests cut files.\nThey burn none.\n"
    assert (
        paragraph("D10", RobustnessSeries(title="Cut", later="Never.")) == "**D10 Cut.** Never.\n"
    )


def test_table_shows_test_counts_and_latest_results() -> None:
    failed = SeriesResult(date="2026-01-02", passed=1, failed=2, seconds=1, python="3.11.7")
    incomplete = SeriesResult(
        date="2026-01-03", passed=1, failed=0, unreached=1, seconds=1, python="3.11.7"
    )
    every = {
        "D1": RobustnessSeries(title="Cut", tests="Cuts."),
        "D2": RobustnessSeries(title="Kill", later="Never."),
    }
    tests = {"D1": Series((MarkedTest("a.py", "test_a"), MarkedTest("a.py", "test_b")), ())}
    lines = summary(every, tests, {"D1": {"full": failed, "nightly": incomplete}}).splitlines()
    assert lines[-2:] == [
        "| D1 | Cut | 2 | FAILED 2026-01-02 | passed 2026-01-03, incomplete |",
        "| D2 | Kill | - | no result | no result |",
    ]


def test_a_result_counts_failed_skipped_and_unreached_tests() -> None:
    ran = SeriesResult(
        date="2026-01-02",
        passed=1_200,
        failed=1,
        skipped=2,
        unreached=8,
        seconds=61.2,
        python="3.11.7",
    )
    assert run_text("nightly", ran) == (
        "last nightly run, 2026-01-02: 1,200 passed, 1 failed, 2 skipped on this machine, "
        "8 not reached in the time given, 61 s, 3.11.7"
    )
