"""Positions: export and import at any question, and positions that are refused with a sentence."""

import msgspec
import pytest

from engine.cbps.position_checks.checks import decode_position
from engine.cbps.ruleset import CBPS
from engine.kernel.dice import DerivedDice
from saves.decoding import canonical
from tests.engine.cbps.random_games import SCENARIOS, game
from tests.engine.random_games import derived
from tests.sizes import sampled


@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 1))
def test_p2_an_exported_position_starts_the_same_game(scenario: str) -> None:
    for step in game(scenario):
        state = step.state
        position = CBPS.to_position(state)
        CBPS.check_position(position)
        text = msgspec.json.encode(position)
        back = decode_position(text, "again.json")
        assert back == position
        assert canonical(back) == canonical(position)
        again = CBPS.fold(CBPS.initial_state(), CBPS.open_game(back, derived("again")))
        assert msgspec.json.encode(CBPS.to_position(again)) == text
        assert CBPS.active_roles(again) == CBPS.active_roles(state)
        for role in CBPS.roles(state):
            assert CBPS.project(again, role) == CBPS.project(state, role)
            assert CBPS.free_actions(again, role) == CBPS.free_actions(state, role)
        for role in CBPS.active_roles(state):
            assert CBPS.decision(again, role) == CBPS.decision(state, role)


@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 2, of="scenarios"))
def test_p2_a_game_started_from_a_position_continues_identically(scenario: str) -> None:
    for step in game(scenario):
        again = CBPS.fold(
            CBPS.initial_state(), CBPS.open_game(CBPS.to_position(step.state), derived("again"))
        )
        dice = DerivedDice(step.secret, step.number)
        events = step.events()
        decided = CBPS.decide(again, step.role, step.command, dice)
        assert decided == events
        assert [*map(canonical, decided)] == [*map(canonical, events)]
