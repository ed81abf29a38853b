"""Words and numbers inside typed data: one walk finds the names of nothing and the numbers out of bounds."""

import types
import typing
from collections.abc import Container, Iterator, Mapping, Sequence
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


class Words:
    """Finds names of nothing and numbers out of bounds; what an annotation asks for is found out once.

    Args:
        names: The kinds of names that are looked up.
        numbers: Bounds of the numbers whose fields have none.
    """

    def __init__(self, names: Names, numbers: Within | None = None) -> None:
        self._names = names
        self._numbers = numbers
        self._asked: dict[object, _Asked] = {}
        self._fields: dict[type[msgspec.Struct], tuple[tuple[str, _Asked], ...]] = {}

    def problems(self, value: msgspec.Struct, path: str) -> Iterator[Problem]:
        """Yield every unknown name and every number out of bounds, in the order of the fields.

        Args:
            value: Typed data, such as a position or a part of it.
            path: Where it stands, empty for the whole.
        """
        for where, problem in self._in_fields(value):
            yield (path + where).removeprefix("."), problem

    def _in_fields(self, value: msgspec.Struct) -> Sequence[Problem]:
        fields = self._fields.get(type(value))
        if fields is None:
            hints = _hints(type(value))
            fields = tuple((name, self._what(hints[name])) for name in value.__struct_fields__)
            self._fields[type(value)] = fields
        found: list[Problem] = []
        for name, asked in fields:
            for where, problem in self._in(getattr(value, name), asked):
                found.append((f".{name}{where}", problem))
        return found

    def _in(self, value: object, asked: "_Asked") -> Sequence[Problem]:
        """Return what is wrong with a value; paths begin at it, so that none is written where nothing is wrong."""
        if isinstance(value, str):
            known = asked.known
            if known is not None and value not in known.words:
                return (("", f"there is no {known.what} '{value}'"),)
        elif isinstance(value, int):
            bounds = asked.bounds
            if bounds is not None and not bounds.lowest <= value <= bounds.highest:
                return (("", f"{value} is outside {bounds.lowest} to {bounds.highest}"),)
        elif isinstance(value, msgspec.Struct):
            return self._in_fields(value)
        elif isinstance(value, tuple):
            return self._in_items(value, asked)
        elif isinstance(value, Mapping):
            return self._in_entries(value, asked)
        return ()

    def _in_items(self, value: tuple[object, ...], asked: "_Asked") -> Sequence[Problem]:
        inside = self._what(asked.inside[-1])
        return [
            (f"[{n}]{where}", problem)
            for n, item in enumerate(value)
            for where, problem in self._in(item, inside)
        ]

    def _in_entries(self, value: Mapping[object, object], asked: "_Asked") -> Sequence[Problem]:
        of_key, of_item = self._what(asked.inside[0]), self._what(asked.inside[-1])
        return [
            (f".{key}{where}", problem)
            for key, item in value.items()
            for part, what in ((key, of_key), (item, of_item))
            for where, problem in self._in(part, what)
        ]

    def _what(self, hint: object) -> "_Asked":
        asked = self._asked.get(hint)
        if asked is None:
            parts = _parts(hint)
            known = next((self._names[part] for part in parts if part in self._names), None)
            bounds = next((part for part in parts if isinstance(part, Within)), self._numbers)
            asked = self._asked[hint] = _Asked(known, bounds, _inside(hint))
        return asked


class _Asked(NamedTuple):
    """What an annotation asks of a value: of a word, of a number, and what it holds."""

    known: Known | None
    bounds: Within | None
    inside: tuple[object, ...]


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
