"""The planner, compared with manual calculations from the charts."""

from fractions import Fraction
from itertools import product
from math import prod

import pytest
from msgspec.structs import replace

from engine.cbps.charts.results import AirCode
from engine.cbps.frames import SearchLaunchFrame
from engine.cbps.game_data import standard_game_data
from engine.cbps.ids import SearchKind
from engine.cbps.planner.attack import (
    air_combat_losses,
    damage_chances,
    forecasts,
    surprise_chances,
)
from engine.cbps.planner.chances import column_chances, die_chances
from engine.cbps.planner.contact import contact_chances
from engine.cbps.planner.fighters import cap_fuel, interception, raid_plan
from engine.cbps.planner.flight import (
    arrivals,
    fastest_flight,
    landing_estimate,
    landing_loss_chance,
)
from engine.cbps.planner.forces import force_hypotheses
from engine.cbps.planner.moments import moment_after, state_from_view
from engine.cbps.planner.searches import (
    level_rise_chance,
    location_chance,
    planned_search,
    search_plan,
    sighting_chance,
)
from engine.cbps.planner.strikes import mission_plan, state_with_strike, strike_plan
from engine.cbps.state import AirUnit, Mission, Raid, Search, State
from engine.cbps.view import project_state
from engine.kernel.chances import certain, format_tenths, mean, percent, sum_distribution
from tests.engine.cbps.battle import battle, with_force, with_parts

TENTH = Fraction(1, 10)
FIGHTERS = ("hornet-f1", "hornet-f2")
BOMBERS = ("hornet-b1", "hornet-b2")


def exact(*numbers: int | Fraction) -> tuple[Fraction, ...]:
    """Return numbers as fractions."""
    return tuple(map(Fraction, numbers))


def ready(*units: str, turn: int = 0, phase: int = 1) -> State:
    """Return Scenario 6 in its air operations with some units of the Hornet ready."""
    state = replace(battle("6"), turn=turn, phase=phase, segment="operations")
    flying = {unit: AirUnit(place="ready", at="hornet") for unit in units}
    return with_parts(replace(state, missions={}), units=flying)


def strike(*units: str, **fields: object) -> tuple[State, str]:
    """Return a newly launched strike of some units, with the given fields of its mission replaced."""
    state, name = state_with_strike(ready(*units), units)
    mission = replace(state.missions[name], **fields)
    return with_parts(state, missions={name: mission}), name


# -- chances


def test_percent_shows_0_and_100_only_for_certainty() -> None:
    assert [percent(Fraction(*one)) for one in ((0, 1), (1, 400), (1, 8), (399, 400), (1, 1))] == [
        *(0, 1, 13, 99, 100)
    ]
    assert (
        format_tenths(Fraction(5, 2)),
        format_tenths(Fraction(77, 100)),
        format_tenths(Fraction(3)),
    ) == (*("2.5", "0.8", "3"),)


def test_2_41_totals_out_of_range_use_the_last_row() -> None:
    charts = standard_game_data().charts
    assert die_chances(charts.second_hex_fuel) == {1: Fraction(1, 2), 2: Fraction(1, 2)}
    columns: dict[AirCode, Fraction] = column_chances(charts.japanese_air_to_air, 1)
    assert columns == {"-": 7 * TENTH, "A": 2 * TENTH, "E": TENTH}


# -- flight


def test_4_432_flight_of_five_hexes() -> None:
    state = battle("6")
    out, back = fastest_flight(state, 5, "launch"), fastest_flight(state, 5)
    assert exact(out.phases, out.least, out.expected, out.most) == exact(2, 5, 6, 7)
    assert exact(back.phases, back.least, back.expected, back.most) == exact(3, 5, 6, 7)


def test_4_42_a_flight_of_one_hex_uses_the_launch_move() -> None:
    one = fastest_flight(battle("6"), 1, "launch")
    assert (one.phases, one.least, one.most) == (0, 1, 1)


def test_4_14_units_joining_a_strike_get_no_launch_move() -> None:
    state, name = strike("hornet-f1", is_fresh=False, fuel=6, is_flipped=True)
    joined, joined_name = state_with_strike(
        with_parts(state, units={"hornet-b1": AirUnit(place="ready", at="hornet")}),
        ("hornet-b1",),
        name,
    )
    assert joined_name == name
    assert joined.missions[name] == replace(state.missions[name], fuel=6)
    assert joined.units["hornet-b1"].at == name


