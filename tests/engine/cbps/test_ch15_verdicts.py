"""The winner and the level of victory (15.1)."""

import msgspec
import pytest
from msgspec.structs import replace

from engine.cbps.damage.ch15_victory import scenario_outcome, victory_verdict
from engine.cbps.data.verdicts import VERDICTS
from engine.cbps.game_data import parse_game_data
from engine.cbps.ids import Verdict
from engine.cbps.overlay import FORMAT
from tests.engine.cbps.battle import battle

pytestmark = pytest.mark.series("P12")


@pytest.mark.parametrize(
    ("scenario", "points", "words", "verdict"),
    [
        ("1", 1, "Japanese win", "lost"),
        ("1", 2, "even", "drawn"),
        ("1", 7, "US win", "won"),
        ("3", 12, "setback", "lost"),
        ("4", 11, "poor", "lost"),
        ("4", 12, "fair", "drawn"),
        ("4", 19, "good", "won"),
        ("6", 15, "humiliating US defeat", "lost"),
        ("6", 30, "US defeat", "lost"),
        ("6", 31, "mixed result", "drawn"),
        ("6", 51, "incomplete US victory (the historical result)", "won"),
        ("6", 101, "overwhelming US victory", "won"),
    ],
)
def test_15_1_victory_level_and_verdict_depend_on_points(
    scenario: str, points: int, words: str, verdict: Verdict
) -> None:
    assert victory_verdict(battle(scenario), points) == (words, verdict)


@pytest.mark.parametrize(
    ("points", "winner", "is_lost"), [(11, None, True), (12, None, False), (19, "us", False)]
)
def test_15_1_the_outcome_follows_the_verdict(
    points: int, winner: str | None, is_lost: bool
) -> None:
    outcome = scenario_outcome(replace(battle("4"), found={"A": points}))
    assert (outcome.winner, outcome.is_lost, outcome.score) == (winner, is_lost, points)


def test_every_victory_level_in_the_data_has_a_verdict() -> None:
    book = battle("6").game_data
    levels = {level.level for one in book.scenarios.values() for level in one.victory.levels}
    levels |= {level.result for level in book.charts.victory_levels.columns}
    assert levels == set(VERDICTS)


def test_a_custom_victory_level_states_its_verdict() -> None:
    own = [
        {"min": 5, "level": "no defeat at all", "verdict": "won"},
        {"min": None, "level": "poor"},
    ]
    overlay = {"format": FORMAT, "scenarios": {"4": {"victory": {"levels": own}}}}
    state = replace(battle("4"), game_data=parse_game_data(msgspec.json.encode(overlay)))
    assert victory_verdict(state, 5) == ("no defeat at all", "won")
    assert victory_verdict(state, 4) == ("poor", "lost")
