"""Damaged positions are either refused with a sentence or playable."""

import json
from collections.abc import Iterator
from random import Random

import msgspec
import pytest

from engine.bots.random_player import Habit, RandomPlayer
from engine.eots.position import Position
from engine.eots.position_checks import check_position, decode_position
from engine.kernel.dice import DerivedDice
from engine.kernel.errors import PositionError
from engine.registry import AnyRuleset, ruleset
from tests.engine.damage import damage
from tests.sizes import sampled, sized

EOTS: AnyRuleset = ruleset("eots")
GAME = 250
EVERY = sized(56, 7, 1)
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


def play_on(position: Position) -> None:
    """Play some random commands from a position."""
    secret = bytes(32)
    player = RandomPlayer(DerivedDice(secret, 0), Habit.BUSY)
    state = EOTS.fold(EOTS.initial_state(), EOTS.open_game(position, DerivedDice(secret, 1)))
    for n in range(FAR):
        asked = EOTS.active_roles(state)
        if not asked:
            return
        decision = EOTS.decision(state, asked[0])
        command = player.choose(EOTS.project(state, asked[0]), decision)
        events = EOTS.decide(state, asked[0], command, DerivedDice(secret, n + 2))
        state = EOTS.fold(state, events)


@pytest.mark.parametrize(
    ("seed", "scenario"), sampled([(1, "1942"), (2, "1943"), (3, "1944"), (4, "campaign-1941")], 1)
)
def test_damaged_positions(seed: int, scenario: str) -> None:
    chance, played = Random(seed), 0
    sentences: list[str] = []
    for position in game(seed, scenario):
        check_position(position)
        for _ in range(3):
            found = json.loads(msgspec.json.encode(position))
            damage(found, chance, ())
            try:
                read = decode_position(json.dumps(found).encode(), "damaged.json")
                check_position(read)
            except PositionError as error:
                sentences.append(str(error))
                continue
            play_on(read)
            played += 1
    assert sentences
    assert all(sentence.isprintable() for sentence in sentences)
    assert played > 0
