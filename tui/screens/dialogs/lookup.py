"""Dialogs for lookups: a command line with completion, and a search by name."""

from collections.abc import Callable, Sequence
from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option
from typing_extensions import override

from tui.presenter.presenter import Found
from tui.terminal.sanitising import sanitise_line
from tui.widgets.base_screens import BaseDialog

_MAX_SHOWN_LINES: Final = 12
_MAX_LENGTH: Final = 400


class CommandDialog(BaseDialog[str]):
    """The `:` line, for typing a command in the notation, with completion."""

    BINDINGS = [Binding("tab", "complete", "Complete", priority=True)]
    DEFAULT_CSS = """
    CommandDialog .hits { height: auto; max-height: 12; }
    """

    def __init__(self, complete_line: Callable[[str], Sequence[str]]) -> None:
        """Create the dialog. `complete_line` returns the lines that start with the typed text."""
        super().__init__()
        self._complete_line = complete_line
        self._matches: Sequence[str] = ()

    @override
    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("Command   Tab complete   Enter run", classes="title", markup=False)
            field = Input(max_length=_MAX_LENGTH, compact=True)
            field.cursor_blink = False
            yield field
            yield Static("", classes="hits", markup=False)

    def on_mount(self) -> None:
        """Show all completions."""
        self._show_completions("")

    def _show_completions(self, prefix: str) -> None:
        self._matches = self._complete_line(sanitise_line(prefix, _MAX_LENGTH))
        lines = [sanitise_line(match, 72) for match in self._matches[:_MAX_SHOWN_LINES]]
        if len(self._matches) > _MAX_SHOWN_LINES:
            lines[-1] = f"and {len(self._matches) - _MAX_SHOWN_LINES + 1} more"
        self.query_one(".hits", Static).update(Content("\n".join(lines)))

    @on(Input.Changed)
    def handle_input_change(self, event: Input.Changed) -> None:
        """Show the completions for the typed text."""
        self._show_completions(event.value)

    def action_complete(self) -> None:
        """Insert the common prefix of all completions or, if that adds nothing, the first completion."""
        if not self._matches:
            return
        field = self.query_one(Input)
        first_match = self._matches[0]
        for match in self._matches:
            while not match.startswith(first_match):
                first_match = first_match[:-1]
        field.value = first_match if len(first_match) > len(field.value) else self._matches[0]
        field.cursor_position = len(field.value)

    @on(Input.Submitted)
    def answer(self, event: Input.Submitted) -> None:
        """Close the dialog, returning the typed line."""
        self.dismiss(sanitise_line(event.value.strip(), _MAX_LENGTH))


class FindDialog(BaseDialog[Found]):
    """The `/` line, for finding places, units and cards by name."""

    DEFAULT_CSS = """
    FindDialog OptionList { height: auto; max-height: 14; }
    """
    BINDINGS = [Binding("down", "rows", "Go to the matches", show=False)]

    def __init__(
        self, find: Callable[[str], Sequence[Found]], title: str, typed_text: str = ""
    ) -> None:
        """Create the dialog.

        Args:
            find: Returns the matches for the typed words, best first.
            title: Title of the dialog, which names what can be found.
            typed_text: Text that the player has already typed.
        """
        super().__init__()
        self._find = find
        self._title = title
        self._typed_text = typed_text
        self._matches: Sequence[Found] = ()

    @override
    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self._title, classes="title", markup=False)
            field = Input(self._typed_text, max_length=60, compact=True)
            field.cursor_blink = False
            yield field
            yield OptionList(markup=False)

    def on_mount(self) -> None:
        """Show the matches for the words already typed."""
        self._show(self._typed_text)

    @on(Input.Changed)
    def handle_input_change(self, event: Input.Changed) -> None:
        """Show the matches for the typed words."""
        self._show(event.value)

    def _show(self, typed_text: str) -> None:
        words = sanitise_line(typed_text, 60)
        self._matches = self._find(words)[:200] if words.strip() else ()
        rows = self.query_one(OptionList)
        rows.clear_options()
        rows.add_options(Option(Content(sanitise_line(_row(match), 70))) for match in self._matches)
        if words.strip() and not self._matches:
            rows.add_option(Option(Content(f"Nothing is called '{words.strip()}'."), disabled=True))

    def action_rows(self) -> None:
        """Focus the matches."""
        self.query_one(OptionList).focus()

    @on(Input.Submitted)
    def submitted(self) -> None:
        """Choose the first match. Without any text, close the dialog."""
        if self._matches:
            self.dismiss(self._matches[0])
        elif not self.query_one(Input).value.strip():
            self.dismiss(None)

    @on(OptionList.OptionSelected)
    def handle_selection(self, event: OptionList.OptionSelected) -> None:
        """Choose a match."""
        self.dismiss(self._matches[event.option_index])


def _row(match: Found) -> str:
    """Return a match as a line, which starts with the match's hex number if it has one."""
    number = match.hex_id if match.hex_id.isdigit() else ""
    return f"{number:<6}{match.title}" if number else match.title
