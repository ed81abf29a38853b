"""The table: map, decision, hex, log and hand around one session."""

from collections.abc import Iterator
from typing import Any, Final, cast

from rich.segment import Segment
from rich.style import Style
from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from engine.kernel.hexgrid import HexGrid
from engine.kernel.ruleset import Command, View
from play.loglines import folded
from play.session import LogLine, Session
from tui.areamap.scene import AreaScene
from tui.areamap.widget import AreaMap
from tui.board import Board
from tui.clean import clean, safe
from tui.curtain import LOADING, Drawing
from tui.hexmap.scene import Ground, HexCell, scene_of
from tui.hexmap.widget import HexMap
from tui.painting import PaintingApp
from tui.palette import PALETTES, Palette
from tui.presenter import Presenter, Scene, Selection
from tui.screens.board import BoardScreen
from tui.screens.prompt import TextDialog
from tui.settings import Settings
from tui.terminal import PaletteName
from tui.tones import Tone
from tui.widgets.decision import DecisionPanel
from tui.widgets.lines import Lines, TonedLine
from tui.widgets.mapview import AnyMapView

_NO_MAP: Final = scene_of(HexGrid(), {"0101": HexCell(id="0101", ground=Ground.VOID)})
_HIGH: Final = 44
"""Lines from which a screen is high."""
_LOG_LINES: Final = 200
_LATEST: Final = 30
MAP_SHARE: Final = 0.7
"""Part of the lines that a map above the panels has at most; the same number stands in the style sheet."""


def map_of(scene: Scene, cursor: str, palette: Palette) -> AnyMapView:
    """Return the widget for a kind of map."""
    if isinstance(scene, AreaScene):
        return AreaMap(scene, cursor, palette, id="map")
    return HexMap(scene, cursor, palette, id="map")


def _toned(line: LogLine) -> TonedLine:
    return (f"~ {line.text}", Tone.PATH) if line.is_draft else (line.text, Tone.PLAIN)


