"""Sets of hexes: distances by growing sets, and supply computed for many hexes at once (0.2, 6.21)."""

import random
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from engine.bots.random_player import Habit, RandomPlayer
from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import (
    BoardBitsets,
    south_pacific_map,
    whole_map,
    within_distance,
)
from engine.eots.ch06_supply.network import build_network, profile
from engine.eots.ch06_supply.projection import is_air_capable
from engine.eots.ch06_supply.solution import solution
from engine.eots.ch06_supply.supply import supplying_hexes
from engine.eots.counters import counters
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.ruleset import EOTS
from engine.eots.state import State
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from tests.golden_games.corpus import positions as golden_positions
from tests.golden_games.corpus import read


@pytest.mark.parametrize(
    "ground",
    [
        pytest.param(whole_map(), id="0.2-whole-map"),
        pytest.param(south_pacific_map(), id="0.2-south-pacific"),
    ],
)
def test_growing_a_set_matches_straight_distances(ground: BoardBitsets) -> None:
    chance = random.Random(2)
    corners = [0, 1, len(board().ids) // 2, len(board().ids) - 1]
    for index in [*corners, *chance.sample(range(len(board().ids)), 60)]:
        for distance in (0, 1, 2, 3, 7, 15):
            wanted = ground.from_indexes(board().within(index, distance))
            assert within_distance(ground, ground.bit_by_index[index], distance) == wanted
        assert ground.around[board().ids[index]] == ground.from_indexes(board().within(index, 2))


def test_growing_a_set_equals_growing_each_hex() -> None:
    ground = whole_map()
    some = [3, 400, 401, 900]
    each = 0
    for index in some:
        each |= within_distance(ground, ground.bit_by_index[index], 5)
    assert within_distance(ground, ground.from_indexes(some), 5) == each
    assert within_distance(ground, 0, 5) == 0


def positions() -> Iterator[State]:
    """Yield positions of random games, some of them during offensives."""
    rules: AnyRuleset = EOTS
    for seed in range(3):
        player = RandomPlayer(DerivedDice(bytes([seed]) * 32, 0), list(Habit)[seed])
        state: State = rules.fold(
            State(), rules.open_game(rules.position("1943", {}), DerivedDice(bytes(32), 0))
        )
        view = rules.project(state, Role("allied"))
        for step in range(100):
            if not (asked := rules.active_roles(state)):
                break
            if step % 8 == 0:
                yield state
            command = player.choose(view, rules.decision(state, asked[0]))
            state = rules.fold(
                state, rules.decide(state, asked[0], command, DerivedDice(bytes(32), step + 1))
            )


def is_supplied_one_by_one(state: State, unit: UnitId, at: HexId) -> bool:
    """Return the result of 6.21 for one hex: without the unit's own zone, or with the unit in the hex."""
    solved, side = solution(state), counters()[unit].side
    key, bit = solved.networks[side].key, solved.occupancy.bitsets.bit_by_id[at]
    if side is Side.JAPAN and at == state.tracks.tokyo_express:
        return True
    if not is_air_capable(unit):
        return solved.networks[side].supplies(unit, bit)
    gone = solved.zoi.without_units((unit,))
    return any(
        build_network(state, key, zones.open_zones[side.enemy]).supplies(unit, bit)
        for zones in (gone, gone.with_passing_units((unit,), at))
    )


def test_supply_of_many_hexes_equals_supply_of_each() -> None:
    chance = random.Random(6)
    ground, checked = whole_map(), 0
    for state in positions():
        units = [
            unit
            for unit, piece in sorted(state.units.items())
            if piece.is_on_map and not counters()[unit].is_hq
        ]
        for unit in chance.sample(units, 6):
            some = chance.sample(board().ids, 25)
            found = supplying_hexes(state, unit, ground.from_hexes(some))
            wanted = [at for at in some if is_supplied_one_by_one(state, unit, at)]
            assert found == ground.from_hexes(wanted), (unit, some)
            checked += len(wanted)
    assert checked > 200


def test_folding_all_events_equals_folding_each_event() -> None:
    rules: AnyRuleset = EOTS
    state = rules.fold(
        rules.initial_state(),
        rules.open_game(rules.position("1943", {}), DerivedDice(bytes(32), 0)),
    )
    role = rules.active_roles(state)[0]
    command = rules.decision(state, role).options[0]
    events = rules.decide(state, role, command, DerivedDice(bytes(32), 1))
    quick = rules.fold(state, events)
    slow = state
    for event in events:
        slow = rules.evolve(slow, event)
    assert quick == slow
    assert quick is rules.fold(state, events)
    other = rules.fold(rules.fold(state, events[:1]), events[1:])
    assert other == slow


@pytest.mark.full
def test_inherited_supply_equals_recomputed_supply() -> None:
    wanted = sorted({profile(unit) for unit, counter in counters().items() if not counter.is_hq})
    _, records = read("eots-1943-44-busy-mixed")
    activated = 0
    for record, state in golden_positions(EOTS, records):
        held, anew = solution(state), solution(replace(state))
        assert held is not anew
        assert held.zoi.open_zones == anew.zoi.open_zones, record.seq
        activated += bool(held.activated_units)
        for side in Side:
            one, other = held.networks[side], anew.networks[side]
            assert one.supplied_hqs == other.supplied_hqs
            assert one.eligible_ports == other.eligible_ports
            assert [one.area(each) for each in wanted] == [other.area(each) for each in wanted]
    assert activated
