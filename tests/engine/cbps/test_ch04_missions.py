"""Displays, movement and fuel of US missions (4.1-4.4)."""

import pytest

from engine.cbps.air.ch04_fuel import can_pay, mission_units, spend_fuel
from engine.cbps.commands import CbpsCommand, Deploy, Done, Fly, Hold
from engine.cbps.events.air import (
    CapDeployed,
    FuelSpent,
    MissionEnded,
    MissionFlipped,
    UnitLost,
)
from engine.cbps.evolve.air import FULLY_MOVED
from engine.cbps.handlers import MACHINE
from engine.cbps.state import Force, Hull, State
from engine.kernel.dice import ScriptedDice
from tests.engine.cbps.battle import (
    facts,
    given,
    given_by,
    options,
    reads,
    refusals,
    running,
    with_parts,
)
from tests.engine.cbps.fleet_at import HOME, air_movement, cap, intercept, strike

STRIKERS = {"hornet-b1": "strike-1", "hornet-f1": "strike-1"}
FIGHTERS = {"hornet-f1": "intercept-1", "essex-f1": "intercept-1"}


def flying(hex: str = HOME, **fields: object) -> State:
    """Return a strike in a hex, in the US Air Movement Segment."""
    return air_movement(units=STRIKERS, missions={"strike-1": strike(hex, **fields)})


# -- fuel


@pytest.mark.parametrize(
    ("die", "points"),
    [
        pytest.param(1, 1, id="4.432-die-1"),
        pytest.param(5, 1, id="4.432-die-5"),
        pytest.param(6, 2, id="4.432-die-6"),
        pytest.param(10, 2, id="4.432-die-10"),
    ],
)
def test_4_432_fuel_for_the_second_hex_is_rolled(die: int, points: int) -> None:
    run = given(flying("1109", moved=1, fuel=5), Fly(mission="strike-1", hex="1110"), die)
    assert reads(run, "second_hex_fuel")[0].result == str(points)
    assert run.state.missions["strike-1"].fuel == 5 - points


def test_4_41_a_third_hex_is_refused() -> None:
    state = flying("1110", moved=2)
    assert "4.41" in refusals(state, Fly(mission="strike-1", hex="1109"))


def test_4_431_waiting_costs_one_point() -> None:
    run = given(flying(), Hold(mission="strike-1"))
    assert facts(run, FuelSpent) == (FuelSpent(mission="strike-1", points=1, why="wait"),)
    assert run.state.missions["strike-1"].moved == FULLY_MOVED


def test_4_431_missions_without_orders_wait_when_the_segment_ends() -> None:
    run = given(flying(), Done())
    assert facts(run, FuelSpent) == (FuelSpent(mission="strike-1", points=1, why="wait"),)


def test_4_431_missions_that_have_moved_pay_nothing_when_the_segment_ends() -> None:
    run = given(flying("1109", moved=1), Done())
    assert facts(run, FuelSpent) == ()


def test_4_44_a_mission_with_no_fuel_left_is_critical() -> None:
    run = given(flying(fuel=1), Hold(mission="strike-1"))
    assert run.state.missions["strike-1"].fuel == 0


def test_4_45_critical_missions_move_one_hex() -> None:
    assert refusals(flying("1109", fuel=-1), Fly(mission="strike-1", hex="1108")) == ()
    moved = flying("1109", fuel=-2, moved=1)
    assert "4.45" in refusals(moved, Fly(mission="strike-1", hex="1108"))


def test_op_68_a_second_hex_is_refused_with_one_fuel_point() -> None:
    state = flying("1109", fuel=0, moved=1)
    assert "4.45" in refusals(state, Fly(mission="strike-1", hex="1108"))
    other = air_movement(
        units=STRIKERS,
        missions={"strike-1": strike("1109", fuel=0, moved=1)},
        options={"second-hex": "on"},
    )
    run = given(other, Fly(mission="strike-1", hex="1108"), 7)
    assert run.state.missions["strike-1"].fuel == -2


