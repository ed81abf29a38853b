"""All possible results of a battle with their probabilities (9.2-9.4).

The game's own rules resolve the battle once for each distinct result of the dice. Results that leave the same units are
merged. Where a side has a choice, its hits go to the cheapest steps, so that the most steps are lost.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Final, TypeAlias

import msgspec
from msgspec.structs import replace

from engine.eots.ch09_battle import air_naval, ground
from engine.eots.ch09_battle.assignment import HitsHandler, take_step
from engine.eots.ch09_battle.battle import BattleHandler, roll_air_naval
from engine.eots.ch09_battle.battle_view import BattleForce, BattleView, current_battle
from engine.eots.ch09_battle.conclusion import (
    decide_ground,
    is_offensive_alone,
    is_won,
    steps_lost,
)
from engine.eots.ch09_battle.hits import (
    default_saved_unit,
    default_weak_target,
    needs_saved,
    remaining_hits,
)
from engine.eots.ch09_battle.preview import RollPreview, preview_air_naval_roll, preview_ground_roll
from engine.eots.counters import counters
from engine.eots.evolve import evolve
from engine.eots.flow import EotsRun
from engine.eots.forecast.table import with_changes
from engine.eots.frames import BattleFrame, BattlesFrame, HitsFrame, Stage
from engine.eots.ids import HexId, Side
from engine.eots.state import State
from engine.kernel.chances import Chances, mixture, uniform
from engine.kernel.dice import ScriptedDice

_BATTLE: Final = BattleHandler()
_HITS: Final = HitsHandler()
_Weighted: TypeAlias = tuple[Fraction, State]


class BattleEnding(msgspec.Struct, frozen=True):
    """One possible result of a battle."""

    air_naval: Side | None
    """The side that wins the air-naval combat, or None if there is no air-naval combat."""
    is_taken: bool
    """True if the Offensive player is alone on the ground or wins the ground combat."""
    lost: tuple[int, int]
    """Number of steps lost by the Offensive player and by the Reaction player, including intrinsic units."""


def battle_endings(state: State, hex_id: HexId) -> Chances[BattleEnding]:
    """Return a battle's possible results and their probabilities, starting from the current state.

    Args:
        state: A position with an offensive. The battle need not have begun.
        hex_id: A battle hex.
    """
    first_state = _advance_to_roll(with_changes(state, frames=_battle_frames(state, hex_id)))
    ground_odds = _GroundOdds(state, first_state)
    pending_states: list[_Weighted] = [(Fraction(1), first_state)]
    final_states: list[tuple[Fraction, Chances[BattleEnding]]] = []
    while pending_states:
        next_states: list[_Weighted] = []
        for chance, weighted in pending_states:
            if current_battle(weighted).frame.stage is Stage.AIR_NAVAL:
                next_states += (
                    (chance * share, next_state) for share, next_state in _roll_results(weighted)
                )
            else:
                final_states.append((chance, ground_odds.endings(weighted)))
        pending_states = _merge_states(next_states)
    return mixture(final_states)


def _battle_frames(
    state: State, hex_id: HexId
) -> tuple[BattlesFrame | BattleFrame | HitsFrame, ...]:
    """Return the battle's frames. If the battle is not in progress, return the frames with which it begins."""
    under_way = tuple(frame for frame in state.frames if isinstance(frame, BattleFrame | HitsFrame))
    if under_way and under_way[0].hex == hex_id:
        return (BattlesFrame(), *under_way)
    return (BattlesFrame(), BattleFrame(hex=hex_id))


# -- the air-naval combat


def _advance_to_roll(state: State, *faces: int) -> State:
    """Advance the battle to its next air-naval roll or, if none is left, to the end of its air-naval combat."""
    run = EotsRun(state, evolve, ScriptedDice(*faces))
    if faces:
        roll_air_naval(run)
    while True:
        frame = run.top()
        if isinstance(frame, HitsFrame):
            _assign(run, frame)
            continue
        assert isinstance(frame, BattleFrame)
        if frame.begun and not frame.hits:
            is_over = frame.stage in {Stage.GROUND, Stage.CONCLUSION}
            if is_over or (
                frame.stage is Stage.AIR_NAVAL
                and air_naval.rolling_sides(current_battle(run.state))
            ):
                return run.state
        _BATTLE.step(run, frame)


def _roll_results(state: State) -> Iterator[_Weighted]:
    """Yield each possible state after the next air-naval rolls, with its probability."""
    battle = current_battle(state)
    rolls = [
        _roll_results_by_hits(preview_air_naval_roll(battle, side)).values()
        for side in air_naval.rolling_sides(battle)
    ]
    for results in product(*rolls):
        chance = Fraction(1)
        for share, _ in results:
            chance *= share
        yield chance, _advance_to_roll(state, *(face for _, face in results))


def _roll_results_by_hits(roll: RollPreview) -> dict[tuple[int, bool], tuple[Fraction, int]]:
    """Return a roll's distinct results, each with its probability and one die face that causes it."""
    outcomes = [(hits, face in roll.critical_faces) for face, hits in enumerate(roll.hits)]
    return {result: (share, outcomes.index(result)) for result, share in uniform(outcomes).items()}


