"""The US Air Operations Segment: launch, raise, service, lower, land, lights (6.2, 4.14, 4.33, 6.43)."""

from typing import Any

import pytest

from engine.cbps.commands import (
    Cap,
    CbpsCommand,
    Done,
    Fly,
    Land,
    Launch,
    LightUp,
    Lower,
    Operate,
    Raise,
    Service,
    Store,
)
from engine.cbps.events.air import (
    FuelSpent,
    MissionEnded,
    MissionFormed,
    MissionJoined,
    MissionMoved,
    UnitMoved,
)
from engine.cbps.state import AirUnit, State
from tests.engine.cbps.battle import facts, given, options, refusals, with_parts
from tests.engine.cbps.fleet_at import (
    DUSK,
    HOME,
    NIGHT,
    cap,
    intercept,
    operations,
)

READY = {"hornet-f1": "ready", "hornet-b1": "ready", "belleau-wood-f1": "ready"}


def launched(state: State, *commands: CbpsCommand) -> State:
    """Return a state after commands."""
    for command in commands:
        state = given(state, command).state
    return state


# -- launching


def test_6_24_a_unit_is_launched_into_a_new_mission() -> None:
    run = given(operations(units=READY), Launch(unit="hornet-f1", mission="intercept-1"))
    assert facts(run, MissionFormed, UnitMoved) == (
        MissionFormed(
            mission="intercept-1", kind_of="intercept", hex=HOME, fuel=16, groups=("58.1",)
        ),
        UnitMoved(unit="hornet-f1", place="mission", at="intercept-1", why="launch"),
    )
    ship = run.state.ships["hornet"]
    assert (ship.launched, ship.step) == (1, 1)


def test_4_15_mission_fuel_follows_the_shortest_endurance() -> None:
    run = given(operations(units=READY), Launch(unit="hornet-f1", mission="strike-1"))
    run = given(run.state, Launch(unit="hornet-b1", mission="strike-1"))
    assert facts(run, MissionJoined) == (MissionJoined(mission="strike-1", fuel=14, group="58.1"),)


def test_4_14_units_of_several_groups_form_one_mission() -> None:
    state = launched(
        operations(units={**READY, "essex-f1": "ready"}),
        Launch(unit="hornet-f1", mission="strike-1"),
        Launch(unit="essex-f1", mission="strike-1"),
    )
    assert state.missions["strike-1"].groups == ("58.1", "58.4")
    assert state.missions["strike-1"].is_fresh