def test_4_41_fuel_for_the_second_hex_of_a_segment() -> None:
    rest = fastest_flight(battle("6"), 2, "second")
    assert (rest.phases, rest.least, rest.most) == (1, 2, 3)


def test_4_45_a_critical_mission_flies_one_hex_per_phase() -> None:
    found = arrivals(battle("6"), 0, 3)
    assert found == {(3, -3): 1}
    assert arrivals(battle("6"), -5, 3) == {}  # 4.454


def test_op_68_one_fuel_point_does_not_allow_a_second_hex() -> None:
    assert arrivals(battle("6"), 1, 2) == {(2, -1): 1}
    assert arrivals(battle("6", second_hex="on"), 1, 2) == {
        (1, -1): Fraction(1, 2),
        (1, -2): Fraction(1, 2),
    }


def test_4_451_safe_return_depends_on_fuel_box_and_light() -> None:
    state = battle("6")
    assert landing_loss_chance(state, 3, "day") == 0
    assert landing_loss_chance(state, 0, "day") == TENTH  # OP-66
    assert landing_loss_chance(state, -5, "day") == 6 * TENTH
    assert (
        landing_loss_chance(state, -7, "day") == 9 * TENTH
    )  # box 6, and 2 for what cannot be paid
    assert landing_loss_chance(state, 3, "dusk") == 3 * TENTH
    assert landing_loss_chance(state, 3, "night") == 4 * TENTH


def test_6_42_landing_estimate_after_dark() -> None:
    state = replace(battle("6"), turn=10, phase=1)  # 1850
    home = {(3, 4): Fraction(1)}
    found = landing_estimate(state, home, BOMBERS)  # type: ignore[arg-type]  # an arrival by its fields
    assert exact(found.critical, found.in_flight, found.lost, found.lost_lit) == exact(
        0, 0, 4 * TENTH, 0
    )


def test_22_7_night_fighters_land_safely_at_night() -> None:
    book = standard_game_data()
    night = next(one.id for one in book.air_units.values() if book.air_types[one.type].night)
    state = replace(battle("6", night_operations="on"), turn=10, phase=4)
    home = {(0, 9): Fraction(1)}
    assert landing_estimate(state, home, (night,)).lost == 0  # type: ignore[arg-type]  # as above
    assert landing_estimate(state, home, (night, "hornet-b1")).lost == 2 * TENTH  # type: ignore[arg-type]  # as above


def test_6_41_time_and_light_of_later_phases() -> None:
    state = replace(battle("6"), turn=10, phase=1)
    found = moment_after(state, 3)
    assert found is not None
    assert (found.time, found.phase, found.light) == ("1850", 4, "night")
    assert moment_after(state, 7) is not None
    assert moment_after(state, 8) is None  # the scenario ends with 2010


# -- contact


def test_5_21_contact_chances_at_eight_hexes() -> None:
    state = with_force(battle("6"), "C", "1116", level=1, chit="Large", detection="L")
    found = contact_chances(state, "C")
    assert found.column == "7-9"
    assert exact(found.first.contact, found.first.wrong_force, found.first.no_contact) == exact(
        8 * TENTH, 0, 2 * TENTH
    )
    assert found.second.contact == 7 * TENTH
    assert found.within_two == Fraction(94, 100)


def test_5_21_contact_chances_with_an_approximate_sighting() -> None:
    state = with_force(battle("6"), "C", "1116", level=1, chit="Large", detection="?")
    found = contact_chances(state, "C")
    assert [(one.id, one.drm) for one in found.modifiers] == [("approximate", -2)]
    assert (found.first.contact, found.second.contact) == (6 * TENTH, 5 * TENTH)
    assert found.within_two == 8 * TENTH


def test_5_24_contact_chances_with_another_force_near_the_target() -> None:
    state = with_force(battle("6"), "C", "1116", level=1, chit="Large", detection="L")
    state = with_force(state, "D", "1118")
    assert contact_chances(state, "C").first.wrong_force == TENTH
    here = with_force(state, "D", "1116")
    assert contact_chances(here, "C").first.wrong_force == 2 * TENTH


