"""Japanese air raid attacks (5.5, 5.6, 5.7, 12.44)."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.cbps.charts.results import AbortElim
from engine.cbps.commands import Done, HoldFire
from engine.cbps.events.chance import Chosen
from engine.cbps.events.fleet import FiresChanged, ShipHit, ShipsFired
from engine.cbps.events.raids import PointsDestroyed, RaidAborted, RaidEnded, RaidReduced, RaidSplit
from engine.cbps.events.turns import PhaseBegan
from engine.cbps.frames import JapaneseAttackFrame, OperationsFrame, OverflightFrame
from engine.cbps.raids.ch05_raid_attack import apply_flak, attack_total, resolve_raid_attack
from engine.cbps.run import Run
from engine.cbps.state import State
from tests.engine.cbps.battle import (
    advanced,
    battle,
    facts,
    given,
    options,
    reads,
    running,
    with_frame,
    with_parts,
)
from tests.engine.cbps.raiding import day, with_butai, with_groups_at, with_raid, without_group

END = OperationsFrame()
"""State of the game after the segment."""


def arrived(state: State | None = None, **fields: Any) -> State:  # noqa: ANN401 - fields of any kind
    """Return a state with a raid of two fighters and three attackers over its target, TF 58."""
    start = with_butai(day()) if state is None else state
    shown = {"points": 5, "is_split": True, "fighters": 2, "attackers": 3, **fields}
    return with_raid(start, **shown)


def alone(*kept: str) -> State:
    """Return a state with only these task groups left."""
    state = with_butai(day())
    return without_group(state, *(group for group in state.groups if group not in kept))


def attacking(state: State, *faces: int, picks: tuple[str, ...] = ()) -> Run:
    """Return the run of the raid's attack."""
    run = running(with_frame(state, END), *faces, picks=picks)
    resolve_raid_attack(run, "1-a")
    return run


def hit(run: Run) -> list[tuple[str, int]]:
    """Return ships and hits."""
    return [(one.ship, one.hits) for one in facts(run, ShipHit)]  # type: ignore[attr-defined]  # of this kind


# -- the attack


def test_5_71_a_raid_attacks_a_carrier_of_its_target_and_goes_home() -> None:
    # flak of 40: nothing; 3 points of 4, doubled: 24 = two dice of +0
    run = attacking(arrived(alone("58.1")), 1, 8, 5, picks=("yorktown",))
    assert [one.chart for one in reads(run)] == [
        "anti_aircraft_fire",
        "air_attack_die_rolls",
        "air_attack_damage",
        "air_attack_damage",
    ]
    assert reads(run, "air_attack_die_rolls")[0].column == "20"
    assert hit(run) == [("yorktown", 2)]
    assert run.state.forces["1"].returning == {"a": "r8"}


def test_5_61_an_intercepted_raid_attacks_with_its_undoubled_value() -> None:
    state = arrived(alone("58.1"), was_intercepted=True)
    assert attack_total(state, "1-a") == 12
    assert attack_total(arrived(alone("58.1")), "1-a") == 24


@pytest.mark.parametrize(
    ("scenario", "is_land", "value"),
    [
        pytest.param("6", False, 12, id="5.75-naval"),
        pytest.param("6", True, 9, id="5.75-land"),
        pytest.param("9", False, 15, id="5.75-scenario-9"),
    ],
)
def test_attack_value_depends_on_scenario_and_base(
    scenario: str, value: int, *, is_land: bool
) -> None:
    state = with_butai(day(scenario))
    state = arrived(state, was_intercepted=True, is_land=is_land)
    assert attack_total(state, "1-a") == value


def test_5_71_an_unintercepted_raid_is_divided_on_arrival() -> None:
    state = with_raid(alone("58.1"), points=5)
    run = attacking(state, 6, 1, 1, 1)
    assert facts(run, RaidSplit) == (RaidSplit(raid="1-a", fighters=2, attackers=3),)


def test_op_17_a_raid_without_attackers_returns_without_flak() -> None:
    run = attacking(arrived(alone("58.1"), points=2, attackers=0))
    assert not reads(run)
    assert facts(run, RaidEnded) == (RaidEnded(raid="1-a", why="returns"),)


def test_5_71_target_is_chosen_again_at_random_among_carrier_groups() -> None:
    state = arrived(alone("58.1", "58.2"))
    run = attacking(state, 1, 1, 1, picks=("58.2", "wasp", "wasp"))
    chosen = [one.one for one in facts(run, Chosen)]  # type: ignore[attr-defined]  # of this kind
    assert chosen[0] == "58.2"