def test_4_14_a_unit_joining_an_older_mission_uses_its_fuel_without_a_launch_move() -> None:
    state = operations(
        units={**READY, "wasp-f1": "intercept-1"}, missions={"intercept-1": intercept(fuel=7)}
    )
    after = launched(state, Launch(unit="hornet-f1", mission="intercept-1"))
    assert after.missions["intercept-1"].fuel == 7
    assert "4.42" in refusals(after, Fly(mission="intercept-1", hex="1109"))


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        pytest.param(Launch(unit="hornet-t1", mission="strike-1"), "6.24", id="6.24-not-ready"),
        pytest.param(Launch(unit="hornet-b1", mission="intercept-1"), "4.31", id="4.31-no-fighter"),
        pytest.param(
            Launch(unit="hornet-f1", mission="strike-2"), "4.13", id="4.13-lowest-display"
        ),
        pytest.param(Launch(unit="hornet-f1", mission="patrol-1"), "4.11", id="4.11-no-kind"),
        pytest.param(Launch(unit="hornet-f1", mission="intercept-7"), "4.14", id="4.14-other-hex"),
        pytest.param(
            Launch(unit="hornet-f1", mission="intercept-8"), "4.33", id="4.33-not-into-cap"
        ),
        pytest.param(
            Launch(unit="hornet-f1", mission="intercept-6"), "4.14", id="4.14-all-have-landed"
        ),
        pytest.param(Launch(unit="wasp-f1", mission="intercept-1"), "6.22", id="6.22-launch-limit"),
        pytest.param(
            Launch(unit="essex-f1", mission="intercept-1"), "6.22", id="6.22-it-has-landed"
        ),
        pytest.param(
            Launch(unit="lexington-f1", mission="intercept-1"), "6.23", id="6.23-it-has-raised"
        ),
        pytest.param(
            Launch(unit="enterprise-f1", mission="intercept-1"), "6.24", id="6.24-full-deck"
        ),
        pytest.param(Launch(unit="cabot-f1", mission="intercept-1"), "12.34", id="12.34-on-fire"),
        pytest.param(
            Launch(unit="monterey-f1", mission="intercept-1"), "12.12", id="12.12-inoperative"
        ),
        pytest.param(
            Launch(unit="bataan-f1", mission="intercept-1"), "4.452", id="4.452-deck-crash"
        ),
        pytest.param(
            Launch(unit="langley-f1", mission="intercept-1"), "12.11", id="12.11-heavy-damage"
        ),
        pytest.param(
            Launch(unit="cowpens-f1", mission="intercept-1"), "6.23", id="6.23-left-behind"
        ),
        pytest.param(Cap(unit="hornet-b1", mission="intercept-1"), "4.31", id="4.31-no-cap"),
        pytest.param(Cap(unit="hornet-t1", mission="intercept-1"), "6.24", id="6.24-cap"),
        pytest.param(Cap(unit="hornet-f1", mission="intercept-8"), "4.33", id="4.33-other-group"),
        pytest.param(Cap(unit="hornet-f1", mission="strike-1"), "4.11", id="4.11-cap-is-intercept"),
        pytest.param(Cap(unit="hornet-f1", mission="intercept-5"), "4.13", id="4.13-cap-display"),
    ],
)
def test_6_23_illegal_launches_are_refused(command: CbpsCommand, rule: str) -> None:
    state = operations(
        units={
            **READY,
            "wasp-f1": "ready",
            "essex-f1": "ready",
            "lexington-f1": "ready",
            "enterprise-f1": "ready",
            "enterprise-f2": "ready",
            "enterprise-b1": "ready",
            "cabot-f1": "ready",
            "monterey-f1": "ready",
            "bataan-f1": "ready",
            "langley-f1": "ready",
            "cowpens-f1": "ready",
            "princeton-f1": "intercept-7",
            "essex-f2": "intercept-8",
        },
        missions={
            "intercept-6": intercept(),
            "intercept-7": intercept("1110"),
            "intercept-8": cap("58.4"),
        },
        ships={
            "wasp": {"launched": 2},
            "essex": {"landed": 1},
            "lexington": {"step": 2},
            "cabot": {"fires": (1,)},
            "monterey": {"is_inoperative": True},
            "bataan": {"is_crashed": True},
            "langley": {"hits": 3},
            "cowpens": {"hits": 4, "group": "", "hex": HOME},
        },
    )
    assert rule in refusals(state, command)


def test_12_11_light_damage_leaves_the_deck_open() -> None:
    state = operations(units=READY, ships={"hornet": {"hits": 3}})
    assert refusals(state, Launch(unit="hornet-f1", mission="strike-1")) == ()


def test_6_1_a_seat_launches_from_its_own_carriers() -> None:
    state = operations(units={"essex-f1": "ready"}, options={"staff": "two"})
    command = Launch(unit="essex-f1", mission="intercept-1")
    assert refusals(state, command) == ("6.1",)
    assert refusals(state, command, "us-2") == ()


@pytest.mark.parametrize(
    ("turn", "rule"),
    [
        pytest.param((0, 1), "", id="op-18-day"),
        pytest.param(DUSK, "", id="op-18-dusk"),
        pytest.param(NIGHT, "6.24", id="op-18-night"),
    ],
)
def test_op_18_launches_at_night_are_refused(turn: tuple[int, int], rule: str) -> None:
    state = operations(units=READY, at=turn)
    found = refusals(state, Launch(unit="hornet-f1", mission="intercept-1"))
    assert found == ((rule,) if rule else ())


def test_op_18_other_ruling_allows_launches_at_night() -> None:
    state = operations(units=READY, at=NIGHT, options={"night-launch": "on"})
    assert refusals(state, Launch(unit="hornet-f1", mission="strike-1")) == ()