# -- a strike


def test_plan_for_a_strike_of_five_hexes_with_helldivers() -> None:
    state, name = strike(*BOMBERS)
    state = with_force(state, "C", "1113", level=3, chit="surface", detection="L")
    plan = strike_plan(state, name, "C")
    assert exact(plan.fuel, plan.min_fuel, plan.expected_fuel, plan.max_fuel) == exact(
        14, 12, 14, 16
    )
    assert (plan.escorts, plan.attackers) == (0, 2)
    assert plan.attack_at is not None
    assert plan.home_at is not None
    assert (plan.attack_at.time, plan.attack_at.phase) == ("0530", 3)
    assert (plan.home_at.time, plan.home_at.phase) == ("0650", 2)
    # four second hexes: with two expensive ones the mission lands with 0, with three in box 1, with four in box 2
    assert plan.landing.critical == Fraction(11, 16)
    assert plan.landing.lost == Fraction(6 * 1 + 4 * 2 + 1 * 3, 160)
    assert plan.landing.in_flight == 0


def test_a_strike_on_guam_has_no_combat_forecast() -> None:
    state, name = strike(*BOMBERS)
    plan = strike_plan(state, name, "Guam")
    assert (plan.contact, plan.forecasts, plan.acts) == (None, (), 1)


def test_4_53_four_cap_points_against_a_strike_without_escorts() -> None:
    state, name = strike(*BOMBERS, "hornet-t1", "hornet-b3")
    found = air_combat_losses(state, name, 4)
    assert mean(found, lambda one: one.attackers) == 6 * TENTH
    assert mean(found, lambda one: one.aborted) == 5 * TENTH
    assert all(one.has_fought for one in found)


def test_4_53_escorts_engage_cap() -> None:
    state, name = strike(*FIGHTERS, *BOMBERS)
    found = air_combat_losses(state, name, 1)
    # one point against two escorts; "A" lets it through where it survives column 2 with -1: dice 1-3
    assert mean(found, lambda one: one.escorts) == TENTH
    assert mean(found, lambda one: one.attackers) == 2 * TENTH * 3 * TENTH * TENTH


def test_5_61_damage_dice_per_column() -> None:
    state, name = strike(*BOMBERS)
    assert [mean(die) for die in damage_chances(state, name, 14)] == [Fraction(11, 10)]
    assert len(damage_chances(state, name, 28)) == 3
    unpaid = with_parts(state, missions={name: replace(state.missions[name], fuel=-6)})
    assert len(damage_chances(unpaid, name, 28)) == 2


def test_5_32_surprise_chances() -> None:
    state = with_force(battle("6"), "C", "1113", level=1, chit="Carrier", is_carrier=True)
    assert surprise_chances(state, "C") == {
        "none": 6 * TENTH,
        "partial": 2 * TENTH,
        "complete": 2 * TENTH,
    }
    state = with_parts(state, forces={"C": replace(state.forces["C"], raids=1)})
    assert surprise_chances(state, "C")["complete"] == TENTH


def test_7_36_hypotheses_for_a_surface_chit() -> None:
    state = with_force(battle("6"), "C", "1113", level=1, chit="Surface", detection="L")
    found = force_hypotheses(state, "C")
    assert sum(found.values()) == 1
    assert sum(part for one, part in found.items() if not one.carriers) == 9 * TENTH


def test_9_25_air_value_of_a_level_3_chit_excludes_points_in_flight() -> None:
    chit = next(iter(standard_game_data().level_three.values()))
    state = with_force(
        battle("6"),
        "1",
        "1113",
        level=3,
        chit=chit.id,
        is_carrier=True,
        is_butai=True,
        detection="L",
        boxes={"raid-a": 2, "aall": 1},
    )
    ((nature, chance),) = force_hypotheses(state, "1").items()
    assert exact(nature.air_value, chance) == exact(max(chit.air_value - 2, 0), 1)
    assert nature.carriers == chit.cv + chit.cvl


