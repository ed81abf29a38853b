"""The end of a battle: ground combat winner, control, retreats and forces wiped out (9.32, 9.33, 9.4C, 16.45)."""

from typing import Final

from engine.eots.ch06_supply.control import controls
from engine.eots.ch09_battle.battle_view import BattleView, current_battle
from engine.eots.ch09_battle.opening import expel_landed_units, landed_units
from engine.eots.counters import counters
from engine.eots.events.battle import GroundDecided, IntrinsicLost, UsForceWipedOut
from engine.eots.events.offensive import BattleResolved, RetreatOrdered
from engine.eots.flow import EotsRun
from engine.eots.hex_control import capture_hexes
from engine.eots.ids import Nationality, Side, UnitId, UnitSize
from engine.eots.rulings import STEPS_COMPARED
from engine.eots.state import State, current_offensive
from engine.kernel.ids import Rule

CASUALTY_SIZES: Final = (UnitSize.DIVISION, UnitSize.CORPS)
"""Sizes of US ground units that cost Political Will when they are lost (16.45)."""


def conclude_battle(run: EotsRun) -> None:
    """Determine who wins the ground combat and controls the hex, and end the battle (9.33, 9.4C)."""
    if current_battle(run.state).frame.ground_fought:
        outcome = decide_ground(current_battle(run.state))
        run.add(outcome)
        if _is_us_force_lost(current_battle(run.state)):
            run.add(UsForceWipedOut(at=outcome.at))
        is_taken = outcome.winner is current_offensive(run.state).side
    else:
        is_taken = is_offensive_alone(current_battle(run.state))
    if is_taken:
        _award_to_offensive(run)
    else:
        _award_to_reaction(run)
    run.add(BattleResolved(at=current_battle(run.state).hex))
    run.pop()


def decide_ground(battle: BattleView) -> GroundDecided:
    """Determine the winner of the ground combat (9.4C, OPB-8).

    A side that is left alone wins. If both sides are left, the side that lost fewer steps wins.
    """
    attacker, defender = battle.attacker, battle.defender
    own, enemy = (steps_lost(battle, side) for side in battle.sides)
    is_taken = is_won((attacker.has_ground_units, own), (defender.has_ground_units, enemy))
    return GroundDecided(
        rule=Rule("9.4C"),
        at=battle.hex,
        winner=attacker.side if is_taken else defender.side,
        offensive_steps=own,
        reaction_steps=enemy,
    )


def is_won(own_total: tuple[bool, int], enemy: tuple[bool, int]) -> bool:
    """Return whether the Offensive player wins the ground combat (9.4C).

    The Reaction player wins ties, and keeps control if no unit is left (9.4C-2).

    Args:
        own_total: Whether the Offensive player has any unit left, and the number of steps lost.
        enemy: The same two values for the Reaction player.
    """
    return own_total[0] and (not enemy[0] or enemy[1] > own_total[1])


def steps_lost(battle: BattleView, side: Side) -> int:
    """Return the steps that a side lost, for comparison (OPB-8).

    By default, only the ground combat counts. Under the alternative reading, the whole battle does.
    """
    frame, is_whole = battle.frame, STEPS_COMPARED.uses_alternative(battle.state.options)
    losses = (*frame.lost_before, *frame.lost) if is_whole else frame.lost
    intrinsic_losses = frame.fallen + (frame.fallen_before if is_whole else 0)
    own_steps = sum(counters()[unit].side is side for unit in losses)
    return own_steps + (
        intrinsic_losses if side is Side.JAPAN else 0
    )  # intrinsic units are Japanese


def is_offensive_alone(battle: BattleView) -> bool:
    """Return whether an Offensive unit may stay and no Reaction ground units are left (9.33, 9.34, OPB-6, OPB-35)."""
    return bool(battle.attacker.fighters) and not battle.defender.has_ground_units


def _is_us_force_lost(battle: BattleView) -> bool:
    """Return whether an Allied attacking force with a replaceable US division or corps was wiped out (16.45)."""
    return (
        battle.attacker.side is Side.ALLIED
        and not battle.attacker.fighters
        and any(_is_casualty(battle.state, unit) for unit in battle.frame.lost)
    )


def _is_casualty(state: State, unit: UnitId) -> bool:
    counter = counters()[unit]
    return (
        counter.nationality is Nationality.US
        and counter.is_ground
        and not counter.prewar
        and counter.size in CASUALTY_SIZES
        and not state.units[unit].is_on_map
    )


def _award_to_offensive(run: EotsRun) -> None:
    """Order enemy ground units to retreat. Units that arrived overland take control at once (6.5, 9.4C, 9.5, OPB-36).

    Landed units take control in step 13, just before post-battle movement.
    """
    battle_hex, side = current_battle(run.state).hex, current_offensive(run.state).side
    intrinsic_left = current_battle(run.state).defender.intrinsic
    if intrinsic_left:
        run.add(IntrinsicLost(rule=Rule("9.4B"), at=battle_hex, count=intrinsic_left))
    losing_units = current_battle(run.state).defender.fighters
    if losing_units:
        run.add(RetreatOrdered(rule=Rule("9.5"), units=losing_units, at=battle_hex))
    if current_battle(run.state).attacker.overland and not controls(run.state, side, battle_hex):
        capture_hexes(run, side, (battle_hex,), Rule("6.5"))


def _award_to_reaction(run: EotsRun) -> None:
    """Make the Offensive player's ground units leave the hex. The Reaction player keeps it (9.4C, 9.5, 8.45C)."""
    battle_hex, side = current_battle(run.state).hex, current_offensive(run.state).side
    overland = current_battle(run.state).attacker.overland
    if overland:
        run.add(RetreatOrdered(rule=Rule("9.5"), units=overland, at=battle_hex))
    expel_landed_units(run, battle_hex, landed_units(run.state, battle_hex), Rule("8.45C"))
    holders = current_battle(run.state).defender.fighters
    if holders and controls(
        run.state, side, battle_hex
    ):  # the reaction units entered the hex last (6.5)
        capture_hexes(run, side.enemy, (battle_hex,), Rule("6.5"))
