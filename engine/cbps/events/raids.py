"""Events about Japanese raids on the map (10, 11, 16, 23)."""

from engine.cbps.events.base import CbpsEvent
from engine.cbps.ids import ForceId, RaidKind
from engine.kernel.structs import always_encoded


class RaidPlaced(CbpsEvent, frozen=True, kw_only=True, tag="raid-placed"):
    """Radar picked up a raid (10.21)."""

    raid: str
    origin: ForceId
    hex: str
    target: str
    points: int
    slot: str = ""
    kind_of: RaidKind = always_encoded("raid")
    is_land: bool = False
    line_from: str = ""
    is_taking_off: bool = False


class RaidMoved(CbpsEvent, frozen=True, kw_only=True, tag="raid-moved"):
    """A raid moved along these hexes (10.23)."""

    raid: str
    hexes: tuple[str, ...]


class RaidTurned(CbpsEvent, frozen=True, kw_only=True, tag="raid-turned"):
    """A raid turned to another target: a group, or Guam (11.28, 23.3, OP-38)."""

    raid: str
    target: str
    is_home: bool = False
    line_from: str = ""
    kind_of: RaidKind | str = ""


class RaidCalledOff(CbpsEvent, frozen=True, kw_only=True, tag="raid-called-off"):
    """A force that was about to attack launched no raid after all (10.1C, 10.1F)."""

    force: ForceId
    why: str
    """Reason: ``unproved`` (no carriers) or ``nothing-left`` (no points)."""


class RaidSplit(CbpsEvent, frozen=True, kw_only=True, tag="raid-split"):
    """A raid's points were divided into fighters and attackers (10.13)."""

    raid: str
    fighters: int
    attackers: int


class RaidReduced(CbpsEvent, frozen=True, kw_only=True, tag="raid-reduced"):
    """A raid lost points in the air or to flak (4.55, 5.51)."""

    raid: str
    fighters: int = 0
    attackers: int = 0
    why: str
    """Cause: ``combat`` or ``flak``."""


class RaidAborted(CbpsEvent, frozen=True, kw_only=True, tag="raid-aborted"):
    """Anti-aircraft fire aborted some of a raid's points, which will not attack (5.51)."""

    raid: str
    points: int


class RaidIntercepted(CbpsEvent, frozen=True, kw_only=True, tag="raid-intercepted"):
    """Interceptors fought a raid during its sortie (5.61)."""

    raid: str


class RaidEnded(CbpsEvent, frozen=True, kw_only=True, tag="raid-ended"):
    """A raid left the map."""

    raid: str
    why: str
    """Reason: ``returns``, ``destroyed``, ``homeless``, ``landed`` or ``over``."""


class PointsDestroyed(CbpsEvent, frozen=True, kw_only=True, tag="points-destroyed"):
    """Raid points got through, or were destroyed without entering any LOST box (Scenarios 1 and 3, 16)."""

    destroyed: int = 0
    naval: int = 0
    """Number of naval points that belonged to a force that has left play (10.33)."""
    through: int = 0
