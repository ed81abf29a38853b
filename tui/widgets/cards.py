"""The hand as cards along the bottom: the one under the bar is lit, a click picks one."""

from textual import events
from textual.content import Content
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.cardrow import first_shown, grid, row_lines
from tui.clean import clean
from tui.palette import PLAIN, Palette
from tui.ribbon import CardFace
from tui.widgets.ribbon import toned_strip


class Hand(Widget):
    """Cards side by side; it is read and clicked, the keys stay with the list."""

    DEFAULT_CSS = """
    Hand { height: 1fr; }
    """

    class Picked(Message):
        """The player clicked a card."""

        def __init__(self, card: str) -> None:
            super().__init__()
            self.card = card

    def __init__(self, title: str, *, palette: Palette = PLAIN, id: str | None = None) -> None:
        """Start empty."""
        super().__init__(id=id)
        self._title = title
        self._words = ""
        """The title with the number of cards."""
        self._palette = palette
        self._faces: tuple[CardFace, ...] = ()
        self._lit = ""
        self._first = 0
        self._strips: list[Strip] = []

    @property
    def faces(self) -> tuple[CardFace, ...]:
        """Return the cards."""
        return self._faces

    @property
    def lit(self) -> str:
        """Return the card that is lit, empty for none."""
        return self._lit

    def show(self, faces: tuple[CardFace, ...]) -> None:
        """Show other cards."""
        if faces != self._faces:
            self._faces = faces
            self._first = 0
            self.redraw()

    def _entitle(self, room: int) -> None:
        """Tell how many cards there are, and which are in sight when that is not all."""
        held = sum(face.count for face in self._faces if not face.is_aside)
        aside = sum(face.count for face in self._faces if face.is_aside)
        parts = [str(held)] + [f"{aside} laid aside"] * bool(aside)
        if len(self._faces) > room:
            parts.append(f"{self._first + 1} to {self._first + room} in sight")
        words = clean(f"{self._title} ({', '.join(parts)})", 60)
        if words != self._words:
            self._words = words
            self.border_title = Content(words)

    def light(self, card: str) -> None:
        """Light the card that is looked at, empty for none."""
        if card != self._lit:
            self._lit = card
            self.redraw()

    def show_palette(self, palette: Palette) -> None:
        """Repaint in another palette."""
        self._palette = palette
        self._strips.clear()
        self.redraw()

    def redraw(self) -> None:
        """Paint the lines that look different now."""
        width, height = self.size
        if not width or not height:
            return
        laid = grid(len(self._faces), width, height)
        self._first = first_shown(self._faces, laid, self._lit, self._first)
        self._entitle(laid.room)
        is_boxed = not self._palette.has_floors
        lines = row_lines(self._faces, (width, height), self._lit, self._first, is_boxed=is_boxed)
        strips = [toned_strip(line, width, self._palette) for line in lines]
        if strips != self._strips:
            self._strips = strips
            self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Lay the cards anew."""
        del event
        self._strips.clear()
        self.redraw()

    def render_line(self, y: int) -> Strip:
        """Return a line."""
        if y < len(self._strips):
            return self._strips[y]
        return toned_strip((), self.size.width, self._palette)

    def _face_at(self, x: int, y: int) -> CardFace | None:
        place = grid(len(self._faces), *self.size).card_at(x, y)
        at = place + self._first
        return self._faces[at] if place >= 0 and at < len(self._faces) else None

    def on_click(self, event: events.Click) -> None:
        """Pick the card under the mouse."""
        offset = event.get_content_offset(self)
        face = self._face_at(*offset) if offset is not None else None
        if face is not None:
            event.stop()
            self.post_message(self.Picked(face.id))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Tell the whole text of the card under the mouse."""
        offset = event.get_content_offset(self)
        face = self._face_at(*offset) if offset is not None else None
        words = "" if face is None else f"{face.title} ({face.kind})\n{face.text}"
        self.tooltip = Content("\n".join(clean(line, 800) for line in words.splitlines())) or None

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Show later cards."""
        event.stop()
        self._first += 1
        self.redraw()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Show earlier cards."""
        event.stop()
        self._first -= 1
        self.redraw()