def test_4_454_the_seventh_box_eliminates_all_units() -> None:
    run = given(flying("1118", fuel=-6), Fly(mission="strike-1", hex="1117"))
    assert [fact.why for fact in facts(run, UnitLost)] == ["fuel", "fuel"]  # type: ignore[attr-defined]
    assert facts(run, MissionEnded) == (MissionEnded(mission="strike-1"),)
    assert run.state.units["hornet-b1"].place == "lost"


def test_15_1_units_lost_over_a_group_are_lost_at_that_group() -> None:
    run = running(flying(fuel=-6))
    spend_fuel(run, "strike-1", 1, "wait")
    assert run.state.units["hornet-b1"].place == "lost-at-group"


@pytest.mark.parametrize(
    ("fuel", "points", "answer"),
    [
        pytest.param(1, 1, True, id="op-7-last-point"),
        pytest.param(-3, 3, True, id="op-7-combat-in-box-3"),
        pytest.param(-4, 3, False, id="op-7-combat-in-box-4"),
        pytest.param(-5, 1, True, id="op-7-box-5"),
        pytest.param(-6, 1, False, id="op-7-box-6"),
    ],
)
def test_op_7_entering_the_last_critical_box_is_not_affordable(
    fuel: int, points: int, answer: bool
) -> None:
    assert can_pay(strike(fuel=fuel), points) is answer


# -- courses of strikes


@pytest.mark.parametrize(
    ("start", "hex", "legal"),
    [
        pytest.param("1108", "1109", True, id="4.22-first-hex"),
        pytest.param("1109", "1110", True, id="4.22-two-hexes"),
        pytest.param("0910", "0810", False, id="4.22-three-hexes"),
        pytest.param("0810", "0909", True, id="4.22-home-from-afar"),
        pytest.param("1110", "1111", False, id="4.22-past-guam"),
        pytest.param("1206", "1306", True, id="4.22-toward-guam"),
    ],
)
def test_4_22_strikes_move_near_targets_or_return_home(start: str, hex: str, legal: bool) -> None:
    found = refusals(flying(start), Fly(mission="strike-1", hex=hex))
    assert (found == ()) is legal
    assert legal or "4.22" in found


def test_4_22_a_lone_cripple_is_a_target() -> None:
    state = with_parts(flying("1110"), hulls={"zuikaku": Hull(force="A", hex="1118")})
    assert refusals(state, Fly(mission="strike-1", hex="1111")) == ()


def test_4_22_every_hex_of_the_move_approaches_the_target() -> None:
    state = with_parts(
        flying("1112", moved=1, toward=("A",)),
        forces={
            "A": Force(hex="1118", detection="L"),
            "B": Force(hex="0613", detection="L"),
        },
    )
    assert refusals(state, Fly(mission="strike-1", hex="1113")) == ()
    assert refusals(state, Fly(mission="strike-1", hex="1012")) == ("4.22",)


def test_5_23_a_flipped_strike_cannot_move_towards_targets() -> None:
    state = with_parts(
        flying("1111", is_flipped=True), forces={"A": Force(hex="1118", detection="S")}
    )
    assert refusals(state, Fly(mission="strike-1", hex="1112")) == ("5.23",)
    assert refusals(state, Hold(mission="strike-1")) == ("5.23",)
    assert refusals(state, Fly(mission="strike-1", hex="1110")) == ()


def test_5_23_a_flipped_strike_waits_near_a_carrier() -> None:
    assert refusals(flying("1110", is_flipped=True), Hold(mission="strike-1")) == ()


def test_5_23_a_flipped_strike_cannot_move_away_from_all_carriers() -> None:
    mission = strike("1113", groups=("surface-1",), is_flipped=True)
    state = air_movement(
        units={"hornet-b1": "strike-1"},
        missions={"strike-1": mission},
        groups={"surface-1": {"hex": "1114", "is_detached": True}},
        ships={"iowa": {"group": "surface-1"}},
    )
    assert refusals(state, Fly(mission="strike-1", hex="1114")) == ("5.23",)
    assert refusals(state, Fly(mission="strike-1", hex="1112")) == ()


