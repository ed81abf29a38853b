"""The player's notes: a line about one place, a page about the game, and a list of the notes on other places."""

from collections.abc import Callable, Iterator
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static, TextArea
from textual.widgets.option_list import Option
from typing_extensions import override

from play.notes import MAX_NOTE_LENGTH, MAX_PAGE_LENGTH, Notebook
from tui.terminal.sanitising import sanitise_line, sanitised_content
from tui.widgets.base_screens import BaseDialog

_PREVIEW_CELLS = 70
_MAX_LINE_CELLS = 2000


class NotesScreen(BaseDialog[str]):
    """An editor that always saves on closing. Choosing another note closes the editor and returns that note's place."""

    DEFAULT_CSS = """
    NotesScreen > Vertical { height: 100%; max-height: 32; }
    NotesScreen TextArea { height: 1fr; border: none; padding: 0; background: $surface; }
    NotesScreen TextArea:focus { border: none; }
    NotesScreen OptionList { height: auto; max-height: 40%; border: none; padding: 0; }
    NotesScreen .title { margin-top: 1; }
    """
    BINDINGS = [
        Binding("tab", "app.focus_next", "Next part", show=False, priority=True),
        Binding("shift+tab", "app.focus_previous", "Previous part", show=False, priority=True),
    ]

    def __init__(self, notebook: Notebook, place: str, place_name: Callable[[str], str]) -> None:
        """Create the editor.

        Args:
            notebook: The existing notes.
            place: The place under the cursor.
            place_name: Returns the name of a place.
        """
        super().__init__()
        self._notebook = notebook
        self._place = place
        self._place_name = place_name
        self._other_places = sorted(
            noted_place for noted_place in notebook.places if noted_place != place
        )
        self._note, self._page = notebook.places.get(place, ""), notebook.page

    @override
    def compose(self) -> ComposeResult:
        """Compose the line, the page and the list of the notes on other places."""
        with Vertical():
            yield Static(
                sanitised_content(f"Note on {self._place_name(self._place)}"),
                classes="title",
                markup=False,
            )
            field = Input(value=self._note, max_length=MAX_NOTE_LENGTH, compact=True)
            field.cursor_blink = False
            yield field
            yield Static("About this game", classes="title", markup=False)
            page = TextArea(self._page, tab_behavior="focus", soft_wrap=True)
            page.cursor_blink = False
            yield page
            if self._other_places:
                yield Static("Other notes; Enter opens one", classes="title", markup=False)
                yield OptionList(*map(self._option, self._other_places), markup=False)
            yield Static(
                "Enter save and close  Tab next part  Esc close; changes are saved", markup=False
            )

    def _option(self, place: str) -> Option:
        text = f"{self._place_name(place)}: {self._notebook.places[place]}"
        return Option(Content(sanitise_line(text, _PREVIEW_CELLS)))

    def on_mount(self) -> None:
        """Focus the line about the place."""
        self.query_one(Vertical).border_title = Content("Private notes")
        self.query_one(Input).focus()

    def pending_saves(self) -> Iterator[Callable[[], None]]:
        """Yield one save function for the line and one for the page, so that if one fails, the other still runs."""
        yield partial(self._notebook.write_place_note, self._place, self._note)
        yield partial(self._notebook.write_page, self._page)

    @on(Input.Changed)
    def note_written(self, event: Input.Changed) -> None:
        """Store the edited line until the notes are saved."""
        self._note = sanitise_line(event.value.strip(), MAX_NOTE_LENGTH)

    @on(TextArea.Changed)
    def page_written(self, event: TextArea.Changed) -> None:
        """Store the edited page until the notes are saved."""
        lines = (
            sanitise_line(line, _MAX_LINE_CELLS).rstrip()
            for line in event.text_area.text.splitlines()
        )
        self._page = "\n".join(lines).rstrip()[:MAX_PAGE_LENGTH]

    @on(Input.Submitted)
    def submitted(self) -> None:
        """Close the editor."""
        self.dismiss(None)

    @on(OptionList.OptionSelected)
    def chosen(self, event: OptionList.OptionSelected) -> None:
        """Go to the place of a note."""
        self.dismiss(self._other_places[event.option_index])
