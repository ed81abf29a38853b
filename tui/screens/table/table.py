"""The screen for one session: a map and its panels, with all the information about the game."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from msgspec.structs import replace
from rich.cells import cell_len
from rich.segment import Segment
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import Static
from typing_extensions import override

from engine.kernel.hexgrid import HexGrid
from engine.kernel.ruleset import Command, View
from play.controller import open_commands
from play.log_lines import LogLine, collapse_repeats
from play.notes import NO_NOTES, NotesError
from play.session import Session
from tui.drawing.colour_roles import TextRole
from tui.drawing.compositor import PaintingApp
from tui.drawing.palette import PLAIN_PALETTE, Palette
from tui.maps.areamap.scene import AreaScene
from tui.maps.areamap.widget import AreaMapView
from tui.maps.enums import NOTE
from tui.maps.hexmap.minimap import Minimap
from tui.maps.hexmap.scene import HexCell, HexGround, build_scene
from tui.maps.hexmap.widget import HexMapView
from tui.maps.highlights import with_note_marks
from tui.maps.map_view import AnyMapView
from tui.panels.card_row import hand_page
from tui.panels.docks import Dock, size_name
from tui.panels.game_board import GameBoard
from tui.panels.goals import goal_rows
from tui.panels.overlay_pages import OverlayPage
from tui.panels.roster import roster_rows
from tui.panels.status_segments import Row
from tui.playback.recap import battle_pages
from tui.presenter.presenter import NO_OVERLAY, Found, Presenter, Scene, Selection
from tui.screens.dialogs.prompt import ChoiceDialog, TextDialog
from tui.screens.table import header
from tui.screens.table.board_panel import BoardPanel, BoardScreen
from tui.screens.table.info_pages import battle_page, log_page, toned_log_line
from tui.screens.table.overlay_page_view import OverlayPageView
from tui.screens.table.panel_layout import GOALS, PLACE_KEY, ROSTER, PanelLayout
from tui.screens.table.table_style import STYLE
from tui.terminal.sanitising import sanitise_line, sanitise_lines, sanitised_content
from tui.terminal.settings import Settings
from tui.terminal.startup_screen import LOADING, Drawing
from tui.widgets.bars.cards import HandView
from tui.widgets.bars.key_line import KeyLine, KeyLineEntry, key_entry
from tui.widgets.bars.status_bar import StatusBar, status_bar_strip
from tui.widgets.bars.step_bar import StepBar
from tui.widgets.lines import Lines
from tui.widgets.lists.decision import DecisionPanel
from tui.widgets.pages import Page, Pages

if TYPE_CHECKING:
    from tui.screens.table.end_screen import EndChoice

_NO_MAP: Final = build_scene(HexGrid(), {"0101": HexCell(id="0101", ground=HexGround.VOID)})
_LOG_LINES: Final = 200
_BATTLE_LINES: Final = 24
"""Maximum height, in lines, of the battle panel in the extra column of a large screen."""
_BATTLE_MARGIN: Final = 4
"""Extra lines to allow for the border and for wrapped text."""
_WATCHING_TEXT: Final = "You are watching; commands are disabled here."


def create_map(scene: Scene, cursor: str, palette: Palette) -> AnyMapView:
    """Create the widget for a hex map or an area map."""
    if isinstance(scene, AreaScene):
        return AreaMapView(scene, cursor, palette, id="map")
    return HexMapView(scene, cursor, palette, id="map")


class TableScreen(Screen[None]):
    """Base class of the screens for play, lessons and replays.

    It shows the map, its panels and information about the game.
    """

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide"), (170, "-huge")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (34, "-tall")]
    DEFAULT_CSS = STYLE
    BINDINGS = [
        Binding("r", "roster", "Roster of all units; calendar of arrivals", show=False),
        Binding("t", "goals", "Goals: how to win, and what you still need", show=False),
        Binding("N", "notes", "Notes on this place and on the game", show=False),
        Binding("f2", "panels", "Panels shown at this size", show=False),
        Binding("f3", "switch('hand')", "Hand along the bottom", show=False),
        Binding("f4", "switch('log')", "Log beside the map", show=False),
        Binding("f5", "switch('minimap')", "Theatre overview beside the map", show=False),
        Binding("f6", "switch('place')", "Panel for this place", show=False),
        Binding("f7", "switch('tracks')", "Tracks beside the map", show=False),
        Binding("x", f"overlay('{NO_OVERLAY}')", "No overlay", show=False),
        Binding("h", "hand", "Hand"),
        Binding("l", "log", "Log"),
        Binding("b", "battle", "Battle board", show=False),
        Binding("e", "hex", "Details of this place", show=False),
        Binding("slash", "find", "Find", show=False),
        Binding("f1", "rules_here", "Rules of this step", show=False),
        Binding("tab", "other_panel", "Map or list", show=False),
        Binding("m", "minimap", "Whole theatre", show=False),
        Binding("z", "zoom", "Next zoom", show=False),
        Binding("plus,equals_sign", "zoom_by(1)", "Zoom in", show=False),
        Binding("minus", "zoom_by(-1)", "Zoom out", show=False),
        Binding("q", "leave", "Back to the menu", show=False),
        Binding("V", "end_page", "Verdict: the page at the end of the game", show=False),
        Binding("o", "forecast", "Forecast: odds and losses of a battle", show=False),
    ]
    KEY_LINE_ENTRIES: ClassVar[tuple[KeyLineEntry, ...]] = ()
    """Entries in the key line, most important first."""
    find_prompt = ""
    """Title of the search dialog; empty for the game's own title."""

    def __init__(self, session: Session, presenter: Presenter) -> None:
        """Create the screen, with the keys for the game's overlays, pages and boards."""
        super().__init__()
        self.session = session
        self.presenter = presenter
        self.panels = PanelLayout(self)
        self.view: View = session.view()
        self.overlay = ""
        self.aim = ""
        """The place to which the player last moved the map cursor."""
        self.highlighted_command: Command | None = None
        """Command of the highlighted line; None if that line has no command."""
        self.side_board: GameBoard | None = None
        """The board for the current step; None if the step has no board."""
        self._board: BoardScreen | None = None
        """The board shown in front of the table; None if no board is open."""
        self._map: AnyMapView | None = None
        self._battle_cache: tuple[object, tuple[OverlayPage, ...]] = (None, ())
        """The latest battle boards, and the state for which they were computed."""
        self._log_length = self._log_read = 0
        """Number of log lines, and number of log lines that the player has already read."""
        self._last_sentence = ""
        """The last log sentence shown in the status line."""
        self.is_drawn = False
        """True if pictures of this screen are saved for the next launch (`tui.terminal.startup_screen`)."""
        self.opening_drawing: Drawing | None = None
        """Picture of the screen at the start of the game; None until it is drawn."""
        self.leaving_drawing: Drawing | None = None
        """Picture of the screen as the player left it; None before that, or if the picture is out of date."""
        self._seq_when_left = -1
        for key, overlay, name in presenter.overlays:
            self._bindings.bind(key, f"overlay('{overlay}')", name, show=False)
        for key, name in presenter.page_names:
            self._bindings.bind(key, f"page('{key}')", name, show=False)
        for key, name in presenter.boards:
            self._bindings.bind(key, f"board('{key}')", name, show=False)

    # -- layout

    @override
    def compose(self) -> ComposeResult:
        """Compose the status bar, the map, all panels and the key line."""
        map_view = self._make_map()
        yield StatusBar(self.presenter.badge, palette=self.palette, classes="header")
        yield from self.panels.compose(map_view, self.compose_before_map())
        yield from self.compose_below()
        yield Static("", classes="status", markup=False)
        entries = (*self.KEY_LINE_ENTRIES, *self._game_key_entries(), key_entry("keys", "help"))
        yield KeyLine(entries, palette=self.palette)
        self.panels.lay_out()

    def compose_before_map(self) -> ComposeResult:
        """Compose the widgets in front of the map."""
        yield from ()

    def compose_below(self) -> ComposeResult:
        """Compose the widgets between the panels and the status line."""
        yield from ()

    def _make_map(self) -> AnyMapView:
        """Create the map, with the cursor on the home place."""
        home = self.presenter.home(self.view)
        scene = self.presenter.scene(self.view, Selection(cursor=home)) or _NO_MAP
        start = home if home in scene.cells else next(iter(scene.cells))
        map_view = create_map(scene, start, self.palette)
        self.watch(map_view, "cursor", self._cursor_moved, init=False)
        map_view.is_calm = self.settings.reduced_motion
        self._map = map_view
        return map_view

    def _game_key_entries(self) -> Iterator[KeyLineEntry]:
        """Yield the key-line entries that the game adds."""
        actions = {key: f"overlay('{overlay}')" for key, overlay, _ in self.presenter.overlays}
        actions |= {key: f"page('{key}')" for key, _ in self.presenter.page_names}
        actions |= {key: f"board('{key}')" for key, _ in self.presenter.boards}
        for key, word in self.presenter.key_line_entries:
            yield key_entry(word, actions[key])

    def adapt_key_entry(self, entry: KeyLineEntry) -> KeyLineEntry | None:
        """Adapt a key-line entry to the current state. Return None to omit it, because its key has no effect now."""
        return entry

    def on_resize(self, event: events.Resize) -> None:
        """Lay out the panels to fit the new size."""
        del event
        previous_panels = self.panels.displayed()
        self.panels.lay_out()
        # panels that have just appeared are still empty
        if previous_panels and self.panels.displayed() - previous_panels:
            self.call_after_refresh(self.show_panels)

    @property
    def settings(self) -> Settings:
        """The player's preferences."""
        return getattr(self.app, "settings", Settings())

    @property
    def palette(self) -> Palette:
        """Maps tones to styles."""
        return getattr(self.app, "palette", PLAIN_PALETTE)

    @property
    def is_ascii(self) -> bool:
        """True if characters beyond ASCII must be avoided."""
        terminal = getattr(self.app, "terminal", None)
        return terminal is not None and self.settings.ascii_for(terminal)

    @property
    def map(self) -> AnyMapView:
        """The map."""
        return cast("AnyMapView", self.query_one("#map"))

    @property
    def panel(self) -> DecisionPanel:
        """The decision panel."""
        return self.query_one("#decision", DecisionPanel)

    def apply_settings(self, settings: Settings, palette: Palette) -> None:
        """Apply new preferences."""
        self.map.is_calm = settings.reduced_motion
        self.map.show_palette(palette)
        self.panels.show_palette(palette)

    def action_switch(self, name: str) -> None:
        """Show or hide a panel at this screen size, and save the choice."""
        self.show_message(self.panels.switch(name))

    @work
    async def action_panels(self) -> None:
        """Ask which panel to show or hide."""
        title = f"Panels at {size_name(*self.app.size)}"
        chosen_key = await self.app.push_screen_wait(ChoiceDialog(title, self.panels.entries()))
        if chosen_key:
            self.action_switch(chosen_key)

    # -- the position on display

    @property
    def is_in_front(self) -> bool:
        """True if no other screen is in front of this one."""
        return self.app.screen is self

    @property
    def displayed_view(self) -> View:
        """The view on display, which may be earlier than the view of the current decision."""
        return self.view

    @property
    def is_playing_back(self) -> bool:
        """True while the screen shows an earlier position than the current one. Subclasses override this."""
        return False

    def heading(self) -> str:
        """Return the heading of the position on display."""
        return self.session.heading()

    def connection(self) -> str:
        """Return the connection status without its alerts; empty if there is no connection."""
        return header.connection(self.session)

    def selection(self) -> Selection:
        """Return the selection that determines the overlay and the highlights on the map."""
        return Selection(
            cursor=self.map.cursor,
            overlay=self.overlay,
            options=open_commands(self.panel.shown_choices),
            drafted_commands=self.session.draft.commands,
            courses=self.session.orders.courses,
            highlighted=self.highlighted_command,
        )

    def decorate_scene(self, scene: Scene) -> Scene:
        """Return the map with additional highlights. Subclasses extend this."""
        return scene

    def battle_pages(self) -> tuple[OverlayPage, ...]:
        """Return the boards of all current and declared battles or, if there are none, of the last battle."""
        session = self.session
        key = (session.seq, session.draft.size, session.role)
        if self._battle_cache[0] != key:
            self._battle_cache = key, battle_pages(session, self.presenter)
        return self._battle_cache[1]

    def latest_lines(self) -> list[LogLine]:
        """Return all log lines. The log panel shows only the latest lines."""
        return list(collapse_repeats(self.session.log()))

    def report_rows(self) -> tuple[Row, ...]:
        """Return a report on the other players' moves since this player's last move."""
        return (("Nothing yet.", TextRole.DIM),)

    # -- updates

    def show_message(self, sentence: str) -> None:
        """Show a sentence in the status line. A long sentence also covers the key line."""
        self._show_status(sentence, is_wordy=cell_len(sentence) > self.size.width)

    def _show_status(self, sentence: str, *, is_wordy: bool) -> None:
        self.set_class(is_wordy, "-wordy")
        self.query_one(".status", Static).update(sanitised_content(sentence), layout=False)
        if self._board is not None:
            self._board.show_message(sentence)

    def warn(self, title: str, text: str) -> None:
        """Show an error message once: in the status line or, if another screen covers it, as a notification."""
        lines = sanitise_lines(text)
        if self.is_in_front or self._board is not None:
            self.show_message(" ".join(lines))
        else:
            self.notify(
                "\n".join(lines), title=sanitise_line(title, 60), severity="warning", markup=False
            )

    def show_all(self) -> None:
        """Redraw the screen to match the current state of the session."""
        self.view = self.session.view()
        self.show_map()
        self.show_panels()
        if self._board is not None:
            self._board.show()

    def show_map(self) -> None:
        """Redraw the map, with its overlay and notes."""
        scene = self.presenter.scene(self.displayed_view, self.selection())
        decorated = self.decorate_scene(scene) if scene is not None else _NO_MAP
        self.map.show_scene(with_note_marks(decorated, self.notes_by_place))
        for minimap in self.query(Minimap):
            minimap.follow_map()
        self.show_side_board()

    def show_side_board(self) -> None:
        """If there is room, show the board for the current step, the highlighted line or the cursor."""
        if not self.presenter.has_side_board or Dock.BOARD not in self.panels.wanted_panels:
            return
        options = self.session.offered_commands() if self.displayed_view is self.view else ()
        selection = replace(self.selection(), options=options)
        board = self.presenter.side_board(self.displayed_view, selection)
        is_new = (board is None) is not (self.side_board is None)
        self.side_board = board
        if is_new:
            self.panels.lay_out()
        panel = self.panels[Dock.BOARD][0]
        if board is not None and panel.display and isinstance(panel, BoardPanel):
            panel.show(board)

    @on(BoardPanel.Left)
    def leave_side_board(self) -> None:
        """Return the focus to the map."""
        self.map.focus()

    @on(BoardPanel.Notice)
    def show_side_notice(self, event: BoardPanel.Notice) -> None:
        """Show a message from the board."""
        self.show_message(event.sentence)

    def show_panels(self) -> None:
        """Update every panel."""
        self.show_header()
        self.show_hex()
        self.show_log()
        if self.panels[Dock.STEPS][0].display:
            self.query_one(StepBar).show(self.presenter.steps(self.displayed_view))
        if (Dock.HAND in self.panels.shown_docks) is not self.panels[Dock.HAND][0].display:
            self.panels.lay_out()  # an empty hand needs no panel
        if self.panels[Dock.HAND][0].display:
            self.query_one(HandView).show(self.presenter.cards(self.displayed_view))
        if self.panels[Dock.TRACKS]:
            self._show_extra_column()
        if self.panels[Dock.NEWS]:
            self.query_one("#seen", Lines).show(self.report_rows())
            view, courses = self.displayed_view, self.session.orders.courses
            dock = self.query_one("#dock", Lines)
            width = max(dock.size.width - 1, 1)
            dock.show(self.presenter.dock_rows(view, courses, width))
        self.query_one(KeyLine).redraw()

    def _show_extra_column(self) -> None:
        """Update the pages and the current battle in the extra column."""
        pages, battle = self.panels[Dock.TRACKS][0], self.panels[Dock.BATTLE][0]
        if (Dock.BATTLE in self.panels.shown_docks) is not battle.display:
            self.panels.lay_out()
        if pages.display and isinstance(pages, Pages):
            pages.show(self._docked_pages(pages.size.width))
        if battle.display and isinstance(battle, OverlayPageView):
            battle.show_pages(self.battle_pages())
            height = len(battle.text.splitlines()) + _BATTLE_MARGIN
            battle.styles.height = min(height, _BATTLE_LINES)

    def _docked_pages(self, width: int) -> tuple[Page, ...]:
        """Return the pages for a large screen's extra column, goals and roster first."""
        view, presenter = self.displayed_view, self.presenter
        goals = (*GOALS, lambda: goal_rows(presenter.goals(view)))
        roster = (*ROSTER, lambda: roster_rows(presenter.roster(view), width))
        return (goals, roster, *presenter.pages(view))

    def show_header(self) -> None:
        """Update the status bar: turn, phase and whose move it is."""
        session = self.session
        segments = self.presenter.status_segments(
            self.displayed_view, self.heading(), self.connection()
        )
        is_playing_back = self.is_playing_back
        move_segments = (
            (header.PLAYBACK,) if is_playing_back else header.move_segment(session, self.presenter)
        )
        leading_segments = (
            *move_segments,
            *header.alert_segments(session),
            *header.clock_segment(session),
        )
        self.query_one(StatusBar).show(
            (*leading_segments, *segments, *header.mode_segment(session))
        )

    def show_hex(self) -> None:
        """Show the place under the cursor."""
        panel = self.query_one("#hex", Lines)
        cursor = self.map.cursor
        title = self.presenter.place_name(cursor)
        rows = self.presenter.hex_rows(self.displayed_view, cursor)
        panel.set_title(title)
        details = rows[1:] if rows[:1] == (title,) else rows
        panel.overflow_key = PLACE_KEY
        panel.show((*self._note_rows(cursor), *details))
        self.call_after_refresh(self.panels.fit_place)

    def show_log(self) -> None:
        """Show the end of the log. If no log panel is visible, count the unread lines in the status line."""
        log = self.latest_lines()
        panels = [panel for panel in self.panels[Dock.LOG] if panel.display]
        lines = [self.toned_log_line(line) for line in log[-_LOG_LINES:]] if panels else []
        for panel in panels:
            assert isinstance(panel, Lines)
            panel.show(lines)
        newest_sentence = next(self._latest_sentences(log), "")
        if (
            newest_sentence == self._last_sentence
        ):  # keep the current message until there is a new log sentence
            return
        self._last_sentence = newest_sentence
        self._log_length = sum(not line.is_draft for line in log)
        unread_count = self._log_length - self._log_read
        is_counted = unread_count > 1 and not log[-1].is_draft and not panels
        self._show_status(
            f"l: {unread_count} new | {newest_sentence}" if is_counted else newest_sentence,
            is_wordy=False,
        )

    def _latest_sentences(self, log: Sequence[LogLine]) -> Iterator[str]:
        """Yield the log sentences, newest first, without headings."""
        return (
            self.toned_log_line(line)[0] for line in reversed(log) if not line.text.endswith(":")
        )

    def toned_log_line(self, line: LogLine) -> tuple[str, TextRole]:
        """Return a log sentence with its tone. Drafted sentences are marked."""
        return toned_log_line(self.presenter, self.view, line)

    def mark_log_read(self) -> None:
        """Mark all log lines as read."""
        self._log_read = self._log_length

    # -- pages

    def show_page(self, title: str, lines: Any) -> None:  # noqa: ANN401  (lines of either kind)
        """Show a page of text above the table."""
        from tui.screens.reference.page import PageScreen

        self.app.push_screen(PageScreen(title, lines, self.palette))

    def action_hand(self) -> None:
        """Show the hand: as cards with their whole text, or as text if the hand is not cards."""
        faces = (
            self.presenter.cards(self.displayed_view) if self.presenter.has_hand_of_cards else ()
        )
        is_boxed = not self.palette.has_backgrounds
        self.show_page(
            self.presenter.hand_title,
            partial(hand_page, faces, is_boxed=is_boxed)
            if faces
            else self.presenter.hand_lines(self.displayed_view),
        )

    def action_log(self) -> None:
        """Show the whole log, newest lines first."""
        self.mark_log_read()
        lines = self.latest_lines()
        page = log_page(self.session, self.presenter, self.displayed_view, lines)
        self.show_page("Log, newest first", page)

    def action_hex(self) -> None:
        """Show all details of the place under the cursor."""
        cursor = self.map.cursor
        title = f"{self.presenter.place_noun.title()} {self.presenter.place_name(cursor)}"
        self.show_page(
            title,
            (*self._note_rows(cursor), *self.presenter.hex_lines(self.displayed_view, cursor)),
        )

    def action_battle(self) -> None:
        """Show the boards of all current and declared battles or, if there are none, of the last battle."""
        from tui.screens.table.overlay_page_view import OverlayPageScreen

        if pages := self.battle_pages():
            self.app.push_screen(OverlayPageScreen("Battle", pages, self.palette))
        else:
            page = battle_page(self.presenter, self.displayed_view, self.latest_lines())
            self.show_page("Battle", page)

    def action_forecast(self) -> None:
        """Show the forecasts for the place under the cursor and for the highlighted line."""
        from tui.panels.forecast import NOTHING_TO_FORECAST
        from tui.screens.table.forecast_screen import ForecastScreen

        pages = self.presenter.forecast(self.view, self.map.cursor, self.highlighted_command)
        if pages:
            self.app.push_screen(ForecastScreen(pages, self.palette))
        else:
            self.show_message(NOTHING_TO_FORECAST)

    def action_page(self, key: str) -> None:
        """Show one of the presenter's pages."""
        view = self.displayed_view
        for page_key, name, lines in self.presenter.pages(view):
            if page_key == key:
                is_course_page = key == self.presenter.course_page
                courses = self.session.orders.courses if is_course_page else ()
                self.show_page(name, (*self.presenter.course_rows(view, courses), *lines))
                return
        self.show_message("This game has no such page.")

    def action_goals(self) -> None:
        """Show the victory conditions of every side."""
        goals = self.presenter.goals(self.displayed_view)
        self.show_page("Goals", goal_rows(goals) or ("This game lists no goals.",))

    @work
    async def action_roster(self) -> None:
        """Show the roster, then go to the place of the unit that the player chose."""
        from tui.screens.table.roster_screen import RosterScreen

        view, presenter = self.displayed_view, self.presenter
        screen = RosterScreen(presenter.roster(view), presenter.calendar(view), self.palette)
        place = await self.app.push_screen_wait(screen)
        if place:
            self.centre_on(place)

    async def action_rules_here(self) -> None:
        """Open the rules at the paragraph for the current step."""
        rule = self.presenter.rule_for_question(self.session.decision(), self.map.cursor)
        # Textual parses the action string, so the rule is quoted.
        await self.run_action(f"app.rules({sanitise_line(rule)!r})")

    # -- the end of the game

    @property
    def can_replay_here(self) -> bool:
        """True if the page at the end of the game can show the record."""
        return False

    @property
    def can_play_again(self) -> bool:
        """True if the page at the end of the game can start the same game again."""
        return False

    def action_end_page(self) -> None:
        """Show the page at the end of the game."""
        self.open_end_page(is_automatic=False)

    def open_end_page(self, *, is_automatic: bool) -> None:
        """Show the page at the end of the game, and do what the player chooses there.

        If it opens automatically, it ignores Enter at first, in case the player pressed Enter to end a playback.
        """
        from tui.presenter.end_lines import session_summary
        from tui.screens.table.end_screen import NO_SUMMARY, EndScreen

        summary = session_summary(self.session, self.presenter)
        if summary is None:
            self.show_message(NO_SUMMARY)
            return
        path = self.session.record_path
        screen = EndScreen(
            summary,
            self.presenter.badge,
            self.palette,
            record="" if path is None else str(path),
            can_replay=self.can_replay_here,
            can_play_again=self.can_play_again,
            ignores_enter=is_automatic,
        )
        self.app.push_screen(screen, self._left_end_page)

    def _left_end_page(self, choice: "EndChoice | None") -> None:
        if choice is not None:
            self.leave_end_page(choice)

    def leave_end_page(self, choice: "EndChoice") -> None:
        """Do what the player chose on the page at the end of the game. Subclasses extend this."""
        if choice.action == "menu":
            self.action_leave()

    # -- search

    def action_find(self) -> None:
        """Search for a place, unit or card by name."""
        self.find_named("")

    @work
    async def find_named(self, query: str) -> None:
        """Search for a place, unit or card, with the given words already filled in."""
        from tui.screens.dialogs.lookup import FindDialog

        dialog = FindDialog(self.search, self.find_prompt or self.presenter.find_prompt, query)
        result = await self.app.push_screen_wait(dialog)
        if result is not None:
            self.show_found(result)

    def search(self, query: str) -> tuple[Found, ...]:
        """Find the places, units and cards whose names contain the given words."""
        return self.presenter.find(self.view, query)

    def show_found(self, result: Found) -> None:
        """Show a search result's place on the map and open its text, if it has any."""
        if result.hex_id:
            self.centre_on(result.hex_id)
        if result.text:
            self.app.push_screen(TextDialog(result.title, result.text))

    def centre_on(self, place: str) -> None:
        """Centre the map on a place and focus it."""
        self.map.point_at(place, is_centred=True)
        self.map.focus()

    # -- notes

    @property
    def notes_by_place(self) -> Mapping[str, str]:
        """The player's notes by place."""
        notebook = self.session.notes
        return MappingProxyType({}) if notebook is None else notebook.places

    def _note_rows(self, place: str) -> tuple[Row, ...]:
        """Return the player's note on a place as panel lines; empty if the place has no note."""
        text = self.notes_by_place.get(place, "")
        return (((f"{NOTE} ", TextRole.KEY), (text, TextRole.WARN)),) if text else ()

    @work
    async def action_notes(self) -> None:
        """Edit the notes on the place under the cursor and on the game."""
        from tui.screens.dialogs.notes import NotesScreen

        notebook = self.session.notes
        if notebook is None:
            self.show_message(NO_NOTES)
            return
        if notebook.problem:
            self.warn("No notes", notebook.problem)
            return
        screen = NotesScreen(notebook, self.map.cursor, self.presenter.place_name)
        place = await self.app.push_screen_wait(screen)
        for save in screen.pending_saves():
            try:
                save()
            except NotesError as error:
                self.warn("Not saved", str(error))
        self.show_map()
        self.show_hex()
        if place:
            self.centre_on(place)

    # -- boards

    def board(self, key: str) -> GameBoard | None:
        """Return a board in its current state."""
        return self.presenter.board(self.view, key, self.session.offered_commands())

    def label(self, command: Command) -> str:
        """Return the text of a command."""
        return self.presenter.label(self.view, command)

    def plan(self, command: Command) -> tuple[str, ...]:
        """Return the expected outcome of a command."""
        return self.presenter.plan(self.view, command, self.aim)

    def give_command(self, command: Command) -> Any:  # noqa: ANN401  (a worker, unless read-only)
        """Carry out a command from a board. A read-only screen only shows a message."""
        del command
        self.show_message(_WATCHING_TEXT)

    def action_commit(self) -> Any:  # noqa: ANN401  (a worker, unless read-only)
        """Commit the draft. A read-only screen only shows a message."""
        self.show_message(_WATCHING_TEXT)

    def action_undo(self) -> None:
        """Take back the last drafted command. A read-only screen only shows a message."""
        self.show_message(_WATCHING_TEXT)

    @work
    async def action_board(self, key: str) -> None:
        """Focus the board next to the map, or show it full screen until the player leaves it."""
        docked_board = next(iter(self.query(BoardPanel)), None)
        if (
            docked_board is not None
            and docked_board.shows_board(key)
            and not docked_board.has_focus_within
        ):
            docked_board.view.focus()
        elif self._board is None:
            self._board = BoardScreen(self, key, self.palette)
            try:
                await self.app.push_screen_wait(self._board)
            finally:
                self._board = None

    # -- the map

    def _cursor_moved(self) -> None:
        if self.map.has_focus and not self.is_playing_back:
            self.aim = self.map.cursor
        self.show_hex()
        self.show_side_board()

    def action_overlay(self, name: str) -> None:
        """Switch to an overlay. Choosing the current overlay returns to the decision's default overlay."""
        self.overlay = "" if self.overlay == name else name
        self.show_map()
        names = {overlay: name for _, overlay, name in self.presenter.overlays}
        self.show_message(
            f"Overlay: {names.get(self.overlay, 'none' if self.overlay else 'automatic')}"
        )

    def action_other_panel(self) -> None:
        """Move the focus between the map and the list."""
        if self.map.has_focus:
            self.panel.rows.focus()
        else:
            self.map.focus()

    def action_minimap(self) -> None:
        """Focus the docked minimap. If the minimap is hidden, open it in a dialog."""
        map_view = self.map
        docked_minimap = next(iter(self.query(Minimap)), None)
        if docked_minimap is not None and docked_minimap.display:
            docked_minimap.focus()
        elif isinstance(map_view, HexMapView):
            from tui.screens.dialogs.minimap_dialog import MinimapDialog

            self.app.push_screen(MinimapDialog(map_view, self.palette, is_ascii=self.is_ascii))
        else:
            self.show_message("The map already shows everything.")

    def on_minimap_left(self) -> None:
        """Return the focus to the map."""
        self.map.focus()

    def action_zoom(self) -> None:
        """Zoom the map, even while the list has the focus."""
        self.map.action_zoom()

    def action_zoom_by(self, steps: int) -> None:
        """Zoom the map in or out, even while the list has the focus."""
        self.map.action_zoom_by(steps)

    # -- leaving, and the pictures for the next launch

    def action_leave(self) -> None:
        """Return to the menu. All committed commands are already saved."""
        self.leave()
        self.dismiss()

    def leave(self) -> None:
        """Draw the startup picture for the next launch while the panels still exist."""
        if self.is_drawn:
            self.leaving_drawing, self._seq_when_left = self.startup_drawing(), self.session.seq

    async def on_unmount(self) -> None:
        """Close the session."""
        # a picture drawn before the last record is out of date
        if self._seq_when_left != self.session.seq:
            self.leaving_drawing = None
        await self.session.close()

    def startup_drawing(self) -> Drawing | None:
        """Return a startup picture of the header and the map, or None if no map has been drawn yet.

        The picture contains no hidden information.
        """
        app, map_view, session = self.app, self._map, self.session
        if map_view is None or not map_view.size or not isinstance(app, PaintingApp):
            return None
        view = session.public_view()
        scene = self.presenter.scene(view, Selection(cursor=map_view.cursor)) or _NO_MAP
        width, height = app.size
        segments = self.presenter.status_segments(view, session.public_heading(), "")
        header = status_bar_strip(self.presenter.badge, segments, width, self.palette)
        margin = (width - map_view.size.width) // 2 if self.presenter.has_wide_map else 0
        lines = [
            (line, margin, list(strip))
            for line, strip in enumerate(map_view.render_with_scene(scene), 1)
        ]
        loading = (height - 1, 0, [Segment(LOADING)])
        content = app.encode_drawing([(0, 0, list(header)), *lines, loading])
        return Drawing((width, height), content)
