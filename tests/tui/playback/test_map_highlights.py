"""Marks over maps of either kind."""

from msgspec.structs import replace

from tests.tui.playback.records import EOTS, QMG, presenter, session
from tui.drawing.colour_roles import OverlayRole
from tui.maps.areamap.draw import draw_map
from tui.maps.areamap.scene import AreaScene
from tui.maps.enums import NOTE, Highlight, Zoom
from tui.maps.hexmap.scene import HexScene
from tui.maps.highlights import (
    changed_place_ids,
    with_changed_places,
    with_note_marks,
    with_step_highlights,
)
from tui.presenter.presenter import Scene, Selection
from tui.terminal.output_filter import to_ascii


def _scene(name: str, role: str, at: int) -> Scene:
    scene = presenter(name).scene(session(name, role, at, 60).view(), Selection())
    assert scene is not None
    return scene


def test_moved_units_change_two_hexes() -> None:
    before, after = _scene(EOTS, "allied", 21), _scene(EOTS, "allied", 22)
    assert changed_place_ids(before, after) == {"3706", "3720"}
    assert changed_place_ids(after, after) == frozenset()


def test_a_built_piece_changes_one_space() -> None:
    before, after = _scene(QMG, "germany", 26), _scene(QMG, "germany", 27)
    assert changed_place_ids(before, after) == {"north_sea"}


def test_highlight_is_not_a_change() -> None:
    scene = _scene(QMG, "germany", 26)
    cell = scene.cells["ukraine"]
    cells = {
        **scene.cells,
        "ukraine": replace(cell, highlight=Highlight.REACH, tint=OverlayRole.REACH, is_focus=True),
    }
    assert changed_place_ids(scene, replace(scene, cells=cells)) == frozenset()


def test_changes_are_marked_with_and_without_colour() -> None:
    for name, role, place in ((EOTS, "allied", "3720"), (QMG, "germany", "ukraine")):
        scene = with_changed_places(_scene(name, role, 18), (place, "nowhere"))
        cell = scene.cells[place]
        assert (cell.tint, cell.highlight.value) == (OverlayRole.CHANGED, "*")


def test_question_highlights_override_change_marks() -> None:
    scene = _scene(QMG, "germany", 26)
    cells = {**scene.cells, "ukraine": replace(scene.cells["ukraine"], tint=OverlayRole.REACH)}
    marked = with_changed_places(replace(scene, cells=cells), ("ukraine",))
    assert marked.cells["ukraine"].tint is OverlayRole.REACH


def test_step_highlights_its_path_and_target() -> None:
    scene = with_step_highlights(
        _scene(EOTS, "allied", 18), ("3720",), (("3706", "3707", "3708"),), ("2813",)
    )
    assert isinstance(scene, HexScene)
    tints = [scene.cells[at].tint for at in ("3720", "3707", "2813")]
    assert tints == [OverlayRole.SELECTED, OverlayRole.PATH, OverlayRole.TARGET]
    assert scene.tracks[-1].hexes == ("3706", "3707", "3708")


def test_note_marks_on_an_area_map_skip_unknown_places() -> None:
    scene = with_note_marks(_scene(QMG, "germany", 26), ("ukraine", "nowhere"))
    assert isinstance(scene, AreaScene)
    lines = ("".join(letter for letter, _ in line) for line in draw_map(scene, Zoom.OVERVIEW, ""))
    assert "".join(lines).count(NOTE) == 1
    assert to_ascii(NOTE) == "&"
