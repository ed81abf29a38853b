"""Retirement, towed cripples and refuelling (19, 12.42-12.43, 20)."""

import pytest
from msgspec.structs import replace

from engine.cbps.enemy.ch07_activation import activate_chit
from engine.cbps.enemy.ch07_movement import move_force
from engine.cbps.events.japan import (
    ForceFuel,
    ForceRemoved,
    ForceRetires,
    HullExited,
    HullLeft,
)
from engine.cbps.forces.ch12_cripples import tow_force_hulls, tow_lone_hulls
from engine.cbps.forces.ch12_hits import hit_hull
from engine.cbps.forces.ch19_retirement import check_retirement, separate_halves
from engine.cbps.forces.ch20_refuelling import (
    begin_retirement,
    cancel_refuelling,
    place_oilers,
    refuel,
)
from engine.cbps.state import Hits, Hull, State
from tests.engine.cbps.battle import battle, facts, force_of, reads, running, with_force, with_parts

EVENING = 10
"""The 1850 turn of 19 June in Scenario 8."""
AFTERNOON = 24
"""The 1330 turn of 20 June in Scenario 8."""


def fleet_at(hex: str, scenario: str = "6", **options: str) -> State:
    state = battle(scenario, **options)
    groups = {name: replace(group, hex=hex) for name, group in state.groups.items()}
    return replace(state, turn=2, groups=groups, boats={}, mission_die=5)


def of_ships(ships: dict[str, Hull], *, level: int = 4, **options: str) -> State:
    """Return Butai 1 with ships."""
    state = fleet_at("1108", **{"retirement": "on", **options})
    carriers = tuple(one for one in ships if state.game_data.japanese_ships[one].is_carrier)
    state = with_force(
        state,
        *("1", "1520"),
        level=level,
        chit="2 CV" if carriers else "surface",
        is_carrier=bool(carriers),
        is_butai=bool(carriers),
        first_carriers=carriers,
    )
    return with_parts(state, hulls=ships)


SOUND = Hull(force="1")
CRIPPLED = Hull(force="1", hits=Hits(current=6))
SUNK = Hull(force="1", fate="sunk")


# -- when: 19.1


@pytest.mark.parametrize(
    ("ships", "level", "retires"),
    [
        ({"shokaku": CRIPPLED, "zuikaku": SUNK}, 4, True),
        ({"shokaku": CRIPPLED, "zuikaku": SOUND}, 4, False),
        ({"shokaku": CRIPPLED, "zuikaku": Hull(force="1", hex="1521")}, 4, True),
        ({"cruiser-force-1": SUNK, "destroyer-force-1": SOUND}, 3, True),
        ({"kongo": SOUND, "cruiser-force-1": SUNK}, 3, False),
        ({"destroyer-force-1": SUNK, "cruiser-force-1": SOUND}, 3, False),
    ],
)
def test_19_1_a_beaten_force_retires(ships: dict[str, Hull], level: int, retires: bool) -> None:
    """A force retires if all its carriers are out of action, or a cruiser unit if there is no battleship."""
    run = running(of_ships(ships, level=level))
    check_retirement(run, "1")
    assert run.state.forces["1"].is_retiring is retires


def test_19_1_no_force_retires_without_the_rule() -> None:
    """19.0 is optional."""
    run = running(of_ships({"shokaku": SUNK}, retirement="off"))
    check_retirement(run, "1")
    assert run.events == ()


def test_19_1_retirement_persists_through_9_13() -> None:
    """This is tested before the force becomes a surface force."""
    run = running(of_ships({"shokaku": CRIPPLED, "haruna": SOUND}))
    hit_hull(run, "shokaku", 99, is_permanent=True)
    assert force_of(run, "A").is_retiring
    assert facts(run, ForceRetires) == (ForceRetires(force="1", why="losses"),)


def test_19_4_halves_separate_when_one_retires() -> None:
    """They are independent from then on."""
    state = of_ships({"shokaku": SUNK, "haruna": SOUND})
    state = with_force(state, "B", "1520", partner="1")
    state = with_parts(state, forces={"1": replace(state.forces["1"], partner="B")})
    run = running(state)
    check_retirement(run, "1")
    assert {force.partner for force in run.state.forces.values()} == {""}
    separate_halves(run, "1")
    assert len(facts(run, ForceRetires)) == 1


# -- how: 19.2, 19.3


def retiring(hex: str, us: str = "1108", **fields: object) -> State:
    return with_force(fleet_at(us), "A", hex, is_retiring=True, **fields)