def test_forecasts_cover_both_types_of_an_unknown_force() -> None:
    state, name = strike(*FIGHTERS, *BOMBERS)
    state = with_force(state, "C", "1113", level=1, chit="Medium", detection="L")
    carriers, others = forecasts(state, name, "C")
    assert (carriers.chance, others.chance) == (4 * TENTH, 6 * TENTH)
    assert carriers.surprise
    assert sum(carriers.cap.values()) == 1
    assert not others.surprise
    assert others.cap == certain(0)
    assert others.by_cap == 0
    assert others.hits > carriers.hits  # doubled, and no CAP
    assert 0 < carriers.average_losses < carriers.most_lost
    for one in (carriers, others):
        assert sum(one.hit_chances.values()) == sum(one.lost_chances.values()) == 1
        assert mean(one.lost_chances) == one.average_losses
        assert (min(one.hit_chances), max(one.hit_chances)) == (0, one.most_hits)


def test_5_61_hits_are_the_sum_of_the_damage_dice() -> None:
    """Every combination of dice is counted."""
    state, name = strike(*BOMBERS)
    dice = damage_chances(state, name, 28)
    assert len(dice) > 1
    counted: dict[int, Fraction] = {}
    for fall in product(*(die.items() for die in dice)):
        total = sum(hits for hits, _ in fall)
        counted[total] = counted.get(total, Fraction(0)) + prod(
            (chance for _, chance in fall), start=Fraction(1)
        )
    assert sum_distribution(dice) == counted


def test_scenario_2_fixes_cap_and_distance() -> None:
    state = battle("2")
    name, target = "strike-1", "A"
    found = contact_chances(state, target)
    assert found.column == "10-12"
    (only,) = forecasts(state, name, target)
    assert only.chance == 1
    assert set(only.cap) == {0, 2}  # none after complete surprise


def test_scenario_4_forecast_ends_at_contact() -> None:
    state = with_force(battle("4"), "C", "1113", level=1, chit="Large", detection="L")
    state = with_parts(state, missions={"strike-1": Mission(kind="strike", hex="1109", fuel=9)})
    assert strike_plan(state, "strike-1", "C").forecasts == ()


# -- missions in flight


def test_return_flight_and_the_longest_possible_wait() -> None:
    state, name = strike(*BOMBERS, hex="1112", fuel=9, is_fresh=False)
    plan = mission_plan(state, name)
    assert (plan.way_home.hexes, plan.way_home.phases, plan.way_home.most) == (4, 2, 6)
    assert plan.waits == 9 - 6 - 1 - 1
    assert plan.home_at is not None
    assert plan.turn_at is not None
    assert (plan.home_at.phase, plan.turn_at.phase) == (3, 3)
    assert plan.landing.critical == 0


def test_a_mission_without_enough_fuel_has_no_turning_point() -> None:
    state, name = strike(*BOMBERS, hex="1114", fuel=5, is_fresh=False)
    plan = mission_plan(state, name)
    assert plan.waits < 0
    assert plan.turn_at is None
    assert plan.landing.critical == 1


def test_3_1_a_mission_over_its_carriers_lands_in_the_next_phase_after_operations() -> None:
    state, name = strike(*BOMBERS, fuel=3, is_fresh=False)
    plan = mission_plan(state, name)
    assert plan.home_at is not None
    assert (plan.home_at.phase, plan.land) == (1, 1)
    late = mission_plan(replace(state, segment="us-attack"), name)
    assert late.home_at is not None
    assert (late.home_at.phase, late.land) == (2, 2)


# -- fighters


def test_4_35_fuel_distribution_of_cap() -> None:
    assert cap_fuel(battle("6")) == dict.fromkeys(range(10, 15), Fraction(1, 5))


def test_4_52_two_fighters_against_one_point() -> None:
    state = ready(*FIGHTERS)
    units = {unit: AirUnit(place="mission", at="intercept-8") for unit in FIGHTERS}
    state = with_parts(
        state,
        units=units,
        missions={"intercept-8": Mission(kind="intercept", hex="1110", fuel=10)},
        raids={"A-a": Raid(origin="A", hex="1110", target="58.1", points=1)},
    )
    found = interception(state, "intercept-8", "A-a")
    # one point in ten is a fighter, which both units must then fight: they destroy it with dice 4-10
    assert found.destroyed == Fraction(79, 100)
    assert found.lost == Fraction(1, 100)
    assert found.most_destroyed == 1


