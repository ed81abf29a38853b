"""A whole record drawn as one line: progress, turns, battles and comments."""

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from rich.cells import cell_len

from play.turn_index import RecordPosition
from tui.drawing.tones import TextRole
from tui.status_bar import Toned

_NEEDED: Final = 4
"""Minimum number of columns per turn mark. If there are too many turns, only rounds, or only some turns, are marked."""
_NUMBERED: Final = re.compile(r"[^\s,]*\d[^\s,]*")


class MarkKind(IntEnum):
    """Kind of a mark. If several marks share a column, the one with the lowest value is shown."""

    TURN = 0
    COMMENT = 1
    BATTLE = 2


class SliderMark(NamedTuple):
    """A marked position in the record."""

    at: RecordPosition
    sign: MarkKind
    name: str = ""
    """Name of the turn; empty for other marks."""


_LETTERS: Final = {
    MarkKind.TURN: ("┃", TextRole.HEAD),
    MarkKind.COMMENT: ('"', TextRole.PATH),
    MarkKind.BATTLE: ("×", TextRole.BAD),
}
_KNOB: Final[Toned] = ("●", TextRole.CARD_LIT)
_PAST: Final[Toned] = ("━", TextRole.KEY)
_AHEAD: Final[Toned] = ("─", TextRole.DIM)


class SliderTrack(NamedTuple):
    """The slider line and its marks, laid out for a width."""

    width: int
    last: int
    """Number of the last record."""
    marks: tuple[SliderMark, ...]
    """At most one mark per column. As many turns as fit are included."""

    def column(self, seq: int) -> int:
        """Return the column of a record."""
        return seq * (self.width - 1) // max(self.last, 1)

    def place(self, column: int) -> tuple[RecordPosition | None, int]:
        """Return the marked position in a column (None if there is none) and the record number there."""
        column = min(max(column, 0), self.width - 1)
        here = (mark.at for mark in self.marks if self.column(mark.at.seq) == column)
        return next(here, None), -(-column * self.last // max(self.width - 1, 1))

    def line(self, seq: int) -> Iterator[Toned]:
        """Yield the line with the knob at the given record, one character at a time."""
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
        """Return the turn names above their marks, shortened or omitted where they are too close together."""
        turns = [mark for mark in self.marks if mark.sign is MarkKind.TURN and mark.name]
        ends = [*(self.column(mark.at.seq) for mark in turns[1:]), self.width + 1]
        text = ""
        for number, (mark, end) in enumerate(zip(turns, ends, strict=True)):
            start = self.column(mark.at.seq)
            beside = turns[number - 1] if number else turns[-1]
            for name in (mark.name, _distinguishing_part(mark.name, beside.name)):
                if name and start >= len(text) and cell_len(name) < end - start:
                    text = f"{text:<{start}}{name} "
                    break
        return f"{text.rstrip():<{self.width}}"


def slider_track(width: int, last: int, marks: Sequence[SliderMark]) -> SliderTrack:
    """Lay out a record's slider line.

    Args:
        width: Width of the line in columns.
        last: Number of the last record.
        marks: All marks, with turn marks in order.
    """
    turns = [mark for mark in marks if mark.sign is MarkKind.TURN]
    if len(turns) * _NEEDED > width:
        turns = _first_turns(turns)
    stride = -(-len(turns) * _NEEDED // max(width, 1))
    others = (mark for mark in marks if mark.sign is not MarkKind.TURN)
    bare = SliderTrack(width, last, ())
    shown: dict[int, SliderMark] = {}
    for mark in sorted((*turns[:: max(stride, 1)], *others), key=lambda mark: mark.sign):
        shown.setdefault(bare.column(mark.at.seq), mark)
    return SliderTrack(width, last, tuple(shown[column] for column in sorted(shown)))


def _distinguishing_part(name: str, beside: str) -> str:
    """Return the part of a turn's name that its neighbour lacks, such as ``T3`` or ``0650``; empty if none."""
    known = _NUMBERED.findall(beside)
    return next((word for word in _NUMBERED.findall(name) if word not in known), "")


def _first_turns(turns: Sequence[SliderMark]) -> list[SliderMark]:
    """Return the first turn of each round. Turns of the same round have the same name up to the comma."""
    found: list[SliderMark] = []
    for mark in turns:
        name = mark.name.partition(",")[0]
        if not found or found[-1].name != name:
            found.append(mark._replace(name=name))
    return found
