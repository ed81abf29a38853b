"""The panels shown around a map: the defaults for each screen size, and the player's own choices."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Dock(StrEnum):
    """A panel that can be shown or hidden."""

    STEPS = "steps"
    """The sequence of play."""
    PLACE = "place"
    """The place under the cursor."""
    LOG = "log"
    HAND = "hand"
    """The hand as cards."""
    MINIMAP = "minimap"
    NEWS = "news"
    """The panel that a game defines through the `dock` attribute of its presenter."""
    BOARD = "board"
    """The board for the current step."""
    TRACKS = "tracks"
    """The game's pages: tracks, pools and charts."""
    BATTLE = "battle"
    """The current battle."""


Chosen = Mapping[str, Mapping[str, bool]]
"""For each screen-size name, the panels that the player has switched on (True) or off (False)."""
_SIZES: Final = (
    ("200x60", 190, 54),
    ("160x46", 150, 42),
    ("120x40", 110, 34),
    ("80x24", 0, 0),
)
"""Names of the screen sizes, largest first, with their minimum number of columns and lines."""
_DEFAULT_PANELS: Final = {
    "80x24": frozenset({Dock.PLACE}),
    "120x40": frozenset({Dock.STEPS, Dock.PLACE, Dock.LOG, Dock.MINIMAP, Dock.NEWS}),
    "160x46": frozenset(Dock) - {Dock.TRACKS, Dock.BATTLE},
    "200x60": frozenset(Dock),
}
_REPLACED_BY_NEWS: Final = {
    "120x40": frozenset({Dock.MINIMAP, Dock.LOG}),
    "160x46": frozenset({Dock.LOG}),
}
"""Panels hidden to make room for the news panel, by screen-size name."""


def size_name(width: int, height: int) -> str:
    """Return the name of the screen size for a terminal."""
    return next(name for name, columns, lines in _SIZES if width >= columns and height >= lines)


def _default_panels(size: str, *, has_news: bool) -> frozenset[Dock]:
    """Return the default panels for a screen size. If space is tight, the news panel replaces other panels."""
    usual_panels = _DEFAULT_PANELS[size]
    return usual_panels - _REPLACED_BY_NEWS.get(size, frozenset()) if has_news else usual_panels


def visible_panels(
    width: int, height: int, chosen: Chosen, *, has_news: bool = False
) -> frozenset[Dock]:
    """Return the panels to show on a terminal.

    Args:
        width: Terminal width in columns.
        height: Terminal height in lines.
        chosen: The player's choices.
        has_news: True if the game has a news panel.
    """
    size = size_name(width, height)
    chosen_panels, usual_panels = chosen.get(size, {}), _default_panels(size, has_news=has_news)
    return frozenset(dock for dock in Dock if chosen_panels.get(dock, dock in usual_panels))


def with_panel_toggled(
    width: int, height: int, chosen_panels: Chosen, dock: Dock, *, has_news: bool = False
) -> dict[str, dict[str, bool]]:
    """Return the player's choices with one panel switched on or off at this screen size."""
    size = size_name(width, height)
    sizes = {name: dict(entries) for name, entries in chosen_panels.items()}
    panels_of_size = sizes.setdefault(size, {})
    is_shown = dock not in visible_panels(width, height, chosen_panels, has_news=has_news)
    if is_shown is (dock in _default_panels(size, has_news=has_news)):
        panels_of_size.pop(dock, None)
    else:
        panels_of_size[dock.value] = is_shown
    return {name: entries for name, entries in sizes.items() if entries}
