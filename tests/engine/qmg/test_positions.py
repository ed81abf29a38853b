"""Positions: export and import, and damaged positions, which are refused with a sentence or playable."""

import json
from random import Random
from typing import Any

import msgspec
import pytest

from engine.bots.random_player import Habit, RandomPlayer
from engine.kernel.dice import DerivedDice
from engine.kernel.errors import PositionError
from engine.qmg.position import Position
from engine.qmg.position_checks import check_position, decode_position
from engine.qmg.ruleset import QMG
from tests.engine.damage import damage
from tests.engine.qmg.random_games import AUDIENCES, SCENARIOS, derived, game
from tests.sizes import sized

FAR = 25
"""Number of commands to play from an accepted position."""


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_p2_a_position_is_exported_and_started_again(scenario: str) -> None:
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
def test_p2_a_started_position_goes_on_alike(scenario: str) -> None:
    for step in game(scenario):
        again = QMG.fold(
            QMG.initial_state(), QMG.open_game(QMG.to_position(step.state), derived("again"))
        )
        dice = DerivedDice(step.secret, step.number)
        assert QMG.decide(again, step.role, step.command, dice) == step.events()


# -- nonsense


def play_on(position: Position) -> None:
    """Play some random commands from a position."""
    secret = bytes(32)
    player: Any = RandomPlayer(DerivedDice(secret, 0), Habit.BUSY)
    state = QMG.fold(QMG.initial_state(), QMG.open_game(position, DerivedDice(secret, 1)))
    for n in range(FAR):
        asked = QMG.active_roles(state)
        if not asked:
            return
        QMG.project(state, asked[0])
        command = player.choose(None, QMG.decision(state, asked[0]))
        events = QMG.decide(state, asked[0], command, DerivedDice(secret, n + 2))
        for event in events:
            QMG.log_sentence(event)
        state = QMG.fold(state, events)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_damaged_positions(scenario: str, seed: int) -> None:
    chance, played = Random(seed), 0
    sentences: list[str] = []
    for step in game(scenario)[seed::2]:
        position = QMG.to_position(step.state)
        for _ in range(sized(2, 4, 40)):
            found = json.loads(msgspec.json.encode(position))
            path = damage(found, chance, ("", "nonsense"), ("frames", "turn", "outcome"))
            text = json.dumps(found).encode()
            try:
                read = decode_position(text, "damaged.json")
                check_position(read)
            except PositionError as error:
                sentences.append(str(error))
                continue
            try:
                play_on(read)
            except (AssertionError, LookupError, ValueError, TypeError, AttributeError) as cause:
                raise AssertionError(f"{path} of {text.decode()[:2000]}: {cause!r}") from cause
            played += 1
    assert len(sentences) > sized(8, 50)
    assert all(sentence.isprintable() for sentence in sentences)
    assert played > sized(8, 50)
