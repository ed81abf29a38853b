"""The progress bar of a replay. Click or drag to seek. Click the symbol on the left to play or pause."""

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from play.turn_index import RecordPosition
from tui.drawing.colour_roles import TextRole
from tui.drawing.palette import PLAIN_PALETTE, Palette
from tui.panels.slider_track import SliderMark, SliderTrack, slider_track
from tui.panels.status_segments import Toned
from tui.widgets.bars.status_bar import toned_strip

_LEFT_CELLS: Final = 4
"""Width, in cells, of the play symbol on the left."""
_SIGNS: Final = {False: " ▶  ", True: " || "}


class Slider(Widget):
    """Shows the position of a replay within its record."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Slider { height: 1; width: 100%; }
    """

    class Moved(Message):
        """Posted when the player seeks to another position."""

        def __init__(self, position: RecordPosition | None, seq: int) -> None:
            super().__init__()
            self.position = position
            """Position of the mark that the player clicked; None if the click was not on a mark."""
            self.seq = seq
            """Number of the record to go to."""

    class Pressed(Message):
        """Posted when the player presses the play symbol."""

    def __init__(
        self, last: int, *, palette: Palette = PLAIN_PALETTE, id: str | None = None
    ) -> None:
        """Create the progress bar for a record.

        Args:
            last: Number of the last record.
            palette: Maps tones to styles.
            id: Textual id.
        """
        super().__init__(id=id)
        self._last_step = last
        self._palette = palette
        self._marks: tuple[SliderMark, ...] = ()
        self._track: SliderTrack | None = None
        self._seq = 0
        self._caption = ""
        self._is_running = False
        self._is_held = False

    def show_palette(self, palette: Palette) -> None:
        """Repaint with another palette."""
        self._palette = palette
        self.refresh()

    def set_marks(self, marks: Sequence[SliderMark]) -> None:
        """Show these marks on the bar."""
        self._marks = tuple(marks)
        self._track = None
        self.refresh()

    def show(self, seq: int, words: str, *, is_running: bool) -> None:
        """Show the current position.

        Args:
            seq: Number of the current record.
            words: Text at the right end.
            is_running: True if the replay is playing automatically.
        """
        shown_state = (seq, words, is_running)
        if shown_state != (self._seq, self._caption, self._is_running):
            if len(words) != len(self._caption):
                self._track = None
            self._seq, self._caption, self._is_running = shown_state
            self.refresh()

    @property
    def track(self) -> SliderTrack:
        """The bar in its current layout."""
        if self._track is None:
            room = self.size.width - _LEFT_CELLS - cell_len(self._caption) - 2
            self._track = slider_track(max(room, 1), self._last_step, self._marks)
        return self._track

    def on_resize(self, event: events.Resize) -> None:
        """Lay out the bar for the new width."""
        del event
        self._track = None
        self.refresh()

    @override
    def render_line(self, y: int) -> Strip:
        """Render the bar on the last line. If there is a line above, it shows the turn names."""
        pieces: list[Toned]
        if y == self.size.height - 1:
            sign = (_SIGNS[self._is_running], TextRole.KEY)
            words = (f" {self._caption} ", TextRole.PLAIN)
            pieces = [sign, *self.track.line(self._seq), words]
        else:
            pieces = [(" " * _LEFT_CELLS, TextRole.DIM), (self.track.labels(), TextRole.DIM)]
        return toned_strip(pieces, self.size.width, self._palette)

    # -- mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Seek to the position of the mouse pointer, or press the play symbol."""
        event.stop()
        offset = event.get_content_offset(self)
        if offset is not None and offset.x < _LEFT_CELLS:
            self.post_message(self.Pressed())
        elif offset is not None:
            self._is_held = True
            self.capture_mouse()
            self._slide(offset.x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follow the mouse while its button is held."""
        if self._is_held:
            self._slide(event.screen_offset.x - self.content_region.x)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Stop dragging."""
        event.stop()
        self._is_held = False
        self.release_mouse()

    def _slide(self, x: int) -> None:
        at, seq = self.track.place(x - _LEFT_CELLS)
        self.post_message(self.Moved(at, seq))
