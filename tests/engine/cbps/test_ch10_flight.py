"""Placement, movement and return of raids (10.13, 10.2, 10.3), and raids of scenarios."""

import pytest
from msgspec.structs import replace

from engine.cbps.events.japan import BoxesShifted, PointsMoved
from engine.cbps.events.raids import (
    PointsDestroyed,
    RaidEnded,
    RaidMoved,
    RaidPlaced,
    RaidTurned,
)
from engine.cbps.events.turns import PhaseBegan
from engine.cbps.raids.ch10_flight import (
    move_raids,
    new_raid_id,
    place_raid,
    place_scheduled_raids,
    raid_target,
    reduce_raid,
    send_raid_home,
)
from engine.cbps.state import State
from tests.engine.cbps.battle import battle, facts, reads, running, with_force, with_parts
from tests.engine.cbps.raiding import (
    TF_58,
    at_time,
    day,
    with_butai,
    with_groups_at,
    with_raid,
    without_group,
)


def placed(state: State, *faces: int, waves: tuple[int, ...] = (8,), **fields: object) -> list[str]:
    """Return the hexes in which the waves of a raid of Butai 1 appear."""
    run = running(state, *faces)
    found = {
        "origin": "1",
        "slot": "ab"[: len(waves)],
        "start_hex": "1116",
        "target": "58.1",
        **fields,
    }
    place_raid(run, waves=waves, **found)  # type: ignore[arg-type]  # as the function names them
    return [one.hex for one in facts(run, RaidPlaced)]  # type: ignore[attr-defined]  # of this kind


# -- targets


def test_10_1_raids_do_not_target_groups_out_of_range_or_the_battle_line() -> None:
    assert raid_target(running(day()), "A", "1116", 7) == ""
    alone = without_group(day(), "58.1", "58.2", "58.3", "58.4")
    assert raid_target(running(alone), "A", "1110", 14) == ""


@pytest.mark.parametrize(
    ("groups", "surface", "target"),
    [
        pytest.param("0530", "", "hornet", id="12.44-lone-carrier"),
        pytest.param("1108", "", "", id="12.44-a-group-within-12"),
        pytest.param("0530", "1511", "", id="12.44-surface-force-within-6"),
        pytest.param("0530", "2016", "hornet", id="12.44-surface-force-further-off"),
    ],
)
def test_raid_target_includes_crippled_ships(groups: str, surface: str, target: str) -> None:
    state = with_groups_at(day(), groups)
    ship = replace(state.ships["hornet"], group="", hex="1511", hits=6)
    state = with_parts(state, ships={"hornet": ship})
    if surface:
        state = with_force(state, "A", surface, level=1, chit="Surface")
    assert raid_target(running(state), "A", "1513" if groups == "0530" else "1115", 5) == target


# -- placement


def test_10_24_the_second_wave_is_not_placed_beyond_its_origin() -> None:
    assert placed(with_butai(day()), 4, waves=(8, 5), start_hex="1112") == ["1111", "1112"]


@pytest.mark.parametrize(
    ("label", "phase", "options", "modifiers"),
    [
        pytest.param("1050", 1, {}, [], id="10.21-by-day"),
        pytest.param("1850", 2, {}, [("dusk", -2)], id="10.21-at-dusk"),
        pytest.param(
            "1050", 1, {"intercept_range": "3"}, [("variant_24_2", -3)], id="24.2-shorter-by-3"
        ),
        pytest.param(
            "1850",
            2,
            {"intercept_range": "2"},
            [("dusk", -2), ("variant_24_2", -2)],
            id="24.2-besides-dusk",
        ),
    ],
)
def test_intercept_range_roll_uses_the_modifiers_for_time_and_options(
    label: str, phase: int, options: dict[str, str], modifiers: list[tuple[str, int]]
) -> None:
    run = running(with_butai(day(label=label, phase=phase, **options)), 5)
    place_raid(run, origin="1", slot="a", start_hex="1116", target="58.1", waves=(8,))
    assert [(one.id, one.drm) for one in reads(run)[0].modifiers] == modifiers


