"""Events about searches in flight (8.2, 18)."""

from engine.cbps.events.base import CbpsEvent
from engine.cbps.ids import ForceId, SearchKind, SearchZone
from engine.kernel.structs import always_encoded


class SearchLaunched(
    CbpsEvent, frozen=True, kw_only=True, omit_defaults=False, tag="search-launched"
):
    """A search was launched (8.27)."""

    search: str
    kind_of: SearchKind
    origin: str
    group: str
    bearing: int = 0
    radius: str = ""
    commander: str = always_encoded("us")


class SearchMoved(CbpsEvent, frozen=True, kw_only=True, tag="search-moved"):
    """A search made its move of the Search Segment (8.27, 8.28)."""

    search: str
    hex: str
    passed: tuple[str, ...] = ()
    zone: SearchZone = ""
    """The zone examined after this move. Empty if there is none."""
    skipped: SearchZone = ""
    """A zone that is skipped on the way home because the search shadowed a force there (18.11)."""
    is_back: bool = False
    """True if the search is on its way home after this move."""


class SearchTried(CbpsEvent, frozen=True, kw_only=True, tag="search-tried"):
    """A search tried to find a force (8.331)."""

    search: str
    force: ForceId
    by_night: bool = False
    """True if the search's units searched at night (22.4)."""
    is_left_out: bool = False
    """True if the force is only marked as tried: this search revealed it as half of a double force (7.54)."""


class SearchTurned(CbpsEvent, frozen=True, kw_only=True, tag="search-turned"):
    """A search found carriers and will fly home from its next move on (18.23)."""

    search: str


class SearchShadows(CbpsEvent, frozen=True, kw_only=True, tag="search-shadows"):
    """A search began or stopped shadowing a force (18.1)."""

    search: str
    force: ForceId = ""


class SearchEnded(CbpsEvent, frozen=True, kw_only=True, tag="search-ended"):
    """A search ended (8.28)."""

    search: str
