"""Adds marks and tints to a map for changed places, playback steps and notes."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from tui.drawing.colour_roles import OverlayRole, TextRole
from tui.maps.areamap.scene import AreaScene
from tui.maps.enums import NOTE, Highlight
from tui.maps.hexmap.elements import Swatch, Track
from tui.maps.hexmap.scene import HexCell, HexScene

AnyScene = HexScene | AreaScene
_WORDS: Final = {
    OverlayRole.TARGET: "battle or loss",
    OverlayRole.SELECTED: "shown now",
    OverlayRole.PATH: "way",
    OverlayRole.CHANGED: "changed",
}
"""Legend entries for the playback tints."""
_PASSING: Final = frozenset({"highlight", "tag", "tint", "fills", "floor", "is_focus"})
"""Fields that affect only the highlighting of a place, not its contents."""


def changed_place_ids(scene_before: AnyScene, scene_after: AnyScene) -> frozenset[str]:
    """Return the places whose contents, such as pieces, owners or bases, differ between two maps."""
    old_cells = scene_before.cells
    return frozenset(
        place
        for place, cell in scene_after.cells.items()
        if place in old_cells
        and old_cells[place] is not cell
        and _content(old_cells[place]) != _content(cell)
    )


def _content(cell: Any) -> tuple[object, ...]:  # noqa: ANN401  (a cell of either kind)
    return tuple(getattr(cell, field) for field in cell.__struct_fields__ if field not in _PASSING)


def with_changed_places(scene: AnyScene, places: Iterable[str]) -> AnyScene:
    """Mark the places that other players have changed. Existing marks take precedence."""
    marked_places = {
        place: scene.cells[place]
        for place in places
        if place in scene.cells and scene.cells[place].tint is OverlayRole.NONE
    }
    scene = _with_cells(
        scene,
        {
            place: replace(
                cell,
                tint=OverlayRole.CHANGED,
                highlight=cell.highlight
                if cell.highlight is not Highlight.NONE
                else Highlight.CHANGED,
            )
            for place, cell in marked_places.items()
        },
    )
    return _with_playback_legend(scene)


def with_step_highlights(
    scene: AnyScene,
    places: Iterable[str],
    paths: Iterable[tuple[str, ...]] = (),
    targets: Iterable[str] = (),
    target_name: str = _WORDS[OverlayRole.TARGET],
) -> AnyScene:
    """Mark a playback step's places, paths and targets on the map. The legend calls the targets by `target_name`."""
    ways = tuple(paths)
    cells: dict[str, Any] = {}
    for highlight, tint, names in (
        (Highlight.PATH, OverlayRole.PATH, (place for way in ways for place in way)),
        (Highlight.SELECTED, OverlayRole.SELECTED, places),
        (Highlight.TARGET, OverlayRole.TARGET, targets),
    ):
        for name in names:
            if name in scene.cells:
                cells[name] = replace(scene.cells[name], highlight=highlight, tint=tint)
    words = _WORDS | {OverlayRole.TARGET: target_name}
    scene = _with_playback_legend(_with_cells(scene, cells), words)
    if isinstance(scene, HexScene):
        tracks = tuple(
            Track(hexes=way, mark="*", tone=TextRole.TRACK, name=_WORDS[OverlayRole.PATH])
            for way in ways
            if len(way) > 1
        )
        return replace(scene, tracks=(*scene.tracks, *tracks)) if tracks else scene
    return scene


def with_note_marks(scene: AnyScene, places: Iterable[str]) -> AnyScene:
    """Add a small symbol to the places that have a note by the player."""
    cells: dict[str, Any] = {}
    for place in places:
        cell = scene.cells.get(place)
        if isinstance(cell, HexCell):
            cells[place] = replace(cell, symbols=cell.symbols + NOTE)
        elif cell is not None:
            cells[place] = replace(cell, has_note=True)
    return _with_cells(scene, cells)


def _with_playback_legend(scene: AnyScene, words: Mapping[OverlayRole, str] = _WORDS) -> AnyScene:
    """Add the playback tints to a hex map's legend. An area map's legend explains them by default."""
    if isinstance(scene, AreaScene):
        return scene
    legend_tints = {swatch.tint for swatch in scene.swatches}
    used_fills = {cell.paint[1] for cell in scene.cells.values()} - legend_tints
    legend = tuple(Swatch(tint, name) for tint, name in words.items() if tint in used_fills)
    return replace(scene, swatches=(*legend, *scene.swatches)) if legend else scene


def _with_cells(scene: AnyScene, cells: Mapping[str, Any]) -> AnyScene:
    return replace(scene, cells={**scene.cells, **cells}) if cells else scene
