"""Applies step losses and removes counters from the map (9.2F, 9.4B, 6.13, 6.14)."""

from engine.eots.counters import counters
from engine.eots.events.units import StepLost, UnitEliminated, UnitRemoved, UnitScheduled
from engine.eots.flow import EotsRun
from engine.eots.ids import UnitId
from engine.kernel.ids import Rule


def lose_step(run: EotsRun, unit: UnitId, rule: Rule) -> None:
    """Remove one step from a unit on the map. The loss of the last step eliminates the unit (9.2F-1, 9.4B-2)."""
    is_last_step = run.state.units[unit].steps == 1
    run.add(
        UnitEliminated(rule=rule, unit=unit) if is_last_step else StepLost(rule=rule, unit=unit)
    )


def remove_hq(run: EotsRun, hq: UnitId, rule: Rule) -> None:
    """Remove an HQ from the map. A dotted HQ leaves the game. Any other HQ returns next turn (6.13, 6.14)."""
    move_to_turn_track(run, hq, rule)


def move_to_turn_track(
    run: EotsRun, unit: UnitId, rule: Rule, *, turns: int = 1, is_delayable: bool = False
) -> None:
    """Move a unit to the turn track, to return in a later turn. A pre-war unit never returns (8.24, 8.33, 11.1)."""
    if counters()[unit].prewar:
        run.add(UnitRemoved(rule=rule, unit=unit))
        return
    turn, steps = run.state.turn + turns, run.state.units[unit].steps
    run.add(UnitScheduled(rule=rule, unit=unit, turn=turn, steps=steps, delayable=is_delayable))
