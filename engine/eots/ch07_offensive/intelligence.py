"""Steps 6 and 7: special reaction and the intelligence condition (7.25, 7.27)."""

from typing import Final

from engine.eots.board import board
from engine.eots.cards.conditions import is_condition_met
from engine.eots.cards.modifiers import effects_in_force
from engine.eots.ch06_supply.control import controls, is_vacant_for
from engine.eots.ch06_supply.paths import is_in_command_range
from engine.eots.ch06_supply.supply import supply
from engine.eots.ch06_supply.zoi import zoi
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.deck_offensive import DieMod
from engine.eots.flow import EotsRun
from engine.eots.ids import AreaId, HexId, Side
from engine.eots.rulings import SR_HQ
from engine.eots.state import State, current_offensive
from engine.kernel.ids import Rule

ALWAYS_FAILS: Final = 9
"""The unmodified roll that always fails (7.25E)."""
ZOI_MODIFIER: Final = -2
CONDITION_SETTING_CLASSES: Final = frozenset({"intelligence", "counter_offensive"})
"""Classes of reaction cards that are played instead of rolling (7.25C)."""
CONTINENTAL_INDIA: Final = AreaId("continental-india")


def intelligence_modifier(state: State, side: Side) -> int:
    """Return the modifier to the Reaction player's intelligence roll (7.25E, J-12)."""
    offensive = current_offensive(state)
    total = ZOI_MODIFIER if offensive.touched_zoi else 0
    for name, step in effects_in_force(state):
        if (
            isinstance(step, DieMod)
            and step.combat == "intelligence"
            and step.side is side
            and (step.only_if is None or is_condition_met(state, step.only_if, cards()[name].side))
        ):
            total += step.mod
    return total


def roll_intelligence(run: EotsRun, target: int, purpose: str, subject: str) -> bool:
    """Roll for intelligence, and return whether the Reaction player succeeds.

    The roll succeeds if the modified result is at most the target number. A natural 9 always fails (7.25D, E).
    """
    side = current_offensive(run.state).side.enemy
    modifier = intelligence_modifier(run.state, side)
    rule = Rule("7.25")
    if purpose == "special-reaction":
        rule = Rule("7.27")
        modifier = special_modifier(run.state, side)
    face = run.roll(rule, side, purpose, modifier=modifier, subject=subject, needed_face=target)
    return is_success(face, modifier, target)


def is_success(face: int, modifier: int, target: int) -> bool:
    """Return whether a roll succeeds against a target number (7.25D, E)."""
    return face != ALWAYS_FAILS and face + modifier <= target


def special_modifier(state: State, side: Side) -> int:
    """Return the modifier to a special reaction roll (7.27).

    It always includes the -2 that 7.25E gives for a detected unit.
    """
    # If a unit was detected in an enemy zone, the general modifier already contains the -2, which
    # counts only once.
    zoi_modifier = 0 if current_offensive(state).touched_zoi else ZOI_MODIFIER
    return intelligence_modifier(state, side) + zoi_modifier


def special_candidates(state: State) -> tuple[HexId, ...]:
    """Return the hexes where a special reaction roll is allowed but has not been made, in hex order (7.27)."""
    offensive = current_offensive(state)
    if offensive.special_iv is None:
        return ()
    landed_hexes_found = {
        HexId(state.units[unit].at)
        for unit, move in offensive.moved.items()
        if unit in offensive.activated
        and move.mode.is_landing
        and counters()[unit].is_ground
        and state.units[unit].is_on_map
    }
    return tuple(
        hex_id
        for hex_id in sorted(landed_hexes_found)
        if hex_id not in offensive.specials_tried and is_candidate(state, hex_id)
    )


def is_candidate(state: State, hex_id: HexId) -> bool:
    """Return whether a special reaction roll against a landing in a hex is allowed (7.27)."""
    offensive = current_offensive(state)
    side = offensive.side.enemy
    if hex_id in offensive.battles or not board().hexes[hex_id].is_named_location:
        return False
    if side is Side.JAPAN and hex_id in board().areas[CONTINENTAL_INDIA].hexes:
        return False
    if not controls(state, side, hex_id) or not is_vacant_for(state, side, hex_id):
        return False
    # By default, any supplied HQ with this hex in range is enough (OP-22). Under the alternative
    # reading, a single HQ must have all the hexes in range.
    hexes_in_range = (
        (hex_id, *offensive.specials_tried) if SR_HQ.uses_alternative(state.options) else (hex_id,)
    )
    hqs = supply(state).supplied_hqs(side)
    if not any(all(is_in_command_range(state, hq, unit) for unit in hexes_in_range) for hq in hqs):
        return False
    return zoi(state).covers(side, board().index[hex_id])


def can_roll(state: State) -> bool:
    """Return whether the intelligence roll, which is made only once, can still be made (7.25C)."""
    offensive = current_offensive(state)
    return (
        not offensive.rolled
        and not any(
            cards()[card].reaction_class in CONDITION_SETTING_CLASSES
            for card in offensive.reaction.events
        )
        and offensive.iv is not None
        and not offensive.locked
        and bool(offensive.battles)
    )
