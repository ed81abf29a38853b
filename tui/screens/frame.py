"""The layout around the map: status bar, question, panels chosen by size, status line and keys."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from rich.cells import cell_len
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Static

from engine.kernel.ruleset import Command
from play.loglines import LogLine, folded
from play.session import Session
from tui.board import Board
from tui.clean import clean, clean_lines, safe
from tui.docks import Dock, docks, size_name, switched
from tui.hexmap.minimap import Minimap
from tui.hexmap.widget import HexMap
from tui.palette import Palette
from tui.playback.account import fights
from tui.playback.sheet import Sheet
from tui.playback.sheetview import SheetView
from tui.presenter import Presenter
from tui.ribbon import EXTRA, Part, Row, part
from tui.screens.board import BoardPanel
from tui.screens.planning import GOALS, ROSTER, PlanningScreen
from tui.screens.prompt import ChoiceDialog
from tui.screens.table_style import STYLE
from tui.settings import Settings
from tui.tones import Tone
from tui.widgets.cards import Hand
from tui.widgets.decision import DecisionPanel
from tui.widgets.keyline import Foot, KeyLine, foot
from tui.widgets.lines import Lines
from tui.widgets.mapview import AnyMapView
from tui.widgets.pages import Pages
from tui.widgets.ribbon import Ribbon, ToneLine
from tui.widgets.steps import StepBar

_LOG_LINES: Final = 200
_BATTLE_LINES: Final = 24
"""Maximum height of the battle panel in the extra column of a large screen."""
_PLACE_KEY: Final = "e"
"""Key that shows everything about the place under the cursor."""
_BATTLE_MARGIN: Final = 4
"""Lines added for the border and for wrapped lines."""
_DOCK_NAMES: Final = {
    Dock.STEPS: "Steps of the sequence",
    Dock.PLACE: "What is under the cursor",
    Dock.LOG: "Log",
    Dock.HAND: "Hand as cards",
    Dock.MINIMAP: "Whole theatre",
    Dock.NEWS: "What the game keeps in sight",
    Dock.BOARD: "Board of the step",
    Dock.TRACKS: "Tracks and pools",
    Dock.BATTLE: "Battle",
}
_LARGE: Final = frozenset({Dock.TRACKS, Dock.BATTLE})
"""Panels in the extra column of a large screen."""
_UNDER_HAND: Final = {
    "80x24": frozenset({Dock.PLACE, Dock.LOG}),
    "120x40": frozenset({Dock.LOG}),
}
"""Panels that give way to the hand below a wide map."""
_LONG_ALERT: Final = 24
"""Width in cells above which the short form of an alert may be used."""
_SIZES: Final = ("80x24", "120x40", "160x46", "200x60")


class FrameScreen(PlanningScreen):
    """A session with panels around its map; the screen size and the player decide which are shown."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide"), (170, "-huge")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (34, "-tall")]
    DEFAULT_CSS = STYLE
    BINDINGS = [
        Binding("f2", "panels", "Panels shown at this size", show=False),
        Binding("f3", "switch('hand')", "Hand along the bottom", show=False),
        Binding("f4", "switch('log')", "Log beside the map", show=False),
        Binding("f5", "switch('minimap')", "Whole theatre beside the map", show=False),
        Binding("f6", "switch('place')", "Panel of the place", show=False),
        Binding("f7", "switch('tracks')", "Tracks beside the map", show=False),
    ]
    FOOT: ClassVar[tuple[Foot, ...]] = ()
    """Entries of the key line, most important first."""

    def __init__(self, session: Session, presenter: Presenter) -> None:
        """Create the screen without its panels; `compose` adds them."""
        super().__init__(session, presenter)
        self._panels: dict[Dock, tuple[Widget, ...]] = {}
        self._column = Vertical()
        """The extra column of a large screen."""
        self._side: Board | None = None
        """The board for the current step; None if there is none."""
        self._boxes: dict[Widget, tuple[Widget, ...]] = {}
        """Columns and strips with the panels in them; each is shown while any of its panels is."""
        self._map: AnyMapView | None = None
        self._fights: tuple[object, tuple[Sheet, ...]] = (None, ())
        """Cached boards of battles, with the state for which they were computed."""
        self._last = ""
        """The log sentence most recently shown in the status line."""
        self.set_class(presenter.has_wide_map, "-above")
        self.set_class(bool(presenter.dock), "-dock")

    # -- layout

    def compose(self) -> ComposeResult:
        """Compose every panel; `lay_out` decides which are shown."""
        palette, is_above = self._palette, self.presenter.has_wide_map
        the_map = self.make_map()
        hand = Hand(self.presenter.hand_word, palette=palette, id="hand")
        hand.add_class("panel")
        yield Ribbon(self.presenter.badge, palette=palette, classes="header")
        steps = StepBar(palette=palette, id="steps")
        decision = DecisionPanel(palette=palette, id="decision")
        decision.add_class("panel")
        place = self._lines("hex", self.presenter.place_word.title(), rest=_PLACE_KEY)
        side_log = self._lines("sidelog", "Log", follow=True)
        self._panels |= {Dock.STEPS: (steps,), Dock.PLACE: (place,), Dock.HAND: (hand,)}
        self._panels[Dock.LOG] = (side_log,)
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield the_map
                yield from self.before_map()
            if is_above:
                question = Vertical(steps, decision, id="question")
                column = self._box(Vertical(place, side_log, id="column"), place, side_log)
                yield Horizontal(question, hand, column, self._aside(), id="right")
            else:
                yield self._aside()
                side = self._side_board()
                yield Vertical(steps, *side, decision, place, side_log, id="right")
        if not is_above:
            yield self._bottom(the_map, hand)
        yield from self.below()
        yield Static("", classes="status", markup=False)
        yield KeyLine((*self.FOOT, *self._game_foot(), foot("keys", "help")), palette=palette)
        self.lay_out()

    def _side_board(self) -> Iterator[Widget]:
        """Yield the board beside the map, in games that have one."""
        if self.presenter.has_side_board:
            board = BoardPanel(self, self._palette, id="sideboard")
            board.add_class("panel")
            self._panels[Dock.BOARD] = (board,)
            yield board

    def _lines(
        self, name: str, title: str, *, follow: bool = False, rest: str | None = None
    ) -> Lines:
        lines = Lines(title, palette=self._palette, follow=follow, rest=rest, id=name)
        lines.add_class("panel")
        return lines

    def _aside(self) -> Widget:
        """Return the extra column of a large screen; it stays empty until it is first shown."""
        self._column = Vertical(*(self._large() if self.wanted & _LARGE else ()), id="aside")
        return self._column

    def _large(self) -> tuple[Widget, ...]:
        """Create the panels of the extra column."""
        names = (GOALS, ROSTER, *self.presenter.page_names)
        pages = Pages(names, palette=self._palette, id="pages")
        battle = SheetView("Battle", palette=self._palette, id="battle")
        battle.add_class("panel")
        self._panels |= {Dock.TRACKS: (pages,), Dock.BATTLE: (battle,)}
        return pages, battle

    def _box(self, box: Widget, *panels: Widget) -> Widget:
        """Register a box of panels, which is shown while any of them is."""
        self._boxes[box] = panels
        return box

    def _bottom(self, the_map: AnyMapView, hand: Hand) -> Widget:
        """Return the strip of panels below a hex map."""
        palette = self._palette
        log = self._lines("log", "Log", follow=True)
        panels: list[Widget] = [hand, log]
        self._panels[Dock.LOG] += (log,)
        if self.presenter.dock:
            seen = self._lines("seen", self.presenter.seen_word, rest="")
            news = self._lines("dock", self.presenter.dock, rest="")
            self._panels[Dock.NEWS] = (seen, news)
            panels += (seen, news)
        if isinstance(the_map, HexMap):
            minimap = Minimap(the_map, palette, is_ascii=self.is_ascii, id="minimap")
            minimap.add_class("panel")
            self._panels[Dock.MINIMAP] = (minimap,)
            panels.append(minimap)
        return self._box(Horizontal(*panels, id="bottom"), *panels)

    def _game_foot(self) -> Iterator[Foot]:
        """Yield the game's own entries of the key line."""
        actions = {key: f"overlay('{overlay}')" for key, overlay, _ in self.presenter.overlays}
        actions |= {key: f"page('{key}')" for key, _ in self.presenter.page_names}
        actions |= {key: f"board('{key}')" for key, _ in self.presenter.boards}
        for key, word in self.presenter.foot:
            yield foot(word, actions[key])

    @abstractmethod
    def make_map(self) -> AnyMapView:
        """Create the map of the game."""

    def before_map(self) -> ComposeResult:
        """Compose the widgets in front of the map."""
        yield from ()

    def below(self) -> ComposeResult:
        """Compose the widgets between the panels and the status line."""
        yield from ()

    def on_resize(self, event: events.Resize) -> None:
        """Lay out the panels for the new size."""
        del event
        before = self._displayed()
        self.lay_out()
        if before and self._displayed() - before:  # a panel that has just appeared is still empty
            self.call_after_refresh(self.show_panels)

    def _displayed(self) -> frozenset[Dock]:
        """The panels that are visible now."""
        docks = self._panels.items()
        return frozenset(dock for dock, widgets in docks if any(one.display for one in widgets))

    @property
    def settings(self) -> Settings:
        """The player's preferences."""
        return getattr(self.app, "settings", Settings())

    @property
    def is_ascii(self) -> bool:
        """Whether to avoid characters beyond ASCII."""
        terminal = getattr(self.app, "terminal", None)
        return terminal is not None and self.settings.ascii_for(terminal)

    @property
    def _known(self) -> frozenset[Dock]:
        """The panels that this game has."""
        return _LARGE | self._panels.keys()

    @property
    def wanted(self) -> frozenset[Dock]:
        """The panels that fit on the screen and that the player wants."""
        return docks(*self.app.size, self.settings.docks, has_news=bool(self.presenter.dock))

    @property
    def shown(self) -> frozenset[Dock]:
        """The panels to show now."""
        wanted = self.wanted
        shown = {dock for dock in self._panels if dock in wanted and self._has(dock)}
        size = size_name(*self.app.size)
        if Dock.BOARD in shown and size != "200x60":
            shown.discard(Dock.PLACE)  # there is room for only one of the two
        if Dock.HAND in shown and self.presenter.has_wide_map:
            shown -= _UNDER_HAND.get(size, frozenset())
        return frozenset(shown)

    def _has(self, dock: Dock) -> bool:
        """Return whether a panel has anything to show."""
        if dock is Dock.HAND:
            return bool(self.presenter.has_hand and self.session.role is not None)
        if dock is Dock.BOARD:
            return self._side is not None
        if dock is Dock.BATTLE:
            return bool(self.fights())
        return True

    def lay_out(self) -> None:
        """Show the panels that fit on the screen and that the player wants."""
        width, height = self.app.size
        if not width or not self._panels:
            return
        if self.wanted & _LARGE and Dock.TRACKS not in self._panels:
            self._column.mount(*self._large())
            self.call_after_refresh(self.show_panels)
        name, shown = size_name(width, height), self.shown
        for size in _SIZES:
            self.set_class(size == name, f"-size-{size}")
        self.set_class(Dock.HAND in shown, "-hand")
        for dock, widgets in self._panels.items():
            for widget in widgets:
                widget.display = dock in shown
        # below a hex map, the hand takes the place of the log, which then moves to the side
        if len(self._panels[Dock.LOG]) > 1:
            is_beside = Dock.HAND in shown
            side_log, log = self._panels[Dock.LOG]
            side_log.display = side_log.display and is_beside
            log.display = log.display and not is_beside
        for box, panels in self._boxes.items():
            box.display = any(panel.display for panel in panels)
        self._column.display = bool(shown & _LARGE)

    # -- choice of panels

    def action_switch(self, name: str) -> None:
        """Show or hide a panel at this screen size, and remember the choice."""
        dock = Dock(name)
        if dock not in self._known:
            self.tell("This game has no such panel.")
            return
        has_news = bool(self.presenter.dock)
        chosen = switched(*self.app.size, self.settings.docks, dock, has_news=has_news)
        keep = getattr(self.app, "keep_docks", None)
        if keep is not None:
            keep(chosen)
        self.lay_out()
        self.show_panels()
        is_shown = dock in self.shown
        self.tell(f"{_DOCK_NAMES[dock]}: {'shown' if is_shown else 'not shown'} at this size.")

    @work
    async def action_panels(self) -> None:
        """Ask which panel to show or hide."""
        shown = self.shown
        entries = [
            (dock.value, f"{'[x]' if dock in shown else '[ ]'} {_DOCK_NAMES[dock]}")
            for dock in Dock
            if dock in self._known
        ]
        size = size_name(*self.app.size)
        chosen = await self.app.push_screen_wait(ChoiceDialog(f"Panels at {size}", entries))
        if chosen:
            self.action_switch(chosen)

    def follow(self, settings: Settings, palette: Palette) -> None:
        """Apply new preferences."""
        self.map.is_calm = settings.reduced_motion
        self.map.show_palette(palette)
        for widget in self.walk_children(Widget):
            if isinstance(widget, Lines | ToneLine | StepBar | Hand | BoardPanel | DecisionPanel):
                widget.show_palette(palette)
        for sketch in self.query(Minimap):
            sketch.show_palette(palette, is_ascii=self.is_ascii)
        self.lay_out()

    # -- updates

    def tell(self, sentence: str) -> None:
        """Show a sentence in the status line; a long one also uses the key line."""
        self._show_status(sentence, is_wordy=cell_len(sentence) > self.size.width)

    def _show_status(self, sentence: str, *, is_wordy: bool) -> None:
        self.set_class(is_wordy, "-wordy")
        self.query_one(".status", Static).update(safe(sentence), layout=False)
        if self._board is not None:
            self._board.tell(sentence)

    def warn(self, title: str, text: str) -> None:
        """Show an expected error as a notification, and in the status line until the next message."""
        lines = clean_lines(text)
        self.notify("\n".join(lines), title=clean(title, 60), severity="warning", markup=False)
        self.tell(" ".join(lines))

    def show_panels(self) -> None:
        """Update every panel."""
        self.show_header()
        self.show_hex()
        self.show_log()
        if self._panels[Dock.STEPS][0].display:
            self.query_one(StepBar).show(self.presenter.steps(self.seen_view))
        if self._panels[Dock.HAND][0].display:
            self.query_one(Hand).show(self.presenter.cards(self.seen_view))
        if Dock.TRACKS in self._panels:
            self._show_large()
        if Dock.NEWS in self._panels:
            self.query_one("#seen", Lines).show(self.seen_rows())
            self.query_one("#dock", Lines).show(self.presenter.dock_rows(self.seen_view))
        self.query_one(KeyLine).redraw()

    def _show_large(self) -> None:
        """Update the pages and the current battle in the extra column."""
        pages, battle = self._panels[Dock.TRACKS][0], self._panels[Dock.BATTLE][0]
        if (Dock.BATTLE in self.shown) is not battle.display:
            self.lay_out()
        if pages.display and isinstance(pages, Pages):
            pages.show(self.docked_pages(pages.size.width))
        if battle.display and isinstance(battle, SheetView):
            battle.show_sheets(self.fights())
            height = len(battle.text.splitlines()) + _BATTLE_MARGIN
            battle.styles.height = min(height, _BATTLE_LINES)

    def fights(self) -> tuple[Sheet, ...]:
        """The boards of all battles in progress or declared, else of the last one."""
        session = self.session
        key = (session.seq, session.tries, session.role)
        if self._fights[0] != key:
            self._fights = key, fights(session, self.presenter)
        return self._fights[1]

    def show_side(self, board: Board | None) -> None:
        """Show the board for the current step, if there is room; None hides it."""
        is_new = (board is None) is not (self._side is None)
        self._side = board
        if is_new:
            self.lay_out()
        panel = self._panels[Dock.BOARD][0]
        if board is not None and panel.display and isinstance(panel, BoardPanel):
            panel.show(board)

    @on(BoardPanel.Left)
    def side_left(self) -> None:
        """Return the focus to the map."""
        self.map.focus()

    @on(BoardPanel.Told)
    def side_told(self, event: BoardPanel.Told) -> None:
        """Show a message from the board."""
        self.tell(event.sentence)

    def seen_rows(self) -> tuple[Row, ...]:
        """What the player saw while others moved."""
        return (("Nothing yet.", Tone.DIM),)

    def show_header(self) -> None:
        """Update the status bar: where the game is and whose move it is."""
        parts = self.presenter.ribbon(self.seen_view, self.heading(), self.connection())
        first = (*self._move(), *self._alerts(), *self._clock())
        self.query_one(Ribbon).show((*first, *parts, *self._mode()))

    def _alerts(self) -> tuple[Part, ...]:
        """Alerts about the match, such as an absent player; long ones in their short form."""
        return tuple(
            part(item.text, Tone.WARN, 1, item.short if cell_len(item.text) > _LONG_ALERT else "")
            for item in self.session.status_items()
            if item.is_alert
        )

    def _mode(self) -> tuple[Part, ...]:
        """The mode of a networked match, shown only if there is room."""
        mode = self.session.mode
        return (part(f"mode {mode}", Tone.DIM, EXTRA),) if mode else ()

    def _clock(self) -> tuple[Part, ...]:
        """The clocks; if space is short, only the player's own and those that are running."""
        clock = self.session.clock()
        return (part(clock, Tone.HEAD, 1, self.session.clock(few=True)),) if clock else ()

    def connection(self) -> str:
        """Return the state of the connection without its alerts; empty if there is none."""
        return " | ".join(item.text for item in self.session.status_items() if not item.is_alert)

    @property
    def is_playing_back(self) -> bool:
        """Whether the screen shows an earlier position than that of the question; derived screens override this."""
        return False

    def _move(self) -> tuple[Part, ...]:
        """Whose move it is; during a playback, only that it is running."""
        session = self.session
        if self.is_playing_back:
            return (part(" PLAYBACK ", Tone.CARD_LIT, 4),)
        if not session.can_play or session.outcome() is not None:
            return ()
        hindrance = session.hindrance()
        if hindrance:
            return (part(f"{hindrance[:1].upper()}{hindrance[1:]}", Tone.ALERT, 4),)
        waiting = session.waiting_for()
        if session.role is not None and session.role in waiting:
            return (part(" YOUR MOVE ", Tone.CARD_LIT, 1 if session.alerts() else 4),)
        names = " and ".join(self.presenter.who(role) for role in waiting)
        return (part(f"{names[:1].upper()}{names[1:]} to move", Tone.DIM, 6),) if names else ()

    def show_hex(self) -> None:
        """Show the place under the cursor."""
        panel = self.query_one("#hex", Lines)
        cursor = self.map.cursor
        title, rows = (
            self.presenter.place_name(cursor),
            self.presenter.hex_rows(self.seen_view, cursor),
        )
        panel.entitle(title)
        told = rows[1:] if rows[:1] == (title,) else rows
        panel.rest = _PLACE_KEY
        panel.show((*self.note_rows(cursor), *told))
        self.call_after_refresh(self.fit_place)

    def fit_place(self) -> None:
        """Let the place panel use empty rows below the question, as far as it needs them."""
        if self.presenter.has_wide_map:
            return
        place, decision = self.query_one("#hex", Lines), self.query_one(DecisionPanel)
        lent = self.rows_lent()
        usual = place.outer_size.height - lent
        room = decision.size.height + lent - decision.lines_wanted()
        more = max(min(place.line_count + 1 - usual, room), 0)
        if place.display and more != lent:
            place.styles.height = usual + more if more else None

    def rows_lent(self) -> int:
        """Return how many rows the place panel has borrowed beyond those of its style."""
        place = self.query_one("#hex", Lines)
        usual = place.styles.base.height
        is_lent = place.styles.inline.has_rule("height") and usual is not None
        return place.outer_size.height - int(usual.value) if is_lent and usual is not None else 0

    def light_card(self, commands: tuple[Command, ...]) -> None:
        """Highlight the card that the highlighted line is about."""
        about = {self.presenter.card_of(command) for command in commands}
        self.query_one(Hand).light(about.pop() if len(about) == 1 else "")

    def latest_lines(self) -> list[LogLine]:
        """Return the log entries; the log panel shows the last of them."""
        return list(folded(self.session.log()))

    def show_log(self) -> None:
        """Show the end of the log; without a log panel, count the new lines in the status line."""
        log = self.latest_lines()
        panels = [panel for panel in self._panels[Dock.LOG] if panel.display]
        lines = [self.toned(line) for line in log[-_LOG_LINES:]] if panels else []
        for panel in panels:
            assert isinstance(panel, Lines)
            panel.show(lines)
        last = next(self._sentences(log), "")
        if last == self._last:  # other messages stay until there is a new log sentence
            return
        self._last = last
        self._log_length = sum(not line.is_draft for line in log)
        new = self._log_length - self._log_read
        is_counted = new > 1 and not log[-1].is_draft and not panels
        self._show_status(f"l: {new} new | {last}" if is_counted else last, is_wordy=False)

    def _sentences(self, log: Sequence[LogLine]) -> Iterator[str]:
        """Yield the log sentences, newest first, without headings for what follows."""
        return (self.toned(line)[0] for line in reversed(log) if not line.text.endswith(":"))

    def foot_entry(self, entry: Foot) -> Foot | None:
        """Return a key line entry as it reads now; None if it would do nothing."""
        return entry
