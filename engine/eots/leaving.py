"""Counters that lose a step or leave the map (9.2F, 9.4B, 6.13, 6.14)."""

from engine.eots.counters import counters
from engine.eots.events.units import StepLost, UnitEliminated, UnitRemoved, UnitScheduled
from engine.eots.flow import EotsRun
from engine.eots.ids import UnitId
from engine.kernel.ids import Rule


def lose_step(run: EotsRun, unit: UnitId, rule: Rule) -> None:
    """Let a unit on the map lose one step; the log says so when that was its last one (9.2F-1, 9.4B-2)."""
    last = run.state.units[unit].steps == 1
    run.add(UnitEliminated(rule=rule, unit=unit) if last else StepLost(rule=rule, unit=unit))


def take_off(run: EotsRun, hq: UnitId, rule: Rule) -> None:
    """Take an HQ off the map: a dotted one for good, another to the next turn of the track (6.13, 6.14)."""
    to_turn_track(run, hq, rule)


def to_turn_track(
    run: EotsRun, unit: UnitId, rule: Rule, *, turns: int = 1, delayable: bool = False
) -> None:
    """Take a unit off the map until so many turns later; a pre-war one does not come back (8.24, 8.33, 11.1)."""
    if counters()[unit].prewar:
        run.add(UnitRemoved(rule=rule, unit=unit))
        return
    turn, steps = run.state.turn + turns, run.state.units[unit].steps
    run.add(UnitScheduled(rule=rule, unit=unit, turn=turn, steps=steps, delayable=delayable))
