"""Movement of Japanese forces (7.2, 12.41, 12.45, 12.46)."""

import pytest
from msgspec.structs import replace

from engine.cbps.enemy.ch07_movement import exit_map, move_force
from engine.cbps.events.fleet import ShipHit
from engine.cbps.events.japan import ForceMoved, ForceRemoved, HullExited, HullLeft
from engine.cbps.force_ids import counter_of
from engine.cbps.forces.ch12_cripples import leave_cripples, sink_lone_cripples
from engine.cbps.run import Run
from engine.cbps.state import Group, Hits, Hull, State, UsShip
from tests.engine.cbps.battle import (
    battle,
    facts,
    force_of,
    name_after,
    running,
    with_force,
    with_parts,
)


def fleet_at(hex: str, **options: str) -> State:
    """Return Scenario 6 in daylight with the whole US fleet in one hex and no boats."""
    state = battle("6", **options)
    groups = {name: replace(group, hex=hex) for name, group in state.groups.items()}
    return replace(state, turn=2, phase=1, groups=groups, boats={}, mission_die=5)


def moved(
    state: State, *, die: int = 5, picks: tuple[str, ...] = (), name: str = "A"
) -> tuple[Run, str]:
    """Move Force A. Return the run and the force's hex."""
    run = running(replace(state, mission_die=die), picks=picks)
    move_force(run, name)
    return run, run.state.forces[name].hex if name in run.state.forces else ""


def raider(hex: str, us: str, **fields: object) -> State:
    """Return a level-2 carrier force that has launched a raid."""
    return with_force(
        fleet_at(us), "A", hex, level=2, chit="2-3 Carriers", is_carrier=True, raids=1, **fields
    )


# -- mission movement: 7.22


@pytest.mark.parametrize(
    ("die", "to"), [(1, "1421"), (2, "1621"), (3, "1420"), (5, "1519"), (10, "1620")]
)
def test_7_22_zone_compass_gives_the_direction(die: int, to: str) -> None:
    """Zone W: NW, SW, NE, E and SE."""
    run, hex = moved(with_force(fleet_at("1108"), "A", "1520"), die=die)
    assert hex == to
    (fact,) = facts(run, ForceMoved)
    assert isinstance(fact, ForceMoved)
    assert (fact.why, fact.heading) == ("mission", run.state.forces["A"].heading)


def test_7_24_mission_movement_does_not_enter_a_hex_with_us_ships() -> None:
    """It stays, and it has no last move."""
    state = with_force(fleet_at("1519"), "A", "1520", heading="E")
    run, hex = moved(state, die=5)
    assert hex == "1520"
    assert run.state.forces["A"].heading is None


def test_7_25_islands_do_not_block_movement() -> None:
    """Yap may be entered."""
    _, hex = moved(with_force(fleet_at("1108"), "A", "2220"), die=3)
    assert hex == "2219"


# -- the invasion zone: 7.23


def test_7_23_in_the_invasion_zone_a_force_heads_east() -> None:
    """This holds for any force, whatever is near."""
    state = with_force(fleet_at("1108"), "A", "1003", level=1, chit="Surface")
    assert moved(state)[1] == "1002"


def test_7_23_a_force_exiting_the_map_does_not_return() -> None:
    """It rises to its maximum level, its ships score, and its counter does not return (15.11, OP-71)."""
    state = with_force(fleet_at("1108"), "A", "1001", level=2, chit="Large Surface")
    run = running(replace(state, mission_die=5), 5, picks=["kongo", "cruiser-force-3"])
    move_force(run, "A")
    assert facts(run, HullExited) == (
        HullExited(ship="kongo", is_vp_exit=True),
        HullExited(ship="cruiser-force-3", is_vp_exit=True),
    )
    assert facts(run, ForceRemoved) == (ForceRemoved(force="A", why="exit", is_gone=True),)
    assert run.state.gone_letters == ("A",)


