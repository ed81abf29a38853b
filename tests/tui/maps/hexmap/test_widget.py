"""The map widget: cursor and mouse on rows of pointy-topped hexes that are numbered from the right."""

from typing import ClassVar, Self

import pytest
from msgspec.structs import replace
from textual.app import App, ComposeResult
from textual.geometry import Region, Size
from typing_extensions import override

from tests.tui.maps.hexmap.scenes import operations
from tui.maps.enums import Zoom
from tui.maps.hexmap.geometry import hex_centre
from tui.maps.hexmap.scene import HexScene
from tui.maps.hexmap.widget import HexMapView


class ListeningMap(HexMapView):
    """Records what is repainted."""

    painted: ClassVar[list[tuple[Region, ...]]] = []

    @override
    def refresh(
        self,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> Self:
        self.painted.append(regions)
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)


class Sheet(App[None]):
    """An app with only a map."""

    def __init__(self, scene: HexScene) -> None:
        super().__init__()
        self.map = ListeningMap(scene, "1109")

    @override
    def compose(self) -> ComposeResult:
        yield self.map


async def test_cursor_moves_in_the_direction_of_the_key() -> None:
    sheet = Sheet(operations())
    async with sheet.run_test(size=(80, 24)) as pilot:
        seen = []
        for key in ("right", "down", "left", "up", "L", "H", "K", "J", "L", "L", "L"):
            await pilot.press(key)
            seen.append(sheet.map.cursor)
    steps = ["1108", "1208", "1209", "1109", "1104", "1109", "0609", "1109", "1104", "1101", "1101"]
    assert seen == steps


@pytest.mark.parametrize("is_calm", [False, True])
async def test_legend_never_covers_the_cursor(is_calm: bool) -> None:
    sheet = Sheet(operations())
    async with sheet.run_test(size=(80, 24)) as pilot:
        view = sheet.map
        view.is_calm = is_calm
        cursors = set()
        for _ in range(24):
            await pilot.press("down")
            cursors.add(view.cursor)
            box = view.box(view.cursor).translate(-view.scroll_offset)
            assert box.bottom <= view.size.height - view.legend_height
            assert view.has_in_view(view.cursor)
        last_row = max(place[:2] for place in view.scene.cells)
        assert any(place.startswith(last_row) for place in cursors)


async def test_every_zoom_shows_the_cursor_in_plain_text() -> None:
    sheet = Sheet(operations())
    async with sheet.run_test(size=(80, 24)) as pilot:
        for _ in Zoom:
            await pilot.press("z")
            box = sheet.map.box("1109").translate(-sheet.map.scroll_offset)
            assert sheet.map.size.region.contains_region(box)
            text = sheet.map.render_line(box.bottom - 1).text
            assert (text[box.x], text[box.right - 1]) == ("[", "]")


@pytest.mark.full
async def test_click_selects_the_hex_under_the_mouse() -> None:
    sheet = Sheet(operations())
    async with sheet.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        the_map = sheet.map
        for name in ("1108", "1210", "1009"):
            x, y = hex_centre(the_map.scene, the_map.shape, *the_map.scene.grid.coordinates(name))
            offset = the_map.scroll_offset
            await pilot.click(HexMapView, offset=(x - offset.x, y - offset.y))
            assert the_map.cursor == name


async def test_only_changes_are_repainted_but_everything_after_an_outline_change() -> None:
    scene = operations()
    sheet = Sheet(scene)
    async with sheet.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        sheet.map.painted.clear()
        cells = {**scene.cells, "1109": replace(scene.cells["1109"], counters=())}
        sheet.map.show_scene(replace(scene, cells=cells))
        sheet.map.show_scene(replace(scene, cells=cells, rings=()))
        sizes = [[region.size for region in regions] for regions in sheet.map.painted]
        shape = sheet.map.shape
    assert sizes == [[Size(3 * shape.pitch + 1, shape.height + 2)], []]


async def test_the_legend_never_hides_the_cursor() -> None:
    """The legend takes the bottom lines, so the view scrolls two lines earlier and past the last row of the map."""
    for is_calm in (False, True):
        sheet = Sheet(operations())
        async with sheet.run_test(size=(80, 14)) as pilot:
            sheet.map.is_calm = is_calm
            for _ in range(20):
                await pilot.press("down")
                await pilot.pause()
                box = sheet.map.box(sheet.map.cursor).translate(-sheet.map.scroll_offset)
                assert box.bottom <= sheet.map.size.height - sheet.map.legend_height
                assert sheet.map.has_in_view(sheet.map.cursor)
