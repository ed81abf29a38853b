"""Sentence templates over the fields of a struct, for log entries and victory conditions."""

from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any

import msgspec
from typing_extensions import override


class Plural(str):
    """A name that takes a plural verb, such as *the Allies*."""

    __slots__ = ()


class SentenceFormatter(Formatter):
    """Formats templates, putting the fields into words for players.

    ``{points:point|points}`` adds the noun to a number, ``{success:succeeds|fails}`` chooses by a boolean, and
    ``{side:draws|draw}`` adds the verb to a name.
    """

    def __init__(self, field_functions: Mapping[str, Callable[[Any], str]]) -> None:
        """Store the functions that put fields into words, by field name.

        Each function applies to every struct with that field.
        """
        self._field_functions = field_functions

    def fill(self, sentence: str, value: msgspec.Struct) -> str:
        """Fill in a template with a struct's fields."""
        return self.vformat(sentence, (value,), {})

    @override
    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> object:
        """Return a field's value, put into words if there is a function for the field."""
        value: object = getattr(args[0], str(key))
        return self._field_functions[str(key)](value) if key in self._field_functions else value

    @override
    def format_field(self, value: Any, format_spec: str) -> str:
        """Format a field, choosing between two words if the format specification has them."""
        if "|" not in format_spec:
            return format(value, format_spec)
        singular, plural = format_spec.split("|")
        if isinstance(value, bool):
            return singular if value else plural
        return pluralise(value, singular, plural)


def count_noun(number: int, noun: str) -> str:
    """Return a number with its noun, adding an "s" to form the plural."""
    return pluralise(number, noun, f"{noun}s")


def pluralise(value: object, singular: str, plural: str) -> str:
    """Return a number with its noun, or a name with its verb."""
    return f"{value} {singular if is_singular(value) else plural}"


def is_singular(value: object) -> bool:
    """Return whether a number or a name takes the singular."""
    return not isinstance(value, Plural) if isinstance(value, str) else value == 1
