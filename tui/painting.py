"""How the application paints; with ``tui.driver`` the only place that uses private parts of Textual."""

from collections.abc import Iterable, Iterator

from rich.color import ColorSystem
from rich.console import RenderableType
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.color import Color
from textual.screen import Screen

from tui.frames import Frame, Placed


def placed_of(update: LayoutUpdate | ChopsUpdate) -> Iterator[Placed]:
    """Yield what an update of Textual's compositor paints."""
    if isinstance(update, LayoutUpdate):
        for line, strips in enumerate(update.strips, update.region.y):
            segments = [segment for strip in strips for segment in strip]
            yield line, update.region.x, segments
        return
    for line, left, right in update.spans:
        for end, (column, strip) in zip(
            update.chop_ends[line], update.chops[line].items(), strict=False
        ):
            if strip is None or column > right or end <= left:
                continue
            whole = right > column >= left and end <= right
            shown = strip if whole else strip.crop(0, min(end, right) - column)
            yield line, column, list(shown)


class PaintingApp(App[int]):
    """An application that sends cells that change, and nothing before its first frame is whole."""

    def __init__(self) -> None:
        """Prepare."""
        self._frame = Frame()
        super().__init__()

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        """Send an update as the cells that change; drawing on no terminal stays Textual's business."""
        driver = self._driver
        if (
            driver is None
            or driver.is_headless
            or driver.is_inline
            or not isinstance(renderable, LayoutUpdate | ChopsUpdate)
        ):
            super()._display(screen, renderable)
            return
        if self._batch_count or not self._running or self._closed:
            return
        self._frame.fit(*self.size)
        colours = self.console._color_system or ColorSystem.STANDARD  # noqa: SLF001  (as Textual does)
        changes = self._frame.update(placed_of(renderable), colours)
        if changes:
            self._begin_update()
            driver.write(changes)
            self._end_update()
            driver.flush()
        self.post_display_hook()

    def send(self, text: str) -> None:
        """Write to the terminal past the screens: a bell, a title; nothing where there is no terminal."""
        driver = self._driver
        if text and driver is not None and not driver.is_headless:
            driver.write(text)
            driver.flush()

    def still(self, placed: Iterable[Placed]) -> bytes:
        """Return what shows some lines on an empty terminal of this size."""
        frame = Frame()
        frame.fit(*self.size)
        lines = []
        for line, column, segments in placed:
            kept = list(segments)
            for one in self.get_line_filters():
                kept = one.apply(kept, Color(0, 0, 0))
            lines.append((line, column, kept))
        colours = self.console._color_system or ColorSystem.STANDARD  # noqa: SLF001  (as Textual does)
        return frame.update(lines, colours).encode("utf-8", "replace")

    def repaint(self) -> None:
        """Send everything again."""
        self._frame.forget()
        self.screen.refresh(layout=True)

    def on_load(self) -> None:
        """Hold the first frame back until everything stands in its place."""
        self._begin_batch()

    def on_ready(self) -> None:
        """Paint the first frame, once, and hear the keys that were typed meanwhile."""
        self._end_batch()
        listen = getattr(self._driver, "listen", None)
        if listen is not None:
            listen()

    def place(self) -> dict[str, object]:
        """Return what the log tells about where a mistake happened."""
        return {}

    def _fatal_error(self) -> None:
        """Leave after our own mistake, with the places in the code but without values: they may be hands and decks."""
        import structlog
        from rich.traceback import Traceback

        if structlog.is_configured():  # else the terminal alone is told
            structlog.get_logger().exception("screen_crashed", **self.place())
        self.panic(Traceback(show_locals=False, suppress=["textual", "rich"]))
