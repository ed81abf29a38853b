"""Cards and battle boards shown over the map during playback, as lines of toned pieces."""

import textwrap
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
from rich.cells import cell_len
from typing_extensions import override

from tui.drawing.colour_roles import TextRole
from tui.map_enums import OWNER_TONES, Owner

_ALL = 999
"""A height that is never exceeded."""
_GAP = 1
"""Gap between the columns, in cells."""
_MIN_WIDTH = 8
"""Minimum width of a name next to its value, in cells."""
_FEW = 4
"""Number of units per side named on a crowded board."""


class TonedPiece(NamedTuple):
    """A run of text in one tone."""

    text: str
    tone: TextRole = TextRole.PLAIN


Line = tuple[TonedPiece, ...]


class OverlayPage(msgspec.Struct, frozen=True, kw_only=True):
    """Contents of a box shown over the map."""

    title: str

    @abstractmethod
    def lines(self, width: int, height: int = _ALL) -> tuple[Line, ...]:
        """Return the contents wrapped to a width and, where possible, shortened to a height."""


class CardPage(OverlayPage, frozen=True, kw_only=True):
    """A card that was played."""

    text: tuple[str, ...]
    owner: Owner = Owner.NONE

    @override
    def lines(self, width: int, height: int = _ALL) -> tuple[Line, ...]:
        del height
        return tuple((TonedPiece(part),) for line in self.text for part in wrap_text(line, width))


class Fighter(msgspec.Struct, frozen=True, kw_only=True):
    """A unit, or all units of one kind, taking part in a battle."""

    name: str
    strength: str = ""
    note: str = ""
    """A short remark, for example that the unit is reduced or at extended range."""
    loss: str = ""
    """Its losses so far, such as ``-1 step`` or ``eliminated``; empty if there are none."""


class Roll(msgspec.Struct, frozen=True, kw_only=True):
    """One side's roll in one part of a battle."""

    part: str
    total: str = ""
    die: str = ""
    reasons: tuple[str, ...] = ()
    """The modifiers, each with its reason."""
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

    parties: tuple[BattleSide, BattleSide]
    verdicts: tuple[str, ...] = ()
    """The winner of each finished part, and other sentences about both sides."""

    @override
    def lines(self, width: int, height: int = _ALL) -> tuple[Line, ...]:
        """Return the two sides in columns: their units, their rolls part by part, then the verdicts.

        If the board is too tall, it is shortened step by step. It first drops the notes, then units without losses,
        then the rolls of finished parts, and finally the reasons and unit names. The current part's dice are always
        kept.
        """
        room = (width - _GAP) // 2
        parts = tuple(dict.fromkeys(one.part for party in self.parties for one in party.rolls))
        verdicts = [
            (TonedPiece(text, TextRole.HEAD),)
            for one in self.verdicts
            for text in wrap_text(one, width)
        ]
        lines: list[Line] = []
        for manner in _DETAIL_LEVELS:
            shown = parts[-1:] if manner.is_last_part else parts
            lines = [
                *self._units(room, manner),
                *self._rolls(shown, width, room, manner),
                *verdicts,
            ]
            if len(lines) <= height:
                break
        return tuple(lines)

    def _units(self, room: int, manner: "_DetailLevel") -> Iterator[Line]:
        return side_by_side([_party(party, room, manner) for party in self.parties], room)

    def _rolls(
        self, parts: Sequence[str], width: int, room: int, manner: "_DetailLevel"
    ) -> Iterator[Line]:
        for part in parts:
            if not manner.is_brief:
                yield (TonedPiece(f"-- {part} ".ljust(width, "-")[:width], TextRole.DIM),)
            columns = [_rolls(party, part, room, manner) for party in self.parties]
            yield from side_by_side(columns, room)


class _DetailLevel(NamedTuple):
    """The amount of detail on a board."""

    has_notes: bool = True
    units: int = 99
    is_last_part: bool = False
    """Show only the current part of the battle."""
    is_brief: bool = False
    """Show one line per roll: the die and its result."""


