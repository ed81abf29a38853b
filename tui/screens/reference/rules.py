"""The rules reference (F1), which finds paragraphs by number or by words in them."""

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option
from typing_extensions import override

from engine.kernel.reference import Paragraph, Reference
from engine.kernel.rulings import Ruling, option_lines
from engine.kernel.sentences import count_noun
from tui.terminal.sanitising import sanitise_line, sanitise_lines
from tui.text.markdown import heading, printed_number, strip_markup, wrap_markdown
from tui.widgets.base_screens import BaseScreen

_MAX_RESULTS = 200
_TITLE_CELLS = 70
_MIN_WIDTH = 20


def find_paragraphs(reference: Reference, query: str) -> tuple[Paragraph, ...]:
    """Return paragraphs whose number or name matches the query, then paragraphs that contain all its words."""
    matches = reference.find(query)
    return (
        *matches,
        *(paragraph for paragraph in reference.search(query) if paragraph not in matches),
    )[:_MAX_RESULTS]


class RulesScreen(BaseScreen):
    """The rules screen: a search line at the top, the matches below it, and a paragraph at the bottom."""

    HEADING = "Rules reference"
    DEFAULT_CSS = """
    RulesScreen Input { height: 1; border: none; padding: 0 1; }
    RulesScreen OptionList { height: 8; border: none; border-bottom: ascii $border; padding: 0 1; }
    RulesScreen VerticalScroll { height: 1fr; padding: 0 1; }
    """
    BINDINGS = [
        Binding("escape", "app.pop_screen", "Back"),
        Binding("slash", "search", "Search"),
        Binding("tab", "app.focus_next", "Next part"),
    ]

    def __init__(self, reference: Reference, rulings: tuple[Ruling, ...], query: str = "") -> None:
        """Create the screen. `query` is a rule number or a search text to start with."""
        super().__init__()
        self._reference = reference
        self._rulings = rulings
        self._query = query
        self._results: tuple[Paragraph, ...] = ()
        self._paragraph: Paragraph | None = None
        """The displayed paragraph; None if no paragraph was found."""

    @override
    def body(self) -> ComposeResult:
        """Compose the search line, the matches and the paragraph."""
        field = Input(
            value=self._query,
            placeholder="number or words, such as 8.45 or amphibious",
            compact=True,
        )
        field.cursor_blink = False
        yield field
        yield OptionList(markup=False)
        with VerticalScroll(can_focus=True):
            yield Static("", id="paragraph", markup=False)

    def on_mount(self) -> None:
        """Run the initial search. If the query is empty, focus the search line."""
        self._search(self._query)
        self.query_one(OptionList if self._query else Input).focus()

    def action_search(self) -> None:
        """Focus the search line."""
        self.query_one(Input).focus()

    def _search(self, query: str) -> None:
        self._results = find_paragraphs(self._reference, query) if query.strip() else ()
        rows = self.query_one(OptionList)
        rows.clear_options()
        rows.add_options(
            Option(
                Content(
                    sanitise_line(
                        f"{printed_number(result):<8} {strip_markup(result.title)}", _TITLE_CELLS
                    )
                )
            )
            for result in self._results
        )
        if self._results:
            rows.highlighted = 0
            self._show(self._results[0])
        else:
            self._show(None)
            if query.strip():
                self.show_message(f"nothing contains all of: {query}")
            return
        self.show_message(count_noun(len(self._results), "paragraph"))

    def _show(self, paragraph: Paragraph | None) -> None:
        target = self.query_one("#paragraph", Static)
        self._paragraph = paragraph
        if paragraph is None:
            target.update("")
            return
        width = max(self.query_one(VerticalScroll).scrollable_content_region.width, _MIN_WIDTH)
        children = self._reference.children(paragraph.number)
        lines = [
            heading(paragraph),
            "",
            *sanitise_lines(wrap_markdown(paragraph.text, width), cells=4000, lines=2000),
            *option_lines(self._rulings, paragraph.number),
        ]
        if children:
            lines += ["", "Below: " + ", ".join(map(heading, children))]
        target.update(Content("\n".join(lines)))
        self.query_one(VerticalScroll).scroll_home(animate=False)

    def on_resize(self) -> None:
        """Wrap the paragraph for the new width."""
        if self._paragraph is not None:
            self._show(self._paragraph)

    @on(Input.Submitted)
    def submitted(self, event: Input.Submitted) -> None:
        """Run the search and focus the matches."""
        event.stop()
        self._search(event.value)
        self.query_one(OptionList).focus()

    @on(OptionList.OptionHighlighted)
    def highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the highlighted paragraph."""
        if event.option_index < len(self._results):
            self._show(self._results[event.option_index])

    @on(OptionList.OptionSelected)
    def handle_selection(self) -> None:
        """Focus the text of the paragraph."""
        self.query_one(VerticalScroll).focus()
