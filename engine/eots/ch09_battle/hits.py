"""The units that may lose a step to hits, and the cases where no decision is needed (9.2F, 9.4B)."""

from collections.abc import Collection, Iterator
from typing import Final

import msgspec

from engine.eots.ch09_battle.participants import INTRINSIC, is_alive
from engine.eots.ch09_battle.strength import attack_strength, defense_strength
from engine.eots.counters import counters
from engine.eots.frames import HitsFrame
from engine.eots.ids import Side, UnitId
from engine.eots.rulings import CRITICAL_SCOPE
from engine.eots.state import State, current_offensive
from engine.kernel.ids import Refusal, Rule
from engine.kernel.memo import Memo

FULL_STRENGTH_STEPS: Final = 2
_MEMO: Final = Memo["RemainingHits"](64)


class RemainingHits(msgspec.Struct, frozen=True, kw_only=True):
    """The losses that the hits not yet assigned can still cause."""

    alive: tuple[UnitId, ...]
    """Surviving targets, sorted by id."""
    costs: dict[UnitId, int]
    """Number of hits needed to remove each surviving target's next step."""
    full: frozenset[UnitId]
    ground_steps: int
    """Number of steps left, including intrinsic units. Used only if the hits strike ground units."""
    on_ground: bool
    """True if the hits strike ground units, in either the air-naval combat or the ground combat."""
    options: tuple[UnitId, ...]
    """Targets that may lose a step now and whose step the remaining hits can pay for."""
    any_price: tuple[UnitId, ...]
    """Targets that may legally lose a step, regardless of the step's cost."""


def remaining_hits(state: State, frame: HitsFrame) -> RemainingHits:
    """Return the losses that the hits can still cause. The result is cached."""
    return _MEMO.get(
        state,
        (state.units, frame, state.offensive, state.options),
        lambda: _remaining_hits(state, frame),
    )


def hits_rule(frame: HitsFrame) -> Rule:
    """Return the rule to cite: 9.4 in ground combat, 9.2 in air-naval combat."""
    return Rule("9.4") if frame.ground else Rule("9.2")


def _remaining_hits(state: State, frame: HitsFrame) -> RemainingHits:
    living_units = tuple(unit for unit in frame.targets if is_alive(state, unit))
    named_targets = (*living_units, INTRINSIC) if frame.intrinsic else living_units
    on_ground = frame.ground or not frame.targets or counters()[frame.targets[0]].is_ground
    hits_to_assign = RemainingHits(
        alive=living_units,
        costs={
            unit: defense_strength(state, frame.hex, unit, is_ground=frame.ground)
            for unit in named_targets
        },
        full=frozenset(
            unit for unit in living_units if state.units[unit].steps == FULL_STRENGTH_STEPS
        ),
        ground_steps=sum(state.units[unit].steps for unit in living_units) + frame.intrinsic,
        on_ground=on_ground,
        options=(),
        any_price=(),
    )
    free_targets = tuple(
        unit
        for unit in named_targets
        if next(limit_refusals(state, frame, hits_to_assign, unit), None) is None
    )
    return msgspec.structs.replace(
        hits_to_assign,
        any_price=free_targets,
        options=tuple(unit for unit in free_targets if hits_to_assign.costs[unit] <= frame.hits),
    )


def limit_refusals(
    state: State, frame: HitsFrame, hits_to_assign: RemainingHits, unit: UnitId
) -> Iterator[Refusal]:
    """Yield every rule, other than cost, by which a unit may not lose a step now (9.2F-2, F-4, F-5, 9.4B-3, 9.4B-6)."""
    if unit == INTRINSIC and hits_to_assign.alive:
        yield Refusal(Rule("13.76"), "intrinsic units are eliminated last")
    if unit not in hits_to_assign.full and hits_to_assign.full and not frame.critical:
        yield Refusal(
            hits_rule(frame),
            f"{unit} is reduced, and {min(hits_to_assign.full)} is still at full strength",
        )
    if hits_to_assign.on_ground:
        if not frame.ground:
            yield from _last_step_refusals(state, frame, hits_to_assign, unit)
    elif (
        needs_match(state, frame, unit)
        and unit not in frame.matched
        and len(frame.matched) >= frame.matches
    ):
        yield Refusal(
            Rule("9.2"),
            f"a hit on {unit} needs an air unit or carrier that has not matched another target",
        )


def _last_step_refusals(
    state: State, frame: HitsFrame, hits_to_assign: RemainingHits, unit: UnitId
) -> Iterator[Refusal]:
    """Refuse to remove the last ground step in the hex, or the last step of the unit chosen to keep it (9.2F-5)."""
    if hits_to_assign.ground_steps == 1:
        yield Refusal(Rule("9.2"), "air-naval hits never remove the last ground step in a hex")
    elif unit == frame.saved and state.units[unit].steps == 1:
        yield Refusal(Rule("9.2"), f"{unit} keeps the last step")


