"""Paints only what has changed.

This module and ``tui.terminal.driver`` are the only ones that use Textual internals.
"""

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
from typing_extensions import override

from saves.errors import LibraryError
from saves.memory_limit import is_out_of_memory
from tui.drawing.screen_buffer import Placed, ScreenBuffer

CutsByLine = dict[int, set[int]]
"""For each line, the starting columns of the pieces that have yet to be painted."""


class FrontCompositor(Compositor):
    """A compositor that renders only the widget lines that have changed and are not covered.

    Textual's own compositor renders every line of every widget that touches the bounding box of all changes.
    """

    @override
    def render_partial_update(self) -> ChopsUpdate | None:
        """Return the changed parts of the screen; None if nothing has changed."""
        screen = self.size.region
        changed_regions = [region.intersection(screen) for region in self._dirty_regions]
        self._dirty_regions.clear()
        spans = list(self._regions_to_spans(region for region in changed_regions if region))
        if not spans:
            return None
        cuts_by_line: CutsByLine = {}
        for line, left_column, right_column in spans:
            pieces = cuts_by_line.setdefault(line, set())
            pieces.update(
                [
                    start
                    for start, end in pairwise(self.cuts[line])
                    if start < right_column and end > left_column
                ]
            )
        return ChopsUpdate(
            self._render_pieces(cuts_by_line), spans, [cuts[1:] for cuts in self.cuts]
        )

    @override
    def _render_chops(
        self, crop: Region, is_rendered_line: Callable[[int], bool]
    ) -> Sequence[Mapping[int, Strip]]:
        lines = [line for line in crop.line_range if line < len(self.cuts)]
        return self._render_pieces(
            {line: set(self.cuts[line][:-1]) for line in lines if is_rendered_line(line)}
        )

    def _render_pieces(self, cuts_by_line: CutsByLine) -> list[dict[int, Strip]]:
        """Render pieces of lines from front to back. Finished pieces are removed from ``cuts_by_line``."""
        chops: list[dict[int, Any]] = [dict.fromkeys(cuts[:-1]) for cuts in self.cuts]
        for widget, (region, clip) in self.visible_widgets.items():
            shown_region = region.intersection(clip)
            left, right = shown_region.column_span
            lines = [
                line
                for line in shown_region.line_range
                if line in cuts_by_line
                and any(left <= column < right for column in cuts_by_line[line])
            ]
            for first, last in _consecutive_runs(lines):
                crop = Region(
                    shown_region.x - region.x,
                    first - region.y,
                    shown_region.width,
                    last + 1 - first,
                )
                strips = widget.render_lines(crop)
                for line, strip in zip(range(first, last + 1), strips, strict=False):
                    cuts = [
                        cut_column for cut_column in self.cuts[line] if left <= cut_column <= right
                    ]
                    parts = strip.divide([cut - left for cut in cuts[1:]])
                    for column, part in zip(cuts, parts, strict=False):
                        if column in cuts_by_line[line]:
                            chops[line][column] = part
                    # The frontmost widget has drawn these pieces, so the widgets behind it need not
                    # draw them.
                    cuts_by_line[line].difference_update(cuts[:-1])
        return chops


