"""Combat tables, and strengths adjusted for cards, range and landings (9.2A, 9.2F-1, 9.4A, 9.4B).

Supply does not affect combat (9.14).
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from engine.eots.board import board
from engine.eots.cards.modifiers import has_special, strength_change
from engine.eots.ch06_supply.control import intrinsic_strength
from engine.eots.ch09_battle.battle_view import BattleView
from engine.eots.ch09_battle.participants import INTRINSIC, is_landed
from engine.eots.counters import counters
from engine.eots.events.battle import CombatRoll, UnitStrength
from engine.eots.frames import HitsFrame
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.rulings import ER_HALVING
from engine.eots.state import State, current_offensive
from engine.kernel.tables import DieTable

AIR_NAVAL: Final = DieTable((0, 2, 1), (3, 5, 2), (6, 9, 4))
"""Effectiveness of air-naval combat in quarters, by modified roll (9.2-T).

Where the tables and the printed examples differ, the tables are right (OPB-10).
"""
GROUND: Final = DieTable((0, 2, 2), (3, 6, 4), (7, 8, 6), (9, 9, 8))
"""Ground combat effectiveness rating by modified roll, in quarters (9.4-T)."""
QUARTERS: Final = 4


class Volley(msgspec.Struct, frozen=True):
    """A combat roll and the hits to be assigned."""

    rolled: CombatRoll
    hits: HitsFrame


def hits_scored(total: int, rating_quarters: int) -> int:
    """Return the number of hits: strength times rating, rounded up (9.2B, 9.4A)."""
    return -(-total * rating_quarters // QUARTERS)


def half_rounded_up(value: int) -> int:
    """Return half a value, rounded up (1.3)."""
    return -(-value // 2)


def attack_strength(state: State, hex_id: HexId, unit: UnitId) -> UnitStrength:
    """Return the strength that a unit adds. An air unit at extended range adds half its strength (9.2A-3, OPB-2)."""
    counter, piece = counters()[unit], state.units[unit]
    face = counter.strength(piece.steps)
    attack = max(face.attack + strength_change(state, unit).attack, 0)
    is_extended = counter.is_air and board().distance(HexId(piece.at), hex_id) > face.range
    # Under OPB-2's alternative reading, total_strength halves the sum of the strengths instead.
    if is_extended and not ER_HALVING.uses_alternative(state.options):
        attack = half_rounded_up(attack)
    return UnitStrength(unit, attack, is_extended)


def attack_strengths(
    battle: BattleView, units: Iterable[UnitId], intrinsic: int = 0
) -> tuple[UnitStrength, ...]:
    """Return the strength that each unit adds, followed by one entry for all intrinsic units."""
    own_strengths = tuple(attack_strength(battle.state, battle.hex, unit) for unit in units)
    if not intrinsic:
        return own_strengths
    return (*own_strengths, UnitStrength(INTRINSIC, intrinsic * intrinsic_strength(battle.hex)[0]))


def total_strength(state: State, strengths: Iterable[UnitStrength]) -> int:
    """Return a side's total strength.

    Under OPB-2's alternative reading, the sum of extended-range strengths is halved.
    """
    adjacent_strength = distant_strength = 0
    for strength in strengths:
        if strength.is_extended:
            distant_strength += strength.attack
        else:
            adjacent_strength += strength.attack
    return adjacent_strength + (
        half_rounded_up(distant_strength)
        if ER_HALVING.uses_alternative(state.options)
        else distant_strength
    )


def defense_strength(
    state: State, hex_id: HexId, unit: UnitId, *, is_ground: bool, steps: int | None = None
) -> int:
    """Return the number of hits needed to remove one step from a unit (9.2F-1, 9.4B).

    Landed Offensive units defend at half strength against ground combat hits (9.4B-5). J-1 halves the defence of every
    Allied unit.

    Args:
        state: A position with an offensive.
        hex_id: The battle hex.
        unit: A surviving unit, or ``INTRINSIC`` for an intrinsic unit.
        is_ground: True if the hits come from ground combat.
        steps: The unit's number of steps, or None for the current number.
    """
    if unit == INTRINSIC:
        return intrinsic_strength(hex_id)[1]
    counter = counters()[unit]
    face = counter.strength(state.units[unit].steps if steps is None else steps)
    defense = face.defense + strength_change(state, unit).defense
    if is_ground and counter.side is current_offensive(state).side and is_landed(state, unit):
        defense = half_rounded_up(defense)
    if counter.side is Side.ALLIED and has_special(state, "jp01_no_allied_roll_half_defense"):
        defense = half_rounded_up(defense)
    return max(defense, 1)
