"""Arranges long lists of options as a shallow tree: first by verb, then by subject."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any, Final, NamedTuple

import msgspec

from engine.kernel.notation import Notation
from engine.kernel.ruleset import Command

MAX_FLAT_OPTIONS: Final = 12
"""Maximum number of options shown as one list."""
Label = Callable[[Any], str]
Cells = tuple[str, ...]
"""An option in columns: a symbol, a name, and then the figures that matter for the choice."""


class OptionState(StrEnum):
    """State of a line in a list where several options can be ticked."""

    OPEN = ""
    TICKED = "x"
    """The line has been chosen. Choosing it again unticks it."""
    BARRED = "-"
    """The line is unavailable because other lines have been ticked."""
    READ_ONLY = "."
    """The line is shown for reading or navigation only. It has no digit key."""


class Tick(msgspec.Struct, frozen=True):
    """How an option is listed if it can be ticked together with others of its kind."""

    group: str
    """Name of the group of options, such as ``Activate`` or ``Battle of 4021 Rabaul``."""
    place: str = ""
    """The piece's location, in words; empty if the location does not matter."""
    question_names_group: bool = False
    """True if the prompt already names the group."""
    is_cost: bool = False
    """True if each tick costs something. The line that ends the step is then listed first."""
    sublist: str = ""
    """Heading of the sublist that contains this line; empty for the main list. Sublists are listed last."""
    rank: int = 0
    """Sort key of the group, lowest first. Groups with equal keys keep their order."""
    boxes: int = 0
    """How often the option can be ticked, for example once per step of a unit.

    The line has a box for each tick; 0 for none.
    """


class OptionTexts(msgspec.Struct, frozen=True):
    """Functions that provide the options' texts and grouping."""

    label: Label
    """Text of an option that is not under a heading."""
    detail: Label
    """Text of an option under a heading that names its subject."""
    subject: Callable[[Any], tuple[str, str] | None]
    """Key and name of an option's subject, such as a unit; None if it has no subject."""
    kind: Label
    """Heading for all options that share a verb."""
    short_label: Label
    """Text of an option under a heading that names the verb."""
    cells: Callable[[Any], Cells]
    """The columns of an option; empty if plain text is clearer."""
    has_own_list: Callable[[Any], bool]
    """Returns True if all options with this option's verb go into a sublist, however few there are."""


class Choice(msgspec.Struct, frozen=True):
    """One line in a list: an option, or a heading that opens a sublist."""

    title: str
    command: Any = None
    """The option; None for a heading."""
    children: "tuple[Choice, ...]" = ()
    count: int = 1
    """Number of options in this line and its sublists."""
    is_any_time: bool = False
    """True for any-time commands. The map shows and accepts them only while their list is open."""
    cells: Cells = ()
    """The columns that replace the title if all neighbouring lines have columns too."""
    headings: tuple[str, ...] = ()
    """Headings above this line and its neighbours: the action and the place."""
    group: str = ""
    """Name of the group of tickable lines that this line belongs to; empty if the line cannot be ticked."""
    state: OptionState = OptionState.OPEN
    ticks: int = 0
    """How often the line has been ticked. An open line with ticks can be ticked again."""
    loss: str = ""
    """The choice's cost to the player, in words. This text is also part of the title."""
    is_commit: bool = False
    """True for the line that carries out the plan, which is not one of the decision's options."""
    is_likely: bool = False
    """True for the line on which the selection bar is placed first."""

    @property
    def is_heading(self) -> bool:
        """Return whether this line opens another list."""
        return self.command is None

    def commands(self) -> Iterator[Command]:
        """Yield the options in this line and its sublists."""
        if self.command is not None:
            yield self.command
        for choice in self.children:
            yield from choice.commands()


class Consequence(NamedTuple):
    """The loss that a command causes, and the question to ask before the command is given."""

    loss: str = ""
    """The cost in a few words; empty if the command costs nothing.

    The option's line ends with these words and is the last of its list.
    """
    question: str = ""
    """The question that the player must confirm before the command is given; empty for none.

    If only :attr:`loss` is set, the line itself is warning enough. A player who ends the step without choosing the line
    is still asked.
    """


