"""Assigning hits one step at a time (9.2F, 9.4B, decisions 9-b to 9-e, 9-g)."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from engine.eots.ch09_battle.hits import (
    asked_for_hits,
    check_hit,
    check_save,
    check_weak,
    needs_match,
    needs_saved,
    rule_of,
    saved_default,
    standing,
    weak_default,
    weak_targets,
)
from engine.eots.ch09_battle.participants import INTRINSIC
from engine.eots.commands import EotsCommand, Hit, SaveStep, WeakCritical
from engine.eots.events.battle import HitsLost, IntrinsicLost
from engine.eots.flow import EotsDecision, EotsRun, Handler
from engine.eots.frames import BattleFrame, HitsFrame
from engine.eots.ids import Side, UnitId
from engine.eots.state import State
from engine.eots.step_losses import lose_step
from engine.kernel.decision import Decision
from engine.kernel.ids import Refusal, Role


def take_step(run: EotsRun, frame: HitsFrame, unit: UnitId, cost: int) -> None:
    """Let a target lose one step and pay for it (9.2F-1, 9.4B-2)."""
    left = frame.hits - cost
    if unit == INTRINSIC:
        run.add(IntrinsicLost(rule=rule_of(frame), at=frame.hex, count=1))
        run.replace(
            replace(frame, hits=left, intrinsic=frame.intrinsic - 1, fallen=frame.fallen + 1),
        )
        return
    matched = frame.matched
    if not frame.ground and unit not in matched and needs_match(run.state, frame, unit):
        matched = (*matched, unit)
    lose_step(run, unit, rule_of(frame))
    run.replace(replace(frame, hits=left, matched=matched, lost=(*frame.lost, unit)))


def finish(run: EotsRun, frame: HitsFrame) -> None:
    """Lose what is left of the hits and tell the battle which steps were lost (9.2F-3, 9.4B-4)."""
    if frame.hits:
        run.add(HitsLost(rule=rule_of(frame), at=frame.hex, side=frame.side, hits=frame.hits))
    run.leave()
    battle = run.state.frames[-1]
    assert isinstance(battle, BattleFrame)
    run.replace(
        replace(
            battle,
            lost=(*battle.lost, *frame.lost),
            fallen=battle.fallen + frame.fallen,
            intrinsic=battle.intrinsic - frame.fallen,
        ),
    )


class HitsHandler(Handler[HitsFrame]):
    """The roller assigns hits until no legal step is affordable (OPB-9)."""

    frame = HitsFrame

    def asked(self, state: State, frame: HitsFrame) -> tuple[Side, ...]:
        """Ask whoever has a choice."""
        return asked_for_hits(state, frame)

    def decision(self, state: State, frame: HitsFrame, side: Side) -> EotsDecision:
        """Ask for the step to keep, the weakest target, or the next target."""
        options: tuple[EotsCommand, ...]
        default: EotsCommand
        if needs_saved(state, frame):
            prompt = f"Name the ground unit in {frame.hex} that keeps the last step"
            options = tuple(SaveStep(unit=unit) for unit in standing(state, frame).alive)
            default = SaveStep(unit=saved_default(state, frame))
        elif weak_targets(state, frame):
            prompt = f"Name the weakest unit that loses a step to the critical hit at {frame.hex}"
            options = tuple(WeakCritical(unit=unit) for unit in weak_targets(state, frame))
            default = WeakCritical(unit=weak_default(state, frame))
        else:
            prompt = f"Assign hits at {frame.hex}: {frame.hits} left"
            options = tuple(Hit(unit=unit) for unit in standing(state, frame).options)
            default = options[0]
        return Decision(
            role=Role(side.value),
            rule=rule_of(frame),
            prompt=prompt,
            options=options,
            default=default,
        )

    def resolve(self, run: EotsRun, frame: HitsFrame, side: Side, command: EotsCommand) -> None:
        """Take the step, or note the choice."""
        del side
        match command:
            case Hit(unit=unit):
                take_step(run, frame, unit, standing(run.state, frame).costs[unit])
            case SaveStep(unit=unit):
                run.replace(replace(frame, saved=unit))
            case WeakCritical(unit=unit):
                take_step(run, frame, unit, frame.hits)
            case _:
                raise AssertionError(f"{command} was not offered")

    def step(self, run: EotsRun, frame: HitsFrame) -> None:
        """Take a step that is no choice, or finish."""
        state = run.state
        now = standing(state, frame)
        weakest = weak_targets(state, frame)
        if weakest:
            take_step(run, frame, weakest[0], frame.hits)
        elif now.options:
            take_step(run, frame, now.options[0], now.costs[now.options[0]])
        else:
            finish(run, frame)

    def why_not(
        self, state: State, frame: HitsFrame, side: Side, command: EotsCommand
    ) -> Iterator[Refusal]:
        """Yield the rules against a target."""
        del side
        match command:
            case Hit(unit=unit):
                yield from check_hit(state, frame, unit)
            case SaveStep(unit=unit):
                yield from check_save(state, frame, unit)
            case WeakCritical(unit=unit):
                yield from check_weak(state, frame, unit)
            case _:
                yield Refusal(rule_of(frame), f"hits are being assigned at {frame.hex} now")


HANDLERS: Final = (HitsHandler(),)
