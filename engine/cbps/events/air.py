"""Events about US air units and missions (4, 6.2)."""

from engine.cbps.events.base import CbpsEvent
from engine.cbps.ids import ForceId, Kind, Place
from engine.kernel.structs import always_encoded


class UnitMoved(CbpsEvent, frozen=True, kw_only=True, tag="unit-moved"):
    """An air unit moved to a box, mission or search, or left the game without counting as lost."""

    unit: str
    place: Place
    at: str = ""
    """Name of a carrier, mission or search. Empty if the unit left the game."""
    why: str = ""
    """Reason, such as ``launch``, ``lower``, ``land``, ``split``, ``divert``, ``leave``, ``home`` or ``setup``."""
    by_night: bool = False
    """True if the unit was launched at night (22.4)."""


class UnitLost(CbpsEvent, frozen=True, kw_only=True, tag="unit-lost"):
    """An air unit was eliminated (15.1)."""

    unit: str
    is_at_group: bool
    """True if the unit was in a hex with a US task group."""
    why: str
    """Cause: ``combat``, ``flak``, ``fuel``, ``landing``, ``no-room``, ``overboard``, ``damage`` or ``sunk``."""


class UnitAborted(CbpsEvent, frozen=True, kw_only=True, tag="unit-aborted"):
    """An air unit will take no part in its strike's attack (4.57, 5.51)."""

    unit: str


class MissionFormed(
    CbpsEvent, frozen=True, kw_only=True, omit_defaults=False, tag="mission-formed"
):
    """An air mission was formed by launch (4.14, 4.33) or by a split (4.37)."""

    mission: str
    kind_of: Kind
    hex: str = ""
    cap: str = ""
    fuel: int = 0
    groups: tuple[str, ...] = ()
    parent: str = ""
    """The mission that was split, whose flags the new one inherits. Empty for a mission formed by launch."""
    commander: str = always_encoded("us")


class MissionJoined(CbpsEvent, frozen=True, kw_only=True, tag="mission-joined"):
    """A newly launched unit joined a mission, which may have lowered the mission's fuel (4.14)."""

    mission: str
    fuel: int
    group: str


class CapDeployed(CbpsEvent, frozen=True, kw_only=True, tag="cap-deployed"):
    """A CAP mission was put on the map (4.34)."""

    mission: str
    hex: str
    fuel: int


class MissionMoved(CbpsEvent, frozen=True, kw_only=True, tag="mission-moved"):
    """A mission entered a hex (4.4)."""

    mission: str
    hex: str
    why: str = ""
    """``launch`` for a launch move, ``wrong-target`` for a redirected strike (5.25), or empty for a normal move."""
    toward: tuple[ForceId, ...] = ()
    """The possible targets that the move approaches (4.22)."""


class FuelSpent(CbpsEvent, frozen=True, kw_only=True, tag="fuel-spent"):
    """A mission spent fuel, or its Fuel Critical marker moved up (4.43, 4.44)."""

    mission: str
    points: int
    why: str
    """Purpose: ``move``, ``wait``, ``second-hex``, ``combat``, ``contact`` or ``attack``."""


class MissionFlipped(CbpsEvent, frozen=True, kw_only=True, tag="mission-flipped"):
    """A strike was flipped because it has no contact attempts left (5.21)."""

    mission: str


class AttemptMade(CbpsEvent, frozen=True, kw_only=True, tag="attempt-made"):
    """A strike used a contact attempt (5.2)."""

    mission: str
    target: ForceId


class MissionFought(CbpsEvent, frozen=True, kw_only=True, tag="mission-fought"):
    """A mission fought in the air (4.51, 4.53)."""

    mission: str
    against: ForceId


class MissionEnded(CbpsEvent, frozen=True, kw_only=True, tag="mission-ended"):
    """A mission ended because it has no units left, which frees its display (4.13)."""

    mission: str