def test_raid_names_are_unique_while_in_play() -> None:
    state = with_butai(day())
    assert new_raid_id(state, "1", "a") == "1-a"
    assert new_raid_id(with_raid(state), "1", "a") == "1-c"
    assert new_raid_id(state, "Guam", "a") == "raid-Guam"
    assert new_raid_id(state, "Yap/Peleliu", "") == "raid-Yap"
    assert new_raid_id(state, "Iwo Jima", "") == "raid-Iwo-Jima"


# -- movement


def test_10_23_a_raid_stops_at_its_target() -> None:
    run = running(with_raid(with_butai(day()), points=8, hex="1109"))
    move_raids(run)
    assert run.state.raids["1-a"].hex == TF_58
    move_raids(run)
    assert len(facts(run, RaidMoved)) == 1


def test_10_23_a_raid_follows_its_target() -> None:
    state = with_groups_at(with_raid(with_butai(day()), points=8, hex="1112"), "0912")
    run = running(state)
    move_raids(run)
    assert run.state.raids["1-a"].hex == "0912"


def test_10_231_a_raid_does_not_move_in_its_placement_phase() -> None:
    run = running(with_raid(with_butai(day()), points=8, hex="1112", is_new=True))
    move_raids(run)
    assert not facts(run, RaidMoved)
    run.add(PhaseBegan(phase=2))
    move_raids(run)
    assert facts(run, RaidMoved)


@pytest.mark.parametrize(
    ("ruling", "target"),
    [
        pytest.param("nearest", "58.4", id="OP-38-nearest-group"),
        pytest.param("home", "", id="OP-38-goes-home"),
    ],
)
def test_a_raid_whose_target_lost_its_carriers_follows_the_ruling(ruling: str, target: str) -> None:
    state = with_raid(with_butai(day(lost_target=ruling)), points=8, hex="1112", target="58.7")
    run = running(with_groups_at(state, "1110", "58.4"))
    move_raids(run)
    assert run.state.raids["1-a"].target == target if target else "1-a" not in run.state.raids


def test_op_38_a_raid_returns_if_no_carrier_group_is_left() -> None:
    state = without_group(with_raid(with_butai(day()), points=8), "58.1", "58.2", "58.3", "58.4")
    run = running(state)
    move_raids(run)
    assert facts(run, RaidEnded) == (RaidEnded(raid="1-a", why="returns"),)


# -- losses and return


def test_4_55_losses_go_to_the_lost_box_and_free_the_slot() -> None:
    state = with_raid(with_butai(day()), points=3, is_split=True, fighters=1, attackers=2)
    run = running(state)
    reduce_raid(run, "1-a", fighters=1, attackers=1, cause="combat")
    assert run.state.forces["1"].boxes == {"raid-a": 1, "lost": 2}
    reduce_raid(run, "1-a", attackers=1, cause="flak")
    assert facts(run, RaidEnded) == (RaidEnded(raid="1-a", why="destroyed"),)
    reduce_raid(running(state), "1-a", cause="flak")


def test_10_33_losses_of_a_removed_force_count_as_naval_points() -> None:
    state = with_raid(day(), origin="B", points=3, is_split=True, attackers=3)
    run = running(state)
    reduce_raid(run, "1-a", attackers=2, cause="flak")
    send_raid_home(run, "1-a")
    assert facts(run, PointsDestroyed) == (PointsDestroyed(naval=2), PointsDestroyed(naval=1))
    assert run.state.destroyed_naval == 3


def test_10_33_without_a_deck_returning_points_are_lost() -> None:
    run = running(with_butai(day(), boxes={"r0": 4}, returning={"a": "r0"}))
    run.add(BoxesShifted(owner="1", is_deck_operable=False))
    assert run.state.forces["1"].boxes == {"lost": 4}
    assert run.state.forces["1"].returning == {}


def test_9_13_a_raid_of_a_force_without_carriers_is_lost_on_its_return() -> None:
    state = with_force(day(), "1", "1116", level=3, chit="surface")
    run = running(with_raid(state, points=5))
    send_raid_home(run, "1-a")
    assert run.state.forces["1"].boxes == {"lost": 5}
    assert facts(run, RaidEnded) == (RaidEnded(raid="1-a", why="homeless"),)


