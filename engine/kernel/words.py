"""Words and numbers inside typed data: one walk finds the names of nothing and the numbers out of bounds."""

import types
import typing
from collections.abc import Container, Iterator, Mapping
from functools import cache
from typing import NamedTuple, TypeAlias

import msgspec

Problem: TypeAlias = tuple[str, str]
"""Path to a field, and what is wrong there."""


class Within(NamedTuple):
    """Bounds of a number, both included; stands in the annotation of a field."""

    lowest: int
    highest: int


class Known(NamedTuple):
    """What the words of a kind of name are called, and all of them."""

    what: str
    words: Container[str]


Names: TypeAlias = Mapping[object, Known]
"""By the type of a name, or by what stands for it in an annotation."""


def problems(
    value: msgspec.Struct, path: str, names: Names, numbers: Within | None = None
) -> Iterator[Problem]:
    """Yield every unknown name and every number out of bounds, in the order of the fields.

    Args:
        value: Typed data, such as a position or a part of it.
        path: Where it stands, empty for the whole.
        names: The kinds of names that are looked up.
        numbers: Bounds of the numbers whose fields have none.
    """
    hints = _hints(type(value))
    for field in value.__struct_fields__:
        inner = f"{path}.{field}" if path else field
        yield from _of(getattr(value, field), hints[field], inner, names, numbers)


def _of(
    value: object, hint: object, path: str, names: Names, numbers: Within | None
) -> Iterator[Problem]:
    if isinstance(value, msgspec.Struct):
        yield from problems(value, path, names, numbers)
    elif isinstance(value, tuple):
        for n, item in enumerate(value):
            yield from _of(item, _inside(hint)[-1], f"{path}[{n}]", names, numbers)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _of(key, _inside(hint)[0], f"{path}.{key}", names, numbers)
            yield from _of(item, _inside(hint)[-1], f"{path}.{key}", names, numbers)
    elif isinstance(value, str):
        known = next((names[part] for part in _parts(hint) if part in names), None)
        if known is not None and value not in known.words:
            yield path, f"there is no {known.what} '{value}'"
    elif isinstance(value, int):
        bounds = next((part for part in _parts(hint) if isinstance(part, Within)), numbers)
        if bounds is not None and not bounds.lowest <= value <= bounds.highest:
            yield path, f"{value} is outside {bounds.lowest} to {bounds.highest}"


@cache
def _hints(kind: type[msgspec.Struct]) -> Mapping[str, object]:
    return typing.get_type_hints(kind, include_extras=True)


@cache
def _parts(hint: object) -> tuple[object, ...]:
    """Return what an annotation says of a single value: first what stands beside a type, then the type."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return (*args[1:], *_parts(args[0]))
    if origin in (typing.Union, types.UnionType):
        return tuple(part for arg in args for part in _parts(arg))
    return (hint,)


@cache
def _inside(hint: object) -> tuple[object, ...]:
    """Return what a container holds, of mappings keys and values; None and other parts of a union are passed over."""
    for part in _parts(hint):
        if typing.get_origin(part) not in (None, typing.Literal):
            return tuple(arg for arg in typing.get_args(part) if arg is not Ellipsis) or (None,)
    return (None,)
