"""Which panels stand around a map: what a size has room for, and what the player wants there."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Dock(StrEnum):
    """A panel that can be shown or not."""

    STEPS = "steps"
    """Where the game is in its sequence."""
    PLACE = "place"
    """What is under the cursor."""
    LOG = "log"
    HAND = "hand"
    """The hand as cards."""
    MINIMAP = "minimap"
    NEWS = "news"
    """What a game keeps in sight: its presenter's `dock`."""
    BOARD = "board"
    """The board that the present step is about."""
    TRACKS = "tracks"
    """The pages of the game: tracks, pools, charts."""
    BATTLE = "battle"
    """The battle that is being fought."""


Chosen = Mapping[str, Mapping[str, bool]]
"""What the player has switched, by the name of the size."""
_SIZES: Final = (
    ("200x60", 190, 54),
    ("160x46", 150, 42),
    ("120x40", 110, 34),
    ("80x24", 0, 0),
)
"""Names with the columns and lines from which they hold."""
_USUAL: Final = {
    "80x24": frozenset({Dock.PLACE}),
    "120x40": frozenset({Dock.STEPS, Dock.PLACE, Dock.LOG, Dock.MINIMAP, Dock.NEWS}),
    "160x46": frozenset(Dock) - {Dock.TRACKS, Dock.BATTLE},
    "200x60": frozenset(Dock),
}
_GIVING_WAY: Final = {
    "120x40": frozenset({Dock.MINIMAP, Dock.LOG}),
    "160x46": frozenset({Dock.LOG}),
}
"""What has no room beside news."""


def size_name(width: int, height: int) -> str:
    """Return by which of the sizes a terminal is laid out."""
    return next(name for name, columns, lines in _SIZES if width >= columns and height >= lines)


def _usual(size: str, *, has_news: bool) -> frozenset[Dock]:
    """Return what a size has room for; news stand in place of the log, where room is scarce of the minimap, too."""
    usual = _USUAL[size]
    return usual - _GIVING_WAY.get(size, frozenset()) if has_news else usual


def docks(width: int, height: int, chosen: Chosen, *, has_news: bool = False) -> frozenset[Dock]:
    """Return what to show on a terminal of this size.

    Args:
        width: Its columns.
        height: Its lines.
        chosen: What the player has switched.
        has_news: The game has something to keep in sight.
    """
    size = size_name(width, height)
    here, usual = chosen.get(size, {}), _usual(size, has_news=has_news)
    return frozenset(dock for dock in Dock if here.get(dock, dock in usual))


def switched(
    width: int, height: int, chosen: Chosen, dock: Dock, *, has_news: bool = False
) -> dict[str, dict[str, bool]]:
    """Return the player's choices with one panel switched on or off at this size."""
    size = size_name(width, height)
    sizes = {name: dict(entries) for name, entries in chosen.items()}
    here = sizes.setdefault(size, {})
    is_shown = dock not in docks(width, height, chosen, has_news=has_news)
    if is_shown is (dock in _usual(size, has_news=has_news)):
        here.pop(dock, None)
    else:
        here[dock.value] = is_shown
    return {name: entries for name, entries in sizes.items() if entries}
