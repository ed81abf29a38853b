"""A whole record as one line: how far one is, where turns begin, where it was fought, where somebody speaks."""

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from rich.cells import cell_len

from play.waymarks import Place
from tui.ribbon import Toned
from tui.tones import Tone

_NEEDED: Final = 4
"""Columns that each mark of a turn needs; more turns than that are told by their round, or not all of them."""
_NUMBERED: Final = re.compile(r"[^\s,]*\d[^\s,]*")


class Sign(IntEnum):
    """What is marked; where several fall together the first of them is shown."""

    TURN = 0
    COMMENT = 1
    BATTLE = 2


class Mark(NamedTuple):
    """A place of the record that is worth a sign."""

    at: Place
    sign: Sign
    name: str = ""
    """Of a turn."""


_LETTERS: Final = {
    Sign.TURN: ("┃", Tone.HEAD),
    Sign.COMMENT: ('"', Tone.PATH),
    Sign.BATTLE: ("×", Tone.BAD),
}
_KNOB: Final[Toned] = ("●", Tone.CARD_LIT)
_PAST: Final[Toned] = ("━", Tone.KEY)
_AHEAD: Final[Toned] = ("─", Tone.DIM)


class Track(NamedTuple):
    """The line with its marks, for one width."""

    width: int
    last: int
    """Number of the last record."""
    marks: tuple[Mark, ...]
    """Turns, as many as there is room for, and everything else; one in each column at most."""

    def column(self, seq: int) -> int:
        """Return where a record stands."""
        return seq * (self.width - 1) // max(self.last, 1)

    def place(self, column: int) -> tuple[Place | None, int]:
        """Return the mark that stands in a column, None for none, and the record that does."""
        column = min(max(column, 0), self.width - 1)
        here = (mark.at for mark in self.marks if self.column(mark.at.seq) == column)
        return next(here, None), -(-column * self.last // max(self.width - 1, 1))

    def line(self, seq: int) -> Iterator[Toned]:
        """Yield the line with the knob at a record, a letter a piece."""
        knob = self.column(seq)
        signs = {self.column(mark.at.seq): mark.sign for mark in self.marks}
        for column in range(self.width):
            if column == knob:
                yield _KNOB
            elif column in signs:
                yield _LETTERS[signs[column]]
            else:
                yield _PAST if column < knob else _AHEAD

    def labels(self) -> str:
        """Return the names of turns over their marks, short where the next one is near, none where it is too near."""
        turns = [mark for mark in self.marks if mark.sign is Sign.TURN and mark.name]
        ends = [*(self.column(mark.at.seq) for mark in turns[1:]), self.width + 1]
        text = ""
        for number, (mark, end) in enumerate(zip(turns, ends, strict=True)):
            start = self.column(mark.at.seq)
            beside = turns[number - 1] if number else turns[-1]
            for name in (mark.name, _short(mark.name, beside.name)):
                if name and start >= len(text) and cell_len(name) < end - start:
                    text = f"{text:<{start}}{name} "
                    break
        return f"{text.rstrip():<{self.width}}"


def track(width: int, last: int, marks: Sequence[Mark]) -> Track:
    """Return the line of a record.

    Args:
        width: Its columns.
        last: Number of the last record.
        marks: Everything that is worth a sign; turns in the order of the record.
    """
    turns = [mark for mark in marks if mark.sign is Sign.TURN]
    if len(turns) * _NEEDED > width:
        turns = _rounds(turns)
    stride = -(-len(turns) * _NEEDED // max(width, 1))
    others = (mark for mark in marks if mark.sign is not Sign.TURN)
    bare = Track(width, last, ())
    shown: dict[int, Mark] = {}
    for mark in sorted((*turns[:: max(stride, 1)], *others), key=lambda mark: mark.sign):
        shown.setdefault(bare.column(mark.at.seq), mark)
    return Track(width, last, tuple(shown[column] for column in sorted(shown)))


def _short(name: str, beside: str) -> str:
    """Return what tells a turn from the one beside it: ``T3``, ``0650``; empty for nothing."""
    known = _NUMBERED.findall(beside)
    return next((word for word in _NUMBERED.findall(name) if word not in known), "")


def _rounds(turns: Sequence[Mark]) -> list[Mark]:
    """Return the first of all turns in a row whose names begin alike: those of one round."""
    found: list[Mark] = []
    for mark in turns:
        name = mark.name.partition(",")[0]
        if not found or found[-1].name != name:
            found.append(mark._replace(name=name))
    return found
