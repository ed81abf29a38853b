"""Air zones of influence in a position and around moving stacks (6.4)."""

from engine.eots.ch06_supply.projection import Zoi, is_air_capable
from engine.eots.ch06_supply.solution import solution
from engine.eots.ids import UnitId
from engine.eots.state import State

__all__ = ["Zoi", "zoi", "zoi_with_stack_at", "zoi_without_units"]


def zoi(state: State) -> Zoi:
    """Return both sides' zones, projected by units that are in supply or activated (6.4, OP-5); cached."""
    return solution(state).zoi


def zoi_with_stack_at(state: State, moving: tuple[UnitId, ...], index: int) -> Zoi:
    """Return the zones while a stack passes through a hex, given by index (6.4).

    The supply of all other units stays as it was when the stack began its leg.
    """
    base = zoi(state)
    fliers = tuple(unit for unit in moving if is_air_capable(unit))
    if not fliers:
        return base
    place = base.bitsets.board.ids[index]
    if all(base.at.get(unit) == place for unit in fliers):
        return base
    return base.without_units(fliers).with_passing_units(fliers, place)


def zoi_without_units(state: State, units: tuple[UnitId, ...]) -> Zoi:
    """Return the zones while these units, moving strategically, project none (6.4)."""
    return zoi(state).without_units(units)
