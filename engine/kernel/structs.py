"""Helpers for Structs: shared fields, and defaults that are always written."""

from functools import cache
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


def always_encoded(value: T) -> T:
    """Declare a default that is written even if the struct omits its defaults.

    msgspec compares values with their defaults by identity. Each empty value, each small number and None is always the
    same object. Other strings and structs lose their identity when decoded or sent to another process, and a record
    must not depend on that.
    """
    return msgspec.field(default_factory=lambda: value)


def shared_fields(source: msgspec.Struct, kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the values of the fields that a struct shares with a class, by field name."""
    return {name: getattr(source, name) for name in _shared_names(type(source), kind)}


@cache
def _shared_names(source: type[msgspec.Struct], kind: type[msgspec.Struct]) -> tuple[str, ...]:
    return tuple(name for name in source.__struct_fields__ if name in kind.__struct_fields__)
