"""How the application paints; with ``tui.driver`` the only place that uses private parts of Textual."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from rich.color import ColorSystem
from rich.console import RenderableType
from textual._compositor import ChopsUpdate, Compositor, LayoutUpdate
from textual.app import App
from textual.color import Color
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import AwaitMount
from textual.worker import WorkerFailed

from saves.errors import LibraryError
from saves.shortage import is_shortage
from tui.frames import Frame, Placed

Wanted = dict[int, set[int]]
"""Columns at which pieces of a line begin that are still to be painted, by line."""


class FrontCompositor(Compositor):
    """Asks widgets only for lines of which something is painted anew and nothing else stands in front.

    Textual asks every widget that touches a box around all changes for all of its lines.
    """

    def render_partial_update(self) -> ChopsUpdate | None:
        """Return what has changed on the screen, None when nothing has."""
        screen = self.size.region
        changed = [region.intersection(screen) for region in self._dirty_regions]
        self._dirty_regions.clear()
        spans = list(self._regions_to_spans(region for region in changed if region))
        if not spans:
            return None
        wanted: Wanted = {}
        for line, left, right in spans:
            pieces = wanted.setdefault(line, set())
            pieces.update(
                [start for start, end in pairwise(self.cuts[line]) if start < right and end > left]
            )
        return ChopsUpdate(self._painted(wanted), spans, [cuts[1:] for cuts in self.cuts])

    def _render_chops(
        self, crop: Region, is_rendered_line: Callable[[int], bool]
    ) -> Sequence[Mapping[int, Strip]]:
        lines = [line for line in crop.line_range if line < len(self.cuts)]
        return self._painted(
            {line: set(self.cuts[line][:-1]) for line in lines if is_rendered_line(line)}
        )

    def _painted(self, wanted: Wanted) -> list[dict[int, Strip]]:
        """Return the pieces of lines, from front to back; takes from ``wanted`` what is painted."""
        chops: list[dict[int, Any]] = [dict.fromkeys(cuts[:-1]) for cuts in self.cuts]
        for widget, (region, clip) in self.visible_widgets.items():
            shown = region.intersection(clip)
            left, right = shown.column_span
            lines = [
                line
                for line in shown.line_range
                if line in wanted and any(left <= column < right for column in wanted[line])
            ]
            for first, last in _runs(lines):
                crop = Region(shown.x - region.x, first - region.y, shown.width, last + 1 - first)
                strips = widget.render_lines(crop)
                for line, strip in zip(range(first, last + 1), strips, strict=False):
                    cuts = [cut for cut in self.cuts[line] if left <= cut <= right]
                    parts = strip.divide([cut - left for cut in cuts[1:]])
                    for column, part in zip(cuts, parts, strict=False):
                        if column in wanted[line]:
                            chops[line][column] = part
                    wanted[line].difference_update(cuts[:-1])
        return chops


def _runs(lines: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of lines that follow one another."""
    start = 0
    for place, line in enumerate(lines, 1):
        if place == len(lines) or lines[place] != line + 1:
            yield lines[start], line
            start = place


def _painting(screen: Screen[Any]) -> Screen[Any]:
    """Return a screen that paints no more than it must."""
    if not isinstance(screen._compositor, FrontCompositor):  # noqa: SLF001  (nobody else makes it)
        screen._compositor = FrontCompositor()  # noqa: SLF001
    return screen


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
        self.shortage: BaseException | None = None
        """The failure that ended the screens where there is too little memory."""
        self.unfit: LibraryError | None = None
        """The failure that ended the screens where a library has a known fault."""
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

    def get_default_screen(self) -> Screen[Any]:
        """Return the screen behind all others."""
        return _painting(super().get_default_screen())

    def _get_screen(self, screen: Screen[Any] | str) -> tuple[Screen[Any], AwaitMount]:
        return super()._get_screen(_painting(self.get_screen(screen)))

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

    def _handle_exception(self, error: Exception) -> None:
        """Leave after a failure; the caller reports too little memory or an unfit library."""
        if self.shortage is None and is_shortage(error):
            self.shortage = error
        cause = error.error if isinstance(error, WorkerFailed) else error
        if isinstance(cause, LibraryError):
            self.unfit = cause
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """Leave after our own mistake, with the places in the code but without values: they may be hands and decks."""
        import structlog
        from rich.traceback import Traceback

        if self.shortage is not None or self.unfit is not None:
            self._close_messages_no_wait()
            return
        if structlog.is_configured():  # else the terminal alone is told
            structlog.get_logger().exception("screen_crashed", **self.place())
        self.panic(Traceback(show_locals=False, suppress=["textual", "rich"]))