def test_op_12_a_strike_reaching_guam_is_flipped_without_effect() -> None:
    guam = air_movement().game_data.map.guam
    step = air_movement().game_data.map.grid.neighbours(guam)[0]
    state = flying(step)
    run = given(state, Fly(mission="strike-1", hex=guam))
    assert facts(run, MissionFlipped) == (MissionFlipped(mission="strike-1"),)


def test_op_12_a_strike_is_not_flipped_at_guam_with_a_force_there() -> None:
    guam = air_movement().game_data.map.guam
    step = air_movement().game_data.map.grid.neighbours(guam)[0]
    state = with_parts(flying(step), forces={"A": Force(hex=guam, detection="L")})
    assert not facts(given(state, Fly(mission="strike-1", hex=guam)), MissionFlipped)


# -- courses of intercepts


def test_4_36_interceptors_cannot_move_next_to_enemy_ships() -> None:
    state = with_parts(
        air_movement(units=FIGHTERS, missions={"intercept-1": intercept("1110")}),
        forces={"A": Force(hex="1111")},
        hulls={"zuikaku": Hull(force="B", hex="1010")},
    )
    assert refusals(state, Fly(mission="intercept-1", hex="1111")) == ("4.36",)
    assert refusals(state, Fly(mission="intercept-1", hex="1010")) == ("4.36",)
    assert refusals(state, Fly(mission="intercept-1", hex="1211")) == ()


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        pytest.param(Fly(mission="intercept-1", hex="1112"), "4.41", id="4.41-not-adjacent"),
        pytest.param(Fly(mission="intercept-1", hex="9999"), "4.41", id="4.41-off-the-map"),
        pytest.param(Fly(mission="intercept-7", hex="1109"), "4.13", id="4.13-no-such-mission"),
        pytest.param(Hold(mission="intercept-7"), "4.13", id="4.13-nothing-to-hold"),
        pytest.param(Fly(mission="intercept-2", hex="1109"), "4.33", id="4.33-cap-in-its-box"),
        pytest.param(Hold(mission="intercept-2"), "4.33", id="4.33-cap-need-not-wait"),
        pytest.param(Deploy(mission="intercept-1"), "4.34", id="4.34-no-cap"),
        pytest.param(Fly(mission="intercept-3", hex="1109"), "4.16", id="4.16-all-have-landed"),
        pytest.param(Hold(mission="intercept-4"), "4.41", id="4.41-it-has-moved"),
    ],
)
def test_4_4_illegal_orders_are_refused(command: CbpsCommand, rule: str) -> None:
    state = air_movement(
        units={
            "hornet-f1": "intercept-1",
            "essex-f1": "intercept-2",
            "wasp-f1": "intercept-4",
        },
        missions={
            "intercept-1": intercept(),
            "intercept-2": cap("58.4"),
            "intercept-3": intercept(),
            "intercept-4": intercept("1109", moved=1),
        },
    )
    assert rule in refusals(state, command)


# -- CAP on the map


@pytest.mark.parametrize(
    ("die", "fuel"),
    [
        pytest.param(1, 10, id="4.35-die-1"),
        pytest.param(7, 13, id="4.35-die-7-example"),
        pytest.param(10, 14, id="4.35-die-10"),
    ],
)
def test_4_35_cap_deployed_on_the_map_rolls_for_fuel(die: int, fuel: int) -> None:
    state = air_movement(units={"hornet-f1": "intercept-1"}, missions={"intercept-1": cap()})
    run = given(state, Deploy(mission="intercept-1"), die)
    assert facts(run, CapDeployed) == (CapDeployed(mission="intercept-1", hex=HOME, fuel=fuel),)
    after = run.state.missions["intercept-1"]
    assert (after.cap, after.hex, after.groups) == ("", HOME, ("58.1",))


def test_4_34_cap_on_the_map_moves_like_an_interceptor() -> None:
    state = air_movement(units={"hornet-f1": "intercept-1"}, missions={"intercept-1": cap()})
    run = given(state, Deploy(mission="intercept-1"), 7)
    run = given(run.state, Fly(mission="intercept-1", hex="1109"))
    assert run.state.missions["intercept-1"].fuel == 12