class TableScreen(Screen[None]):
    """What every screen around a session shares: panels, their sizes, and reading."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide"), (170, "-huge")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (34, "-tall")]
    DEFAULT_CSS = """
    TableScreen .header { height: 1; text-style: bold; }
    TableScreen #body { height: 1fr; }
    TableScreen #left { width: 1fr; }
    TableScreen #right { width: 34; border-left: ascii $border; padding-left: 0; }
    TableScreen HexMap { height: 1fr; }
    TableScreen AreaMap { height: 14; max-height: 100%; }
    TableScreen #decision { height: 1fr; }
    TableScreen #hex { height: 8; border-top: ascii $border; }
    TableScreen #bottom { display: none; height: 8; }
    TableScreen #log { width: 1fr; border-top: ascii $border; }
    TableScreen #dock { width: 1fr; border-top: ascii $border; margin-left: 1; }
    TableScreen #sidelog { height: 12; border-top: ascii $border; display: none; }
    TableScreen .status { height: 1; }
    TableScreen .keys { height: 1; }
    TableScreen.-wide #right { width: 44; }
    TableScreen.-huge #right { width: 46; }
    TableScreen.-wide #decision { border-top: ascii $border; }
    TableScreen.-tall #bottom { display: block; }
    TableScreen.-tall #hex { height: 12; }
    TableScreen.-huge.-tall #bottom { display: none; }
    TableScreen.-huge.-tall #sidelog { display: block; }
    TableScreen.-huge.-tall.-dock #bottom { display: block; }
    TableScreen.-huge.-tall.-dock #log { display: none; }
    TableScreen.-dock.-high #hex { height: 24; }
    TableScreen.-above #body { layout: vertical; }
    TableScreen.-above #left { width: 100%; height: auto; max-height: 70%; align-horizontal: center; }
    TableScreen.-above #bottom { display: none; }
    TableScreen.-above #right { layout: horizontal; width: 100%; height: 1fr; border-left: none; }
    TableScreen.-above #decision { width: 1fr; height: 100%; border-top: ascii $border; }
    TableScreen.-above #hex { width: 1fr; height: 100%; margin-left: 1; }
    TableScreen.-above #sidelog { width: 1fr; height: 100%; margin-left: 1; }
    TableScreen.-above.-wide #sidelog { display: block; }
    """
    BINDINGS = [
        Binding("x", "overlay('')", "No overlay", show=False),
        Binding("h", "hand", "Hand"),
        Binding("l", "log", "Log"),
        Binding("b", "battle", "Battle board", show=False),
        Binding("e", "hex", "Everything about the place", show=False),
        Binding("slash", "find", "Find", show=False),
        Binding("f1", "rules_here", "Rules of this step", show=False),
        Binding("tab", "other_panel", "Map or list", show=False),
        Binding("z", "zoom", "Next zoom", show=False),
        Binding("plus,equals_sign", "zoom_by(1)", "Zoom in", show=False),
        Binding("minus", "zoom_by(-1)", "Zoom out", show=False),
        Binding("q", "leave", "Leave to the menu", show=False),
    ]
    KEYS = ""
    """The last line of the screen."""

    def __init__(self, session: Session, presenter: Presenter) -> None:
        """Show a session in the words of its game's presenter."""
        super().__init__()
        self.session = session
        self.presenter = presenter
        self.overlay = ""
        self.looked_at: Command | None = None
        """The command on which the bar of the list stands."""
        self.aim = ""
        """The place to which the player himself moved the cursor last."""
        self._board: BoardScreen | None = None
        """A board in front of the table."""
        self._view: View = session.view()
        self._map: AnyMapView | None = None
        self.is_drawn = False
        """Whether somebody keeps what the table looks like (tui.curtain)."""
        self.opening: Drawing | None = None
        """What the table looked like at the first record of the game."""
        self.left: Drawing | None = None
        """What it looked like when it was left."""
        self._left_at = -1
        self._last = ""
        """Sentence of the log that the status line told last."""
        self._log_length = self._log_read = 0
        """Lines of the log, and those that the player knew when he last gave a command or read it."""
        for key, overlay, name in presenter.overlays:
            self._bindings.bind(key, f"overlay('{overlay}')", name, show=False)
        for key, name in presenter.page_names:
            self._bindings.bind(key, f"page('{key}')", name, show=False)
        for key, name in presenter.boards:
            self._bindings.bind(key, f"board('{key}')", name, show=False)
        self.set_class(presenter.has_wide_map, "-above")
        self.set_class(bool(presenter.dock), "-dock")

    # -- layout

    def compose(self) -> ComposeResult:
        """Compose every panel; sizes decide which are shown."""
        palette = self._palette
        home = self.presenter.home(self._view)
        scene = self.presenter.scene(self._view, Selection(cursor=home)) or _NO_MAP
        yield Static("", classes="header", markup=False)
        with Horizontal(id="body"):
            with Vertical(id="left"):
                start = home if home in scene.cells else next(iter(scene.cells))
                the_map = map_of(scene, start, palette)
                self.watch(the_map, "cursor", self._moved, init=False)
                the_map.is_calm = getattr(self.app, "settings", Settings()).reduced_motion
                self._map = the_map
                yield the_map
                with Horizontal(id="bottom"):
                    yield Lines("Log", palette=palette, follow=True, id="log")
                    if self.presenter.dock:
                        yield Lines(self.presenter.dock, palette=palette, id="dock")
            with Vertical(id="right"):
                yield DecisionPanel(id="decision")
                yield Lines(self.presenter.place_word.title(), palette=palette, id="hex")
                yield Lines("Log", palette=palette, follow=True, id="sidelog")
        yield from self.below()
        yield Static("", classes="status", markup=False)
        yield Static(Content(self.KEYS), classes="keys", markup=False)

    def on_resize(self, event: events.Resize) -> None:
        """Give the place under the cursor more lines on a high screen."""
        self.set_class(event.size.height >= _HIGH, "-high")

    def below(self) -> ComposeResult:
        """Compose what stands between the panels and the status line."""
        yield from ()

    @property
    def _palette(self) -> Palette:
        return getattr(self.app, "palette", PALETTES[PaletteName.COLOUR])

    @property
    def map(self) -> AnyMapView:
        """Return the map."""
        return cast("AnyMapView", self.query_one("#map"))

    @property
    def panel(self) -> DecisionPanel:
        """Return the decision panel."""
        return self.query_one("#decision", DecisionPanel)

    def follow(self, settings: Settings, palette: Palette) -> None:
        """Use other preferences."""
        self.map.is_calm = settings.reduced_motion
        self.map.show_palette(palette)
        for lines in self.query(Lines):
            lines.show_palette(palette)

    async def on_unmount(self) -> None:
        """Let go of the game."""
        if self._left_at != self.session.seq:
            self.left = None
        await self.session.close()

    def leave(self) -> None:
        """Draw what is left, before the panels go."""
        if self.is_drawn:
            self.left, self._left_at = self.still(), self.session.seq

    def still(self) -> Drawing | None:
        """Return header and map as anybody may see them, for the curtain; None while there is no map."""
        app, the_map, session = self.app, self._map, self.session
        if the_map is None or not the_map.size or not isinstance(app, PaintingApp):
            return None
        view = session.open_view()
        scene = self.presenter.scene(view, Selection(cursor=the_map.cursor)) or _NO_MAP
        width, height = app.size
        header = clean(self.presenter.header(view, session.open_heading(), ""))[:width]
        left = (width - the_map.size.width) // 2 if self.presenter.has_wide_map else 0
        lines = [(line, left, list(strip)) for line, strip in enumerate(the_map.still(scene), 1)]
        bold = [Segment(header, Style(bold=True))]
        content = app.still([(0, 0, bold), *lines, (height - 1, 0, [Segment(LOADING)])])
        return Drawing((width, height), content)

    # -- showing

    def tell(self, sentence: str) -> None:
        """Show one sentence in the status line."""
        self.query_one(".status", Static).update(safe(sentence), layout=False)
        if self._board is not None:
            self._board.tell(sentence)

    def selection(self) -> Selection:
        """Return what the map marks."""
        return Selection(
            cursor=self.map.cursor,
            overlay=self.overlay,
            options=tuple(self._offered()),
            drafted=self.session.drafted,
            looked=self.looked_at,
        )

    def _offered(self) -> Iterator[Command]:
        for choice in self.panel.shown:
            if not choice.is_aside:
                yield from choice.commands()

    def show_all(self) -> None:
        """Show the session as it stands now."""
        self._view = self.session.view()
        self.show_header()
        self.show_map()
        self.show_hex()
        self.show_log()
        if self.presenter.dock:
            self.query_one("#dock", Lines).show(self.dock_lines())
        if self._board is not None:
            self._board.show()

    def dock_lines(self) -> tuple[str, ...]:
        """Return what stands beside the log."""
        return self.presenter.dock_lines(self._view) or ("nothing",)

    def show_header(self) -> None:
        """Show where the game stands."""
        line = self.presenter.header(self._view, self.session.heading(), self.session.status())
        header = self.query_one(".header", Static)
        content = safe(line, 400)
        if header.visual != content:
            header.update(content, layout=False)

    def show_map(self) -> None:
        """Show the map with its overlay."""
        self.map.show_scene(self.presenter.scene(self._view, self.selection()) or _NO_MAP)

    def show_hex(self) -> None:
        """Show the hex under the cursor."""
        panel = self.query_one("#hex", Lines)
        cursor = self.map.cursor
        title, lines = (
            self.presenter.place_name(cursor),
            self.presenter.hex_lines(self._view, cursor),
        )
        panel.entitle(title)
        panel.show(lines[1:] if lines[:1] == (title,) else lines)

    def log_lines(self) -> list[TonedLine]:
        """Return the log; tried commands are marked."""
        return [_toned(line) for line in folded(self.session.log())]

    def latest_lines(self) -> list[LogLine]:
        """Return the lines of which the panel of the log shows the end."""
        return list(folded(self.session.log()))

    def show_log(self) -> None:
        """Show the end of the log; where it has no panel, the status line counts what is new in it."""
        log = self.latest_lines()
        lines = [_toned(line) for line in log[-_LOG_LINES:]]
        for panel in ("#log", "#sidelog"):
            self.query_one(panel, Lines).show(lines)
        last = lines[-1][0] if lines else ""
        if last == self._last:  # what else the line says stays until the log goes on
            return
        self._last = last
        self._log_length = sum(not line.is_draft for line in log)
        new = self._log_length - self._log_read
        is_counted = new > 1 and not log[-1].is_draft and not self._has_log_panel()
        self.tell(f"l: {new} new | {last}" if is_counted else last)

    def _has_log_panel(self) -> bool:
        """Return whether the size of the screen leaves room for the log."""
        width, height = self.app.size
        if self.presenter.has_wide_map:
            return width >= self.HORIZONTAL_BREAKPOINTS[1][0]
        return height >= self.VERTICAL_BREAKPOINTS[1][0]

    def log_is_read(self) -> None:
        """Count as new in the log what comes from now on."""
        self._log_read = self._log_length

    # -- reading

    def _moved(self) -> None:
        if self.map.has_focus:
            self.aim = self.map.cursor
        self.show_hex()

    def action_overlay(self, name: str) -> None:
        """Show an overlay; the same key takes it away."""
        self.overlay = "" if self.overlay == name else name
        self.show_map()
        names = {overlay: name for _, overlay, name in self.presenter.overlays}
        self.tell(f"Overlay: {names.get(self.overlay, 'none')}")

    def read(self, title: str, lines: Any) -> None:  # noqa: ANN401  (sequences of lines of either kind)
        """Show a page above the table."""
        from tui.screens.page import PageScreen

        self.app.push_screen(PageScreen(title, lines, self._palette))

    def action_hand(self) -> None:
        """Read the hand."""
        self.read(self.presenter.hand_word, self.presenter.hand_lines(self._view))

    def action_log(self) -> None:
        """Read the whole log, newest first, with a line above the last own command."""
        self.log_is_read()
        lines = list(folded(self.session.log()))
        own = self.session.last_own()
        told = sum(line.seq <= own for line in lines)
        page = [_toned(line) for line in lines]
        if 0 < told < len(lines):
            page.insert(told, ("-- above: since your last command --", Tone.LABEL))
        self.read("Log, newest first", page[::-1])

    def action_hex(self) -> None:
        """Read everything about the hex under the cursor."""
        cursor = self.map.cursor
        title = f"{self.presenter.place_word.title()} {self.presenter.place_name(cursor)}"
        self.read(title, self.presenter.hex_lines(self._view, cursor))

    def action_battle(self) -> None:
        """Read the battle that is being fought."""
        lines = list(self.presenter.battle_lines(self._view)) or ["No battle is being fought."]
        latest = [text for text, _ in self.log_lines()[-_LATEST:]]
        self.read("Battle", [*lines, "", "What happened last, with dice and modifiers:", *latest])

    def action_page(self, key: str) -> None:
        """Read one of the presenter's pages."""
        for one, name, lines in self.presenter.pages(self._view):
            if one == key:
                self.read(name, lines)
                return
        self.tell("This game has no such page.")

    # -- boards

    def board(self, key: str) -> Board | None:
        """Return a board as it stands now."""
        return self.presenter.board(self._view, key, self.session.offered())

    def label(self, command: Command) -> str:
        """Return an order in words."""
        return self.presenter.label(self._view, command)

    def plan(self, command: Command) -> tuple[str, ...]:
        """Return what an order would come to."""
        return self.presenter.about(self._view, command, self.aim)[1]

    def do(self, command: Command) -> None:
        """Do what was ordered on a board; a table that only shows does nothing."""
        del command
        self.tell("This table only shows.")

    def action_commit(self) -> Any:  # noqa: ANN401  (a worker, where it does something)
        """Do everything tried for good; a table that only shows has nothing to do."""
        self.tell("This table only shows.")

    def action_undo(self) -> None:
        """Forget the last try; a table that only shows has tried nothing."""
        self.tell("This table only shows.")

    @work
    async def action_board(self, key: str) -> None:
        """Show a board in front of the table until it is left."""
        if self._board is None:
            self._board = BoardScreen(self, key, self._palette)
            try:
                await self.app.push_screen_wait(self._board)
            finally:
                self._board = None

    @work
    async def action_find(self) -> None:
        """Find a hex, unit or card by name."""
        from tui.screens.lookup import FindDialog

        found = await self.app.push_screen_wait(
            FindDialog(lambda words: self.presenter.find(self._view, words))
        )
        if found is None:
            return
        if found.hex_id:
            self.map.point_at(found.hex_id, centre=True)
            self.map.focus()
        if found.text:
            self.app.push_screen(TextDialog(found.title, found.text))

    async def action_rules_here(self) -> None:
        """Open the rule of the present step."""
        rule = self.presenter.rule_of(self.session.decision(), self.map.cursor)
        await self.run_action(f"app.rules({clean(rule)!r})")

    def action_other_panel(self) -> None:
        """Change between map and list."""
        if self.map.has_focus:
            self.panel.rows.focus()
        else:
            self.map.focus()

    def action_zoom(self) -> None:
        """Change the zoom of the map from the list, too."""
        self.map.action_zoom()

    def action_zoom_by(self, steps: int) -> None:
        """Zoom the map in or out from the list, too."""
        self.map.action_zoom_by(steps)

    def action_leave(self) -> None:
        """Go back to the menu; every command done is safe."""
        self.leave()
        self.dismiss()
