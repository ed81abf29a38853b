"""Inter-service rivalry (14)."""

import pytest

from engine.eots.ch08_movement.asp import asp_left, usable_level
from engine.eots.ch14_rivalry import delays_unit
from engine.eots.ids import Side, UnitId
from tests.engine.eots.positions import in_offensive, position


@pytest.mark.parametrize(
    ("level", "rivalry", "used", "usable", "left"),
    [
        pytest.param(7, True, 0, 4, 4, id="EX14-1-14.2B-half-rounded-up"),
        pytest.param(7, True, 3, 4, 1, id="EX14-1-14.2B-three-used"),
        pytest.param(1, True, 0, 1, 1, id="EX14-1-14.2B-level-1"),
        pytest.param(7, True, 5, 4, 0, id="14.2B-more-used-before-the-rivalry"),
        pytest.param(7, False, 3, 7, 4, id="14.2B-strategic-agreement"),
    ],
)
def test_japanese_shipping_under_rivalry(
    level: int, rivalry: bool, used: int, usable: int, left: int
) -> None:
    state = position(japan_asp=level, japan_rivalry=rivalry, japan_asp_used=used)
    assert usable_level(state, Side.JAPAN) == usable
    assert asp_left(in_offensive(state, Side.JAPAN), Side.JAPAN) == left


@pytest.mark.parametrize(
    ("unit", "delayed"),
    [
        pytest.param("us-corps-ix", True, id="14.1A-army-ground"),
        pytest.param("us-air-5af", True, id="14.1A-army-air"),
        pytest.param("us-marine-6-division", False, id="14.1A-marines"),
        pytest.param("us-air-3maw", False, id="14.1A-marine-air"),
        pytest.param("us-cv-essex", False, id="14.1A-navy"),
        pytest.param("cw-corps-33", False, id="14.1A-other-allies"),
        pytest.param("us-b29-20bc", False, id="14.1A-b29"),
    ],
)
def test_us_rivalry_delays_reinforcements(unit: str, delayed: bool) -> None:
    assert delays_unit(position(us_rivalry=True), UnitId(unit)) is delayed
    assert not delays_unit(position(us_rivalry=False), UnitId(unit))
