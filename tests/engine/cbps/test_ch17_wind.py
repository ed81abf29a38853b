"""Leeward movement (17)."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.cbps.commands import Cap, Detach, Done, Land, Launch, Operate, Raise, Sail
from engine.cbps.decks.ch17_wind import mark_groups, set_wind
from engine.cbps.events.air import CapDeployed
from engine.cbps.events.base import CbpsEvent
from engine.cbps.events.fleet import GroupMarked, GroupOperates
from engine.cbps.events.turns import PhaseBegan, TurnBegan, WindSet
from engine.cbps.evolve.folds import evolve
from engine.cbps.state import State
from tests.engine.cbps.battle import battle, facts, given, options, reads, refusals, running
from tests.engine.cbps.fleet_at import cap, intercept, operations, us_move

WIND = {"leeward-movement": "on"}
TF_58_HEX = "1013"
"""The hex of the example of 17.0."""


def at_1013(**fields: Any) -> State:  # noqa: ANN401  # those of us_move
    """Return TF 58 in 1013."""
    names = ("58.1", "58.2", "58.3", "58.4", "58.7")
    return us_move(options=WIND, groups={name: {"hex": TF_58_HEX} for name in names}, **fields)


@pytest.mark.parametrize(
    ("hex", "marker"),
    [
        pytest.param("0913", "leeward", id="17.0-example-nw"),
        pytest.param("1014", "leeward", id="17.0-example-w"),
        pytest.param("1113", "leeward", id="17.0-example-sw"),
        pytest.param("0912", "", id="17.0-upwind-ne"),
        pytest.param("1012", "", id="17.0-upwind-e"),
        pytest.param("1112", "", id="17.0-upwind-se"),
    ],
)
def test_17_0_the_move_determines_the_markers(hex: str, marker: str) -> None:
    run = given(at_1013(), Sail(group="tf58", hex=hex))
    marks = {name: group.marker for name, group in run.state.groups.items()}
    assert marks == {**dict.fromkeys(("58.1", "58.2", "58.3", "58.4"), marker), "58.7": ""}


def test_17_0_groups_that_stay_are_marked_station() -> None:
    run = given(at_1013(), Done())
    assert [fact.marker for fact in facts(run, GroupMarked)] == ["station"] * 4  # type: ignore[attr-defined]


def test_17_0_each_detached_group_has_its_own_marker() -> None:
    state = given(at_1013(), Detach(group="58.4")).state
    run = given(given(state, Sail(group="58.4", hex="1014")).state, Done())
    assert run.state.groups["58.4"].marker == "leeward"
    assert run.state.groups["58.1"].marker == "station"


def test_17_2_cap_is_deployed_on_the_map_immediately() -> None:
    state = at_1013(
        units={"hornet-f1": "intercept-1", "essex-f1": "intercept-2"},
        missions={"intercept-1": cap(), "intercept-2": cap("58.4")},
    )
    state = given(state, Detach(group="58.1")).state
    state = given(state, Sail(group="58.1", hex="1014")).state
    run = given(state, Done(), 7)
    assert facts(run, CapDeployed) == (CapDeployed(mission="intercept-1", hex="1014", fuel=13),)


def marked(marker: str, **fields: Any) -> State:  # noqa: ANN401  # those of operations
    """Return the air operations of TG 58.1 under a marker."""
    units = {
        "hornet-f1": "ready",
        "hornet-f2": "ready",
        "yorktown-f1": "ready",
        "belleau-wood-f1": "ready",
        "bataan-f1": "ready",
        "yorktown-b1": "servicing",
        "bataan-f2": "servicing",
        "wasp-f1": "ready",
    }
    return operations(units=units, groups={"58.1": {"marker": marker}}, options=WIND, **fields)


def test_17_2_a_leeward_group_launches_only_one_unit() -> None:
    state = given(marked("leeward"), Launch(unit="hornet-f1", mission="intercept-1")).state
    again = Launch(unit="yorktown-f1", mission="intercept-1")
    assert refusals(state, again) == ("17.2",)
    assert refusals(state, Launch(unit="wasp-f1", mission="intercept-1")) == ()
    assert refusals(state, Raise(unit="yorktown-b1")) == ()


def test_17_2_a_leeward_group_lands_only_one_unit() -> None:
    state = operations(
        units={"hornet-f1": "intercept-1", "yorktown-f1": "intercept-1", "essex-f1": "ready"},
        missions={"intercept-1": intercept()},
        groups={"58.1": {"marker": "leeward"}},
        options=WIND,
    )
    state = given(state, Land(unit="hornet-f1", carrier="hornet")).state
    assert refusals(state, Land(unit="yorktown-f1", carrier="yorktown")) == ("17.2",)


def test_17_2_a_leeward_group_cannot_form_cap_in_its_box() -> None:
    assert refusals(marked("leeward"), Cap(unit="hornet-f1", mission="intercept-1")) == ("17.2",)


def test_17_3_each_cv_launches_only_one_unit() -> None:
    state = given(marked("station"), Launch(unit="hornet-f1", mission="intercept-1")).state
    assert refusals(state, Launch(unit="hornet-f2", mission="intercept-1")) == ("17.3",)
    assert refusals(state, Launch(unit="yorktown-f1", mission="intercept-1")) == ()


def test_17_3_only_one_cvl_operates() -> None:
    run = given(marked("station"), Operate(carrier="bataan"))
    assert facts(run, GroupOperates) == (GroupOperates(group="58.1", carrier="bataan"),)
    state = run.state
    assert refusals(state, Launch(unit="belleau-wood-f1", mission="intercept-1")) == ("17.3",)
    assert refusals(state, Launch(unit="bataan-f1", mission="intercept-1")) == ()


def test_17_3_the_first_cvl_to_launch_becomes_the_operating_carrier() -> None:
    run = given(marked("station"), Launch(unit="bataan-f1", mission="intercept-1"))
    assert facts(run, GroupOperates) == (GroupOperates(group="58.1", carrier="bataan"),)
    assert "17.3" in refusals(run.state, Operate(carrier="belleau-wood"))


@pytest.mark.parametrize(
    ("event", "operates"),
    [
        pytest.param(PhaseBegan(phase=1), "bataan", id="18.41-after-the-morning-search"),
        pytest.param(PhaseBegan(phase=2), "", id="17.3-anew-in-each-phase"),
        pytest.param(TurnBegan(turn=1, label="19 June 0650"), "", id="17.3-anew-in-each-turn"),
    ],
)
def test_17_3_the_operating_cvl_is_fixed_for_the_phase(event: CbpsEvent, operates: str) -> None:
    state = given(marked("station"), Operate(carrier="bataan")).state
    assert evolve(state, event).groups["58.1"].operates == operates


@pytest.mark.parametrize(
    ("marker", "carrier", "rule"),
    [
        pytest.param("station", "hornet", "17.3", id="17.3-no-cvl"),
        pytest.param("", "bataan", "17.3", id="17.3-no-station"),
        pytest.param("station", "monterey", "17.3", id="17.3-other-group"),
    ],
)
def test_17_3_illegal_choices_of_the_operating_carrier_are_refused(
    marker: str, carrier: str, rule: str
) -> None:
    assert rule in refusals(marked(marker), Operate(carrier=carrier))


def test_17_3_a_carrier_with_a_closed_deck_cannot_be_chosen() -> None:
    state = marked("station", ships={"bataan": {"is_inoperative": True}})
    assert refusals(state, Operate(carrier="bataan")) == ("12.12",)
    shared = operations(options={**WIND, "staff": "two"}, groups={"58.4": {"marker": "station"}})
    assert refusals(shared, Operate(carrier="langley")) == ("6.1",)


def test_17_4_groups_without_a_marker_operate_without_limits() -> None:
    state = given(marked(""), Launch(unit="hornet-f1", mission="intercept-1")).state
    assert refusals(state, Launch(unit="hornet-f2", mission="intercept-1")) == ()
    assert not any(isinstance(one, Operate) for one in options(state))


@pytest.mark.parametrize(
    ("dice", "wind"),
    [
        pytest.param((1,), "W", id="17.6-1"),
        pytest.param((7,), "W", id="17.6-7"),
        pytest.param((8,), "NW", id="17.6-8"),
        pytest.param((9,), "SW", id="op-60-9"),
        pytest.param((10, 5), "SW", id="17.6-10-5"),
        pytest.param((10, 6), "SE", id="17.6-10-6"),
        pytest.param((10, 7), "E", id="17.6-10-7"),
        pytest.param((10, 8), "NE", id="17.6-10-8"),
    ],
)
def test_17_6_variable_wind_is_rolled(dice: tuple[int, ...], wind: str) -> None:
    run = running(operations(options={**WIND, "variable-wind": "on"}), *dice)
    set_wind(run)
    assert facts(run, WindSet) == (WindSet(wind=wind),)  # type: ignore[arg-type]  # one of six
    assert len(reads(run)) == len(dice)


def test_17_6_wind_direction_determines_leeward_movement() -> None:
    run = running(replace(us_move(options=WIND), wind="E"))
    mark_groups(run, {"58.1": "E", "58.2": "W", "58.3": "NE", "58.4": None})
    assert [group.marker for group in run.state.groups.values()][:4] == [
        "leeward",
        "",
        "leeward",
        "station",
    ]


@pytest.mark.parametrize(
    "chosen", [{}, WIND, {"variable-wind": "on"}], ids=["17.6-off", "17.6-fixed", "17.6-no-17.0"]
)
def test_17_6_wind_is_not_rolled_without_the_options(chosen: dict[str, str]) -> None:
    run = running(operations(options=chosen))
    set_wind(run)
    assert facts(run) == ()


def test_17_5_scenario_7_starts_with_markers_if_the_rule_is_used() -> None:
    assert battle("7").groups["58.1"].marker == ""
    state = battle("7", leeward_movement="on")
    assert state.groups["58.1"].marker == "leeward"
    assert state.groups["58.7"].marker == ""