def test_7_23_other_ruling_allows_an_exited_counter_to_return() -> None:
    """OP-71, the alternative."""
    state = with_force(
        fleet_at("1108", exited_counters="on"), "A", "1001", level=2, chit="Small Surface"
    )
    run = running(state, 1, picks=["destroyer-force-1"])
    move_force(run, "A")
    assert run.state.gone_letters == ()


def test_7_23_a_false_contact_exiting_the_map_can_be_reused() -> None:
    """Its counter may arrive again."""
    run = running(with_force(fleet_at("1108"), "A", "1001"), picks=["False Contact"])
    move_force(run, "A")
    assert facts(run, ForceRemoved) == (ForceRemoved(force="A", why="false-contact"),)


def test_7_231_a_force_bypasses_a_us_group_to_the_east() -> None:
    """It goes NE or SE at random."""
    state = with_force(fleet_at("1002"), "A", "1003")
    assert moved(state, picks=("1102",))[1] == "1102"
    assert moved(state, picks=("0902",))[1] == "0902"


def test_7_231_a_bypass_off_the_map_counts_as_an_exit() -> None:
    """From 1002 both ways are on the map and one is occupied; from a hex with no way it stays."""
    state = fleet_at("1001")
    groups = dict(state.groups)
    groups["58.2"] = replace(groups["58.2"], hex="0901")
    state = with_force(replace(state, groups=groups), "A", "1002")
    assert moved(state)[1] == "1101"
    groups["58.3"] = replace(groups["58.3"], hex="1101")
    assert moved(replace(state, groups=groups))[1] == "1002"


def test_7_23_both_halves_of_a_double_force_exit() -> None:
    """This includes a half that is only revealed now."""
    state = with_force(fleet_at("1108"), "A", "1001", level=1, chit="Small", partner="B")
    state = with_force(state, "B", "1001", level=1, chit="Small", partner="A")
    run = running(state, *(1, 1, 1, 1), picks=["destroyer-force-1", "destroyer-force-2"])
    move_force(run, "A")
    assert run.state.gone_letters == ("A", "B")
    state = with_force(fleet_at("1108"), "A", "1001")
    run = running(
        state,
        *(1, 1, 1, 2, 1, 1),
        picks=["Double Force", "Large", "Carrier", "cruiser-force-1", "zuiho"],
    )
    exit_map(run, "A")
    assert run.state.forces == {}
    assert run.state.gone_letters == ("A", "B")


def test_7_23_scenario_4_does_not_reveal_exiting_forces() -> None:
    """The force just disappears."""
    state = with_force(battle("4"), "A", "1001")
    run = running(replace(state, mission_die=5))
    move_force(run, "A")
    assert run.state.found == {}
    assert run.state.gone_letters == ("A",)


# -- surface forces and cripples: 12.45


def crippled(state: State, ship: str, hex: str = "") -> State:
    """Return a state with a crippled US ship, alone in a hex or with its group."""
    old = state.ships[ship]
    new = replace(old, hits=6, group="" if hex else old.group, hex=hex)
    return with_parts(state, ships={ship: new})


def test_12_45_a_surface_force_approaches_crippled_ships_within_6_hexes() -> None:
    """A crippled ship may be alone or still with a group. The nearest one counts."""
    state = crippled(with_force(fleet_at("1108"), "A", "1113", level=1, chit="Surface"), "essex")
    run, hex = moved(state, die=2)
    assert hex == "1112"
    assert run.state.forces["A"].heading == "E"
    lone = crippled(state, "hornet", "1115")
    assert moved(lone, die=2)[1] == "1114"


def test_12_45_other_forces_and_distant_cripples_are_ignored() -> None:
    """Mission movement."""
    far = crippled(with_force(fleet_at("1108"), "A", "1115", level=1, chit="Surface"), "essex")
    run, _ = moved(far, die=2)
    assert run.state.forces["A"].heading == "SW"
    unknown = with_force(fleet_at("1108"), "A", "1113", level=1, chit="Large")
    run, _ = moved(crippled(unknown, "essex"), die=2)
    assert run.state.forces["A"].heading == "SW"


