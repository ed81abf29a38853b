"""The replay slider: one line that shows a whole record with its turns, battles and comments."""

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from rich.cells import cell_len

from play.turn_index import RecordPosition
from tui.drawing.colour_roles import TextRole
from tui.panels.status_segments import Toned

_COLUMNS_PER_TURN: Final = 4
"""Minimum number of columns per turn mark.

If there are too many turns, only the rounds or some of the turns are marked.
"""
_WORD_WITH_DIGIT: Final = re.compile(r"[^\s,]*\d[^\s,]*")


class MarkKind(IntEnum):
    """Kind of a mark. If several marks share a column, only the mark with the lowest value is shown."""

    TURN = 0
    COMMENT = 1
    BATTLE = 2


class SliderMark(NamedTuple):
    """A marked position in the record."""

    position: RecordPosition
    kind: MarkKind
    name: str = ""
    """Name of the turn; empty for marks of other kinds."""


_MARK_SYMBOLS: Final = {
    MarkKind.TURN: ("┃", TextRole.HEAD),
    MarkKind.COMMENT: ('"', TextRole.PATH),
    MarkKind.BATTLE: ("×", TextRole.BAD),
}
_KNOB_SYMBOL: Final[Toned] = ("●", TextRole.CARD_LIT)
_PAST_SYMBOL: Final[Toned] = ("━", TextRole.KEY)
_AHEAD_SYMBOL: Final[Toned] = ("─", TextRole.DIM)


class SliderTrack(NamedTuple):
    """The slider line and its marks, laid out for a given width."""

    width: int
    last_step: int
    """Number of the last record."""
    marks: tuple[SliderMark, ...]
    """The marks, at most one per column, with as many turns as fit."""

    def column(self, seq: int) -> int:
        """Return the slider column for a record."""
        return seq * (self.width - 1) // max(self.last_step, 1)

    def place(self, column: int) -> tuple[RecordPosition | None, int]:
        """Return two values for a column: the position of its mark (None if it has none), and its record number."""
        column = min(max(column, 0), self.width - 1)
        positions = (
            mark.position for mark in self.marks if self.column(mark.position.seq) == column
        )
        return next(positions, None), -(-column * self.last_step // max(self.width - 1, 1))

    def line(self, seq: int) -> Iterator[Toned]:
        """Yield the slider line, one character at a time, with the knob at the given record."""
        knob = self.column(seq)
        kinds = {self.column(mark.position.seq): mark.kind for mark in self.marks}
        for column in range(self.width):
            if column == knob:
                yield _KNOB_SYMBOL
            elif column in kinds:
                yield _MARK_SYMBOLS[kinds[column]]
            else:
                yield _PAST_SYMBOL if column < knob else _AHEAD_SYMBOL

    def labels(self) -> str:
        """Return the turn names above their marks. Names that are too close together are shortened or omitted."""
        turns = [mark for mark in self.marks if mark.kind is MarkKind.TURN and mark.name]
        end_columns = [*(self.column(mark.position.seq) for mark in turns[1:]), self.width + 1]
        text = ""
        for number, (mark, end) in enumerate(zip(turns, end_columns, strict=True)):
            start = self.column(mark.position.seq)
            neighbour = turns[number - 1] if number else turns[-1]
            for name in (mark.name, _distinguishing_part(mark.name, neighbour.name)):
                if name and start >= len(text) and cell_len(name) < end - start:
                    text = f"{text:<{start}}{name} "
                    break
        return f"{text.rstrip():<{self.width}}"


def slider_track(width: int, last_step: int, marks: Sequence[SliderMark]) -> SliderTrack:
    """Lay out a record's slider line.

    Args:
        width: Width of the line in columns.
        last_step: Number of the last record.
        marks: All marks, with turn marks in order.
    """
    turns = [mark for mark in marks if mark.kind is MarkKind.TURN]
    if len(turns) * _COLUMNS_PER_TURN > width:
        turns = _first_turns(turns)
    stride = -(-len(turns) * _COLUMNS_PER_TURN // max(width, 1))
    other_marks = (mark for mark in marks if mark.kind is not MarkKind.TURN)
    unmarked_track = SliderTrack(width, last_step, ())
    slider_marks: dict[int, SliderMark] = {}
    for mark in sorted((*turns[:: max(stride, 1)], *other_marks), key=lambda mark: mark.kind):
        slider_marks.setdefault(unmarked_track.column(mark.position.seq), mark)
    return SliderTrack(
        width, last_step, tuple(slider_marks[column] for column in sorted(slider_marks))
    )


def _distinguishing_part(name: str, neighbour: str) -> str:
    """Return the part of a turn's name that differs from its neighbour's name, such as ``T3``; empty if none does."""
    neighbour_words = _WORD_WITH_DIGIT.findall(neighbour)
    return next(
        (word for word in _WORD_WITH_DIGIT.findall(name) if word not in neighbour_words), ""
    )


def _first_turns(turns: Sequence[SliderMark]) -> list[SliderMark]:
    """Return the first turn of each round. The names of a round's turns are the same up to the comma."""
    first_turns: list[SliderMark] = []
    for mark in turns:
        name = mark.name.partition(",")[0]
        if not first_turns or first_turns[-1].name != name:
            first_turns.append(mark._replace(name=name))
    return first_turns
