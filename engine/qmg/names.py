"""Field types for the names of spaces, forces and cards, and a function that finds unknown names."""

from collections.abc import Container, Iterator, Mapping
from functools import cache
from typing import Annotated, TypeAlias, get_args, get_type_hints

import msgspec

from engine.qmg.atlas import SPACE
from engine.qmg.ids import COUNTRIES, FORCES, KINDS, TEAMS

Problem: TypeAlias = tuple[str, str]
"""The path to a field, and a sentence that describes the problem."""


class Known(msgspec.Struct, frozen=True, eq=False):
    """The valid words for a field. A field without a default must not be empty."""

    noun: str
    words: Container[str]


SpaceId: TypeAlias = Annotated[str, Known("space", SPACE)]
ForceId: TypeAlias = Annotated[str, Known("force", FORCES)]
CountryId: TypeAlias = Annotated[str, Known("country", COUNTRIES)]
TeamId: TypeAlias = Annotated[str, Known("team", TEAMS)]
KindId: TypeAlias = Annotated[str, Known("kind of piece", KINDS)]


def name_problems(value: msgspec.Struct, path: str = "$") -> Iterator[Problem]:
    """Yield a problem for each unknown name in a struct and in the structs inside it, in field order."""
    for name, known_names, literals, is_required in _fields(type(value)):
        field_value: object = getattr(value, name)
        if known_names is not None and field_value == "":
            if is_required:
                yield f"{path}.{name}", "this must not be empty"
            continue
        yield from _problems(field_value, known_names, literals, f"{path}.{name}")


def _problems(
    value: object, known_rule: Known | None, literals: Container[object], path: str
) -> Iterator[Problem]:
    if isinstance(value, msgspec.Struct):
        yield from name_problems(value, path)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _problems(key, known_rule, literals, path)
            yield from _problems(item, known_rule, literals, f"{path}.{key}")
    elif isinstance(value, tuple):
        for item in value:
            yield from _problems(item, known_rule, literals, path)
    elif (
        isinstance(value, str)
        and known_rule is not None
        and value not in known_rule.words
        and value not in literals
    ):
        yield path, f"there is no {known_rule.noun} '{value}'"


@cache
def _fields(
    kind: type[msgspec.Struct],
) -> tuple[tuple[str, Known | None, Container[object], bool], ...]:
    """Return each field's name, its valid words, other accepted literals, and whether the field is required."""
    hints = get_type_hints(kind, include_extras=True)
    fields = []
    for field in msgspec.structs.fields(kind):
        parts = tuple(_parts(hints[field.name]))
        known_part = next(
            (annotation for annotation in parts if isinstance(annotation, Known)), None
        )
        fields.append((field.name, known_part, parts, field.required))
    return tuple(fields)


def _parts(hint: object) -> Iterator[object]:
    """Yield the parts of an annotation, including the words of literals."""
    yield hint
    for annotation in get_args(hint):
        yield from _parts(annotation)
