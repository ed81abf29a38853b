"""Collects a game's kinds of events, commands, frames or steps from the modules that declare them."""

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Any, TypeVar

import msgspec

T = TypeVar("T", bound=msgspec.Struct)


def leaf_types(base: type[T], *names: Mapping[str, object]) -> tuple[type[T], ...]:
    """Return a base class's leaf subclasses among the given names, in order.

    Args:
        base: The common base class.
        names: ``globals()`` or ``vars()`` of the modules.
    """
    kinds = (kind for namespace in names for kind in namespace.values() if isinstance(kind, type))
    # A type may be found twice, because one module may import it from another.
    subclasses = dict.fromkeys(kind for kind in kinds if issubclass(kind, base))
    return tuple(kind for kind in subclasses if not kind.__subclasses__())


def union_of(kinds: tuple[type[msgspec.Struct], ...]) -> Any:  # noqa: ANN401 - no static type can name it
    """Return the tagged union of several types, used for decoding."""
    return reduce(or_, kinds[1:], kinds[0])