def test_10_23_a_raid_approaches_two_hexes_per_phase() -> None:
    state = ready(*FIGHTERS)
    units = {unit: AirUnit(place="mission", at="intercept-8") for unit in FIGHTERS}
    state = with_parts(
        state,
        units=units,
        missions={"intercept-8": Mission(kind="intercept", cap="58.1")},
        raids={"A-a": Raid(origin="A", hex="1113", target="58.1", points=6)},
    )
    plan = raid_plan(state, "A-a")
    assert (plan.goal, plan.hexes, plan.phases) == ("1108", 5, 3)
    assert plan.path[0] == "1113"
    assert plan.path[-1] == "1108"
    assert plan.at is not None
    assert plan.at.phase == 4
    (met,) = plan.meetings
    assert (met.mission, met.hex, met.units) == ("intercept-8", "1108", 2)
    free = with_parts(
        state, missions={"intercept-8": Mission(kind="intercept", hex="1110", fuel=9)}
    )
    (met,) = raid_plan(free, "A-a").meetings
    assert met.at is not None
    assert met.at.phases_away == 1


# -- searches


def test_8_271_timetable_of_a_standard_search() -> None:
    state = replace(ready("hornet-b1"), frames=(SearchLaunchFrame(),))
    plan = search_plan(state, _west(state, "standard"), ("hornet-b1",))
    assert [leg.time for leg in plan.legs] == ["0530", "0650", "0810", "0930", "1050", "1210"]
    assert [leg.zone for leg in plan.legs] == [
        *("near", "middle", "far"),
        *("far", "middle", "near"),
    ]
    assert [leg.hex for leg in plan.legs] == ["1110", "1114", "1118", "1114", "1110", "1108"]
    assert plan.is_home
    assert "1118" in plan.legs[2].hexes


def _west(state: State, kind: SearchKind) -> Search:
    return planned_search(state, ("hornet-b1",), kind, bearing=270, radius="1118")


def test_8_34_search_chances_of_a_single_bomber_in_the_far_zone() -> None:
    state = replace(ready("hornet-b1"), frames=(SearchLaunchFrame(),))
    state = with_force(state, "C", "1117")
    plan = search_plan(state, _west(state, "standard"), ("hornet-b1",))
    far = plan.legs[2]
    assert (
        sighting_chance(far.chances),
        location_chance(far.chances),
        level_rise_chance(far.chances),
    ) == (*(6 * TENTH, 4 * TENTH, 2 * TENTH),)
    (met,) = plan.sightings
    assert (met.force, met.legs) == ("C", (2, 3))
    assert met.found == 1 - (4 * TENTH) ** 2


def test_a_search_that_outlasts_the_scenario_does_not_return() -> None:
    state = replace(ready("hornet-b1", turn=10), frames=(SearchLaunchFrame(),))
    plan = search_plan(state, _west(state, "standard"), ("hornet-b1",))
    assert [leg.time for leg in plan.legs] == ["1850", "2010"]
    assert not plan.is_home
    assert plan.legs[1].chances == {}  # no search at night
    assert plan.legs[0].lights == ("day", "dusk", "night")


# -- the table of a view


def test_a_view_gives_the_same_plan_as_the_state() -> None:
    state, name = strike(*FIGHTERS, *BOMBERS)
    state = with_force(state, "C", "1113", level=1, chit="Medium", detection="L")
    view = project_state(state, "us")
    assert strike_plan(state_from_view(view), name, "C") == strike_plan(state, name, "C")


@pytest.mark.parametrize(
    ("kind", "radius", "reached"),
    [("standard", "", "1118"), ("long", "", "1120"), ("narrow", "0108", "0108")],
)
def test_8_27_a_planned_search_starts_from_its_carrier(
    kind: SearchKind, radius: str, reached: str
) -> None:
    state = battle("6")
    search = planned_search(state, ("hornet-b1", "hornet-b2"), kind, bearing=270, radius=radius)
    assert (search.origin, search.hex) == ("1108", "1108")
    assert (search.group, search.kind, search.bearing) == ("58.1", kind, 270)
    assert search.radius == reached
    assert not state.searches, "it is not a part of the state"
