"""Values the steps of an offensive with hand-tuned numbers: moves, commitments and hits (7.23-7.26, 8, 9)."""

from collections.abc import Mapping
from typing import Final

from engine.bots.greedy_eots_places import base_value, is_beside_enemy
from engine.bots.greedy_eots_plan import OffensivePlan, PlannedTarget
from engine.bots.greedy_eots_reach import battle_range
from engine.bots.greedy_eots_situation import EotsSituation, attack_strength
from engine.bots.greedy_eots_stakes import unit_hexes
from engine.eots import commands as orders
from engine.eots.board import board
from engine.eots.counters import counters
from engine.eots.frames import MovementFrame, Purpose, StackFrame
from engine.eots.ids import HexId, UnitId

LAST_RESORT: Final = -1_000
"""Value of options that are chosen only as a last resort."""
NO_DISTANCE: Final = 99
JOIN_STACK: Final = 60
ENTER_GOAL: Final = 50
CARRIER_PLACES: Final[Mapping[int, int]] = {0: 20, 1: 32, 2: 34}
"""Value of a carrier's position, by distance from the battle in hexes. Carriers can fight from nearby hexes (9.11)."""
STAY_BONUS: Final = 2
"""Value added to the current base. A unit moves only to a base that is worth more than the sum."""
REACTION_RATIO: Final = 60
"""Minimum strength of a side that reacts, in percent of the enemy strength (7.26)."""


def pick_value(
    situation: EotsSituation, plan: OffensivePlan | None, frame: MovementFrame, unit: UnitId
) -> int:
    """Return a unit's move priority (7.23, 6.4).

    The order is: carriers that clear the way, troops, other carriers, other ships, aircraft.
    """
    counter = counters()[unit]
    if frame.purpose is Purpose.POST_BATTLE:
        return 2
    goal = None if plan is None else plan.goal_for(unit)
    if frame.purpose is Purpose.OFFENSIVE and goal is None:
        return 0
    if counter.is_ground:
        return 30
    if counter.carrier:
        clears_hex = goal is not None and goal.is_battle and situation.is_in_enemy_zone(goal.target)
        return 40 if clears_hex and goal is not None and unit in goal.strikers else 20
    return 15 if counter.is_naval else 10


def stack_move_value(
    situation: EotsSituation,
    plan: OffensivePlan | None,
    frame: StackFrame,
    order: orders.EotsCommand,
) -> int:
    """Return the value of a step by a moving stack (7.23, 8)."""
    goal = None if plan is None else plan.goal_for(frame.units[0])
    is_after_battle = frame.purpose is Purpose.POST_BATTLE
    match order:
        case orders.Enlist(unit=unit):
            return _enlist_value(goal, frame, unit)
        case orders.OrganicAssault(to=destination):
            return _ground_value(situation, plan, goal, destination) + 2
        case (
            orders.Assault(to=destination)
            | orders.BargeAssault(to=destination)
            | orders.March(to=destination)
        ):
            return _ground_value(situation, plan, goal, destination)
        case orders.Sail(to=destination) | orders.Fly(to=destination) if is_after_battle:
            return base_value(situation, frame.units[0], destination)
        case orders.Sail(to=destination):
            return _sea_value(situation, goal, frame, destination)
        case orders.Fly(to=destination):
            return _air_value(situation, goal, frame, destination)
        case orders.Halt() if is_after_battle:
            return base_value(situation, frame.units[0], frame.at) + STAY_BONUS
        case orders.Halt():
            return _halt_value(situation, frame)
        case orders.Drop() if is_after_battle:
            return base_value(situation, frame.units[0], frame.at) + STAY_BONUS
        case orders.Drop():
            return 1
        case _:
            return 0


def _enlist_value(goal: PlannedTarget | None, frame: StackFrame, unit: UnitId) -> int:
    """Return the value of adding a unit to a stack.

    Troops with the same goal and their escort land together (8.45B).
    """
    if goal is None or frame.purpose is not Purpose.OFFENSIVE or not goal.asp:
        return 0
    leads_assault = frame.units[0] in goal.troops
    return JOIN_STACK if leads_assault and unit in (*goal.troops, *goal.escorts) else 0


def _ground_value(
    situation: EotsSituation,
    plan: OffensivePlan | None,
    goal: PlannedTarget | None,
    destination: HexId,
) -> int:
    """Return the value of a ground unit's move into its goal, or into an empty hex that is not any unit's goal."""
    if goal is not None and destination == goal.target:
        return ENTER_GOAL
    if plan is None or any(destination == planned_goal.target for planned_goal in plan.goals):
        return 0
    is_free = situation.capture_value(destination) and not (
        situation.enemy_units(destination)
        or situation.garrison(destination)
        or situation.friendly_units(destination)
    )
    return 13 + situation.capture_value(destination) if is_free else 0


