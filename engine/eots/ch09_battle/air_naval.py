"""Air-naval combat: rolling order, modifiers, hits and winner (9.2, 9.3)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.cards.modifiers import card_modifiers, critical_threshold, has_special
from engine.eots.ch09_battle.battle_view import BattleForce, BattleView
from engine.eots.ch09_battle.participants import is_air_naval
from engine.eots.ch09_battle.strength import (
    AIR_NAVAL,
    Volley,
    attack_strengths,
    hits_scored,
    total_strength,
)
from engine.eots.counters import counters
from engine.eots.events.battle import AirNavalDecided, AirNavalRolled, BattleModifier
from engine.eots.frames import HitsFrame
from engine.eots.ids import D10, Nationality, Side, UnitId
from engine.eots.state import Condition, current_offensive
from engine.kernel.dice import Dice
from engine.kernel.ids import Rule

RULE: Final = Rule("9.2")
FLIERS: Final = Rule("9.3-3")
"""Rule under which the Reaction player wins regardless of the totals if only that player has aircraft left."""
AMBUSH: Final = 4
SURPRISE: Final = 3
US_1943: Final = 1
US_1944: Final = 3
CRITICAL_FACE: Final = D10.highest
"""The natural die roll that scores a critical hit (9.2F-6)."""
FIRST_TURN_1943: Final = 5
FIRST_TURN_1944: Final = 8


def roll_order(battle: BattleView) -> tuple[tuple[Side, ...], ...]:
    """Return the groups of sides in rolling order.

    If a group contains both sides, both roll before either side takes losses (9.2C, 9.2D, 9.2E, OPB-32).
    """
    attacker, defender = battle.sides
    match current_offensive(battle.state).condition:
        case Condition.SURPRISE:
            return ((attacker,), (defender,))
        case Condition.AMBUSH:
            return ((defender,), (attacker,))
        case Condition.INTERCEPT:
            return ((attacker, defender),)


def next_group(battle: BattleView) -> tuple[Side, ...]:
    """Return the next group of sides in the rolling order; empty if both sides have had their turn."""
    groups = roll_order(battle)
    return next((sides for sides in groups if sides[0] not in battle.frame.rolled), ())


def rolling_sides(battle: BattleView) -> tuple[Side, ...]:
    """Return the sides in the next group that are able to roll (9.2B)."""
    return tuple(side for side in next_group(battle) if is_rolling(battle, side))


def is_rolling(battle: BattleView, side: Side) -> bool:
    """Return whether a side rolls. It needs a unit that adds strength, and a target (9.2B)."""
    if side is Side.ALLIED and has_special(battle.state, "jp01_no_allied_roll_half_defense"):
        return False
    return bool(battle.force(side).shooters) and any(_targets(battle.force(side.enemy)))


def air_naval_modifiers(battle: BattleView, side: Side) -> tuple[BattleModifier, ...]:
    """Return the modifiers to a side's roll, based on the surviving units (9.2-M, OPB-3)."""
    state, condition = battle.state, current_offensive(battle.state).condition
    rows = []
    if condition is Condition.AMBUSH and side is Side.ALLIED:
        rows.append(BattleModifier(RULE, "N1", "Ambush", AMBUSH))
    if condition is Condition.SURPRISE and side is battle.attacker.side:
        rows.append(BattleModifier(RULE, "N2", "Surprise Attack", SURPRISE))
    if side is Side.ALLIED and state.turn >= FIRST_TURN_1943 and _has_us_air(battle):
        if state.turn >= FIRST_TURN_1944:
            rows.append(BattleModifier(RULE, "N4", "US air or carrier from 1944 on", US_1944))
        else:
            rows.append(BattleModifier(RULE, "N3", "US air or carrier in 1943", US_1943))
    stated_modifiers = card_modifiers(state, battle.hex, side, "air_naval")
    rows.extend(
        BattleModifier(Rule(card), "N5", "event", value) for card, value in stated_modifiers.rows
    )
    return tuple(rows)


