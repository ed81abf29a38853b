"""The plan panel in lines of three widths."""

from typing import Final

import pytest
from msgspec.structs import replace

from engine.cbps import commands
from engine.cbps.frames import (
    AimFrame,
    BoatsFrame,
    ContactFrame,
    InterceptionFrame,
    SearchLaunchFrame,
)
from engine.cbps.state import AirUnit, Boat, Mission, Raid, State
from engine.cbps.view import CbpsView, project_state
from tests.engine.cbps.battle import battle, with_force, with_parts
from tests.tui.cbps.battles import PRESENTER
from tui.cbps.planner.panel import (
    mission_lines,
    planner_lines,
    search_plan_lines,
    strike_from_lines,
    strike_plan_lines,
)
from tui.cbps.planner.phrases import Lines

WIDTHS: Final = (38, 60, 100)
READY: Final = ("hornet-f1", "hornet-b1")
STRIKE: Final = (
    "Strike on Force C (Medium, level 1,",
    "  approximate) in 1113",
    "1 attacker, 1 escort",
    "5 hexes out, 5 home; phases 2 and 3",
    "Attack: 0530 phase 3, by day",
    "Home by: 0650 phase 2, by day",
    "Fuel 14, needs 12-16 (14 expected)",
    "Lands Fuel Critical: 69%",
    "Lost on the way home: 11%",
    "At 1 hex a phase: needs 12, home by",
    "  0810 phase 2, by day",
    "Contact 70% (column 4-6 -2",
    "  approximate)",
    "Second try for 1 fuel 60%, in two 88%",
    "If carriers (40%):",
)
SEARCH: Final = (
    "Standard search from 1108, 270 degrees",
    "Hornet B1",
    "0530 to 1110: near zone, 5 hexes, +0: found 70%, located",
    "  50%, more known 30%",
    "0650 to 1114: middle zone, 20 hexes, +0: found 70%, located",
    "  50%, more known 30%",
    "0810 to 1118: far zone, 36 hexes, -1: found 60%, located",
    "  40%, more known 20%",
    "0930 to 1114 home: far zone, 36 hexes, -1: found 60%,",
    "  located 40%, more known 20%",
    "1050 to 1110 home: middle zone, 20 hexes, +0: found 70%,",
    "  located 50%, more known 30%",
    "1210 to 1108 home: near zone, 5 hexes, +1: found 80%,",
    "  located 60%, more known 40%",
    "Home by: 1210, by day",
    "Force C (Medium, level 1, approximate): 0650 and 1050, found",
    "  91%, located 75%",
)


def table(**fields: object) -> State:
    """Return a morning with ready units, a target, CAP and a raid."""
    state = replace(battle("6"), segment="operations", frames=(SearchLaunchFrame(),), missions={})
    units = {unit: AirUnit(place="ready", at="hornet") for unit in READY}
    flying = ("yorktown-f1", "yorktown-f2")
    units |= {unit: AirUnit(place="mission", at="intercept-1") for unit in flying}
    state = with_force(state, "C", "1113", level=1, chit="Medium", detection="?")
    state = with_parts(
        state,
        units=units,
        missions={"intercept-1": Mission(kind="intercept", cap="58.1")},
        raids={"A-a": Raid(origin="A", hex="1113", target="58.1", points=6)},
    )
    return replace(state, **fields)


def seen(state: State) -> CbpsView:
    return project_state(state, "us")


def words(lines: Lines) -> str:
    """Return lines joined as if they were not wrapped."""
    return " ".join(" ".join(lines).split())


def test_strike_plan_lines() -> None:
    lines = strike_plan_lines(seen(table()), READY, "C", 38)
    assert lines[: len(STRIKE)] == STRIKE
    assert "If surface ships (60%):" in lines


def test_search_plan_lines() -> None:
    assert search_plan_lines(seen(table()), ("hornet-b1",), 60, bearing=270) == SEARCH


