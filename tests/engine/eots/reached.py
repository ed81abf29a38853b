"""The hexes that one HQ reaches by supply lines and activation paths, from the solved networks (6.21A, 6.3)."""

from engine.eots.ch06_supply.lines import supply_reach
from engine.eots.ch06_supply.paths import path_area
from engine.eots.ch06_supply.solution import solution
from engine.eots.counters import counters
from engine.eots.ids import UnitId
from engine.eots.state import State


def line_hexes(state: State, hq: UnitId) -> frozenset[int]:
    """Return the indexes of hexes that supply lines from an HQ reach, including its own hex (6.21A-2, A-3).

    The overland range is not included. The result is empty for an HQ that is out of supply.
    """
    counter, solved = counters()[hq], solution(state)
    network, bitsets = solved.networks[counter.side], solved.occupancy.bitsets
    if hq not in network.supplied_hqs:
        return frozenset()
    assert counter.hq is not None
    start = bitsets.bit_by_id[state.units[hq].at]
    line = supply_reach({counter.hq.command_range: start}, network.steps, network.eligible_ports)
    return frozenset(bitsets.indexes(line.by_sea | line.by_land))


def path_hexes(state: State, hq: UnitId, *, reaction: bool) -> frozenset[int]:
    """Return the indexes of hexes that activation paths from an HQ reach, including its own (6.3, 7.26)."""
    bitsets = solution(state).occupancy.bitsets
    return frozenset(bitsets.indexes(path_area(state, hq, is_reaction=reaction)))
