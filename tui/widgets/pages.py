"""A game's reference pages next to the map, one tab per page."""

from collections.abc import Callable, Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Tab, Tabs
from typing_extensions import override

from tui.drawing.palette import PLAIN_PALETTE, Palette
from tui.panels.status_segments import Row
from tui.terminal.sanitising import sanitise_line
from tui.widgets.lines import Lines

Page = tuple[str, str, Sequence[Row] | Callable[[], Sequence[Row]]]
"""Key, name and lines of a page. The lines may be a function, which is called only when the page is open."""


class Pages(Vertical):
    """Tracks, pools and charts that can be read during play."""

    DEFAULT_CSS = """
    Pages { height: 1fr; }
    Pages Lines { height: 1fr; }
    Pages Tab { padding: 0 1 0 0; }
    """

    def __init__(
        self,
        names: Sequence[tuple[str, str]],
        *,
        palette: Palette = PLAIN_PALETTE,
        id: str | None = None,
    ) -> None:
        """Create the pages, and open the first page.

        Args:
            names: Key and name of each page.
            palette: Maps tones to styles.
            id: Textual id.
        """
        super().__init__(id=id)
        self._names = tuple(names)
        self._palette = palette
        self._pages: tuple[Page, ...] = ()

    @override
    def compose(self) -> ComposeResult:
        yield Tabs(
            *(Tab(Content(sanitise_line(name, 40)), id=f"page-{key}") for key, name in self._names)
        )
        yield Lines(palette=self._palette)

    def show(self, pages: Sequence[Page]) -> None:
        """Show the current contents of the pages."""
        self._pages = tuple(pages)
        for key, name, _ in self._pages:  # the title of a page may be shorter than its name
            label = sanitise_line(name, 20)
            for tab in self.query(f"#page-{key}").results(Tab):
                if tab.label_text != label:
                    tab.label = Content(label)
        if self.children:
            self._show_open()

    @on(Tabs.TabActivated)
    def handle_tab_open(self, event: Tabs.TabActivated) -> None:
        """Show the page of the selected tab."""
        event.stop()
        self._show_open()
        self.query_one(Lines).scroll_home(animate=False)

    def _show_open(self) -> None:
        key = self.query_one(Tabs).active.removeprefix("page-")
        lines = next((lines for page_key, _, lines in self._pages if page_key == key), ())
        self.query_one(Lines).show(lines() if callable(lines) else lines)