@pytest.mark.parametrize(("ruling", "hex"), [("zones", "0604"), ("off", "0705")])
def test_12_45_mission_priority_in_east_edge_zones_follows_the_ruling(
    ruling: str, hex: str
) -> None:
    """OP-21, both readings; the cripple lies to the south-west."""
    state = fleet_at("1108", east_edge=ruling)
    state = crippled(with_force(state, "A", "0604", level=1, chit="Surface"), "essex", "0907")
    run = running(replace(state, mission_die=2))
    move_force(run, "A")
    moved_by = run.state.forces["A"]
    assert moved_by.heading == ("NW" if ruling == "zones" else "SW")


def test_12_46_lone_us_cripples_sink_when_a_surface_force_enters() -> None:
    """It enters their hex, because there are no other US ships in it."""
    state = crippled(
        with_force(fleet_at("2010"), "A", "1113", level=1, chit="Surface"), "essex", "1112"
    )
    run, hex = moved(state)
    assert hex == "1112"
    assert run.state.ships["essex"].is_sunk
    assert not any(isinstance(event, ShipHit) for event in run.events), "nothing has fired"


def test_12_46_a_task_group_sinks_crippled_japanese_ships() -> None:
    """They do not sink while a force is with them."""
    state = with_parts(fleet_at("1108"), hulls={"hiyo": Hull(hex="1108", hits=Hits(current=5))})
    run = running(state)
    sink_lone_cripples(run, "1108")
    assert run.state.hulls["hiyo"].fate == "sunk"
    run = running(with_force(state, "A", "1108"))
    sink_lone_cripples(run, "1108")
    assert run.state.hulls["hiyo"].fate == ""


# -- carrier forces: 7.21


def replace_raids(state: State, raids: int) -> State:
    return with_parts(state, forces={"A": replace(state.forces["A"], raids=raids)})


def test_7_21_other_ruling_counts_air_points_on_the_display() -> None:
    """OP-22, the alternative: with points it turns away, although it has not raided."""
    state = replace_raids(raider("1113", "1108", boxes={"lost": 2}), 0)
    state = replace(state, options={**state.options, "has-raided": "points"})
    run, _ = moved(state)
    (fact,) = facts(run, ForceMoved)
    assert isinstance(fact, ForceMoved)
    assert fact.why == "away"


@pytest.mark.parametrize(
    ("hex", "die", "to", "why"),
    [
        ("1123", 2, "1224", "mission"),  # 7a: 15 or more
        ("1116", 5, "1217", "away"),  # 7b: 8 or less, the easternmost, by chance
        ("1117", 5, "1117", "hold"),  # 7c: 9 stays
        ("1118", 2, "1117", "direct"),  # 7e: 10-14 in the West section
    ],
)
def test_7_21_a_raider_keeps_its_distance(hex: str, die: int, to: str, why: str) -> None:
    """By the distance to the nearest carriers."""
    run, now = moved(raider(hex, "1108"), die=die, picks=("1217",))
    found = [fact.why for fact in facts(run, ForceMoved) if isinstance(fact, ForceMoved)]
    assert found == [why]
    if why != "mission":
        assert now == to
    else:
        assert run.state.forces["A"].heading == "SW"


def test_7_21_d_a_raiding_force_in_the_east_section_continues_its_mission() -> None:
    """10 to 14 hexes away."""
    run, _ = moved(raider("1108", "2208"), die=2)
    (fact,) = facts(run, ForceMoved)
    assert isinstance(fact, ForceMoved)
    assert (fact.why, fact.heading) == ("mission", "SW")


