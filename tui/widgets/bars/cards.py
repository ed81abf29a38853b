"""The player's hand as a row of cards along the bottom of the screen."""

from textual import events
from textual.content import Content
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from tui.drawing.palette import PLAIN_PALETTE, Palette
from tui.panels.card_row import (
    arrange_cards,
    card_heights,
    first_visible_card,
    hand_rows,
    visible_cards,
)
from tui.panels.status_segments import CardFace
from tui.terminal.sanitising import sanitise_line
from tui.widgets.bars.status_bar import toned_strip


class HandView(Widget):
    """A row of cards to read and click. It never takes the keyboard focus from the list of options."""

    DEFAULT_CSS = """
    HandView { height: 1fr; }
    """

    class Picked(Message):
        """Posted when the player clicks a card."""

        def __init__(self, card: str) -> None:
            super().__init__()
            self.card = card

    def __init__(
        self, title: str, *, palette: Palette = PLAIN_PALETTE, id: str | None = None
    ) -> None:
        """Create an empty hand."""
        super().__init__(id=id)
        self._title = title
        self._shown_title = ""
        """The border title, which includes the number of cards."""
        self._palette = palette
        self._faces: tuple[CardFace, ...] = ()
        self._highlighted = ""
        self._first_index = 0
        self._strips: list[Strip] = []

    @property
    def faces(self) -> tuple[CardFace, ...]:
        """The cards in the hand, including those scrolled out of view."""
        return self._faces

    @property
    def highlighted(self) -> str:
        """Id of the highlighted card; empty if no card is highlighted."""
        return self._highlighted

    def show(self, faces: tuple[CardFace, ...]) -> None:
        """Show these cards."""
        if faces != self._faces:
            self._faces = faces
            self._first_index = 0
            self.redraw()

    def _update_title(self, capacity: int) -> None:
        """Add the number of cards to the title and, if not all of them fit, the visible range."""
        in_hand = sum(face.count for face in self._faces if not face.is_aside)
        set_aside = sum(face.count for face in self._faces if face.is_aside)
        parts = [str(in_hand)] + [f"{set_aside} set aside"] * bool(set_aside)
        if len(self._faces) > capacity:
            parts.append(f"{self._first_index + 1} to {self._first_index + capacity} shown")
        title = sanitise_line(f"{self._title} ({', '.join(parts)})", 60)
        if title != self._shown_title:
            self._shown_title = title
            self.border_title = Content(title)

    def highlight_card(self, card: str) -> None:
        """Highlight a card. An empty id clears the highlight."""
        if card != self._highlighted:
            self._highlighted = card
            self.redraw()

    def show_palette(self, palette: Palette) -> None:
        """Repaint with another palette."""
        self._palette = palette
        self._strips.clear()
        self.redraw()

    def redraw(self) -> None:
        """Render the cards, and repaint them if they have changed."""
        width, height = self.size
        if not width or not height:
            return
        card_grid = arrange_cards(len(self._faces), width, height)
        self._first_index = first_visible_card(
            self._faces, card_grid, self._highlighted, self._first_index
        )
        self._update_title(card_grid.capacity)
        is_boxed = not self._palette.has_backgrounds
        lines = hand_rows(
            self._faces, (width, height), self._highlighted, self._first_index, is_boxed=is_boxed
        )
        strips = [toned_strip(line, width, self._palette) for line in lines]
        if strips != self._strips:
            self._strips = strips
            self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Lay out the cards for the new size."""
        del event
        self._strips.clear()
        self.redraw()

    @override
    def render_line(self, y: int) -> Strip:
        if y < len(self._strips):
            return self._strips[y]
        return toned_strip((), self.size.width, self._palette)

    def _face_at(self, x: int, y: int) -> CardFace | None:
        card_grid = arrange_cards(len(self._faces), *self.size)
        height, is_boxed = self.size.height, not self._palette.has_backgrounds
        shown_faces = visible_cards(
            self._faces, card_grid, self._first_index, height, is_boxed=is_boxed
        )
        heights = card_heights(shown_faces, card_grid, height, is_boxed=is_boxed)
        index = card_grid.card_at(x, y, heights)
        return shown_faces[index] if 0 <= index < len(shown_faces) else None

    def on_click(self, event: events.Click) -> None:
        """Pick the card under the mouse pointer."""
        offset = event.get_content_offset(self)
        face = self._face_at(*offset) if offset is not None else None
        if face is not None:
            event.stop()
            self.post_message(self.Picked(face.id))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Show the full text of the card under the mouse pointer as a tooltip."""
        offset = event.get_content_offset(self)
        face = self._face_at(*offset) if offset is not None else None
        text = "" if face is None else f"{face.title} ({face.kind})\n{face.text}"
        self.tooltip = (
            Content("\n".join(sanitise_line(line, 800) for line in text.splitlines())) or None
        )

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll to later cards."""
        event.stop()
        self._first_index += 1
        self.redraw()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll to earlier cards."""
        event.stop()
        self._first_index -= 1
        self.redraw()