def test_4_13_launches_need_one_of_eight_displays() -> None:
    names = [f"intercept-{number}" for number in range(1, 9)]
    fighters = ["wasp-f1", "wasp-f2", "wasp-f3", "cabot-f1", "cabot-f2", "essex-f1", "essex-f2"]
    state = operations(
        units={**READY, **dict(zip([*fighters, "monterey-f1"], names, strict=True))},
        missions={name: intercept("1110") for name in names},
    )
    for name in ("intercept-9", "strike-1"):
        assert "4.13" in refusals(state, Launch(unit="hornet-f1", mission=name))
    assert not any(isinstance(one, Launch | Cap) for one in options(state))


def test_op_4_cap_in_its_box_uses_a_display() -> None:
    state = operations(
        units={**READY, "essex-f1": "intercept-1"}, missions={"intercept-1": cap("58.4")}
    )
    assert refusals(state, Launch(unit="hornet-f1", mission="strike-1")) == ("4.13",)
    assert refusals(state, Launch(unit="hornet-f1", mission="strike-2")) == ()


# -- CAP


def test_4_33_cap_is_formed_in_its_box() -> None:
    run = given(operations(units=READY), Cap(unit="hornet-f1", mission="intercept-1"))
    assert facts(run, MissionFormed) == (
        MissionFormed(mission="intercept-1", kind_of="intercept", cap="58.1", groups=("58.1",)),
    )
    assert run.state.missions["intercept-1"].fuel == 0


def test_4_33_units_join_the_cap_of_their_group() -> None:
    state = operations(units={**READY, "hornet-f2": "intercept-1"}, missions={"intercept-1": cap()})
    after = launched(state, Cap(unit="hornet-f1", mission="intercept-1"))
    assert after.units["hornet-f1"].at == "intercept-1"


def test_4_33_at_most_two_cap_missions_and_three_units_per_group() -> None:
    state = operations(
        units={**READY, "hornet-f2": "intercept-1", "yorktown-f1": "intercept-2"},
        missions={"intercept-1": cap(), "intercept-2": cap()},
    )
    assert refusals(state, Cap(unit="hornet-f1", mission="intercept-3")) == ("4.33",)
    after = launched(state, Cap(unit="hornet-f1", mission="intercept-2"))
    again = Cap(unit="belleau-wood-f1", mission="intercept-1")
    assert refusals(after, again) == ("4.33",)


# -- the launch move


def test_4_42_a_new_mission_moves_one_hex_for_a_point() -> None:
    state = launched(operations(units=READY), Launch(unit="hornet-f1", mission="strike-1"))
    run = given(state, Fly(mission="strike-1", hex="1109"))
    assert facts(run, MissionMoved, FuelSpent) == (
        MissionMoved(mission="strike-1", hex="1109", why="launch"),
        FuelSpent(mission="strike-1", points=1, why="move"),
    )
    assert "4.42" in refusals(run.state, Fly(mission="strike-1", hex="1110"))


def test_4_42_a_launch_move_of_two_hexes_is_refused() -> None:
    state = launched(operations(units=READY), Launch(unit="hornet-f1", mission="strike-1"))
    assert "4.41" in refusals(state, Fly(mission="strike-1", hex="1110"))


# -- the boxes


