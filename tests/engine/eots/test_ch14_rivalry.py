"""Inter-service rivalry (14)."""

import pytest
from msgspec.structs import replace

from engine.eots.ch07_offensive.activation import check_rivalry
from engine.eots.ch08_movement.asp import asp_left, usable_level
from engine.eots.ch14_rivalry import delays_unit, europe_modifier
from engine.eots.ids import Service, Side, UnitId
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
def test_japanese_shipping(level: int, rivalry: bool, used: int, usable: int, left: int) -> None:
    state = position(japan_asp=level, japan_rivalry=rivalry, japan_asp_used=used)
    assert usable_level(state, Side.JAPAN) == usable
    assert asp_left(in_offensive(state, Side.JAPAN), Side.JAPAN) == left


def test_us_rivalry_leaves_shipping_alone() -> None:  # 14.1
    state = position(allied_asp=5, us_rivalry=True, japan_rivalry=True, allied_asp_used=2)
    assert usable_level(state, Side.ALLIED) == 5
    assert asp_left(in_offensive(state, Side.ALLIED), Side.ALLIED) == 3


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
def test_us_rivalry_delays(unit: str, delayed: bool) -> None:
    assert delays_unit(position(us_rivalry=True), UnitId(unit)) is delayed
    assert not delays_unit(position(us_rivalry=False), UnitId(unit))


def test_europe_modifier() -> None:  # 14.1B
    assert europe_modifier(position(us_rivalry=True)) == -1
    assert europe_modifier(position(us_rivalry=False)) == 0


@pytest.mark.parametrize(
    ("unit", "rules"),
    [
        pytest.param("us-corps-xxiv", ["14.1C"], id="EX14-2-14.1C-army-after-navy"),
        pytest.param("us-marine-1-division", [], id="EX14-2-14.1C-marines-are-navy"),
        pytest.param("cw-corps-3-aus", [], id="14.1C-other-allies-are-free"),
    ],
)
def test_one_service_per_hq(unit: str, rules: list[str]) -> None:
    units = {"us-hq-central-pacific": "5808", "us-cv-essex": "5808", unit: "5808"}
    state = in_offensive(
        position(units, us_rivalry=True),
        Side.ALLIED,
        hq="us-hq-central-pacific",
        activated=("us-cv-essex",),
        step=1,
    )
    assert state.offensive is not None
    state = replace(state, offensive=replace(state.offensive, service=Service.NAVY))
    found = check_rivalry(state, Side.ALLIED, UnitId(unit))
    assert [refusal.rule for refusal in found] == rules
