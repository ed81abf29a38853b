"""Naval movement: where ships may sail and end (8.1, 8.2, 7.24)."""

import pytest

from engine.eots.ch06_supply.bitsets import bitsets_in_play
from engine.eots.ch08_movement.search import hexes_within_by_sea, sea_steps, shortest_path
from engine.eots.commands import Enlist, SailStrategic
from engine.eots.events.offensive import ZoiTouched
from engine.eots.ids import HexId, Side, UnitId
from tests.engine.eots.moving import moving, pick, sail
from tests.engine.eots.positions import position

JAPAN, ALLIED = Side.JAPAN, Side.ALLIED
CVL, CA, BB = "jp-cvl-zuiho", "jp-ca-aoba", "jp-bb-kongo"
WAKE = {CVL: "4715", CA: "4715", "us-marine-w-brigade": "4612"}


@pytest.mark.parametrize(
    ("start", "enters"),
    [
        pytest.param("2219", True, id="8.21-EX-8-2-from-2219"),
        pytest.param("2319", True, id="8.21-EX-8-2-from-2319"),
        pytest.param("2320", True, id="8.21-EX-8-2-from-2320"),
        pytest.param("2119", False, id="8.21-EX-8-2-land-hexside"),
        pytest.param("2120", False, id="8.21-EX-8-2-unplayable-from-2120"),
        pytest.param("2221", False, id="8.21-EX-8-2-unplayable-from-2221"),
    ],
)
def test_naval_movement_requires_a_sea_hexside(start: str, enters: bool) -> None:
    ground = bitsets_in_play(position())
    assert (
        bool(hexes_within_by_sea(ground, ground.bit_by_id[start], 1) & ground.bit_by_id["2220"])
        is enters
    )


def test_7_23_units_of_a_stack_must_start_together() -> None:
    units = {**WAKE, "jp-ca-nachi": "4017", "jp-air-flotilla-24": "4715", "jp-bb-hiei": "4715"}
    game = moving(position(units), JAPAN, [CVL, CA, "jp-ca-nachi", "jp-air-flotilla-24"], ov=1)
    game(*pick(CVL))
    joins = [option.unit for option in game.options if isinstance(option, Enlist)]
    assert joins == [CA]
    assert game.refusals(Enlist(unit=UnitId("jp-ca-nachi"))) == ["7.23"]
    assert game.refusals(Enlist(unit=UnitId("jp-air-flotilla-24"))) == ["7.23"]
    assert game.refusals(Enlist(unit=UnitId("jp-bb-hiei"))) == ["7.21"]


def test_7_25e_entering_enemy_zones_is_recorded_once() -> None:
    units = {
        CVL: "4715",
        CA: "4715",
        "us-air-7af": "4612",
        "us-hq-central-pacific": "5808",
        "us-marine-w-brigade": "4612",
    }
    state = position(units, allied=["4612"])
    game = moving(state, JAPAN, [CVL, CA], ov=2)(*pick(CVL), sail("4612"), *pick(CA), sail("4612"))
    assert sum(isinstance(event, ZoiTouched) for event in game.events) == 1


def test_path_prefers_fewest_enemy_zones_then_lowest_hexes() -> None:
    """8.21: the fewest hexes, then the fewest hexes in enemy zones, then the lowest hex numbers."""
    ground = bitsets_in_play(position())
    of = ground.bit_by_id
    plain = shortest_path(
        ground, sea_steps(ground), of["4717"], of["4714"], max_distance=9, allowed_hexes=-1
    )
    assert plain == ("4716", "4715", "4714")
    start, goal = of["4517"], of["4715"]
    lowest = shortest_path(ground, sea_steps(ground), start, goal, max_distance=9, allowed_hexes=-1)
    assert lowest is not None
    around = shortest_path(
        ground,
        sea_steps(ground),
        start,
        goal,
        max_distance=9,
        allowed_hexes=-1,
        unneutralised_hexes=of[lowest[0]],
    )
    assert around is not None
    assert len(around) == len(lowest)
    assert lowest[0] not in around
    assert lowest < around


# -- strategic naval movement


def test_8_23_unneutralised_zones_bar_strategic_movement() -> None:
    units = {CA: "4017", "us-air-7af": "4612", "us-hq-central-pacific": "5808"}
    blocked = {**units, "us-cv-essex": "4715"}
    free = moving(position(units, allied=["4612"]), JAPAN, [CA], ov=1)(*pick(CA))
    assert "4715" in free.ends(SailStrategic)
    barred = moving(position(blocked, allied=["4612"]), JAPAN, [CA], ov=1)(*pick(CA))
    assert "4715" not in barred.ends(SailStrategic)
    assert barred.refusals(SailStrategic(to=HexId("4715"))) == ["8.23", "8.23"]


@pytest.mark.parametrize(
    ("value", "leaves"),
    [
        pytest.param("no-leaving-no-entering", False, id="OP-21-no-leaving"),
        pytest.param("no-entering", True, id="OP-21-other-reading"),
    ],
)
def test_strategic_movement_from_an_enemy_zone_follows_the_ruling(value: str, leaves: bool) -> None:
    units = {CA: "4017", "us-cv-essex": "4019", "us-hq-southwest-pacific": "3727"}
    state = position(units, options={"strategic-zoi": value})
    game = moving(state, JAPAN, [CA], ov=1)(*pick(CA))
    assert bool(game.ends(SailStrategic)) is leaves
