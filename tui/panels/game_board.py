"""A board with a cursor: items in boxes, and keys that give commands to the item under the cursor."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from rich.cells import cell_len

from tui.drawing.colour_roles import TextRole

OPEN_MARK: Final = "+"
"""Marks an item for which a command can be given."""
_GAP: Final = 2
"""Number of cells between two columns of blocks."""


class BoardItem(msgspec.Struct, frozen=True):
    """An item on the board that the cursor can select."""

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
    """Rows that are kept together, such as those of one ship."""

    rows: tuple[BoardRow, ...]


class BoardSection(msgspec.Struct, frozen=True):
    """Blocks under a common heading."""

    title: str
    blocks: tuple[BoardBlock, ...]


class BoardAction(msgspec.Struct, frozen=True):
    """A key, and the commands that it gives for an item."""

    key: str
    word: str
    commands: tuple[Any, ...]


class GameBoard(msgspec.Struct, frozen=True):
    """The complete contents of a board."""

    title: str
    sections: tuple[BoardSection, ...]
    actions: Mapping[str, tuple[BoardAction, ...]]
    """The available actions for each item, by item id."""
    general_actions: tuple[BoardAction, ...] = ()
    """Actions that are available wherever the cursor is."""
    descriptions: Mapping[str, str] = {}
    """A sentence about each item, by item id."""
    places: Mapping[str, str] = {}
    """Each item's place on the map, by item id."""
    key: str = ""
    """The key that opens the board."""
    highlighted: str = ""
    """The item on the board that the list's highlighted line names; empty if there is none."""
    order: Any = None
    """The highlighted line's command; None if there is none."""
    width: int = 38
    """Width of a block in cells."""

    def actions_for(self, item: str) -> tuple[BoardAction, ...]:
        """Return the actions available for an item; empty if no action is available."""
        return self.actions.get(item, ())


class BoardText(NamedTuple):
    """A part of one line, in one tone."""

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
    positions: tuple[ItemPosition, ...]


def lay_out_board(board: GameBoard, width: int, height: int = 0) -> BoardLayout:
    """Lay out a board and locate its items. Blocks are placed side by side if they fit.

    Args:
        board: The board.
        width: Cells per line.
        height: Number of visible lines. If there is room, blank lines separate the sections.
    """
    lines = _section_lines(board, width)
    blank_lines = len(lines) - 1
    has_blank_lines = sum(map(len, lines)) + blank_lines <= height
    blank_texts: list[BoardText] = []
    all_lines = [
        line
        for section in lines
        for line in (*section, *([blank_texts] if has_blank_lines else ()))
    ]
    positions: dict[str, ItemPosition] = {}
    for y, line in enumerate(all_lines):
        x = 0
        for piece in line:
            size = cell_len(piece.text)
            if piece.item and piece.item not in positions:
                positions[piece.item] = ItemPosition(piece.item, x, y, size)
            x += size
    return BoardLayout(tuple(map(tuple, all_lines)), tuple(positions.values()))


def _section_lines(board: GameBoard, width: int) -> list[list[list[BoardText]]]:
    """Return the lines of each section."""
    columns = max((width + _GAP) // (board.width + _GAP), 1)
    block_width = (width + _GAP) // columns - _GAP
    sections = []
    for section in board.sections:
        title = textwrap.wrap(section.title, width, subsequent_indent="  ")
        lines = [[BoardText(line, TextRole.HEAD)] for line in title]
        for start in range(0, len(section.blocks), columns):
            blocks = [
                _block_lines(board, block, block_width)
                for block in section.blocks[start : start + columns]
            ]
            lines += _side_by_side(blocks, block_width)
        sections.append(lines)
    return sections


def _side_by_side(
    blocks: list[list[list[BoardText]]], block_width: int
) -> Iterator[list[BoardText]]:
    """Yield the lines of blocks placed side by side."""
    for line_number in range(max(map(len, blocks), default=0)):
        line: list[BoardText] = []
        for index, block in enumerate(blocks):
            pieces = block[line_number] if line_number < len(block) else []
            line += pieces
            if index < len(blocks) - 1:
                used_cells = sum(cell_len(piece.text) for piece in pieces)
                line.append(BoardText(" " * (block_width + _GAP - used_cells), TextRole.PLAIN))
        yield line


class _BlockBuilder:
    """Builds the lines of a block. Text that does not fit continues on the next line, indented."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.lines: list[list[BoardText]] = []
        self.indent = self.used = 0

    def begin(self, label: str, tone: TextRole) -> None:
        """Start a row."""
        label = label[: self.width]
        self.indent = self.used = len(label)
        self.lines.append([BoardText(label, tone)] if label else [])

    def add(self, piece: BoardText, gap: int) -> None:
        """Append a piece after a gap. If it does not fit, put it on a new line."""
        size = cell_len(piece.text)
        if self.used + gap + size > self.width and self.used > self.indent:
            self.lines.append([BoardText(" " * self.indent, TextRole.PLAIN)] if self.indent else [])
            self.used = self.indent
        if self.used > self.indent and gap:
            self.lines[-1].append(BoardText(" " * gap, TextRole.PLAIN))
            self.used += gap
        self.lines[-1].append(piece)
        self.used += size


def _block_lines(board: GameBoard, block: BoardBlock, width: int) -> list[list[BoardText]]:
    """Return the lines of a block."""
    builder = _BlockBuilder(width)
    for row in block.rows:
        builder.begin(row.label, row.tone)
        for item in row.items:
            is_open = bool(board.actions_for(item.id))
            text = f"{OPEN_MARK if is_open else ' '}{item.text} "
            builder.add(BoardText(text, item.tone, item.id, is_open), 1)
        for word in row.tail.split(" ") if row.tail else ():
            builder.add(BoardText(word[: width - builder.indent], row.tail_tone), 1)
    return builder.lines


def neighbouring_item(positions: Sequence[ItemPosition], item: str, columns: int, rows: int) -> str:
    """Return the next item in the direction of an arrow key; the same item if there is none."""
    current_position = next((spot for spot in positions if spot.item == item), None)
    if current_position is None:
        return positions[0].item if positions else ""
    if rows:
        candidates = [spot for spot in positions if (spot.y - current_position.y) * rows > 0]
        key = lambda spot: (abs(spot.y - current_position.y), abs(spot.x - current_position.x))  # noqa: E731  # read in place
    else:
        candidates = [
            spot
            for spot in positions
            if spot.y == current_position.y and (spot.x - current_position.x) * columns > 0
        ]
        key = lambda spot: (abs(spot.x - current_position.x), 0)  # noqa: E731  # read in place
    return min(candidates, key=key).item if candidates else item


def next_item_with_action(
    board: GameBoard, positions: Sequence[ItemPosition], item: str, direction: int, word: str = ""
) -> str:
    """Return the next item with an available action, preferably one named `word`. The search wraps around.

    If no item has an available action, return the given item, or an empty string if the board is empty.
    """
    names = [spot.item for spot in positions]
    if not names:
        return ""
    start = names.index(item) if item in names else -direction
    ordered_names = [
        names[(start + direction * distance) % len(names)] for distance in range(1, len(names) + 1)
    ]
    open_names = [name for name in ordered_names if board.actions_for(name)]
    same_action = (
        name
        for name in open_names
        if any(action.word == word for action in board.actions_for(name))
    )
    return next(same_action, next(iter(open_names), item))
