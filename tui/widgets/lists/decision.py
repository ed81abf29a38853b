"""The decision panel: a prompt and a nested list of options, which can be filtered by typing."""

from collections.abc import Sequence
from itertools import pairwise

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static
from typing_extensions import override

from engine.kernel.ruleset import Command
from play.choices import Choice, OptionState
from tui.drawing.palette import PLAIN_PALETTE, Palette
from tui.terminal.sanitising import sanitise_line
from tui.text.fuzzy import filter_choices
from tui.widgets.lists.choice_lines import initial_row
from tui.widgets.lists.rows import Rows

_MAX_LENGTH = 60
_MAX_MATCHES = 200


class FilterLine(Input):
    """The filter's input line. The arrow keys still move the bar in the list."""

    BINDINGS = [
        Binding("up", "move_bar(-1)", "Line up", show=False),
        Binding("down", "move_bar(1)", "Line down", show=False),
        Binding("escape", "end_filter", "Show the whole list", show=False),
    ]

    class Ended(Message):
        """Posted when the player closes the filter."""

    class BarMoved(Message):
        """Posted when the player moves the bar from the filter line."""

        def __init__(self, rows: int) -> None:
            super().__init__()
            self.rows = rows

    def action_move_bar(self, rows: int) -> None:
        """Post a request to move the bar by a number of rows."""
        self.post_message(self.BarMoved(rows))

    def action_end_filter(self) -> None:
        """Close the filter and show the whole list."""
        self.post_message(self.Ended())


class _ListLevel:
    """One level of the nested lists: its choices, its prompt, and the row of the bar."""

    def __init__(self, choices: tuple[Choice, ...], words: str) -> None:
        self.choices = choices
        self.words = words
        """Text above the list: the prompt, or the path to the nested list."""
        self.row: int | None = None
        """The row of the bar; None until the player moves the bar."""


def _has_become_a_loss(
    choices_before: Sequence[Choice], choices: Sequence[Choice], row: int
) -> bool:
    """Return whether a row now costs something, unlike the row in the same place before, as after an undone discard."""
    return (
        row < len(choices)
        and bool(choices[row].loss)
        and not (row < len(choices_before) and choices_before[row].loss)
    )


