"""Safe Return and deck crashes (4.451, 4.452, 6.42, 6.43)."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.cbps.air.ch04_fuel import lose_unit
from engine.cbps.commands import CbpsCommand, Done, Land, LightUp, Wait
from engine.cbps.events.air import MissionEnded, UnitLost, UnitMoved
from engine.cbps.events.chance import ChartRead
from engine.cbps.events.fleet import DeckCrashed
from engine.cbps.frames import OperationsFrame
from engine.cbps.handlers import MACHINE
from engine.cbps.run import Run
from engine.cbps.state import State
from engine.kernel.dice import ScriptedDice
from tests.engine.cbps.battle import (
    advanced,
    facts,
    given,
    given_by,
    options,
    reads,
    refusals,
    running,
)
from tests.engine.cbps.fleet_at import (
    DUSK,
    NIGHT,
    PARKED,
    cap,
    intercept,
    operations,
    safe_return,
)

OVER = {"hornet-f1": "intercept-1", "hornet-f2": "intercept-1", "wasp-f1": "ready"}
CRASHES = {"deck-crashes": "on"}


def over(fuel: int, **fields: Any) -> State:  # noqa: ANN401  # those of operations
    """Return two fighters over the fleet."""
    return operations(units=OVER, missions={"intercept-1": intercept(fuel=fuel)}, **fields)


def drms(read: ChartRead) -> dict[str, int]:
    """Return the modifiers of a roll."""
    return {one.id: one.drm for one in read.modifiers}


# -- who rolls, and with what


@pytest.mark.parametrize(
    ("fuel", "modifiers"),
    [
        pytest.param(2, None, id="4.451-not-critical"),
        pytest.param(1, {}, id="op-66-fuel-1-counts-as-box-0"),
        pytest.param(0, {"fuel_critical_box": 1}, id="4.451-box-0-pays"),
        pytest.param(-4, {"fuel_critical_box": 5}, id="4.451-example-box-5"),
        pytest.param(-5, {"fuel_critical_box": 6}, id="4.451-box-5-pays"),
        pytest.param(
            -6, {"fuel_critical_box": 6, "cannot_pay_landing": 2}, id="4.451-box-6-cannot-pay"
        ),
    ],
)
def test_4_451_critical_units_roll_after_the_landings(
    fuel: int, modifiers: dict[str, int] | None
) -> None:
    state = given(over(fuel), Land(unit="hornet-f1", carrier="hornet")).state
    run = given(state, Done(), *(() if modifiers is None else (1,)))
    found = [drms(read) for read in reads(run, "safe_return")]
    assert found == ([] if modifiers is None else [modifiers])


def test_op_66_other_ruling_deducts_the_landing_point_before_the_roll() -> None:
    state = over(1, options={"landing-point": "before"})
    state = given(state, Land(unit="hornet-f1", carrier="hornet")).state
    assert not reads(given(state, Done()), "safe_return")


def test_4_451_safe_return_is_rolled_after_all_landings() -> None:
    run = given(over(0), Land(unit="hornet-f1", carrier="hornet"))
    assert not reads(run)
    run = given(run.state, Land(unit="hornet-f2", carrier="wasp"))
    run = given(run.state, Done(), 2, 3)
    assert [read.about for read in reads(run, "safe_return")] == ["hornet-f1", "hornet-f2"]


def test_4_451_a_unit_lost_on_landing_leaves_the_landed_box() -> None:
    state = given(over(0), Land(unit="hornet-f1", carrier="hornet")).state
    run = given(state, Done(), 10)
    assert facts(run, UnitLost) == (UnitLost(unit="hornet-f1", is_at_group=True, why="landing"),)
    assert run.state.ships["hornet"].landed == 1


def test_4_433_a_mission_that_stays_keeps_its_fuel_marker() -> None:
    state = given(over(0), Land(unit="hornet-f1", carrier="hornet")).state
    assert state.missions["intercept-1"].fuel == 0


@pytest.mark.parametrize(
    ("at", "modifiers"),
    [
        pytest.param((0, 1), None, id="6.42-day"),
        pytest.param(DUSK, {"dusk": 2}, id="6.42-dusk"),
        pytest.param(NIGHT, {"night": 3}, id="6.42-night"),
    ],
)
def test_6_42_all_landing_units_roll_at_dusk_and_at_night(
    at: tuple[int, int], modifiers: dict[str, int] | None
) -> None:
    state = given(over(9, at=at), Land(unit="hornet-f1", carrier="hornet")).state
    run = given(state, Done(), *(() if modifiers is None else (1,)))
    found = [drms(read) for read in reads(run, "safe_return")]
    assert found == ([] if modifiers is None else [modifiers])


def test_6_42_critical_missions_add_their_box_at_dusk() -> None:
    state = given(over(-2, at=DUSK), Land(unit="hornet-f1", carrier="hornet")).state
    read = reads(given(state, Done(), 1), "safe_return")[0]
    assert drms(read) == {"fuel_critical_box": 3, "dusk": 2}


def test_6_42_cap_from_its_box_rolls_at_dusk_too() -> None:
    state = operations(
        at=DUSK,
        units={"hornet-f1": "intercept-1"},
        missions={"intercept-1": cap()},
    )
    state = given(state, Land(unit="hornet-f1", carrier="hornet")).state
    assert drms(reads(given(state, Done(), 1), "safe_return")[0]) == {"dusk": 2}


def test_6_432_only_critical_units_roll_in_a_lit_hex() -> None:
    fields: dict[str, Any] = {"at": DUSK, "groups": {"58.3": {"is_lit": True}}}
    state = given(over(9, **fields), Land(unit="hornet-f1", carrier="hornet")).state
    assert not reads(given(state, Done()))
    state = given(over(-1, **fields), Land(unit="hornet-f1", carrier="hornet")).state
    assert drms(reads(given(state, Done(), 1))[0]) == {"fuel_critical_box": 2}


def test_op_19_other_ruling_applies_the_dusk_modifier_in_a_lit_hex() -> None:
    state = over(-1, at=DUSK, groups={"58.3": {"is_lit": True}}, options={"lit-landing": "on"})
    state = given(state, Land(unit="hornet-f1", carrier="hornet")).state
    assert drms(reads(given(state, Done(), 1))[0]) == {"fuel_critical_box": 2, "dusk": 2}


def test_6_43_lights_may_go_on_after_the_landing() -> None:
    state = given(over(9, at=NIGHT), Land(unit="hornet-f1", carrier="hornet")).state
    state = given(state, LightUp(group="58.2")).state
    assert not reads(given(state, Done()))


def test_6_291_units_pushed_overboard_do_not_roll() -> None:
    state = safe_return(("hornet-f1", "hornet", 0), units={"hornet-f1": "gone"})
    assert not reads(advanced(state))


def test_4_16_scenario_1_units_are_out_of_play_after_a_safe_return() -> None:
    state = safe_return(
        ("hornet-f1", "hornet", 0),
        scenario="1",
        units={"hornet-f1": "landed", "wasp-f1": "ready"},
    )
    waiting = replace(state, frames=(PARKED, OperationsFrame(), *state.frames[1:]))
    assert advanced(waiting, 1).state.units["hornet-f1"].place == "gone"


# -- deck crashes


def test_4_452_there_are_no_deck_crashes_without_the_option() -> None:
    state = given(over(0), Land(unit="hornet-f1", carrier="hornet")).state
    run = given(state, Done(), 10)
    assert not reads(run, "deck_crash")


def crash(die: int, *faces: int) -> Run:
    """Return the run of two landings on one carrier, of which the first is lost."""
    state = given(over(0, options=CRASHES), Land(unit="hornet-f1", carrier="hornet")).state
    state = given(state, Land(unit="hornet-f2", carrier="hornet")).state
    return given(state, Done(), 10, die, *faces)


def test_4_452_rolls_up_to_9_cause_no_crash() -> None:
    run = crash(9, 2)
    assert not facts(run, DeckCrashed)
    assert len(reads(run, "safe_return")) == 2
    assert facts(run, MissionEnded) == (MissionEnded(mission="intercept-1"),)


def test_4_452_a_crash_diverts_the_other_units() -> None:
    run = crash(10)
    assert facts(run, DeckCrashed) == (DeckCrashed(ship="hornet"),)
    decision = MACHINE.decision(run.state, "us")
    assert decision.rule == "4.452"
    assert decision.options[-1] == Wait(unit="hornet-f2")
    assert decision.default == Land(unit="hornet-f2", carrier="wasp")
    assert Land(unit="hornet-f2", carrier="hornet") not in decision.options


def test_4_452_a_diverted_unit_rolls_on_its_new_carrier() -> None:
    run = given(crash(10).state, Land(unit="hornet-f2", carrier="wasp"), 2)
    assert facts(run, UnitMoved) == (
        UnitMoved(unit="hornet-f2", place="landed", at="wasp", why="divert"),
    )
    assert [read.about for read in reads(run, "safe_return")] == ["hornet-f2"]
    assert run.state.ships["wasp"].landed == 1


def test_op_8_a_waiting_unit_stays_in_its_mission_and_pays_no_fuel() -> None:
    run = given(crash(10).state, Wait(unit="hornet-f2"))
    unit = run.state.units["hornet-f2"]
    assert (unit.place, unit.at) == ("mission", "intercept-1")
    assert run.state.missions["intercept-1"].fuel == 0
    assert not reads(run, "safe_return")


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        pytest.param(Land(unit="hornet-f1", carrier="wasp"), "4.452", id="4.452-it-is-lost"),
        pytest.param(Wait(unit="wasp-f1"), "4.452", id="4.452-its-carrier-is-whole"),
        pytest.param(Land(unit="hornet-f2", carrier="hornet"), "4.452", id="4.452-the-crashed"),
        pytest.param(Land(unit="hornet-f2", carrier="iowa"), "6.28", id="6.28-no-carrier"),
        pytest.param(Land(unit="hornet-f2", carrier="saratoga"), "2.32", id="2.32-no-ship"),
        pytest.param(Wait(unit="saratoga-f1"), "4.452", id="4.452-no-unit"),
    ],
)
def test_4_452_illegal_diversions_are_refused(command: CbpsCommand, rule: str) -> None:
    assert rule in refusals(crash(10).state, command)


def test_6_1_only_the_mission_commander_diverts_units() -> None:
    state = operations(
        units={"essex-f1": "intercept-1", "essex-f2": "intercept-1", "hornet-f1": "ready"},
        missions={"intercept-1": intercept(fuel=0, commander="us-2")},
        options={**CRASHES, "staff": "two"},
    )
    dice = ScriptedDice(10, 10)
    for unit in ("essex-f1", "essex-f2"):
        state = given_by("us-2", state, Land(unit=unit, carrier="essex"), dice).state
    state = given_by("us-2", state, Done(), dice).state
    state = given(state, Done(), 10, 10).state
    assert refusals(state, Wait(unit="essex-f2"), "us-2") == ()
    assert refusals(state, Wait(unit="essex-f2"), "us") != ()


def test_8_28_a_search_without_a_carrier_to_land_on_is_lost() -> None:
    ships = {name: {"is_inoperative": True} for name in operations().ships if name != "hornet"}
    state = safe_return(
        ("hornet-f1", "hornet", 0),
        ("hornet-f2", "hornet", 0),
        units={"hornet-f1": "landed", "hornet-f2": "landed"},
        ships=ships,
        options=CRASHES,
    )
    run = advanced(state, 10, 10)
    assert [fact.why for fact in facts(run, UnitLost)] == ["landing", "no-room"]  # type: ignore[attr-defined]


def test_8_28_a_diverted_search_cannot_wait() -> None:
    state = safe_return(
        ("hornet-f1", "hornet", 0),
        ("hornet-f2", "hornet", 0),
        units={"hornet-f1": "landed", "hornet-f2": "landed"},
        options=CRASHES,
    )
    run = advanced(state, 10, 10)
    assert refusals(run.state, Wait(unit="hornet-f2")) == ("8.28",)
    assert all(isinstance(one, Land) for one in options(run.state))


def test_4_452_a_mission_ends_when_no_unit_can_return_to_it() -> None:
    state = over(0, options=CRASHES)
    for unit in ("hornet-f1", "hornet-f2"):
        state = given(state, Land(unit=unit, carrier="hornet")).state
    run = running(state)
    lose_unit(run, "hornet-f1", "overboard")
    assert not facts(run, MissionEnded)
    lose_unit(run, "hornet-f2", "overboard")
    assert facts(run, MissionEnded) == (MissionEnded(mission="intercept-1"),)
