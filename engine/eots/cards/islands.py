"""Event step that captures the islands next to a landing (A-28)."""

from engine.eots.board import board
from engine.eots.ch06_supply.control import controls, is_vacant_for
from engine.eots.counters import counters
from engine.eots.flow import EotsRun
from engine.eots.hex_control import capture_hexes
from engine.eots.ids import AreaId, HexId, Side
from engine.eots.state import State, current_offensive
from engine.kernel.ids import Rule

_ISLANDS = AreaId("one-hex-island")


def vacant_landings(state: State) -> tuple[HexId, ...]:
    """Return the one-hex islands without enemy units where Offensive units have landed."""
    islands, side = board().areas[_ISLANDS].hexes, current_offensive(state).side
    landings = {
        HexId(state.units[unit].at)
        for unit, move in current_offensive(state).moved.items()
        if counters()[unit].side is side
        and counters()[unit].is_ground
        and move.mode.is_landing
        and state.units[unit].at in islands
        and is_vacant_for(state, side.enemy, state.units[unit].at)
    }
    return tuple(sorted(landings))


def take_islands(run: EotsRun, side: Side, rule: Rule) -> None:
    """Capture the one-hex islands without enemy units next to a landing in a vacant hex."""
    state = run.state
    landings = vacant_landings(state)
    hexes_gained = tuple(
        hex_id
        for hex_id in board().areas[_ISLANDS].hexes
        if any(board().distance(hex_id, landing) == 1 for landing in landings)
        and is_vacant_for(state, side.enemy, hex_id)
        and not controls(state, side, hex_id)
    )
    capture_hexes(run, side, hexes_gained, rule)
