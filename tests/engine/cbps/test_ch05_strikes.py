"""The US Air Attack Segment: contact and everything after it (5.1, 5.2, 5.5, 5.6)."""

import pytest
from msgspec.structs import replace

from engine.cbps.charts.results import SurpriseWord
from engine.cbps.commands import Aim, Attack, Done, Retry, Stop
from engine.cbps.events.air import (
    AttemptMade,
    FuelSpent,
    MissionFlipped,
    MissionMoved,
    UnitAborted,
    UnitLost,
)
from engine.cbps.events.base import CbpsEvent
from engine.cbps.events.chance import ChartRead, Chosen
from engine.cbps.events.japan import Detected, ForceRemoved, HullHit
from engine.cbps.frames import AimFrame, ContactFrame, LightsFrame
from engine.cbps.ids import Detection
from engine.cbps.run import Run
from engine.cbps.state import AirUnit, Force, Hits, Hull, Mission, State
from engine.cbps.strikes.ch05_strikes import fly_home
from tests.engine.cbps.battle import (
    advanced,
    battle,
    facts,
    given,
    options,
    reads,
    refusals,
    running,
    with_force,
    with_parts,
)
from tests.engine.cbps.strikes import ATTACKERS, ESCORTS, HEX, at, strike_state

ATTACK = Attack(mission="strike-1", target="X")
SURFACE = ("kongo", "cruiser-force-8", "destroyer-force-1")
CONTACT = 10
"""A die roll that always makes contact."""


def charts(run: Run) -> list[str]:
    return [read.chart for read in reads(run)]


def of(run: Run, kind: type[CbpsEvent]) -> list[CbpsEvent]:
    return list(facts(run, kind))


def strike_of(run: Run) -> Mission:
    return run.state.missions["strike-1"]


# -- who may attack, 5.1


def test_5_1_strikes_are_offered_with_what_is_detected_in_their_hex() -> None:
    state = with_force(strike_state(*ATTACKERS), "Y", HEX)
    state = with_force(state, "Z", "1019", detection="S")
    assert options(state) == (ATTACK, Done())


def test_8_15_an_undetected_force_cannot_be_attacked() -> None:
    state = with_force(strike_state(*ATTACKERS), "Y", HEX)
    assert refusals(state, Attack(mission="strike-1", target="Y")) == ("8.15",)


def test_5_1_a_target_lies_in_the_hex_of_the_strike() -> None:
    state = with_force(strike_state(*ATTACKERS), "Y", "1019", detection="S")
    assert refusals(state, Attack(mission="strike-1", target="Y")) == ("5.1",)
    assert refusals(state, Attack(mission="strike-1", target="nobody")) == ("5.1",)


def test_5_1_only_strikes_in_flight_attack() -> None:
    state = strike_state(*ATTACKERS)
    assert refusals(state, Attack(mission="strike-7", target="X")) == ("5.1",)
    state = with_parts(state, missions={"intercept-2": Mission(kind="intercept", hex=HEX, fuel=9)})
    assert refusals(state, Attack(mission="intercept-2", target="X")) == ("5.1",)


def test_5_23_a_flipped_strike_makes_no_attempt() -> None:
    state = strike_state(*ATTACKERS, mission={"is_flipped": True})
    assert refusals(state, ATTACK) == ("5.23",)


def test_6_1_each_commander_leads_his_own_strikes() -> None:
    state = strike_state(*ATTACKERS, mission={"commander": "us-2"})
    assert refusals(state, ATTACK) == ("6.1",)


def test_5_1_nobody_is_asked_without_a_target_and_the_segment_closes() -> None:
    run = advanced(strike_state(*ATTACKERS, hex="0101", mission={"hex": HEX}))
    assert isinstance(run.state.frames[-1], LightsFrame)


def test_20_4_oilers_are_no_targets() -> None:
    """No question is asked if a strike meets nothing else."""
    alone = strike_state(*ATTACKERS, hex="0101", mission={"hex": HEX})
    state = with_parts(alone, oilers={"A": HEX})
    assert refusals(state, Attack(mission="strike-1", target="A")) != ()
    assert isinstance(advanced(state).state.frames[-1], LightsFrame)