def _halt_value(situation: EotsSituation, frame: StackFrame) -> int:
    """Return the value of ending a march in the stack's hex.

    The value is high if the hex needs a unit (8.42, 17.10.7).
    """
    is_needed = frame.at in unit_hexes(situation.view.scenario, situation.side)
    return ENTER_GOAL if is_needed else 12


def _goal_hexes(
    situation: EotsSituation, goal: PlannedTarget | None, frame: StackFrame
) -> tuple[HexId, ...]:
    """Return the hexes where a stack should fight.

    In an offensive, this is the stack's goal. In a reaction, these are the declared battle hexes.
    """
    if frame.purpose is Purpose.OFFENSIVE:
        return () if goal is None else (goal.target,)
    offensive = situation.view.offensive
    return () if offensive is None else tuple(sorted(offensive.battles))


def _sea_value(
    situation: EotsSituation, goal: PlannedTarget | None, frame: StackFrame, destination: HexId
) -> int:
    """Return the value of a move by ships into the battle hex. Carriers may instead move to a nearby hex."""
    goals = _goal_hexes(situation, goal, frame)
    if not goals:
        return 0
    distance = min(board().distance(destination, hex_id) for hex_id in goals)
    if any(counters()[unit].carrier for unit in frame.units):
        return CARRIER_PLACES.get(distance, 0)
    return 40 if distance == 0 else 0


def _air_value(
    situation: EotsSituation, goal: PlannedTarget | None, frame: StackFrame, destination: str
) -> int:
    """Return the value of moving an air unit to a place within reach of the battle.

    Return 0 if the unit can already fight.
    """
    goals = _goal_hexes(situation, goal, frame)
    if not goals or destination not in board().index:
        return 0
    max_distance = battle_range(situation.units[frame.units[0]])
    distance_before = NO_DISTANCE
    if frame.at in board().index:
        distance_before = min(board().distance(HexId(frame.at), hex_id) for hex_id in goals)
    distance_after = min(board().distance(HexId(destination), hex_id) for hex_id in goals)
    if distance_before <= max_distance:
        return 0
    if distance_after <= max_distance:
        return 25 - 10 * is_beside_enemy(situation, board().index[HexId(destination)])
    return 8 if distance_after < distance_before else 0


def declaration_value(
    situation: EotsSituation, plan: OffensivePlan | None, order: orders.EotsCommand
) -> int:
    """Return the value of committing to battles. Planned battles are preferred, and all others are avoided (7.24)."""
    offensive = situation.view.offensive
    assert offensive is not None
    battle_hexes_declared = offensive.battles
    match order:
        case orders.Join(unit=unit, at=hex_id):
            goal = None if plan is None else plan.goal_for(unit)
            if goal is not None and goal.target == hex_id:
                return 5
            return 4 if hex_id in battle_hexes_declared else -1
        case orders.Cover():
            return 2
        case orders.Done():
            return 1
        case _:
            return LAST_RESORT


def reaction_unit_value(
    situation: EotsSituation, unit: UnitId, offered_units: tuple[UnitId, ...]
) -> int:
    """Return the value of activating a unit in reaction. If the side is far too weak, return 0 (7.26)."""
    counter = counters()[unit]
    if counter.is_ground:
        return 0
    offered_strength = sum(
        attack_strength(situation.units[other_unit])
        for other_unit in offered_units
        if not counters()[other_unit].is_ground
    )
    return (
        0
        if _is_hopeless(situation, offered_strength)
        else 10 + attack_strength(situation.units[unit])
    )


def _is_hopeless(situation: EotsSituation, strength: int) -> bool:
    """Return whether a side's aircraft and ships are too weak in every battle, even if all of them react."""
    offensive = situation.view.offensive
    assert offensive is not None
    activated_units = offensive.reaction_activated
    strength += sum(attack_strength(situation.units[unit]) for unit in activated_units)
    for battle in offensive.previews:
        totals = {roll.side: roll.total for roll in battle.air_naval}
        own_total = totals.get(situation.side, 0) + strength
        if own_total * 100 >= totals.get(situation.side.enemy, 0) * REACTION_RATIO:
            return False
    return bool(offensive.previews)


def hit_value(situation: EotsSituation, order: orders.EotsCommand) -> int:
    """Return a target's value. It is high for a unit with high attack strength and low defence strength (9.2F)."""
    match order:
        case orders.Hit(unit=unit):
            piece = situation.units.get(unit)
            if piece is None or piece.steps < 1:
                return 1
            counter = counters()[unit]
            strength = counter.strength(piece.steps)
            bonus = 6 if counter.carrier else 0
            last_step_bonus = 3 if piece.steps == 1 else 0
            return 100 + strength.attack * 4 - strength.defense + bonus + last_step_bonus
        case _:
            return 0
