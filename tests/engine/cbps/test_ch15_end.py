"""The end of a scenario: what is in the air, raids, cripples adrift, and the score (15.1, common end of game)."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.cbps.damage.ch15_victory import score_lines
from engine.cbps.events.raids import RaidEnded
from engine.cbps.run import Run
from engine.cbps.sequence.ch15_end import score_scenario
from engine.cbps.state import AirUnit, Force, Hits, Hull, Mission, Raid, Search, State, UsShip
from tests.engine.cbps.battle import battle, facts, reads, running, with_parts

pytestmark = pytest.mark.series("P12")

HOME = "1108"


def last_turn(scenario: str = "6", **options: str) -> State:
    """Return the last phase of a one-day battle, at night, with all air units out of the air."""
    state = battle(scenario, **options)
    turns = len(state.game_data.scenarios[scenario].turns)
    units = {
        name: AirUnit(place="hangar", at=state.game_data.air_units[name].carrier)
        for name in state.units
    }
    return replace(state, turn=turns - 1, phase=4, units=units, missions={})


def by_day() -> State:
    """Return Scenario 5 in its first turn, with TF 58 in 1108."""
    return with_fleet_at(replace(last_turn("5"), turn=0), HOME)


def with_fleet_at(state: State, hex: str) -> State:
    """Return a state with all task groups in a hex."""
    groups = {name: replace(group, hex=hex) for name, group in state.groups.items()}
    return replace(state, groups=groups)


def flying(state: State, unit: str, mission: str = "strike-1", **fields: Any) -> State:  # noqa: ANN401  # of Mission
    """Return a state with a unit in a mission over TF 58."""
    new = {"kind": "strike", "hex": HOME, "fuel": 5, "groups": ("58.1",), **fields}
    return with_parts(
        state,
        missions={mission: Mission(**new)},
        units={unit: AirUnit(place="mission", at=mission)},
    )


def ended(state: State, *faces: int, picks: tuple[str, ...] = ()) -> Run:
    """Return a run after the end of the scenario."""
    run = running(state, *faces, picks=picks)
    score_scenario(run)
    assert run.state.outcome is not None
    return run


def closed(state: State, **fields: Any) -> State:  # noqa: ANN401  # of UsShip
    """Return a state in which Hornet is the only carrier, with the given fields."""
    ships = {name: ship for name, ship in state.ships.items() if name == "hornet"}
    return replace(state, ships={"hornet": replace(ships["hornet"], **fields)})


# -- 1, 2: what is in the air


def test_15_1_units_over_a_working_deck_land_without_limits() -> None:
    run = ended(flying(by_day(), "hornet-f1"))
    assert run.state.units["hornet-f1"].place == "gone"
    assert not run.state.missions


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param({"is_inoperative": True}, id="12.12"),
        pytest.param({"fires": (1,)}, id="12.34"),
        pytest.param({"is_crashed": True}, id="4.452"),
        pytest.param({"hits": 4}, id="12.11"),
    ],
)
def test_15_1_units_without_any_working_deck_are_lost_at_their_group(damage: Any) -> None:  # noqa: ANN401  # of UsShip
    state = closed(flying(by_day(), "hornet-f1"), **damage)
    run = ended(state)
    assert run.state.units["hornet-f1"].place == "lost-at-group"


def test_15_1_units_away_from_all_groups_are_lost() -> None:
    run = ended(flying(last_turn(), "hornet-f1", hex="1015"))
    assert run.state.units["hornet-f1"].place == "lost"


def test_15_1_final_landings_roll_as_at_night() -> None:
    run = ended(flying(last_turn(), "hornet-f1"), 10)
    (read,) = reads(run, "safe_return")
    assert [one.id for one in read.modifiers] == ["night"]
    assert run.state.units["hornet-f1"].place == "lost-at-group"


def test_15_1_a_returned_search_lands() -> None:
    state = with_parts(
        by_day(),
        searches={"search-1": Search(kind="standard", origin=HOME, group="58.1", hex=HOME)},
        units={"hornet-f1": AirUnit(place="search", at="search-1")},
    )
    run = ended(state)
    assert run.state.units["hornet-f1"].place == "gone"
    assert not run.state.searches


@pytest.mark.parametrize("scenario", ["1", "3"])
def test_15_1_distant_fighters_are_lost_in_the_lessons_too(scenario: str) -> None:
    state = flying(battle(scenario), "hornet-f1" if scenario == "1" else "wasp-f1", "intercept-8")
    state = with_parts(
        state, missions={"intercept-8": Mission(kind="intercept", hex="1415", fuel=3)}
    )
    run = ended(state)
    assert [unit.place for unit in run.state.units.values()].count("lost") == 1


def test_15_1_scenario_2_strikes_are_not_lost_at_the_end() -> None:
    run = ended(battle("2"))
    assert all(unit.place == "mission" for unit in run.state.units.values())


# -- 3: raids


def test_15_1_a_raid_in_flight_returns() -> None:
    force = Force(
        hex="1115",
        level=2,
        chit="2-3 Carriers",
        is_carrier=True,
        is_butai=True,
        boxes={"raid-a": 6},
    )
    raid = Raid(origin="1", slot="a", hex="1110", target="58.1", points=6)
    run = ended(with_parts(last_turn(), forces={"1": force}, raids={"1-a": raid}))
    assert facts(run, RaidEnded) == (RaidEnded(raid="1-a", why="returns"),)
    assert "lost" not in run.state.forces["1"].boxes


def test_10_33_a_raid_of_a_removed_force_is_lost_at_the_end() -> None:
    raid = Raid(origin="1", slot="a", hex="1110", target="58.1", points=6)
    run = ended(with_parts(last_turn(), raids={"1-a": raid}))
    assert run.state.destroyed_naval == 6
    assert run.state.outcome is not None
    assert run.state.outcome.score == 1


# -- special rule 1: ships adrift


def adrift(state: State, hits: int) -> State:
    """Return a state with Zuikaku crippled and alone in 1020."""
    hull = Hull(hex="1020", hits=Hits(permanent=hits))
    return with_parts(state, hulls={"zuikaku": hull})


CRIPPLING = 7
"""Hits that cripple Zuikaku."""


@pytest.mark.parametrize(
    ("hex", "die", "sinks"),
    [
        pytest.param("1014", 6, True, id="6-hexes"),
        pytest.param("1014", 7, False, id="6-hexes-escapes"),
        pytest.param("1013", 3, True, id="7-hexes"),
        pytest.param("1013", 4, False, id="7-hexes-escapes"),
    ],
)
def test_21_0_a_lone_japanese_cripple_may_be_caught(hex: str, die: int, sinks: bool) -> None:
    state = with_fleet_at(adrift(last_turn(), CRIPPLING), hex)
    run = ended(state, die)
    assert (run.state.hulls["zuikaku"].fate == "sunk") is sinks


def test_21_0_groups_whose_ships_have_sunk_cannot_catch_cripples() -> None:
    state = with_fleet_at(adrift(last_turn(), CRIPPLING), "1002")
    groups = {**state.groups, "58.4": replace(state.groups["58.4"], hex="1019")}
    ships = {
        name: UsShip(is_sunk=True) if ship.group == "58.4" else ship
        for name, ship in state.ships.items()
    }
    run = ended(replace(state, groups=groups, ships=ships))
    assert run.state.hulls["zuikaku"].fate == ""


@pytest.mark.parametrize(
    ("force", "dice"),
    [
        pytest.param(Force(hex="1012", level=1, chit="Surface"), (3,), id="surface"),
        pytest.param(Force(hex="1012", level=1, chit="Large"), (), id="of-unknown-type"),
        pytest.param(Force(hex="1012"), (), id="unknown"),
    ],
)
def test_21_0_only_surface_forces_catch_a_lone_us_cripple(
    force: Force, dice: tuple[int, ...]
) -> None:
    state = with_parts(
        last_turn(), forces={"A": force}, ships={"hornet": UsShip(hex="1010", hits=6)}
    )
    state = replace(state, units={k: u for k, u in state.units.items() if u.at != "hornet"})
    run = ended(state, *dice)
    assert run.state.ships["hornet"].is_sunk is bool(dice)


# -- the score


def test_15_1_each_carrier_counts_once_at_its_worst_level() -> None:
    state = with_parts(
        replace(battle("6"), missions={}),
        hulls={
            "zuikaku": Hull(force="X", fate="sunk", hits=Hits(permanent=10)),
            "shokaku": Hull(force="X", hits=Hits(current=CRIPPLING)),
            "taiho": Hull(force="X", hits=Hits(current=3)),
            "chitose": Hull(force="X", hits=Hits(current=1, previous=1)),
        },
        ships={
            "hornet": UsShip(group="58.1", hits=1),
            "yorktown": UsShip(group="58.1", hits=4),
            "wasp": UsShip(group="58.2", hits=6),
            "bataan": UsShip(hits=5, is_sunk=True),
            "essex": UsShip(hits=8, is_sunk=True),
            "iowa": UsShip(group="58.7", hits=9),
        },
    )
    found = {line.label: line.points for line in score_lines(state) if line.points}
    assert found == {
        "Zuikaku: sunk": 25,
        "Shokaku: crippled": 17,
        "Taiho: light damage": 3,
        "Chitose: heavy damage": 6,
        "Hornet: light damage": -5,
        "Yorktown: heavy damage": -10,
        "Wasp: crippled": -15,
        "Bataan: sunk": -25,
        "Essex: sunk": -35,
    }


def test_15_1_incomplete_sets_score_nothing() -> None:
    places = ("lost", "lost", "lost", "lost-at-group", "lost-at-group", "lost-at-group")
    state = battle("6")
    units = {
        name: replace(unit, place=place, at="")
        for (name, unit), place in zip(state.units.items(), places, strict=False)
    }
    state = with_parts(
        replace(state, missions={}),
        units=units,
        forces={
            "1": Force(hex="1020", boxes={"lost": 6}, free_lost=3),
            "2": Force(hex="1021", boxes={"lost": 5}),
        },
    )
    state = replace(state, guam=replace(state.guam, boxes={"lost": 1}))
    found = [line.points for line in score_lines(state) if line.points]
    # 6 - 3 shuttled + 5 + 1 of Guam: 9 points, one group of five
    assert found == [1, -1]
