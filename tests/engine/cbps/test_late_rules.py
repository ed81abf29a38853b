"""Rules of chapters 11 to 24 between the procedures: what is never done, and what always holds."""

import pytest
from msgspec.structs import replace

from engine.cbps.damage.ch12_fires import spread_fires
from engine.cbps.enemy.ch07_cup import fill_cup
from engine.cbps.events.japan import OilersPlaced, PointsMoved
from engine.cbps.events.raids import RaidPlaced
from engine.cbps.events.turns import CupFilled
from engine.cbps.forces.ch20_refuelling import place_oilers
from engine.cbps.ids import GUAM, IWO_JIMA, US_SUBS, YAP
from engine.cbps.intelligence.ch13_commitment import recompute_commitment
from engine.cbps.raids.ch11_guam import activate_guam
from engine.cbps.search.ch08_attempts import attempt_modifiers
from engine.cbps.state import LandBase, State
from engine.cbps.submarines.ch14_japanese_submarines import resolve_japanese_submarines
from tests.engine.cbps.battle import battle, facts, reads, running, with_force, with_parts
from tests.engine.cbps.raiding import at_time, day, with_groups_at
from tests.engine.cbps.searching import fleet, searching

NEAR_GUAM = "1409"


def guam_raids() -> State:
    """Return a morning with TF 58 near Guam, whose base is at full strength."""
    state = with_groups_at(day(label="0930"), NEAR_GUAM)
    return replace(state, guam=LandBase(air_value=9, boxes={"aall": 9}))


def test_11_1_and_11_11_land_points_are_as_generic_as_naval_ones() -> None:
    """They are counted but not distinguished, and fly as land raids."""
    run = running(guam_raids(), 10, 5, 5, 5)
    activate_guam(run)
    (placed,) = [event for event in run.events if isinstance(event, RaidPlaced)]
    assert placed.is_land
    assert run.state.guam.boxes["raid-a"] == placed.points


def test_11_12_and_11_2_guam_raids_like_a_stationary_carrier() -> None:
    """It uses the chart of level 3 and 4 forces, and its points come from its boxes."""
    run = running(guam_raids(), 10, 5, 5, 5)
    activate_guam(run)
    assert [read.chart for read in reads(run)][:2] == [
        "air_raid_generation",
        "raid_strength_l3_l4_guam",
    ]
    moved = [event for event in run.events if isinstance(event, PointsMoved)]
    assert {event.owner for event in moved} == {GUAM}
    assert moved[0].source == "aall"


def test_12_32_each_fire_rolls_in_the_turn_end_phase() -> None:
    state = battle()
    state = with_parts(state, ships={"hornet": replace(state.ships["hornet"], fires=(1, 2))})
    run = running(state, 1, 1)
    spread_fires(run)
    assert [read.chart for read in reads(run)] == ["fire_spread", "fire_spread"]


def test_12_4_and_12_47_a_lone_crippled_ship_may_be_attacked_by_submarines() -> None:
    """It is alone, and the roll is for that ship (14.25)."""
    state = at_time(battle(), "0930")
    adrift = replace(state.ships["hornet"], group="", hex="1107", hits=6)
    run = running(with_parts(state, ships={"hornet": adrift}), 1)
    resolve_japanese_submarines(run)
    assert [(read.chart, read.about) for read in reads(run)] == [
        ("japanese_submarine_attack", "hornet")
    ]


def test_13_2_unrevealed_forces_do_not_affect_the_commitment_index() -> None:
    run = running(with_force(battle(), "A", "1118", level=1, chit="Large"))
    recompute_commitment(run)
    assert run.events == ()


@pytest.mark.parametrize(
    ("label", "are_in"),
    [
        pytest.param("0650", False, id="16.11-not-in-the-first-two-turns"),
        pytest.param("0810", True, id="16.1-from-0810"),
    ],
)
def test_base_chits_are_in_the_cup_from_0810(label: str, *, are_in: bool) -> None:
    run = running(at_time(battle(), label))
    fill_cup(run)
    (cup,) = [event for event in run.events if isinstance(event, CupFilled)]
    assert (IWO_JIMA in cup.chits, YAP in cup.chits) == (are_in, are_in)


def test_18_24_fighters_on_a_long_search_use_their_modifier() -> None:
    state = fleet(long_searches="on")
    state = searching(state, "hornet-f1", kind="long", moves=3, hex="1225", zone="far")
    state = with_force(state, "A", "1224", level=1, chit="Small")
    assert "fighter" in {one.id for one in attempt_modifiers(state, "search-1", "A")}


@pytest.mark.parametrize(
    ("label", "come"),
    [
        pytest.param("1730", False, id="20.1-not-before-the-night"),
        pytest.param("1850", True, id="20.2-with-the-1850-turn"),
    ],
)
def test_oilers_appear_on_schedule(label: str, *, come: bool) -> None:
    run = running(at_time(battle("8", refuelling="on"), label))
    place_oilers(run)
    assert bool(facts(run, OilersPlaced)) == come


def test_20_4_oilers_are_not_targets_and_do_not_move() -> None:
    """They are separate from the forces: no event about forces, strikes or submarines names them."""
    state = replace(battle("8", refuelling="on"), oilers={"A": "0723"})
    assert not {*state.oilers} & {*state.forces, *state.hulls, *state.groups}
    run = running(at_time(state, "2010"))
    place_oilers(run)
    assert run.events == ()


def test_24_3_without_submarines_the_cup_has_no_us_subs_chit() -> None:
    state = battle(without_submarines="on")
    assert state.boats == {}
    run = running(state)
    fill_cup(run)
    (cup,) = [event for event in run.events if isinstance(event, CupFilled)]
    assert US_SUBS not in cup.chits
