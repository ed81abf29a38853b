"""Battle events (9). Step losses are recorded as unit events, and each roll is also recorded as a die roll."""

import msgspec

from engine.eots.events.base import EotsEvent, RuledEvent
from engine.eots.ids import HexId, Side, UnitId
from engine.kernel.ids import Rule


class BattleModifier(msgspec.Struct, frozen=True):
    """A modifier to a combat roll (9.2-M, 9.4-M)."""

    rule: Rule
    """The rule or card from which the modifier comes."""
    row: str
    """Row in the modifier table: N1 to N5, O1 to O6, R1, B1 to B3, G1."""
    label: str
    value: int


class UnitStrength(msgspec.Struct, frozen=True):
    """The strength that one unit adds to its side's total (9.2A, 9.4A)."""

    unit: UnitId
    """``intrinsic`` represents all intrinsic units in the hex together (13.76, 13.94)."""
    attack: int
    """Attack strength after card modifiers and after halving at extended range."""
    is_extended: bool = False
    """True if the unit is fighting at extended range, which halves its attack strength (9.2A-3)."""


class CombatRoll(EotsEvent, frozen=True, kw_only=True):
    """Base class with the fields of both kinds of combat roll."""

    at: HexId
    side: Side
    strengths: tuple[UnitStrength, ...]
    total: int
    modifiers: tuple[BattleModifier, ...]
    face: int
    modified: int
    """The natural roll plus all modifiers, or plus the final modifier alone if there is one."""
    rating_quarters: int
    """Combat effectiveness in quarters: 4 means 1."""
    hits: int


class BattleBegan(EotsEvent, frozen=True, kw_only=True, tag="battle-began"):
    """A battle began with these units, including escorts outside the hex and targets without strength (9.1)."""

    at: HexId
    units: tuple[UnitId, ...]


class BattleCancelled(RuledEvent, frozen=True, kw_only=True, tag="battle-cancelled"):
    """A battle was cancelled because the Offensive player had no units left in it (7.27, 8.45B)."""

    at: HexId


class AirNavalRolled(CombatRoll, frozen=True, kw_only=True, tag="air-naval-rolled"):
    """A side rolled in the air-naval combat (9.2B)."""

    critical: bool


class GroundRolled(CombatRoll, frozen=True, kw_only=True, tag="ground-rolled"):
    """A side rolled in the ground combat (9.4A)."""


class IntrinsicLost(RuledEvent, frozen=True, kw_only=True, tag="intrinsic-lost"):
    """Intrinsic units were eliminated in a battle for their city (13.76, 13.94)."""

    at: HexId
    count: int


class HitsLost(RuledEvent, frozen=True, kw_only=True, tag="hits-lost"):
    """A side's remaining hits could not remove another step, so they were lost (9.2F-3, 9.4B-4)."""

    at: HexId
    side: Side
    hits: int


class AirNavalDecided(RuledEvent, frozen=True, kw_only=True, tag="air-naval-decided"):
    """The air-naval combat was decided. The totals count only surviving units (9.3)."""

    at: HexId
    winner: Side
    offensive_total: int
    reaction_total: int


class GroundDecided(RuledEvent, frozen=True, kw_only=True, tag="ground-decided"):
    """The ground combat was decided by comparing the step losses of both sides (9.4C)."""

    at: HexId
    winner: Side
    offensive_steps: int
    """Steps lost by the Offensive player."""
    reaction_steps: int
    """Steps lost by the Reaction player, including intrinsic units (OPB-8)."""


class UsForceWipedOut(EotsEvent, frozen=True, kw_only=True, tag="us-force-wiped-out"):
    """An entire Allied attacking force that included a replaceable US division or corps was eliminated (16.45)."""

    at: HexId
