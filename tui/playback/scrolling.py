"""Scrolls the map as little as possible to show the places of a playback step."""

from collections.abc import Iterable

from textual.geometry import Region

from tui.maps.map_view import AnyMapView


def scroll_into_view(map_view: AnyMapView, places: Iterable[str], covered_lines: int) -> None:
    """Scroll so that as many places as possible are visible above the covered lines.

    Args:
        map_view: The map.
        places: Places to show, most important first.
        covered_lines: Number of lines at the bottom of the map that are hidden by a panel.
    """
    boxes = [map_view.box(place) for place in places if map_view.contains(place)]
    covered_lines = max(covered_lines, map_view.legend_height)
    width, height = map_view.size.width, map_view.size.height - covered_lines
    if not boxes or width < 1 or height < 1:
        return
    view = Region(*map_view.scroll_offset, width, height)
    target = boxes[0]
    for box in boxes[1:]:
        joint_region = target.union(box)
        if joint_region.width <= width and joint_region.height <= height:
            target = joint_region
    if view.contains_region(target):
        return
    x, y = view.x, view.y
    if not (view.x <= target.x and target.right <= view.right):
        x = max(target.x + target.width // 2 - width // 2, 0)
    if not (view.y <= target.y and target.bottom <= view.bottom):
        y = max(target.y + target.height // 2 - height // 2, 0)
    map_view.scroll_to(x, y, animate=False, force=True)
