"""A list of choices with a highlight bar. While the list has the focus, Enter chooses the line under the bar."""

from collections.abc import Callable, Iterable, Sequence

from rich.segment import Segment
from textual import events
from textual.binding import Binding
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from typing_extensions import override

from engine.kernel.ruleset import Command
from play.choices import Choice
from tui.drawing.colour_roles import TextRole
from tui.drawing.palette import PLAIN_PALETTE, Palette
from tui.widgets.lists.choice_lines import RowLine, digit_rows, initial_row, lay_out_choices

_POINTER = "▸"


class Rows(ScrollView, can_focus=True):
    """Draws choices, and reports which choice the player highlights or chooses."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Rows { height: 1fr; overflow: hidden hidden; scrollbar-size: 0 0; }
    """
    BINDINGS = [
        Binding("up", "bar(-1)", "Line up", show=False),
        Binding("down", "bar(1)", "Line down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "edge(0)", "First line", show=False),
        Binding("end", "edge(-1)", "Last line", show=False),
        Binding("enter", "take", "Choose the line or open its list", show=False),
        Binding("space", "tick", "Tick the line", show=False),
    ]

    is_lit: reactive[bool] = reactive(default=True)
    """True if Enter would choose the highlighted line once the list has focus."""
    highlighted: reactive[int | None] = reactive(None, repaint=False)
    """Index of the choice under the bar; None for an empty list, or before the player has moved the bar."""

    class Moved(Message):
        """Posted when the bar has moved to another line."""

        def __init__(self, *, is_new: bool = False) -> None:
            super().__init__()
            self.is_new = is_new
            """True if the list was replaced; False if the player moved the bar."""

    class Taken(Message):
        """Posted when the player chooses a line."""

        def __init__(self, choice: Choice, *, moves_on: bool = False) -> None:
            super().__init__()
            self.choice = choice
            self.moves_on = moves_on
            """True if the bar should move to the next unticked line once this line is ticked."""

    class NothingTaken(Message):
        """Posted when the player presses Enter before the bar is on a line."""

    def __init__(self, palette: Palette = PLAIN_PALETTE) -> None:
        super().__init__()
        self.is_safe: Callable[[Choice], bool] = lambda _: True
        """Returns whether Enter may choose a line on which the player has not put the bar."""
        self._palette = palette
        self._choices: tuple[Choice, ...] = ()
        self._lines: tuple[RowLine, ...] = ()
        self._laid = Size(-1, -1)
        self._pointed_commands: frozenset[Command] = frozenset()
        """The commands that are marked with a pointer in the list."""

    def set_pointers(self, commands: Iterable[Command]) -> None:
        """Put a pointer before the lines of these commands and the headings above them."""
        self._pointed_commands = frozenset(commands)
        self._lay_out()
        self.refresh()

    def move_to_pointer(self) -> None:
        """Move the bar to the first line with a pointer, unless it is already on one."""
        pointed_rows = [line.row for line in self._lines if line.mark[1:2] == _POINTER]
        if pointed_rows and self.highlighted not in pointed_rows:
            self.highlighted = pointed_rows[0]

    def show(self, choices: Sequence[Choice], row: int | None = None) -> None:
        """Show these choices.

        Args:
            choices: The lines.
            row: Row of the bar. None means the row returned by `initial_row`.
        """
        top = self.scroll_offset.y
        self._choices = tuple(choices)
        self._lay_out()
        start = initial_row(choices, self.is_safe) if row is None else min(row, len(choices) - 1)
        # Bypass the watcher: Moved is posted below, with is_new set.
        self.set_reactive(Rows.highlighted, start if choices else None)
        self.scroll_to(y=0 if row is None else min(top, self._bottom), animate=False, force=True)
        self._scroll_to_bar()
        self.refresh()
        if choices:
            self.post_message(self.Moved(is_new=True))

    def show_palette(self, palette: Palette) -> None:
        """Repaint with another palette."""
        self._palette = palette
        self.refresh()

    @property
    def line_count(self) -> int:
        """Height of the whole list, in lines."""
        return len(self._lines)

    @property
    def under_bar(self) -> Choice | None:
        """The choice under the bar; None for an empty list."""
        row = self.highlighted
        return self._choices[row] if row is not None and row < len(self._choices) else None

    def watch_highlighted(self) -> None:
        """Keep the bar in view, and report that the bar has moved."""
        self._scroll_to_bar()
        self.refresh()
        self.post_message(self.Moved())

    def point_at(self, row: int) -> None:
        """Move the bar to a line that was selected elsewhere, and centre the line in the view."""
        self.highlighted = row
        own_lines = [y for y, line in enumerate(self._lines) if line.row == row]
        if own_lines:
            top_line = (own_lines[0] + own_lines[-1] + 1 - self.size.height) // 2
            self.scroll_to(y=min(max(top_line, 0), self._bottom), animate=False, force=True)

    def _lay_out(self) -> None:
        width = self.size.width
        self._laid = self.size
        self._lines = lay_out_choices(self._choices, width or 80)
        # the last column is reserved for the scroll arrows
        if 0 < self.size.height < len(self._lines):
            self._lines = lay_out_choices(self._choices, width, spare_cells=1)
        if self._pointed_commands:
            self._lines = tuple(map(self._add_pointer, self._lines))
        # Assigning virtual_size would lay out the whole screen again, although the list's size is
        # unchanged.
        self.set_reactive(Rows.virtual_size, Size(max(width, 1), max(len(self._lines), 1)))

    def _add_pointer(self, line: RowLine) -> RowLine:
        """Add a pointer to the line if its command has one, unless the line already has another mark."""
        is_told = line.row >= 0 and line.is_first
        commands = self._choices[line.row].commands() if is_told else ()
        if self._pointed_commands.isdisjoint(commands) or line.mark[1:2].strip():
            return line
        return line._replace(mark=line.mark[:1] + _POINTER + line.mark[2:], tone=TextRole.GOOD)

    @property
    def _bottom(self) -> int:
        return max(len(self._lines) - self.size.height, 0)

    def _scroll_to_bar(self) -> None:
        """Scroll just enough to show the bar and any group heading directly above it."""
        own_lines = [y for y, line in enumerate(self._lines) if line.row == self.highlighted]
        if not own_lines or not self.size.height:
            return
        top, height = self.scroll_offset.y, self.size.height
        first_line = (
            own_lines[0] - 1
            if own_lines[0] and self._lines[own_lines[0] - 1].row < 0
            else own_lines[0]
        )
        if first_line < top:
            self.scroll_to(y=first_line, animate=False, force=True)
        elif own_lines[-1] >= top + height:
            self.scroll_to(y=own_lines[-1] - height + 1, animate=False, force=True)

    def on_resize(self, event: events.Resize) -> None:
        """Lay out the lines for the new size."""
        del event
        if self.size != self._laid:
            self._lay_out()
        self._scroll_to_bar()
        self.refresh()

    def on_focus(self) -> None:
        """Brighten the bar."""
        self.refresh()

    def on_blur(self) -> None:
        """Dim the bar, because Enter no longer chooses the line under it."""
        self.refresh()

    @override
    def render_line(self, y: int) -> Strip:
        number = y + self.scroll_offset.y
        plain_style = self._palette.style(TextRole.PLAIN)
        if number >= len(self._lines):
            return Strip.blank(self.size.width, plain_style)
        line = self._lines[number]
        is_under_bar = line.row >= 0 and line.row == self.highlighted
        if is_under_bar:
            is_lit = self.has_focus and self.is_lit
            tone = TextRole.PICK if is_lit else TextRole.PICK_DULL
            mark = f"›{line.mark[1:]}" if is_lit and line.is_first else line.mark
            pieces = [Segment(mark + line.text, self._palette.style(tone))]
            fill = self._palette.style(tone)
        else:
            key = self._palette.style(TextRole.DIM)
            pieces = [
                Segment(line.mark[:1], key),
                Segment(line.mark[1:] + line.text, self._palette.style(line.tone)),
            ]
            fill = plain_style
        strip, hint = Strip(pieces), self._scroll_hint(y)
        width = self.size.width
        if strip.cell_length + len(hint) >= width:
            hint = hint[:1]  # there is room for the arrow only
        line_strip = strip.crop_extend(0, width, fill)
        if not hint:
            return line_strip
        arrow = Segment(hint, self._palette.style(TextRole.KEY))
        return Strip([*line_strip.crop(0, width - len(hint)), arrow], width)

    def _scroll_hint(self, y: int) -> str:
        """Return how many choices are out of view beyond the first or last visible line, such as ``↓ 3 more``.

        Empty for other lines and if nothing is out of view.
        """
        top, height = self.scroll_offset.y, self.size.height
        if y == height - 1 and top < self._bottom:
            arrow, hidden_lines = "↓", self._lines[top + height :]
        elif y == 0 and top > 0:
            arrow, hidden_lines = "↑", self._lines[:top]
        else:
            return ""
        count = sum(line.row >= 0 and line.is_first for line in hidden_lines)
        return f"{arrow} {count} more" if count else arrow

    # -- moving the bar and choosing lines

    def action_bar(self, rows: int) -> None:
        """Move the bar by a number of rows, wrapping around at the ends."""
        if self._choices:
            start = self.highlighted
            if start is None:
                start = -1 if rows > 0 else 0
            self.highlighted = (start + rows) % len(self._choices)

    def action_page(self, pages: int) -> None:
        """Move the bar by a number of pages."""
        if self._choices:
            rows = (self.highlighted or 0) + pages * max(self.size.height - 1, 1)
            self.highlighted = min(max(rows, 0), len(self._choices) - 1)

    def action_edge(self, edge: int) -> None:
        """Move the bar to the first or last line."""
        if self._choices:
            self.highlighted = edge % len(self._choices)

    def action_take(self) -> None:
        """Choose the line under the bar. If that ticks the line, the bar moves to the next unticked line."""
        self._take(moves_on=True)

    def action_tick(self) -> None:
        """If the line under the bar can be ticked, tick it without moving the bar."""
        if self.under_bar is not None and self.under_bar.group:
            self._take()

    def _take(self, *, moves_on: bool = False) -> None:
        if self.under_bar is not None:
            self.post_message(self.Taken(self.under_bar, moves_on=moves_on))
        elif self._choices:
            self.post_message(self.NothingTaken())

    def take_digit(self, digit: int) -> None:
        """Move the bar to the line with this digit and choose it. If that ticks the line, the bar moves on."""
        row = digit_rows(self._choices).get(digit)
        if row is not None:
            self.highlighted = row
            self._take(moves_on=True)

    def on_click(self, event: events.Click) -> None:
        """Move the bar to the clicked line and choose it."""
        event.stop()
        offset = event.get_content_offset(self)
        number = offset.y + self.scroll_offset.y if offset is not None else -1
        if 0 <= number < len(self._lines) and self._lines[number].row >= 0:
            self.highlighted = self._lines[number].row
            self._take()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll the view without moving the bar."""
        event.stop()
        target = min(self.scroll_offset.y + 1, self._bottom)
        self.scroll_to(y=target, animate=False, force=True)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll the view without moving the bar."""
        event.stop()
        self.scroll_to(y=max(self.scroll_offset.y - 1, 0), animate=False, force=True)