class DecisionPanel(Vertical):
    """Shows a prompt and choices, and reports which choice the player highlights or chooses."""

    DEFAULT_CSS = """
    DecisionPanel .prompt { height: auto; max-height: 4; text-style: bold; }
    DecisionPanel FilterLine { display: none; }
    DecisionPanel.-typing FilterLine { display: block; }
    DecisionPanel .note { height: auto; max-height: 3; display: none; color: $accent; }
    """
    BINDINGS = [
        Binding("left", "up", "Back to the list above", show=False),
    ]

    class Chosen(Message):
        """Posted when the player chooses an option, or removes a ticked option from the draft."""

        def __init__(self, choice: Choice) -> None:
            super().__init__()
            self.choice = choice

        @property
        def command(self) -> Command:
            """The command of the option."""
            command: Command = self.choice.command
            return command

    class Highlighted(Message):
        """Posted when the bar moves to a choice."""

        def __init__(self, choice: Choice, *, is_new: bool = False) -> None:
            super().__init__()
            self.choice = choice
            self.is_new = is_new
            """True if the list was replaced; False if the player moved the bar."""

    class SearchRequested(Message):
        """Posted when the player submits a filter text that matches no line of the list."""

        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

    class Opened(Message):
        """Posted when another list or a filtered list is shown."""

        def __init__(self, heading: Choice | None = None) -> None:
            super().__init__()
            self.heading = heading
            """The line that opened a nested list; None if the list changed for another reason."""

    def __init__(self, *, palette: Palette = PLAIN_PALETTE, id: str | None = None) -> None:
        super().__init__(id=id)
        self._levels = [_ListLevel((), "")]
        self._shown_choices: tuple[Choice, ...] = ()
        self._note = ""
        self._moves_to_next = False
        """True if the bar should move to the next unticked line once the line just chosen is ticked."""
        self._palette = palette

    @override
    def compose(self) -> ComposeResult:
        """Create the prompt, the filter line, the list and the note."""
        yield Static("", classes="prompt", markup=False)
        line = FilterLine(max_length=_MAX_LENGTH, compact=True, placeholder="part of a name")
        line.cursor_blink = False
        yield line
        yield Rows(self._palette)
        yield Static("", classes="note", markup=False)

    @property
    def shown_choices(self) -> tuple[Choice, ...]:
        """The choices in the list. While a filter is active, only the matching choices."""
        return self._shown_choices

    @property
    def rows(self) -> Rows:
        """The list widget."""
        return self.query_one(Rows)

    @property
    def words(self) -> str:
        """The text above the list."""
        return self._levels[-1].words

    @property
    def is_nested(self) -> bool:
        """True if a nested list is open."""
        return len(self._levels) > 1

    @property
    def has_keys(self) -> bool:
        """True if the list or its filter line has the focus, so that keys move the bar."""
        return self.rows.has_focus or self.query_one(FilterLine).has_focus

    def show_palette(self, palette: Palette) -> None:
        """Repaint with another palette."""
        self.rows.show_palette(palette)

    def set_question(
        self,
        title: str,
        prompt: str,
        choices: Sequence[Choice],
        note: str,
        *,
        is_same: bool = False,
    ) -> None:
        """Show a question, with the bar on its initial row.

        Args:
            title: Title of the border.
            prompt: The question.
            choices: The lines of the list.
            note: Text below the list; empty for no text.
            is_same: True if only the ticks have changed since the last question. If so, the bar position
                and the open lists are kept.
        """
        self.border_title = Content(sanitise_line(title, 60))
        self.show_note(note)
        self._remember_row()
        levels_before, self._levels = self._levels, [_ListLevel(tuple(choices), prompt)]
        if is_same:
            self._reopen_lists(levels_before)
        else:
            self._end_filter()
        row = self._levels[-1].row if is_same else None
        if row is not None and _has_become_a_loss(
            levels_before[-1].choices, self._levels[-1].choices, row
        ):
            row = None
        if row is not None and self._moves_to_next:
            row = self._next_open(row)
        self._moves_to_next = False
        self._fill(row)

    def move_on(self) -> None:
        """Once the question is shown again, move the bar from its ticked line to the next unticked line."""
        self._moves_to_next = True

    def _next_open(self, row: int) -> int:
        """Return the row to select after `row` is ticked, or after other ticks make it unavailable.

        If each tick has a cost, the row that ends the step comes before the group, and the bar moves to that row.
        Otherwise, it moves to the next unticked row of the group or, if the whole group is ticked, to the row that ends
        the step. If there is no row to move to, it stays on `row`.
        """
        lines = self._levels[-1].choices
        if row >= len(lines) or lines[row].state not in (OptionState.TICKED, OptionState.BARRED):
            return row
        group = lines[row].group
        other_rows = (*range(row + 1, len(lines)), *range(row))
        ending_rows = (
            index
            for index in other_rows
            if not lines[index].group and not lines[index].is_any_time and not lines[index].loss
        )
        ending_row: int | None = next(ending_rows, None)
        group_start = next(index for index, line in enumerate(lines) if line.group == group)
        if ending_row is not None and ending_row < group_start:
            return ending_row
        open_rows = (
            index
            for index in other_rows
            if lines[index].group == group and lines[index].state is OptionState.OPEN
        )
        return next(open_rows, row if ending_row is None else ending_row)

    def _reopen_lists(self, levels_before: Sequence[_ListLevel]) -> None:
        """Reopen the nested lists that were open and still exist."""
        self._levels[0].row = levels_before[0].row
        for level, nested_level in pairwise(levels_before):
            choices = self._levels[-1].choices
            row = level.row or 0
            heading = level.choices[row].title if row < len(level.choices) else ""
            commands = frozenset(level.choices[row].commands()) if heading else frozenset()
            same_heading = next(
                (
                    choice
                    for choice in choices
                    if choice.is_heading
                    # Ticking may change a heading's text, so match the list by a command that it
                    # still contains.
                    and (choice.title == heading or not commands.isdisjoint(choice.commands()))
                ),
                None,
            )
            if same_heading is None:
                return
            self._levels.append(_ListLevel(same_heading.children, nested_level.words))
            self._levels[-1].row = nested_level.row

    def set_prompt(self, words: str) -> bool:
        """Change the prompt while no question is open, and return whether it differs from the old one.

        An open nested list keeps its prompt.
        """
        level = self._levels[0]
        if words == level.words:
            return False
        level.words = words
        if not self.is_nested:
            self.query_one(".prompt", Static).update(Content(sanitise_line(words, 300)))
        return True

    def show_note(self, note: str) -> None:
        """Show a note below the list. An empty note hides the line."""
        if note != self._note:
            self._note = note
            text = "\n".join(sanitise_line(line, 100) for line in note.splitlines())
            panel = self.query_one(".note", Static)
            panel.update(Content(text))
            panel.display = bool(text)

    def narrow(
        self, choices: Sequence[Choice], heading: str, opened_choice: Choice | None = None
    ) -> None:
        """Open a nested list under a heading. Backspace returns to the parent list."""
        path = f"{self.words} > {heading}" if self.is_nested else heading
        self._remember_row()
        self._levels.append(_ListLevel(tuple(choices), path))
        self._end_filter()
        self._fill(opened_choice=opened_choice)

    def _remember_row(self) -> None:
        # A row number in the filtered list does not apply to the whole list.
        if not self.is_filtered:
            self._levels[-1].row = self.rows.highlighted

    def _fill(self, row: int | None = None, opened_choice: Choice | None = None) -> None:
        level = self._levels[-1]
        prompt = f"{level.words} (Esc: back)" if self.is_nested else level.words
        self.query_one(".prompt", Static).update(Content(sanitise_line(prompt, 300)))
        self._shown_choices = level.choices
        self.rows.show(self._shown_choices, row)
        self.post_message(self.Opened(opened_choice))

    def action_up(self) -> None:
        """Return to the parent list, or close the filter."""
        if self.is_filtered:
            self._end_filter()
            self._fill(self._levels[-1].row)
        elif self.is_nested:
            self._levels.pop()
            self._fill(self._levels[-1].row)

    def step(self, rows: int) -> None:
        """Move the bar by a number of rows, wrapping around at the ends."""
        self.rows.action_bar(rows)

    def lines_wanted(self) -> int:
        """Return the height, in lines, of the prompt, the whole list and the note, including the border."""
        width = max(self.size.width, 1)
        parts = [self.words, *self._note.splitlines()]
        return 1 + self.rows.line_count + sum(Content(part).get_height({}, width) for part in parts)

    def take(self) -> None:
        """Choose the line under the bar."""
        self.rows.action_take()

    @on(Rows.Taken)
    def handle_choice(self, event: Rows.Taken) -> None:
        """Open a nested list or report the chosen option. Ignore a choice that is no longer shown."""
        event.stop()
        choice = event.choice
        # The key may have been pressed before the list changed.
        if choice not in self._shown_choices:
            return
        if self.is_filtered:
            self._end_filter()
            self._fill(self._choice_row(choice))
        self._moves_to_next = event.moves_on and bool(choice.group)
        if choice.is_heading and not choice.is_commit:
            self.narrow(choice.children, choice.title, choice)
        else:
            self.post_message(self.Chosen(choice))

    @on(Rows.Moved)
    def handle_highlight(self, event: Rows.Moved) -> None:
        """Report the highlighted choice."""
        event.stop()
        choice = self.rows.under_bar
        if choice is not None:
            self.post_message(self.Highlighted(choice, is_new=event.is_new))

    # -- filtering

    @property
    def is_filtered(self) -> bool:
        """True if the list is filtered."""
        return self.has_class("-typing")

    def filter(self) -> None:
        """Open the filter line."""
        self._remember_row()
        self.add_class("-typing")
        line = self.query_one(FilterLine)
        line.value = ""
        line.focus()

    def _end_filter(self) -> None:
        if self.is_filtered:
            had_focus = self.query_one(FilterLine).has_focus
            self.remove_class("-typing")
            if had_focus:
                self.rows.focus()

    def _choice_row(self, choice: Choice) -> int | None:
        """Return the unfiltered list's row for an option or for the heading above it."""
        for row, line in enumerate(self._levels[-1].choices):
            if choice.command is not None and any(
                command == choice.command for command in line.commands()
            ):
                return row
        return self._levels[-1].row

    @on(Input.Changed)
    def handle_filter_change(self, event: Input.Changed) -> None:
        """Show the lines that match the filter."""
        event.stop()
        if self.is_filtered:
            level = self._levels[-1]
            words = sanitise_line(event.value, _MAX_LENGTH)
            matches = (
                filter_choices(level.choices, words)[:_MAX_MATCHES]
                if words.strip()
                else level.choices
            )
            self._shown_choices = tuple(matches)
            # The player has typed the name of the line, so Enter may choose even a final answer.
            self.rows.show(self._shown_choices, initial_row(self._shown_choices))
            words = (
                level.words
                if matches
                else f"No line contains '{words}'. Enter searches everywhere."
            )
            self.query_one(".prompt", Static).update(Content(sanitise_line(words, 300)))
            self.post_message(self.Opened())

    @on(Input.Submitted)
    def submitted(self, event: Input.Submitted) -> None:
        """Choose the line under the bar. If no line matches, close the filter and search for the text elsewhere."""
        event.stop()
        if self.is_filtered and not self._shown_choices:
            words = sanitise_line(event.value, _MAX_LENGTH)
            self._end_filter()
            self._fill(self._levels[-1].row)
            self.post_message(self.SearchRequested(words))
            return
        self.take()

    @on(FilterLine.BarMoved)
    def bar_moved(self, event: FilterLine.BarMoved) -> None:
        """Move the bar while the filter line has the focus."""
        event.stop()
        self.step(event.rows)

    @on(FilterLine.Ended)
    def filter_ended(self, event: FilterLine.Ended) -> None:
        """Show the whole list again."""
        event.stop()
        self.action_up()
