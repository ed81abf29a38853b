"""Taking a step from a unit: flipped when it has two, eliminated when it has one (9.2F, 9.4B)."""

from engine.eots.events.units import StepLost, UnitEliminated
from engine.eots.flow import EotsRun
from engine.eots.ids import UnitId
from engine.kernel.ids import Rule


def lose_step(run: EotsRun, unit: UnitId, rule: Rule) -> None:
    """Let a unit on the map lose one step; the log says so when that was its last one (9.2F-1, 9.4B-2)."""
    last = run.state.units[unit].steps == 1
    run.add(UnitEliminated(rule=rule, unit=unit) if last else StepLost(rule=rule, unit=unit))
