"""Night air operations (22)."""

from typing import Any

import pytest

from engine.cbps.commands import Cap, Done, Land, Launch
from engine.cbps.decks.ch22_night import is_night_capable
from engine.cbps.events.air import UnitMoved
from engine.cbps.events.turns import TurnBegan
from engine.cbps.state import AirUnit, State
from tests.engine.cbps.battle import facts, given, options, reads, refusals, running, with_parts
from tests.engine.cbps.fleet_at import DUSK, NIGHT, intercept, operations

FLY = {"night-operations": "on"}
MORNING = (18, 1)
"""20 June 0530 in Scenario 8."""


def night(unit: str = "hornet-f3", at: tuple[int, int] = NIGHT, **fields: Any) -> State:  # noqa: ANN401  # those of operations
    """Return a ready unit at night, with another unit that keeps the question open."""
    units = {unit: "ready", "essex-f3": "ready"}
    return operations(units=units, at=at, options=FLY, **fields)


def test_2_341_without_rule_22_night_fighters_are_ordinary_fighters() -> None:
    assert not is_night_capable(operations(), "hornet-f3")
    assert is_night_capable(operations(options=FLY), "hornet-f3")
    assert not is_night_capable(operations(options=FLY), "hornet-f1")


def test_22_1_night_fighters_are_launched_at_night() -> None:
    run = given(night(), Launch(unit="hornet-f3", mission="intercept-1"))
    assert facts(run, UnitMoved) == (
        UnitMoved(unit="hornet-f3", place="mission", at="intercept-1", why="launch", by_night=True),
    )
    assert run.state.ships["hornet"].night_launches == 1
    assert run.state.units["hornet-f3"].by_night


@pytest.mark.parametrize(
    ("unit", "mission", "rule"),
    [
        pytest.param("hornet-f1", "intercept-1", "22.1", id="22.1-day-fighter"),
        pytest.param("hornet-f3", "strike-1", "22.1", id="22.1-no-strikes"),
    ],
)
def test_22_1_illegal_night_launches_are_refused(unit: str, mission: str, rule: str) -> None:
    assert rule in refusals(night(unit), Launch(unit=unit, mission=mission))


def test_22_1_night_fighters_may_form_cap_at_night() -> None:
    assert refusals(night(), Cap(unit="hornet-f3", mission="intercept-1")) == ()


@pytest.mark.parametrize("at", [(0, 1), DUSK], ids=["22.3-day", "22.3-dusk"])
def test_22_3_night_fighters_may_fly_by_day(at: tuple[int, int]) -> None:
    run = given(night(at=at), Launch(unit="hornet-f3", mission="strike-1"))
    unit = run.state.units["hornet-f3"]
    assert (unit.by_day, unit.by_night) == (True, False)


def test_22_5_night_fighters_that_flew_by_day_cannot_fly_at_night() -> None:
    tired = with_parts(
        night(), units={"hornet-f3": AirUnit(place="ready", at="hornet", by_day=True)}
    )
    assert refusals(tired, Launch(unit="hornet-f3", mission="intercept-1")) == ("22.5",)


def test_22_5_a_new_day_allows_night_fighters_to_fly_again() -> None:
    state = with_parts(
        night(scenario="8"), units={"hornet-f3": AirUnit(place="ready", at="hornet", by_day=True)}
    )
    run = running(state)
    run.add(TurnBegan(turn=18, label="20 June 0530", is_new_day=True))
    assert not run.state.units["hornet-f3"].by_day


def home(at: tuple[int, int], scenario: str = "6", fuel: int = 9) -> State:
    """Return a unit that was launched at night and is over its carrier."""
    state = operations(
        scenario=scenario,
        units={"essex-f3": "ready", "bunker-hill-b1": "servicing"},
        missions={"intercept-1": intercept(fuel=fuel)},
        at=at,
        options=FLY,
    )
    flown = AirUnit(place="mission", at="intercept-1", by_night=True, has_flown=True)
    return with_parts(state, units={"hornet-f3": flown})


def test_22_4_units_launched_at_night_are_removed_after_landing() -> None:
    state = given(home(NIGHT), Land(unit="hornet-f3", carrier="hornet")).state
    run = given(state, Done())
    assert run.state.units["hornet-f3"].place == "gone"
    assert not reads(run)  # 22.7: a night fighter with fuel does not roll


def test_22_4_units_launched_at_night_are_removed_after_landing_in_the_morning() -> None:
    run = given(home(MORNING, "8"), Land(unit="hornet-f3", carrier="hornet"))
    assert [fact.why for fact in facts(run, UnitMoved)] == ["land", "leave"]  # type: ignore[attr-defined]


def test_22_7_critical_night_fighters_roll_without_the_night_modifier() -> None:
    state = given(home(NIGHT, fuel=-1), Land(unit="hornet-f3", carrier="hornet")).state
    run = given(state, Done(), 1)
    assert [(one.id, one.drm) for one in reads(run)[0].modifiers] == [("fuel_critical_box", 2)]
    assert run.state.units["hornet-f3"].place == "gone"


@pytest.mark.parametrize(
    ("carrier", "landed", "rule"),
    [
        pytest.param("hornet", 0, "", id="22.6-one-of-two"),
        pytest.param("hornet", 1, "22.6", id="22.6-not-two"),
        pytest.param("bataan", 0, "22.6", id="22.6-a-cvl-none"),
    ],
)
def test_22_6_night_launches_reduce_landings_in_the_first_turn_of_the_day(
    carrier: str, landed: int, rule: str
) -> None:
    state = operations(
        scenario="8",
        units={"hornet-f1": "intercept-1", "bataan-f1": "gone"},
        missions={"intercept-1": intercept()},
        ships={carrier: {"night_launches": 1, "landed": landed}},
        at=MORNING,
        options=FLY,
    )
    found = refusals(state, Land(unit="hornet-f1", carrier=carrier))
    assert found == ((rule,) if rule else ())


def test_22_6_night_launches_do_not_reduce_landings_in_later_turns() -> None:
    state = operations(
        scenario="8",
        units={"hornet-f1": "intercept-1"},
        missions={"intercept-1": intercept()},
        ships={"hornet": {"night_launches": 2, "landed": 1}},
        at=(19, 1),
        options=FLY,
    )
    assert refusals(state, Land(unit="hornet-f1", carrier="hornet")) == ()


def test_22_1_only_legal_options_are_offered_at_night() -> None:
    state = night("hornet-f1")
    launches = [one for one in options(state) if isinstance(one, Launch | Cap)]
    assert {one.unit for one in launches} == {"essex-f3"}
    assert all(one.mission == "intercept-1" for one in launches)
