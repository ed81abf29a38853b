"""Surprise, CAP and its combat with strikes (4.53-4.57, 5.3, 5.4)."""

import pytest

from engine.cbps.events.air import MissionEnded, UnitAborted, UnitLost
from engine.cbps.events.japan import CapGenerated, CapLost
from engine.cbps.run import Run
from engine.cbps.state import Hits, Hull
from engine.cbps.strikes.ch05_cap import cap_against_strike, roll_surprise, strike_combat
from engine.cbps.strikes.ch05_strikes import end_us_attack
from tests.engine.cbps.battle import facts, reads, running, with_parts
from tests.engine.cbps.strikes import ATTACKERS, ESCORTS, strike_state

BOTH = (*ESCORTS, *ATTACKERS)


def fight(*units: str, cap: int, faces: tuple[int, ...], fuel: int = 8, **options: str) -> Run:
    """Return the combat of Strike 1 with the given number of CAP points."""
    state = strike_state(*units, cap=cap, mission={"fuel": fuel})
    chosen = {name.replace("_", "-"): value for name, value in options.items()}
    run = running(with_parts(state, options=chosen), *faces)
    strike_combat(run, "strike-1", "X", cap)
    return run


def columns(run: Run) -> list[tuple[str, str]]:
    return [(read.chart, read.column) for read in reads(run)]


def drms(run: Run, chart: str) -> list[list[tuple[str, int]]]:
    return [[(one.id, one.drm) for one in read.modifiers] for read in reads(run, chart)]


def lost(run: Run) -> list[str]:
    return [event.unit for event in facts(run, UnitLost) if isinstance(event, UnitLost)]


# -- surprise, 5.3


@pytest.mark.parametrize(
    ("advantage", "raids", "modifiers", "word"),
    [
        (False, 1, [], "none"),
        (True, 1, [("us_advantage", 2)], "partial"),
        (False, 0, [("no_raid_yet", 1)], "partial"),
        (True, 0, [("us_advantage", 2), ("no_raid_yet", 1)], "complete"),
    ],
)
def test_5_32_modifiers_of_surprise_add_up(
    advantage: bool, raids: int, modifiers: list[tuple[str, int]], word: str
) -> None:
    run = running(strike_state(*BOTH, has_advantage=advantage, raids=raids), 7)
    assert roll_surprise(run, "X") == word
    assert drms(run, "surprise") == [modifiers]


# -- generation, 5.41, 5.43


def test_5_41_cap_is_read_at_the_net_air_value() -> None:
    run = running(strike_state(*BOTH, boxes={"s1": 4, "lost": 2}), 5)
    assert cap_against_strike(run, "X", "none") == 2
    assert columns(run) == [("japanese_cap_strength", "12")]  # 20 - 6
    assert facts(run, CapGenerated) == (CapGenerated(force="X", points=2),)


def test_5_41_zero_net_air_value_can_still_give_cap() -> None:
    run = running(strike_state(*BOTH, boxes={"lost": 30}), 10)
    assert cap_against_strike(run, "X", "none") == 1
    assert columns(run) == [("japanese_cap_strength", "0")]


def test_5_31_partial_surprise_lowers_the_cap() -> None:
    run = running(strike_state(*BOTH), 5)
    assert cap_against_strike(run, "X", "partial") == 2
    assert drms(run, "japanese_cap_strength") == [[("surprise_partial", -3)]]


def test_op_14_later_strikes_meet_cap_that_surprise_denied_to_the_first() -> None:
    run = running(strike_state(*BOTH), 10)
    assert cap_against_strike(run, "X", "complete") == 0
    assert not run.events
    assert cap_against_strike(run, "X", "none") == 6
    assert cap_against_strike(run, "X", "complete") == 0  # 5.34: that strike meets none


def test_op_14_other_ruling_gives_no_cap_for_the_rest_of_the_phase() -> None:
    state = with_parts(strike_state(*BOTH), options={"cap-after-surprise": "off"})
    run = running(state)
    assert cap_against_strike(run, "X", "complete") == 0
    assert cap_against_strike(run, "X", "none") == 0
    assert facts(run) == (CapGenerated(force="X", points=0),)


@pytest.mark.parametrize(("force", "points"), [("A", 2), ("B", 5), ("C", 3)])
def test_5_41_scenario_2_has_fixed_cap(force: str, points: int) -> None:
    run = running(strike_state(*BOTH, scenario="2"))
    assert cap_against_strike(run, force, "partial") == points
    assert not reads(run)


@pytest.mark.parametrize(
    ("ships", "points"),
    [
        (("zuikaku", "kongo"), 2),
        (("junyo", "chitose"), 2),
        (("zuikaku", "junyo", "chitose"), 3),
    ],
)
def test_5_41_scenario_5_cap_depends_on_carrier_count(ships: tuple[str, ...], points: int) -> None:
    run = running(strike_state(*BOTH, ships=ships, scenario="5"))
    assert cap_against_strike(run, "X", "none") == points