@pytest.mark.parametrize(
    ("command", "place", "step"),
    [
        pytest.param(Raise(unit="hornet-b1"), "ready", 2, id="6.25"),
        pytest.param(Service(unit="hornet-b2"), "servicing", 3, id="6.26-in"),
        pytest.param(Store(unit="hornet-b1"), "hangar", 3, id="6.26-out"),
        pytest.param(Lower(unit="hornet-f1"), "hangar", 4, id="6.27-landed"),
        pytest.param(Lower(unit="hornet-f2"), "servicing", 4, id="6.27-ready"),
    ],
)
def test_6_25_to_6_27_units_move_between_boxes_aboard(
    command: Raise | Service | Store | Lower, place: str, step: int
) -> None:
    state = operations(
        units={"hornet-b1": "servicing", "hornet-f1": "landed", "hornet-f2": "ready"}
    )
    run = given(state, command)
    assert run.state.units[command.unit].place == place
    assert run.state.ships["hornet"].step == step


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        pytest.param(Raise(unit="hornet-f1"), "6.25", id="6.25-not-servicing"),
        pytest.param(Raise(unit="wasp-b1"), "6.22", id="6.22-full-deck"),
        pytest.param(Raise(unit="bataan-f1"), "6.22", id="6.22-full-deck-of-a-cvl"),
        pytest.param(Raise(unit="essex-b1"), "6.23", id="6.23-raise-after-service"),
        pytest.param(Service(unit="essex-b1"), "6.26", id="6.26-not-in-the-hangar"),
        pytest.param(Service(unit="wasp-t1"), "6.22", id="6.22-servicing-full"),
        pytest.param(Service(unit="essex-t1"), "6.26", id="6.26-limit"),
        pytest.param(Service(unit="lexington-t1"), "6.23", id="6.23-service-after-lower"),
        pytest.param(Store(unit="hornet-f1"), "6.26", id="6.26-nothing-to-store"),
        pytest.param(Store(unit="lexington-b1"), "6.23", id="6.23-store-after-lower"),
        pytest.param(Store(unit="cabot-f1"), "12.34", id="6.23-on-fire"),
        pytest.param(Lower(unit="hornet-f1"), "6.27", id="6.27-not-on-deck"),
        pytest.param(Lower(unit="lexington-f1"), "6.27", id="6.27-limit"),
        pytest.param(Lower(unit="wasp-f1"), "6.22", id="6.27-no-room-in-servicing"),
        pytest.param(Lower(unit="enterprise-f1"), "6.23", id="6.23-lower-after-landing"),
    ],
)
def test_6_25_to_6_27_illegal_moves_aboard_are_refused(command: CbpsCommand, rule: str) -> None:
    state = operations(
        units={
            "wasp-f1": "ready",
            "wasp-f2": "ready",
            "wasp-f3": "landed",
            "wasp-b1": "servicing",
            "wasp-b2": "servicing",
            "bataan-f1": "servicing",
            "bataan-f2": "ready",
            "essex-b1": "servicing",
            "lexington-b1": "servicing",
            "lexington-f1": "landed",
            "cabot-f1": "servicing",
            "enterprise-f1": "landed",
        },
        ships={
            "essex": {"step": 3, "serviced": 2},
            "lexington": {"step": 4, "lowered": 2},
            "cabot": {"fires": (1,)},
            "enterprise": {"step": 5},
        },
    )
    assert rule in refusals(state, command)


def test_6_1_a_seat_services_its_own_carriers() -> None:
    state = operations(units={"essex-b1": "servicing"}, options={"staff": "two"})
    assert refusals(state, Raise(unit="essex-b1")) == ("6.1",)


# -- landing


def over(fuel: int = 5, **fields: Any) -> State:  # noqa: ANN401  # those of operations
    """Return a state with fighters over the fleet."""
    return operations(
        units={
            "hornet-f1": "intercept-1",
            "hornet-f2": "intercept-1",
            "essex-b3": "gone",
            "essex-t2": "gone",
        },
        missions={"intercept-1": intercept(fuel=fuel)},
        **fields,
    )


def test_6_28_units_land_on_any_carrier_in_the_hex() -> None:
    run = given(over(), Land(unit="hornet-f1", carrier="essex"))
    assert facts(run, UnitMoved) == (
        UnitMoved(unit="hornet-f1", place="landed", at="essex", why="land"),
    )
    assert (run.state.ships["essex"].landed, run.state.ships["essex"].step) == (1, 5)


def test_4_433_units_that_do_not_land_pay_no_fuel() -> None:
    run = given(over(), Land(unit="hornet-f1", carrier="essex"))
    assert not facts(run, FuelSpent)
    assert run.state.missions["intercept-1"].fuel == 5


def test_4_16_the_display_is_free_once_the_last_unit_lands() -> None:
    run = given(over(), Land(unit="hornet-f1", carrier="essex"))
    run = given(run.state, Land(unit="hornet-f2", carrier="essex"))
    assert facts(run, MissionEnded) == (MissionEnded(mission="intercept-1"),)


