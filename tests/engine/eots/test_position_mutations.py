"""Damaged positions are either refused with a sentence or playable."""

from collections.abc import Iterator
from random import Random

import pytest

from engine.bots.random_player import Habit, RandomPlayer
from engine.eots.position import Position
from engine.kernel.dice import DerivedDice
from engine.registry import AnyRuleset, ruleset
from tests.engine.damage import check_damaged
from tests.sizes import sampled, sized

EOTS: AnyRuleset = ruleset("eots")
GAME = 250
EVERY = sized(112, 7, 1)
"""Number of commands between two positions that are damaged."""
FAR = 15
"""Number of commands to play from an accepted position."""


def game(seed: int, scenario: str) -> Iterator[Position]:
    """Yield the positions of a random game, spread over its length."""
    secret = seed.to_bytes(32, "big")
    player = RandomPlayer(DerivedDice(secret, 10**6), Habit.BUSY)
    start = EOTS.open_game(EOTS.position(scenario, {}), DerivedDice(secret, 0))
    state = EOTS.fold(EOTS.initial_state(), start)
    for n in range(GAME):
        asked = EOTS.active_roles(state)
        if not asked:
            return
        decision = EOTS.decision(state, asked[0])
        command = player.choose(EOTS.project(state, asked[0]), decision)
        events = EOTS.decide(state, asked[0], command, DerivedDice(secret, n + 1))
        state = EOTS.fold(state, events)
        if n % EVERY == 0 and state.outcome is None:
            yield EOTS.to_position(state)


@pytest.mark.parametrize(
    ("seed", "scenario"), sampled([(1, "1942"), (2, "1943"), (3, "1944"), (4, "campaign-1941")], 1)
)
def test_damaged_positions_are_refused_or_playable(seed: int, scenario: str) -> None:
    positions = [*game(seed, scenario)]
    for position in positions:
        EOTS.check_position(position)
    refused, played = check_damaged("eots", positions, Random(seed), 3, FAR)
    assert refused
    assert played
