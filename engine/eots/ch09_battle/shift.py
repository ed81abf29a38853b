"""The range advantage of Japanese carriers: one step loss may be shifted (9.2F-7, decision 9-f, OPB-5)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.commands import EotsCommand, Pass, ShiftStep
from engine.eots.counters import counters
from engine.eots.events.units import StepGained, UnitPlaced
from engine.eots.flow import EotsRun
from engine.eots.frames import BattleFrame
from engine.eots.ids import Side, UnitId
from engine.eots.state import State
from engine.eots.step_losses import lose_step
from engine.kernel.ids import Refusal, Rule

RULE: Final = Rule("9.2")
LEAST_CARRIERS: Final = 2


def carriers(frame: BattleFrame) -> tuple[UnitId, ...]:
    """Return the Japanese carriers that took part, eliminated ones included."""
    return tuple(
        unit
        for unit in frame.participants
        if counters()[unit].carrier and counters()[unit].side is Side.JAPAN
    )


def check_shift(
    state: State, frame: BattleFrame, loser: UnitId, gainer: UnitId
) -> Iterator[Refusal]:
    """Yield why a step loss may not be shifted from one carrier to another (9.2F-7)."""
    fleet = carriers(frame)
    if Side.ALLIED in frame.critical:
        yield Refusal(RULE, "the Allied player scored a critical hit")
    if len(fleet) < LEAST_CARRIERS:
        yield Refusal(RULE, "fewer than two Japanese carriers took part")
    for unit in (loser, gainer):
        if unit not in fleet:
            yield Refusal(RULE, f"{unit} is no Japanese carrier of this battle")
    if loser == gainer:
        yield Refusal(RULE, "the loss goes to another carrier")
    if gainer not in frame.lost:
        yield Refusal(RULE, f"{gainer} lost no step in this combat")
    if loser in fleet and not state.units[loser].is_on_map:
        yield Refusal(RULE, f"{loser} has no step left")


def shift_options(state: State, frame: BattleFrame) -> tuple[EotsCommand, ...]:
    """Return every shift, by loser, then gainer, and the refusal of it; empty when no shift is legal."""
    fleet = carriers(frame)
    if Side.ALLIED in frame.critical or len(fleet) < LEAST_CARRIERS:
        return ()
    shifts: tuple[EotsCommand, ...] = tuple(
        ShiftStep(loser=loser, gainer=gainer)
        for loser in fleet
        for gainer in fleet
        if next(check_shift(state, frame, loser, gainer), None) is None
    )
    return (*shifts, Pass()) if shifts else ()


def shift(run: EotsRun, frame: BattleFrame, loser: UnitId, gainer: UnitId) -> None:
    """Move one step loss; an eliminated carrier returns reduced to where it fought (9.2F-7)."""
    lose_step(run, loser, RULE)
    if run.state.units[gainer].is_on_map:
        run.add(StepGained(rule=RULE, unit=gainer))
        return
    place = frame.places[frame.participants.index(gainer)]
    run.add(UnitPlaced(rule=RULE, unit=gainer, at=place, steps=1))
