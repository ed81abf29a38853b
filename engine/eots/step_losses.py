"""Taking a step from a unit: flipped when it has two, eliminated when it has one (9.2F, 9.4B)."""

from engine.eots.events.units import StepLost, UnitEliminated
from engine.eots.flow import EotsLedger
from engine.eots.ids import UnitId
from engine.kernel.ids import Rule


def lose_step(ledger: EotsLedger, unit: UnitId, rule: Rule) -> None:
    """Let a unit on the map lose one step; the log says so when that was its last one (9.2F-1, 9.4B-2)."""
    last = ledger.state.units[unit].steps == 1
    ledger.add(UnitEliminated(rule=rule, unit=unit) if last else StepLost(rule=rule, unit=unit))
