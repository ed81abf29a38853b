"""The legend explains every tint and sign that a map can show, with or without background colours."""

import pytest

from engine.cbps.game_data import standard_game_data
from tests.tui.cbps.tables import battle
from tests.tui.plans import SCENARIOS, position
from tui.cbps.map.order_preview import OrderPreview
from tui.cbps.map.scene import OVERLAYS, Ranges, draw_scene
from tui.drawing.capabilities import Depth
from tui.drawing.colour_roles import GroundRole, OverlayRole
from tui.drawing.palette import get_palette
from tui.maps.areamap.scene import AreaScene
from tui.maps.enums import FLOOR_MARKS, HIGHLIGHT_TINTS, TINT_MARKS, Highlight
from tui.maps.hexmap.legend import legend_strips
from tui.maps.hexmap.scene import HexScene
from tui.maps.highlights import with_changed_places, with_step_highlights
from tui.presenter.presenter import NO_OVERLAY, Scene, Selection
from tui.terminal.output_filter import to_ascii

PLACES = {"eots": ("4021", "3706"), "qmg": ("ukraine", "germany"), "cbps": ("1109", "1117")}
HEX_GAMES = [one for one in SCENARIOS if one[0] != "qmg"]
WIDE = 400
SEA = standard_game_data().map
REACH = Ranges(strike_hexes=7, search_hexes=10, raid_hexes=9)


def untold(scene: HexScene) -> tuple[set[OverlayRole], set[GroundRole]]:
    """Return the tints, and the marked floors, that the legend does not explain."""
    cells = scene.cells.values()
    painted = {cell.paint for cell in cells}
    tints = {tint for _, tint in painted if tint is not OverlayRole.NONE}
    below = {fill.tint for cell in cells for fill in cell.fills}
    floors = {floor for floor, tint in painted if tint is OverlayRole.NONE and floor in FLOOR_MARKS}
    return (
        (tints | below) - {one.tint for one in scene.swatches},
        floors - {one.floor for one in scene.swatches if one.tint is OverlayRole.NONE},
    )


def told(scene: HexScene, depth: Depth) -> str:
    """Return the legend as one line."""
    strips = legend_strips(scene, get_palette(depth=depth), WIDE)
    return to_ascii("".join(strip.text for strip in strips))


def scenes(game: str, scenario: str, role: str) -> list[Scene]:
    """Return a map with each overlay, alone, with changes, and with a step of a playback."""
    presenter, view = position(game, scenario, role)
    one, other = PLACES[game]
    found: list[Scene] = []
    for overlay in ("", NO_OVERLAY, *(name for _, name, _ in presenter.overlays)):
        scene = presenter.scene(view, Selection(cursor=one, overlay=overlay))
        assert scene is not None
        found += [
            scene,
            with_changed_places(scene, (one,)),
            with_step_highlights(scene, (one,), ((one, other),), (other,)),
        ]
    return found


@pytest.mark.parametrize(("game", "scenario", "role"), HEX_GAMES)
def test_every_tint_on_a_hex_map_is_explained(game: str, scenario: str, role: str) -> None:
    for scene in scenes(game, scenario, role):
        assert isinstance(scene, HexScene)
        assert untold(scene) == (set(), set())


@pytest.mark.parametrize("overlay", ["", *(name for _, name, _ in OVERLAYS)])
@pytest.mark.parametrize(
    "look", [OrderPreview(), OrderPreview(path=("1109", "1117"), centre="1109")]
)
@pytest.mark.parametrize("depth", [Depth.TRUE, Depth.NONE])
def test_battle_legend_explains_tints_tracks_and_borders(
    overlay: str, look: OrderPreview, depth: Depth
) -> None:
    scene = draw_scene(
        battle(), SEA, overlay=overlay, ranges=REACH, preview=look, targets_offered=("1110",)
    )
    assert untold(scene) == (set(), set())
    words = told(scene, depth)
    names = {one.name for one in scene.swatches} | {one.name for one in scene.tracks}
    names |= {one.name for one in scene.rings} | {one.name for one in scene.edge_marks}
    assert {"invasion zone", "strike radius 7", "may be chosen", "arrival or exit"} <= names
    assert all(name in words for name in names)


def test_each_mark_has_one_meaning() -> None:
    """Searches by zone and narrow searches look alike, because both show searched ground."""
    scene = draw_scene(battle(), SEA, ranges=REACH, targets_offered=("1110",))
    marks = [one.mark[0] for one in scene.swatches if one.name != "narrow search"]
    assert len(set(marks)) == len(marks)


def test_legend_uses_a_second_row_and_truncates_no_name() -> None:
    scene = draw_scene(battle(), SEA, ranges=REACH, targets_offered=("1110",))
    strips = legend_strips(scene, get_palette(depth=Depth.NONE), 80, 2)
    text = " ".join(strip.text for strip in strips)
    assert len(strips) == 2
    assert all(strip.cell_length <= 80 for strip in strips)
    assert all(one.name in text for one in scene.swatches)


def test_every_tint_has_a_mark_for_terminals_without_backgrounds() -> None:
    assert set(TINT_MARKS) == set(OverlayRole)
    assert set(HIGHLIGHT_TINTS) == set(Highlight)


@pytest.mark.parametrize("scenario", ["base", "total-war"])
def test_every_mark_on_an_area_map_is_explained(scenario: str) -> None:
    game, _, role = next(one for one in SCENARIOS if one[:2] == ("qmg", scenario))
    for scene in scenes(game, scenario, role):
        assert isinstance(scene, AreaScene)
        marks = {cell.mark for cell in scene.cells.values()} - {""}
        assert scene.legend or all(f"{mark} " in scene.legend_text for mark in marks)
