"""Finds unknown names and out-of-range numbers in typed data, in a single pass."""

import types
import typing
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

import msgspec

Problem: TypeAlias = tuple[str, str]
"""The path to a field, and the problem with its value."""


class Bounds(NamedTuple):
    """Inclusive bounds for a number, used in field annotations."""

    minimum: int
    maximum: int


class Vocabulary(NamedTuple):
    """All valid names of one kind, with the noun that messages use for them."""

    noun: str
    words: Container[str]


Names: TypeAlias = Mapping[object, Vocabulary]
"""The vocabulary for each kind of name, keyed by the name's type or by its marker in an annotation."""


class ReferenceChecker:
    """Finds unknown names and out-of-range numbers. The requirements of each annotation are cached.

    Args:
        names: The kinds of names to check.
        numbers: Bounds for numbers in fields without bounds of their own.
    """

    def __init__(self, names: Names, numbers: Bounds | None = None) -> None:
        self._names = names
        self._numbers = numbers
        self._requirements_by_hint: dict[object, _Requirements] = {}
        self._fields: dict[type[msgspec.Struct], tuple[tuple[str, _Requirements], ...]] = {}

    def problems(self, value: msgspec.Struct, path: str) -> Iterator[Problem]:
        """Yield every unknown name and every out-of-range number, in field order.

        Args:
            value: Typed data, such as a position or part of one.
            path: Path to the value, or empty for the top level.
        """
        for problem_path, problem in self._check_fields(value):
            yield (path + problem_path).removeprefix("."), problem

    def _check_fields(self, value: msgspec.Struct) -> Sequence[Problem]:
        fields = self._fields.get(type(value))
        if fields is None:
            hints = _type_hints(type(value))
            fields = tuple(
                (name, self._requirements(hints[name])) for name in value.__struct_fields__
            )
            self._fields[type(value)] = fields
        problems: list[Problem] = []
        for name, requirements in fields:
            for path, problem in self._check_value(getattr(value, name), requirements):
                problems.append((f".{name}{path}", problem))
        return problems

    def _check_value(self, value: object, requirements: "_Requirements") -> Sequence[Problem]:
        """Return the problems with a value. Paths are relative to the value, so no path is built for valid data."""
        if isinstance(value, str):
            vocabulary = requirements.vocabulary
            if vocabulary is not None and value not in vocabulary.words:
                return (("", f"there is no {vocabulary.noun} '{value}'"),)
        elif isinstance(value, int):
            bounds = requirements.bounds
            if bounds is not None and not bounds.minimum <= value <= bounds.maximum:
                return (("", f"{value} is outside {bounds.minimum} to {bounds.maximum}"),)
        elif isinstance(value, msgspec.Struct):
            return self._check_fields(value)
        elif isinstance(value, tuple):
            return self._check_items(value, requirements)
        elif isinstance(value, Mapping):
            return self._check_entries(value, requirements)
        return ()

    def _check_items(
        self, value: tuple[object, ...], requirements: "_Requirements"
    ) -> Sequence[Problem]:
        """Return the problems with a tuple's items, checked against the tuple type that fits best."""
        fewest_problems: Sequence[Problem] | None = None
        for hints in requirements.tuples:
            if hints[-1:] != (Ellipsis,) and len(hints) != len(value):
                continue
            item_requirements = [self._requirements(hint) for hint in hints if hint is not Ellipsis]
            problems = [
                (f"[{index}]{path}", problem)
                for index, item in enumerate(value)
                for path, problem in self._check_value(
                    item, item_requirements[min(index, len(item_requirements) - 1)]
                )
            ]
            if not problems:
                return ()
            fewest_problems = (
                problems
                if fewest_problems is None or len(problems) < len(fewest_problems)
                else fewest_problems
            )
        return fewest_problems or ()

    def _check_entries(
        self, value: Mapping[object, object], requirements: "_Requirements"
    ) -> Sequence[Problem]:
        key_requirements, value_requirements = map(self._requirements, requirements.entry)
        return [
            (f".{key}{path}", problem)
            for key, item in value.items()
            for part, part_requirements in ((key, key_requirements), (item, value_requirements))
            for path, problem in self._check_value(part, part_requirements)
        ]

    def _requirements(self, hint: object) -> "_Requirements":
        cached_requirements = self._requirements_by_hint.get(hint)
        if cached_requirements is None:
            parts = _annotation_parts(hint)
            vocabulary = next(
                (self._names[annotation] for annotation in parts if annotation in self._names), None
            )
            bounds = next(
                (annotation for annotation in parts if isinstance(annotation, Bounds)),
                self._numbers,
            )
            cached_requirements = self._requirements_by_hint[hint] = _Requirements(
                vocabulary, bounds, _tuple_hints(hint), _entry_hints(hint)
            )
        return cached_requirements


class _Requirements(NamedTuple):
    """What an annotation requires of a value."""

    vocabulary: Vocabulary | None
    bounds: Bounds | None
    tuples: tuple[tuple[object, ...], ...]
    """The item annotations of each tuple type in a union. An Ellipsis repeats the annotation before it."""
    entry: tuple[object, object]
    """The annotations of a mapping's keys and values."""


@cache
def _type_hints(kind: type[msgspec.Struct]) -> Mapping[str, object]:
    return typing.get_type_hints(kind, include_extras=True)


@cache
def _annotation_parts(hint: object) -> tuple[object, ...]:
    """Return the parts of an annotation for a single value: first its metadata, then its type."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return (*args[1:], *_annotation_parts(args[0]))
    if origin in (typing.Union, types.UnionType):
        return tuple(annotation for arg in args for annotation in _annotation_parts(arg))
    return (hint,)


@cache
def _tuple_hints(hint: object) -> tuple[tuple[object, ...], ...]:
    """Return the item annotations of each tuple type that an annotation allows."""
    parts = (
        annotation
        for annotation in _annotation_parts(hint)
        if typing.get_origin(annotation) is tuple
    )
    return tuple(typing.get_args(annotation) for annotation in parts)


@cache
def _entry_hints(hint: object) -> tuple[object, object]:
    """Return the key and value annotations of the first mapping type in an annotation, or two Nones."""
    for annotation in _annotation_parts(hint):
        origin = typing.get_origin(annotation)
        if isinstance(origin, type) and issubclass(origin, Mapping):
            key, item = typing.get_args(annotation)
            return key, item
    return None, None
