"""Vocabularies collected from their base: the kinds of facts, commands, frames or steps of a game."""

from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import Any, TypeVar

import msgspec

T = TypeVar("T", bound=msgspec.Struct)


def kinds(base: type[T]) -> tuple[type[T], ...]:
    """Return the kinds below a base in the order of their declaration; what has kinds below itself is none."""
    return tuple(dict.fromkeys(_leaves(base)))


def _leaves(base: type[T]) -> Iterator[type[T]]:
    for kind in base.__subclasses__():
        yield from _leaves(kind) if kind.__subclasses__() else (kind,)


def union_of(base: type[msgspec.Struct]) -> Any:  # noqa: ANN401 - a union that no static type can name
    """Return the tagged union of all kinds below a base, for decoding."""
    return reduce(or_, kinds(base))
