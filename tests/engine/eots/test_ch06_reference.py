"""Supply, zones and paths against a second, slow implementation on random positions (6.2-6.4, OP-5)."""

from random import Random
from typing import Final

import pytest
from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch06_supply.attrition import attrition
from engine.eots.ch06_supply.supply import burma_road, is_kunming_source, supply, would_be_supplied
from engine.eots.ch06_supply.zoi import zoi
from engine.eots.counters import counters
from engine.eots.ids import CHINA_BOX, AreaId, HexId, Side, UnitId
from engine.eots.rulings import RULINGS
from engine.eots.state import BattleHex, Piece, State
from tests.engine.eots.positions import in_offensive, start_of
from tests.engine.eots.reached import line_hexes, path_hexes
from tests.engine.eots.supply_reference import Answer, SideSupply
from tests.sizes import sized

pytestmark = pytest.mark.series("P4")

SCENARIOS: Final = ("campaign-1941", "1942", "1943", "1944")
POSITIONS: Final = sized(2, 160, 10_000, of="positions whose supply is compared")
BLOCKS: Final = sized(2, 32, 400, of="tests that share these positions")
"""Number of tests that share the positions, because a night may end between two of them."""
COMPARED: Final = (
    "mixed-hexsides",
    "supply-eligible-port",
    "japan-supply-cities",
    "kwai-path",
    "hump-airfields",
)
CLOSED: Final = frozenset(
    h
    for area in ("manchukuo", "soviet-territory", "kunming-area")
    for h in board().areas[AreaId(area)].hexes
)
LAND: Final = tuple(h for h, x in board().hexes.items() if x.is_land and h not in CLOSED)
PORTS: Final = tuple(h for h in LAND if board().hexes[h].port)
AIRFIELDS: Final = tuple(h for h in LAND if board().hexes[h].airfield)
SEA: Final = tuple(h for h, x in board().hexes.items() if x.is_sea)
CBI: Final = tuple(
    h for area in ("burma", "northern-india", "ceylon") for h in board().areas[AreaId(area)].hexes
)


def somewhere(random: Random, unit: UnitId) -> HexId:
    """Return a hex that a unit might be in."""
    counter = counters()[unit]
    if counter.is_naval:
        return random.choice(PORTS + SEA[::8])
    if counter.is_hq:
        return random.choice(PORTS)
    if counter.is_air:
        return random.choice(AIRFIELDS)
    return random.choice(CBI) if random.random() < 0.3 else random.choice(LAND)


def moved(random: Random, state: State) -> State:
    """Return the state with some units moved or removed."""
    pieces = dict(state.units)
    share = random.choice((0.05, 0.2, 0.6))
    for unit, piece in sorted(state.units.items()):
        if not piece.is_on_map and random.random() > 0.15:
            continue
        if random.random() < share:
            steps = random.randint(1, 1 if counters()[unit].is_hq else counters()[unit].max_steps)
            pieces[unit] = Piece(somewhere(random, unit), steps)
        elif random.random() < share / 4:
            pieces[unit] = Piece("eliminated", 0)
    return replace(state, units=pieces)


def flipped(random: Random, state: State) -> State:
    """Return the state with control changed in some hexes and under ground units."""
    control = dict(state.control)
    for hex_id in random.sample(sorted(control), random.randint(0, 60)):
        control[hex_id] = control[hex_id].enemy
    for unit, piece in sorted(state.units.items()):
        if counters()[unit].is_ground and piece.is_on_map and random.random() < 0.8:
            control[HexId(piece.at)] = counters()[unit].side
    return replace(state, control=control)


def tracked(random: Random, state: State) -> State:
    """Return the state with other markers."""
    missing = ("2104", "2105", "2205")
    tracks = replace(
        state.tracks,
        hump=random.random() < 0.5,
        kwai_bridge=random.random() < 0.5,
        no_transport_route=tuple(HexId(h) for h in missing if random.random() < 0.5),
        tokyo_express=random.choice(LAND) if random.random() < 0.2 else None,
        cities_taken=tuple(random.sample(board().areas[AreaId("japanese-islands")].cities, 2))
        if random.random() < 0.2
        else (),
        divisions_in_china=random.randint(0, 12),
    )
    options = {
        one.id: one.alternative for one in RULINGS if one.id in COMPARED and random.random() < 0.15
    }
    return replace(state, tracks=tracks, options=options)


