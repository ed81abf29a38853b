"""Event steps that change shipping points, affect a later turn, or remove units from the game (C4.2)."""

from engine.eots.counters import counters
from engine.eots.deck_campaign import (
    DelayReinforcements,
    RemoveUnit,
    ReplacementPenalty,
    ScheduleReinforcement,
)
from engine.eots.deck_offensive import AspPermanent
from engine.eots.events.tracks import AspLevelChanged, GroundStepsCut, ReinforcementsDelayed
from engine.eots.events.units import UnitRemoved, UnitScheduled
from engine.eots.flow import EotsRun
from engine.eots.ids import CHINA_BOX, Side
from engine.eots.state import EVENT
from engine.kernel.ids import Rule

ScheduleStep = (
    AspPermanent | DelayReinforcements | RemoveUnit | ReplacementPenalty | ScheduleReinforcement
)


def change_schedule(run: EotsRun, step: ScheduleStep, rule: Rule) -> None:
    """Carry out a step that changes shipping points, affects a later turn or removes a unit from the game.

    A turn offset of 1 is the next turn.
    """
    state = run.state
    match step:
        case AspPermanent(side=side, delta=delta, floor=floor):  # 10.31, 10.32
            tracks = state.tracks
            level = tracks.japan_asp if side is Side.JAPAN else tracks.allied_asp
            new_level = max(level + delta, floor)
            if new_level != level:
                run.add(AspLevelChanged(rule=rule, side=side, level=new_level))
        case DelayReinforcements(turn_offset=offset):  # 10.21
            run.add(ReinforcementsDelayed(rule=rule, turn=state.turn + offset))
        case RemoveUnit(unit=unit):
            if state.units[unit].is_on_map or state.units[unit].at == CHINA_BOX:
                run.add(UnitRemoved(rule=rule, unit=unit))
        case ReplacementPenalty(lose=lose, turn_offset=offset):  # CP-26
            run.add(GroundStepsCut(rule=rule, turn=state.turn + offset, steps=lose))
        case ScheduleReinforcement(unit=unit, turn_offset=offset, delayable=is_delayable):
            if state.units[unit].at == EVENT:
                steps = counters()[unit].max_steps
                turn = state.turn + offset
                run.add(
                    UnitScheduled(
                        rule=rule, unit=unit, turn=turn, steps=steps, delayable=is_delayable
                    )
                )
