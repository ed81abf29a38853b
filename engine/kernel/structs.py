"""Structs that take fields of others over by their names."""

from functools import cache
from typing import Any

import msgspec


def shared_fields(source: msgspec.Struct, kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the fields of a struct that a class has as well, by name; the class decides what is taken over."""
    return {name: getattr(source, name) for name in _shared(type(source), kind)}


@cache
def _shared(source: type[msgspec.Struct], kind: type[msgspec.Struct]) -> tuple[str, ...]:
    return tuple(name for name in source.__struct_fields__ if name in kind.__struct_fields__)
