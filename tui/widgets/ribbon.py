"""Lines of toned texts across the whole screen: the ribbon along the top, the steps of a sequence."""

from collections.abc import Sequence

from rich.segment import Segment
from textual import events
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget

from tui.clean import clean
from tui.palette import PLAIN, Palette
from tui.ribbon import Part, Toned, fitted, text_of
from tui.tones import Floor, Tone

_LONGEST = 400


def toned_strip(
    pieces: Sequence[Toned], width: int, palette: Palette, floor: Floor = Floor.NONE
) -> Strip:
    """Return toned texts as a line of this width on some ground; foreign text is cleaned before."""
    segments = [Segment(text, palette.ink(tone, floor)) for text, tone in pieces if text]
    return Strip(segments).crop_extend(0, width, palette.ink(Tone.PLAIN, floor))


def _cleaned(one: Part) -> Part:
    shown, short = (
        tuple((clean(text, _LONGEST), tone) for text, tone in pieces)
        for pieces in (one.pieces, one.short)
    )
    return one._replace(pieces=shown, short=short)


def ribbon_strip(badge: str, parts: Sequence[Part], width: int, palette: Palette) -> Strip:
    """Return the top line: the name of the game, then as many parts as fit."""
    named = Part(((f" {badge} ", Tone.BADGE),), 2) if badge else Part(())
    line = fitted((named, *map(_cleaned, parts)), width)
    return toned_strip(line, width, palette, Floor.BAR)


class ToneLine(Widget):
    """One line of toned texts; it is painted anew only when it changes."""

    DEFAULT_CSS = """
    ToneLine { height: 1; width: 100%; }
    """

    def __init__(
        self, *, palette: Palette = PLAIN, classes: str | None = None, id: str | None = None
    ) -> None:
        """Start empty."""
        super().__init__(classes=classes, id=id)
        self._palette = palette
        self._strip = Strip([])

    def draw(self, width: int, palette: Palette) -> Strip:
        """Return the line as it is now."""
        return toned_strip((), width, palette)

    def show_palette(self, palette: Palette) -> None:
        """Repaint in another palette."""
        self._palette = palette
        self.redraw()

    def redraw(self) -> None:
        """Paint the line if it looks different now."""
        strip = self.draw(self.size.width, self._palette)
        if strip != self._strip:
            self._strip = strip
            self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Fit the line to another width."""
        del event
        self.redraw()

    def render_line(self, y: int) -> Strip:
        """Return the line."""
        del y
        return self._strip

    @property
    def text(self) -> str:
        """Return the letters alone."""
        return self._strip.text


class Ribbon(ToneLine):
    """Where the game stands, along the top."""

    def __init__(self, badge: str, *, palette: Palette = PLAIN, classes: str | None = None) -> None:
        """Start with the name of the game alone."""
        super().__init__(palette=palette, classes=classes)
        self._badge = badge
        self._parts: tuple[Part, ...] = ()

    def show(self, parts: tuple[Part, ...]) -> None:
        """Show other parts."""
        if parts != self._parts:
            self._parts = parts
            whole = "  ".join(clean(text_of(one.pieces), _LONGEST) for one in parts)
            self.tooltip = Content(whole)
            self.redraw()

    def draw(self, width: int, palette: Palette) -> Strip:
        """Return the name of the game and the parts that fit."""
        return ribbon_strip(self._badge, self._parts, width, palette)