def test_7_21_surface_groups_are_ignored() -> None:
    """The Battle Line is 3 hexes away, carriers are 9: no move."""
    state = raider("1117", "1108")
    state = with_parts(state, groups={"58.7": Group(hex="1114")})
    assert moved(state)[1] == "1117"


def test_7_21_ties_between_near_carrier_groups_go_to_the_larger() -> None:
    """Further ties are broken at random. Here 58.4 has three carriers and the others four, so 58.4 is ignored."""
    state = raider("1118", "1108")
    groups = {
        "58.1": replace(state.groups["58.1"], hex="0609"),
        "58.2": replace(state.groups["58.2"], hex="2408"),
        "58.3": replace(state.groups["58.3"], hex="2408"),
        "58.4": replace(state.groups["58.4"], hex="1609"),
    }
    grid = state.game_data.map.grid
    assert grid.distance("1118", "0609") > 9
    _, hex = moved(with_parts(state, groups=groups))
    near = min(("0609", "1609"), key=lambda one: (grid.distance("1118", one), one))
    assert hex in grid.steps_toward("1118", near)


@pytest.mark.parametrize(("ruling", "to"), [("stay", "0130"), ("aside", "0230")])
def test_7_21_b_a_force_without_a_retreat_path_stays_or_moves_aside(ruling: str, to: str) -> None:
    """OP-23, both readings, in the north-west corner."""
    state = raider("0130", "0125")
    state = replace(state, options={**state.options, "away-moves": ruling})
    assert moved(state)[1] == to


# -- beside US ships: 7.24


def test_7_24_a_surface_force_bypasses_us_ships_without_rule_21_0() -> None:
    """A surface force passes by."""
    state = with_force(fleet_at("1519"), "A", "1520", level=2, chit="Large Surface")
    assert moved(state, die=1)[1] == "1421"


@pytest.mark.parametrize(
    ("level", "chit", "phase", "fights"),
    [
        (2, "Large Surface", 1, True),
        (2, "Medium Surface", 1, False),
        (2, "Medium Surface", 4, True),
        (2, "Small Surface", 4, False),
        (1, "Surface", 4, False),
    ],
)
def test_7_24_strong_surface_forces_seek_combat(
    level: int, chit: str, phase: int, *, fights: bool
) -> None:
    """Large ones always, medium ones by night (turn 1850, phase 4)."""
    state = with_force(fleet_at("1519", surface_combat="on"), "A", "1520", level=level, chit=chit)
    state = replace(state, turn=10, phase=phase)
    run = running(replace(state, mission_die=1))
    found = move_force(run, "A")
    assert (found.origin == "1520") is fights
    assert run.state.forces["A"].hex == ("1519" if fights else "1421")


@pytest.mark.parametrize(
    ("ships", "hits", "phase", "fights"),
    [
        (("kongo",), 0, 1, True),
        (("kongo", "cruiser-force-1"), 12, 1, False),
        (("cruiser-force-1",), 0, 1, False),
        (("cruiser-force-1",), 0, 4, True),
        (("destroyer-force-1",), 0, 4, False),
    ],
)
def test_7_24_ships_decide_about_combat_at_level_3(
    ships: tuple[str, ...], hits: int, phase: int, *, fights: bool
) -> None:
    """A battleship that is not crippled decides; at night, a cruiser unit does."""
    state = with_force(fleet_at("1519", surface_combat="on"), "A", "1520", level=3, chit="surface")
    hulls = {
        ship: Hull(force="A", hits=Hits(permanent=hits if ship == "kongo" else 0)) for ship in ships
    }
    run = running(replace(with_parts(state, hulls=hulls), turn=10, phase=phase, mission_die=1))
    found = move_force(run, "A")
    assert bool(found.origin) is fights


