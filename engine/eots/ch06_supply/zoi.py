"""Air zones of influence in a position (6.4)."""

from engine.eots.ch06_supply.projection import Zoi
from engine.eots.ch06_supply.solution import solution
from engine.eots.ids import UnitId
from engine.eots.state import State

__all__ = ["Zoi", "zoi", "zoi_without_units"]


def zoi(state: State) -> Zoi:
    """Return both sides' zones. Units in supply and activated units project zones (6.4, OP-5). Results are cached."""
    return solution(state).zoi


def zoi_without_units(state: State, units: tuple[UnitId, ...]) -> Zoi:
    """Return the zones that would exist if these units projected none, as during strategic movement (6.4)."""
    return zoi(state).without_units(units)
