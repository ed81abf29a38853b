"""Replaces one value in a position with another of the same kind.

The result must be refused with a sentence or be playable.
"""

import json
from collections.abc import Collection, Iterable, Iterator
from random import Random
from typing import Any, Final

import msgspec

from engine.bots.random_player import Habit, RandomPlayer
from engine.kernel.dice import DerivedDice
from engine.kernel.errors import PositionError
from engine.registry import AnyRuleset, position_decoder, ruleset

Path = tuple[str | int, ...]
ODD_NUMBERS: Final = (0, 1, 2, 5, 15, 99)


def _parts(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:  # noqa: ANN401  # plain JSON values
    """Yield every value inside a JSON value with its path."""
    if path:
        yield path, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _parts(inner, (*path, key))
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            yield from _parts(inner, (*path, n))


def damage(found: Any, chance: Random, words: Collection[str], often: Collection[str] = ()) -> Path:  # noqa: ANN401  # plain JSON values
    """Change one value and return its path.

    Args:
        found: The position; it is changed.
        chance: Picks the value and its change.
        words: Words that can replace a word, in addition to those of the position.
        often: Fields in which two of three changes are made.
    """
    everything = list(_parts(found))
    inner = [(path, value) for path, value in everything if path[0] in often]
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
        holder[last] = chance.choice(
            [*(word for _, word in everything if isinstance(word, str)), *words]
        )
    elif isinstance(value, list) and value and chance.randrange(2):
        value.pop(chance.randrange(len(value)))
    elif isinstance(value, dict) and value and chance.randrange(2):
        value.pop(chance.choice(list(value)))
    else:
        holder[last] = chance.choice((None, [], {}, "moscow", "4021"))
    return path


def check_damaged(
    game: str,
    positions: Iterable[msgspec.Struct],
    chance: Random,
    each: int,
    far: int,
    words: Collection[str] = (),
    often: Collection[str] = (),
) -> tuple[int, int]:
    """Check that damaged positions are either refused with a printable sentence or playable.

    Return how many positions were refused and how many were playable.

    Args:
        game: The game of the positions.
        positions: Positions before the damage.
        chance: See :func:`damage`, also for ``words`` and ``often``.
        each: Number of times to damage each position.
        far: Commands to play from an accepted position.
        words: Words that can replace a word.
        often: Fields that are damaged often.
    """
    rules, decode = ruleset(game), position_decoder(game)
    sentences, played = list[str](), 0
    for position in positions:
        whole = msgspec.json.encode(position)
        for _ in range(each):
            found = json.loads(whole)
            path = damage(found, chance, words, often)
            text = json.dumps(found).encode()
            try:
                read = decode(text, "damaged.json")
                rules.check_position(read)
            except PositionError as error:
                sentences.append(str(error))
                continue
            try:
                _play_on(rules, read, far)
            except (AssertionError, ArithmeticError, LookupError, ValueError, TypeError) as cause:
                raise AssertionError(f"{path} of {text.decode()[:2000]}: {cause!r}") from cause
            played += 1
    assert all(sentence.isprintable() for sentence in sentences)
    return len(sentences), played


def _play_on(rules: AnyRuleset, position: Any, commands: int) -> None:  # noqa: ANN401  # of any game
    """Play some random commands from a position."""
    secret = bytes(32)
    player = RandomPlayer(DerivedDice(secret, 0), Habit.BUSY)
    state = rules.fold(rules.initial_state(), rules.open_game(position, DerivedDice(secret, 1)))
    for n in range(commands):
        asked = rules.active_roles(state)
        if not asked:
            return
        view = rules.project(state, asked[0])
        command = player.choose(view, rules.decision(state, asked[0]))
        events = rules.decide(state, asked[0], command, DerivedDice(secret, n + 2))
        assert all(line.isprintable() for line in rules.log_sentences(events))
        state = rules.fold(state, events)
