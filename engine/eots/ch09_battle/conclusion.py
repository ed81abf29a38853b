"""The outcome of a battle: ground combat winner, control, retreats and annihilated forces (9.32, 9.33, 9.4C, 16.45)."""

from typing import Final

from engine.eots.ch06_supply.control import controls
from engine.eots.ch09_battle.opening import expel_landed_units, landed_units
from engine.eots.ch09_battle.participants import (
    fighters,
    intrinsic_count,
    is_landed,
)
from engine.eots.counters import counters
from engine.eots.events.battle import GroundDecided, IntrinsicLost, UsForceWipedOut
from engine.eots.events.offensive import BattleResolved, RetreatOrdered
from engine.eots.flow import EotsRun
from engine.eots.frames import BattleFrame
from engine.eots.hex_control import capture_hexes
from engine.eots.ids import Nationality, Side, UnitId, UnitSize
from engine.eots.rulings import STEPS_COMPARED
from engine.eots.state import State, current_offensive
from engine.kernel.ids import Rule

CASUALTY_SIZES: Final = (UnitSize.DIVISION, UnitSize.CORPS)
"""Sizes of US ground units whose loss can cost Political Will (16.45)."""


def conclude_battle(run: EotsRun, frame: BattleFrame) -> None:
    """Determine who won on the ground and who controls the hex, then close the battle (9.33, 9.4C)."""
    state = run.state
    side = current_offensive(state).side
    if frame.ground_fought:
        outcome = decide_ground(state, frame)
        run.add(outcome)
        _record_wipe_out(run, frame)
        winner = outcome.winner
    else:
        winner = side if is_offensive_alone(state, frame) else side.enemy
    if winner is side:
        _award_to_offensive(run, frame)
    else:
        _award_to_reaction(run, frame)
    run.add(BattleResolved(at=frame.hex))
    run.pop()


def decide_ground(state: State, frame: BattleFrame) -> GroundDecided:
    """Determine the winner of ground combat: the only side left or, if both are left, the one with fewer losses.

    See 9.4C and OPB-8.
    """
    side = current_offensive(state).side
    own, enemy = steps_lost(state, frame, side), steps_lost(state, frame, side.enemy)
    own_left = bool(fighters(state, frame, side)) or intrinsic_count(frame, side) > 0
    enemy_left = bool(fighters(state, frame, side.enemy)) or intrinsic_count(frame, side.enemy) > 0
    winner = side if is_won((own_left, own), (enemy_left, enemy)) else side.enemy
    return GroundDecided(
        rule=Rule("9.4C"), at=frame.hex, winner=winner, offensive_steps=own, reaction_steps=enemy
    )


def is_won(own: tuple[bool, int], enemy: tuple[bool, int]) -> bool:
    """Return whether the Offensive player wins the ground combat (9.4C).

    The Reaction player wins ties and, if no unit is left, keeps control (9.4C-2).

    Args:
        own: Whether the Offensive player has any unit left, and the number of steps lost.
        enemy: The same for the Reaction player.
    """
    return own[0] and (not enemy[0] or enemy[1] > own[1])


def steps_lost(state: State, frame: BattleFrame, side: Side) -> int:
    """Return the step losses to compare: those from ground combat, or those from the whole battle (OPB-8)."""
    is_whole = STEPS_COMPARED.uses_alternative(state.options)
    losses = (*frame.lost_before, *frame.lost) if is_whole else frame.lost
    intrinsic_losses = frame.fallen + (frame.fallen_before if is_whole else 0)
    own = sum(counters()[unit].side is side for unit in losses)
    return own + (intrinsic_losses if side is Side.JAPAN else 0)  # intrinsic units are Japanese


def is_offensive_alone(state: State, frame: BattleFrame) -> bool:
    """Return whether all ground units in the hex are offensive ones that may stay (9.33, 9.34, OPB-6, OPB-35)."""
    side = current_offensive(state).side
    enemies = fighters(state, frame, side.enemy)
    return (
        bool(fighters(state, frame, side))
        and not enemies
        and not intrinsic_count(frame, side.enemy)
    )


def _record_wipe_out(run: EotsRun, frame: BattleFrame) -> None:
    """Record the loss of an entire Allied attacking force if it included a replaceable US division or corps (16.45)."""
    state = run.state
    if current_offensive(state).side is not Side.ALLIED or fighters(state, frame, Side.ALLIED):
        return
    if any(_is_casualty(state, unit) for unit in frame.lost):
        run.add(UsForceWipedOut(at=frame.hex))


def _is_casualty(state: State, unit: UnitId) -> bool:
    counter = counters()[unit]
    return (
        counter.nationality is Nationality.US
        and counter.is_ground
        and not counter.prewar
        and counter.size in CASUALTY_SIZES
        and not state.units[unit].is_on_map
    )


def _award_to_offensive(run: EotsRun, frame: BattleFrame) -> None:
    """Order enemy ground units to retreat. Units that came overland take control at once (6.5, 9.4C, 9.5, OPB-36).

    Landed units take control just before post-battle movement, in step 13.
    """
    state = run.state
    side = current_offensive(state).side
    if intrinsic_count(frame, side.enemy):
        run.add(IntrinsicLost(rule=Rule("9.4B"), at=frame.hex, count=frame.intrinsic))
    losing_units = fighters(state, frame, side.enemy)
    if losing_units:
        run.add(RetreatOrdered(rule=Rule("9.5"), units=losing_units, at=frame.hex))
    overland = [unit for unit in fighters(state, frame, side) if not is_landed(state, unit)]
    if overland and not controls(state, side, frame.hex):
        capture_hexes(run, side, (frame.hex,), Rule("6.5"))


def _award_to_reaction(run: EotsRun, frame: BattleFrame) -> None:
    """Make the offensive ground units leave; the Reaction player keeps control (9.4C, 9.5, 8.45C)."""
    state = run.state
    side = current_offensive(state).side
    losing_units = fighters(state, frame, side)
    overland = tuple(unit for unit in losing_units if not is_landed(state, unit))
    if overland:
        run.add(RetreatOrdered(rule=Rule("9.5"), units=overland, at=frame.hex))
    expel_landed_units(run, frame.hex, landed_units(state, frame.hex), Rule("8.45C"))
    holders = fighters(run.state, frame, side.enemy)
    if holders and controls(state, side, frame.hex):  # the reaction units entered last (6.5)
        capture_hexes(run, side.enemy, (frame.hex,), Rule("6.5"))