def test_cap_shows_its_possible_fuel_on_the_map() -> None:
    assert mission_lines(seen(table()), "intercept-1", 100) == (
        "Intercept 1, CAP of TG 58.1",
        "In its box it spends no fuel",
        "Fuel on the map: 10 to 14, each as likely",
    )


def test_mission_shows_when_it_must_turn_back() -> None:
    flying = Mission(kind="strike", hex="1112", fuel=9)
    lines = mission_lines(seen(with_parts(table(), missions={"strike-2": flying})), "strike-2", 60)
    assert lines == (
        "Strike 2 in 1112",
        "Home is 4 hexes away: fuel 9, needs 5-7 (6 expected)",
        "Home by: 0530 phase 3, by day",
        "Can wait 1 phase; must turn home in 0530 phase 3, by day",
        "Lost on the way home: 0%",
        "On to Force C (Medium, level 1, approximate) in 1113:",
        "  Attack: 0530 phase 2, by day",
        "  Home by: 0650 phase 1, by day",
        "  Needs 8-10 (9 expected)",
        "  Lands Fuel Critical: 75%",
        "  Lost on the way home: 10%",
    )


@pytest.mark.parametrize(
    ("hex", "phase", "words"),
    [
        (
            "1110",
            2,
            "Must turn home in 1210 phase 1, by day: a unit that is not over a carrier when",
        ),
        ("1109", 2, "Can wait over its carriers until the scenario ends, and lands then"),
        (
            "1110",
            1,
            "Must turn home in 1210 phase 1, by day: a unit that is not over a carrier when",
        ),
        ("1114", 1, "Not home when the scenario ends: its units are lost then"),
    ],
)
def test_waiting_time_of_a_mission_ends_with_the_scenario(hex: str, phase: int, words: str) -> None:
    """Scenario 1 ends with the first phase of 1210."""
    lesson = replace(battle("1"), phase=phase, turn=0 if phase > 1 else 2)
    flying = Mission(kind="intercept", hex=hex, fuel=14)
    lines = mission_lines(
        seen(with_parts(lesson, missions={"intercept-5": flying})), "intercept-5", 99
    )
    assert any(line.startswith(words) for line in lines), lines


def test_mission_need_not_turn_back_when_the_end_costs_nothing() -> None:
    fight = battle("2")
    view = seen(
        with_parts(fight, missions={"strike-1": Mission(kind="strike", hex="1112", fuel=14)})
    )
    assert not any("lost then" in line for line in mission_lines(view, "strike-1", 99))


def test_strike_that_is_not_home_at_the_end_shows_its_loss() -> None:
    last = replace(table(), turn=11, phase=4)
    lines = strike_plan_lines(seen(last), READY, "C", 99)
    assert "Not home when the scenario ends: its units are lost then" in lines
    assert not any("Lost on the way" in line or "Home by" in line for line in lines)


def test_flipped_strike_shows_no_onward_flight() -> None:
    flying = Mission(kind="strike", hex="1112", fuel=9, is_flipped=True)
    lines = mission_lines(seen(with_parts(table(), missions={"strike-2": flying})), "strike-2", 60)
    assert not any("On to" in line for line in lines)


def test_fuel_critical_mission_shows_its_landing_odds() -> None:
    flying = Mission(kind="strike", hex="1110", fuel=-2)
    lines = mission_lines(seen(with_parts(table(), missions={"strike-2": flying})), "strike-2", 60)
    assert lines[1] == "Fuel Critical, box 2"
    assert "Lands Fuel Critical: 100%" in lines


def test_strike_from_a_hex_uses_the_units_ready_there() -> None:
    view = seen(table())
    lines = strike_from_lines(view, "1108", "1113", 38)
    assert (*lines[:2], lines[2]) == (*STRIKE[:2], "20 attackers, 0 escorts")
    assert strike_from_lines(view, "0101", "C", 38) == ("Nothing is ready in 0101",)


