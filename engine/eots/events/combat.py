"""What combat rolls say: strengths, modifiers, rating and hits (9.2A-B, 9.4A)."""

import msgspec

from engine.eots.events.base import EotsEvent
from engine.eots.ids import HexId, Side, UnitId
from engine.kernel.ids import Rule


class BattleModifier(msgspec.Struct, frozen=True):
    """One die-roll modifier of a combat roll (9.2-M, 9.4-M)."""

    rule: Rule
    """The rule, or the card that states it."""
    row: str
    """Row of the table of modifiers: N1 to N5, O1 to O6, R1, B1 to B3, G1."""
    label: str
    value: int


class UnitStrength(msgspec.Struct, frozen=True):
    """What one unit adds to the total of its side (9.2A, 9.4A)."""

    unit: UnitId
    """``intrinsic`` for all intrinsic units of the hex together (13.76, 13.94)."""
    attack: int
    """After card modifiers and the halving at extended range."""
    is_extended: bool = False
    """It fights at extended range and is halved (9.2A-3)."""


class CombatRoll(EotsEvent, frozen=True, kw_only=True):
    """What both kinds of combat rolls say."""

    at: HexId
    side: Side
    strengths: tuple[UnitStrength, ...]
    total: int
    modifiers: tuple[BattleModifier, ...]
    face: int
    modified: int
    """The face with its modifiers; where a final modifier rules, with that alone."""
    rating_quarters: int
    """Combat effectiveness rating in quarters: 4 = 1."""
    hits: int
