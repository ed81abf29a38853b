"""The US Air Attack Segment: contact and everything after it (5.1, 5.2, 5.5, 5.6)."""

import pytest
from msgspec.structs import replace

from engine.cbps.charts.results import SurpriseWord
from engine.cbps.commands import Aim, Attack, Done, Retry, Stop
from engine.cbps.events.air import (
    FuelSpent,
    MissionFlipped,
    MissionMoved,
    UnitLost,
)
from engine.cbps.events.base import CbpsEvent
from engine.cbps.events.chance import ChartRead, Chosen
from engine.cbps.events.japan import Detected, ForceRemoved, HullHit
from engine.cbps.frames import AimFrame, LightsFrame
from engine.cbps.ids import Detection
from engine.cbps.run import Run
from engine.cbps.state import AirUnit, Force, Hits, Hull, Mission, State
from engine.cbps.strikes.ch05_strikes import fly_home
from tests.engine.cbps.battle import (
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


def test_5_1_only_strike_missions_in_flight_attack() -> None:
    state = strike_state(*ATTACKERS)
    assert refusals(state, Attack(mission="strike-7", target="X")) == ("5.1",)
    state = with_parts(state, missions={"intercept-2": Mission(kind="intercept", hex=HEX, fuel=9)})
    assert refusals(state, Attack(mission="intercept-2", target="X")) == ("5.1",)


def test_6_1_commanders_order_only_their_own_strikes() -> None:
    state = strike_state(*ATTACKERS, mission={"commander": "us-2"})
    assert refusals(state, ATTACK) == ("6.1",)


def test_op_12_a_strike_on_guam_has_no_effect_and_is_flipped() -> None:
    guam = battle("6").game_data.map.guam
    state = strike_state(*ATTACKERS, mission={"hex": guam})
    run = given(state, Attack(mission="strike-1", target="Guam"))
    assert of(run, MissionFlipped) == [MissionFlipped(mission="strike-1")]
    assert not reads(run)


# -- contact, 5.2


def test_5_21_scenario_2_contact_uses_the_ten_hex_column() -> None:
    run = given(strike_state(*ATTACKERS, ships=SURFACE, scenario="2"), ATTACK, 10, 1)
    assert reads(run, "strike_contact")[0].column == "10-12"


def test_5_22_stopping_forfeits_the_second_attempt() -> None:
    state = given(strike_state(*ATTACKERS), ATTACK, 1).state
    run = given(state, Stop())
    assert strike_of(run).is_flipped
    assert not reads(run)


@pytest.mark.parametrize(("fuel", "is_asked"), [(-5, True), (-6, False)])
def test_op_7_a_second_attempt_requires_enough_fuel(fuel: int, is_asked: bool) -> None:
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
def test_5_24_without_another_force_a_wrong_target_result_finds_the_target(die: int) -> None:
    run = given(far(), ATTACK, die, 1)
    assert of(run, Detected) == [Detected(force="X", detection="S", why="strike")]


def test_5_25_moving_to_the_wrong_target_costs_no_fuel() -> None:
    run = given(far(("Y", "1120", "")), ATTACK, 4, 1, 1, 1)
    assert of(run, MissionMoved) == [
        MissionMoved(mission="strike-1", hex="1120", why="wrong-target")
    ]
    assert of(run, Detected) == [Detected(force="Y", detection="S", why="strike")]
    assert [event.why for event in facts(run, FuelSpent) if isinstance(event, FuelSpent)] == [
        "attack"
    ]


def test_op_11_other_ruling_charges_fuel_for_the_move() -> None:
    state = with_parts(far(("Y", "1120", "")), options={"wrong-target-fuel": "paid"})
    run = given(state, ATTACK, 4, 1, 1, 1)
    assert len(of(run, FuelSpent)) == 2


def test_5_24_a_force_three_hexes_away_cannot_be_the_wrong_target() -> None:
    run = given(far(("Y", "1121", "")), ATTACK, 4, 1)
    assert not of(run, MissionMoved)


def test_5_24_wrong_target_is_a_detected_force_first_then_the_nearest() -> None:
    run = given(far(("Y", "1119", ""), ("Z", "1120", "?")), ATTACK, 4, 1, 1, 1)
    assert strike_of(run).hex == "1120"
    run = given(far(("Y", "1119", ""), ("Z", "1120", "")), ATTACK, 4, 1, 1, 1)
    assert strike_of(run).hex == "1119"


def test_5_24_equal_wrong_targets_are_chosen_at_random() -> None:
    state = far(("Y", "1119", ""), ("Z", "1117", ""))
    run = given(state, ATTACK, 4, 1, 1, 1, picks=["Z"])
    assert strike_of(run).hex == "1117"
    assert of(run, Chosen)[0] == Chosen(rule="5.24", about="X", among=2, one="Z")


def test_5_26_w_0_selects_only_another_force_in_the_same_hex() -> None:
    run = given(far(("Y", "1119", "S")), ATTACK, 5, 1)
    assert of(run, Detected) == [Detected(force="X", detection="S", why="strike")]
    run = given(far(("Y", FAR, "")), ATTACK, 5, 1, 1)
    assert of(run, Detected) == [Detected(force="Y", detection="S", why="strike")]


def unknown(state: State, name: str, hex: str) -> State:
    """Return a state with a level-0 force whose chit will prove to be a False Contact."""
    cup = dict.fromkeys(state.level_1_cup, 0) | {"False Contact": 3}
    return replace(with_force(state, name, hex), level_1_cup=cup)


def test_5_25_after_a_false_contact_another_force_in_its_hex_may_be_attacked() -> None:
    state = unknown(far(("Y", "1120", "")), "W", "1119")
    state = with_force(state, "V", "1119", level=1, chit="Small")
    run = given(state, ATTACK, 4, picks=["W"])
    assert "W" not in run.state.forces
    assert len(of(run, ForceRemoved)) == 1
    assert options(run.state) == (Retry(target="V"), Stop())
    assert strike_of(run).hex == "1119"


def test_5_25_a_false_contact_alone_in_its_hex_sends_the_strike_home() -> None:
    run = given(unknown(far(), "W", "1119"), ATTACK, 4)
    assert strike_of(run).is_flipped
    assert isinstance(run.state.frames[-1], LightsFrame)


def test_5_26_after_a_w_0_false_contact_the_original_target_may_be_attacked() -> None:
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


def test_5_33_a_surface_force_is_never_surprised_and_has_no_cap() -> None:
    run = given(strike_state(*ATTACKERS, ships=SURFACE), ATTACK, CONTACT, 1)
    assert charts(run) == ["strike_contact", "anti_aircraft_fire", "air_attack_die_rolls"]


@pytest.mark.parametrize(
    ("die", "columns"),
    [(1, ["15"]), (8, ["<10"]), (10, [])],
)
def test_5_51_surprise_halves_or_prevents_flak(die: int, columns: list[str]) -> None:
    state = strike_state(*ATTACKERS, cap=0)  # 4 + 4 + 7 = 15
    run = given(state, ATTACK, *((CONTACT, die, 1) if columns == ["15"] else (CONTACT, die)))
    assert [read.column for read in reads(run, "anti_aircraft_fire")] == columns


def test_op_16_attack_is_doubled_if_no_cap_was_generated() -> None:
    run = given(strike_state(*ATTACKERS, cap=0), ATTACK, CONTACT, 1, 1)
    assert reads(run, "air_attack_die_rolls")[0].column == "50"
    other = with_parts(strike_state(*ATTACKERS, cap=0), options={"doubled-attacks": "surprise"})
    run = given(other, ATTACK, CONTACT, 1, 1)
    assert reads(run, "air_attack_die_rolls")[0].column == "26"
    run = given(other, ATTACK, CONTACT, 10)
    assert reads(run, "air_attack_die_rolls")[0].column == "50"


def test_5_61_only_an_attack_without_fuel_shifts_one_column_left() -> None:
    state = strike_state(*ATTACKERS, ships=SURFACE, mission={"fuel": -6})
    run = given(state, ATTACK, CONTACT, 1)
    assert not of(run, FuelSpent)
    assert reads(run, "air_attack_die_rolls")[0].column == "40"


def test_5_34_each_strike_rolls_for_surprise_and_meets_the_remaining_cap() -> None:
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


def test_5_61_all_dice_are_aimed_before_any_is_rolled() -> None:
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


def test_5_3_surprise_adds_damage_to_carriers_only() -> None:
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


def test_op_61_other_ruling_forbids_attacks_on_lone_cripples() -> None:
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


def test_4_451_without_the_option_there_is_no_return_flight_roll() -> None:
    run = running(strike_state(*ATTACKERS, scenario="2"))
    fly_home(run)
    assert not run.events
