"""Helpers shared by folds. They return new mappings instead of changing existing ones."""

from collections.abc import Callable, Mapping
from typing import TypeVar

K = TypeVar("K", bound=str)
V = TypeVar("V")


def with_value(parts: Mapping[K, V], key: K, value: V) -> dict[K, V]:
    """Return a mapping with one value replaced or added at the end."""
    return {**parts, key: value}


def without_key(parts: Mapping[K, V], key: K) -> dict[K, V]:
    """Return a mapping without one key."""
    other_parts = dict(parts)
    other_parts.pop(key, None)
    return other_parts


def map_values(parts: Mapping[K, V], change: Callable[[V], V]) -> Mapping[K, V]:
    """Return a mapping with each value changed, or the same object if no value changes."""
    # Caches recognise a mapping by identity, so an unchanged mapping must remain the same object.
    changed = {
        name: new_part for name, share in parts.items() if (new_part := change(share)) is not share
    }
    return {**parts, **changed} if changed else parts
