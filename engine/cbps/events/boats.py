"""Events about submarines (14)."""

from engine.cbps.events.base import CbpsEvent
from engine.cbps.ids import ForceId


class BoatPlaced(CbpsEvent, frozen=True, kw_only=True, tag="boat-placed"):
    """A US submarine was placed or moved (14.11, 14.12)."""

    boat: str
    hex: str
    why: str = ""
    """Reason: ``setup``, ``move``, or ``follow`` if it moved along with a shadowed force."""


class BoatShadows(CbpsEvent, frozen=True, kw_only=True, tag="boat-shadows"):
    """A US submarine began or stopped shadowing a force (14.15)."""

    boat: str
    force: ForceId = ""


class BoatPinned(CbpsEvent, frozen=True, kw_only=True, tag="boat-pinned"):
    """The number of a US submarine's pin marker changed. 0 means no marker (14.171)."""

    boat: str
    pin: int


class BoatSunk(CbpsEvent, frozen=True, kw_only=True, tag="boat-sunk"):
    """A US submarine was destroyed (14.171)."""

    boat: str
