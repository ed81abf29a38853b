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

from tui.presenter import Found
from tui.screens.base import FlagDialog
from tui.terminal.sanitising import sanitise_line

_SHOWN: Final = 12
_MAX_LENGTH: Final = 400


class CommandDialog(FlagDialog[str]):
    """The `:` line, for typing a command in the notation, with completion."""

    BINDINGS = [Binding("tab", "complete", "Complete", priority=True)]
    DEFAULT_CSS = """
    CommandDialog .hits { height: auto; max-height: 12; }
    """

    def __init__(self, complete: Callable[[str], Sequence[str]]) -> None:
        """Create the dialog; `complete` returns the lines that start with the typed text."""
        super().__init__()
        self._complete = complete
        self._hits: Sequence[str] = ()

    @override
    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("Command   Tab completes   Enter does it", classes="title", markup=False)
            field = Input(max_length=_MAX_LENGTH, compact=True)
            field.cursor_blink = False
            yield field
            yield Static("", classes="hits", markup=False)

    def on_mount(self) -> None:
        """Show all completions."""
        self._offer("")

    def _offer(self, prefix: str) -> None:
        self._hits = self._complete(sanitise_line(prefix, _MAX_LENGTH))
        lines = [sanitise_line(hit, 72) for hit in self._hits[:_SHOWN]]
        if len(self._hits) > _SHOWN:
            lines[-1] = f"and {len(self._hits) - _SHOWN + 1} more"
        self.query_one(".hits", Static).update(Content("\n".join(lines)))

    @on(Input.Changed)
    def typed(self, event: Input.Changed) -> None:
        """Show the completions for the typed text."""
        self._offer(event.value)

    def action_complete(self) -> None:
        """Insert the common prefix of all completions or, if that adds nothing, the first completion."""
        if not self._hits:
            return
        field = self.query_one(Input)
        common = self._hits[0]
        for hit in self._hits:
            while not hit.startswith(common):
                common = common[:-1]
        field.value = common if len(common) > len(field.value) else self._hits[0]
        field.cursor_position = len(field.value)

    @on(Input.Submitted)
    def answer(self, event: Input.Submitted) -> None:
        """Close the dialog, returning the typed line."""
        self.dismiss(sanitise_line(event.value.strip(), _MAX_LENGTH))


class FindDialog(FlagDialog[Found]):
    """The `/` line, for finding places, units and cards by name."""

    DEFAULT_CSS = """
    FindDialog OptionList { height: auto; max-height: 14; }
    """
    BINDINGS = [Binding("down", "rows", "To the hits", show=False)]

    def __init__(self, find: Callable[[str], Sequence[Found]], words: str, typed: str = "") -> None:
        """Create the dialog.

        Args:
            find: Returns the hits, best first.
            words: Title that describes what can be found.
            typed: What the player has already typed.
        """
        super().__init__()
        self._find = find
        self._query = words
        self._typed = typed
        self._hits: Sequence[Found] = ()

    @override
    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self._query, classes="title", markup=False)
            field = Input(self._typed, max_length=60, compact=True)
            field.cursor_blink = False
            yield field
            yield OptionList(markup=False)

    def on_mount(self) -> None:
        """Show the hits for the words already typed."""
        self._show(self._typed)

    @on(Input.Changed)
    def typed(self, event: Input.Changed) -> None:
        """Show the hits for the typed words."""
        self._show(event.value)

    def _show(self, typed: str) -> None:
        words = sanitise_line(typed, 60)
        self._hits = self._find(words)[:200] if words.strip() else ()
        rows = self.query_one(OptionList)
        rows.clear_options()
        rows.add_options(Option(Content(sanitise_line(_row(hit), 70))) for hit in self._hits)

    def action_rows(self) -> None:
        """Focus the hits."""
        self.query_one(OptionList).focus()

    @on(Input.Submitted)
    def submitted(self) -> None:
        """Choose the first hit."""
        self.dismiss(self._hits[0] if self._hits else None)

    @on(OptionList.OptionSelected)
    def selected(self, event: OptionList.OptionSelected) -> None:
        """Choose a hit."""
        self.dismiss(self._hits[event.option_index])


def _row(hit: Found) -> str:
    """Return a hit as a line that starts with its hex number, if it has one."""
    number = hit.hex_id if hit.hex_id.isdigit() else ""
    return f"{number:<6}{hit.title}" if number else hit.title
