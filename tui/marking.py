"""Marks and tints laid over a map of either kind: what changed, what a playback is about."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from tui.areamap.scene import AreaScene
from tui.hexmap.elements import Swatch, Track
from tui.hexmap.scene import HexCell, HexScene
from tui.marks import NOTE, Highlight
from tui.tones import Tint, Tone

AnyScene = HexScene | AreaScene
_WORDS: Final = {
    Tint.TARGET: "battle or loss",
    Tint.SELECTED: "shown now",
    Tint.PATH: "way",
    Tint.CHANGED: "changed",
}
"""What the tints of a playback mean."""
_PASSING: Final = frozenset({"highlight", "tag", "tint", "fills", "floor", "is_focus"})
"""Fields that say why a place stands out, and nothing of what is there."""


def differing(before: AnyScene, after: AnyScene) -> frozenset[str]:
    """Return the places in which something else is now: pieces, owners, bases."""
    old = before.cells
    return frozenset(
        place
        for place, cell in after.cells.items()
        if place in old and old[place] is not cell and _content(old[place]) != _content(cell)
    )


def _content(cell: Any) -> tuple[object, ...]:  # noqa: ANN401  (a cell of either kind)
    return tuple(getattr(cell, field) for field in cell.__struct_fields__ if field not in _PASSING)


def changed(scene: AnyScene, places: Iterable[str]) -> AnyScene:
    """Return the scene with places marked in which others changed something; other marks stay above."""
    marked = {
        place: scene.cells[place]
        for place in places
        if place in scene.cells and scene.cells[place].tint is Tint.NONE
    }
    scene = _with_cells(
        scene,
        {
            place: replace(
                cell,
                tint=Tint.CHANGED,
                highlight=cell.highlight
                if cell.highlight is not Highlight.NONE
                else Highlight.CHANGED,
            )
            for place, cell in marked.items()
        },
    )
    return _explained(scene)


def lit(
    scene: AnyScene,
    places: Iterable[str],
    paths: Iterable[tuple[str, ...]] = (),
    targets: Iterable[str] = (),
) -> AnyScene:
    """Return the scene with what a step of a playback is about: lit places, ways, targets."""
    ways = tuple(paths)
    cells: dict[str, Any] = {}
    for highlight, tint, names in (
        (Highlight.PATH, Tint.PATH, (place for way in ways for place in way)),
        (Highlight.SELECTED, Tint.SELECTED, places),
        (Highlight.TARGET, Tint.TARGET, targets),
    ):
        for name in names:
            if name in scene.cells:
                cells[name] = replace(scene.cells[name], highlight=highlight, tint=tint)
    scene = _explained(_with_cells(scene, cells))
    if isinstance(scene, HexScene):
        tracks = tuple(
            Track(hexes=way, mark="*", tone=Tone.TRACK, name=_WORDS[Tint.PATH])
            for way in ways
            if len(way) > 1
        )
        return replace(scene, tracks=(*scene.tracks, *tracks)) if tracks else scene
    return scene


def noted(scene: AnyScene, places: Iterable[str]) -> AnyScene:
    """Return the scene with a quiet sign where the player has written a note."""
    cells: dict[str, Any] = {}
    for place in places:
        cell = scene.cells.get(place)
        if isinstance(cell, HexCell):
            cells[place] = replace(cell, symbols=cell.symbols + NOTE)
        elif cell is not None:
            cells[place] = replace(cell, has_note=True)
    return _with_cells(scene, cells)


def _explained(scene: AnyScene) -> AnyScene:
    """Return the scene with the tints of a playback in its legend; an area map tells its marks without."""
    if isinstance(scene, AreaScene):
        return scene
    named = {swatch.tint for swatch in scene.swatches}
    used = {cell.paint[1] for cell in scene.cells.values()} - named
    told = tuple(Swatch(tint, words) for tint, words in _WORDS.items() if tint in used)
    return replace(scene, swatches=(*told, *scene.swatches)) if told else scene


def _with_cells(scene: AnyScene, cells: Mapping[str, Any]) -> AnyScene:
    return replace(scene, cells={**scene.cells, **cells}) if cells else scene
