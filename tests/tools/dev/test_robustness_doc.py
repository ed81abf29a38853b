"""The page of robustness tells what the tests are, how much they play and how they ended, from one source each."""

from pathlib import Path

import pytest

from tools.anchors import Anchor, Result, anchors, campaigns, results
from tools.dev import campaigns as reading
from tools.dev.campaigns import Counted, Marked, found
from tools.dev.robustness_doc import SIZES, TARGET, build, section

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
TEXT = "pytest.mark.campaign('N9')"

@pytest.fixture
def games():
    return sized(1, 3, len(TEXT), of="games")

@pytest.mark.campaign("D1", "D2")
def test_cuts(games):
    assert CUTS

@pytest.mark.nightly
@pytest.mark.campaign("D2")
@pytest.mark.parametrize("one", sampled([1, 2], 1, of="ones"))
async def test_ones(one):
    assert places()

TestRules = pytest.mark.campaign("P1")(object)
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


def test_tests_and_counts_are_found_where_they_stand(folder: Path) -> None:
    of = found(folder)
    path = "tests/test_marked.py"
    assert {id: campaign.tests for id, campaign in of.items()} == {
        "D1": (Marked(path, "test_cuts"),),
        "D2": (Marked(path, "test_cuts"), Marked(path, "test_ones", "nightly")),
        "P1": (Marked(path, "TestRules"),),
    }
    cuts, games = Counted("cuts", "1", "2,000", "all"), Counted("games", "1", "3", "all")
    assert set(of["D1"].counts) == {cuts, games}
    ones, positions = Counted("ones", "1", "all", "all"), Counted("positions", "7", "70", "70")
    assert set(of["D2"].counts) == {cuts, games, ones, positions}
    assert of["P1"].counts == (Counted("steps", "5", "6", "6"),)


def test_the_page_is_that_of_the_tree() -> None:
    assert TARGET.read_text(encoding="utf-8") == build(), (
        "run: uv run python -m tools.dev.robustness_doc"
    )


def test_every_anchor_is_told_once_and_has_tests_or_a_reason() -> None:
    ids = [f"{letter}{n}" for letter, most in LENGTHS.items() for n in range(1, most + 1)]
    assert [*anchors()] == ids
    for id, anchor in anchors().items():
        assert bool(anchor.tests) != bool(anchor.later), id


def test_what_has_marked_tests_is_a_campaign_of_the_night() -> None:
    assert {*campaigns()} == {*found()}


def test_every_count_of_a_campaign_says_what_is_counted() -> None:
    unnamed = {id: one for id, campaign in found().items() for one in campaign.counts if not one.of}
    assert unnamed == {}


def test_results_are_of_anchors_with_tests_and_of_sizes() -> None:
    assert {*results()} <= {*campaigns()}
    assert {size for of in results().values() for size in of} <= {*SIZES}


def test_what_failed_and_what_was_not_reached_is_told() -> None:
    anchor = Anchor(title="Cut", tests="Cuts.", missing="Fire.")
    ran = Result(
        date="2026-01-02", passed=1_200, failed=1, unreached=8, seconds=61.2, python="3.11.7"
    )
    told = section("D1", anchor, found()["D1"], {"nightly": ran})
    assert (
        "nightly 2026-01-02: 1,200 passed, 1 failed, 8 not reached in the time given, 61 s" in told
    )
    assert "Missing: Fire." in told
    assert "no result on record" in section("D1", anchor, found()["D1"], {})
    assert "Not tested. Never." in section("D1", Anchor(title="Cut", later="Never."), None, {})
