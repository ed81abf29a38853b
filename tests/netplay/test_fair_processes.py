"""Whole fair matches of real processes over TLS: nobody's files hold a card too much, and every copy verifies."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from netplay.fullrecord import FULL_SUFFIX
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
from tests.netplay.fair_search import Search, snapshot

MOMENTS = 10
_MOST_GROWTH = {"eots": 60_000, "qmg": 100_000}
"""Most bytes between two searches that the host writes and removes, a third of which stay in its record: ten of them
fit into the shortest game by far, also where the game goes on during slow searches."""


@pytest.fixture
def matches() -> Iterator[list[ProcessMatch]]:
    opened: list[ProcessMatch] = []
    yield opened
    for match in opened:
        match.end()


@pytest.mark.full
@pytest.mark.campaign("F9", "F11")
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
def test_f9_f11_files_hide_cards_during_a_match_and_are_proved_after_it(
    tmp_path: Path,
    matches: list[ProcessMatch],
    setting: Setting,
    request: pytest.FixtureRequest,
) -> None:
    match = ProcessMatch(tmp_path / "match", setting)
    matches.append(match)
    match.open()
    match.start_players()
    search = Search(match)
    source = random.Random(setting.scenario)
    for moment in range(MOMENTS):
        growth = source.randrange(_MOST_GROWTH[setting.game]) if moment else 0
        assert match.wait_for_growth(growth), "the game goes on"
        search.take(snapshot(match, tmp_path / f"moment-{moment}"))
    match.wait_for_end()
    assert len(search.reports) == MOMENTS
    for report in search.reports:
        assert not report.findings
        assert report.secrets > 30 * len(match.roles)
        assert report.cards > 10 * len(match.places)
    assert search.reports[-1].secrets > 100 * len(match.roles)
    assert any(report.in_hand for report in search.reports)
    assert search.reports[-1].records > 10
    search.take(snapshot(match, tmp_path / "end"))
    after = search.reports[-1].findings
    assert after, "full copies show every card"
    assert all(one.file.endswith(FULL_SUFFIX) and one.name.startswith("card ") for one in after)
    request.node.user_properties += [
        ("copies verified", check_copies(match)),
        ("files searched", sum(report.files for report in search.reports)),
        ("bytes searched", sum(report.size for report in search.reports)),
        ("secrets searched for", sum(report.secrets for report in search.reports)),
        ("cards searched for", sum(report.cards for report in search.reports)),
        *figures(match).items(),
    ]


@pytest.mark.full
@pytest.mark.campaign("F9")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "setting",
    [
        pytest.param(EOTS, id="1943"),
        pytest.param(QMG_SIX, id="six-people"),
        pytest.param(TOTAL_WAR, id="total-war"),
    ],
)
def test_f9_matches_whose_host_deals_are_proved_after_the_end(
    tmp_path: Path,
    matches: list[ProcessMatch],
    setting: Setting,
    request: pytest.FixtureRequest,
) -> None:
    match = ProcessMatch(tmp_path / "match", setting, chance="joint")
    matches.append(match)
    match.open()
    match.start_players()
    match.wait_for_end()
    request.node.user_properties += [
        ("copies verified", check_copies(match)),
        *figures(match).items(),
    ]
