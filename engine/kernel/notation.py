"""The text notation: one canonical line per command, parsed and printed without loss.

A line is the command's verb (the tag of its Struct) and its fields in order, separated by blanks:
``march us-corps-xi 3822``. A field is a word, a whole number, ``-`` for None, or words joined by ``+`` for a tuple
(``.`` when it is empty).
"""

import re
import types
from collections.abc import Iterable
from typing import Generic, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from engine.kernel.docstrings import first_line
from engine.kernel.errors import NotationError
from engine.kernel.lexicon import folded, nearest
from engine.kernel.numerals import whole_number
from engine.kernel.schema_errors import value_problem
from engine.kernel.sentences import counted

C = TypeVar("C", bound=msgspec.Struct)

_NONE = "-"
_EMPTY = "."


def _strip_new_type(kind: object) -> object:
    while hasattr(kind, "__supertype__"):
        kind = kind.__supertype__
    return kind


def _read(kind: object, word: str) -> object:
    """Return a field value from its word; raises ValueError when the word does not fit the type."""
    kind = _strip_new_type(kind)
    if isinstance(kind, types.UnionType) or get_origin(kind) is Union:  # an id that may be None
        if word == _NONE:
            return None
        kind = _strip_new_type(next(part for part in get_args(kind) if part is not type(None)))
    if get_origin(kind) is tuple:
        part = get_args(kind)[0]
        return () if word == _EMPTY else tuple(_read(part, piece) for piece in word.split("+"))
    if get_origin(kind) is Literal:
        if word not in get_args(kind):
            raise ValueError(word)
        return word
    if kind is int:
        return whole_number(word)
    if isinstance(kind, type) and issubclass(kind, str):
        return kind(word)
    raise TypeError(f"no notation for fields of type {kind!r}")


def _write(value: object) -> str:
    if value is None:
        return _NONE
    if isinstance(value, tuple):
        return "+".join(map(str, value)) or _EMPTY
    return str(value)


class Verb(msgspec.Struct, frozen=True):
    """One command as the notation knows it."""

    word: str
    fields: tuple[str, ...]
    summary: str
    """First line of the command's docstring; empty under ``python -OO`` without the source."""


class Notation(Generic[C]):
    """Reads and prints the commands of one game."""

    def __init__(self, commands: Iterable[type[C]]) -> None:
        """Learn the verbs from the command Structs."""
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
        """Accept a verb in any case.

        Raises:
            NotationError: There is no such verb; the sentence names those spelled like it or explained with this
                word, or all of them.
        """
        if word.lower() in self._types:
            return
        wanted = folded(word)
        told = [
            verb.word
            for verb in self.verbs()
            if wanted and wanted in re.split(r"\W+", verb.summary.casefold())
        ]
        near = tuple(dict.fromkeys((*nearest(word, self._types), *told)))
        known = (
            f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(self._types)}"
        )
        raise NotationError(word, f"unknown command '{word}'; {known}")

    def verb(self, command: C) -> str:
        """Return the verb of a command."""
        return str(type(command).__struct_config__.tag)

    def line(self, command: C) -> str:
        """Return the canonical line of a command."""
        words = [_write(getattr(command, name)) for name, _ in self._fields[type(command)]]
        return " ".join([self.verb(command), *words])

    def parse(self, line: str) -> C:
        """Return the command that a line names; case and extra blanks do not matter.

        Raises:
            NotationError: Unknown verb, wrong number of words, or a word that does not fit.
        """
        verb, *words = line.split() or [""]
        self.check_verb(verb)
        kind = self._types[verb.lower()]
        fields = self._fields[kind]
        if len(words) != len(fields):
            wanted = " ".join(name for name, _ in fields) or "nothing"
            raise NotationError(line, f"'{verb}' takes {counted(len(fields), 'word')}: {wanted}")
        values: dict[str, object] = {}
        for (name, hint), word in zip(fields, words, strict=True):
            try:
                values[name] = _read(hint, word)
            except ValueError as error:
                raise NotationError(line, f"{name} cannot be '{word}'") from error
        try:
            return msgspec.convert(values, kind)
        except msgspec.ValidationError as error:
            path, problem = value_problem(values, kind, error)
            raise NotationError(line, f"{path.removeprefix('$.')}: {problem}") from error

    def complete(self, prefix: str, options: Iterable[C]) -> tuple[str, ...]:
        """Return the lines of the options that begin with a prefix, in the order of the options."""
        wanted = " ".join(prefix.split()).lower()
        return tuple(line for line in map(self.line, options) if line.lower().startswith(wanted))
