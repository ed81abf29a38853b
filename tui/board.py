"""A board with a cursor: things in boxes, and what may be ordered about each, by keys without leaving it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from rich.cells import cell_len

from tui.tones import Tone

MARK: Final = "+"
"""Before things about which something may be ordered."""
_GAP: Final = 2
"""Cells between two columns of blocks."""


class Item(msgspec.Struct, frozen=True):
    """A thing on which the cursor can stand."""

    id: str
    text: str
    tone: Tone = Tone.PLAIN


class Row(msgspec.Struct, frozen=True):
    """A box with what is in it."""

    label: str
    items: tuple[Item, ...] = ()
    tail: str = ""
    """Words behind the things."""
    tone: Tone = Tone.LABEL


class Block(msgspec.Struct, frozen=True):
    """Rows that stand together, such as one ship."""

    rows: tuple[Row, ...]


class Section(msgspec.Struct, frozen=True):
    """Blocks below one heading."""

    title: str
    blocks: tuple[Block, ...]


class Act(msgspec.Struct, frozen=True):
    """What a key does about a thing."""

    key: str
    word: str
    commands: tuple[Any, ...]


class Board(msgspec.Struct, frozen=True):
    """Everything that a board shows."""

    title: str
    sections: tuple[Section, ...]
    acts: Mapping[str, tuple[Act, ...]]
    """What may be ordered, by thing."""
    always: tuple[Act, ...] = ()
    """What may be ordered whatever is under the cursor."""
    about: Mapping[str, str] = {}
    """A sentence about each thing."""
    width: int = 38
    """Cells that a block needs."""

    def acts_of(self, item: str) -> tuple[Act, ...]:
        """Return what may be ordered about a thing."""
        return self.acts.get(item, ())


class Piece(NamedTuple):
    """A stretch of a line."""

    text: str
    tone: Tone
    item: str = ""


class Spot(NamedTuple):
    """Where a thing stands."""

    item: str
    x: int
    y: int
    width: int


class Layout(NamedTuple):
    """A board laid out for a width."""

    lines: tuple[tuple[Piece, ...], ...]
    spots: tuple[Spot, ...]


def lay_out(board: Board, width: int) -> Layout:
    """Return the lines of a board, with as many blocks side by side as fit, and where its things stand."""
    columns = max((width + _GAP) // (board.width + _GAP), 1)
    room = (width + _GAP) // columns - _GAP
    lines: list[list[Piece]] = []
    for section in board.sections:
        if section.title:
            lines.append([Piece(section.title[:width], Tone.SIDE_ONE)])
        for start in range(0, len(section.blocks), columns):
            drawn = [_block(board, one, room) for one in section.blocks[start : start + columns]]
            height = max(map(len, drawn), default=0)
            for number in range(height):
                line: list[Piece] = []
                for place, block in enumerate(drawn):
                    pieces = block[number] if number < len(block) else []
                    line += pieces
                    if place < len(drawn) - 1:
                        filled = sum(cell_len(piece.text) for piece in pieces)
                        line.append(Piece(" " * (room + _GAP - filled), Tone.PLAIN))
                lines.append(line)
    spots: dict[str, Spot] = {}
    for y, line in enumerate(lines):
        x = 0
        for piece in line:
            size = cell_len(piece.text)
            if piece.item and piece.item not in spots:
                spots[piece.item] = Spot(piece.item, x, y, size)
            x += size
    return Layout(tuple(tuple(line) for line in lines), tuple(spots.values()))


def _block(board: Board, block: Block, room: int) -> list[list[Piece]]:
    """Return the lines of a block; rows that are too long go on below, indented."""
    lines: list[list[Piece]] = []
    for row in block.rows:
        line = [Piece(f"{row.label}"[:room], row.tone)]
        indent = len(row.label)
        used = indent
        for item in row.items:
            mark = MARK if board.acts_of(item.id) else " "
            text = f"{mark}{item.text} "
            size = cell_len(text)
            if used + size > room and used > indent:
                lines.append(line)
                line, used = [Piece(" " * indent, Tone.PLAIN)], indent
            tone = Tone.REACH if board.acts_of(item.id) else item.tone
            line.append(Piece(text, tone, item.id))
            used += size
        for word in row.tail.split(" ") if row.tail else ():
            if used + cell_len(word) + 1 > room and used > indent:
                lines.append(line)
                line, used = [Piece(" " * indent, Tone.PLAIN)], indent
            line.append(Piece(f" {word}"[: max(room - used, 1)], Tone.PLAIN))
            used += cell_len(word) + 1
        lines.append(line)
    return lines


def step(spots: Sequence[Spot], item: str, across: int, down: int) -> str:
    """Return the thing to which an arrow key leads; the same where there is none."""
    here = next((spot for spot in spots if spot.item == item), None)
    if here is None:
        return spots[0].item if spots else ""
    if down:
        found = [spot for spot in spots if (spot.y - here.y) * down > 0]
        key = lambda spot: (abs(spot.y - here.y), abs(spot.x - here.x))  # noqa: E731  # read in place
    else:
        found = [spot for spot in spots if spot.y == here.y and (spot.x - here.x) * across > 0]
        key = lambda spot: (abs(spot.x - here.x), 0)  # noqa: E731  # read in place
    return min(found, key=key).item if found else item


def next_open(
    board: Board, spots: Sequence[Spot], item: str, direction: int, word: str = ""
) -> str:
    """Return the next thing about which something may be ordered, round the ends; one with this act if there is one."""
    names = [spot.item for spot in spots]
    if not names:
        return ""
    start = names.index(item) if item in names else -direction
    around = [names[(start + direction * far) % len(names)] for far in range(1, len(names) + 1)]
    openings = [name for name in around if board.acts_of(name)]
    alike = (name for name in openings if any(act.word == word for act in board.acts_of(name)))
    return next(alike, next(iter(openings), item))
