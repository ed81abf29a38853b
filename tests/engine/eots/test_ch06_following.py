"""Supply derived from results for earlier positions equals supply computed from scratch (6.2, 6.4, OP-5)."""

from random import Random

import pytest
from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch06_supply.network import Network, NetworkKey, is_dominated
from engine.eots.ch06_supply.profiles import profile
from engine.eots.ch06_supply.solution import solution
from engine.eots.ch06_supply.supply import supply
from engine.eots.counters import counters
from engine.eots.ids import HexId, Side
from engine.eots.state import Piece, State
from engine.kernel.memo import inherit_cache
from tests.engine.eots.positions import start_of

SEA = tuple(at for at, row in board().hexes.items() if row.is_sea)
PROFILES = tuple(
    dict.fromkeys(profile(unit) for unit, counter in counters().items() if not counter.is_hq)
)


def shown(state: State) -> object:
    """Return the results of supply and zones for every unit and hex."""
    found, zones = supply(state), solution(state).zoi
    units = [unit for unit, piece in state.units.items() if piece.is_on_map]
    return [found.is_supplied(unit) for unit in units], zones.open_zones, zones.exerted


@pytest.mark.parametrize("seed", [pytest.param(n, id=f"6.21-game-{n}") for n in range(3)])
def test_incremental_supply_equals_supply_computed_from_scratch(seed: int) -> None:
    chance = Random(seed)
    state = start_of("1943")
    movers = [unit for unit, piece in state.units.items() if piece.is_on_map]
    places = [state.units[unit].at for unit in movers]
    for _ in range(12):
        unit = chance.choice(movers)
        to = chance.choice(SEA if counters()[unit].is_naval else places)
        units = {**state.units, unit: Piece(to, state.units[unit].steps)}
        control = state.control
        if chance.random() < 1 / 4:
            control = {**control, HexId(chance.choice(places)): chance.choice(tuple(Side))}
        state = inherit_cache(state, replace(state, units=units, control=control))
        assert shown(state) == shown(replace(state)), (unit, to)


def fewer(key: NetworkKey, chance: Random) -> NetworkKey:
    """Return a key with some hexes removed, none of them an HQ's."""
    ground = key.bitsets
    bits = [ground.bit_by_id[at] for at in chance.sample(tuple(ground.bit_by_id), 40)]
    gone = sum(bits) & ~ground.from_hexes(at for _, at in key.hqs)
    return key._replace(
        free_hexes=key.free_hexes & ~gone,
        open_hexes=key.open_hexes & ~gone,
        controlled=key.controlled & ~gone,
        fast_hexes=key.fast_hexes & ~gone,
    )


@pytest.mark.parametrize("side", [Side.ALLIED, Side.JAPAN])
def test_a_larger_network_supplies_everything_a_smaller_one_does(side: Side) -> None:
    chance = Random(6)
    high = solution(start_of("1944")).networks[side]
    for _ in range(4):
        low = Network(fewer(high.key, chance), [])
        assert is_dominated(low.key, high.key)
        for wanted in PROFILES:
            found = low.area(wanted)
            assert not found & ~high.area(wanted), wanted
            assert Network(high.key, [low]).supplies_everywhere(wanted, found)
