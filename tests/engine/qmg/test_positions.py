"""Positions: export and import, and damaged positions, which are refused with a sentence or playable."""

from random import Random

import msgspec
import pytest

from engine.kernel.dice import DerivedDice
from engine.qmg.position_checks import decode_position
from engine.qmg.ruleset import QMG
from tests.engine.damage import check_damaged
from tests.engine.qmg.random_games import AUDIENCES, SCENARIOS, game
from tests.engine.random_games import derived
from tests.sizes import sized

FAR = 25
"""Number of commands to play from an accepted position."""


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_p2_an_exported_position_starts_the_same_game(scenario: str) -> None:
    for step in game(scenario):
        state = step.state
        position = QMG.to_position(state)
        QMG.check_position(position)
        text = msgspec.json.encode(position)
        back = decode_position(text, "again.json")
        assert back == position
        again = QMG.fold(QMG.initial_state(), QMG.open_game(back, derived("again")))
        assert msgspec.json.encode(QMG.to_position(again)) == text
        assert QMG.active_roles(again) == QMG.active_roles(state)
        for role in AUDIENCES:
            assert QMG.project(again, role) == QMG.project(state, role)
            if role is not None:
                assert QMG.free_actions(again, role) == QMG.free_actions(state, role)
        for role in QMG.active_roles(state):
            assert QMG.decision(again, role) == QMG.decision(state, role)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_p2_a_game_started_from_a_position_continues_identically(scenario: str) -> None:
    for step in game(scenario):
        again = QMG.fold(
            QMG.initial_state(), QMG.open_game(QMG.to_position(step.state), derived("again"))
        )
        dice = DerivedDice(step.secret, step.number)
        assert QMG.decide(again, step.role, step.command, dice) == step.events()


# -- nonsense


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_damaged_positions_are_refused_or_playable(scenario: str, seed: int) -> None:
    refused, played = check_damaged(
        "qmg",
        [QMG.to_position(step.state) for step in game(scenario)[seed::2]],
        Random(seed),
        sized(2, 4, 40),
        FAR,
        ("", "nonsense"),
        ("frames", "turn", "outcome"),
    )
    assert refused > sized(8, 50)
    assert played > sized(8, 50)
