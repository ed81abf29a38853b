"""Course orders for missions: what they fly, what stops them, and what they never do (4.2, 4.4, 5.24, 6.28, 6.43)."""

from typing import Any, Final

import pytest
from msgspec.structs import replace

from engine.cbps import commands as c
from engine.cbps.courses.flight import flight_stop
from engine.cbps.courses.forecast import course_forecast
from engine.cbps.courses.giving import order_title, orders_to, read_order, risk_question
from engine.cbps.courses.order import CourseOrder, parse_order
from engine.cbps.frames import AirMovementFrame, StrikesFrame
from engine.cbps.ruleset import CBPS
from engine.cbps.state import Force, Mission, Raid, State
from engine.kernel.errors import IllegalCommandError, NotationError
from engine.kernel.ids import Role
from tests.engine.cbps.battle import with_frame, with_parts
from tests.engine.cbps.fleet_at import DUSK, HOME, air_movement, intercept, operations

US: Final = Role("us")
UNITS: Final = ("hornet-t1", "hornet-f1")
FORCE: Final = Force(hex="1113", level=2, detection="L", chit="carrier", is_carrier=True)
"""A force five hexes from TF 58."""


def flying(hex: str = HOME, fuel: int = 15, **fields: Any) -> State:  # noqa: ANN401  # those of Mission
    """Return US Air Movement with Strike 1 and Force A."""
    mission = Mission(kind="strike", hex=hex, fuel=fuel, groups=("58.1",), **fields)
    state = air_movement(
        at=(4, 1), units=dict.fromkeys(UNITS, "strike-1"), missions={"strike-1": mission}
    )
    return with_parts(state, forces={"A": FORCE})


def order(target: str = "A", least: int = 1, light: str = "day") -> CourseOrder:
    found = parse_order(
        f"strike-1 to {target or 'home'} least {least} by {light} units {','.join(UNITS)}"
    )
    assert found is not None
    return found


def answered(state: State, *orders: CourseOrder) -> Any:  # noqa: ANN401  # a command or None
    return CBPS.course_answer(state, US, tuple(one.text for one in orders or (order(),)))


def test_orders_round_trip_and_damaged_lines_are_ignored() -> None:
    assert parse_order(order().text) == order()
    for text in ("", "strike-1", order().text + " x", order().text.replace("day", "noon"),
                 order().text.replace("least 1", "least x")):  # fmt: skip
        assert parse_order(text) is None
    assert CBPS.live_courses(flying(), ("nonsense", order().text)) == (order().text,)


# -- flying


def test_4_43_the_mission_flies_directly_out_and_home_after_its_attack() -> None:
    assert answered(flying()) == c.Fly(mission="strike-1", hex="1109")
    assert answered(flying("1113", is_flipped=True)) == c.Fly(mission="strike-1", hex="1112")
    # Without a target, or with orders for home only, it flies home.
    assert answered(flying("1112"), order("")) == c.Fly(mission="strike-1", hex="1111")


@pytest.mark.parametrize(
    ("fuel", "flies"),
    [
        # After the first hex, nine hexes, the attack and the landing remain: 11 at one hex per phase.
        pytest.param(13, True, id="worst-die-leaves-1"),
        pytest.param(12, False, id="worst-die-leaves-0"),
    ],
)
def test_4_432_a_second_hex_is_flown_only_if_the_worst_roll_leaves_fuel_to_return(
    fuel: int,
    flies: bool,
) -> None:
    state = flying("1109", fuel, moved=1)
    expected = c.Fly(mission="strike-1", hex="1110") if flies else c.Done()
    assert answered(state) == expected


def test_4_44_no_second_hex_is_flown_home_if_landing_becomes_critical() -> None:
    state = flying("1112", 4, moved=1, is_flipped=True)
    assert answered(state, order(least=-6)) == c.Done()


def test_the_segment_ends_automatically_only_if_no_other_mission_can_act() -> None:
    state = flying("1110", moved=3)
    assert answered(state) == c.Done()
    raids = {"Guam-a": Raid(origin="Guam", hex="1408", target="58.1", points=3)}
    assert answered(with_parts(state, raids=raids)) == c.Done(), "no fighter is there to meet it"
    cap = {"intercept-3": Mission(kind="intercept", cap="58.1", groups=("58.1",))}
    assert answered(with_parts(state, raids=raids, missions=cap)) is None
    other = Mission(kind="intercept", hex="1107", fuel=9, groups=("58.1",))
    unit = {"hornet-f2": replace(state.units["hornet-f2"], place="mission", at="intercept-2")}
    assert answered(with_parts(state, missions={"intercept-2": other}, units=unit)) is None


# -- what stops it