def test_4_33_cap_in_its_box_pays_no_fuel() -> None:
    state = air_movement(units={"hornet-f1": "intercept-1"}, missions={"intercept-1": cap()})
    assert not facts(given(state, Done()), FuelSpent)


# -- defaults


@pytest.mark.parametrize(
    ("mission", "home"),
    [
        pytest.param(strike("1112", is_flipped=True), True, id="D-4.4-flipped"),
        pytest.param(strike("1112", fuel=0), True, id="D-4.4-critical"),
        pytest.param(strike("1112"), False, id="D-4.4-others-stay"),
        pytest.param(strike(HOME, is_flipped=True), False, id="D-4.4-at-home"),
    ],
)
def test_d_4_4_missions_without_orders_return_home_when_required(
    mission: object, home: bool
) -> None:
    state = air_movement(units=STRIKERS, missions={"strike-1": mission})
    run = given(state, Done())
    assert run.state.missions["strike-1"].hex == ("1111" if home else mission.hex)  # type: ignore[attr-defined]


def test_d_4_4_the_default_move_of_a_flipped_strike_is_towards_home() -> None:
    state = flying("1112", is_flipped=True)
    assert MACHINE.decision(state, "us").default == Fly(mission="strike-1", hex="1111")
    assert MACHINE.decision(flying("1110"), "us").default == Done()


def test_4_4_a_critical_interceptor_may_stay_to_fight() -> None:
    state = air_movement(units=FIGHTERS, missions={"intercept-1": intercept("1111", fuel=-1)})
    run = given(state, Hold(mission="intercept-1"))
    assert run.state.missions["intercept-1"].hex == "1111"


def test_4_36_an_interceptor_stays_if_its_way_home_is_blocked() -> None:
    state = with_parts(
        air_movement(units=FIGHTERS, missions={"intercept-1": intercept("1110", fuel=0)}),
        forces={"A": Force(hex="1109")},
    )
    run = given(state, Done())
    assert run.state.missions["intercept-1"].hex == "1110"


# -- commanders


def test_6_1_each_seat_moves_its_own_missions() -> None:
    state = air_movement(
        units={"hornet-f1": "intercept-1", "essex-f1": "intercept-2"},
        missions={
            "intercept-1": intercept(),
            "intercept-2": intercept(commander="us-2"),
        },
        options={"staff": "two"},
    )
    step = Fly(mission="intercept-2", hex="1109")
    assert refusals(state, step) == ("6.1",)
    assert refusals(state, Hold(mission="intercept-2")) == ("6.1",)
    run = given_by("us-2", state, step, ScriptedDice())
    assert mission_units(run.state, "intercept-2") == ("essex-f1",)


def test_6_1_each_seat_deploys_its_own_cap() -> None:
    state = air_movement(
        units={"hornet-f1": "intercept-1"},
        missions={"intercept-1": cap()},
        options={"staff": "two"},
    )
    assert refusals(state, Deploy(mission="intercept-1"), "us-2") == ("6.1",)


def test_4_4_the_options_are_the_legal_commands() -> None:
    state = with_parts(
        air_movement(
            units={**STRIKERS, "essex-f1": "intercept-2", "wasp-f1": "intercept-3"},
            missions={
                "strike-1": strike("1110"),
                "intercept-2": intercept("1109", moved=1),
                "intercept-3": cap("58.2"),
            },
        ),
        forces={"A": Force(hex="1109", detection="L")},
    )
    listed = options(state)
    names = ("strike-1", "intercept-2", "intercept-3", "intercept-4")
    every = [
        *(Fly(mission=name, hex=hex) for name in names for hex in state.game_data.map.hexes),
        *(Hold(mission=name) for name in names),
        *(Deploy(mission=name) for name in names),
        Done(),
    ]
    assert [one for one in every if not refusals(state, one)] == sorted(listed, key=every.index)
