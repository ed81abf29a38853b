"""Long lists of options as a short tree: by verb, then by what the command is about."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any, Final

import msgspec

from engine.kernel.notation import Notation
from engine.kernel.ruleset import Command

FLAT: Final = 12
"""So many options are shown as one list."""
Label = Callable[[Any], str]
Cells = tuple[str, ...]
"""A line in columns: a sign, a name, then what decides."""


class Standing(StrEnum):
    """How a line of a list of several stands."""

    OPEN = ""
    TICKED = "x"
    """Tried; to take it again takes it back."""
    BARRED = "-"
    """Offered before others were ticked, and not any more."""
    TOLD = "."
    """A line to read or to go to; no digit takes it."""


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
    cells: Callable[[Any], Cells]
    """An option in columns, empty where words are better."""


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
    cells: Cells = ()
    """The same in columns, where all lines around it have them."""
    over: tuple[str, ...] = ()
    """Words over the lines of which this is one: what is done, where."""
    group: str = ""
    """What all lines have in common of which several may be ticked; empty for a line that is taken alone."""
    standing: Standing = Standing.OPEN
    loss: str = ""
    """What is given up by it; the title says it, too."""
    is_commit: bool = False
    """Carries out what is planned; it is no option of the question."""
    is_likely: bool = False
    """The bar begins here."""

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
        return _flat(notation, options, words)
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


def _flat(notation: Notation[Any], options: Sequence[Any], words: Words) -> tuple[Choice, ...]:
    """Return options as one list; in columns where these leave no doubt what is done."""
    cells = [words.cells(option) for option in options]
    told = {notation.verb(option) for option, row in zip(options, cells, strict=True) if row}
    if len(told) != 1:
        cells = [() for _ in options]
    return _lines([words.label(option) for option in options], options, cells)


def _lines(
    titles: Sequence[str],
    options: Sequence[Any],
    cells: Sequence[Cells],
    over: tuple[str, ...] = (),
) -> tuple[Choice, ...]:
    """Return a line per option; columns that two of them share would not tell them apart, and are left out."""
    shared = {row for row, number in Counter(cells).items() if number > 1}
    return tuple(
        Choice(title, option, cells=() if row in shared else row, over=over)
        for title, option, row in zip(titles, options, cells, strict=True)
    )


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
        labels, details = ([tell(one) for one in options] for tell in (label, words.detail))
        cells = [words.cells(one) for one in options]
        if len(groups) == 1 and len(set(cells)) < len(cells) and not set(details) & set(labels):
            return _lines(
                details, options, [() for _ in options], tuple(filter(None, names.values()))
            )
        return _lines(labels, options, cells)
    return tuple(
        Choice(label(group[0]), group[0], cells=words.cells(group[0]))
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
