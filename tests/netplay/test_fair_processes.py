"""Whole matches of real processes over TLS: nobody's files hold a card too much, and every copy verifies."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from netplay.match_state.full_record import FULL_SUFFIX
from tests.netplay.fair_processes import (
    EOTS,
    QMG_SIX,
    QMG_THREE,
    TOTAL_WAR,
    ProcessMatch,
    Setting,
    check_copies,
    figures,
)
from tests.netplay.fair_search import Search
from tests.netplay.fair_truth import Snapshot, snapshot

MOMENTS = 10
_MOST_GROWTH = {
    ("eots", "fair"): 60_000,
    ("qmg", "fair"): 100_000,
    ("eots", "joint"): 20_000,
    ("qmg", "joint"): 25_000,
}
"""Most bytes between two searches that the host writes and removes, a third of which stay in its record: ten of them
fit into the shortest game by far."""


@pytest.fixture
def matches() -> Iterator[list[ProcessMatch]]:
    opened: list[ProcessMatch] = []
    yield opened
    for match in opened:
        match.end()


def searched(match: ProcessMatch, folder: Path) -> Search:
    """Play a match, copy all files at random moments and after the end, and search the copies.

    The copies are searched last, because the match goes on during a search.
    """
    match.open()
    match.start_players()
    copies: list[Snapshot] = []
    source = random.Random(match.setting.scenario)
    for moment in range(MOMENTS):
        most = _MOST_GROWTH[match.setting.game, match.chance]
        growth = source.randrange(most) if moment else 0
        assert match.wait_for_growth(growth), "the game goes on"
        copies.append(snapshot(match, folder / f"moment-{moment}"))
    match.wait_for_end()
    search = Search(match)
    for found in (*copies, snapshot(match, folder / "end")):
        search.take(found)
    assert len(search.reports) == MOMENTS + 1
    return search


def check_reports(match: ProcessMatch, search: Search) -> None:
    """Check that nothing was found during the match, and full copies show every card after it."""
    readers = len(match.places) if match.chance == "fair" else len(match.players)
    (*during, end) = search.reports
    for report in during:
        assert not report.findings
        assert report.secrets > 30 * len(match.roles)
        assert report.cards > 10 * readers
    assert any(report.in_hand for report in during)
    assert during[-1].records > 10
    assert end.findings, "full copies show every card"
    assert all(
        one.file.endswith(FULL_SUFFIX) and one.name.startswith("card ") for one in end.findings
    )


def counted(match: ProcessMatch, search: Search) -> Sequence[tuple[str, float]]:
    """Return what was verified and searched."""
    return [
        ("copies verified", check_copies(match)),
        ("files searched", sum(report.files for report in search.reports)),
        ("bytes searched", sum(report.size for report in search.reports)),
        ("secrets searched for", sum(report.secrets for report in search.reports)),
        ("cards searched for", sum(report.cards for report in search.reports)),
        *figures(match).items(),
    ]


@pytest.mark.full
@pytest.mark.series("F9", "F11")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "setting",
    [
        pytest.param(EOTS, id="1943"),
        pytest.param(QMG_SIX, id="six-people"),
        pytest.param(QMG_THREE, id="three-people"),
        pytest.param(TOTAL_WAR, id="total-war"),
    ],
)
def test_f9_f11_files_hide_cards_during_a_match_and_verify_after_it(
    tmp_path: Path,
    matches: list[ProcessMatch],
    setting: Setting,
    request: pytest.FixtureRequest,
) -> None:
    match = ProcessMatch(tmp_path / "match", setting)
    matches.append(match)
    search = searched(match, tmp_path)
    check_reports(match, search)
    assert search.reports[-2].secrets > 100 * len(match.roles)
    request.node.user_properties += counted(match, search)


@pytest.mark.full
@pytest.mark.series("F9", "F11")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "setting",
    [
        pytest.param(EOTS, id="1943"),
        pytest.param(QMG_SIX, id="six-people"),
        pytest.param(TOTAL_WAR, id="total-war"),
    ],
)
def test_f9_f11_joint_match_files_hide_cards_from_seats_and_verify_after_it(
    tmp_path: Path,
    matches: list[ProcessMatch],
    setting: Setting,
    request: pytest.FixtureRequest,
) -> None:
    match = ProcessMatch(tmp_path / "match", setting, chance="joint")
    matches.append(match)
    search = searched(match, tmp_path)
    check_reports(match, search)
    request.node.user_properties += counted(match, search)
