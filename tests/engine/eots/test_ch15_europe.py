"""The War in Europe track (15)."""

import pytest

from engine.eots.ch15_europe import (
    delays_reinforcements,
    europe_level,
    grants_shipping,
    highest_diverted_face,
)
from tests.engine.eots.positions import position


@pytest.mark.parametrize(
    ("marker", "level", "delays", "diverted", "shipping"),
    [
        pytest.param(3, 0, False, None, True, id="15.1-plus-3"),
        pytest.param(1, 0, False, None, True, id="15.1-plus-1"),
        pytest.param(0, 1, True, 1, True, id="15.2-zero"),
        pytest.param(-2, 1, True, 1, True, id="15.2-minus-2"),
        pytest.param(-3, 2, True, 3, True, id="15.3-minus-3"),
        pytest.param(-4, 2, True, 3, True, id="15.3-minus-4"),
        pytest.param(-5, 3, True, 5, False, id="15.4-minus-5"),
        pytest.param(-6, 3, True, 5, False, id="15.4-minus-6"),
        pytest.param(-7, 4, True, 7, False, id="15.5-minus-7"),
    ],
)
def test_war_in_europe_levels_and_effects(
    marker: int, level: int, delays: bool, diverted: int | None, shipping: bool
) -> None:
    state = position(war_in_europe=marker)
    assert europe_level(state) == level
    assert delays_reinforcements(state) is delays
    assert highest_diverted_face(state) == diverted
    assert grants_shipping(state) is shipping