def test_d_5_1_the_default_is_no_attempt() -> None:
    run = given(strike_state(*ATTACKERS), Done())
    assert isinstance(run.state.frames[-1], LightsFrame)
    assert not reads(run)


def test_op_12_a_strike_on_guam_has_no_effect_and_is_flipped() -> None:
    guam = battle("6").game_data.map.guam
    state = strike_state(*ATTACKERS, mission={"hex": guam})
    run = given(state, Attack(mission="strike-1", target="Guam"))
    assert of(run, MissionFlipped) == [MissionFlipped(mission="strike-1")]
    assert not reads(run)


# -- contact, 5.2


@pytest.mark.parametrize(
    ("hex", "column"), [("1110", "0-3"), ("1112", "4-6"), ("1118", "10-12"), ("1125", "13+")]
)
def test_5_21_the_column_is_the_distance_to_the_nearest_group(hex: str, column: str) -> None:
    run = given(strike_state(*ATTACKERS, ships=SURFACE, hex=hex), ATTACK, 10, 1)
    assert reads(run, "strike_contact")[0].column == column


def test_5_21_scenario_2_is_read_at_ten_hexes() -> None:
    run = given(strike_state(*ATTACKERS, ships=SURFACE, scenario="2"), ATTACK, 10, 1)
    assert reads(run, "strike_contact")[0].column == "10-12"


def test_5_21_a_success_flips_the_strike_and_spots_the_target() -> None:
    run = given(strike_state(*ATTACKERS, ships=SURFACE), ATTACK, CONTACT, 1)
    assert of(run, AttemptMade) == [AttemptMade(mission="strike-1", target="X")]
    assert of(run, MissionFlipped) == [MissionFlipped(mission="strike-1")]
    assert of(run, Detected) == [Detected(force="X", detection="S", why="strike")]


def test_5_21_an_approximate_sighting_is_harder_to_contact() -> None:
    run = given(strike_state(*ATTACKERS, ships=SURFACE, detection="?"), ATTACK, 10, 1)
    (read,) = reads(run, "strike_contact")
    assert [(one.id, one.drm) for one in read.modifiers] == [("approximate", -2)]


def test_5_22_after_a_failure_a_second_attempt_is_offered() -> None:
    run = given(strike_state(*ATTACKERS), ATTACK, 1)
    assert run.state.frames[-1] == ContactFrame(mission="strike-1", targets=("X",))
    assert options(run.state) == (Retry(target="X"), Stop())
    assert not strike_of(run).is_flipped


def test_5_22_the_second_attempt_costs_a_fuel_point_and_has_a_modifier() -> None:
    state = given(strike_state(*ATTACKERS, ships=SURFACE), ATTACK, 1).state
    run = given(state, Retry(target="X"), 10, 1)
    assert of(run, FuelSpent)[0] == FuelSpent(mission="strike-1", points=1, why="contact")
    (read,) = reads(run, "strike_contact")
    assert [(one.id, one.drm) for one in read.modifiers] == [("second_attempt", -1)]


def test_5_22_to_stop_forfeits_the_second_attempt() -> None:
    state = given(strike_state(*ATTACKERS), ATTACK, 1).state
    run = given(state, Stop())
    assert strike_of(run).is_flipped
    assert not reads(run)


def test_5_22_the_second_attempt_may_be_on_another_force_of_the_hex() -> None:
    state = with_force(strike_state(*ATTACKERS), "Y", HEX, level=1, chit="Small", detection="?")
    state = given(state, ATTACK, 1).state
    assert options(state) == (Retry(target="X"), Retry(target="Y"), Stop())
    assert refusals(state, Retry(target="Z")) == ("5.22",)


def test_5_23_a_second_failure_sends_the_strike_home() -> None:
    state = given(strike_state(*ATTACKERS), ATTACK, 1).state
    run = given(state, Retry(target="X"), 1)
    assert strike_of(run).is_flipped
    assert isinstance(run.state.frames[-1], LightsFrame)


