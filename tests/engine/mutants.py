"""Mutants of JSON values. For each kind of field, one value is replaced by every odd value that someone could write."""

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from random import Random
from typing import Any, Final, NamedTuple

Path = tuple[str | int, ...]
Shape = tuple[str, ...]
ODD_NUMBERS: Final = (0, -1, 1, 99, -99, 10**9, 10**30, 0.5)
ODD_WORDS: Final = ("", "zz", "-1", "٣", "a\x1bb")
OTHERS: Final[tuple[Any, ...]] = (None, True, [], {}, [None], {"zz": "zz"})
MISSING: Final = object()
DOUBLED: Final = object()
RENAMED: Final = object()
NOT_A_NUMBER: Final = float("nan")
_OTHER_WORDS: Final = 2
"""Number of words from other fields of the same kind to try in a field."""


class Mutant(NamedTuple):
    """A value with one change, as text."""

    path: str
    value: str
    """Description of the new value."""
    text: bytes


def mutants(
    plain: Any,  # noqa: ANN401 - plain JSON values
    chance: Random,
    under: str = "",
    every: int = 1,
) -> Iterator[Mutant]:
    """Yield every change once for each kind of field.

    Args:
        plain: The whole value.
        chance: Picks the place among those of a kind.
        under: Top-level field to change values in; empty for all.
        every: Yield only one out of this number of mutants.
    """
    kinds: dict[Shape, list[tuple[Path, Any]]] = {}
    for path, value in _parts(plain):
        if under and path[0] != under:
            continue
        kinds.setdefault(_shape(plain, path), []).append((path, value))
    number = chance.randrange(every)
    for places in kinds.values():
        samples = [value for _, value in places]
        for change in _changes(samples, chance):
            path, value = chance.choice(places)
            if change == value and type(change) is type(value):
                continue
            number += 1
            if number % every:
                continue
            copy = deepcopy(plain)
            _put(copy, path, change)
            yield Mutant(".".join(map(str, path)), _named(change), json.dumps(copy).encode())


def _named(change: object) -> str:
    names = {id(MISSING): "(missing)", id(DOUBLED): "(twice)", id(RENAMED): "(renamed)"}
    return names.get(id(change)) or json.dumps(change)


def _parts(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:  # noqa: ANN401 - plain JSON values
    """Yield every value inside a JSON value with its path."""
    if path:
        yield path, value
    inside: Sequence[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        inside = [*value.items()]
    elif isinstance(value, list):
        inside = [*enumerate(value)]
    for key, inner in inside:
        yield from _parts(inner, (*path, key))


def _shape(plain: Any, path: Path) -> Shape:  # noqa: ANN401 - plain JSON values
    """Return the kind of a place: its field names, without list indexes and with the tag of each kind of object."""
    shape: list[str] = []
    value = plain
    for key in path:
        if isinstance(value, list):
            shape.append("*")
        else:
            shape += [
                str(value.get("kind") or value.get("frame") or ""),
                str(key) if _is_record(value) else "*",
            ]
        value = value[key]
    return tuple(shape)


def _is_record(value: Mapping[str, Any]) -> bool:
    """Return whether an object has fields, and is not a table of names, which contains objects or lists of one kind."""
    kinds = {type(inner) for inner in value.values()}
    return len(value) == 1 or len(kinds) > 1 or not kinds <= {dict, list}


def _changes(samples: Sequence[Any], chance: Random) -> list[Any]:
    """Return the replacements for values of a kind."""
    found: list[Any] = [MISSING, DOUBLED, RENAMED, NOT_A_NUMBER, *ODD_NUMBERS, *ODD_WORDS, *OTHERS]
    numbers = sorted({value for value in samples if type(value) is int})
    words = sorted({value for value in samples if isinstance(value, str)})
    if numbers:
        found += [numbers[0] - 1, numbers[-1] + 1]
    found += chance.sample(words, min(len(words), _OTHER_WORDS))
    lists = [value for value in samples if isinstance(value, list | dict) and value]
    if lists:
        found.append(deepcopy(chance.choice(lists)))
    return found


def _put(whole: Any, path: Path, change: object) -> None:  # noqa: ANN401 - plain JSON values
    """Make a change at a place."""
    holder = whole
    for key in path[:-1]:
        holder = holder[key]
    last = path[-1]
    if change is MISSING:
        del holder[last]
    elif change is DOUBLED:
        value = holder[last]
        if isinstance(holder, list):
            holder.insert(int(last), value)
        elif isinstance(value, list):
            holder[last] = value + value
        else:
            holder["zz"] = value
    elif change is RENAMED:
        if isinstance(holder, list):
            holder.reverse()
        else:
            holder["zz"] = holder.pop(last)
    else:
        holder[last] = deepcopy(change)
