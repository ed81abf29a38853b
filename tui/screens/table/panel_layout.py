"""Creates the panels around the map, and shows the panels that the player wants and that fit on the screen."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from tui.drawing.palette import Palette
from tui.maps.hexmap.minimap import Minimap
from tui.maps.hexmap.widget import HexMapView
from tui.maps.map_view import AnyMapView
from tui.panels.docks import Dock, size_name, visible_panels, with_panel_toggled
from tui.screens.table.board_panel import BoardPanel
from tui.screens.table.overlay_page_view import OverlayPageView
from tui.widgets.bars.cards import HandView
from tui.widgets.bars.status_bar import StyledLine
from tui.widgets.bars.step_bar import StepBar
from tui.widgets.lines import Lines
from tui.widgets.lists.decision import DecisionPanel
from tui.widgets.pages import Pages

if TYPE_CHECKING:
    from tui.screens.table.table import TableScreen

GOALS: Final = ("t", "Goals")
ROSTER: Final = ("r", "Roster")
"""Key and name of the roster. On a large screen, the roster is one of the pages, like `GOALS`."""
PLACE_KEY: Final = "e"
"""Key that opens the page with all details of the place under the cursor."""
_DOCK_NAMES: Final = {
    Dock.STEPS: "Steps of the sequence",
    Dock.PLACE: "Place under the cursor",
    Dock.LOG: "Log",
    Dock.HAND: "Hand as cards",
    Dock.MINIMAP: "Whole theatre",
    Dock.NEWS: "Report and overview",
    Dock.BOARD: "Board of the step",
    Dock.TRACKS: "Tracks and pools",
    Dock.BATTLE: "Battle",
}
_LARGE_SCREEN_DOCKS: Final = frozenset({Dock.TRACKS, Dock.BATTLE})
"""Panels in the extra column of a large screen."""
_HIDDEN_BY_HAND: Final = {
    "80x24": frozenset({Dock.PLACE, Dock.LOG}),
    "120x40": frozenset({Dock.LOG}),
}
"""Panels that are hidden while the hand is shown below a wide map."""
_SIZES: Final = ("80x24", "120x40", "160x46", "200x60")


class PanelLayout:
    """The panels of one table screen."""

    def __init__(self, table: "TableScreen") -> None:
        """Start without panels. `compose` creates them."""
        self._table = table
        self._presenter = table.presenter
        self._panels: dict[Dock, tuple[Widget, ...]] = {}
        self._column = Vertical()
        """The extra column of a large screen."""
        self._panels_by_box: dict[Widget, tuple[Widget, ...]] = {}
        """The panels in each box (a column or strip). A box is shown while any of its panels is shown."""
        table.set_class(self._presenter.has_wide_map, "-above")
        table.set_class(bool(self._presenter.dock), "-dock")

    def __getitem__(self, dock: Dock) -> tuple[Widget, ...]:
        """Return the panel's widgets; empty if the panel has not been created."""
        return self._panels.get(dock, ())

    # -- creation

    def compose(self, map_view: AnyMapView, before_map: ComposeResult) -> ComposeResult:
        """Compose the map and all panels. `lay_out` decides which panels are shown."""
        palette, is_above = self._table.palette, self._presenter.has_wide_map
        hand = HandView(self._presenter.hand_title, palette=palette, id="hand")
        hand.add_class("panel")
        steps = StepBar(palette=palette, id="steps")
        decision = DecisionPanel(palette=palette, id="decision")
        decision.add_class("panel")
        place = self._create_lines(
            "hex", self._presenter.place_noun.title(), overflow_key=PLACE_KEY
        )
        side_log = self._create_lines("sidelog", "Log", follow=True)
        self._panels |= {Dock.STEPS: (steps,), Dock.PLACE: (place,), Dock.HAND: (hand,)}
        self._panels[Dock.LOG] = (side_log,)
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield map_view
                yield from before_map
            if is_above:
                question = Vertical(steps, decision, id="question")
                column = self._register_box(Vertical(place, side_log, id="column"), place, side_log)
                yield Horizontal(question, hand, column, self._extra_column(), id="right")
            else:
                yield self._extra_column()
                side = self._side_board()
                yield Vertical(steps, *side, decision, place, side_log, id="right")
        if not is_above:
            yield self._bottom_strip(map_view, hand)

    def _side_board(self) -> Iterator[Widget]:
        """Yield the board next to the map. If the game has no board, yield nothing."""
        if self._presenter.has_side_board:
            board = BoardPanel(self._table, self._table.palette, id="sideboard")
            board.add_class("panel")
            self._panels[Dock.BOARD] = (board,)
            yield board

    def _create_lines(
        self, name: str, title: str, *, follow: bool = False, overflow_key: str | None = None
    ) -> Lines:
        lines = Lines(
            title, palette=self._table.palette, follow=follow, overflow_key=overflow_key, id=name
        )
        lines.add_class("panel")
        return lines

    def _extra_column(self) -> Widget:
        """Return the extra column of a large screen. The column is filled when it is first shown."""
        self._column = Vertical(
            *(self._create_large_panels() if self.wanted_panels & _LARGE_SCREEN_DOCKS else ()),
            id="aside",
        )
        return self._column

    def _create_large_panels(self) -> tuple[Widget, ...]:
        """Create the panels of the extra column."""
        tab_names = self._presenter.tab_names
        page_names = ((key, tab_names.get(key, name)) for key, name in self._presenter.page_names)
        names = (GOALS, ROSTER, *page_names)
        pages = Pages(names, palette=self._table.palette, id="pages")
        battle = OverlayPageView("Battle", palette=self._table.palette, id="battle")
        battle.add_class("panel")
        self._panels |= {Dock.TRACKS: (pages,), Dock.BATTLE: (battle,)}
        return pages, battle

    def _register_box(self, box: Widget, *panels: Widget) -> Widget:
        """Register a box that is shown while any of its panels is shown, and return the box."""
        self._panels_by_box[box] = panels
        return box

    def _bottom_strip(self, map_view: AnyMapView, hand: HandView) -> Widget:
        """Return the strip of panels below a hex map."""
        palette = self._table.palette
        log = self._create_lines("log", "Log", follow=True)
        panels: list[Widget] = [hand, log]
        self._panels[Dock.LOG] += (log,)
        if self._presenter.dock:
            seen_lines = self._create_lines("seen", self._presenter.report_title, overflow_key="")
            news = self._create_lines("dock", self._presenter.dock, overflow_key="")
            self._panels[Dock.NEWS] = (seen_lines, news)
            panels += (seen_lines, news)
        if isinstance(map_view, HexMapView):
            minimap = Minimap(map_view, palette, is_ascii=self._table.is_ascii, id="minimap")
            minimap.add_class("panel")
            self._panels[Dock.MINIMAP] = (minimap,)
            panels.append(minimap)
        return self._register_box(Horizontal(*panels, id="bottom"), *panels)

    # -- visible panels

    def displayed(self) -> frozenset[Dock]:
        """Return the panels that are visible now."""
        visible_panels = self._panels.items()
        return frozenset(
            dock for dock, widgets in visible_panels if any(widget.display for widget in widgets)
        )

    @property
    def _existing_panels(self) -> frozenset[Dock]:
        """The panels that exist in this game."""
        return _LARGE_SCREEN_DOCKS | self._panels.keys()

    @property
    def wanted_panels(self) -> frozenset[Dock]:
        """The panels that the player wants and that fit on the screen."""
        size, has_news = self._table.app.size, bool(self._presenter.dock)
        return visible_panels(*size, self._table.settings.docks, has_news=has_news)

    @property
    def shown_docks(self) -> frozenset[Dock]:
        """The panels to show now. Panels without content are omitted."""
        panels_wanted = self.wanted_panels
        shown_docks = {
            dock for dock in self._panels if dock in panels_wanted and self._has_content(dock)
        }
        size = size_name(*self._table.app.size)
        if Dock.BOARD in shown_docks and size != "200x60":
            shown_docks.discard(Dock.PLACE)  # there is room for only one of the two panels
        if Dock.HAND in shown_docks and self._presenter.has_wide_map:
            shown_docks -= _HIDDEN_BY_HAND.get(size, frozenset())
        return frozenset(shown_docks)

    def _has_content(self, dock: Dock) -> bool:
        """Return whether a panel has any content to show."""
        table = self._table
        if dock is Dock.HAND:
            is_seated = self._presenter.has_hand and table.session.role is not None
            return is_seated and bool(self._presenter.cards(table.displayed_view))
        if dock is Dock.BOARD:
            return table.side_board is not None
        if dock is Dock.BATTLE:
            return bool(table.battle_pages())
        return True

    def lay_out(self) -> None:
        """Show the panels that the player wants and that fit on the screen."""
        table = self._table
        width, height = table.app.size
        if not width or not self._panels:
            return
        if self.wanted_panels & _LARGE_SCREEN_DOCKS and Dock.TRACKS not in self._panels:
            self._column.mount(*self._create_large_panels())
            table.call_after_refresh(table.show_panels)
        name, panels_shown = size_name(width, height), self.shown_docks
        for size in _SIZES:
            table.set_class(size == name, f"-size-{size}")
        table.set_class(Dock.HAND in panels_shown, "-hand")
        for dock, widgets in self._panels.items():
            for widget in widgets:
                widget.display = dock in panels_shown
        # below a hex map, the hand replaces the log, which moves to the side
        if len(self._panels[Dock.LOG]) > 1:
            is_beside = Dock.HAND in panels_shown
            side_log, log = self._panels[Dock.LOG]
            side_log.display = side_log.display and is_beside
            log.display = log.display and not is_beside
        for box, panels in self._panels_by_box.items():
            box.display = any(panel.display for panel in panels)
        self._column.display = bool(panels_shown & _LARGE_SCREEN_DOCKS)

    # -- panels that the player has chosen to show or hide

    def entries(self) -> list[tuple[str, str]]:
        """Return the id and name of every panel, marked as shown or hidden."""
        shown_entries = self.shown_docks
        return [
            (dock.value, f"{'[x]' if dock in shown_entries else '[ ]'} {_DOCK_NAMES[dock]}")
            for dock in Dock
            if dock in self._existing_panels
        ]

    def switch(self, name: str) -> str:
        """Show or hide a panel at this screen size, and save the choice. Return a sentence describing the result."""
        table, dock = self._table, Dock(name)
        if dock not in self._existing_panels:
            return "This game has no such panel."
        has_news = bool(self._presenter.dock)
        docks = with_panel_toggled(*table.app.size, table.settings.docks, dock, has_news=has_news)
        save = getattr(table.app, "save_panels", None)
        if save is not None:
            save(docks)
        self.lay_out()
        table.show_panels()
        is_shown = dock in self.shown_docks
        return f"{_DOCK_NAMES[dock]}: {'shown' if is_shown else 'hidden'} at this size."

    def show_palette(self, palette: Palette) -> None:
        """Repaint with another palette."""
        table = self._table
        for widget in table.walk_children(Widget):
            if isinstance(
                widget, Lines | StyledLine | StepBar | HandView | BoardPanel | DecisionPanel
            ):
                widget.show_palette(palette)
        for minimap in table.query(Minimap):
            minimap.show_palette(palette, is_ascii=table.is_ascii)
        self.lay_out()

    # -- the height of the place panel

    def fit_place(self) -> None:
        """If the place panel needs more rows, let it borrow the empty rows below the options."""
        if self._presenter.has_wide_map:
            return
        place, decision = self._place_panel, self._table.panel
        borrowed = self.borrowed_rows()
        normal_height = place.outer_size.height - borrowed
        free_rows = decision.size.height + borrowed - decision.lines_wanted()
        extra_rows = max(min(place.line_count + 1 - normal_height, free_rows), 0)
        if place.display and extra_rows != borrowed:
            place.styles.height = normal_height + extra_rows if extra_rows else None

    def borrowed_rows(self) -> int:
        """Return the number of extra rows that the place panel has borrowed."""
        place = self._place_panel
        normal_height = place.styles.base.height
        has_borrowed = place.styles.inline.has_rule("height") and normal_height is not None
        return (
            place.outer_size.height - int(normal_height.value)
            if has_borrowed and normal_height is not None
            else 0
        )

    @property
    def _place_panel(self) -> Lines:
        return self._table.query_one("#hex", Lines)
