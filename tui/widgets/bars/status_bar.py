"""Full-width lines of toned text, such as the status bar at the top."""

from collections.abc import Sequence

from rich.segment import Segment
from textual import events
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from tui.drawing.colour_roles import GroundRole, TextRole
from tui.drawing.palette import PLAIN_PALETTE, Palette
from tui.panels.status_segments import (
    StatusSegment,
    Toned,
    fit_segments,
    plain_text,
    status_segment,
)
from tui.terminal.sanitising import sanitise_line

_MAX_CELLS = 400


def toned_strip(
    pieces: Sequence[Toned], width: int, palette: Palette, floor: GroundRole = GroundRole.NONE
) -> Strip:
    """Render sanitised, toned text as a strip with the given background and exactly the given width."""
    segments = [Segment(text, palette.style_on(tone, floor)) for text, tone in pieces if text]
    return Strip(segments).crop_extend(0, width, palette.style_on(TextRole.PLAIN, floor))


def _sanitised(segment: StatusSegment) -> StatusSegment:
    shown, short = (
        tuple((sanitise_line(text, _MAX_CELLS), tone) for text, tone in pieces)
        for pieces in (segment.pieces, segment.short_pieces)
    )
    return segment._replace(pieces=shown, short_pieces=short)


def status_bar_strip(
    badge: tuple[str, str], parts: Sequence[StatusSegment], width: int, palette: Palette
) -> Strip:
    """Render the status bar: the game's long or short name, followed by as many segments as fit."""
    long_name, short = badge
    name_segment = status_segment(f" {long_name} ", TextRole.BADGE, 2, f" {short} ")
    line = fit_segments((name_segment, *map(_sanitised, parts)), width)
    return toned_strip(line, width, palette, GroundRole.BAR)


class StyledLine(Widget):
    """One line of toned text, repainted only when it changes."""

    DEFAULT_CSS = """
    StyledLine { height: 1; width: 100%; }
    """

    def __init__(
        self, *, palette: Palette = PLAIN_PALETTE, classes: str | None = None, id: str | None = None
    ) -> None:
        """Create an empty line."""
        super().__init__(classes=classes, id=id)
        self._palette = palette
        self._strip = Strip([])

    def draw(self, width: int, palette: Palette) -> Strip:
        """Render the current contents of the line."""
        return toned_strip((), width, palette)

    def show_palette(self, palette: Palette) -> None:
        """Repaint with another palette."""
        self._palette = palette
        self.redraw()

    def redraw(self) -> None:
        """Render the line, and repaint it if it has changed."""
        strip = self.draw(self.size.width, self._palette)
        if strip != self._strip:
            self._strip = strip
            self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Fit the line to the new width."""
        del event
        self.redraw()

    @override
    def render_line(self, y: int) -> Strip:
        del y
        return self._strip

    @property
    def text(self) -> str:
        """The line's text without tones."""
        return self._strip.text


class StatusBar(StyledLine):
    """The status bar at the top, which shows the state of the game."""

    def __init__(
        self,
        badge: tuple[str, str],
        *,
        palette: Palette = PLAIN_PALETTE,
        classes: str | None = None,
    ) -> None:
        """Create a status bar that shows only the game's name.

        Args:
            badge: The game's name, and a short name for narrow screens.
            palette: Maps tones to styles.
            classes: CSS classes of the widget.
        """
        super().__init__(palette=palette, classes=classes)
        self._badge = badge
        self._parts: tuple[StatusSegment, ...] = ()

    def show(self, parts: tuple[StatusSegment, ...]) -> None:
        """Show these segments. The tooltip shows all of them in full."""
        if parts != self._parts:
            self._parts = parts
            whole_text = "  ".join(
                sanitise_line(plain_text(part.pieces), _MAX_CELLS) for part in parts
            )
            self.tooltip = Content(whole_text)
            self.redraw()

    @override
    def draw(self, width: int, palette: Palette) -> Strip:
        """Render the name of the game and the segments that fit."""
        return status_bar_strip(self._badge, self._parts, width, palette)
