"""Ids of forces never leave the state: commands, events, positions and views depend only on counters (9.11)."""

import pickle

import msgspec
import pytest
from msgspec.structs import replace

from engine.cbps.commands import CbpsCommand
from engine.cbps.events.base import CbpsEvent
from engine.cbps.force_ids import counter_of, with_renamed_forces
from engine.cbps.position import position_from_state, state_from_position
from engine.cbps.ruleset import CBPS
from engine.cbps.state import State
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from tests.engine.cbps.battle import battle
from tests.engine.cbps.random_games import SCENARIOS, game, walk
from tests.sizes import sampled

WITH_BUTAI = ("5", "6", "7", "8", "9")
"""Scenarios whose forces can get other counters."""


def disguised(state: State) -> State:
    """Return a state in which every force has another id and the same counter."""
    ids = {force: f"id {number}" for number, force in enumerate({**state.counters, **state.forces})}
    return replace(
        with_renamed_forces(state, lambda name: ids.get(name, name)),
        counters={ids[force]: counter_of(state, force) for force in ids},
    )


def shown(state: State) -> object:
    """Return everything that a player, a record or a saved position can contain about a state."""
    roles = CBPS.active_roles(state)
    return (
        CBPS.to_position(state),
        [CBPS.project(state, role) for role in (*CBPS.roles(state), None)],
        [CBPS.decision(state, role) for role in roles],
        [CBPS.free_actions(state, role) for role in CBPS.roles(state)],
        CBPS.heading(state),
        list(CBPS.violations(state)),
    )


def decided(state: State, role: Role, command: CbpsCommand) -> tuple[CbpsEvent, ...]:
    """Return the events of a command with fixed dice."""
    return tuple(CBPS.decide(state, role, command, DerivedDice(bytes(32), 7)))


@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 1))
def test_force_ids_do_not_affect_anything_outside_the_state(scenario: str) -> None:
    for step in game(scenario):
        other = disguised(step.state)
        assert shown(other) == shown(step.state)
        events = decided(step.state, step.role, step.command)
        assert decided(other, step.role, step.command) == events
        assert shown(CBPS.fold(other, events)) == shown(CBPS.fold(step.state, events))


@pytest.mark.parametrize("scenario", sampled(WITH_BUTAI, 2))
def test_tested_games_include_replaced_counters(scenario: str) -> None:
    states = [step.state for step in game(scenario)]
    assert any(counter_of(state, force) != force for state in states for force in state.forces)


@pytest.mark.parametrize("scenario", sampled(WITH_BUTAI, 2))
def test_a_game_started_from_a_position_looks_the_same(scenario: str) -> None:
    """Its forces have other ids, because a position contains only counters."""
    for step in game(scenario):
        again = state_from_position(position_from_state(step.state))
        assert shown(again) == shown(step.state)
        assert decided(again, step.role, step.command) == decided(
            step.state, step.role, step.command
        )


@pytest.mark.parametrize("scenario", sampled(WITH_BUTAI, 2))
def test_a_snapshot_keeps_force_ids(scenario: str) -> None:
    for step in game(scenario):
        cached = CBPS.to_cache(step.state)
        data = msgspec.msgpack.encode(cached)
        assert CBPS.from_cache(msgspec.msgpack.decode(data, type=type(cached))) == step.state
        assert pickle.loads(pickle.dumps(step.state)) == step.state


@pytest.mark.full
def test_a_force_id_is_never_reused() -> None:
    ids: dict[str, str] = {}
    for step in walk("8", 3):
        for force in step.state.forces:
            counter_at_arrival = force.partition("#")[0]
            assert ids.setdefault(force, counter_at_arrival) == counter_at_arrival
        assert len({counter_of(step.state, force) for force in step.state.forces}) == len(
            step.state.forces
        )


def test_a_counter_can_be_derived_from_an_id_before_the_force_arrives() -> None:
    """Only ids of forces are read like this: custom data may contain any name."""
    state = battle("6")
    assert [counter_of(state, name) for name in ("A#2", "x#1", "zuikaku")] == [
        "A",
        "x#1",
        "zuikaku",
    ]