_DETAIL_LEVELS = (
    _DetailLevel(),
    _DetailLevel(has_notes=False),
    _DetailLevel(has_notes=False, units=_FEW),
    _DetailLevel(has_notes=False, units=_FEW, is_last_part=True),
    _DetailLevel(has_notes=False, units=1, is_last_part=True),
    _DetailLevel(has_notes=False, units=1, is_last_part=True, is_brief=True),
    _DetailLevel(has_notes=False, units=0, is_last_part=True, is_brief=True),
)
"""Levels of detail, from the full board down to the minimum."""


def _party(party: BattleSide, room: int, manner: _DetailLevel) -> list[Line]:
    lines: list[Line] = [(TonedPiece(party.name[:room], OWNER_TONES[party.owner]),)]
    shown = sorted(party.fighters, key=lambda one: not one.loss)[: manner.units]
    for one in (one for one in party.fighters if one in shown):
        right = one.loss or one.strength
        tone = TextRole.BAD if one.loss else TextRole.PLAIN
        note = f", {one.note}" if one.note and manner.has_notes else ""
        name = f"{one.name}{note}"
        lines += row(name, right, room, tone, is_lost=bool(one.loss))
    if shown and len(shown) < len(party.fighters):
        lines.append((TonedPiece(f"and {len(party.fighters) - len(shown)} more", TextRole.DIM),))
    return lines


def row(name: str, right: str, room: int, tone: TextRole, *, is_lost: bool) -> Iterator[Line]:
    """Yield a name with its value aligned to the right. If they do not both fit, the value gets its own line."""
    left = room - cell_len(right) - 1
    longest = max((cell_len(word) for word in name.split()), default=0)
    if left < max(_MIN_WIDTH, longest + 2):
        yield from ((TonedPiece(text[:room], tone),) for text in wrap_text(name, room))
        yield ((TonedPiece(right[:room].rjust(room), tone)),)
        return
    first, *more = wrap_text(name, left) or [""]
    gap = " " * max(left - cell_len(first) + 1, 0)
    yield (
        TonedPiece(first[:left], tone if is_lost else TextRole.PLAIN),
        TonedPiece(gap + right, tone),
    )
    yield from ((TonedPiece(text[:left], TextRole.DIM),) for text in more)


def _rolls(party: BattleSide, part: str, room: int, manner: _DetailLevel) -> list[Line]:
    lines: list[Line] = []
    for roll in party.rolls:
        if roll.part == part and manner.is_brief:
            words = ", ".join(text for text in (roll.die, roll.result) if text) or roll.total
            lines += [(TonedPiece(line, TextRole.HEAD),) for line in wrap_text(words, room)]
        elif roll.part == part:
            for text, tone in (
                (roll.total, TextRole.PLAIN),
                (roll.die, TextRole.HEAD),
                (roll.result, TextRole.WARN),
                *((f"  {reason}", TextRole.DIM) for reason in roll.reasons),
            ):
                lines += [(TonedPiece(line, tone),) for line in wrap_text(text, room)]
    return lines


def side_by_side(columns: Sequence[list[Line]], room: int) -> Iterator[Line]:
    """Yield the lines of two columns side by side."""
    left, right = columns
    for number in range(max(len(left), len(right))):
        line = left[number] if number < len(left) else ()
        used = sum(cell_len(piece.text) for piece in line)
        other = right[number] if number < len(right) else ()
        yield (*line, TonedPiece(" " * (room + _GAP - used)), *other)


def wrap_text(text: str, width: int) -> list[str]:
    """Wrap a text at word boundaries and indent the continuation lines."""
    lead = text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(
        text, max(width, _MIN_WIDTH), subsequent_indent=f"{lead}  ", break_on_hyphens=False
    )


def page_text(page: OverlayPage, width: int) -> tuple[str, ...]:
    """Return a page as plain lines, for line-by-line play and for pages."""
    lines = ("".join(piece.text for piece in line).rstrip() for line in page.lines(width))
    return (page.title, *lines)
