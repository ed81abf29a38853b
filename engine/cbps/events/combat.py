"""Events about surface combat (21)."""

from typing import Literal

from engine.cbps.events.base import CbpsEvent
from engine.kernel.structs import always_encoded

Side = Literal["us", "japan"]


class SurfaceCombatBegan(CbpsEvent, frozen=True, kw_only=True, tag="surface-combat-began"):
    """A surface combat began because ships of both sides met in a hex (21)."""

    hex: str
    mover: Side


class CombatChosen(CbpsEvent, frozen=True, kw_only=True, tag="combat-chosen"):
    """A side chose to accept or to avoid a surface combat (21.11, 21.12)."""

    side: Side
    is_accepted: bool


class AvoidanceRolled(CbpsEvent, frozen=True, kw_only=True, tag="avoidance-rolled"):
    """Both sides rolled to determine whether one of them escapes (21.14)."""

    side: Side
    """The side that tries to avoid combat."""
    die: int
    drm: int = 0
    """The die roll modifier that applies if the side that tries to avoid combat has carriers."""
    against: int
    """Die roll of the side that does not try to avoid combat."""
    is_avoided: bool


class RoundBegan(CbpsEvent, frozen=True, kw_only=True, tag="round-began"):
    """A round of a surface combat began (21.2)."""

    hex: str
    round: int


class ShipFired(CbpsEvent, frozen=True, kw_only=True, tag="ship-fired"):
    """A ship fired at another (21.25)."""

    ship: str
    target: str
    weapon: Literal["guns", "torpedoes"] = always_encoded("guns")
