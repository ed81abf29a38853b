"""What folds share: parts of a state are replaced whole."""

from collections.abc import Callable, Mapping
from typing import TypeVar

K = TypeVar("K", bound=str)
V = TypeVar("V")


def put(parts: Mapping[K, V], key: K, value: V) -> dict[K, V]:
    """Return parts with one of them replaced, or added at the end."""
    return {**parts, key: value}


def without(parts: Mapping[K, V], key: K) -> dict[K, V]:
    """Return parts without one of them."""
    found = dict(parts)
    found.pop(key, None)
    return found


def each(parts: Mapping[K, V], change: Callable[[V], V]) -> Mapping[K, V]:
    """Return parts with each of them changed; the very same parts if none is."""
    changed = {name: new for name, part in parts.items() if (new := change(part)) is not part}
    return {**parts, **changed} if changed else parts