def test_strike_without_a_target_waits_near_its_group() -> None:
    state = replace(table(), forces={})
    assert strike_plan_lines(seen(state), ("hornet-b1",), "", 100) == (
        "Hornet B1",
        "No target is detected: the strike waits near its group, for 13 phases at most",
    )


def options() -> tuple[commands.CbpsCommand, ...]:
    """Return options that have a plan."""
    return (
        commands.Launch(unit="hornet-b1", mission="strike-2"),
        commands.Launch(unit="hornet-f1", mission="intercept-2"),
        commands.Cap(unit="hornet-f1", mission="intercept-1"),
        commands.SearchOut(unit="hornet-b1", bearing=240),
        commands.SearchLong(unit="hornet-f1", bearing=270),
        commands.SearchNarrow(unit="hornet-b1", hex="1122"),
        commands.Deploy(mission="intercept-1"),
        commands.Commit(mission="intercept-1"),
        commands.Intercept(mission="intercept-1", raid="A-a"),
    )


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("command", options(), ids=lambda one: type(one).__name__)
def test_every_option_with_a_plan_fits_the_panel(command: commands.CbpsCommand, width: int) -> None:
    view = seen(table())
    lines = planner_lines(view, command, width)
    assert lines
    assert max(map(len, lines)) <= width
    assert words(lines) == words(planner_lines(view, command, 200))


def test_force_under_the_cursor_becomes_the_target() -> None:
    state = with_force(table(), "D", "1109", level=1, chit="Small", detection="L")
    launch = commands.Launch(unit="hornet-b1", mission="strike-2")
    assert planner_lines(seen(state), launch, 100)[0].endswith("in 1109")
    assert planner_lines(seen(state), launch, 100, "1113")[0].endswith("in 1113")


def test_mission_step_shows_the_way_home_from_its_hex() -> None:
    flying = Mission(kind="strike", hex="1109", fuel=9)
    state = with_parts(replace(table(), segment="us-air-movement"), missions={"strike-2": flying})
    lines = planner_lines(seen(state), commands.Fly(mission="strike-2", hex="1110"), 60)
    assert lines[:2] == (
        "Strike 2 in 1110",
        "Home is 2 hexes away: fuel 8, needs 3-4 (3.5 expected)",
    )


@pytest.mark.parametrize(
    ("mission", "formed"),
    [
        ("intercept-5", Mission(kind="intercept", hex="1108", fuel=16, is_fresh=True)),
        ("strike-1", Mission(kind="strike", hex="1108", fuel=16, is_fresh=True)),
    ],
)
def test_ticked_launch_shows_the_mission_in_flight(mission: str, formed: Mission) -> None:
    flying = AirUnit(place="mission", at=mission)
    state = with_parts(table(), units={"hornet-f1": flying}, missions={mission: formed})
    launch = commands.Launch(unit="hornet-f1", mission=mission)
    lines = planner_lines(seen(state), launch, 60)
    assert lines
    assert lines == mission_lines(seen(state), mission, 60)


def test_attack_plan_of_a_strike_over_its_target() -> None:
    view = seen(battle("2"))
    lines = planner_lines(view, commands.Attack(mission="strike-1", target="A"), 100)
    assert lines[0].startswith("Strike 1 on Force A")
    assert any(line.startswith("Contact") for line in lines)
    assert any("CAP" in line for line in lines)


def test_4_451_landing_shows_the_chance_of_losing_the_unit() -> None:
    flying = Mission(kind="strike", hex="1108", fuel=-4)
    state = with_parts(
        table(),
        missions={"strike-2": flying},
        units={"hornet-b1": AirUnit(place="mission", at="strike-2")},
    )
    land = commands.Land(unit="hornet-b1", carrier="hornet")
    assert planner_lines(seen(state), land, 60) == ("Hornet B1 lands: lost 60%",)
    fuelled = with_parts(state, missions={"strike-2": replace(flying, fuel=5)})
    assert planner_lines(seen(fuelled), land, 60) == ("Hornet B1 lands: lost 0%",)


