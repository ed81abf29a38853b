"""Positions of any game as plain data, with one value replaced by another of the same kind."""

from collections.abc import Collection, Iterator
from random import Random
from typing import Any, Final

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