@pytest.mark.parametrize(
    ("hex", "us", "die", "to"),
    [
        ("1520", "1108", 5, "1521"),  # W, opposite of E
        ("1520", "1108", 1, "1620"),  # SE, opposite of NW
        ("1113", "1108", 5, "1114"),  # W leads away
        ("1113", "1108", 1, "1214"),  # SE does not; SW is nearest to it of those that do
    ],
)
def test_19_2_a_retiring_force_moves_against_the_compass_or_away(
    hex: str, us: str, die: int, to: str
) -> None:
    """Within 8 hexes of a group it only moves away, as close to that direction as possible."""
    run = running(replace(retiring(hex, us), mission_die=die))
    move_force(run, "A")
    assert run.state.forces["A"].hex == to


def test_19_2_retirement_moves_away_from_every_us_group() -> None:
    """The Battle Line is to the west, so that NE and SE are as close to W as possible."""
    state = retiring("1520")
    groups = {"58.7": replace(state.groups["58.7"], hex="1521")}
    run = running(with_parts(state, groups=groups), picks=["SE"])
    move_force(run, "A")
    assert run.state.forces["A"].hex == "1620"


def test_19_2_a_retiring_force_without_a_legal_move_stays() -> None:
    """The Battle Line and a carrier group block all ways that lead away."""
    state = retiring("1520", "2408")
    places = {"58.1": "1519", "58.2": "1420", "58.3": "1620", "58.7": "1521"}
    groups = {name: replace(state.groups[name], hex=hex) for name, hex in places.items()}
    run = running(with_parts(state, groups=groups), picks=["1521"])
    move_force(run, "A")
    assert run.state.forces["A"].hex == "1520"


def test_19_4_a_retired_force_leaves_the_map_without_scoring() -> None:
    """Its ships leave with it."""
    state = retiring("1530", level=3, chit="surface")
    run = running(with_parts(state, hulls={"kongo": Hull(force="A")}))
    move_force(run, "A")
    assert facts(run, HullExited) == (HullExited(ship="kongo"),)
    assert facts(run, ForceRemoved) == (ForceRemoved(force="A", why="retired", is_gone=True),)


def test_19_4_a_force_retiring_from_the_invasion_zone_scores() -> None:
    """It is driven off the east edge by a group to the west (15.11)."""
    state = retiring("1001", "1003", level=3, chit="surface")
    run = running(with_parts(state, hulls={"kongo": Hull(force="A")}))
    move_force(run, "A")
    assert facts(run, HullExited) == (HullExited(ship="kongo", is_vp_exit=True),)


# -- cripples: 12.42, 12.43


def adrift(force: str, **fields: object) -> State:
    state = with_force(fleet_at("1108"), "A", "1720", level=3, chit="surface")
    hull = Hull(force=force, hex="1520", hits=Hits(current=6))
    return with_parts(replace(state, **fields), hulls={"shokaku": hull})


@pytest.mark.parametrize(("turn", "to"), [(0, "1521"), (2, "1520"), (3, "1521")])
def test_12_43_a_cripple_is_towed_with_its_force_in_turns_ending_in_30(turn: int, to: str) -> None:
    """It moves at 0530 and 0930, but not at 0810, in the direction of retirement."""
    run = running(adrift("A", turn=turn))
    tow_force_hulls(run, "A")
    assert run.state.hulls["shokaku"].hex == to


def test_12_43_a_cripple_without_its_force_is_towed_first() -> None:
    """OP-45; a force in play tows its own cripples."""
    run = running(adrift("", turn=3))
    tow_force_hulls(run, "A")
    assert run.events == ()
    tow_lone_hulls(run)
    assert facts(run, HullLeft) == (HullLeft(ship="shokaku", hex="1521"),)
    run = running(adrift("A", turn=3))
    tow_lone_hulls(run)
    assert run.events == ()


def test_12_43_a_towed_cripple_may_leave_the_map() -> None:
    """This scores no points."""
    state = adrift("")
    hull = replace(state.hulls["shokaku"], hex="1530")
    run = running(with_parts(state, hulls={"shokaku": hull}))
    tow_lone_hulls(run)
    assert facts(run, HullExited) == (HullExited(ship="shokaku"),)


# -- refuelling: 20


def night(turn: int = EVENING, **fields: object) -> State:
    """Return Scenario 8 with oilers and Force A in the West."""
    state = fleet_at("1108", "8", refuelling="on")
    oilers = {"A": "0723", "B": "1025", "C": "1424"}
    return with_force(replace(state, turn=turn, oilers=oilers), "A", "1020", **fields)


@pytest.mark.parametrize(("scenario", "on"), [("8", "off"), ("6", "on"), ("9", "on")])
def test_20_0_oilers_appear_only_in_scenario_8_with_the_rule(scenario: str, on: str) -> None:
    """No other scenario has them."""
    run = running(replace(fleet_at("1108", scenario, refuelling=on), turn=EVENING))
    place_oilers(run)
    assert run.events == ()