@pytest.mark.parametrize(
    ("fields", "carrier", "rule"),
    [
        pytest.param({"ships": {"essex": {"launched": 1}}}, "essex", "6.28", id="6.28-launched"),
        pytest.param({"ships": {"essex": {"landed": 2}}}, "essex", "6.22", id="6.22-limit"),
        pytest.param({"ships": {"bataan": {"landed": 1}}}, "bataan", "6.22", id="6.22-cvl"),
        pytest.param({"ships": {"essex": {"fires": (2,)}}}, "essex", "12.34", id="12.34-fire"),
        pytest.param({}, "iowa", "6.28", id="6.28-no-carrier"),
        pytest.param({"groups": {"58.4": {"hex": "1109"}}}, "essex", "6.28", id="6.28-other-hex"),
        pytest.param(
            {"ships": {"essex": {"is_sunk": True, "group": ""}}}, "essex", "6.23", id="6.23-sunk"
        ),
    ],
)
def test_6_28_illegal_landings_are_refused(fields: dict[str, Any], carrier: str, rule: str) -> None:
    assert rule in refusals(over(**fields), Land(unit="hornet-f1", carrier=carrier))


def test_6_28_landing_on_a_full_flight_deck_is_refused() -> None:
    state = operations(
        units={
            "hornet-f1": "intercept-1",
            "essex-f1": "ready",
            "essex-f2": "ready",
            "essex-b1": "landed",
        },
        missions={"intercept-1": intercept()},
    )
    assert "6.22" in refusals(state, Land(unit="hornet-f1", carrier="essex"))


def test_6_29_landing_on_a_full_carrier_is_refused() -> None:
    state = operations(
        units={"hornet-f1": "intercept-1", "essex-f1": "hangar"},
        missions={"intercept-1": intercept()},
    )
    assert len([one for one in state.units.values() if one.at == "essex"]) == 8
    assert refusals(state, Land(unit="hornet-f1", carrier="essex")) == ("6.29",)


def test_6_28_a_unit_aboard_cannot_land() -> None:
    assert refusals(over(), Land(unit="essex-f1", carrier="essex")) == ("6.28",)


def test_6_28_a_landed_unit_cannot_land_again() -> None:
    run = given(over(), Land(unit="hornet-f1", carrier="hornet"))
    assert refusals(run.state, Land(unit="hornet-f1", carrier="essex")) == ("6.28",)


def test_op_6_cap_lands_from_its_box_without_a_fuel_cost() -> None:
    fields: dict[str, Any] = {
        "units": {"hornet-f1": "intercept-1"},
        "missions": {"intercept-1": cap()},
    }
    run = given(operations(**fields), Land(unit="hornet-f1", carrier="hornet"))
    assert run.state.units["hornet-f1"].place == "landed"
    other = operations(**fields, options={"cap-landing": "off"})
    assert refusals(other, Land(unit="hornet-f1", carrier="hornet")) == ("4.33",)


# -- lights


def test_6_43_illegal_lighting_orders_are_refused() -> None:
    assert refusals(operations(), LightUp(group="58.1")) == ("6.42",)
    assert refusals(operations(at=DUSK), LightUp(group="surface-1")) == ("6.43",)
    shared = operations(at=DUSK, options={"staff": "two"})
    assert refusals(shared, LightUp(group="58.4")) == ("6.1",)


# -- lessons


def test_4_16_scenario_1_units_fly_only_once() -> None:
    state = operations(scenario="1", units={"hornet-f2": "ready", "wasp-f1": "ready"})
    state = launched(state, Launch(unit="hornet-f2", mission="intercept-1"))
    run = given(state, Land(unit="hornet-f2", carrier="yorktown"))
    assert run.state.units["hornet-f2"].place == "gone"
    assert run.state.ships["yorktown"].landed == 1
    flown = AirUnit(place="ready", at="hornet", has_flown=True)
    back = with_parts(run.state, units={"hornet-f2": flown})
    again = Launch(unit="hornet-f2", mission="intercept-1")
    assert "4.16" in refusals(back, again)