@pytest.mark.parametrize(("fuel", "is_asked"), [(-5, True), (-6, False)])
def test_op_7_a_second_attempt_must_be_payable(fuel: int, is_asked: bool) -> None:
    state = strike_state(*ATTACKERS, mission={"fuel": fuel})
    run = given(state, ATTACK, 1)
    assert strike_of(run).is_flipped is not is_asked


# -- wrong targets (5.24-5.26): at 10 hexes 4 is W/2 and 5 is W/0

FAR = "1118"
OTHERS = {"Y": ("nagato", "cruiser-force-1"), "Z": ("haruna", "destroyer-force-2")}


def far(*others: tuple[str, str, Detection], partner: str = "") -> State:
    """Return a strike over X in 1118 with other forces: name, hex, detection."""
    state = strike_state(*ATTACKERS, ships=SURFACE, hex=FAR, partner=partner)
    for name, hex, detection in others:
        state = with_parts(
            state,
            forces={name: Force(hex=hex, level=3, chit="surface", detection=detection)},
            hulls={ship: Hull(force=name) for ship in OTHERS[name]},
        )
    return state


@pytest.mark.parametrize("die", [4, 5])
def test_5_24_without_another_force_the_wrong_target_is_the_right_one(die: int) -> None:
    run = given(far(), ATTACK, die, 1)
    assert of(run, Detected) == [Detected(force="X", detection="S", why="strike")]


def test_5_25_the_strike_moves_to_the_wrong_target_without_fuel() -> None:
    run = given(far(("Y", "1120", "")), ATTACK, 4, 1, 1, 1)
    assert of(run, MissionMoved) == [
        MissionMoved(mission="strike-1", hex="1120", why="wrong-target")
    ]
    assert of(run, Detected) == [Detected(force="Y", detection="S", why="strike")]
    assert [event.why for event in facts(run, FuelSpent) if isinstance(event, FuelSpent)] == [
        "attack"
    ]


def test_op_11_other_reading_has_the_way_paid() -> None:
    state = with_parts(far(("Y", "1120", "")), options={"wrong-target-fuel": "paid"})
    run = given(state, ATTACK, 4, 1, 1, 1)
    assert len(of(run, FuelSpent)) == 2


def test_5_24_a_force_three_hexes_away_is_no_wrong_target() -> None:
    run = given(far(("Y", "1121", "")), ATTACK, 4, 1)
    assert not of(run, MissionMoved)


def test_5_24_detected_forces_come_first_then_the_nearest() -> None:
    run = given(far(("Y", "1119", ""), ("Z", "1120", "?")), ATTACK, 4, 1, 1, 1)
    assert strike_of(run).hex == "1120"
    run = given(far(("Y", "1119", ""), ("Z", "1120", "")), ATTACK, 4, 1, 1, 1)
    assert strike_of(run).hex == "1119"


def test_5_24_equals_are_chosen_by_chance() -> None:
    state = far(("Y", "1119", ""), ("Z", "1117", ""))
    run = given(state, ATTACK, 4, 1, 1, 1, picks=["Z"])
    assert strike_of(run).hex == "1117"
    assert of(run, Chosen)[0] == Chosen(rule="5.24", about="X", among=2, one="Z")


def test_5_26_w_0_finds_another_force_of_the_same_hex_only() -> None:
    run = given(far(("Y", "1119", "S")), ATTACK, 5, 1)
    assert of(run, Detected) == [Detected(force="X", detection="S", why="strike")]
    run = given(far(("Y", FAR, "")), ATTACK, 5, 1, 1)
    assert of(run, Detected) == [Detected(force="Y", detection="S", why="strike")]


def test_7_54_w_0_selects_the_other_half_of_a_double_force() -> None:
    state = far(("Z", FAR, "S"), ("Y", FAR, ""), partner="Y")
    run = given(state, ATTACK, 5, 1, 1)
    assert of(run, Detected) == [Detected(force="Y", detection="S", why="strike")]


def unknown(state: State, name: str, hex: str) -> State:
    """Return a state with a level-0 force whose chit will prove to be a False Contact."""
    cup = dict.fromkeys(state.level_1_cup, 0) | {"False Contact": 3}
    return replace(with_force(state, name, hex), level_1_cup=cup)