NO_CONSEQUENCE: Final = Consequence()


def build_choice_tree(
    notation: Notation[Any], options: Sequence[Any], texts: OptionTexts
) -> tuple[Choice, ...]:
    """Arrange the options in a tree, preserving their order.

    Args:
        notation: Provides the verbs.
        options: The commands to choose from.
        texts: Functions that provide the options' texts and grouping.
    """
    listed_options = [option for option in options if texts.has_own_list(option)]
    if listed_options:
        other_options = [option for option in options if not texts.has_own_list(option)]
        sublists = (
            Choice(
                texts.kind(group[0]),
                None,
                _group_by_subject(group, texts, texts.short_label),
                len(group),
            )
            for group in _group_by(listed_options, notation.verb).values()
        )
        return (
            *sublists,
            *(build_choice_tree(notation, other_options, texts) if other_options else ()),
        )
    if len(options) <= MAX_FLAT_OPTIONS:
        return _flat_choices(notation, options, texts)
    verbs = _group_by(options, notation.verb)
    large_verbs = [verb for verb, group in verbs.items() if len(group) > 1]
    lines: list[Choice] = []
    for group in verbs.values():
        if len(large_verbs) == 1 or len(group) == 1:
            lines.extend(_group_by_subject(group, texts, texts.label))
        else:
            children = _group_by_subject(group, texts, texts.short_label)
            lines.append(Choice(texts.kind(group[0]), None, children, len(group)))
    return tuple(lines)


def _flat_choices(
    notation: Notation[Any], options: Sequence[Any], texts: OptionTexts
) -> tuple[Choice, ...]:
    """Return the options as one list, without sublists.

    Use columns if all options that have columns share a verb.
    """
    cells = [texts.cells(option) for option in options]
    verbs = {notation.verb(option) for option, row in zip(options, cells, strict=True) if row}
    if len(verbs) != 1:
        cells = [() for _ in options]
    return _option_lines([texts.label(option) for option in options], options, cells)


def _option_lines(
    titles: Sequence[str],
    options: Sequence[Any],
    cells: Sequence[Cells],
    headings: tuple[str, ...] = (),
) -> tuple[Choice, ...]:
    """Return one line per option.

    Lines are shown as text if their columns would be identical.
    """
    repeated_rows = {row for row, number in Counter(cells).items() if number > 1}
    return tuple(
        Choice(title, option, cells=() if row in repeated_rows else row, headings=headings)
        for title, option, row in zip(titles, options, cells, strict=True)
    )


def _group_by_subject(
    options: Sequence[Any], texts: OptionTexts, label: Label
) -> tuple[Choice, ...]:
    """Return the lines for one verb's options.

    If there are many, group options with the same subject under a heading.
    """
    subject_names: dict[str, str] = {}

    def subject_key(option: Any) -> str:  # noqa: ANN401  # commands of any game
        subject = texts.subject(option)
        if subject is None:
            return ""
        subject_names[subject[0]] = subject[1]
        return subject[0]

    groups = _group_by(options, subject_key)
    if len(options) <= MAX_FLAT_OPTIONS or len(groups) in (1, len(options)):
        labels, details = (
            [text_of(option) for option in options] for text_of in (label, texts.detail)
        )
        cells = [texts.cells(option) for option in options]
        if len(groups) == 1 and len(set(cells)) < len(cells) and not set(details) & set(labels):
            return _option_lines(
                details, options, [() for _ in options], tuple(filter(None, subject_names.values()))
            )
        return _option_lines(labels, options, cells)
    return tuple(
        Choice(label(group[0]), group[0], cells=texts.cells(group[0]))
        if len(group) == 1
        else Choice(
            subject_names.get(name) or "Other",
            None,
            tuple(Choice(texts.detail(option), option) for option in group),
            len(group),
        )
        for name, group in groups.items()
    )


def _group_by(options: Iterable[Any], key: Callable[[Any], str]) -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = {}
    for option in options:
        groups.setdefault(key(option), []).append(option)
    return groups