@pytest.mark.parametrize("scenario", ["1", "3"])
def test_4_2_scenarios_without_strikes_refuse_them(scenario: str) -> None:
    unit = "bunker-hill-f2"
    state = operations(scenario=scenario, units={unit: "ready"})
    assert refusals(state, Launch(unit=unit, mission="strike-1")) == ("4.11",)
    assert refusals(state, Launch(unit=unit, mission="intercept-1")) == ()


def test_4_3_scenario_4_has_no_intercepts() -> None:
    state = operations(scenario="4", units={"hornet-f1": "ready"})
    assert refusals(state, Launch(unit="hornet-f1", mission="intercept-1")) == ("4.11",)
    assert refusals(state, Cap(unit="hornet-f1", mission="intercept-1")) == ("4.11",)


def test_4_16_scenario_1_has_no_servicing() -> None:
    state = operations(scenario="1", units={"hornet-f1": "servicing"})
    assert "4.16" in refusals(state, Raise(unit="hornet-f1"))


def test_4_16_scenario_1_ignores_deck_space() -> None:
    state = operations(
        scenario="1",
        units={"hornet-f1": "intercept-1", "belleau-wood-f2": "ready"},
        missions={"intercept-1": intercept("1109")},
    )
    assert refusals(state, Land(unit="hornet-f1", carrier="belleau-wood")) == ()


# -- what is not in play


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        pytest.param(Launch(unit="saratoga-f1", mission="strike-1"), "2.34", id="2.34-launch"),
        pytest.param(Cap(unit="saratoga-f1", mission="intercept-1"), "2.34", id="2.34-cap"),
        pytest.param(Raise(unit="saratoga-f1"), "2.34", id="2.34-raise"),
        pytest.param(Land(unit="saratoga-f1", carrier="hornet"), "2.34", id="2.34-land"),
        pytest.param(Land(unit="hornet-f1", carrier="saratoga"), "2.32", id="2.32-land"),
        pytest.param(Operate(carrier="saratoga"), "2.32", id="2.32-operate"),
        pytest.param(Fly(mission="strike-9", hex="1109"), "4.13", id="4.13-fly"),
    ],
)
def test_2_3_orders_to_units_not_in_play_are_refused(command: CbpsCommand, rule: str) -> None:
    assert refusals(over(), command) == (rule,)


# -- the complete question


def test_6_23_the_options_are_the_legal_commands() -> None:
    state = operations(
        at=DUSK,
        units={
            **READY,
            "hornet-b2": "servicing",
            "wasp-f1": "landed",
            "wasp-b1": "servicing",
            "essex-f1": "intercept-1",
            "essex-f2": "intercept-2",
            "yorktown-f1": "intercept-3",
            "bunker-hill-f1": "ready",
        },
        missions={
            "intercept-1": intercept(),
            "intercept-2": cap("58.4"),
            "intercept-3": intercept(is_fresh=True, moved=3),
        },
        groups={"58.2": {"marker": "station"}, "58.4": {"marker": "leeward"}},
        ships={"yorktown": {"step": 4}, "bunker-hill": {"launched": 1}},
    )
    missions = [f"{kind}-{number}" for kind in ("strike", "intercept") for number in range(1, 6)]
    carriers = [name for name in state.ships if state.game_data.us_ships[name].is_carrier]
    every: list[CbpsCommand] = [
        *(Launch(unit=unit, mission=name) for unit in state.units for name in missions),
        *(Cap(unit=unit, mission=name) for unit in state.units for name in missions),
        *(Fly(mission=name, hex=hex) for name in missions for hex in state.game_data.map.hexes),
        *(kind(unit=unit) for kind in (Raise, Service, Store, Lower) for unit in state.units),
        *(Land(unit=unit, carrier=name) for unit in state.units for name in carriers),
        *(Operate(carrier=name) for name in carriers),
        *(LightUp(group=name) for name in state.groups),
        Done(),
    ]
    legal = [one for one in every if not refusals(state, one)]
    assert sorted(map(repr, legal)) == sorted(map(repr, options(state)))


def test_6_23_seats_without_orders_to_give_are_only_offered_done() -> None:
    state = operations(ships={name: {"is_inoperative": True} for name in operations().ships})
    assert options(state) == (Done(),)
