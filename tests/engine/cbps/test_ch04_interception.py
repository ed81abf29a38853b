"""Interception and air-to-air fire (4.34, 4.35, 4.5)."""

from typing import Any

import pytest

from engine.cbps.air.ch04_air_to_air import (
    engaging_fighters,
    japanese_fire,
    japanese_modifiers,
    us_modifiers,
)
from engine.cbps.commands import Commit, Divide, Done, Intercept
from engine.cbps.events.air import CapDeployed, UnitLost
from engine.cbps.events.raids import RaidEnded, RaidReduced
from engine.cbps.frames import FrameBase, InterceptFrame, InterceptionFrame, OperationsFrame
from engine.cbps.handlers import MACHINE
from engine.cbps.state import State
from tests.engine.cbps.battle import (
    advanced,
    battle,
    facts,
    given,
    options,
    reads,
    refusals,
    running,
    with_frame,
    with_parts,
)
from tests.engine.cbps.raiding import TF_58, day, with_butai, with_interceptors, with_raid

END = OperationsFrame()
"""State of the game after the segment: a question that is always open."""
COMMITTED = "intercept-7"


def raided(units: int = 4, **fields: Any) -> State:  # noqa: ANN401 - fields of any kind
    """Return a state in which a raid of 8 meets the given number of fighters over TF 58."""
    state = with_butai(day())
    state = with_raid(state, **{"points": 8, **fields})
    return with_interceptors(state, units)


def fighting(state: State, *committed: str) -> State:
    """Return a state in which missions are committed and fight."""
    frame = InterceptFrame(hexes=(TF_58,), committed=committed or (COMMITTED,), is_fighting=True)
    return with_frame(state, END, frame)


def dividing(state: State) -> State:
    """Return a state in which the units of the mission must be divided."""
    frames: tuple[FrameBase, ...] = (
        END,
        InterceptFrame(hexes=(TF_58,), committed=(COMMITTED,), is_fighting=True),
        InterceptionFrame(mission=COMMITTED, raid="1-a"),
    )
    return with_frame(state, *frames)


# -- fire


@pytest.mark.parametrize(
    ("die", "results"),
    [
        pytest.param(2, (), id="4.56-nothing"),
        pytest.param(5, ("A",), id="4.56-abort"),
        pytest.param(7, ("E",), id="4.56-one-unit"),
        pytest.param(9, ("A", "E"), id="4.56-both"),
        pytest.param(10, ("E", "E"), id="4.56-two-units"),
    ],
)
def test_japanese_fire_in_column_8_gives_the_chart_results(
    die: int, results: tuple[str, ...]
) -> None:
    assert japanese_fire(running(battle(), die), 8, (), "strike-1") == results


def test_4_45_modifiers_of_a_critical_mission() -> None:
    state = with_interceptors(battle(), 2, fuel=0)
    assert [one.id for one in us_modifiers(state, COMMITTED, at_fighters=False)] == [
        "us_fuel_critical"
    ]
    assert [one.id for one in japanese_modifiers(state, COMMITTED)] == ["target_fuel_critical"]
    fresh = with_interceptors(battle(), 2, fuel=1)
    assert us_modifiers(fresh, COMMITTED, at_fighters=False) == ()
    assert japanese_modifiers(fresh, COMMITTED) == ()


def test_11_27_modifier_against_a_raid_that_takes_off() -> None:
    state = with_interceptors(battle(), 2)
    found = us_modifiers(state, COMMITTED, at_fighters=False, is_taking_off=True)
    assert [(one.id, one.drm) for one in found] == [("guam_takeoff", 2)]


def test_24_4_new_aircraft_fire_better() -> None:
    state = with_interceptors(battle(new_aircraft="on"), 2)
    at_fighters = us_modifiers(state, COMMITTED, at_fighters=True)
    assert [one.id for one in at_fighters] == ["target_is_fighters", "variant_24_4"]
    assert us_modifiers(state, COMMITTED, at_fighters=False) == ()
    assert [one.drm for one in japanese_modifiers(state, COMMITTED)] == [1]


def test_scenario_9_naval_aircrews_are_skilled() -> None:
    state = with_interceptors(battle("9"), 2)
    naval = us_modifiers(state, COMMITTED, at_fighters=True)
    assert [(one.id, one.drm) for one in naval][-1] == ("skilled_aircrews", -1)
    assert [one.drm for one in japanese_modifiers(state, COMMITTED)] == [1]
    assert japanese_modifiers(state, COMMITTED, is_naval=False) == ()
    assert len(us_modifiers(state, COMMITTED, at_fighters=True, is_naval=False)) == 1


