"""The text notation: one canonical line per command, parsed and printed without loss.

A line is the command's verb (its Struct's tag) followed by its fields in order, separated by spaces: ``march
us-corps-xi 3822``. A field is a word, a whole number, ``-`` for None, or words joined by ``+`` for a tuple (``.`` for
an empty tuple).
"""

import re
import types
from collections.abc import Iterable
from typing import Generic, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from engine.kernel.docstrings import first_line
from engine.kernel.errors import NotationError
from engine.kernel.lexicon import most_similar, normalise_word
from engine.kernel.numerals import whole_number
from engine.kernel.schema_errors import value_problem
from engine.kernel.sentences import count_noun

C = TypeVar("C", bound=msgspec.Struct)

_NONE_WORD = "-"
_EMPTY_WORD = "."


def _strip_new_type(kind: object) -> object:
    while hasattr(kind, "__supertype__"):
        kind = kind.__supertype__
    return kind


def _parse_value(kind: object, word: str) -> object:
    """Convert a word to a field value, or raise ValueError if the word does not fit the type."""
    kind = _strip_new_type(kind)
    if isinstance(kind, types.UnionType) or get_origin(kind) is Union:  # an optional id
        if word == _NONE_WORD:
            return None
        kind = _strip_new_type(next(part for part in get_args(kind) if part is not type(None)))
    if get_origin(kind) is tuple:
        annotation = get_args(kind)[0]
        return (
            ()
            if word == _EMPTY_WORD
            else tuple(_parse_value(annotation, piece) for piece in word.split("+"))
        )
    if get_origin(kind) is Literal:
        if word not in get_args(kind):
            raise ValueError(word)
        return word
    if kind is int:
        return whole_number(word)
    if isinstance(kind, type) and issubclass(kind, str):
        return kind(word)
    raise TypeError(f"no notation for fields of type {kind!r}")


def _format_value(value: object) -> str:
    if value is None:
        return _NONE_WORD
    if isinstance(value, tuple):
        return "+".join(map(str, value)) or _EMPTY_WORD
    return str(value)


class Verb(msgspec.Struct, frozen=True):
    """Describes a command in the notation."""

    word: str
    fields: tuple[str, ...]
    summary: str
    """First line of the command's docstring. Empty under ``python -OO`` if the source file is missing."""


class Notation(Generic[C]):
    """Parses and formats one game's commands."""

    def __init__(self, commands: Iterable[type[C]]) -> None:
        """Register the verbs of the given commands."""
        self._types: dict[str, type[C]] = {}
        self._fields: dict[type[C], tuple[tuple[str, object], ...]] = {}
        for kind in commands:
            tag = kind.__struct_config__.tag
            hints = get_type_hints(kind)
            self._types[str(tag)] = kind
            self._fields[kind] = tuple((name, hints[name]) for name in kind.__struct_fields__)

    def verbs(self) -> tuple[Verb, ...]:
        """Return all verbs in alphabetical order."""
        return tuple(
            Verb(
                word,
                tuple(name for name, _ in self._fields[kind]),
                first_line(kind),
            )
            for word, kind in sorted(self._types.items())
        )

    def check_verb(self, word: str) -> None:
        """Check that a verb exists, ignoring case.

        Raises:
            NotationError: There is no such verb. The message suggests verbs with a similar spelling or with this word
                in their description, or else lists all verbs.
        """
        if word.lower() in self._types:
            return
        normalised = normalise_word(word)
        wrong_kinds = [
            verb.word
            for verb in self.verbs()
            if normalised and normalised in re.split(r"\W+", verb.summary.casefold())
        ]
        similar_words = tuple(dict.fromkeys((*most_similar(word, self._types), *wrong_kinds)))
        hint = (
            f"did you mean {' or '.join(similar_words)}?"
            if similar_words
            else f"known: {', '.join(self._types)}"
        )
        raise NotationError(word, f"unknown command '{word}'; {hint}")

    def verb(self, command: C) -> str:
        """Return a command's verb."""
        return str(type(command).__struct_config__.tag)

    def summary(self, command: C) -> str:
        """Return the summary of a command's verb."""
        return first_line(type(command))

    def line(self, command: C) -> str:
        """Return a command's canonical line."""
        words = [_format_value(getattr(command, name)) for name, _ in self._fields[type(command)]]
        return " ".join([self.verb(command), *words])

    def parse(self, line: str) -> C:
        """Parse a line into a command. Case and extra spaces do not matter.

        Raises:
            NotationError: The verb is unknown, the number of words is wrong, or a word does not fit its field.
        """
        verb, *words = line.split() or [""]
        self.check_verb(verb)
        kind = self._types[verb.lower()]
        fields = self._fields[kind]
        if len(words) != len(fields):
            expected_text = " ".join(name for name, _ in fields) or "nothing"
            raise NotationError(
                line, f"'{verb}' takes {count_noun(len(fields), 'word')}: {expected_text}"
            )
        values: dict[str, object] = {}
        for (name, hint), word in zip(fields, words, strict=True):
            try:
                values[name] = _parse_value(hint, word)
            except ValueError as error:
                raise NotationError(line, f"{name} cannot be '{word}'") from error
        try:
            # A constructor would not check the bounds in the annotations, but a conversion does.
            return msgspec.convert(values, kind)
        except msgspec.ValidationError as error:
            path, problem = value_problem(values, kind, error)
            raise NotationError(line, f"{path.removeprefix('$.')}: {problem}") from error

    def complete(self, prefix: str, options: Iterable[C]) -> tuple[str, ...]:
        """Return the option lines that start with a prefix, in the order of the options."""
        typed_text = " ".join(prefix.split()).lower()
        return tuple(
            line for line in map(self.line, options) if line.lower().startswith(typed_text)
        )
