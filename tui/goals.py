"""What wins, for every side: the present count, what is missing, and where points come from; pure functions."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Final

import msgspec

from tui.ribbon import Row, Toned, bar
from tui.tones import Tone

_CELLS: Final = 10
_POINTS: Final = 5
"""Columns of points."""
_WORTH: Final = 9
"""Columns of what something can give."""


class Standing(StrEnum):
    """How a way to win stands; the value is the sign in front of it."""

    OPEN = "○"
    MET = "✓"
    """It would win if it were judged now."""
    PASSED = "·"
    """Something better for the same side is reached."""


_TONES: Final = {Standing.OPEN: Tone.PLAIN, Standing.MET: Tone.GOOD, Standing.PASSED: Tone.DIM}


class Count(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a way to win needs."""

    now: str
    """Where it stands, in words: ``2 of 7 hexes of Honshu``."""
    missing: str = ""
    """What it still takes, empty for nothing."""
    filled: tuple[int, int] | None = None
    """What is there and what fills the bar; None for no bar."""


class Aim(msgspec.Struct, frozen=True, kw_only=True):
    """One way to win."""

    text: str
    when: str = ""
    """When it is judged: ``at the end of turn 7``."""
    rule: str
    counts: tuple[Count, ...] = ()
    standing: Standing = Standing.OPEN


class Party(msgspec.Struct, frozen=True, kw_only=True):
    """A side with every way in which it wins."""

    title: str
    tone: Tone
    aims: tuple[Aim, ...]


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Something that gives points."""

    points: int | None
    """What it gives now; None for a heading or a remark."""
    text: str
    mark: str = ""
    """Letter of the rule."""
    worth: str = ""
    """What it can give: ``+5``, ``-1 each``."""
    now: str = ""


class Goals(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that wins a game, as it stands."""

    parties: tuple[Party, ...]
    title: str = ""
    """Stands over the sources of points, with their sum."""
    sources: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()
    """What else to know, a line each."""


def goal_rows(goals: Goals) -> tuple[Row, ...]:
    """Return the page of goals."""
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
        yield goals.title, Tone.HEAD
        yield from map(_source, goals.sources)
    if goals.notes:
        yield ""
        yield from goals.notes


def _aim(aim: Aim, tone: Tone) -> Iterator[Row]:
    sign = _TONES[aim.standing]
    text = Tone.DIM if aim.standing is Standing.PASSED else Tone.PLAIN
    when = f", {aim.when}" if aim.when else ""
    yield (
        (f" {aim.standing} ", sign),
        (f"{aim.text}{when} ", text),
        (f"({aim.rule})", Tone.DIM),
    )
    for count in aim.counts:
        yield tuple(_count(count, tone))


def _count(count: Count, tone: Tone) -> Iterator[Toned]:
    yield "     ", Tone.PLAIN
    if count.filled is not None:
        yield from bar(*count.filled, tone, _CELLS)
        yield " ", Tone.PLAIN
    yield count.now, Tone.PLAIN
    if count.missing:
        yield f", {count.missing}", Tone.WARN


def _source(source: Source) -> Row:
    if source.points is None:
        return ((source.text, Tone.DIM),)
    tone = Tone.PLAIN if source.points else Tone.DIM
    mark = f"{source.mark:<4}" if source.mark else ""
    now = ((f"now {source.now}", Tone.DIM),) if source.now else ()
    worth = f"{source.worth:<{_WORTH}}" if source.worth else ""
    return (
        (f"{source.points:>{_POINTS}}  ", Tone.HEAD if source.points else Tone.DIM),
        (f"{mark}{worth}", Tone.DIM),
        (f"{source.text}  " if now else source.text, tone),
        *now,
    )