def test_20_8_oilers_leave_at_1330() -> None:
    """After that every force retires normally."""
    state = night(AFTERNOON, fuel="wants", oiler="1025", is_retiring=True)
    run = running(with_force(state, "B", "1010"))
    place_oilers(run)
    assert run.state.oilers == {}
    begin_retirement(run, ("A",))
    assert facts(run, ForceFuel) == (ForceFuel(force="A", fuel="given-up", is_over=True),)
    assert run.state.forces["A"].fuel == "given-up"
    begin_retirement(run, ("B",))
    assert run.state.forces["B"].is_retiring, "in the East as well"


def test_20_5_a_force_in_the_west_moves_to_the_nearest_oiler() -> None:
    """It retires, but first goes straight to the oiler. The choice is kept."""
    run = running(night())
    begin_retirement(run, ("A",))
    force = run.state.forces["A"]
    assert (force.is_retiring, force.fuel, force.oiler) == (True, "wants", "0723")
    begin_retirement(run, ("A",))
    assert len(facts(run, ForceFuel)) == 1
    move_force(run, "A")
    assert run.state.forces["A"].hex in run.state.game_data.map.grid.steps_toward("1020", "0723")


def waiting(**forces: int) -> State:
    """Return forces that wait at the oiler in 1025, in this order."""
    state = night()
    for name, queue in forces.items():
        state = with_force(
            state, name, "1025", fuel="wants", oiler="1025", queue=queue, is_retiring=True
        )
    return state


def test_20_61_forces_queue_in_order_of_entry() -> None:
    """Entering the hex puts a force at the end of the line."""
    state = waiting(B=1)
    state = with_force(state, "A", "1024", fuel="wants", oiler="1025", is_retiring=True)
    run = running(state)
    move_force(run, "A")
    assert run.state.forces["A"].queue == 2
    move_force(run, "A")
    assert run.state.forces["A"].hex == "1025", "it stays until it has refuelled"


@pytest.mark.parametrize(("die", "fuel"), [(4, "refuelled"), (5, "wants")])
def test_20_61_only_the_first_in_the_queue_refuels_on_1_to_4(die: int, fuel: str) -> None:
    """The others wait."""
    run = running(waiting(B=1, C=2), die)
    refuel(run, "C")
    assert run.events == ()
    refuel(run, "B")
    assert run.state.forces["B"].fuel == fuel


def test_20_61_one_attempt_per_oiler_and_phase() -> None:
    """The next in line waits for the next phase, though the first has succeeded."""
    run = running(waiting(B=1, C=2), 4)
    refuel(run, "B")
    refuel(run, "C")
    assert len(reads(run, "refuel")) == 1
    assert run.state.forces["C"].fuel == "wants"


@pytest.mark.parametrize(("hits", "fuel"), [(7, "wants"), (6, "refuelled")])
def test_20_61_without_taiho_fewer_rolls_succeed(hits: int, fuel: str) -> None:
    """With Taiho crippled by 7 of 9 hits: 1-3."""
    state = with_parts(waiting(B=1), hulls={"taiho": Hull(force="1", hits=Hits(current=hits))})
    run = running(state, 4)
    refuel(run, "B")
    assert run.state.forces["B"].fuel == fuel


def test_20_6_a_double_force_refuels_as_one_force() -> None:
    """Both halves have refuelled, and continue together."""
    state = waiting(B=1, C=1)
    forces = state.forces
    state = with_parts(
        state,
        forces={"B": replace(forces["B"], partner="C"), "C": replace(forces["C"], partner="B")},
    )
    run = running(state, 2)
    refuel(run, "B")
    assert {run.state.forces[name].fuel for name in "BC"} == {"refuelled"}


def test_20_5_halves_retiring_together_use_the_same_oiler() -> None:
    """Both go to the same oiler."""
    state = with_force(night(partner="B"), "B", "1020", partner="A")
    run = running(state)
    begin_retirement(run, ("A", "B"))
    assert [run.state.forces[name].partner for name in "AB"] == ["B", "A"]
    assert {run.state.forces[name].oiler for name in "AB"} == {"0723"}


def test_20_7_a_force_located_by_an_air_search_gives_up_refuelling() -> None:
    """From then on it retires normally, by the compass."""
    run = running(waiting(B=1))
    cancel_refuelling(run, "B")
    cancel_refuelling(run, "B")
    assert facts(run, ForceFuel) == (ForceFuel(force="B", fuel="given-up"),)
    move_force(run, "B")
    assert run.state.forces["B"].hex != "1025"


def test_20_6_a_refuelled_force_moves_in_the_same_activation() -> None:
    """It refuels, then makes its retirement movement."""
    run = running(waiting(B=1), 1)
    activate_chit(run, "B")
    assert run.state.forces["B"].fuel == "refuelled"
    assert run.state.forces["B"].hex != "1025"