# -- combat, 4.53


def test_4_53_one_cap_point_engages_two_escorts_and_the_rest_attack() -> None:
    run = fight(*BOTH, cap=3, faces=(5, 1, 1))
    assert columns(run) == [
        ("us_air_to_air", "4"),
        ("japanese_air_to_air", "2"),
        ("japanese_air_to_air", "1"),
    ]


def test_op_10_an_odd_escort_is_rounded_up() -> None:
    run = fight(*ESCORTS[:3], *ATTACKERS, cap=2, faces=(2, 1))
    assert columns(run) == [("us_air_to_air", "3"), ("japanese_air_to_air", "2")]


def test_4_55_escorts_eliminate_at_most_the_cap_points_they_fight() -> None:
    run = fight(*BOTH, cap=3, faces=(10, 1, 1))
    assert facts(run, CapLost) == (CapLost(force="X", points=2),)
    force = run.state.forces["X"]
    assert (force.cap, force.boxes["lost"]) == (1, 2)  # 5.42


def test_4_57_a_surviving_point_breaks_through_to_the_attackers() -> None:
    run = fight(*BOTH, cap=2, faces=(1, 7, 8))  # one point killed, A; then A against the attackers
    assert columns(run) == [
        ("us_air_to_air", "4"),
        ("japanese_air_to_air", "2"),
        ("japanese_air_to_air", "1"),
    ]
    assert facts(run, UnitAborted) == (UnitAborted(unit="hornet-b1"),)


def test_4_57_no_point_breaks_through_when_none_survives() -> None:
    run = fight(*BOTH, cap=1, faces=(1, 8))  # one point killed, A
    assert len(reads(run)) == 2


def test_4_56_an_escort_is_eliminated_at_random() -> None:
    run = fight(*BOTH, cap=2, faces=(1, 9))
    assert lost(run) == ["hornet-f1"]


def test_4_53_unengaged_cap_points_have_no_target_without_attackers() -> None:
    run = fight(*ESCORTS[:2], cap=3, faces=(1, 1))
    assert len(reads(run)) == 2


def test_4_54_a_mission_ends_when_its_last_unit_is_eliminated() -> None:
    run = fight(ATTACKERS[0], cap=5, faces=(10,))
    assert facts(run, MissionEnded) == (MissionEnded(mission="strike-1"),)


def test_5_42_escorts_fire_back_at_minus_one() -> None:
    run = fight(*BOTH, cap=2, faces=(4, 1))
    assert drms(run, "us_air_to_air") == [[("strike_escort_vs_cap", -1)]]
    assert drms(run, "japanese_air_to_air") == [[]]


def test_op_67_other_ruling_adds_the_modifier_against_fighters() -> None:
    run = fight(*BOTH, cap=2, faces=(4, 1), escort_modifier="both")
    assert drms(run, "us_air_to_air") == [
        [("strike_escort_vs_cap", -1), ("target_is_fighters", -1)]
    ]


def test_4_45_fuel_critical_units_fight_worse() -> None:
    run = fight(*BOTH, cap=2, faces=(4, 1), fuel=0)
    assert ("us_fuel_critical", -2) in drms(run, "us_air_to_air")[0]
    assert drms(run, "japanese_air_to_air") == [[("target_fuel_critical", 2)]]


def test_24_4_newer_aircraft_fight_better() -> None:
    run = fight(*BOTH, cap=2, faces=(4, 1), new_aircraft="on")
    assert ("variant_24_4", -1) in drms(run, "us_air_to_air")[0]
    assert drms(run, "japanese_air_to_air") == [[("variant_24_4", 1)]]


def test_5_42_scenario_9_applies_the_skilled_aircrews_modifier() -> None:
    state = strike_state(*BOTH, cap=2, scenario="9")
    run = running(state, 5, 1)
    strike_combat(run, "strike-1", "X", 2)
    assert ("skilled_aircrews", -1) in drms(run, "us_air_to_air")[0]
    assert drms(run, "japanese_air_to_air") == [[("skilled_aircrews", 1)]]


# -- the end of the segment, 5.44, 12.29


def test_12_29_cap_without_a_usable_deck_is_lost() -> None:
    state = with_parts(
        strike_state(*BOTH, cap=3),
        hulls={
            "shokaku": Hull(force="X", hits=Hits(current=4)),
            "zuikaku": Hull(force="X", hits=Hits(current=2, previous=2)),
        },
    )
    run = running(state)
    end_us_attack(run)
    assert facts(run) == (CapLost(force="X", points=3, is_deckless=True),)
    assert run.state.forces["X"].boxes["lost"] == 3
    end_us_attack(run)
    assert len(run.events) == 1
