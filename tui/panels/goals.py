"""Every side's victory conditions: the current state, the amounts still needed, and the sources of points."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Final

import msgspec

from tui.drawing.colour_roles import TextRole
from tui.panels.status_segments import Row, Toned, proportional_bar

_CELLS: Final = 10
_POINTS: Final = 5
"""Width of the points column in cells."""
_WORTH_CELLS: Final = 11
"""Width, in cells, of the column for the points that a source can earn."""


class GoalState(StrEnum):
    """State of a victory condition. The value is the symbol shown before it."""

    OPEN = "○"
    MET = "✓"
    """The side would win by this condition if it were checked now."""
    PASSED = "·"
    """The same side has already met a better condition."""


_TONES: Final = {
    GoalState.OPEN: TextRole.PLAIN,
    GoalState.MET: TextRole.GOOD,
    GoalState.PASSED: TextRole.DIM,
}


class Requirement(msgspec.Struct, frozen=True, kw_only=True):
    """One requirement of a victory condition."""

    now: str
    """The current count, in words, such as ``2 of 7 hexes of Honshu``."""
    missing: str = ""
    """What is still needed; empty if nothing is missing."""
    filled: tuple[int, int] | None = None
    """Current and full value for the bar; None to draw no bar."""


class WinningCondition(msgspec.Struct, frozen=True, kw_only=True):
    """One way to win."""

    text: str
    when: str = ""
    """When the condition is checked, such as ``at the end of turn 7``."""
    rule: str
    counts: tuple[Requirement, ...] = ()
    state: GoalState = GoalState.OPEN


class GoalParty(msgspec.Struct, frozen=True, kw_only=True):
    """A side and all its ways to win."""

    title: str
    tone: TextRole
    aims: tuple[WinningCondition, ...]


class PointSource(msgspec.Struct, frozen=True, kw_only=True):
    """A source of points."""

    points: int | None
    """Points earned so far; None for a heading or a remark."""
    text: str
    mark: str = ""
    """Letter of the rule that awards the points; empty if there is none."""
    worth: str = ""
    """Points that the source can earn, such as ``+5`` or ``-1 each``."""
    now: str = ""


class Goals(msgspec.Struct, frozen=True, kw_only=True):
    """All victory conditions of a game, with their current state."""

    parties: tuple[GoalParty, ...]
    title: str = ""
    """Heading above the sources of points, with the total points."""
    sources: tuple[PointSource, ...] = ()
    notes: tuple[str, ...] = ()
    """Further remarks, one per line."""


def goal_rows(goals: Goals) -> tuple[Row, ...]:
    """Format the goals as the lines of a page."""
    return tuple(_rows(goals))


def _rows(goals: Goals) -> Iterator[Row]:
    for place, party in enumerate(goals.parties):
        if place:
            yield ""
        yield ((f" {party.title} ", party.tone),)
        for aim in party.aims:
            yield from _aim(aim, party.tone)
    if goals.sources:
        yield ""
        yield goals.title, TextRole.HEAD
        yield from map(_source, goals.sources)
    if goals.notes:
        yield ""
        yield from goals.notes


def _aim(aim: WinningCondition, tone: TextRole) -> Iterator[Row]:
    sign = _TONES[aim.state]
    text = TextRole.DIM if aim.state is GoalState.PASSED else TextRole.PLAIN
    time_text = f", {aim.when}" if aim.when else ""
    yield (
        (f" {aim.state} ", sign),
        (f"{aim.text}{time_text} ", text),
        (f"({aim.rule})", TextRole.DIM),
    )
    for count in aim.counts:
        yield tuple(_count(count, tone))


def _count(count: Requirement, tone: TextRole) -> Iterator[Toned]:
    yield "     ", TextRole.PLAIN
    if count.filled is not None:
        yield from proportional_bar(*count.filled, tone, _CELLS)
        yield " ", TextRole.PLAIN
    yield count.now, TextRole.PLAIN
    if count.missing:
        yield f", {count.missing}", TextRole.WARN


def _source(source: PointSource) -> Row:
    if source.points is None:
        return ((source.text, TextRole.DIM),)
    tone = TextRole.PLAIN if source.points else TextRole.DIM
    mark = f"{source.mark:<4}" if source.mark else ""
    current_text = ((f"now {source.now}", TextRole.DIM),) if source.now else ()
    worth_text = f"{source.worth:<{_WORTH_CELLS}}" if source.worth else ""
    return (
        (f"{source.points:>{_POINTS}}  ", TextRole.HEAD if source.points else TextRole.DIM),
        (f"{mark}{worth_text}", TextRole.DIM),
        (f"{source.text}  " if current_text else source.text, tone),
        *current_text,
    )