def _has_us_air(battle: BattleView) -> bool:
    return any(
        counters()[unit].nationality is Nationality.US and counters()[unit].is_air_capable
        for unit in battle.force(Side.ALLIED).present
    )


def is_critical(battle: BattleView, side: Side, face: int, modified_face: int) -> bool:
    """Return whether a roll is a critical hit: a natural 9, or a result that a card makes critical (9.2F-6)."""
    threshold = critical_threshold(battle.state, battle.hex, side, "air_naval")
    return face == CRITICAL_FACE or (threshold is not None and modified_face >= threshold)


def air_naval_volleys(battle: BattleView, dice: Dice) -> Iterator[Volley]:
    """Yield the rolls of the next group.

    Each die is rolled when its result is requested. The totals do not depend on earlier rolls of the group (9.2).
    """
    for side in rolling_sides(battle):
        yield air_naval_volley(battle, side, dice.roll(D10))


def air_naval_volley(battle: BattleView, side: Side, face: int) -> Volley:
    """Return a side's roll, with the side's current total and the hits to assign (9.2A, B, F)."""
    strengths = attack_strengths(battle, battle.force(side).shooters)
    total = total_strength(battle.state, strengths)
    modifiers = air_naval_modifiers(battle, side)
    modified_face = face + sum(modifier.value for modifier in modifiers)
    rating = AIR_NAVAL.result(modified_face)
    roll_event = AirNavalRolled(
        at=battle.hex,
        side=side,
        strengths=strengths,
        total=total,
        modifiers=modifiers,
        face=face,
        modified=modified_face,
        rating_quarters=rating,
        hits=hits_scored(total, rating),
        critical=is_critical(battle, side, face, modified_face),
    )
    return Volley(roll_event, _hits_frame(battle, roll_event))


def _hits_frame(battle: BattleView, roll_event: AirNavalRolled) -> HitsFrame:
    force = battle.force(roll_event.side)
    targets, intrinsic = _targets(battle.force(roll_event.side.enemy))
    return HitsFrame(
        hex=battle.hex,
        side=roll_event.side,
        hits=roll_event.hits,
        critical=roll_event.critical,
        targets=targets,
        intrinsic=intrinsic,
        matches=sum(counters()[unit].is_air_capable for unit in force.shooters),
        has_ships=any(
            counters()[unit].is_naval and battle.state.units[unit].at == battle.hex
            for unit in force.present
        ),
    )


def _targets(force: BattleForce) -> tuple[tuple[UnitId, ...], int]:
    """Return the units that air-naval hits may strike, and the number of intrinsic units (9.2F-5).

    The targets are air and naval units. If the force brought no such unit to the battle, the targets are ground units.
    """
    has_fought = any(
        counters()[unit].side is force.side and is_air_naval(unit)
        for unit in force.frame.participants
    )
    return (force.air_naval, 0) if has_fought else (force.fighters, force.intrinsic)


def surviving_total(battle: BattleView, side: Side) -> int:
    """Return the total attack strength of a side's surviving units that add strength (9.3-1)."""
    return total_strength(battle.state, attack_strengths(battle, battle.force(side).shooters))


def decide_air_naval(battle: BattleView) -> AirNavalDecided:
    """Determine the winner of the air-naval combat (9.3, 9.31)."""
    attacker, defender = battle.attacker, battle.defender
    own_total, enemy = (surviving_total(battle, side) for side in battle.sides)
    rule, winner = Rule("9.3"), attacker.side if own_total > enemy else defender.side
    if not attacker.air_naval and not defender.air_naval:
        rule, winner = Rule("9.31"), attacker.side
    elif defender.has_aircraft and not attacker.has_aircraft:  # 9.3-3
        rule, winner = FLIERS if own_total > enemy else rule, defender.side
    return AirNavalDecided(
        rule=rule, at=battle.hex, winner=winner, offensive_total=own_total, reaction_total=enemy
    )