def test_5_25_after_a_false_contact_any_force_of_its_hex_may_be_tried() -> None:
    state = unknown(far(("Y", "1120", "")), "W", "1119")
    state = with_force(state, "V", "1119", level=1, chit="Small")
    run = given(state, ATTACK, 4, picks=["W"])
    assert "W" not in run.state.forces
    assert len(of(run, ForceRemoved)) == 1
    assert options(run.state) == (Retry(target="V"), Stop())
    assert strike_of(run).hex == "1119"


def test_5_25_a_false_contact_alone_sends_the_strike_home() -> None:
    run = given(unknown(far(), "W", "1119"), ATTACK, 4)
    assert strike_of(run).is_flipped
    assert isinstance(run.state.frames[-1], LightsFrame)


def test_5_26_after_a_false_contact_by_w_0_the_first_target_may_be_tried() -> None:
    run = given(unknown(far(), "W", FAR), ATTACK, 5)
    assert options(run.state) == (Retry(target="X"), Stop())


# -- steps 2 to 7


def test_5_1_scenario_4_raises_the_level_and_the_strike_goes_home() -> None:
    state = strike_state(
        *ATTACKERS, ships=(), scenario="4", level=2, chit="Large Surface", detection="L"
    )
    run = given(state, ATTACK, CONTACT, 10)
    assert run.state.forces["X"].level == 3
    assert charts(run) == ["strike_contact", "l2_to_l3_surface"]


def test_5_1_a_carrier_force_is_surprised_then_fights_fires_and_is_attacked() -> None:
    state = strike_state(*ESCORTS[:2], *ATTACKERS)
    run = given(state, ATTACK, CONTACT, 1, 8, 3, 1, 1, 5)
    assert charts(run) == [
        "strike_contact",
        "surprise",
        "japanese_cap_strength",
        "us_air_to_air",
        "japanese_air_to_air",
        "japanese_air_to_air",
        "anti_aircraft_fire",
        "air_attack_die_rolls",
    ]
    assert isinstance(run.state.frames[-1], AimFrame)


def test_5_33_a_surface_force_is_not_surprised_and_has_no_cap() -> None:
    run = given(strike_state(*ATTACKERS, ships=SURFACE), ATTACK, CONTACT, 1)
    assert charts(run) == ["strike_contact", "anti_aircraft_fire", "air_attack_die_rolls"]


@pytest.mark.parametrize(
    ("die", "columns"),
    [(1, ["15"]), (8, ["<10"]), (10, [])],
)
def test_5_51_surprise_halves_or_forbids_the_flak(die: int, columns: list[str]) -> None:
    state = strike_state(*ATTACKERS, cap=0)  # 4 + 4 + 7 = 15
    run = given(state, ATTACK, *((CONTACT, die, 1) if columns == ["15"] else (CONTACT, die)))
    assert [read.column for read in reads(run, "anti_aircraft_fire")] == columns


def test_5_51_losses_are_drawn_before_aborts_and_spare_the_escorts() -> None:
    ships = ("yamato", "musashi", "kongo", "haruna", "cruiser-force-1")
    run = given(strike_state(*ESCORTS, *ATTACKERS, ships=ships), ATTACK, CONTACT, 10)
    assert reads(run, "anti_aircraft_fire")[0].column == "20"
    (loss,) = facts(run, UnitLost)
    assert loss == UnitLost(unit="hornet-b1", is_at_group=False, why="flak")
    assert of(run, UnitAborted) == [UnitAborted(unit="hornet-b2")]


def test_5_61_aborted_units_do_not_attack() -> None:
    ships = ("yamato", "musashi", "kongo", "haruna", "cruiser-force-1")
    run = given(strike_state(*ATTACKERS, ships=ships), ATTACK, CONTACT, 10)
    assert reads(run, "air_attack_die_rolls")[0].column == "26"  # (8 + 7) * 2


def test_5_61_a_strike_that_fought_nothing_attacks_with_double_value() -> None:
    run = given(strike_state(*ATTACKERS, ships=SURFACE), ATTACK, CONTACT, 1)
    (read,) = reads(run, "air_attack_die_rolls")
    assert (read.column, read.result) == ("50", "1/1/0/0")  # 29 * 2