def test_7_24_crippled_ships_attract_any_surface_force() -> None:
    """Hexes with crippled ships come first. A carrier force keeps away."""
    state = fleet_at("1519", surface_combat="on")
    state = with_parts(state, groups={"58.1": replace(state.groups["58.1"], hex="1420")})
    state = crippled(with_force(state, "A", "1520", level=1, chit="Surface"), "hornet")
    run = running(replace(state, mission_die=1))
    assert move_force(run, "A").origin == "1520"
    assert run.state.forces["A"].hex == "1420"
    carrier = with_parts(
        state, forces={"A": replace(state.forces["A"], chit="Carrier", is_carrier=True)}
    )
    run = running(replace(carrier, mission_die=1))
    assert not move_force(run, "A").origin


def test_7_2_surface_units_escorting_a_cripple_block_their_hex() -> None:
    """12.411: a hex with escorts is US-occupied."""
    state = crippled(with_force(fleet_at("2010"), "A", "1520"), "essex", "1519")
    escort = UsShip(hex="1519", escorts="essex")
    run, hex = moved(with_parts(state, ships={"desdiv-106": escort}))
    assert hex == "1520"
    assert not run.state.ships["essex"].is_sunk


# -- double forces: 7.53, OP-3b


def pair(first: dict[str, object], second: dict[str, object], us: str = "1108") -> State:
    state = with_force(fleet_at(us), "A", "1113", partner="B", **first)
    return with_force(state, "B", "1113", partner="A", **second)


def test_7_53_the_half_that_ranks_higher_leads() -> None:
    """A carrier force that has raided turns away, and takes the other half with it."""
    state = pair({}, {"level": 1, "chit": "Carrier", "is_carrier": True, "raids": 1})
    run = running(state)
    move_force(run, "A")
    first, second = run.state.forces["A"], run.state.forces["B"]
    assert first.hex == second.hex != "1113"
    assert [fact.why for fact in facts(run, ForceMoved) if isinstance(fact, ForceMoved)] == [
        *("away", "away")
    ]


def test_7_53_an_unknown_half_leads_a_surface_half() -> None:
    """The crippled ship attracts only a surface half that leads."""
    state = crippled(pair({"level": 1, "chit": "Surface"}, {"level": 1, "chit": "Large"}), "essex")
    run = running(replace(state, mission_die=2))
    move_force(run, "A")
    assert run.state.forces["A"].heading == "SW"


# -- cripples: 12.41


def hurt_force(*ships: str, hits: int = 6) -> State:
    """Return a level-4 force whose carriers have many hits; a battleship has none."""
    state = with_force(
        fleet_at("1108"),
        *("1", "1520"),
        level=4,
        chit="1 CV",
        is_carrier=True,
        is_butai=True,
        first_carriers=("shokaku",),
    )
    hulls = {"shokaku": Hull(force="1", hits=Hits(current=hits))}
    return with_parts(state, hulls={**hulls, **{ship: Hull(force="1") for ship in ships}})


def test_12_41_a_force_that_moves_leaves_its_cripples_behind() -> None:
    """Without carriers it continues as a surface force (9.13)."""
    run = running(hurt_force("haruna"))
    found = move_force(run, "1")
    assert [counter_of(run.state, force) for force in found.forces] == ["A"]
    assert run.state.hulls["shokaku"].hex == "1520"
    assert force_of(run, "A").hex == "1519"
    assert force_of(run, "A").level == 3


def test_12_41_a_force_consisting_of_cripples_leaves_only_these_behind() -> None:
    """OP-45."""
    run = running(hurt_force())
    assert move_force(run, "1").forces == ()
    assert facts(run, ForceRemoved) == (ForceRemoved(force="1", why="cripples"),)
    assert run.state.hulls["shokaku"] == Hull(hex="1520", hits=Hits(current=6))


def test_12_41_ships_not_crippled_stay_with_the_force() -> None:
    """5 hits are heavy damage for a carrier of 8."""
    run = running(hurt_force("haruna", hits=5))
    assert name_after(leave_cripples, run, "1", "1520") == "1"
    assert not facts(run, HullLeft)
