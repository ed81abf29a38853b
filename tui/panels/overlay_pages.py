"""Cards and battle boards shown over the map during playback, as lines of coloured text."""

import textwrap
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
from rich.cells import cell_len
from typing_extensions import override

from tui.drawing.colour_roles import TextRole
from tui.maps.enums import OWNER_TONES, Owner

_UNLIMITED_HEIGHT = 999
"""A height that no page exceeds."""
_COLUMN_GAP = 1
"""Gap between the columns, in cells."""
_MIN_NAME_WIDTH = 8
"""Minimum width, in cells, of a name with a value next to it."""
_CROWDED_UNIT_COUNT = 4
"""Number of units that a crowded board lists for each side."""


class TonedPiece(NamedTuple):
    """A run of text in one tone."""

    text: str
    tone: TextRole = TextRole.PLAIN


Line = tuple[TonedPiece, ...]


class OverlayPage(msgspec.Struct, frozen=True, kw_only=True):
    """Contents of a box shown over the map."""

    title: str

    @abstractmethod
    def lines(self, width: int, height: int = _UNLIMITED_HEIGHT) -> tuple[Line, ...]:
        """Return the contents, wrapped to a width. Contents that are too tall are shortened as far as possible."""


class CardPage(OverlayPage, frozen=True, kw_only=True):
    """A card that was played."""

    text: tuple[str, ...]
    owner: Owner = Owner.NONE

    @override
    def lines(self, width: int, height: int = _UNLIMITED_HEIGHT) -> tuple[Line, ...]:
        del height
        return tuple((TonedPiece(part),) for line in self.text for part in wrap_text(line, width))


class Fighter(msgspec.Struct, frozen=True, kw_only=True):
    """A unit in a battle, or all units of the same kind in it."""

    name: str
    strength: str = ""
    note: str = ""
    """A short remark, such as that the unit is reduced or at extended range."""
    loss: str = ""
    """The unit's losses so far, such as ``-1 step`` or ``eliminated``; empty if it has none."""


class Roll(msgspec.Struct, frozen=True, kw_only=True):
    """One side's roll in one part of a battle."""

    part: str
    total: str = ""
    die: str = ""
    reasons: tuple[str, ...] = ()
    """The modifiers and their reasons."""
    result: str = ""


class BattleSide(msgspec.Struct, frozen=True, kw_only=True):
    """One side of a battle."""

    name: str
    owner: Owner = Owner.NONE
    fighters: tuple[Fighter, ...] = ()
    rolls: tuple[Roll, ...] = ()
    """The rolls so far, in order."""


class BattleBoard(OverlayPage, frozen=True, kw_only=True):
    """The state of a battle, with both sides next to each other."""

    sides: tuple[BattleSide, BattleSide]
    summaries: tuple[str, ...] = ()
    """Sentences about the whole battle, such as the winner of each finished part."""
    parts: tuple[str, ...] = ()
    """The battle's parts in the order in which they began. Parts that are not listed come last."""

    @override
    def lines(self, width: int, height: int = _UNLIMITED_HEIGHT) -> tuple[Line, ...]:
        """Return the sides' units in two columns, then their rolls, part by part, and finally the summaries.

        If the board is too tall, it is shortened step by step. Notes are dropped first, then units without losses, then
        the rolls of finished parts. The reasons and unit names are dropped last. The current part's dice are always
        kept.
        """
        column_width = (width - _COLUMN_GAP) // 2
        rolled_parts = {roll.part: None for side in self.sides for roll in side.rolls}
        parts = tuple(
            dict.fromkeys((*(part for part in self.parts if part in rolled_parts), *rolled_parts))
        )
        summary_lines = [
            (TonedPiece(line, TextRole.HEAD),)
            for text in self.summaries
            for line in wrap_text(text, width)
        ]
        lines: list[Line] = []
        for detail in _DETAIL_LEVELS:
            shown_parts = parts[-1:] if detail.is_last_part else parts
            lines = [
                *self._unit_lines(column_width, detail),
                *self._roll_lines(shown_parts, width, column_width, detail),
                *summary_lines,
            ]
            if len(lines) <= height:
                break
        return tuple(lines)

    def _unit_lines(self, column_width: int, detail: "_DetailLevel") -> Iterator[Line]:
        return side_by_side(
            [_side_lines(side, column_width, detail) for side in self.sides], column_width
        )

    def _roll_lines(
        self, parts: Sequence[str], width: int, column_width: int, detail: "_DetailLevel"
    ) -> Iterator[Line]:
        for part in parts:
            if not detail.is_brief:
                yield (TonedPiece(f"── {part} ".ljust(width, "─")[:width], TextRole.DIM),)
            columns = [_side_roll_lines(side, part, column_width, detail) for side in self.sides]
            yield from side_by_side(columns, column_width)