@pytest.mark.parametrize(
    ("rounding", "points", "fighters"),
    [
        pytest.param("up", 1, 1, id="4.52-one-point-needs-one-unit"),
        pytest.param("up", 3, 2, id="OP-10-up"),
        pytest.param("down", 3, 1, id="OP-10-down"),
        pytest.param("down", 1, 1, id="OP-10-down-one-at-least"),
        pytest.param("up", 0, 0, id="4.52-no-escorts"),
    ],
)
def test_odd_escorts_are_rounded_by_the_ruling(rounding: str, points: int, fighters: int) -> None:
    assert engaging_fighters(battle(odd_escorts=rounding), points) == fighters


# -- which missions fight


def test_4_34_cap_is_committed_from_its_box() -> None:
    state = with_frame(raided(), END, InterceptFrame(hexes=(TF_58,)))
    run = given(given(state, Commit(mission="intercept-1")).state, Done(), 7)
    (deployed,) = facts(run, CapDeployed)
    assert deployed == CapDeployed(mission="intercept-1", hex=TF_58, fuel=13)  # example of 4.35
    run = given(run.state, Intercept(mission="intercept-1", raid="1-a"), 5, 1, 1)
    assert run.state.missions["intercept-1"].fuel == 10


@pytest.mark.parametrize(
    ("fuel", "broken"),
    [
        pytest.param(-3, (), id="4.51-OP-7-box-3-can-pay"),
        pytest.param(-4, ("4.51",), id="4.51-OP-7-box-4-cannot"),
    ],
)
def test_commitment_needs_fuel(fuel: int, broken: tuple[str, ...]) -> None:
    state = with_interceptors(with_raid(with_butai(day()), points=8), 2, fuel=fuel)
    state = with_frame(state, END, InterceptFrame(hexes=(TF_58,)))
    assert refusals(state, Commit(mission=COMMITTED)) == broken


@pytest.mark.parametrize(
    ("fields", "broken"),
    [
        pytest.param({"hex": "0505"}, ("4.51",), id="4.51-elsewhere"),
        pytest.param({"has_fought": True}, ("4.51",), id="4.51-once-per-segment"),
        pytest.param({"kind": "strike"}, ("4.24",), id="4.24-strikes-never-fight-raids"),
        pytest.param({"commander": "us-2"}, ("6.1",), id="6.1-of-another-commander"),
    ],
)
def test_missions_unable_to_fight_cannot_be_committed(
    fields: dict[str, Any], broken: tuple[str, ...]
) -> None:
    state = with_interceptors(with_raid(with_butai(day()), points=8), 2, **fields)
    state = with_frame(state, END, InterceptFrame(hexes=(TF_58,)))
    assert refusals(state, Commit(mission=COMMITTED)) == broken


def test_4_51_orders_for_missing_missions_or_raids_are_refused() -> None:
    state = with_frame(raided(), END, InterceptFrame(hexes=(TF_58,), committed=(COMMITTED,)))
    assert refusals(state, Commit(mission=COMMITTED)) == ("4.51",)
    assert refusals(state, Commit(mission="intercept-8")) == ("4.51",)
    state = fighting(raided())
    assert refusals(state, Intercept(mission="intercept-1", raid="1-a")) == ("4.51",)
    assert refusals(state, Intercept(mission=COMMITTED, raid="1-b")) == ("4.51",)


@pytest.mark.parametrize(
    ("ruling", "fuel"),
    [
        pytest.param("free", 16, id="OP-69-pays-nothing"),
        pytest.param("paid", 13, id="OP-69-pays"),
    ],
)
def test_an_idle_committed_mission_pays_fuel_by_the_ruling(ruling: str, fuel: int) -> None:
    state = with_interceptors(day(idle_interceptors=ruling), 2)
    run = running(fighting(state))
    frame = run.top()
    MACHINE.handler(frame).step(run, frame)
    assert run.state.missions[COMMITTED].fuel == fuel


# -- a fight


def test_4_52_illegal_divisions_are_refused() -> None:
    state = dividing(raided(is_split=True, fighters=3, attackers=5))
    assert refusals(state, Divide(escorts=1)) == ("4.52",)
    assert refusals(state, Divide(escorts=5)) == ("4.52",)
    assert refusals(state, Divide(escorts=2)) == ()
    bare = dividing(raided(is_split=True, fighters=0, attackers=8))
    assert refusals(bare, Divide(escorts=1)) == ("4.52",)


