"""The air-naval combat of a battle: rolling order, modifiers, hits and winner (9.2, 9.3)."""

from typing import Final

from engine.eots.cards.modifiers import card_modifiers, critical_threshold, has_special
from engine.eots.ch09_battle.participants import (
    fighters,
    intrinsic_count,
    is_air_naval,
    present_units,
    shooters,
)
from engine.eots.ch09_battle.strength import (
    AIR_NAVAL,
    Volley,
    attack_strengths,
    hits_scored,
    total_strength,
)
from engine.eots.counters import counters
from engine.eots.events.battle import AirNavalDecided, AirNavalRolled, BattleModifier
from engine.eots.frames import BattleFrame, HitsFrame
from engine.eots.ids import D10, Nationality, Side, UnitId
from engine.eots.state import Condition, State, current_offensive
from engine.kernel.ids import Rule

RULE: Final = Rule("9.2")
FLIERS: Final = Rule("9.3-3")
"""The rule by which the Reaction player wins, regardless of the totals, if only that side has aircraft left."""
AMBUSH: Final = 4
SURPRISE: Final = 3
US_1943: Final = 1
US_1944: Final = 3
CRITICAL_FACE: Final = D10.highest
"""Natural roll that scores a critical hit (9.2F-6)."""
FIRST_TURN_1943: Final = 5
FIRST_TURN_1944: Final = 8


def roll_order(state: State) -> tuple[tuple[Side, ...], ...]:
    """Return the rolling order.

    Sides in the same group both roll before either takes losses (9.2C, 9.2D, 9.2E, OPB-32).
    """
    offensive = current_offensive(state)
    attacker, defender = offensive.side, offensive.side.enemy
    match offensive.condition:
        case Condition.SURPRISE:
            return ((attacker,), (defender,))
        case Condition.AMBUSH:
            return ((defender,), (attacker,))
        case Condition.INTERCEPT:
            return ((attacker, defender),)


def is_rolling(state: State, frame: BattleFrame, side: Side) -> bool:
    """Return whether a side rolls: it must have units that add strength, and a target to hit (9.2B)."""
    if side is Side.ALLIED and has_special(state, "jp01_no_allied_roll_half_defense"):
        return False
    if not shooters(state, frame, side):
        return False
    return bool(_legal_targets(state, frame, side) or _intrinsic_targets(frame, side))


def air_naval_modifiers(state: State, frame: BattleFrame, side: Side) -> tuple[BattleModifier, ...]:
    """Return the modifiers to a side's roll, given the surviving units (9.2-M, OPB-3)."""
    offensive = current_offensive(state)
    rows = []
    if offensive.condition is Condition.AMBUSH and side is Side.ALLIED:
        rows.append(BattleModifier(RULE, "N1", "Ambush", AMBUSH))
    if offensive.condition is Condition.SURPRISE and side is offensive.side:
        rows.append(BattleModifier(RULE, "N2", "Surprise Attack", SURPRISE))
    if side is Side.ALLIED and state.turn >= FIRST_TURN_1943 and _has_us_air(state, frame):
        if state.turn >= FIRST_TURN_1944:
            rows.append(BattleModifier(RULE, "N4", "US air or carrier from 1944 on", US_1944))
        else:
            rows.append(BattleModifier(RULE, "N3", "US air or carrier in 1943", US_1943))
    stated = card_modifiers(state, frame.hex, side, "air_naval")
    rows.extend(BattleModifier(Rule(card), "N5", "event", value) for card, value in stated.rows)
    return tuple(rows)


def _has_us_air(state: State, frame: BattleFrame) -> bool:
    return any(
        counters()[unit].nationality is Nationality.US and counters()[unit].is_air_capable
        for unit in present_units(state, frame, Side.ALLIED)
    )


def is_critical(state: State, frame: BattleFrame, side: Side, face: int, modified: int) -> bool:
    """Return whether a roll is a critical hit: a natural 9, or a result that a card makes critical (9.2F-6)."""
    threshold = critical_threshold(state, frame.hex, side, "air_naval")
    return face == CRITICAL_FACE or (threshold is not None and modified >= threshold)


def air_naval_volley(
    state: State, frame: BattleFrame, side: Side, face: int
) -> Volley[AirNavalRolled]:
    """Return a side's roll, with its current totals and the hits to assign (9.2A, B, F)."""
    units = shooters(state, frame, side)
    strengths = attack_strengths(state, frame.hex, units)
    total = total_strength(state, strengths)
    modifiers = air_naval_modifiers(state, frame, side)
    modified = face + sum(modifier.value for modifier in modifiers)
    rating = AIR_NAVAL.result(modified)
    rolled = AirNavalRolled(
        at=frame.hex,
        side=side,
        strengths=strengths,
        total=total,
        modifiers=modifiers,
        face=face,
        modified=modified,
        rating_quarters=rating,
        hits=hits_scored(total, rating),
        critical=is_critical(state, frame, side, face, modified),
    )
    return Volley(rolled, _hits_frame(state, frame, rolled, units))


def _hits_frame(
    state: State, frame: BattleFrame, rolled: AirNavalRolled, units: tuple[UnitId, ...]
) -> HitsFrame:
    side = rolled.side
    return HitsFrame(
        hex=frame.hex,
        side=side,
        hits=rolled.hits,
        critical=rolled.critical,
        targets=_legal_targets(state, frame, side),
        intrinsic=_intrinsic_targets(frame, side),
        matches=sum(counters()[unit].is_air_capable for unit in units),
        has_ships=any(
            counters()[unit].is_naval and state.units[unit].at == frame.hex
            for unit in present_units(state, frame, side)
        ),
    )


def _has_fought(frame: BattleFrame, side: Side) -> bool:
    return any(counters()[unit].side is side and is_air_naval(unit) for unit in frame.participants)


def _legal_targets(state: State, frame: BattleFrame, side: Side) -> tuple[UnitId, ...]:
    """Return a side's targets: air and naval units, or ground units if the enemy brought neither (9.2F-5)."""
    if _has_fought(frame, side.enemy):
        return tuple(unit for unit in present_units(state, frame, side.enemy) if is_air_naval(unit))
    return fighters(state, frame, side.enemy)


def _intrinsic_targets(frame: BattleFrame, side: Side) -> int:
    return 0 if _has_fought(frame, side.enemy) else intrinsic_count(frame, side.enemy)


def surviving_total(state: State, frame: BattleFrame, side: Side) -> int:
    """Return the total attack strength of a side's surviving contributing units (9.3-1)."""
    return total_strength(state, attack_strengths(state, frame.hex, shooters(state, frame, side)))


def decide_air_naval(state: State, frame: BattleFrame) -> AirNavalDecided:
    """Determine the winner of the air-naval combat (9.3, 9.31)."""
    side = current_offensive(state).side
    own, enemy = surviving_total(state, frame, side), surviving_total(state, frame, side.enemy)
    surviving = [
        unit for unit in frame.participants if state.units[unit].is_on_map and is_air_naval(unit)
    ]
    fliers = {counters()[unit].side for unit in surviving if counters()[unit].is_air_capable}
    rule, winner = Rule("9.3"), side if own > enemy else side.enemy
    if not surviving:
        rule, winner = Rule("9.31"), side
    elif side.enemy in fliers and side not in fliers:  # 9.3-3
        rule, winner = FLIERS if own > enemy else rule, side.enemy
    return AirNavalDecided(
        rule=rule, at=frame.hex, winner=winner, offensive_total=own, reaction_total=enemy
    )
