"""Damaged positions are refused with a sentence, or can be played on; nothing else happens."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from engine.bots.random_player import Habit, RandomPlayer
from engine.eots.position import Position
from engine.eots.position_checks import check_position, decode_position
from engine.kernel.dice import DerivedDice
from engine.kernel.errors import PositionError
from engine.registry import AnyRuleset, ruleset
from tests.sizes import sized

EOTS: AnyRuleset = ruleset("eots")
Path = tuple[str | int, ...]
GAME = 250
EVERY = sized(28, 7, 1)
"""Commands of the game whose positions are damaged."""
FAR = 15
"""Commands played on from an accepted position."""
ODD_NUMBERS = (0, 1, 2, 5, 15, 99)


def game(seed: int, scenario: str) -> Iterator[Position]:
    """Yield the positions of a random game, spread over its length."""
    secret = seed.to_bytes(32, "big")
    player = RandomPlayer(DerivedDice(secret, 10**6), Habit.BUSY)
    start = EOTS.start(EOTS.position(scenario, {}), DerivedDice(secret, 0))
    state = EOTS.fold(EOTS.blank(), start)
    for n in range(GAME):
        asked = EOTS.asked(state)
        if not asked:
            return
        decision = EOTS.decision(state, asked[0])
        command = player.choose(EOTS.project(state, asked[0]), decision)
        events = EOTS.decide(state, asked[0], command, DerivedDice(secret, n + 1))
        state = EOTS.fold(state, events)
        if n % EVERY == 0 and state.outcome is None:
            yield EOTS.export(state)


def parts(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:  # noqa: ANN401  # plain JSON values
    """Yield every value inside a JSON value with its path."""
    if path:
        yield path, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from parts(inner, (*path, key))
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            yield from parts(inner, (*path, n))


def damage(found: Any, chance: Random) -> None:  # noqa: ANN401  # plain JSON values
    """Change one value of a position to another of its kind."""
    everything = list(parts(found))
    path, value = chance.choice(everything)
    holder = found
    for key in path[:-1]:
        holder = holder[key]
    last = path[-1]
    if isinstance(value, bool):
        holder[last] = not value
    elif isinstance(value, int):
        holder[last] = chance.choice((value + 1, value - 1, *ODD_NUMBERS))
    elif isinstance(value, str):
        words = [word for _, word in everything if isinstance(word, str)]
        holder[last] = chance.choice(words)
    elif isinstance(value, list) and value and chance.randrange(2):
        value.pop(chance.randrange(len(value)))
    elif isinstance(value, dict) and value and chance.randrange(2):
        value.pop(chance.choice(list(value)))
    else:
        holder[last] = chance.choice((None, [], {}, "4021"))


def play_on(position: Position) -> None:
    """Play some random commands from a position."""
    secret = bytes(32)
    player = RandomPlayer(DerivedDice(secret, 0), Habit.BUSY)
    state = EOTS.fold(EOTS.blank(), EOTS.start(position, DerivedDice(secret, 1)))
    for n in range(FAR):
        asked = EOTS.asked(state)
        if not asked:
            return
        decision = EOTS.decision(state, asked[0])
        command = player.choose(EOTS.project(state, asked[0]), decision)
        events = EOTS.decide(state, asked[0], command, DerivedDice(secret, n + 2))
        state = EOTS.fold(state, events)


@pytest.mark.parametrize(("seed", "scenario"), [(1, "1942"), (2, "1943"), (3, "1944")])
def test_damaged_positions(seed: int, scenario: str) -> None:
    chance, played = Random(seed), 0
    sentences: list[str] = []
    for position in game(seed, scenario):
        check_position(position)
        for _ in range(3):
            found = json.loads(msgspec.json.encode(position))
            damage(found, chance)
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