def _consecutive_runs(lines: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each run of consecutive lines."""
    start = 0
    for index, line in enumerate(lines, 1):
        if index == len(lines) or lines[index] != line + 1:
            yield lines[start], line
            start = index


def _install_compositor(screen: Screen[Any]) -> Screen[Any]:
    """Give a screen this module's compositor."""
    if not isinstance(screen._compositor, FrontCompositor):  # noqa: SLF001  (only this module sets it)
        # Textual creates a screen's compositor in its constructor, so it is replaced when the
        # screen is first used.
        screen._compositor = FrontCompositor()  # noqa: SLF001
    return screen


def placed_segments(update: LayoutUpdate | ChopsUpdate) -> Iterator[Placed]:
    """Yield the segments painted by an update from Textual's compositor, with their positions."""
    if isinstance(update, LayoutUpdate):
        for line, strips in enumerate(update.strips, update.region.y):
            segments = [segment for strip in strips for segment in strip]
            yield line, update.region.x, segments
        return
    for line, left_column, right_column in update.spans:
        for end, (column, strip) in zip(
            update.chop_ends[line], update.chops[line].items(), strict=False
        ):
            if strip is None or column > right_column or end <= left_column:
                continue
            is_whole = right_column > column >= left_column and end <= right_column
            shown_strip = strip if is_whole else strip.crop(0, min(end, right_column) - column)
            yield line, column, list(shown_strip)


class PaintingApp(App[int]):
    """An application that sends only changed cells to the terminal, starting when its first frame is complete."""

    def __init__(self) -> None:
        """Create the application with an empty screen buffer."""
        self._buffer = ScreenBuffer()
        self.memory_error: BaseException | None = None
        """The out-of-memory error that ended the program, or None."""
        self.terminal_error: LibraryError | None = None
        """The known library fault that ended the program, or None."""
        super().__init__()

    @override
    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        """Send the changed cells of an update. If there is no real terminal, leave the drawing to Textual."""
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
        # After a resize, the terminal may have cleared or wrapped its contents, so send every cell
        # again.
        self._buffer.resize(*self.size)
        colours = self.console._color_system or ColorSystem.STANDARD  # noqa: SLF001  (as Textual does)
        changes = self._buffer.update(placed_segments(renderable), colours)
        if changes:
            self._begin_update()
            driver.write(changes)
            self._end_update()
            driver.flush()
        self.post_display_hook()

    @override
    def get_default_screen(self) -> Screen[Any]:
        return _install_compositor(super().get_default_screen())

    @override
    def _get_screen(self, screen: Screen[Any] | str) -> tuple[Screen[Any], AwaitMount]:
        return super()._get_screen(_install_compositor(self.get_screen(screen)))

    def send(self, text: str) -> None:
        """Write directly to the terminal, for example to ring the bell. If there is no terminal, do nothing."""
        driver = self._driver
        if text and driver is not None and not driver.is_headless:
            driver.write(text)
            driver.flush()

    def encode_drawing(self, placed: Iterable[Placed]) -> bytes:
        """Return the bytes that draw the given segments on an empty terminal of the current size."""
        buffer = ScreenBuffer()
        buffer.resize(*self.size)
        lines = []
        for line, column, segments in placed:
            filtered_segments = list(segments)
            for line_filter in self.get_line_filters():
                filtered_segments = line_filter.apply(filtered_segments, Color(0, 0, 0))
            lines.append((line, column, filtered_segments))
        colours = self.console._color_system or ColorSystem.STANDARD  # noqa: SLF001  (as Textual does)
        return buffer.update(lines, colours).encode("utf-8", "replace")

    def repaint(self) -> None:
        """Send the whole screen again."""
        self._buffer.invalidate()
        self.screen.refresh(layout=True)

    def on_load(self) -> None:
        """Hold back the first frame until the layout is complete."""
        self._begin_batch()

    def on_ready(self) -> None:
        """Paint the first frame, and start handling the keys that were held back."""
        self._end_batch()
        # Only this program's own driver holds back keys, so other drivers have no `listen`.
        listen = getattr(self._driver, "listen", None)
        if listen is not None:
            listen()

    def crash_context(self) -> dict[str, object]:
        """Return context to log with a crash."""
        return {}

    @override
    def _handle_exception(self, error: Exception) -> None:
        """Exit after an error. The caller reports out-of-memory errors and known library faults."""
        if self.memory_error is None and is_out_of_memory(error):
            self.memory_error = error
        cause = error.error if isinstance(error, WorkerFailed) else error
        if isinstance(cause, LibraryError):
            self.terminal_error = cause
        super()._handle_exception(error)

    @override
    def _fatal_error(self) -> None:
        """Exit after a bug. The traceback omits local values, because these may include hands and decks."""
        import structlog
        from rich.traceback import Traceback

        if self.memory_error is not None or self.terminal_error is not None:
            self._close_messages_no_wait()
            return
        if structlog.is_configured():  # without a log, the traceback appears only on the terminal
            structlog.get_logger().exception("screen_crashed", **self.crash_context())
        self.panic(Traceback(show_locals=False, suppress=["textual", "rich"]))
