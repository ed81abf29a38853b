"""The sequence-of-play bar: a title, and the steps in a row with the current step marked."""

from textual import events
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from tui.drawing.colour_roles import TextRole
from tui.drawing.palette import PLAIN_PALETTE, Palette
from tui.panels.status_segments import Steps, step_line
from tui.terminal.sanitising import sanitise_line
from tui.widgets.bars.status_bar import toned_strip


class StepBar(Widget):
    """Shows the title and the steps in two lines above the prompt."""

    DEFAULT_CSS = """
    StepBar { height: 0; width: 100%; }
    """

    def __init__(self, *, palette: Palette = PLAIN_PALETTE, id: str | None = None) -> None:
        """Create an empty bar."""
        super().__init__(id=id)
        self._palette = palette
        self._steps: Steps | None = None

    def show(self, steps: Steps | None) -> None:
        """Show these steps; None hides the bar."""
        if steps != self._steps:
            self._steps = steps
            self.styles.height = 2 if steps is not None else 0
            self.refresh()

    def show_palette(self, palette: Palette) -> None:
        """Repaint with another palette."""
        self._palette = palette
        self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Fit the steps to the new width."""
        del event
        self.refresh()

    @override
    def render_line(self, y: int) -> Strip:
        width, steps = self.size.width, self._steps
        if steps is None:
            return toned_strip((), width, self._palette)
        if not y:
            return toned_strip(
                [(sanitise_line(steps.title, width), TextRole.DIM)], width, self._palette
            )
        return toned_strip(step_line(steps, width), width, self._palette)
