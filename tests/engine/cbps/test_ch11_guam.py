"""Guam, reinforcements and shuttle raids (11, 16, 23)."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from engine.cbps.enemy.ch07_cup import fill_cup
from engine.cbps.events.japan import BoxesShifted, GuamChanged, PointsMoved
from engine.cbps.events.raids import PointsDestroyed, RaidEnded, RaidPlaced, RaidTurned
from engine.cbps.events.turns import TurnBegan
from engine.cbps.frames import JapaneseAttackFrame, OperationsFrame
from engine.cbps.ids import IWO_JIMA, YAP
from engine.cbps.raids.ch05_raid_attack import resolve_raid_attack
from engine.cbps.raids.ch10_flight import move_raids, reduce_raid
from engine.cbps.raids.ch11_guam import activate_guam, net_air_value
from engine.cbps.raids.ch16_reinforcements import activate_base
from engine.cbps.raids.ch23_shuttle import roll_shuttle
from engine.cbps.state import State
from tests.engine.cbps.battle import advanced, facts, reads, running, with_frame
from tests.engine.cbps.raiding import (
    day,
    with_butai,
    with_groups_at,
    with_interceptors,
    with_raid,
    without_group,
)

GUAM = "1407"
END = OperationsFrame()


def based(
    state: State | None = None,
    air_value: int = 14,
    points: Mapping[Any, int] | None = None,
    **boxes: int,
) -> State:
    """Return a state with points in boxes of Guam."""
    start = day() if state is None else state
    return replace(
        start, guam=replace(start.guam, air_value=air_value, boxes={**boxes, **(points or {})})
    )


def charts(run: object) -> list[str]:
    """Return the charts that were read."""
    return [one.chart for one in reads(run)]  # type: ignore[arg-type]  # a run


# -- raids


def test_11_25_interceptors_over_guam_count_but_the_us_advantage_does_not() -> None:
    run = running(based(with_interceptors(day(), 2, hex=GUAM)), 1)
    activate_guam(run)
    assert [one.id for one in reads(run)[0].modifiers] == ["turn", "range", "guam_intercept"]
    strike = with_interceptors(day(), 2, hex=GUAM, kind="strike")
    run = running(based(strike), 1)
    activate_guam(run)
    assert "guam_intercept" not in [one.id for one in reads(run)[0].modifiers]


@pytest.mark.parametrize(
    ("boxes", "net"),
    [
        pytest.param({"lost": 2, "landed": 1, "s1": 1, "s2": 1}, 9, id="11.24-on-the-ground"),
        pytest.param({"a3": 3, "a7": 2}, 11, id="11.24-out-of-range"),
        pytest.param({"aall": 5, "a11": 2}, 14, id="11.24-available"),
    ],
)
def test_net_air_value_subtracts_unavailable_points(boxes: dict[str, Any], net: int) -> None:
    assert net_air_value(based(**boxes), 5) == net


def test_11_24_guam_below_3_does_not_raid_but_its_boxes_shift() -> None:
    run = running(based(air_value=6, lost=2, s1=1, s2=1))
    activate_guam(run)
    assert not reads(run)
    assert run.state.guam.boxes == {"lost": 2, "s2": 1, "a3": 1}


def test_11_22_activation_shifts_all_guam_boxes() -> None:
    run = running(based(air_value=2, landed=1, s1=2, s2=3, a3=4, a7=5, a11=6, aall=7))
    activate_guam(run)
    assert run.state.guam.boxes == {
        "s1": 1,
        "s2": 2,
        "a3": 3,
        "a7": 4,
        "a11": 5,
        "aall": 13,
    }


def test_11_22_guam_does_not_raid_at_night_or_out_of_range() -> None:
    run = running(based(day(label="2010"), landed=1))
    activate_guam(run)
    assert facts(run) == (BoxesShifted(owner="Guam"),)
    run = running(based(with_groups_at(day(label="0530"), "0420")))
    activate_guam(run)
    assert not run.events


@pytest.mark.parametrize(
    ("ruling", "box"),
    [
        pytest.param("off", "s1", id="OP-39-boxes-stay"),
        pytest.param("on", "s2", id="OP-39-boxes-move"),
    ],
)
def test_boxes_during_a_guam_raid_shift_by_the_ruling(ruling: str, box: str) -> None:
    state = based(day(guam_no_op=ruling), points={"raid-a": 4, "s1": 2})
    state = with_raid(state, "raid-Guam", origin="Guam", is_land=True, points=4)
    run = running(state)
    activate_guam(run)
    assert run.state.guam.boxes == {"raid-a": 4, box: 2}


def test_op_39_reinforcements_in_flight_do_not_block_activation() -> None:
    state = with_raid(
        based(air_value=2, s1=2), "raid-Yap", origin=YAP, slot="", kind="reinforcement", points=4
    )
    run = running(state)
    activate_guam(run)
    assert run.state.guam.boxes == {"s2": 2}


@pytest.mark.parametrize(
    ("ruling", "points"),
    [
        pytest.param("off", 9, id="OP-40-not-reduced"),
        pytest.param("on", 8, id="OP-40-reduced"),
    ],
)
def test_guam_raid_reduction_follows_the_ruling(ruling: str, points: int) -> None:
    run = running(based(day(guam_reduction=ruling), lost=1), 10, 8, 2)
    activate_guam(run)
    assert [one.points for one in facts(run, RaidPlaced)] == [points]  # type: ignore[attr-defined]  # of this kind


def test_11_28_and_11_29_a_guam_raid_returns_and_lands() -> None:
    state = with_raid(
        based(points={"raid-a": 5}),
        "raid-Guam",
        origin="Guam",
        is_land=True,
        points=5,
        is_home=True,
        target="Guam",
        hex="1307",
    )
    run = running(state)
    move_raids(run)
    run = advanced(with_frame(run.state, END, JapaneseAttackFrame(left=("raid-Guam",))))
    assert facts(run, PointsMoved, RaidEnded) == (
        PointsMoved(owner="Guam", points=5, source="raid-a", to="landed"),
        RaidEnded(raid="raid-Guam", why="landed"),
    )


# -- reinforcements


@pytest.mark.parametrize(
    ("base", "hex_id", "origin"),
    [
        pytest.param(YAP, "1607", "2219", id="16.21-a-group-within-2"),
        pytest.param(IWO_JIMA, "1607", "0109", id="16.21-from-iwo-jima"),
    ],
)
def test_reinforcements_fly_to_guam_on_the_map(base: str, hex_id: str, origin: str) -> None:
    run = running(based(with_groups_at(day(), hex_id)), 10, 10, 1)
    activate_base(run, base)
    (raid,) = facts(run, RaidPlaced)
    assert (raid.kind_of, raid.target, raid.points, raid.line_from) == (  # type: ignore[attr-defined]  # of this kind
        "reinforcement",
        "Guam",
        10,
        origin,
    )
    assert run.state.guam.boxes == {}
    grid = run.state.game_data.map.grid
    assert grid.distance(raid.hex, GUAM) == 1  # type: ignore[attr-defined]  # of this kind


@pytest.mark.parametrize(
    ("hex_id", "is_placed"),
    [
        pytest.param("1406", True, id="16.21-interceptors-adjacent"),
        pytest.param("1405", False, id="16.21-interceptors-too-far"),
    ],
)
def test_interceptors_near_guam_block_reinforcements(hex_id: str, *, is_placed: bool) -> None:
    state = with_interceptors(with_groups_at(day(), "0804"), 2, hex=hex_id)
    run = running(based(state), 10, 10, 1)
    activate_base(run, YAP)
    assert bool(facts(run, RaidPlaced)) is is_placed


def test_16_12_reinforcements_are_weaker_on_the_second_day() -> None:
    state = based(with_groups_at(day("8"), "0804"), air_value=6)
    run = running(state, 9, 4, 9, 4)
    activate_base(run, YAP)
    run.add(TurnBegan(turn=18, label="20 June 0530", is_new_day=True))
    assert (run.state.guam.reinforced, run.state.guam.first_day) == ((), (YAP,))
    activate_base(run, YAP)
    assert reads(run, "land_reinforcement_strength")[0].modifiers == ()
    assert [one.id for one in reads(run, "land_reinforcement_strength")[1].modifiers] == [
        "june19_result"
    ]


def test_op_72_reinforcements_land_after_the_intercept_segment() -> None:
    state = with_raid(
        based(air_value=6),
        "raid-Yap",
        origin=YAP,
        slot="",
        kind="reinforcement",
        is_land=True,
        points=4,
        hex=GUAM,
        target="Guam",
    )
    run = advanced(with_frame(state, END, JapaneseAttackFrame(left=("raid-Yap",))))
    assert facts(run, RaidEnded, GuamChanged) == (
        RaidEnded(raid="raid-Yap", why="landed"),
        GuamChanged(air_value=10),
    )


def test_16_2_points_lost_in_flight_do_not_count_as_guam_losses() -> None:
    state = with_raid(
        based(), "raid-Yap", origin=YAP, slot="", is_land=True, points=4, is_split=True, attackers=4
    )
    run = running(state)
    reduce_raid(run, "raid-Yap", attackers=3, cause="combat")
    assert facts(run, PointsDestroyed) == (PointsDestroyed(destroyed=3),)
    assert run.state.guam.boxes == {}


# -- shuttle raids


def shuttle(hex_id: str = "1307", ruling: str = "on") -> State:
    """Return a state in which a carrier raid is over its target near Guam."""
    state = with_butai(day(shuttle_raids=ruling))
    state = without_group(with_groups_at(state, hex_id), "58.2", "58.3", "58.4", "58.7")
    return with_raid(state, points=5, hex=hex_id, is_split=True, fighters=2, attackers=3)


@pytest.mark.parametrize(
    ("die", "is_diverted"),
    [pytest.param(5, False, id="23.2-not-above"), pytest.param(6, True, id="23.2-above")],
)
def test_a_raid_one_hex_from_guam_may_divert_to_guam(die: int, *, is_diverted: bool) -> None:
    run = running(shuttle(), die)
    assert roll_shuttle(run, "1-a") is is_diverted
    assert bool(facts(run, RaidTurned)) is is_diverted


def test_23_1_shuttle_raids_need_the_option_and_a_range_of_4_hexes() -> None:
    run = running(shuttle("0907"))
    assert not roll_shuttle(run, "1-a")
    run = running(shuttle(ruling="off"))
    assert not roll_shuttle(run, "1-a")
    assert not reads(run)


def test_23_2_a_shuttle_is_rolled_only_after_an_attack() -> None:
    run = running(shuttle(), 1, 1, 1, 10)
    resolve_raid_attack(run, "1-a")
    assert charts(run)[-1] == "guam_shuttle"
    assert run.state.raids["1-a"].kind == "shuttle"
    idle = shuttle()
    raid = replace(idle.raids["1-a"], points=2, attackers=0)
    run = running(replace(idle, raids={"1-a": raid}))
    resolve_raid_attack(run, "1-a")
    assert "guam_shuttle" not in charts(run)


def test_23_3_shuttled_points_become_land_points_without_victory_points() -> None:
    state = shuttle()
    raid = replace(state.raids["1-a"], kind="shuttle", target="Guam", hex=GUAM, is_home=True)
    state = based(replace(state, raids={"1-a": raid}), air_value=6)
    run = advanced(with_frame(state, END, JapaneseAttackFrame(left=("1-a",))))
    assert run.state.guam.air_value == 11
    assert run.state.guam.boxes == {"landed": 5}
    assert run.state.forces["1"].boxes == {"lost": 5}
    assert run.state.forces["1"].free_lost == 5


# -- bases


def test_11_13_iwo_jima_and_yap_never_raid() -> None:
    run = running(based(with_groups_at(day(), "1607")), 10, 10, 1)
    activate_base(run, YAP)
    assert [one.kind_of for one in facts(run, RaidPlaced)] == ["reinforcement"]  # type: ignore[attr-defined]  # of this kind
    assert not reads(run, "air_raid_generation")


def test_16_11_reinforcement_chits_are_in_the_cup_from_0810() -> None:
    run = running(based(day(label="0650")))
    fill_cup(run)
    assert not {YAP, IWO_JIMA} & set(run.state.cup)
    run = running(based(day(label="0810")))
    fill_cup(run)
    assert {YAP, IWO_JIMA} <= set(run.state.cup)
