"""The table: a map in its frame, around one session."""

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
"""Part of the lines that a map above the panels has at most; the same number stands in the style sheet."""


def map_of(scene: Scene, cursor: str, palette: Palette) -> AnyMapView:
    """Return the widget for a kind of map."""
    if isinstance(scene, AreaScene):
        return AreaMap(scene, cursor, palette, id="map")
    return HexMap(scene, cursor, palette, id="map")


class TableScreen(FrameScreen):
    """What every screen around a session shares: the map and what is marked on it."""

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
        """Show a session in the words of its game's presenter."""
        super().__init__(session, presenter)
        self.overlay = ""
        self.is_drawn = False
        """Whether somebody keeps what the table looks like (tui.curtain)."""
        self.opening: Drawing | None = None
        """What the table looked like at the first record of the game."""
        self.left: Drawing | None = None
        """What it looked like when it was left."""
        self._left_at = -1
        for key, overlay, name in presenter.overlays:
            self._bindings.bind(key, f"overlay('{overlay}')", name, show=False)
        for key, name in presenter.page_names:
            self._bindings.bind(key, f"page('{key}')", name, show=False)
        for key, name in presenter.boards:
            self._bindings.bind(key, f"board('{key}')", name, show=False)

    # -- the map

    def make_map(self) -> AnyMapView:
        """Return the map, its cursor where the player looks first."""
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
        """Return the decision panel."""
        return self.query_one("#decision", DecisionPanel)

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
        parts = self.presenter.ribbon(view, session.open_heading(), "")
        header = ribbon_strip(self.presenter.badge, parts, width, self._palette)
        left = (width - the_map.size.width) // 2 if self.presenter.has_wide_map else 0
        lines = [(line, left, list(strip)) for line, strip in enumerate(the_map.still(scene), 1)]
        loading = (height - 1, 0, [Segment(LOADING)])
        content = app.still([(0, 0, list(header)), *lines, loading])
        return Drawing((width, height), content)

    # -- showing

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
            if not choice.is_aside and choice.standing is Standing.OPEN:
                yield from choice.commands()

    def show_all(self) -> None:
        """Show the session as it stands now."""
        self._view = self.session.view()
        self.show_map()
        self.show_panels()
        if self._board is not None:
            self._board.show()

    def staged(self, scene: Scene) -> Scene:
        """Return the map with what is laid over it."""
        return scene

    def show_map(self) -> None:
        """Show the map with its overlay."""
        scene = self.presenter.scene(self.seen_view, self.selection())
        shown = self.staged(scene) if scene is not None else _NO_MAP
        self.map.show_scene(noted(shown, self.noted))
        for sketch in self.query(Minimap):
            sketch.follow_map()
        self.show_step_board()

    def show_step_board(self) -> None:
        """Show the board that the step, the bar or the cursor is about."""
        if self.presenter.has_side_board and Dock.BOARD in self.wanted:
            options = self.session.offered() if self.seen_view is self._view else ()
            looking = replace(self.selection(), options=options)
            self.show_side(self.presenter.side_board(self.seen_view, looking))

    def show_notes(self) -> None:
        """Show notes on the map and in the panel of the place."""
        self.show_map()
        self.show_hex()

    # -- looking

    def _moved(self) -> None:
        if self.map.has_focus and not self.is_playing_back:
            self.aim = self.map.cursor
        self.show_hex()
        self.show_step_board()

    def action_overlay(self, name: str) -> None:
        """Show an overlay; the same key leads back to the one that fits the question."""
        self.overlay = "" if self.overlay == name else name
        self.show_map()
        names = {overlay: name for _, overlay, name in self.presenter.overlays}
        self.tell(f"Overlay: {names.get(self.overlay, 'none' if self.overlay else 'by question')}")

    def action_other_panel(self) -> None:
        """Change between map and list."""
        if self.map.has_focus:
            self.panel.rows.focus()
        else:
            self.map.focus()

    def action_minimap(self) -> None:
        """Move the map on a sketch of the whole theatre, beside it or in front of it."""
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
        """Go back to the map."""
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
