"""The open question: its prompt and its options as a list that opens list by list."""

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from engine.kernel.ruleset import Command
from play.choices import Choice
from tui.clean import clean

_LINE = 120


class DecisionPanel(Vertical):
    """Shows choices; tells which one is looked at and which one is taken."""

    DEFAULT_CSS = """
    DecisionPanel .prompt { height: auto; max-height: 4; text-style: bold; }
    DecisionPanel OptionList { height: 1fr; }
    DecisionPanel .note { height: auto; max-height: 3; display: none; }
    """
    BINDINGS = [
        Binding("backspace,left", "up", "Back to the list above", show=False),
    ]

    class Chosen(Message):
        """The player takes an option."""

        def __init__(self, command: Command) -> None:
            super().__init__()
            self.command = command

    class Looked(Message):
        """The bar stands on a choice."""

        def __init__(self, choice: Choice) -> None:
            super().__init__()
            self.choice = choice

    class Opened(Message):
        """Another list is shown."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shown: tuple[Choice, ...] = ()
        self._above: list[tuple[tuple[Choice, ...], int, str]] = []
        """Lists above the open one, the row of the bar in each, and the words over each."""
        self._words = ""
        """Stands over the list: the question, or the way to a list below it."""
        self._note = ""

    def compose(self) -> ComposeResult:
        """Compose prompt, list and note."""
        yield Static("", classes="prompt", markup=False)
        yield OptionList(markup=False)
        yield Static("", classes="note", markup=False)

    @property
    def shown(self) -> tuple[Choice, ...]:
        """Return the choices in the list."""
        return self._shown

    @property
    def rows(self) -> OptionList:
        """Return the list."""
        return self.query_one(OptionList)

    def ask(self, title: str, prompt: str, choices: Sequence[Choice], note: str) -> None:
        """Show a question; the list starts at its top level."""
        self.border_title = Content(clean(title, 60))
        self.show_note(note)
        self._above.clear()
        self._say(prompt)
        self._fill(tuple(choices))

    def show_note(self, note: str) -> None:
        """Show what belongs below the list."""
        if note != self._note:
            self._note = note
            shown = "\n".join(clean(line, 100) for line in note.splitlines())
            panel = self.query_one(".note", Static)
            panel.update(Content(shown))
            panel.display = bool(shown)

    def narrow(self, choices: Sequence[Choice], heading: str) -> None:
        """Show a part of the choices under words of its own; Backspace leads back."""
        way = f"{self._words} > {heading}" if self._above else heading
        self._above.append((self._shown, self.rows.highlighted or 0, self._words))
        self._say(way)
        self._fill(tuple(choices))

    def _say(self, words: str) -> None:
        self._words = words
        shown = f"{words} (Esc: back)" if self._above else words
        self.query_one(".prompt", Static).update(Content(clean(shown, 300)))

    def _fill(self, choices: tuple[Choice, ...], row: int = 0) -> None:
        self._shown = choices
        rows = self.rows
        rows.clear_options()
        rows.add_options(Option(Content(_row(choice))) for choice in choices)
        if choices:
            rows.highlighted = min(row, len(choices) - 1)
        self.post_message(self.Opened())

    def action_up(self) -> None:
        """Go back to the list above."""
        if self._above:
            choices, row, words = self._above.pop()
            self._say(words)
            self._fill(choices, row)

    def step(self, rows: int) -> None:
        """Move the bar, round the ends."""
        if self._shown:
            self.rows.highlighted = ((self.rows.highlighted or 0) + rows) % len(self._shown)

    def lines_wanted(self) -> int:
        """Return how many lines the question takes with its whole list and its note, the border included."""
        width = max(self.size.width, 1)
        parts = [self._words, *map(_row, self._shown), *self._note.splitlines()]
        return 1 + sum(Content(part).get_height({}, width) for part in parts)

    def take(self) -> None:
        """Take the choice under the bar."""
        place = self.rows.highlighted
        if place is None or place >= len(self._shown):
            return
        choice = self._shown[place]
        if choice.is_heading:
            self.narrow(choice.below, choice.title)
        else:
            self.post_message(self.Chosen(choice.command))

    @on(OptionList.OptionSelected)
    def selected(self, event: OptionList.OptionSelected) -> None:
        """Open a list or take an option."""
        event.stop()
        self.take()

    @on(OptionList.OptionHighlighted)
    def highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Tell what is looked at."""
        event.stop()
        if event.option_index < len(self._shown):
            self.post_message(self.Looked(self._shown[event.option_index]))


def _row(choice: Choice) -> str:
    title = clean(choice.title, _LINE)
    return f"{title} > {choice.count}" if choice.is_heading else title
