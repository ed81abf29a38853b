"""The steps of a strike after contact: intelligence, surprise, CAP, flak, attack (5.1)."""

from typing import Final

from engine.cbps.air.ch04_fuel import can_pay, spend_fuel
from engine.cbps.charts.results import SurpriseWord
from engine.cbps.frames import AimFrame
from engine.cbps.intelligence.ch07_levels import promote
from engine.cbps.rulings import DOUBLED_ATTACKS
from engine.cbps.run import Run
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.state import State
from engine.cbps.strikes.ch05_attack import aim_or_roll, damage_dice, damage_targets
from engine.cbps.strikes.ch05_cap import (
    apply_attacker_losses,
    cap_against_strike,
    roll_surprise,
    strike_attackers,
    strike_combat,
)
from engine.cbps.strikes.ch05_flak import japanese_aa, roll_flak

HIGHEST_LEVEL: Final = 4
"""The highest intelligence level. Promotion of a surface force stops at 3 (7.34)."""


def resolve_strike(run: Run, mission: str, target: str) -> None:
    """Carry out steps 2 to 7 of a strike against the force or lone crippled ship contacted (5.1)."""
    is_promoted = target not in run.state.hulls and scenario_rules(run.state).has_levels
    # The promotion also updates the Commitment Index (13.12)
    if is_promoted and not promote(run, target, HIGHEST_LEVEL, "strike"):
        return
    if not scenario_rules(run.state).fights_strikes:
        return
    word: SurpriseWord = "none"
    is_carrier = target in run.state.forces and run.state.forces[target].is_carrier
    if is_carrier:  # 5.33
        word = roll_surprise(run, target)
        strike_combat(run, mission, target, cap_against_strike(run, target, word))
    _take_flak(run, mission, target, word)
    # CAP and flak may have eliminated the whole mission.
    if mission in run.state.missions:
        _attack_ships(run, mission, target, word, is_carrier=is_carrier)


def _take_flak(run: Run, mission: str, target: str, word: SurpriseWord) -> None:
    """Resolve anti-aircraft fire by the target's ships against the attackers (5.51)."""
    if not strike_attackers(run.state, mission):
        return
    value = japanese_aa(run.state, damage_targets(run.state, target))
    effect = run.state.game_data.charts.surprise.effects[word].aa
    if effect == "none":
        return
    result = roll_flak(run, value if effect == "normal" else value // 2, mission)
    apply_attacker_losses(
        run, mission, points_lost=result.elim, aborted_count=result.abort, cause="flak"
    )


def _attack_ships(
    run: Run, mission: str, target: str, word: SurpriseWord, *, is_carrier: bool
) -> None:
    """Attack the ships with the remaining attackers (5.61)."""
    attackers = strike_attackers(run.state, mission)
    if not attackers:
        return
    total = attack_value(run.state, attackers)
    if is_attack_doubled(run.state, mission, word, is_carrier=is_carrier):
        total *= 2
    # A strike that can pay must pay. The player cannot choose the column shift instead (5.61).
    is_paid = can_pay(run.state.missions[mission], 1)
    if is_paid:
        spend_fuel(run, mission, 1, "attack")
    dice = damage_dice(run, total, target, is_shifted=not is_paid)
    aim_or_roll(run, AimFrame(mission=mission, target=target, dice=dice, surprise=word))


def attack_value(state: State, units: tuple[str, ...]) -> int:
    """Return the total attack value of the units (5.61)."""
    game_data = state.game_data
    return sum(game_data.air_types[game_data.air_units[unit].type].attack for unit in units)


def is_attack_doubled(state: State, mission: str, word: SurpriseWord, *, is_carrier: bool) -> bool:
    """Return whether the attack is doubled, because the strike has fought no aircraft on this sortie (5.61, OP-16)."""
    if state.missions[mission].has_met_aircraft:
        return False
    if is_carrier and DOUBLED_ATTACKS.uses_alternative(state.options):
        return state.game_data.charts.surprise.effects[word].cap == "none"
    return True