def test_5_61_a_strike_that_fought_cap_attacks_with_its_value() -> None:
    run = given(strike_state(*ATTACKERS, cap=1), ATTACK, CONTACT, 1, 1, 1)
    assert reads(run, "air_attack_die_rolls")[0].column == "26"


def test_op_16_no_cap_generated_doubles() -> None:
    run = given(strike_state(*ATTACKERS, cap=0), ATTACK, CONTACT, 1, 1)
    assert reads(run, "air_attack_die_rolls")[0].column == "50"
    other = with_parts(strike_state(*ATTACKERS, cap=0), options={"doubled-attacks": "surprise"})
    run = given(other, ATTACK, CONTACT, 1, 1)
    assert reads(run, "air_attack_die_rolls")[0].column == "26"
    run = given(other, ATTACK, CONTACT, 10)
    assert reads(run, "air_attack_die_rolls")[0].column == "50"


def test_5_61_the_attack_costs_a_fuel_point() -> None:
    run = given(strike_state(*ATTACKERS, ships=SURFACE), ATTACK, CONTACT, 1)
    assert of(run, FuelSpent) == [FuelSpent(mission="strike-1", points=1, why="attack")]


def test_5_61_only_an_attack_that_cannot_be_paid_is_read_one_column_to_the_left() -> None:
    state = strike_state(*ATTACKERS, ships=SURFACE, mission={"fuel": -6})
    run = given(state, ATTACK, CONTACT, 1)
    assert not of(run, FuelSpent)
    assert reads(run, "air_attack_die_rolls")[0].column == "40"


def test_5_61_a_strike_without_attackers_attacks_nothing() -> None:
    run = given(strike_state(*ESCORTS, ships=SURFACE), ATTACK, CONTACT)
    assert charts(run) == ["strike_contact"]
    assert not of(run, FuelSpent)


def test_5_34_each_strike_rolls_surprise_and_meets_what_is_left_of_the_cap() -> None:
    state = strike_state(*ATTACKERS[:2])
    second = Mission(kind="strike", hex=HEX, fuel=8, groups=("58.1",))
    state = with_parts(
        state,
        missions={"strike-2": second},
        units={unit: AirUnit(place="mission", at="strike-2") for unit in ATTACKERS[2:]},
    )
    run = given(state, ATTACK, CONTACT, 1, 3, 1, 1)  # 3 CAP points
    assert run.state.forces["X"].cap == 3
    state = given(run.state, Done(), 1).state
    run = given(state, Attack(mission="strike-2", target="X"), CONTACT, 1, 1, 1)
    assert charts(run)[:3] == ["strike_contact", "surprise", "japanese_air_to_air"]
    assert reads(run, "japanese_air_to_air")[0].column == "6"


# -- aiming, D-5.61


def aiming(surprise: SurpriseWord = "none") -> State:
    frame = AimFrame(mission="strike-1", target="X", dice=(1, 0, 0), surprise=surprise)
    return at(strike_state(*ATTACKERS), frame)


def test_5_61_each_die_is_aimed_before_any_is_rolled() -> None:
    state = aiming()
    assert options(state) == (
        Aim(ship="shokaku"),
        Aim(ship="zuikaku"),
        Aim(ship="cruiser-force-8"),
        Done(),
    )
    run = given(state, Aim(ship="shokaku"))
    run = given(run.state, Aim(ship="zuikaku"))
    assert not reads(run)
    run = given(run.state, Aim(ship="shokaku"), 6, 8, 9)
    assert of(run, HullHit) == [
        HullHit(ship="shokaku", hits=4),  # 7: 1 hit, 9: 3
        HullHit(ship="zuikaku", hits=2),
    ]


def test_5_61_dice_go_to_ships_of_the_force() -> None:
    assert refusals(aiming(), Aim(ship="yamato")) == ("5.61",)


