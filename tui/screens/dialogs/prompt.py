"""Small dialogs: text input, a list of choices, a yes-or-no question, and text to read."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import Key
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option
from typing_extensions import override

from tui.terminal.sanitising import sanitise_line, sanitise_lines, sanitised_content
from tui.widgets.base_screens import BaseDialog

_PARAGRAPH_CELLS: Final = 2_000
"""Maximum paragraph width, in cells. Each paragraph is a single line until it is wrapped."""

_MAX_LINE_LENGTH: int = 2000
_MAX_TYPED: Final = 40
"""Maximum number of characters that can be typed to narrow a list of choices."""
_NO_ENTRY: Final = "Nothing here fits. Type on, or delete with Backspace."


class LineDialog(BaseDialog[str]):
    """Asks for one line of text. The answer is sanitised."""

    def __init__(self, title: str, text: str = "", *, limit: int = _MAX_LINE_LENGTH) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._limit = limit

    @override
    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(sanitised_content(self._title), classes="title", markup=False)
            field = Input(value=self._text, max_length=self._limit, compact=True)
            field.cursor_blink = False
            yield field

    @on(Input.Submitted)
    def answer(self, event: Input.Submitted) -> None:
        """Close the dialog, returning the typed line."""
        self.dismiss(sanitise_line(event.value.strip(), self._limit))


class ChoiceDialog(BaseDialog[str]):
    """Offers a choice of entries, and returns the id of the chosen entry. Typed words narrow the list."""

    DEFAULT_CSS = """
    ChoiceDialog OptionList { border: none; height: auto; max-height: 18; padding: 0; }
    """

    def __init__(
        self,
        title: str,
        entries: Sequence[tuple[str, str]],
        chosen_key: str = "",
        numbered: Callable[[str], Sequence[tuple[str, str]]] | None = None,
    ) -> None:
        """Create the dialog.

        Args:
            title: Title of the dialog.
            entries: The entries, each with an id and a label.
            chosen_key: Id of the entry to highlight first.
            numbered: Returns the entries for a typed number, such as a hex. They are listed first.
        """
        super().__init__()
        self._title = title
        self._entries = tuple(entries)
        self._shown_entries = self._entries
        self._typed_text = ""
        self._chosen = chosen_key
        self._numbered = numbered

    @override
    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(sanitised_content(self._title), classes="title", markup=False)
            yield OptionList(*self._options(), markup=False)

    def _options(self) -> Iterator[Option]:
        for index, (_, text) in enumerate(self._shown_entries):
            yield Option(Content("\n".join(sanitise_lines(text))), id=f"e{index}")
        if not self._shown_entries:
            yield Option(Content(_NO_ENTRY), disabled=True)

    def on_mount(self) -> None:
        """Focus the list, and highlight the current choice."""
        rows, ids = self.query_one(OptionList), [entry for entry, _ in self._entries]
        rows.focus()
        if self._chosen in ids:
            rows.highlighted = ids.index(self._chosen)

    def on_key(self, event: Key) -> None:
        """Narrow the list to the entries that fit the typed text. Backspace widens it again."""
        if event.key == "backspace":
            typed_text = self._typed_text[:-1]
        elif event.character is not None and event.is_printable:
            typed_text = (self._typed_text + event.character).lstrip()
        else:
            return
        event.stop()
        self._typed_text = typed_text[:_MAX_TYPED]
        self._shown_entries = self._fitting(self._typed_text)
        rows = self.query_one(OptionList)
        rows.clear_options()
        rows.add_options(self._options())
        rows.highlighted = 0
        title = f"{self._title} / {self._typed_text}" if self._typed_text else self._title
        self.query_one(".title", Static).update(sanitised_content(title))

    def _fitting(self, typed_text: str) -> tuple[tuple[str, str], ...]:
        """Return the entries that contain every typed word, those for a typed number first."""
        words = typed_text.lower().split()
        fitting_lines = [
            entry for entry in self._entries if all(word in entry[1].lower() for word in words)
        ]
        if self._numbered is not None and typed_text.isdecimal():
            numbered = self._numbered(typed_text)
            known_entries = {entry for entry, _ in numbered}
            fitting_lines = [
                *numbered,
                *(entry for entry in fitting_lines if entry[0] not in known_entries),
            ]
        return tuple(fitting_lines)

    @on(OptionList.OptionSelected)
    def answer(self, event: OptionList.OptionSelected) -> None:
        """Close the dialog, returning the id of the entry."""
        self.dismiss(self._shown_entries[event.option_index][0])


class AnswerButton(Static):
    """A clickable answer that shows its key."""

    DEFAULT_CSS = """
    AnswerButton { width: auto; margin-right: 3; color: $accent; }
    """

    def __init__(self, text: str, action: str) -> None:
        super().__init__(text, markup=False)
        self._action = action

    async def on_click(self) -> None:
        """Run the same action as the key."""
        await self.run_action(f"screen.{self._action}")


class ConfirmDialog(BaseDialog[bool]):
    """Asks a yes-or-no question."""

    DEFAULT_CSS = """
    ConfirmDialog .answers { height: 1; }
    """
    BINDINGS = [Binding("y,enter", "yes", "Yes"), Binding("n", "no", "No")]

    def __init__(self, question: str) -> None:
        super().__init__()
        self.question = question

    @override
    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(sanitised_content(self.question), classes="title", markup=False)
            with Horizontal(classes="answers"):
                yield AnswerButton("y yes", "yes")
                yield AnswerButton("n no", "no")

    def action_yes(self) -> None:
        """Answer yes."""
        self.dismiss(result=True)

    def action_no(self) -> None:
        """Answer no."""
        self.dismiss(result=False)


class SureDialog(ConfirmDialog):
    """Asks before anything is discarded.

    Enter is not accepted as an answer, so an accidental second press is harmless.
    """

    BINDINGS = [Binding("enter", "stay", show=False)]

    def action_stay(self) -> None:
        """Do nothing, because only y and n are answers."""


class CoverDialog(ConfirmDialog):
    """Hides the game behind a question while players change places at a shared keyboard."""

    DEFAULT_CSS = """
    CoverDialog > Vertical { width: 100%; height: 100%; }
    """
    BINDINGS = [Binding("escape", "yes", "Ready")]


class TextDialog(BaseDialog[None]):
    """Shows text of any length."""

    BINDINGS = [Binding("enter,q", "leave", "Close")]
    DEFAULT_CSS = """
    TextDialog VerticalScroll { height: auto; max-height: 80vh; }
    TextDialog .keys { height: 1; color: $accent; }
    """

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title = title
        self._lines = sanitise_lines(text, cells=_PARAGRAPH_CELLS)

    @override
    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(sanitised_content(self._title), classes="title", markup=False)
            with VerticalScroll():
                yield Static(Content("\n".join(self._lines)), markup=False)
            yield Static("Up/Down PgUp/PgDn scroll   Enter close", classes="keys", markup=False)

    def on_mount(self) -> None:
        """Let the arrow keys scroll the text."""
        self.query_one(VerticalScroll).focus()


class TooSmallScreen(BaseDialog[None]):
    """Covers the screen while the terminal is too small."""

    BINDINGS = [Binding("escape", "nothing", show=False)]
    DEFAULT_CSS = """
    TooSmallScreen { align: left top; overflow: hidden; }
    """

    def __init__(self, columns: int, rows: int) -> None:
        super().__init__()
        self._required_size = f"{columns}x{rows}"

    @override
    def compose(self) -> ComposeResult:
        yield Static(
            f"The terminal is too small: flagplot needs {self._required_size}. "
            "Enlarge it to continue. Ctrl+Q quits.",
            markup=False,
        )

    def action_nothing(self) -> None:
        """Do nothing, so that Escape does not close the notice."""
