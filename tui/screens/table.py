"""The screen around one session: a map inside its panels."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace
from rich.segment import Segment
from textual.binding import Binding

from engine.kernel.hexgrid import HexGrid
from engine.kernel.ruleset import Command
from play.choices import Standing
from play.session import Session
from tui.areamap.scene import AreaScene
from tui.areamap.widget import AreaMap
from tui.curtain import LOADING, Drawing
from tui.docks import Dock
from tui.hexmap.minimap import Minimap
from tui.hexmap.scene import Ground, HexCell, scene_of
from tui.hexmap.widget import HexMap
from tui.marking import noted
from tui.painting import PaintingApp
from tui.palette import Palette
from tui.presenter import NO_OVERLAY, Presenter, Scene, Selection
from tui.screens.frame import FrameScreen
from tui.widgets.decision import DecisionPanel
from tui.widgets.mapview import AnyMapView
from tui.widgets.ribbon import ribbon_strip

_NO_MAP: Final = scene_of(HexGrid(), {"0101": HexCell(id="0101", ground=Ground.VOID)})
MAP_SHARE: Final = 0.7
"""Maximum share of the lines for a map above the panels; the style sheet uses the same number."""


def map_of(scene: Scene, cursor: str, palette: Palette) -> AnyMapView:
    """Create the widget for a kind of map."""
    if isinstance(scene, AreaScene):
        return AreaMap(scene, cursor, palette, id="map")
    return HexMap(scene, cursor, palette, id="map")


class TableScreen(FrameScreen):
    """The map and its highlights, shared by every screen around a session."""

    BINDINGS = [
        Binding("x", f"overlay('{NO_OVERLAY}')", "No overlay", show=False),
        Binding("h", "hand", "Hand"),
        Binding("l", "log", "Log"),
        Binding("b", "battle", "Battle board", show=False),
        Binding("e", "hex", "Everything about the place", show=False),
        Binding("slash", "find", "Find", show=False),
        Binding("f1", "rules_here", "Rules of this step", show=False),
        Binding("tab", "other_panel", "Map or list", show=False),
        Binding("m", "minimap", "Whole theatre", show=False),
        Binding("z", "zoom", "Next zoom", show=False),
        Binding("plus,equals_sign", "zoom_by(1)", "Zoom in", show=False),
        Binding("minus", "zoom_by(-1)", "Zoom out", show=False),
        Binding("q", "leave", "Leave to the menu", show=False),
        Binding("o", "forecast", "Forecast: what a battle would come to", show=False),
    ]

    def __init__(self, session: Session, presenter: Presenter) -> None:
        """Create the screen, with the keys for the game's overlays, pages and boards."""
        super().__init__(session, presenter)
        self.overlay = ""
        self.is_drawn = False
        """Whether pictures of this screen are kept for the next start (tui.curtain)."""
        self.opening: Drawing | None = None
        """Picture of the screen at the start of the game."""
        self.left: Drawing | None = None
        """Picture of the screen when the player left."""
        self._left_at = -1
        for key, overlay, name in presenter.overlays:
            self._bindings.bind(key, f"overlay('{overlay}')", name, show=False)
        for key, name in presenter.page_names:
            self._bindings.bind(key, f"page('{key}')", name, show=False)
        for key, name in presenter.boards:
            self._bindings.bind(key, f"board('{key}')", name, show=False)

    # -- the map

    def make_map(self) -> AnyMapView:
        """Create the map with its cursor on the home place."""
        home = self.presenter.home(self._view)
        scene = self.presenter.scene(self._view, Selection(cursor=home)) or _NO_MAP
        start = home if home in scene.cells else next(iter(scene.cells))
        the_map = map_of(scene, start, self._palette)
        self.watch(the_map, "cursor", self._moved, init=False)
        the_map.is_calm = self.settings.reduced_motion
        self._map = the_map
        return the_map

    @property
    def panel(self) -> DecisionPanel:
        """The decision panel."""
        return self.query_one("#decision", DecisionPanel)

    async def on_unmount(self) -> None:
        """Close the session."""
        # a picture drawn before the last record is outdated
        if self._left_at != self.session.seq:
            self.left = None
        await self.session.close()

    def leave(self) -> None:
        """Take a picture of the screen while its panels still exist."""
        if self.is_drawn:
            self.left, self._left_at = self.still(), self.session.seq

    def still(self) -> Drawing | None:
        """Draw header and map without hidden information, for the startup picture; None if there is no map yet."""
        app, the_map, session = self.app, self._map, self.session
        if the_map is None or not the_map.size or not isinstance(app, PaintingApp):
            return None
        view = session.open_view()
        scene = self.presenter.scene(view, Selection(cursor=the_map.cursor)) or _NO_MAP
        width, height = app.size
        parts = self.presenter.ribbon(view, session.open_heading(), "")
        header = ribbon_strip(self.presenter.badge, parts, width, self._palette)
        left = (width - the_map.size.width) // 2 if self.presenter.has_wide_map else 0
        lines = [(line, left, list(strip)) for line, strip in enumerate(the_map.still(scene), 1)]
        loading = (height - 1, 0, [Segment(LOADING)])
        content = app.still([(0, 0, list(header)), *lines, loading])
        return Drawing((width, height), content)

    # -- updates

    def selection(self) -> Selection:
        """Return what is to be highlighted on the map."""
        return Selection(
            cursor=self.map.cursor,
            overlay=self.overlay,
            options=tuple(self._offered()),
            drafted=self.session.drafted,
            looked=self.looked_at,
        )

    def _offered(self) -> Iterator[Command]:
        for choice in self.panel.shown:
            if not choice.is_aside and choice.standing is Standing.OPEN:
                yield from choice.commands()

    def show_all(self) -> None:
        """Redraw everything for the current state of the session."""
        self._view = self.session.view()
        self.show_map()
        self.show_panels()
        if self._board is not None:
            self._board.show()

    def staged(self, scene: Scene) -> Scene:
        """Return the map with anything drawn over it; derived screens add to it."""
        return scene

    def show_map(self) -> None:
        """Redraw the map with its overlay and notes."""
        scene = self.presenter.scene(self.seen_view, self.selection())
        shown = self.staged(scene) if scene is not None else _NO_MAP
        self.map.show_scene(noted(shown, self.noted))
        for sketch in self.query(Minimap):
            sketch.follow_map()
        self.show_step_board()

    def show_step_board(self) -> None:
        """Show the board for the current step, the highlighted line or the cursor."""
        if self.presenter.has_side_board and Dock.BOARD in self.wanted:
            options = self.session.offered() if self.seen_view is self._view else ()
            looking = replace(self.selection(), options=options)
            self.show_side(self.presenter.side_board(self.seen_view, looking))

    def show_notes(self) -> None:
        """Show changed notes on the map and in the place panel."""
        self.show_map()
        self.show_hex()

    # -- navigation

    def _moved(self) -> None:
        if self.map.has_focus and not self.is_playing_back:
            self.aim = self.map.cursor
        self.show_hex()
        self.show_step_board()

    def action_overlay(self, name: str) -> None:
        """Switch to an overlay; choosing it again returns to the one that suits the question."""
        self.overlay = "" if self.overlay == name else name
        self.show_map()
        names = {overlay: name for _, overlay, name in self.presenter.overlays}
        self.tell(f"Overlay: {names.get(self.overlay, 'none' if self.overlay else 'by question')}")

    def action_other_panel(self) -> None:
        """Move the focus between map and list."""
        if self.map.has_focus:
            self.panel.rows.focus()
        else:
            self.map.focus()

    def action_minimap(self) -> None:
        """Scroll the map with the minimap: the docked one, or a dialog."""
        the_map = self.map
        docked = next(iter(self.query(Minimap)), None)
        if docked is not None and docked.display:
            docked.focus()
        elif isinstance(the_map, HexMap):
            from tui.screens.theatre import TheatreDialog

            self.app.push_screen(TheatreDialog(the_map, self._palette, is_ascii=self.is_ascii))
        else:
            self.tell("The map shows everything already.")

    def on_minimap_left(self) -> None:
        """Return the focus to the map."""
        self.map.focus()

    def action_zoom(self) -> None:
        """Zoom the map, even while the list has the focus."""
        self.map.action_zoom()

    def action_zoom_by(self, steps: int) -> None:
        """Zoom the map in or out, even while the list has the focus."""
        self.map.action_zoom_by(steps)

    def action_leave(self) -> None:
        """Return to the menu; every committed command is already saved."""
        self.leave()
        self.dismiss()