@pytest.mark.parametrize(
    ("state", "given", "words"),
    [
        (with_parts(flying(), forces={"A": replace(FORCE, detection="")}), order(), "no longer detected"),
        (flying(fuel=11), order(), "fuel -1"),
        (with_parts(flying(), forces={"A": replace(FORCE, hex="1116")}), order(), "fuel -3"),
        (flying(fuel=4), order(least=-6), "runs out of fuel"),
        (replace(flying(), turn=10), order(), "may land at"),
        (replace(flying(), turn=11, phase=4), order(light="night"), "scenario ends"),
        (with_parts(flying(), units={"hornet-b1": replace(flying().units["hornet-t1"])}), order(), "joined"),
        (with_parts(flying(), ships={n: replace(s, is_sunk=True) for n, s in flying().ships.items()}),
         order(), "No carrier"),
    ],
    ids=["lost-target", "point-of-no-return", "target-flees", "lost-in-flight", "dusk", "end",
         "joined", "no-carrier"],
)  # fmt: skip
def test_4_45_an_interrupted_order_waits_for_the_player(
    state: State, given: CourseOrder, words: str
) -> None:
    assert words in flight_stop(state, given)
    assert answered(state, given) is None
    assert [words in why for _, why in CBPS.course_stops(state, US, (given.text,))] == [True]


def test_a_new_mission_with_a_reused_name_does_not_inherit_the_order() -> None:
    other = parse_order(order().text.replace("hornet", "yorktown"))
    assert other is not None
    assert not CBPS.live_courses(flying(), (other.text,))
    assert answered(flying(), other) is None


# -- attacking and landing


def test_5_24_a_strike_attacks_automatically_unless_a_wrong_target_is_possible() -> None:
    state = with_frame(replace(flying("1113"), segment="us-attack"), StrikesFrame())
    assert answered(state) == c.Attack(mission="strike-1", target="A")
    near = with_parts(state, forces={"B": Force(hex="1114")})
    assert answered(near) is None
    assert "5.24" in CBPS.course_stops(near, US, (order().text,))[0][1]


def test_5_1_no_strike_attacks_automatically_beside_a_strike_without_orders() -> None:
    state = with_frame(replace(flying("1113"), segment="us-attack"), StrikesFrame())
    second = Mission(kind="strike", hex="1113", fuel=9, groups=("58.1",))
    unit = {"hornet-b1": replace(state.units["hornet-t1"], at="strike-2")}
    assert answered(with_parts(state, missions={"strike-2": second}, units=unit)) is None


def home(at: tuple[int, int] = (4, 1), **fields: Any) -> State:  # noqa: ANN401  # those of Mission
    mission = Mission(kind="strike", hex=HOME, fuel=5, groups=("58.1",), is_flipped=True, **fields)
    units = dict.fromkeys(UNITS, "strike-1")
    return operations(at=at, units=units, missions={"strike-1": mission})


def test_6_28_units_land_on_their_own_carrier_before_the_segment_ends() -> None:
    state, courses = home(), (order().text,)
    assert answered(state) is None, "a deck that has landed units can launch no more (6.23)"
    assert CBPS.course_closing(state, US, courses) == c.Land(unit="hornet-f1", carrier="hornet")
    assert CBPS.course_closing(home(is_fresh=True), US, courses) is None


def test_6_43_lights_at_dusk_are_left_to_the_player() -> None:
    courses = (order(light="dusk").text,)
    assert CBPS.course_closing(home(DUSK), US, courses) is None
    assert "6.43" in CBPS.course_stops(home(DUSK), US, courses)[0][1]
    lit = home(DUSK)
    lit = with_parts(lit, groups={"58.1": replace(lit.groups["58.1"], is_lit=True)})
    assert CBPS.course_closing(lit, US, courses) is not None


def test_4_42_a_new_order_begins_with_the_launch_move() -> None:
    state = operations(
        at=(4, 1),
        units=dict.fromkeys(UNITS, "strike-1"),
        missions={
            "strike-1": Mission(
                kind="strike", hex=HOME, fuel=13, groups=("58.1",), is_fresh=True, moved=3
            )
        },
    )
    state = with_parts(state, forces={"A": FORCE})
    assert CBPS.course_opening(state, US, order().text) == c.Fly(mission="strike-1", hex="1109")
    assert CBPS.course_opening(flying(), US, order().text) is None


# -- giving orders


def test_orders_are_offered_with_their_risks() -> None:
    state = flying(fuel=13)
    saving, fast = orders_to(state, "strike-1", "A")
    assert saving.least == 1
    assert not risk_question(state, saving)
    assert fast.least < 1
    assert "Fuel Critical" in risk_question(state, fast)
    slow, quick = (course_forecast(state, one) for one in (saving, fast))
    assert slow is not None
    assert quick is not None
    assert slow.worst == saving.least
    assert quick.worst == fast.least
    assert not orders_to(flying(fuel=4), "strike-1", "A"), "it would be lost"
    assert not orders_to(replace(flying(), turn=11, phase=4), "strike-1", "A"), (
        "the game ends first"
    )


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("strike-1", NotationError),
        ("strike-1 to 1305", IllegalCommandError),
        ("strike-1 to 9999", IllegalCommandError),
        (f"strike-1 to {HOME}", IllegalCommandError),
        ("strike-1 at a", NotationError),
        ("strike-2 to a", IllegalCommandError),
        ("strike-1 to b", IllegalCommandError),
        ("strike-1 to guam", IllegalCommandError),
        (order(least=3).text.replace("1113", "1116"), None),
    ],
)
def test_short_forms_are_parsed_or_refused(text: str, error: type[Exception] | None) -> None:
    if error is None:
        assert read_order(flying(), "us", text).text == text
        return
    with pytest.raises(error):
        read_order(flying(), "us", text)