def test_4_52_too_few_units_all_fight_the_escorts() -> None:
    state = dividing(raided(1, is_split=True, fighters=3, attackers=5))
    run = advanced(state, 8, 1)
    assert [one.column for one in reads(run, "us_air_to_air")] == ["1"]
    assert run.state.raids["1-a"].attackers == 5
    assert run.state.raids["1-a"].fighters == 2


def test_4_52_without_escorts_all_fight_the_attackers() -> None:
    run = advanced(dividing(raided(4, is_split=True, fighters=0, attackers=8)), 10)
    assert facts(run, RaidReduced) == (RaidReduced(raid="1-a", attackers=4, why="combat"),)
    assert run.state.forces["1"].boxes == {"raid-a": 4, "lost": 4}


def test_4_55_excess_hits_of_one_fight_are_lost() -> None:
    # two units destroy up to 2 escorts but there is only one, so the other two fight the attackers
    state = dividing(raided(4, points=2, is_split=True, fighters=1, attackers=1))
    run = given(state, Divide(escorts=2), 10, 1, 10)
    assert facts(run, RaidReduced) == (
        RaidReduced(raid="1-a", fighters=1, why="combat"),
        RaidReduced(raid="1-a", attackers=1, why="combat"),
    )
    assert facts(run, RaidEnded) == (RaidEnded(raid="1-a", why="destroyed"),)
    assert run.state.forces["1"].boxes == {"lost": 2}


def test_4_57_an_aborted_unit_does_not_fire() -> None:
    state = dividing(raided(4, is_split=True, fighters=3, attackers=5))
    run = given(state, Divide(escorts=2), 2, 6, 8, 8)
    assert [one.column for one in reads(run, "us_air_to_air")] == ["2", "1"]
    assert not facts(run, UnitLost)


def test_4_56_units_are_lost_at_random_and_an_empty_mission_ends() -> None:
    state = dividing(raided(1, is_split=True, fighters=8, attackers=2))
    run = advanced(state, 1, 10)
    assert facts(run, UnitLost) == (UnitLost(unit="hornet-f2", is_at_group=True, why="combat"),)
    assert COMMITTED not in run.state.missions


@pytest.mark.parametrize(
    ("ruling", "why"),
    [
        pytest.param("on", [], id="OP-17-flies-on"),
        pytest.param("home", ["returns"], id="OP-17-goes-home"),
    ],
)
def test_a_raid_without_attackers_ends_by_the_ruling(ruling: str, why: list[str]) -> None:
    state = with_interceptors(
        with_raid(
            with_butai(day(lone_escorts=ruling)), points=3, is_split=True, fighters=2, attackers=1
        ),
        3,
    )
    run = given(dividing(state), Divide(escorts=1), 1, 1, 10)
    assert [one.why for one in facts(run, RaidEnded)] == why  # type: ignore[attr-defined]  # of this kind


@pytest.mark.parametrize(
    ("ruling", "committed"),
    [
        pytest.param("chosen", False, id="OP-72-those-committed"),
        pytest.param("all", True, id="OP-72-all"),
    ],
)
def test_interception_over_guam_follows_the_ruling(ruling: str, *, committed: bool) -> None:
    state = day(over_guam=ruling)
    guam = state.game_data.map.guam
    state = with_interceptors(state, 2, hex=guam)
    state = with_raid(
        state,
        "raid-Yap",
        origin="Yap/Peleliu",
        slot="",
        kind="reinforcement",
        is_land=True,
        hex=guam,
        target="Guam",
        points=4,
    )
    run = given(with_frame(state, END, InterceptFrame(hexes=(guam,))), Done())
    assert (options(run.state) == (Intercept(mission=COMMITTED, raid="raid-Yap"),)) is committed


def test_4_51_hexes_without_fighters_are_passed_over() -> None:
    state = with_parts(with_raid(with_butai(day()), points=8, hex="0505"))
    run = running(with_frame(state, END, InterceptFrame(hexes=("0505",))))
    while isinstance(run.top(), InterceptFrame):
        frame = run.top()
        assert MACHINE.handler(frame).active_roles(run.state, frame) == ()
        MACHINE.handler(frame).step(run, frame)
    assert run.top() is END