def test_5_71_without_carriers_the_raid_avoids_the_battle_line() -> None:
    state = alone("58.7", "58.4")
    ships = {
        name: replace(ship, is_sunk=True)
        for name, ship in state.ships.items()
        if state.game_data.us_ships[name].is_carrier
    }
    run = attacking(arrived(with_parts(state, ships=ships)), 8, 1, 1, 1)
    assert reads(run)[0].result == "avoid"
    assert reads(run)[1].chart == "anti_aircraft_fire"


def test_5_71_a_raid_without_a_target_returns() -> None:
    run = attacking(arrived(alone("58.7")), 8)
    assert facts(run, RaidEnded) == (RaidEnded(raid="1-a", why="returns"),)


def test_5_61_without_carriers_a_raid_attacks_a_battleship_then_any_ship() -> None:
    run = attacking(arrived(alone("58.7")), 1, 1, 8, 1, picks=("iowa",))
    assert reads(run)[0].result == "divert"
    assert hit(run) == [("iowa", 2)]
    state = alone("58.1")
    ships = {
        name: replace(ship, is_sunk=True)
        for name, ship in state.ships.items()
        if state.game_data.us_ships[name].is_carrier
    }
    run = attacking(arrived(with_parts(state, ships=ships)), 1, 8, 1, picks=("oakland",))
    assert hit(run) == [("oakland", 2)]


def test_5_61_scenario_9_naval_raids_prefer_fleet_carriers() -> None:
    state = with_butai(day("9"))
    state = without_group(state, "58.2", "58.3", "58.4", "58.7")
    run = attacking(arrived(state), 1, 8, 8, 1, picks=("bataan", "bataan"))
    assert {ship for ship, _ in hit(run)} <= {"hornet", "yorktown"}
    land = arrived(state, is_land=True)
    run = attacking(land, 1, 8, 8, picks=("bataan", "bataan"))
    assert {ship for ship, _ in hit(run)} == {"bataan"}


def test_24_4_new_aircraft_hit_better() -> None:
    state = without_group(with_butai(day(new_aircraft="on")), "58.2", "58.3", "58.4", "58.7")
    run = attacking(arrived(state), 1, 5, 1)
    assert hit(run) == [("hornet", 1)]
    assert "variant_24_4" in [one.id for one in reads(run, "air_attack_damage")[0].modifiers]


# -- flak


def test_5_51_flak_eliminates_points_before_it_aborts_others() -> None:
    run = running(arrived(alone("58.1")))
    apply_flak(run, "1-a", AbortElim(1, 1))
    assert facts(run, RaidAborted, RaidReduced) == (
        RaidAborted(raid="1-a", points=1),
        RaidReduced(raid="1-a", attackers=1, why="flak"),
    )
    assert attack_total(run.state, "1-a") == 8
    assert run.state.forces["1"].boxes == {"raid-a": 4, "lost": 1}


def test_5_51_excess_is_lost_and_fighters_are_immune() -> None:
    run = running(arrived(alone("58.1")))
    apply_flak(run, "1-a", AbortElim(2, 5))
    assert (run.state.raids["1-a"].fighters, run.state.raids["1-a"].attackers) == (2, 0)
    assert not facts(run, RaidAborted)


@pytest.mark.parametrize(
    ("ruling", "fighters"),
    [
        pytest.param("attackers", 2, id="OP-15-attackers-only"),
        pytest.param("all", 1, id="OP-15-all"),
    ],
)
def test_flak_against_raids_follows_the_ruling(ruling: str, fighters: int) -> None:
    state = without_group(with_butai(day(flak_on_raids=ruling)), "58.2", "58.3", "58.4", "58.7")
    run = attacking(arrived(state), 5, 1, 1, 1, picks=("fighter",))
    (reduced,) = facts(run, RaidReduced)
    assert 2 - reduced.fighters == fighters  # type: ignore[attr-defined]  # of this kind


def test_5_73_a_raid_aborted_entirely_does_not_attack() -> None:
    run = attacking(arrived(alone("58.1"), points=1, fighters=0, attackers=1), 3)
    assert [one.chart for one in reads(run)] == ["anti_aircraft_fire"]
    assert facts(run, RaidEnded) == (RaidEnded(raid="1-a", why="returns"),)


def test_5_73_a_raid_shot_down_entirely_is_removed() -> None:
    run = attacking(arrived(alone("58.1"), points=1, fighters=0, attackers=1), 5)
    assert facts(run, RaidEnded) == (RaidEnded(raid="1-a", why="destroyed"),)


# -- the Battle Line


def test_5_72_a_divert_result_draws_flak_of_the_battle_line() -> None:
    run = attacking(arrived(alone("58.1", "58.7")), 1, 1, 1, 1)
    assert reads(run, "anti_aircraft_fire")[0].column == "60"


