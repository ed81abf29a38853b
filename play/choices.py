"""Long lists of options as a short tree: by verb, then by what the command is about."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec

from engine.kernel.notation import Notation
from engine.kernel.ruleset import Command

FLAT: Final = 12
"""So many options are shown as one list."""
Label = Callable[[Any], str]


class Words(msgspec.Struct, frozen=True):
    """How options are told and sorted."""

    label: Label
    """Words for an option that stands alone."""
    detail: Label
    """Words for an option below a heading that names what it is about."""
    subject: Callable[[Any], tuple[str, str] | None]
    """What an option is about, as a key and its name; None when it is about nothing."""
    kind: Label
    """Words for all options of the same verb."""
    below: Label
    """Words for an option below a heading that names its verb."""


class Choice(msgspec.Struct, frozen=True):
    """One line of a list: an option, or a heading with options below."""

    title: str
    command: Any = None
    """The option; None for a heading."""
    below: "tuple[Choice, ...]" = ()
    count: int = 1
    """Options below, this one included."""
    is_aside: bool = False
    """Commands for any time: the map marks and takes them only once their list is open."""

    @property
    def is_heading(self) -> bool:
        """Return whether this leads to another list."""
        return self.command is None

    def commands(self) -> Iterator[Command]:
        """Yield every option at and below this line."""
        if self.command is not None:
            yield self.command
        for choice in self.below:
            yield from choice.commands()


def choices(notation: Notation[Any], options: Sequence[Any], words: Words) -> tuple[Choice, ...]:
    """Return the options as a tree that keeps their order.

    Args:
        notation: Tells the verbs.
        options: The commands to choose from.
        words: How they are told.
    """
    if len(options) <= FLAT:
        return tuple(Choice(words.label(option), option) for option in options)
    verbs = _grouped(options, notation.verb)
    large = [verb for verb, group in verbs.items() if len(group) > 1]
    lines: list[Choice] = []
    for group in verbs.values():
        if len(large) == 1 or len(group) == 1:
            lines.extend(_by_subject(group, words, words.label))
        else:
            below = _by_subject(group, words, words.below)
            lines.append(Choice(words.kind(group[0]), None, below, len(group)))
    return tuple(lines)


def _by_subject(options: Sequence[Any], words: Words, label: Label) -> tuple[Choice, ...]:
    """Return options of one verb, those about the same thing under one heading when there are many."""
    names: dict[str, str] = {}

    def key(option: Any) -> str:  # noqa: ANN401  (commands of any game)
        found = words.subject(option)
        if found is None:
            return ""
        names[found[0]] = found[1]
        return found[0]

    groups = _grouped(options, key)
    if len(options) <= FLAT or len(groups) in (1, len(options)):
        return tuple(Choice(label(option), option) for option in options)
    return tuple(
        Choice(label(group[0]), group[0])
        if len(group) == 1
        else Choice(
            names.get(name) or "Other",
            None,
            tuple(Choice(words.detail(option), option) for option in group),
            len(group),
        )
        for name, group in groups.items()
    )


def _grouped(options: Iterable[Any], key: Callable[[Any], str]) -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = {}
    for option in options:
        groups.setdefault(key(option), []).append(option)
    return groups