def needs_match(state: State, frame: HitsFrame, unit: UnitId) -> bool:
    """Return whether a hit on this target must be matched by an air-capable unit of the side that rolled.

    See 9.2F-4 and OPB-4.
    """
    if not counters()[unit].is_air_capable:
        return False
    if frame.critical and CRITICAL_SCOPE.uses_alternative(state.options):
        return False
    return not (frame.has_ships and state.units[unit].at == frame.hex)


def needs_saved(state: State, frame: HitsFrame) -> bool:
    """Return whether the Reaction player must name the unit that keeps the last step (9.2F-5, 9-d)."""
    if frame.ground or frame.saved is not None or frame.intrinsic:
        return False
    hits_to_assign = remaining_hits(state, frame)
    return (
        hits_to_assign.on_ground
        and len(hits_to_assign.alive) > 1
        and frame.hits >= _total_cost(state, frame, hits_to_assign)
    )


def _total_cost(state: State, frame: HitsFrame, hits_to_assign: RemainingHits) -> int:
    """Return the number of hits needed to remove all steps of the surviving targets."""
    return sum(
        hits_to_assign.costs[unit]
        + (_last_step_cost(state, frame, unit) if unit in hits_to_assign.full else 0)
        for unit in hits_to_assign.alive
    )


def _last_step_cost(state: State, frame: HitsFrame, unit: UnitId) -> int:
    """Return the number of hits needed to remove a unit's last step."""
    return defense_strength(state, frame.hex, unit, is_ground=frame.ground, steps=1)


def default_saved_unit(state: State, frame: HitsFrame) -> UnitId:
    """Return the target with the highest attack strength when reduced; in a tie, the lowest id (9-d)."""

    def order(unit: UnitId) -> tuple[int, UnitId]:
        return -counters()[unit].strength(1).attack, unit

    return min(remaining_hits(state, frame).alive, key=order)


def weak_targets(state: State, frame: HitsFrame) -> tuple[UnitId, ...]:
    """If a critical hit is too weak for any target, return the targets with the lowest defence (9.2F-6).

    Otherwise return an empty tuple.
    """
    hits_to_assign = remaining_hits(state, frame)
    if (
        not frame.critical
        or frame.lost
        or frame.fallen
        or hits_to_assign.options
        or not hits_to_assign.any_price
    ):
        return ()
    lowest_cost = min(hits_to_assign.costs[unit] for unit in hits_to_assign.any_price)
    return tuple(
        unit for unit in hits_to_assign.any_price if hits_to_assign.costs[unit] == lowest_cost
    )


def default_weak_target(state: State, frame: HitsFrame) -> UnitId:
    """Of these weak targets, return the one with the lowest attack strength; in a tie, the lowest id (9-e)."""

    def order(unit: UnitId) -> tuple[int, UnitId]:
        return (0 if unit == INTRINSIC else attack_strength(state, frame.hex, unit).attack), unit

    return min(weak_targets(state, frame), key=order)


def has_no_choice(state: State, frame: HitsFrame) -> bool:
    """Return whether every legal way to assign the next hit leads to the same result (9-b, 9-g).

    This is true if there is at most one option, or if there are enough hits for all steps that may be lost. While
    full-strength units must be hit first, it is enough that the hits can reduce all of these units.
    """
    hits_to_assign = remaining_hits(state, frame)
    if len(hits_to_assign.options) <= 1:
        return True
    if hits_to_assign.full and not frame.critical:
        flips = sum(hits_to_assign.costs[unit] for unit in hits_to_assign.full)
        return flips <= frame.hits and _has_matches_for(state, frame, hits_to_assign.full)
    spared_cost = 0 if frame.saved is None else _last_step_cost(state, frame, frame.saved)  # F-5
    return _total_cost(
        state, frame, hits_to_assign
    ) - spared_cost <= frame.hits and _has_matches_for(state, frame, hits_to_assign.alive)


def _has_matches_for(state: State, frame: HitsFrame, units: Collection[UnitId]) -> bool:
    wanted_roles = [
        unit for unit in units if unit not in frame.matched and needs_match(state, frame, unit)
    ]
    return len(frame.matched) + len(wanted_roles) <= frame.matches


def hit_deciders(state: State, frame: HitsFrame) -> tuple[Side, ...]:
    """Return the side that chooses the next target, in a tuple that is empty if there is no choice.

    The Reaction player makes decisions 9-d (OPB-33) and 9-e. The side that rolled makes all others.
    """
    if needs_saved(state, frame) or len(weak_targets(state, frame)) > 1:
        return (current_offensive(state).side.enemy,)
    return () if has_no_choice(state, frame) else (frame.side,)