def test_5_72_overflight_draws_fire_from_half_of_the_battleships() -> None:
    state = arrived(alone("58.1", "58.7"))
    run = attacking(state, 5)
    assert run.top() == OverflightFrame(raid="1-a", target="58.1")
    state = with_frame(state, END, run.top())
    run = given(state, Done(), 7, 1, 1, 1, picks=("fighter",))
    # 8 + 8 + 7 * 5 = 51, halved 25
    assert [one.column for one in reads(run, "anti_aircraft_fire")] == ["20", "40"]
    assert facts(run, ShipsFired) == (
        ShipsFired(
            ships=(
                *("iowa", "new-jersey", "washington", "north-carolina", "south-dakota"),
                *("alabama", "indiana"),
            )
        ),
    )


def test_5_72_overflight_hits_fighters_and_attackers_alike() -> None:
    state = with_frame(
        arrived(alone("58.1", "58.7")), END, OverflightFrame(raid="1-a", target="58.1")
    )
    run = given(state, Done(), 8, 1, 1, 1, picks=("fighter",))
    assert facts(run, RaidReduced) == (RaidReduced(raid="1-a", fighters=1, why="flak"),)


def test_5_721_each_battleship_fires_at_one_overflight_per_phase() -> None:
    state = arrived(alone("58.1", "58.7"))
    fired = {
        name: replace(ship, has_fired=True) for name, ship in state.ships.items() if name != "iowa"
    }
    frame = OverflightFrame(raid="1-a", target="58.1")
    state = with_frame(with_parts(state, ships=fired), END, frame)
    assert options(state) == (HoldFire(ship="iowa"), Done())
    none = with_parts(state, ships={"iowa": replace(state.ships["iowa"], has_fired=True)})
    run = advanced(none, 1, 1, 1)
    assert not facts(run, ShipsFired)
    run.add(PhaseBegan(phase=2))
    assert not run.state.ships["iowa"].has_fired


# -- crippled ships


def test_12_44_a_crippled_ship_takes_all_dice_under_flak_of_its_group() -> None:
    state = alone("58.1", "58.7")
    cripple = replace(state.ships["hornet"], group="", hex="1010", hits=6)
    state = with_parts(state, ships={"hornet": cripple})
    run = attacking(arrived(state, hex="1010", target="hornet"), 1, 1)
    assert not reads(run, "anti_aircraft_fire")  # crippled: no flak of its own
    near = with_groups_at(state, "1010", "58.1")
    run = attacking(arrived(near, hex="1010", target="hornet"), 1, 8, 6)
    assert len(reads(run, "anti_aircraft_fire")) == 1
    assert hit(run) == [("hornet", 2)]


# -- the segment


def test_5_71_raids_attack_in_random_order_and_fires_change_at_the_end() -> None:
    state = arrived(alone("58.1"), points=1, fighters=1, attackers=0)
    state = with_raid(state, "1-b", points=3, slot="b", is_split=True, attackers=3)
    state = with_frame(state, END, JapaneseAttackFrame(left=("1-a", "1-b")))
    run = advanced(state, 1, 8, 1, 10, picks=("1-b",))
    ended = [one.raid for one in facts(run, RaidEnded)]  # type: ignore[attr-defined]  # of this kind
    assert ended == ["1-b", "1-a"]
    assert run.events[-2] == FiresChanged(ship="hornet", levels=(1,))


def test_scenario_1_raids_that_reach_tf_58_count_as_through() -> None:
    state = battle("1")
    state = with_raid(
        state, "raid-I", origin="raid-I", slot="", hex="1109", points=4, is_split=True, attackers=4
    )
    run = advanced(with_frame(state, END, JapaneseAttackFrame(left=("raid-I",))))
    assert facts(run, PointsDestroyed, RaidEnded) == (
        PointsDestroyed(through=4),
        RaidEnded(raid="raid-I", why="over"),
    )


def test_scenario_3_raids_attack_once_and_end() -> None:
    state = battle("3")
    state = with_raid(
        state,
        "raid-IV",
        origin="raid-IV",
        slot="",
        hex="1109",
        points=2,
        target="58.2",
        is_split=True,
        attackers=2,
    )
    state = without_group(state, "58.3", "58.7")
    run = advanced(with_frame(state, END, JapaneseAttackFrame(left=("raid-IV",))), 1, 8, 1)
    assert hit(run) == [("bunker-hill", 2)]
    assert facts(run, RaidEnded) == (RaidEnded(raid="raid-IV", why="over"),)
    assert not reads(run, "fire_outbreak")


def test_5_74_raids_roll_neither_contact_nor_surprise() -> None:
    run = attacking(arrived(alone("58.1")), 1, 1, 1)
    assert not reads(run, "strike_contact")
    assert not reads(run, "surprise")