def test_d_5_61_the_rest_goes_to_the_carrier_with_the_most_capacity_left() -> None:
    state = with_parts(aiming(), hulls={"shokaku": Hull(force="X", hits=Hits(current=1))})
    run = given(state, Done(), 1, 1, 10)
    assert {read.about for read in reads(run, "air_attack_damage")} == {"zuikaku"}
    assert of(run, HullHit) == [HullHit(ship="zuikaku", hits=4)]


@pytest.mark.parametrize(
    ("ships", "best"),
    [
        (("chitose", "shokaku", "yamato"), "shokaku"),
        (("chitose", "yamato", "cruiser-force-8"), "chitose"),
        (("cruiser-force-8", "kongo", "yamato"), "yamato"),
        (("cruiser-force-1", "destroyer-force-1", "cruiser-force-8"), "cruiser-force-8"),
    ],
)
def test_d_5_61_carriers_come_before_battleships_and_screens(
    ships: tuple[str, ...], best: str
) -> None:
    frame = AimFrame(mission="strike-1", target="X", dice=(0,))
    run = given(at(strike_state(*ATTACKERS, ships=ships), frame), Done(), 1)
    assert reads(run, "air_attack_damage")[0].about == best


def test_5_3_surprise_adds_to_the_damage_of_carriers_alone() -> None:
    state = given(aiming(surprise="partial"), Aim(ship="shokaku")).state
    state = given(state, Aim(ship="cruiser-force-8")).state
    run = given(state, Done(), 5, 5, 5, picks=[])
    assert [sum(one.drm for one in read.modifiers) for read in reads(run, "air_attack_damage")] == [
        2,
        0,
        1,
    ]


def test_5_61_all_dice_go_to_the_only_ship() -> None:
    run = given(strike_state(*ATTACKERS, ships=("kongo",)), ATTACK, CONTACT, 9, 9, 1, 1)
    assert len(reads(run, "air_attack_damage")) == 4
    assert of(run, HullHit) == [HullHit(ship="kongo", hits=8, is_permanent=True)]


# -- lone crippled ships, OP-61


def lone(**options_: str) -> State:
    state = strike_state(*ATTACKERS, hex="0101", mission={"hex": HEX})
    hull = Hull(force="X", hex=HEX, hits=Hits(permanent=6))
    return with_parts(state, hulls={"shokaku": hull}, options=options_)


def test_op_61_a_lone_cripple_is_attacked_without_surprise_cap_or_flak() -> None:
    run = given(lone(), Attack(mission="strike-1", target="shokaku"), CONTACT, 1, 1, 1, 1)
    assert set(charts(run)) == {"strike_contact", "air_attack_die_rolls", "air_attack_damage"}
    assert reads(run, "air_attack_die_rolls")[0].column == "50"
    assert not of(run, Detected)


def test_op_61_other_reading_forbids_it() -> None:
    state = lone(**{"crippled-targets": "off"})
    assert refusals(state, Attack(mission="strike-1", target="shokaku")) == ("5.1",)


# -- Scenario 2


def test_4_451_the_return_flight_is_rolled_per_unit_after_all_attacks() -> None:
    state = strike_state(*ESCORTS[:1], *ATTACKERS[:1], scenario="2")
    state = with_parts(state, options={"return-flight": "on"})
    flying = [name for name, unit in state.units.items() if unit.place == "mission"]
    faces = [10 if state.game_data.air_units[unit].type == "SB2C" else 1 for unit in flying]
    run = running(state, *faces)
    fly_home(run)
    read = [one for one in run.events if isinstance(one, ChartRead)]
    assert len(read) == len(flying)
    boxes = {state.game_data.air_units[one.about].type: one.modifiers[0].drm for one in read}
    assert boxes == {"F6F": 2, "SB2C": 6, "TBM": 4, "TBF": 4, "SBD": 3}
    bombers = [unit for unit in flying if state.game_data.air_units[unit].type == "SB2C"]
    assert [event.unit for event in run.events if isinstance(event, UnitLost)] == bombers
    assert all(event.is_at_group for event in run.events if isinstance(event, UnitLost))


def test_4_451_without_the_option_nobody_flies_home() -> None:
    run = running(strike_state(*ATTACKERS, scenario="2"))
    fly_home(run)
    assert not run.events
