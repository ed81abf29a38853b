"""A board with a cursor: items in boxes, and keys for commands about the item under the cursor."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from rich.cells import cell_len

from tui.drawing.tones import TextRole

MARK: Final = "+"
"""Marks items that have an available command."""
_GAP: Final = 2
"""Cells between two columns of blocks."""


class BoardItem(msgspec.Struct, frozen=True):
    """An item on which the cursor can be placed."""

    id: str
    text: str
    tone: TextRole = TextRole.PLAIN


class BoardRow(msgspec.Struct, frozen=True):
    """A labelled box and its items."""

    label: str
    items: tuple[BoardItem, ...] = ()
    tail: str = ""
    """Text after the items, on the same row."""
    tone: TextRole = TextRole.DIM
    """Tone of the label."""
    tail_tone: TextRole = TextRole.DIM


class BoardBlock(msgspec.Struct, frozen=True):
    """Rows that stay together, such as those of one ship."""

    rows: tuple[BoardRow, ...]


class BoardSection(msgspec.Struct, frozen=True):
    """Blocks under a common heading."""

    title: str
    blocks: tuple[BoardBlock, ...]


class BoardAction(msgspec.Struct, frozen=True):
    """A key, with its commands for an item."""

    key: str
    word: str
    commands: tuple[Any, ...]


class GameBoard(msgspec.Struct, frozen=True):
    """Everything shown on a board."""

    title: str
    sections: tuple[BoardSection, ...]
    acts: Mapping[str, tuple[BoardAction, ...]]
    """The available actions for each item, by item id."""
    always: tuple[BoardAction, ...] = ()
    """Actions that are available wherever the cursor is."""
    about: Mapping[str, str] = {}
    """A sentence about each item, by item id."""
    places: Mapping[str, str] = {}
    """Each item's place on the map, by item id."""
    key: str = ""
    """The key that opens the board."""
    highlighted: str = ""
    """The item to which the decision list's highlighted line refers; empty if there is none."""
    order: Any = None
    """The command of the highlighted line."""
    width: int = 38
    """Width of a block in cells."""

    def actions_for(self, item: str) -> tuple[BoardAction, ...]:
        """Return the actions available for an item; empty if there are none."""
        return self.acts.get(item, ())


class BoardText(NamedTuple):
    """A stretch of text within one line."""

    text: str
    tone: TextRole
    item: str = ""
    is_open: bool = False
    """True if a command can be given for the item."""


class ItemPosition(NamedTuple):
    """Position of an item in the layout."""

    item: str
    x: int
    y: int
    width: int


class BoardLayout(NamedTuple):
    """A board that has been laid out for a given width."""

    lines: tuple[tuple[BoardText, ...], ...]
    spots: tuple[ItemPosition, ...]


def lay_out_board(board: GameBoard, width: int, height: int = 0) -> BoardLayout:
    """Lay out a board and locate its items. Blocks are placed side by side if they fit.

    Args:
        board: The board.
        width: Cells per line.
        height: Number of visible lines. If there is room, blank lines separate the sections.
    """
    lines = _sections(board, width)
    between = len(lines) - 1
    is_airy = sum(map(len, lines)) + between <= height
    blank: list[BoardText] = []
    joined = [line for section in lines for line in (*section, *([blank] if is_airy else ()))]
    spots: dict[str, ItemPosition] = {}
    for y, line in enumerate(joined):
        x = 0
        for piece in line:
            size = cell_len(piece.text)
            if piece.item and piece.item not in spots:
                spots[piece.item] = ItemPosition(piece.item, x, y, size)
            x += size
    return BoardLayout(tuple(map(tuple, joined)), tuple(spots.values()))


def _sections(board: GameBoard, width: int) -> list[list[list[BoardText]]]:
    """Return the lines of each section."""
    columns = max((width + _GAP) // (board.width + _GAP), 1)
    room = (width + _GAP) // columns - _GAP
    sections = []
    for section in board.sections:
        title = textwrap.wrap(section.title, width, subsequent_indent="  ")
        lines = [[BoardText(line, TextRole.HEAD)] for line in title]
        for start in range(0, len(section.blocks), columns):
            drawn = [_block(board, one, room) for one in section.blocks[start : start + columns]]
            lines += _side_by_side(drawn, room)
        sections.append(lines)
    return sections


def _side_by_side(blocks: list[list[list[BoardText]]], room: int) -> Iterator[list[BoardText]]:
    """Yield the lines of blocks placed side by side."""
    for number in range(max(map(len, blocks), default=0)):
        line: list[BoardText] = []
        for place, block in enumerate(blocks):
            pieces = block[number] if number < len(block) else []
            line += pieces
            if place < len(blocks) - 1:
                filled = sum(cell_len(piece.text) for piece in pieces)
                line.append(BoardText(" " * (room + _GAP - filled), TextRole.PLAIN))
        yield line


class _Lines:
    """Builds the lines of a block. Text that does not fit continues on the next line, indented."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.lines: list[list[BoardText]] = []
        self.indent = self.used = 0

    def begin(self, label: str, tone: TextRole) -> None:
        """Start a row."""
        label = label[: self.room]
        self.indent = self.used = len(label)
        self.lines.append([BoardText(label, tone)] if label else [])

    def add(self, piece: BoardText, gap: int) -> None:
        """Append a piece after a gap, or on a new line if it does not fit."""
        size = cell_len(piece.text)
        if self.used + gap + size > self.room and self.used > self.indent:
            self.lines.append([BoardText(" " * self.indent, TextRole.PLAIN)] if self.indent else [])
            self.used = self.indent
        if self.used > self.indent and gap:
            self.lines[-1].append(BoardText(" " * gap, TextRole.PLAIN))
            self.used += gap
        self.lines[-1].append(piece)
        self.used += size


def _block(board: GameBoard, block: BoardBlock, room: int) -> list[list[BoardText]]:
    """Return the lines of a block."""
    found = _Lines(room)
    for row in block.rows:
        found.begin(row.label, row.tone)
        for item in row.items:
            is_open = bool(board.actions_for(item.id))
            text = f"{MARK if is_open else ' '}{item.text} "
            found.add(BoardText(text, item.tone, item.id, is_open), 1)
        for word in row.tail.split(" ") if row.tail else ():
            found.add(BoardText(word[: room - found.indent], row.tail_tone), 1)
    return found.lines


def neighbouring_item(spots: Sequence[ItemPosition], item: str, across: int, down: int) -> str:
    """Return the next item in an arrow key's direction, or the same item if there is none."""
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


def next_item_with_action(
    board: GameBoard, spots: Sequence[ItemPosition], item: str, direction: int, word: str = ""
) -> str:
    """Return the next item with an available action, wrapping around at the ends.

    Items with an action named `word` are preferred.
    """
    names = [spot.item for spot in spots]
    if not names:
        return ""
    start = names.index(item) if item in names else -direction
    around = [names[(start + direction * far) % len(names)] for far in range(1, len(names) + 1)]
    openings = [name for name in around if board.actions_for(name)]
    alike = (name for name in openings if any(act.word == word for act in board.actions_for(name)))
    return next(alike, next(iter(openings), item))