class _DetailLevel(NamedTuple):
    """How much detail a battle board shows."""

    has_notes: bool = True
    units: int = 99
    is_last_part: bool = False
    """Show only the current part of the battle."""
    is_brief: bool = False
    """Show one line per roll: the die and its result."""


_DETAIL_LEVELS = (
    _DetailLevel(),
    _DetailLevel(has_notes=False),
    _DetailLevel(has_notes=False, units=_CROWDED_UNIT_COUNT),
    _DetailLevel(has_notes=False, units=_CROWDED_UNIT_COUNT, is_last_part=True),
    _DetailLevel(has_notes=False, units=1, is_last_part=True),
    _DetailLevel(has_notes=False, units=1, is_last_part=True, is_brief=True),
    _DetailLevel(has_notes=False, units=0, is_last_part=True, is_brief=True),
)
"""The levels of detail, from the full board to the shortest one."""


def _side_lines(side: BattleSide, column_width: int, detail: _DetailLevel) -> list[Line]:
    lines: list[Line] = [(TonedPiece(side.name[:column_width], OWNER_TONES[side.owner]),)]
    # Units with losses are omitted last. The units shown keep their original order.
    shown_fighters = sorted(side.fighters, key=lambda fighter: not fighter.loss)[: detail.units]
    for fighter in (fighter for fighter in side.fighters if fighter in shown_fighters):
        value = fighter.loss or fighter.strength
        tone = TextRole.BAD if fighter.loss else TextRole.PLAIN
        note = f", {fighter.note}" if fighter.note and detail.has_notes else ""
        name = f"{fighter.name}{note}"
        lines += value_row(name, value, column_width, tone, is_lost=bool(fighter.loss))
    if shown_fighters and len(shown_fighters) < len(side.fighters):
        lines.append(
            (TonedPiece(f"and {len(side.fighters) - len(shown_fighters)} more", TextRole.DIM),)
        )
    return lines


def value_row(
    name: str, value: str, column_width: int, tone: TextRole, *, is_lost: bool
) -> Iterator[Line]:
    """Yield a name with its value aligned to the right. If the line is too short, the value is on a line of its own."""
    name_width = column_width - cell_len(value) - 1
    longest_word = max((cell_len(word) for word in name.split()), default=0)
    if name_width < max(_MIN_NAME_WIDTH, longest_word + 2):
        yield from (
            (TonedPiece(text[:column_width], tone),) for text in wrap_text(name, column_width)
        )
        yield ((TonedPiece(value[:column_width].rjust(column_width), tone)),)
        return
    first_line, *further_lines = wrap_text(name, name_width) or [""]
    padding = " " * max(name_width - cell_len(first_line) + 1, 0)
    yield (
        TonedPiece(first_line[:name_width], tone if is_lost else TextRole.PLAIN),
        TonedPiece(padding + value, tone),
    )
    yield from ((TonedPiece(text[:name_width], TextRole.DIM),) for text in further_lines)


def _side_roll_lines(
    side: BattleSide, component: str, column_width: int, detail: _DetailLevel
) -> list[Line]:
    lines: list[Line] = []
    for roll in side.rolls:
        if roll.part == component and detail.is_brief:
            parts = [text for text in (roll.die, roll.result) if text] or [roll.total]
            brief = ", ".join(parts)
            texts = [brief] if cell_len(brief) <= column_width else parts
            lines += [
                (TonedPiece(line, TextRole.HEAD),)
                for text in texts
                for line in wrap_text(text, column_width)
            ]
        elif roll.part == component:
            for text, tone in (
                (roll.total, TextRole.PLAIN),
                (roll.die, TextRole.HEAD),
                (roll.result, TextRole.WARN),
                *((f"  {reason}", TextRole.DIM) for reason in roll.reasons),
            ):
                lines += [(TonedPiece(line, tone),) for line in wrap_text(text, column_width)]
    return lines


def side_by_side(columns: Sequence[list[Line]], column_width: int) -> Iterator[Line]:
    """Yield the lines of two columns side by side."""
    left, right = columns
    for index in range(max(len(left), len(right))):
        left_line = left[index] if index < len(left) else ()
        used_cells = sum(cell_len(piece.text) for piece in left_line)
        right_line = right[index] if index < len(right) else ()
        yield (*left_line, TonedPiece(" " * (column_width + _COLUMN_GAP - used_cells)), *right_line)


def wrap_text(text: str, width: int) -> list[str]:
    """Wrap text at word boundaries and indent the continuation lines."""
    indent = text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(
        text, max(width, _MIN_NAME_WIDTH), subsequent_indent=f"{indent}  ", break_on_hyphens=False
    )


def page_text(page: OverlayPage, width: int) -> tuple[str, ...]:
    """Return a page as lines of plain text, for the console mode and for text pages."""
    lines = ("".join(piece.text for piece in line).rstrip() for line in page.lines(width))
    return (page.title, *lines)
