"""The raid procedure of a force (9.23, 10.1)."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from engine.cbps.events.japan import LevelChanged, RaidsCounted
from engine.cbps.events.raids import RaidPlaced
from engine.cbps.forces.ch09_butai import shift_boxes
from engine.cbps.raids.ch10_flight import send_raid_home
from engine.cbps.raids.ch10_generation import raid_range, roll_launch
from engine.cbps.raids.ch10_raids import active_raid_count, raid_procedure
from engine.cbps.run import Run
from engine.cbps.state import Hits, Raid, State
from tests.engine.cbps.battle import (
    facts,
    force_of,
    name_after,
    reads,
    running,
    with_force,
    with_parts,
)
from tests.engine.cbps.raiding import day, with_butai, with_groups_at, with_raid

ABROAD = Raid(origin="1", slot="a", hex="1112", target="58.1", points=4)


def raiding(
    state: State, *faces: int, force: str = "1", picks: Sequence[str] = ()
) -> tuple[Run, str]:
    """Return the run of the procedure and the name of the force after it."""
    run = running(state, *faces, picks=picks)
    return run, name_after(raid_procedure, run, force)


def waves(run: Run) -> list[int]:
    """Return the points of the raids that were placed."""
    return [one.points for one in facts(run, RaidPlaced)]  # type: ignore[attr-defined]  # of this kind


def charts(run: Run) -> list[str]:
    """Return the charts that were read."""
    return [one.chart for one in reads(run)]


# -- A


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"is_retiring": True}, id="10.1A2-retiring"),
        pytest.param({"returning": {"a": "r8", "b": "r4"}}, id="10.1A1-two-raids-return"),
        pytest.param({"chit": "Surface", "level": 1, "is_carrier": False}, id="10.1A-surface-1"),
        pytest.param(
            {"chit": "Large Surface", "level": 2, "is_carrier": False}, id="10.1A-surface-2"
        ),
    ],
)
def test_ineligible_forces_do_not_raid(fields: dict[str, Any]) -> None:
    run, name = raiding(with_butai(day(), **fields))
    assert name == "1"
    assert not run.events


@pytest.mark.parametrize(
    ("ruling", "count"),
    [
        pytest.param("on", 2, id="OP-35-returning-raids-count"),
        pytest.param("off", 1, id="OP-35-they-do-not"),
    ],
)
def test_raids_in_progress_are_counted_by_the_ruling(ruling: str, count: int) -> None:
    state = with_raid(with_butai(day(raid_limit=ruling), returning={"b": "r8"}), points=4)
    assert active_raid_count(state, "1") == count


# -- B


@pytest.mark.parametrize(
    ("label", "phase", "hexes"),
    [
        pytest.param("0530", 1, 3, id="10.1B1-0530"),
        pytest.param("0810", 1, 11, id="10.1B1-0810"),
        pytest.param("1850", 3, 6, id="10.1B1-dusk"),
        pytest.param("1850", 4, None, id="10.1B1-night-phase"),
        pytest.param("2010", 1, None, id="10.1B1-night"),
    ],
)
def test_raid_range_depends_on_the_time(label: str, phase: int, hexes: int | None) -> None:
    assert raid_range(day(label=label, phase=phase)) == hexes


def test_10_1b_a_raid_without_a_target_is_not_rolled() -> None:
    run, _ = raiding(with_butai(day(label="0530")))
    assert not run.events


@pytest.mark.parametrize(
    ("die", "is_launched"),
    [pytest.param(5, False, id="OP-65-4"), pytest.param(6, True, id="OP-65-5-launches")],
)
def test_raid_launch_roll_uses_the_turn_modifier(die: int, *, is_launched: bool) -> None:
    run = running(day(label="0810"), die)
    assert roll_launch(run, "A", 8) is is_launched
    (read,) = reads(run)
    assert [(one.id, one.drm) for one in read.modifiers] == [("turn", -1)]
    assert read.result == ("raid" if is_launched else "no raid")


@pytest.mark.parametrize(
    ("ruling", "is_launched"),
    [
        pytest.param("chart", False, id="OP-65-chart"),
        pytest.param("4", True, id="OP-65-threshold-4"),
        pytest.param("3", True, id="OP-65-threshold-3"),
    ],
)
def test_raid_threshold_follows_the_ruling(ruling: str, *, is_launched: bool) -> None:
    assert roll_launch(running(day(label="0810", raid_threshold=ruling), 5), "A", 8) is is_launched


def test_8_351_us_advantage_subtracts_3_from_the_raid_roll() -> None:
    run, _ = raiding(with_butai(day(label="0930"), has_advantage=True), 7)
    assert [(one.id, one.drm) for one in reads(run)[0].modifiers] == [("us_advantage", -3)]
    assert not waves(run)


def test_10_1b_scenario_9_adds_a_modifier_to_the_raid_roll() -> None:
    run = running(day("9", "0810"), 5)
    assert roll_launch(run, "A", 8)
    assert [one.id for one in reads(run)[0].modifiers] == ["turn", "scenario_9"]


# -- C


def test_10_1c1_a_small_force_proving_to_be_a_surface_force_is_undone() -> None:
    state = with_force(day(), "A", "1114")
    run, _ = raiding(state, 10, 3, force="A", picks=["Small"])
    assert charts(run) == ["air_raid_generation", "l1_to_l2"]
    assert run.state == state


def test_10_1c2_a_force_of_unknown_type_may_prove_to_have_carriers() -> None:
    state = with_force(day(), "A", "1114", level=1, chit="Large")
    run, name = raiding(state, 10, 7, 4, 4, force="A")
    assert name == "1"
    assert (force_of(run, "1").level, force_of(run, "1").chit) == (2, "2-3 Carriers")
    assert waves(run) == [7]


def test_10_1c2_a_failed_commitment_test_undoes_the_reveal() -> None:
    state = replace(with_force(day(), "A", "1114", level=1, chit="Large"), commitment=12)
    run, name = raiding(state, 10, 7, 10, force="A")
    assert (name, run.state) == ("A", state)
    assert charts(run)[-1] == "commitment_test"


def test_10_1c3_a_known_carrier_rises_to_level_2() -> None:
    state = with_butai(day(), level=1, chit="Carrier", boxes={"aall": 9})
    run, _ = raiding(state, 10, 6, 5, 4)
    assert facts(run, LevelChanged) == (
        LevelChanged(force="1", level=2, chit="2-3 Carriers", is_carrier=True),
    )
    assert charts(run)[1:3] == ["l1_to_l2", "raid_strength_known"]


def test_10_1c_a_double_force_reveal_is_undone_completely() -> None:
    state = with_force(day(), "A", "1114")
    run, _ = raiding(state, 10, 1, force="A", picks=["Double Force", "Large"])
    assert run.state == state


# -- D and E


def test_10_1e_known_strength_column_includes_the_force_shift() -> None:
    run, _ = raiding(with_butai(day(), chit="3-4 Carriers", boxes={"aall": 10}), 10, 3, 4)
    assert reads(run, "raid_strength_known")[0].column == "13"


def test_9_241_permanent_hits_reduce_known_strength() -> None:
    state = with_butai(day(), boxes={"aall": 10}, hits=Hits(current=5, permanent=3))
    run, _ = raiding(state, 10, 3, 4)
    assert reads(run, "raid_strength_known")[0].column == "6"


def test_10_1e_level_3_uses_its_air_value() -> None:
    state = with_butai(day(), level=3, chit="1 CV 1 CVL", hits=Hits(permanent=2))
    value = state.game_data.level_three["1 CV 1 CVL"].air_value - 2
    run, _ = raiding(state, 10, 1, 4)
    chart = state.game_data.charts.raid_strength_l3_l4_guam
    assert reads(run, chart.id)[0].column == chart.column_for(value)


def test_10_1e_kido_butai_uses_the_last_column() -> None:
    run, _ = raiding(with_butai(day("9"), chit="Kido Butai", is_kido_butai=True), 10, 1, 4)
    assert reads(run, "raid_strength_unknown")[0].column == "4+ Carriers"


def test_10_1e_both_waves_are_combined_if_a_raid_is_in_progress() -> None:
    state = with_parts(with_butai(day(), level=1, chit="Carrier"), raids={"1-a": ABROAD})
    run, _ = raiding(state, 10, 7, 4)
    assert waves(run) == [13]
    assert run.state.forces["1"].boxes["raid-b"] == 13


# -- F


@pytest.mark.parametrize(
    ("lost", "expected"),
    [
        pytest.param(0, [9, 8], id="10.1F-nothing-lost"),
        pytest.param(3, [9, 6], id="10.1F3-the-second-wave-is-reduced"),
        pytest.param(8, [12], id="10.1F3-3-or-less-join-the-first"),
        pytest.param(18, [6], id="10.1F3-less-than-the-first-wave"),
    ],
)
def test_lost_points_reduce_the_raid(lost: int, expected: list[int]) -> None:
    boxes = {"lost": lost} if lost else {}
    state = with_butai(day(), level=3, chit="2 CV 2 CVL", boxes=boxes)
    run, _ = raiding(state, 10, 6, 4)
    assert reads(run, "raid_strength_l3_l4_guam")[0].result == "9/8"
    assert bool(reads(run, "raid_strength_reduction")) is (lost > 0)
    assert waves(run) == expected


@pytest.mark.parametrize(
    ("ruling", "level"),
    [
        pytest.param("undone", 1, id="OP-36-undone"),
        pytest.param("kept", 2, id="OP-36-kept"),
    ],
)
def test_a_raid_reduced_to_zero_follows_the_ruling(ruling: str, level: int) -> None:
    state = with_butai(day(nothing_left=ruling), level=1, chit="Carrier", boxes={"lost": 20})
    run, name = raiding(state, 10, 1, 1)
    assert name == "1"
    assert not waves(run)
    assert charts(run)[-1] == "raid_strength_reduction"
    assert run.state.forces["1"].level == level
    assert (run.state == state) is (ruling == "undone")


# -- G


def test_op_22_a_launch_with_two_waves_counts_as_one_raid() -> None:
    run, _ = raiding(with_butai(day(), chit="4+ Carriers"), 10, 5, 4)
    assert waves(run) == [9, 7]
    assert facts(run, RaidsCounted) == (RaidsCounted(force="1", raids=1),)


def test_7_54_halves_raid_separately_with_unique_names() -> None:
    state = with_raid(with_butai(day()), "1-a", origin="B", points=4)
    run, _ = raiding(state, 10, 5, 4)
    assert [one.raid for one in facts(run, RaidPlaced)] == ["1-c"]  # type: ignore[attr-defined]  # of this kind
    assert run.state.raids["1-c"].slot == "a"


def test_op_32_a_butai_number_with_a_raid_in_flight_is_not_reused() -> None:
    state = with_raid(with_force(day(), "A", "1114", level=1, chit="Carrier", is_carrier=True))
    run, name = raiding(state, 10, 1, 4, force="A")
    assert name == "2"
    assert force_of(run, "2").boxes == {"raid-a": 4}


# -- Scenario 5


def test_scenario_5_uses_only_the_known_strength_table() -> None:
    state = with_groups_at(with_butai(day("5"), boxes={"aall": 5, "lost": 3}), "1108")
    run, _ = raiding(state, 10, 5, 4)
    assert charts(run) == ["air_raid_generation", "raid_strength_known", "intercept_range"]
    level_3 = with_parts(
        state, forces={"1": replace(state.forces["1"], level=3, chit="1 CV 1 CVL")}
    )
    run, _ = raiding(level_3, 10, 5, 4)
    assert "raid_strength_known" in charts(run)


def test_scenario_5_forces_of_unknown_type_do_not_raid() -> None:
    state = with_groups_at(with_force(day("5"), "A", "1114", level=1, chit="Large"), "1108")
    run, _ = raiding(state, 10, force="A")
    assert run.state == state
    assert charts(run) == ["air_raid_generation"]


def test_scenario_5_a_level_0_force_may_prove_to_be_a_carrier_force() -> None:
    state = with_groups_at(with_force(day("5"), "A", "1114"), "1108")
    run, name = raiding(state, 10, 5, 4, force="A", picks=["Carrier"])
    assert name == "1"
    assert force_of(run, "1").level == 1
    assert len(waves(run)) == 1


# -- what a raid is


def test_10_12_a_raid_is_undivided_at_launch() -> None:
    run, _ = raiding(with_butai(day()), 10, 5, 4)
    raid = run.state.raids["1-a"]
    assert (raid.is_split, raid.fighters, raid.attackers, raid.points) == (False, 0, 0, 8)


def test_10_11_raid_points_of_a_force_are_naval() -> None:
    run, _ = raiding(with_butai(day()), 10, 5, 4)
    assert not run.state.raids["1-a"].is_land


def test_10_14_returned_points_are_no_longer_divided() -> None:
    state = with_raid(with_butai(day()), points=5, is_split=True, fighters=2, attackers=3)
    run = running(state)
    send_raid_home(run, "1-a")
    assert run.state.forces["1"].boxes == {"r8": 5}


def test_10_32_each_activation_shifts_a_returning_raid_one_box() -> None:
    run = running(with_butai(day(), boxes={"r8": 5, "r0": 3}, returning={"a": "r8", "b": "r0"}))
    shift_boxes(run, "1")
    force = run.state.forces["1"]
    assert force.boxes == {"r4": 5, "s1": 3}
    assert force.returning == {"a": "r4"}
    assert active_raid_count(run.state, "1") == 1


def test_10_1d_points_on_the_display_do_not_change_an_air_value() -> None:
    state = with_butai(day(), level=3, chit="1 CV 1 CVL", boxes={"aall": 9, "a3": 1})
    run, _ = raiding(state, 10, 8, 4)
    assert reads(run, "raid_strength_l3_l4_guam")[0].column == "13"