def active(random: Random, state: State) -> State:
    """Return the state, sometimes in the middle of an offensive."""
    if random.random() < 0.6:
        return state
    on_map = [u for u, p in sorted(state.units.items()) if p.is_on_map and not counters()[u].is_hq]
    chosen = {
        side: [u for u in on_map if counters()[u].side is side and random.random() < 0.1]
        for side in Side
    }
    side = random.choice(list(Side))
    result = in_offensive(state, side, activated=chosen[side], reacting=chosen[side.enemy])
    battles = {hex_id: BattleHex() for hex_id in random.sample(LAND, 5)}
    assert result.offensive is not None
    return replace(result, offensive=replace(result.offensive, battles=battles))


def random_position(seed: int) -> State:
    """Return a random position on the whole map."""
    random = Random(seed)
    state = start_of(random.choice(SCENARIOS))
    state = active(random, tracked(random, flipped(random, moved(random, state))))
    if random.random() < 0.1:
        pieces = {u: p for u, p in state.units.items() if not counters()[u].is_air_capable}
        state = replace(state, units=pieces)
    fliers = [
        u for u, p in sorted(state.units.items()) if p.is_on_map and counters()[u].is_air_capable
    ]
    new = random.sample(fliers, min(3, len(fliers))) if random.random() < 0.2 else []
    return replace(state, arrived_air=tuple(new))


def compare_zones(state: State, answer: Answer) -> None:
    zones = zoi(state)
    for side in Side:
        exerted = answer.of.zone(answer.projecting[side])
        hostile = answer.of.open_zone(side, answer.projecting)
        assert {i for i in range(len(board().ids)) if zones.covers(side, i)} == exerted
        assert {i for i in range(len(board().ids)) if zones.is_unneutralised(side, i)} == hostile


def compare_networks(state: State, answer: Answer) -> None:
    lines = supply(state)
    for side in Side:
        slow = answer.supply[side]
        assert set(lines.supplied_hqs(side)) == slow.supplied_hqs
        assert lines.eligible_ports(side) == slow.eligible_ports
        assert lines.eligible_airfields(side) == slow.eligible_airfields
        for hq in slow.supplied_hqs:
            assert line_hexes(state, hq) == {i for i, _ in slow.ends[hq]}
        for hq in answer.of.hqs[side]:
            for reaction in (False, True):
                found = path_hexes(state, hq, reaction=reaction)
                assert found == answer.path_hexes(hq, reaction)
    allied = answer.supply[Side.ALLIED]
    assert (burma_road(state) == "open") is allied.road_is_open
    assert is_kunming_source(state) is (allied.road_is_open or allied.hump_works)


def elsewhere(answer: Answer, unit: UnitId, at: HexId) -> bool:
    """Return whether a unit would be in supply in a hex, with its own zone there and no longer at its old place."""
    state, side = answer.of.state, counters()[unit].side
    there = Answer.__new__(Answer)
    there.of = type(answer.of)(replace(state, units={**state.units, unit: Piece(at, 1)}))
    there.of.standing = answer.of.standing
    fliers = dict(answer.projecting)
    if counters()[unit].is_air_capable:
        fliers[side] |= {unit}
    slow = SideSupply(there.of, side, there.of.open_zone(side.enemy, fliers))
    return slow.supplies(unit, board().index[at])


def compare_position(seed: int) -> None:
    """Compare everything on one random position."""
    state, random = random_position(seed), Random(seed)
    answer, lines = Answer(state), supply(state)
    compare_zones(state, answer)
    compare_networks(state, answer)
    placed = [u for u, p in sorted(state.units.items()) if p.is_on_map or p.at == CHINA_BOX]
    for unit in placed:
        assert lines.is_supplied(unit) is answer.is_supplied(unit), (seed, unit)
    eliminated, reduced = answer.attrition()
    assert attrition(state) == (tuple(eliminated), tuple(reduced))
    for unit in random.sample([u for u in placed if not counters()[u].is_hq], 3):
        at = somewhere(random, unit)
        if state.units[unit].is_on_map:
            expected = elsewhere(answer, unit, at)
            assert would_be_supplied(state, unit, at) is expected, (seed, unit, at)


@pytest.mark.parametrize("block", range(min(BLOCKS, POSITIONS)))
def test_6_21_supply_agrees_with_a_plain_search(block: int) -> None:
    for seed in range(block, POSITIONS, BLOCKS):
        compare_position(seed)
