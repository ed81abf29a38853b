"""Assignment of hits, one step at a time (9.2F, 9.4B, decisions 9-b to 9-e, 9-g)."""

from collections.abc import Iterator

from msgspec.structs import replace
from typing_extensions import override

from engine.eots.ch09_battle.hits import (
    default_saved_unit,
    default_weak_target,
    hit_deciders,
    hits_rule,
    limit_refusals,
    needs_match,
    needs_saved,
    remaining_hits,
    weak_targets,
)
from engine.eots.ch09_battle.participants import INTRINSIC
from engine.eots.commands import EotsCommand, Hit, SaveStep, WeakCritical
from engine.eots.events.battle import HitsLost, IntrinsicLost
from engine.eots.flow import DecisionHandler, EotsRun, Naming
from engine.eots.frames import BattleFrame, HitsFrame
from engine.eots.ids import Side, UnitId
from engine.eots.state import State
from engine.eots.unit_removal import lose_step
from engine.kernel.ids import Refusal, Rule
from engine.kernel.sentences import count_noun, pluralise


def take_step(run: EotsRun, frame: HitsFrame, unit: UnitId, cost: int) -> None:
    """Remove one step from a target and deduct the step's cost from the hits (9.2F-1, 9.4B-2)."""
    hits_left = frame.hits - cost
    if unit == INTRINSIC:
        run.add(IntrinsicLost(rule=hits_rule(frame), at=frame.hex, count=1))
        run.replace_top(
            replace(frame, hits=hits_left, intrinsic=frame.intrinsic - 1, fallen=frame.fallen + 1),
        )
        return
    matched_count = frame.matched
    if not frame.ground and unit not in matched_count and needs_match(run.state, frame, unit):
        matched_count = (*matched_count, unit)
    lose_step(run, unit, hits_rule(frame))
    run.replace_top(replace(frame, hits=hits_left, matched=matched_count, lost=(*frame.lost, unit)))


def finish_hits(run: EotsRun, frame: HitsFrame) -> None:
    """Drop the remaining hits and add the step losses to the battle frame (9.2F-3, 9.4B-4)."""
    if frame.hits:
        run.add(HitsLost(rule=hits_rule(frame), at=frame.hex, side=frame.side, hits=frame.hits))
    run.pop()
    battle = run.state.frames[-1]
    assert isinstance(battle, BattleFrame)
    run.replace_top(
        replace(
            battle,
            lost=(*battle.lost, *frame.lost),
            fallen=battle.fallen + frame.fallen,
            intrinsic=battle.intrinsic - frame.fallen,
        ),
    )


def _saved_unit_refusals(
    state: State, frame: HitsFrame, _: Side, unit: UnitId
) -> Iterator[Refusal]:
    """Yield the reasons why a unit cannot be chosen to keep the last step (9.2F-5, 9-d)."""
    if not needs_saved(state, frame):
        yield Refusal(Rule("9.2"), "no ground unit needs to be named now")
    elif unit not in remaining_hits(state, frame).alive:
        yield Refusal(Rule("9.2"), f"{unit} is not a ground unit in this battle")


def _weakest_unit_refusals(
    state: State, frame: HitsFrame, _: Side, unit: UnitId
) -> Iterator[Refusal]:
    """Yield the reasons why a unit may not lose a step to a critical hit too weak for any target (9.2F-6, 9-e)."""
    weakest = weak_targets(state, frame)
    if not weakest:
        yield Refusal(Rule("9.2"), "there is no critical hit too weak to remove a step")
    elif unit not in weakest:
        yield Refusal(Rule("9.2"), f"{unit} is not among the legal targets with the lowest defence")


def hit_refusals(state: State, frame: HitsFrame, _: Side, unit: UnitId) -> Iterator[Refusal]:
    """Yield the reasons why a unit may not lose the next step (9.2F-1 to F-5, 9.4B)."""
    hits_to_assign = remaining_hits(state, frame)
    if unit not in hits_to_assign.costs:
        yield Refusal(hits_rule(frame), f"{unit} is not a target of these hits")
        return
    if needs_saved(state, frame):
        yield Refusal(Rule("9.2"), "first name the ground unit that keeps the last step")
    yield from limit_refusals(state, frame, hits_to_assign, unit)
    if hits_to_assign.costs[unit] > frame.hits:
        remainder = pluralise(frame.hits, "is left", "are left")
        yield Refusal(
            hits_rule(frame),
            f"a step of {unit} costs {count_noun(hits_to_assign.costs[unit], 'hit')}, and {remainder}",
        )


def _apply_hit(run: EotsRun, frame: HitsFrame, _: Side, unit: UnitId) -> None:
    take_step(run, frame, unit, remaining_hits(run.state, frame).costs[unit])


class HitsHandler(DecisionHandler[HitsFrame]):
    """Asks the side that rolled to assign hits until the hits left are too few to remove a step (OPB-9)."""

    frame = HitsFrame
    actions = (
        Naming(
            SaveStep,
            lambda state, frame, _: remaining_hits(state, frame).alive,
            _saved_unit_refusals,
            lambda run, frame, _, unit: run.replace_top(replace(frame, saved=unit)),
        ),
        Naming(
            WeakCritical,
            lambda state, frame, _: weak_targets(state, frame),
            _weakest_unit_refusals,
            lambda run, frame, _, unit: take_step(run, frame, unit, frame.hits),
        ),
        Naming(
            Hit,
            lambda state, frame, _: remaining_hits(state, frame).options,
            hit_refusals,
            _apply_hit,
        ),
    )
    wrong_kind_text = "assign the hits at {frame.hex} first"

    @override
    def active_roles(self, state: State, frame: HitsFrame) -> tuple[Side, ...]:
        return hit_deciders(state, frame)

    @override
    def decision_rule(self, state: State, frame: HitsFrame) -> Rule:
        """Return the rule to cite: 9.4 in ground combat, 9.2 in air-naval combat."""
        return hits_rule(frame)

    @override
    def prompt(self, state: State, frame: HitsFrame, side: Side) -> str:
        """Return the prompt. It asks for the unit that keeps the last step, the weakest target, or the next target."""
        if needs_saved(state, frame):
            return f"Choose the ground unit in {frame.hex} that keeps the last step"
        if weak_targets(state, frame):
            return f"Choose the weakest unit, which loses a step to the critical hit at {frame.hex}"
        return f"Assign hits at {frame.hex}: {frame.hits} left"

    @override
    def default(
        self, state: State, frame: HitsFrame, side: Side, options: tuple[EotsCommand, ...]
    ) -> EotsCommand:
        """Choose the unit that keeps the last step (9-d), the weakest target (9-e), or the first target."""
        match options[0]:
            case SaveStep():
                return SaveStep(unit=default_saved_unit(state, frame))
            case WeakCritical():
                return WeakCritical(unit=default_weak_target(state, frame))
            case first_option:
                return first_option

    @override
    def step(self, run: EotsRun, frame: HitsFrame) -> None:
        """Remove a step if there is no choice. If no step can be removed, finish."""
        state = run.state
        hits_to_assign = remaining_hits(state, frame)
        weakest = weak_targets(state, frame)
        if weakest:
            take_step(run, frame, weakest[0], frame.hits)
        elif hits_to_assign.options:
            take_step(
                run,
                frame,
                hits_to_assign.options[0],
                hits_to_assign.costs[hits_to_assign.options[0]],
            )
        else:
            finish_hits(run, frame)
