"""Positions: the way out and back, and damaged ones, which are refused with a sentence or can be played on."""

import json
from collections.abc import Iterator
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
from tests.engine.qmg.random_games import AUDIENCES, SCENARIOS, derived, game
from tests.sizes import sized

Path = tuple[str | int, ...]
FAR = 25
"""Commands played on from an accepted position."""
ODD_NUMBERS = (0, 1, 2, 5, 15, 99)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_p2_a_position_is_exported_and_started_again(scenario: str) -> None:
    for step in game(scenario):
        state = step.state
        position = QMG.export(state)
        QMG.check_position(position)
        text = msgspec.json.encode(position)
        back = decode_position(text, "again.json")
        assert back == position
        again = QMG.fold(QMG.blank(), QMG.start(back, derived("again")))
        assert msgspec.json.encode(QMG.export(again)) == text
        assert QMG.asked(again) == QMG.asked(state)
        for role in AUDIENCES:
            assert QMG.project(again, role) == QMG.project(state, role)
            if role is not None:
                assert QMG.any_time(again, role) == QMG.any_time(state, role)
        for role in QMG.asked(state):
            assert QMG.decision(again, role) == QMG.decision(state, role)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_p2_a_started_position_goes_on_alike(scenario: str) -> None:
    for step in game(scenario):
        again = QMG.fold(QMG.blank(), QMG.start(QMG.export(step.state), derived("again")))
        dice = DerivedDice(step.secret, step.number)
        assert QMG.decide(again, step.role, step.command, dice) == step.events()


# -- nonsense


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


def damage(found: Any, chance: Random) -> Path:  # noqa: ANN401  # plain JSON values
    """Change one value of a position to another of its kind; half of them where the game stands."""
    everything = list(parts(found))
    inner = [(p, v) for p, v in everything if p[0] in {"frames", "turn", "outcome"}]
    path, value = chance.choice(inner if inner and chance.randrange(3) else everything)
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
        holder[last] = chance.choice([*words, "", "nonsense"])
    elif isinstance(value, list) and value and chance.randrange(2):
        value.pop(chance.randrange(len(value)))
    elif isinstance(value, dict) and value and chance.randrange(2):
        value.pop(chance.choice(list(value)))
    else:
        holder[last] = chance.choice((None, [], {}, "moscow"))
    return path


def play_on(position: Position) -> None:
    """Play some random commands from a position."""
    secret = bytes(32)
    player: Any = RandomPlayer(DerivedDice(secret, 0), Habit.BUSY)
    state = QMG.fold(QMG.blank(), QMG.start(position, DerivedDice(secret, 1)))
    for n in range(FAR):
        asked = QMG.asked(state)
        if not asked:
            return
        QMG.project(state, asked[0])
        command = player.choose(None, QMG.decision(state, asked[0]))
        events = QMG.decide(state, asked[0], command, DerivedDice(secret, n + 2))
        for event in events:
            QMG.describe(event)
        state = QMG.fold(state, events)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_damaged_positions(scenario: str, seed: int) -> None:
    chance, played = Random(seed), 0
    sentences: list[str] = []
    for step in game(scenario)[seed::2]:
        position = QMG.export(step.state)
        for _ in range(sized(2, 4, 40)):
            found = json.loads(msgspec.json.encode(position))
            path = damage(found, chance)
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
