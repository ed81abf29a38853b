"""Scrolls the map to the places of a playback step, as little as possible."""

from collections.abc import Iterable

from textual.geometry import Region

from tui.widgets.map_view import AnyMapView


def scroll_into_view(the_map: AnyMapView, places: Iterable[str], covered: int) -> None:
    """Scroll until as many places as possible are visible above the covered lines.

    Args:
        the_map: The map.
        places: Places to show, most important first.
        covered: Number of lines at the bottom of the map that are hidden by a panel.
    """
    boxes = [the_map.box(place) for place in places if the_map.contains(place)]
    width, height = the_map.size.width, the_map.size.height - covered
    if not boxes or width < 1 or height < 1:
        return
    view = Region(*the_map.scroll_offset, width, height)
    wanted = boxes[0]
    for box in boxes[1:]:
        both = wanted.union(box)
        if both.width <= width and both.height <= height:
            wanted = both
    if view.contains_region(wanted):
        return
    x, y = view.x, view.y
    if not (view.x <= wanted.x and wanted.right <= view.right):
        x = max(wanted.x + wanted.width // 2 - width // 2, 0)
    if not (view.y <= wanted.y and wanted.bottom <= view.bottom):
        y = max(wanted.y + wanted.height // 2 - height // 2, 0)
    the_map.scroll_to(x, y, animate=False, force=True)