def _merge_states(weighted_states: list[_Weighted]) -> list[_Weighted]:
    """Merge states that leave the same units in play, adding up their probabilities."""
    merged_weights: dict[object, _Weighted] = {}
    for chance, state in weighted_states:
        frame = current_battle(state).frame
        # The order of losses does not affect the rest of the battle.
        key = (
            replace(
                frame, lost=tuple(sorted(frame.lost)), lost_before=tuple(sorted(frame.lost_before))
            ),
            tuple(state.units[unit] for unit in frame.participants),
        )
        merged_state = merged_weights.get(key)
        merged_weights[key] = (
            (chance, state) if merged_state is None else (merged_state[0] + chance, merged_state[1])
        )
    return list(merged_weights.values())


def _assign(run: EotsRun, frame: HitsFrame) -> None:
    """Remove the next step. If there is a choice, take the cheapest one (9.2F, 9.4B)."""
    sides = _HITS.active_roles(run.state, frame)
    hits_to_assign = remaining_hits(run.state, frame)
    if not sides:
        _HITS.step(run, frame)
    elif needs_saved(run.state, frame):
        run.replace_top(replace(frame, saved=default_saved_unit(run.state, frame)))
    elif hits_to_assign.options:
        unit = min(hits_to_assign.options, key=lambda unit: (hits_to_assign.costs[unit], unit))
        take_step(run, frame, unit, hits_to_assign.costs[unit])
    else:
        take_step(run, frame, default_weak_target(run.state, frame), frame.hits)


# -- the ground combat


class _GroundOdds:
    """Calculates and caches the possible results of a battle's ground combat."""

    def __init__(self, state: State, first_state: State) -> None:
        """Store the values that the results depend on.

        Args:
            state: The current position.
            first_state: The position before the first roll of the battle.
        """
        self._units_before = state.units
        self._has_air_naval_step = current_battle(first_state).frame.stage is Stage.AIR_NAVAL
        self._losses_by_key: dict[object, Chances[int]] = {}

    def endings(self, state: State) -> Chances[BattleEnding]:
        """Return the possible results of the battle, given the state after its air-naval combat."""
        battle = current_battle(state)
        winner = battle.frame.air_naval_winner if self._has_air_naval_step else None
        attacker, defender = battle.sides
        losses = (
            self._steps_lost_so_far(battle, attacker),
            self._steps_lost_so_far(battle, defender),
        )
        if battle.frame.ground_fought:
            is_taken = decide_ground(battle).winner is attacker
            return {BattleEnding(winner, is_taken, losses): Fraction(1)}
        if not ground.is_fought(battle):
            return {BattleEnding(winner, is_offensive_alone(battle), losses): Fraction(1)}
        decisive = tuple(steps_lost(battle, side) for side in battle.sides)
        steps = tuple(_ground_steps(battle.force(side)) for side in battle.sides)
        own, enemy = (self._steps_hit(battle, side.enemy) for side in battle.sides)
        endings: dict[BattleEnding, Fraction] = {}
        for (ours, own_chance), (theirs, enemy_chance) in product(own.items(), enemy.items()):
            is_taken = is_won(
                (ours < steps[0], decisive[0] + ours), (theirs < steps[1], decisive[1] + theirs)
            )
            ending = BattleEnding(winner, is_taken, (losses[0] + ours, losses[1] + theirs))
            endings[ending] = endings.get(ending, Fraction(0)) + own_chance * enemy_chance
        return endings

    def _steps_lost_so_far(self, battle: BattleView, side: Side) -> int:
        """Return the number of steps that a side has lost so far.

        The count includes units lost together with their ship.
        """
        frame = battle.frame
        intrinsic_losses = frame.fallen + frame.fallen_before if side is Side.JAPAN else 0
        return intrinsic_losses + sum(
            self._units_before[unit].steps - piece.steps
            for unit, piece in battle.state.units.items()
            if piece is not self._units_before[unit] and counters()[unit].side is side
        )

    def _steps_hit(self, battle: BattleView, shooter: Side) -> Chances[int]:
        """Return the probability of each number of enemy steps that a side's ground roll can remove (9.4A, 9.4B)."""
        roll = preview_ground_roll(battle, shooter)
        targets = battle.force(shooter.enemy).fighters
        key = (shooter, roll.hits, targets, tuple(battle.state.units[unit] for unit in targets))
        if key not in self._losses_by_key:
            self._losses_by_key[key] = _ground_losses(battle, roll)
        return self._losses_by_key[key]


def _ground_steps(force: BattleForce) -> int:
    """Return the number of steps that a force has in the ground combat."""
    return sum(force.state.units[unit].steps for unit in force.fighters) + force.intrinsic


def _ground_losses(battle: BattleView, roll: RollPreview) -> Chances[int]:
    state, defender = battle.state, roll.side.enemy
    losses: dict[int, Fraction] = {}
    for (hits, _), (chance, face) in _roll_results_by_hits(roll).items():
        steps_before = 0
        if hits:
            struck_hits = ground.ground_volley(battle, roll.side, face).hits
            next_state = _advance_to_roll(with_changes(state, frames=(*state.frames, struck_hits)))
            steps_before = _ground_steps(battle.force(defender)) - _ground_steps(
                current_battle(next_state).force(defender)
            )
        losses[steps_before] = losses.get(steps_before, Fraction(0)) + chance
    return losses
