"""A widget that draws a board with a cursor on one of its items."""

from collections.abc import Sequence
from typing import Final

from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from typing_extensions import override

from tui.drawing.colour_roles import TextRole
from tui.drawing.palette import Palette
from tui.panels.game_board import (
    BoardLayout,
    BoardText,
    GameBoard,
    lay_out_board,
    next_item_with_action,
)
from tui.terminal.sanitising import sanitise_line

EMPTY_BOARD: Final = GameBoard(title="", sections=(), actions={})


def draw_pieces(pieces: Sequence[BoardText], palette: Palette, width: int, item: str) -> Strip:
    """Render one line of a board as a strip.

    Args:
        pieces: The pieces of the line.
        palette: Maps tones to styles.
        width: Exact width of the strip, in cells.
        item: The item under the cursor, which is drawn in square brackets.
    """
    segments = []
    for piece in pieces:
        text, tone = sanitise_line(piece.text), piece.tone
        if piece.is_open and not palette.has_backgrounds:
            tone = TextRole.REACH
        if piece.item and piece.item == item:
            # Brackets replace the outer characters, so the line keeps its width.
            text, tone = f"[{text[1:-1]}]", TextRole.CURSOR
        segments.append(Segment(text, palette.style(tone)))
    return Strip(segments).crop_extend(0, width, palette.style(TextRole.PLAIN))


class BoardView(ScrollView, can_focus=True):
    """Draws a board and moves a cursor between its items."""

    DEFAULT_CSS = """
    BoardView { height: 1fr; overflow: hidden hidden; scrollbar-size: 0 0; }
    """

    class Moved(Message):
        """Posted when the cursor moves to another item or the board changes."""

    class Picked(Message):
        """Posted when the player clicks the item under the cursor."""

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette
        self.board = EMPTY_BOARD
        self.board_layout = BoardLayout((), ())
        self.item = ""
        """Id of the item under the cursor; empty if the board has no items."""

    def show(self, board: GameBoard) -> None:
        """Show a board. If the item under the cursor still exists, the cursor stays on that item."""
        self.board = board
        self._lay_out()

    def show_palette(self, palette: Palette) -> None:
        """Repaint with another palette."""
        self._palette = palette
        self.refresh()

    def _lay_out(self) -> None:
        width = self.size.width
        if not width:
            return
        self.board_layout = lay_out_board(self.board, width, self.size.height)
        positions = self.board_layout.positions
        if not any(position.item == self.item for position in positions):
            start = positions[0].item if positions else ""
            self.item = next_item_with_action(self.board, positions, "", 1) or start
        # Assigning virtual_size would lay out the whole screen again, although the board's size is
        # unchanged.
        self.set_reactive(BoardView.virtual_size, Size(width, max(len(self.board_layout.lines), 1)))
        self._scroll_to_item()
        self.refresh()
        self.post_message(self.Moved())

    def on_resize(self, event: events.Resize) -> None:
        """Lay out the board for the new size."""
        del event
        self._lay_out()

    def _scroll_to_item(self) -> None:
        position = next(
            (candidate for candidate in self.board_layout.positions if candidate.item == self.item),
            None,
        )
        if position is None:
            return
        top, height = self.scroll_offset.y, self.size.height
        if not top <= position.y < top + height:
            top_line = max(position.y - height // 2, 0)
            self.scroll_to(y=min(top_line, self.last_top_line), animate=False, force=True)

    @property
    def last_top_line(self) -> int:
        """The index of the last line that can be scrolled to the top."""
        return max(len(self.board_layout.lines) - self.size.height, 0)

    def go(self, item: str) -> None:
        """Move the cursor to an item. Do nothing if the id is empty."""
        if item and item != self.item:
            self.item = item
            self._scroll_to_item()
            self.refresh()
            self.post_message(self.Moved())

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the clicked item. A click on the item under the cursor picks it."""
        y = event.y + self.scroll_offset.y
        clicked_lines = [
            position
            for position in self.board_layout.positions
            if position.y == y and position.x <= event.x < position.x + position.width
        ]
        if clicked_lines and clicked_lines[0].item == self.item:
            self.post_message(self.Picked())
        elif clicked_lines:
            self.go(clicked_lines[0].item)

    @override
    def render_line(self, y: int) -> Strip:
        number = y + self.scroll_offset.y
        lines = self.board_layout.lines
        pieces = lines[number] if number < len(lines) else ()
        return draw_pieces(pieces, self._palette, self.size.width, self.item)