def test_4_52_division_forecast_depends_on_the_escorts() -> None:
    state = replace(table(), frames=(InterceptionFrame(mission="intercept-1", raid="A-a"),))
    one = planner_lines(seen(state), commands.Divide(escorts=1), 60)
    both = planner_lines(seen(state), commands.Divide(escorts=2), 60)
    assert one[0] == "1 unit of Intercept 1 against escorts"
    assert both[0] == "2 units of Intercept 1 against escorts"
    assert one[1:] != both[1:]
    title, lines = PRESENTER.about(seen(state), commands.Divide(escorts=1))
    assert (title, *lines) == one


def test_5_61_forecast_of_a_die_aimed_at_a_ship() -> None:
    frame = AimFrame(mission="strike-1", target="A", dice=(0, -1), ships=("zuikaku",))
    state = replace(battle("2"), frames=(frame,))
    assert planner_lines(seen(state), commands.Aim(ship="zuikaku"), 60) == (
        "Zuikaku: 0 of 8 hits",
        "Crippled at 6",
        "1 die aimed at it already",
        "This die hits 40%, 0.7 hits expected",
    )
    title, lines = PRESENTER.about(seen(state), commands.Aim(ship="zuikaku"))
    assert title == "Zuikaku: 0 of 8 hits", "the panel shows the plan of an order without a unit"
    assert lines[-1] == "This die hits 40%, 0.7 hits expected"


def test_5_22_forecast_of_a_second_attempt() -> None:
    frame = ContactFrame(mission="strike-1", targets=("A",))
    lines = planner_lines(
        seen(replace(battle("2"), frames=(frame,))), commands.Retry(target="A"), 60
    )
    assert lines[0] == "Strike 1 again for 1 fuel on Force A (level 4, Located)"
    assert lines[1:3] == ("Contact 50%", "Wrong force 10%")


def test_14_13_forecast_of_submarine_contact() -> None:
    state = with_force(battle("6"), "C", "1318", heading="E")
    state = replace(state, frames=(BoatsFrame(boat="finback", has_moved=True, heading="E"),))
    state = with_parts(state, boats={"finback": Boat(hex="1318")})
    contact = commands.Contact(boat="finback", target="C")
    assert planner_lines(seen(state), contact, 60) == (
        "Finback finds Force C (undetected): 30% -3 stern chase",
    )


def test_14_16_forecast_of_a_submarine_attack() -> None:
    boat = Boat(hex="1318", shadowing="C")
    state = with_force(battle("6"), "C", "1318")
    state = replace(with_parts(state, boats={"finback": boat}), frames=(BoatsFrame(),))
    # one damage roll on 7-9, two on 10; each misses on 1 and 2
    assert planner_lines(seen(state), commands.Torpedo(boat="finback"), 60) == (
        "Finback hits Force C (undetected): 34%",
    )


def test_other_options_have_no_plan() -> None:
    assert planner_lines(seen(table()), commands.Done(), 60) == ()


def test_5_1_forecast_is_available_when_strikes_are_assigned() -> None:
    """Scenario 2 asks one question: which strike flies against which force."""
    state = battle("2")
    hexes = {name: force.hex for name, force in state.forces.items()}
    view = seen(state)
    order = commands.Station(name="strike-1", hex=hexes["B"])
    assert PRESENTER.label(view, order) == f"Strike 1 against Force B ({hexes['B']}), not Force A"
    lines = planner_lines(view, order, 99)
    assert lines[0].startswith("Strike 1 on Force B")
    assert any(line.startswith("Contact") for line in lines)
    for place, highlighted in ((hexes["A"], None), ("", order)):
        found = PRESENTER.forecast(view, place, highlighted)
        assert found
        assert len(found[0].sections) > 1
