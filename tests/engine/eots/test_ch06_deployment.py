"""Where the units stand: a deployment made from the last one equals one made afresh (0.4, 6.4)."""

import random
from collections.abc import Mapping

import pytest

from engine.eots.ch06_supply import deployment as module
from engine.eots.ch06_supply.deployment import Deployment, deployment
from engine.eots.ids import CHINA_BOX, UnitId
from engine.eots.state import ELIMINATED, TURN_TRACK, Piece
from engine.kernel.memo import LatestMemo
from tests.engine.eots.positions import state_1943

PLACES = ("3709", "4024", "2008", "3922", CHINA_BOX, ELIMINATED, TURN_TRACK)


def shown(found: Deployment) -> object:
    return dict(found.places), found.armed, found.anyone, found.hqs, found.fliers


def afresh(units: Mapping[UnitId, Piece]) -> object:
    return shown(module._whole(units))


@pytest.mark.parametrize("most", [pytest.param(n, id=f"0.4-{n}-at-a-time") for n in (1, 3, 8, 30)])
def test_changes_equal_a_new_deployment(most: int) -> None:
    chance = random.Random(most)
    units = dict(state_1943().units)
    names = sorted(units)
    for _ in range(150):
        changes = {
            unit: Piece(chance.choice(PLACES), chance.choice((1, 2)))
            for unit in chance.sample(names, chance.randint(1, most))
        }
        units = {**units, **changes}
        assert shown(deployment(units)) == afresh(units)


def test_steps_alone_leave_everything_as_it_was() -> None:
    units = state_1943().units
    before = deployment(units)
    unit = before.fliers[0][0]
    after = deployment({**units, unit: Piece(units[unit].at, 1)})
    assert after.places == before.places
    assert after.fliers is before.fliers


def test_units_in_another_order_are_no_change_of_the_last_position() -> None:
    units = dict(state_1943().units)
    deployment(units)
    other = dict(reversed(units.items()))
    other[next(iter(units))] = Piece("4024", 1)
    assert shown(deployment(other)) == afresh(other)


def test_only_the_very_same_object_is_remembered() -> None:
    memo = LatestMemo[tuple[int, ...], str]()
    one, equal = tuple([1, 2]), tuple([1, 2])  # noqa: C409  # two equal objects
    assert memo.keep(one, "one") == "one"
    assert memo.get(one) == "one"
    assert memo.get(equal) is None