# -- to a hex and home


def test_4_22_a_strike_flies_to_a_hex_stays_for_the_phase_and_flies_home() -> None:
    given = read_order(flying(), "us", "strike-1 to 1110")
    assert order_title(given) == "Strike 1: to 1110 and home"
    assert parse_order(given.text) == given
    assert answered(flying(), given) == c.Fly(mission="strike-1", hex="1109")
    arrived = flying("1110", fuel=9, moved=1)
    assert answered(arrived, given) == c.Done(), "no second hex on the way home in this segment"
    assert CBPS.live_courses(arrived, (given.text,)) == (given.text,)
    (home_order,) = CBPS.live_courses(flying("1110", fuel=9), (given.text,))
    assert home_order == replace(given, target="").text
    assert answered(flying("1110", fuel=9), order("")) == c.Fly(mission="strike-1", hex="1109")
    # In a plan, the order is not replaced, but the mission flies home all the same.
    assert answered(flying("1110", fuel=9), given) == c.Fly(mission="strike-1", hex="1109")
    assert flight_stop(flying("1110", fuel=9), given) == ""
    forecast = course_forecast(flying(), given)
    assert forecast is not None
    assert [phase.act for phase in forecast.phases] == ["turn", "land"]
    assert forecast.worst >= given.least


def test_4_51_interceptors_that_have_fought_on_the_way_fly_home() -> None:
    state = with_parts(flying(), missions={"strike-1": intercept(hex="1110", fuel=12)})
    given = read_order(state, "us", "strike-1 to 1305")
    fought = replace(state.missions["strike-1"], has_fought=True)
    (home_order,) = CBPS.live_courses(
        with_parts(state, missions={"strike-1": fought}), (given.text,)
    )
    assert home_order == replace(given, target="").text
    # The player may send them out again in a later phase.
    assert CBPS.live_courses(state, (given.text,)) == (given.text,)


def test_5_1_over_a_force_in_its_hex_the_strike_leaves_the_attack_to_the_player() -> None:
    given = replace(order(), target=FORCE.hex)
    state = with_frame(replace(flying(FORCE.hex, moved=1), segment="us-attack"), StrikesFrame())
    assert c.Attack(mission="strike-1", target="A") in CBPS.decision(state, US).options
    assert answered(state, given) is None


def test_4_22_the_strike_waits_when_the_force_that_it_approached_is_gone() -> None:
    given = read_order(flying(), "us", "strike-1 to 1113")
    gone = with_parts(flying("1110"), forces={"A": replace(FORCE, detection="")})
    assert "No legal move" in flight_stop(gone, given)
    assert answered(gone, given) is None


def test_4_36_interceptors_fly_to_any_hex_without_japanese_ships() -> None:
    state = with_parts(flying(), missions={"strike-1": intercept(fuel=12)})
    assert read_order(state, "us", "strike-1 to 1305").target == "1305"
    with pytest.raises(IllegalCommandError, match=r"4\.36"):
        read_order(state, "us", f"strike-1 to {FORCE.hex}")


@pytest.mark.parametrize("fast", ["", " fast"])
def test_every_step_of_an_order_is_legal_and_within_the_fuel_forecast(
    fast: str,
) -> None:
    """Fly the whole way with the worst dice, by the rules' own options."""
    state = flying()
    given = read_order(state, "us", f"strike-1 to a{fast}")
    for _ in range(40):
        state = with_frame(replace(state, segment="us-air-movement"), AirMovementFrame())
        command = answered(state, given)
        mission = state.missions["strike-1"]
        if command == c.Done() or command is None:
            assert command is not None, flight_stop(state, given)
            if mission.is_flipped and mission.hex == HOME:
                break
            is_over = mission.hex == FORCE.hex and not mission.is_flipped
            spent = (0 if mission.moved else 1) + is_over
            mission = replace(
                mission, moved=0, is_flipped=mission.is_flipped or is_over, fuel=mission.fuel - spent,
                toward=(),
            )  # fmt: skip
        else:
            assert command in CBPS.decision(state, US).options
            cost = 2 if mission.moved else 1
            mission = replace(
                mission, hex=command.hex, moved=1 if not mission.moved else 3, fuel=mission.fuel - cost,
                toward=("A",),
            )  # fmt: skip
        state = with_parts(state, missions={"strike-1": mission})
    assert state.missions["strike-1"].hex == HOME
    assert state.missions["strike-1"].fuel - 1 >= given.least
