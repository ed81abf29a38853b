"""Structs: fields that others have as well, and defaults that are written out."""

from functools import cache
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


def written(value: T) -> T:
    """Return the default of a field that is written out although the struct leaves its defaults out.

    Defaults are left out by identity. Empty ones, small numbers and None are the same object everywhere; another word
    or struct is so only until it has been decoded or sent to another process, and a record must not depend on that.
    """
    return msgspec.field(default_factory=lambda: value)


def shared_fields(source: msgspec.Struct, kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the fields of a struct that a class has as well, by name; the class decides what is taken over."""
    return {name: getattr(source, name) for name in _shared(type(source), kind)}


@cache
def _shared(source: type[msgspec.Struct], kind: type[msgspec.Struct]) -> tuple[str, ...]:
    return tuple(name for name in source.__struct_fields__ if name in kind.__struct_fields__)