def test_9_13_points_removed_from_the_return_track_free_their_slot() -> None:
    run = running(with_butai(day(), boxes={"r4": 4}, returning={"a": "r4", "b": "r8"}))
    run.add(PointsMoved(owner="1", points=4, source="r4", to="lost"))
    assert run.state.forces["1"].returning == {"b": "r8"}


def test_11_28_a_guam_raid_returns_over_the_map() -> None:
    state = with_raid(day(), "raid-Guam", origin="Guam", is_land=True, points=5)
    run = running(state)
    send_raid_home(run, "raid-Guam")
    assert facts(run, RaidTurned) == (
        RaidTurned(raid="raid-Guam", target="Guam", is_home=True, line_from=TF_58),
    )
    move_raids(run)
    assert len(facts(run, RaidMoved)[0].hexes) == 2  # type: ignore[attr-defined]  # of this kind


# -- raids of a scenario


def test_scenario_1_raids_are_placed_on_schedule() -> None:
    run = running(at_time(battle("1"), "0930", 2))
    place_scheduled_raids(run)
    (raid,) = facts(run, RaidPlaced)
    assert (raid.raid, raid.hex, raid.points) == ("raid-I", "1214", 9)  # type: ignore[attr-defined]  # of this kind
    run = running(at_time(battle("1"), "1050", 1))
    place_scheduled_raids(run)
    assert [(one.raid, one.hex, one.points) for one in facts(run, RaidPlaced)] == [  # type: ignore[attr-defined]  # of this kind
        ("raid-II-a", "1313", 9),
        ("raid-II-b", "1415", 7),
    ]
    run = running(at_time(battle("1"), "1050", 2))
    place_scheduled_raids(run)
    assert not run.events


def test_scenario_3_raids_are_placed_by_intercept_range_with_a_second_wave() -> None:
    run = running(at_time(battle("3"), "1050", 1), 7)
    place_scheduled_raids(run)
    grid = run.state.game_data.map.grid
    first, second = facts(run, RaidPlaced)
    assert (first.raid, first.points, second.raid, second.points) == (  # type: ignore[attr-defined]  # of this kind
        "raid-II-a",
        7,
        "raid-II-b",
        5,
    )
    assert grid.distance(first.hex, "1109") == 4  # type: ignore[attr-defined]  # of this kind
    assert grid.distance(second.hex, "1109") == 6  # type: ignore[attr-defined]  # of this kind


def test_scenario_3_scores_destroyed_points_and_ends_the_raid() -> None:
    state = with_raid(
        battle("3"), "raid-III", origin="raid-III", slot="", points=5, is_split=True, attackers=5
    )
    run = running(state)
    reduce_raid(run, "raid-III", attackers=2, cause="flak")
    send_raid_home(run, "raid-III")
    assert run.state.destroyed == 2
    assert facts(run, RaidEnded) == (RaidEnded(raid="raid-III", why="over"),)


def test_10_22_raids_in_the_same_hex_remain_separate() -> None:
    state = with_raid(with_butai(day()), "1-a", points=5, hex="1112")
    state = with_raid(state, "1-b", slot="b", points=3, hex="1112")
    run = running(state)
    move_raids(run)
    assert {name: (raid.hex, raid.points) for name, raid in run.state.raids.items()} == {
        "1-a": ("1110", 5),
        "1-b": ("1110", 3),
    }
    assert run.state.forces["1"].boxes == {"raid-a": 5, "raid-b": 3}


def test_10_23_us_units_on_the_way_do_not_stop_a_raid() -> None:
    state = with_groups_at(with_raid(with_butai(day()), points=8, hex="1112"), "1111", "58.7")
    run = running(state)
    move_raids(run)
    assert run.state.raids["1-a"].hex == "1110"


def test_scenario_3_no_raid_is_placed_without_a_us_carrier() -> None:
    state = battle("3")
    sunk = {
        name: replace(ship, is_sunk=True)
        for name, ship in state.ships.items()
        if state.game_data.us_ships[name].is_carrier
    }
    run = running(at_time(with_parts(state, ships=sunk), "1050", 1))
    place_scheduled_raids(run)
    assert not run.events
