"""Unit deployment: one derived from the previous one equals one computed from scratch (0.4, 6.4)."""

import random
from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from engine.eots.ch06_supply import deployment as module
from engine.eots.ch06_supply.deployment import Deployment, deployment
from engine.eots.ids import CHINA_BOX, UnitId
from engine.eots.state import ELIMINATED, TURN_TRACK, Piece
from engine.kernel.memo import inherit_cache
from tests.engine.eots.positions import state_1943

PLACES = ("3709", "4024", "2008", "3922", CHINA_BOX, ELIMINATED, TURN_TRACK)


def shown(found: Deployment) -> object:
    return dict(found.places), found.armed, found.anyone, found.hqs, found.fliers


def afresh(units: Mapping[UnitId, Piece]) -> object:
    return shown(module._build_deployment(units))


@pytest.mark.parametrize("most", [pytest.param(n, id=f"0.4-{n}-at-a-time") for n in (1, 3, 8, 30)])
def test_incremental_deployment_equals_a_new_deployment(most: int) -> None:
    chance = random.Random(most)
    state = state_1943()
    units = dict(state.units)
    names = sorted(units)
    for _ in range(150):
        changes = {
            unit: Piece(chance.choice(PLACES), chance.choice((1, 2)))
            for unit in chance.sample(names, chance.randint(1, most))
        }
        units = {**units, **changes}
        state = inherit_cache(state, replace(state, units=units))
        assert shown(deployment(state)) == afresh(units)


def test_step_losses_do_not_change_the_deployment() -> None:
    state = state_1943()
    units = state.units
    before = deployment(state)
    unit = before.fliers[0][0]
    changed = {**units, unit: Piece(units[unit].at, 1)}
    after = deployment(inherit_cache(state, replace(state, units=changed)))
    assert after.places == before.places
    assert after.fliers is before.fliers


def test_reordered_units_give_the_same_deployment() -> None:
    state = state_1943()
    units = dict(state.units)
    deployment(state)
    other = dict(reversed(units.items()))
    other[next(iter(units))] = Piece("4024", 1)
    assert shown(deployment(inherit_cache(state, replace(state, units=other)))) == afresh(other)
