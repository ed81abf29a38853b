"""Japanese damage, Air Values and lost points (9.26, 12.2, 12.5)."""

import pytest

from engine.cbps.damage.ch12_hulls import (
    air_value,
    effective_lost_points,
    hull_level,
    is_deck_operable,
    lone_hulls,
    net_air_value,
    ships_in_force,
    us_level,
)
from engine.cbps.events.japan import ForceRemoved, HitsAged, HullHit, HullSunk, LevelChanged
from engine.cbps.forces.ch12_hits import age_hits, hit_hull
from engine.cbps.state import Hits, Hull, State, UsShip
from engine.cbps.strikes.ch05_flak import japanese_aa, us_aa
from tests.engine.cbps.battle import battle, facts, running, with_force, with_parts

FLEET = ("shokaku", "zuikaku", "chitose")


def force_of(*ships: str, **fields: object) -> State:
    """Return Scenario 6 with a level-4 force of these ships as force X in 1020."""
    carriers = tuple(ship for ship in ships if ship in {*FLEET, "ise", "taiho", "junyo", "hiryu"})
    state = with_force(
        battle("6"),
        "X",
        "1020",
        **{"level": 4, "is_carrier": bool(carriers), "first_carriers": carriers, **fields},
    )
    return with_parts(state, hulls={ship: Hull(force="X") for ship in ships})


def hurt(state: State, ship: str, **hits: int) -> State:
    return with_parts(state, hulls={ship: Hull(force="X", hits=Hits(**hits))})


@pytest.mark.parametrize(
    ("ship", "hits", "level"),
    [
        ("shokaku", 0, ""),
        ("shokaku", 1, "light"),
        ("shokaku", 3, "light"),
        ("shokaku", 4, "heavy"),
        ("shokaku", 5, "heavy"),
        ("shokaku", 6, "crippled"),
        ("chitose", 1, "light"),
        ("chitose", 2, "heavy"),
        ("chitose", 3, "crippled"),
        ("ise", 8, "heavy"),
        ("ise", 11, "heavy"),
        ("ise", 12, "crippled"),
        ("taiho", 4, "light"),
        ("taiho", 5, "heavy"),
    ],
)
def test_12_26_damage_levels_of_carriers(ship: str, hits: int, level: str) -> None:
    assert hull_level(hurt(force_of(ship), ship, current=hits), ship) == level


@pytest.mark.parametrize(
    ("ship", "hits", "level"),
    [
        ("yamato", 11, "light"),
        ("yamato", 12, "heavy"),
        ("yamato", 17, "heavy"),
        ("yamato", 18, "crippled"),
        ("yamato", 24, "sunk"),
        ("kongo", 12, "crippled"),
        ("cruiser-force-1", 7, ""),
        ("cruiser-force-1", 8, "sunk"),
    ],
)
def test_12_52_damage_levels_of_battleships_and_screens(ship: str, hits: int, level: str) -> None:
    assert hull_level(hurt(force_of(ship), ship, permanent=hits), ship) == level


def test_12_27_only_permanent_hits_sink_a_carrier() -> None:
    state = force_of("shokaku")
    assert hull_level(hurt(state, "shokaku", current=9), "shokaku") == "crippled"
    assert hull_level(hurt(state, "shokaku", permanent=7, current=1), "shokaku") == "crippled"
    assert hull_level(hurt(state, "shokaku", permanent=8), "shokaku") == "sunk"


@pytest.mark.parametrize(
    ("ship", "hits", "value"),
    [
        ("shokaku", 0, 4),
        ("shokaku", 1, 2),
        ("shokaku", 5, 2),
        ("shokaku", 6, 0),
        ("junyo", 1, 1),
        ("ise", 1, 5),
        ("ise", 8, 2),
        ("ise", 12, 0),
        ("yamato", 11, 7),
        ("yamato", 12, 3),
        ("yamato", 18, 0),
        ("cruiser-force-1", 7, 4),
    ],
)
def test_12_25_damage_reduces_japanese_anti_aircraft_values(
    ship: str, hits: int, value: int
) -> None:
    state = force_of(ship)
    permanent = ship not in {"shokaku", "junyo", "ise"}
    state = hurt(state, ship, **{"permanent" if permanent else "current": hits})
    assert japanese_aa(state, [ship]) == value


@pytest.mark.parametrize(
    ("ship", "hits", "level", "value"),
    [
        ("hornet", 0, "", 6),
        ("hornet", 3, "light", 3),
        ("hornet", 5, "heavy", 3),
        ("hornet", 6, "crippled", 0),
        ("hornet", 8, "sunk", 0),
        ("bataan", 2, "light", 1),
        ("bataan", 4, "crippled", 0),
        ("bataan", 5, "sunk", 0),
        ("iowa", 11, "light", 8),
        ("iowa", 12, "heavy", 4),
        ("alabama", 10, "heavy", 3),
        ("alabama", 15, "crippled", 0),
        ("alabama", 20, "sunk", 0),
        ("iowa", 21, "crippled", 0),
        ("oakland", 4, "", 5),
        ("oakland", 5, "sunk", 0),
    ],
)
def test_12_11_us_damage_levels_and_anti_aircraft_values(
    ship: str, hits: int, level: str, value: int
) -> None:
    state = with_parts(battle("6"), ships={ship: UsShip(group="58.1", hits=hits)})
    assert us_level(state, ship) == level
    assert us_aa(state, [ship]) == value


# -- air strength


def test_12_2_zuikaku_example_ages_hits() -> None:
    state = hurt(force_of(*FLEET), "zuikaku", current=5)
    assert air_value(state, "X") == 24
    run = running(state)
    age_hits(run)
    assert air_value(run.state, "X") == 24
    age_hits(run)
    assert air_value(run.state, "X") == 14
    assert len(facts(run, HitsAged)) == 2


def test_12_22_recent_hits_do_not_reduce_air_value() -> None:
    state = hurt(force_of(*FLEET), "shokaku", current=4, previous=3)
    assert air_value(state, "X") == 24


def test_9_25_permanent_hits_reduce_the_air_value_of_a_level_three_force() -> None:
    state = with_force(
        battle("6"),
        "X",
        "1020",
        level=3,
        chit="2 CV 1 CVL",
        is_carrier=True,
        hits=Hits(current=3, permanent=2),
    )
    assert air_value(state, "X") == 22


@pytest.mark.parametrize("level", [0, 1, 2])
def test_9_26_a_force_below_level_three_has_no_air_value(level: int) -> None:
    state = with_force(battle("6"), "X", "1020", level=level, is_carrier=level > 0)
    assert air_value(state, "X") == 0


def test_12_24_a_lost_carrier_removes_its_share_of_lost_points() -> None:
    state = force_of(*FLEET, boxes={"lost": 12})
    assert effective_lost_points(state, "X") == 12
    assert effective_lost_points(hurt(state, "zuikaku", permanent=4), "X") == 12 - 4  # 12 * 2 / 5
    gone = with_parts(state, hulls={"zuikaku": Hull(force="X", fate="sunk")})
    assert effective_lost_points(gone, "X") == 8
    assert effective_lost_points(hurt(gone, "chitose", permanent=2), "X") == 8 - 2  # 12 / 5


def test_op_41_other_ruling_subtracts_the_air_value_of_the_carrier() -> None:
    state = force_of(*FLEET, boxes={"lost": 12})
    state = with_parts(hurt(state, "zuikaku", permanent=4), options={"lost-with-carriers": "value"})
    assert effective_lost_points(state, "X") == 2


def test_5_41_net_air_value_excludes_points_lost_away_or_in_service() -> None:
    boxes = {"raid-a": 1, "r12": 2, "r0": 1, "s1": 2, "s2": 1, "a3": 5, "aall": 4, "lost": 3}
    state = force_of(*FLEET, boxes=boxes)
    assert net_air_value(state, "X") == 24 - 3 - 4 - 3
    ready = with_parts(state, options={"serviced-cap": "on"})
    assert net_air_value(ready, "X") == 24 - 3 - 4  # OP-13
    assert net_air_value(force_of("chitose", boxes={"lost": 9}), "X") == 0


def test_op_43_a_deck_is_inoperable_at_half_capacity() -> None:
    state = force_of("shokaku", "yamato")
    assert is_deck_operable(hurt(state, "shokaku", current=2, previous=1), "X")
    out = hurt(state, "shokaku", current=2, previous=1, permanent=1)
    assert not is_deck_operable(out, "X")
    other = with_parts(out, options={"japanese-decks": "crippled"})
    assert is_deck_operable(other, "X")
    assert not is_deck_operable(hurt(other, "shokaku", current=6), "X")


def test_10_33_unknown_carriers_have_operable_decks_and_surface_forces_have_none() -> None:
    known = with_force(battle("6"), "X", "1020", level=2, chit="1-2 Carriers", is_carrier=True)
    assert is_deck_operable(known, "X")
    surface = with_force(battle("6"), "X", "1020", level=3, chit="surface")
    assert not is_deck_operable(surface, "X")


def test_12_28_hybrids_have_the_air_value_of_a_light_carrier() -> None:
    state = force_of("ise", "shokaku", boxes={"lost": 9})
    assert air_value(state, "X") == 13
    hurt_now = hurt(state, "ise", permanent=8)
    assert air_value(hurt_now, "X") == 10
    assert effective_lost_points(hurt_now, "X") == 9 - 3
    run = running(state)
    hit_hull(run, "ise", 2)
    assert run.state.hulls["ise"].hits == Hits(current=2)


# -- hits


def test_12_21_hits_age_on_carriers_and_are_permanent_on_other_ships() -> None:
    run = running(force_of(*FLEET, "yamato"))
    hit_hull(run, "zuikaku", 2)
    hit_hull(run, "yamato", 3)
    assert run.state.hulls["zuikaku"].hits == Hits(current=2)
    assert run.state.hulls["yamato"].hits == Hits(permanent=3)


def test_op_42_other_ruling_ages_hits_on_battleships() -> None:
    state = with_parts(force_of("yamato", "chitose"), options={"battleship-hits": "ageing"})
    run = running(state)
    hit_hull(run, "yamato", 24)
    assert run.state.hulls["yamato"].fate == ""
    age_hits(run)
    age_hits(run)
    assert run.state.hulls["yamato"].fate == "sunk"


def test_12_21_hits_are_permanent_immediately_in_early_scenarios() -> None:
    run = running(battle("2"))
    hit_hull(run, "zuikaku", 2)
    assert run.state.hulls["zuikaku"].hits == Hits(permanent=2)


def test_12_27_a_carrier_sinks_when_its_hits_become_permanent() -> None:
    run = running(force_of(*FLEET))
    hit_hull(run, "chitose", 4)
    age_hits(run)
    assert not facts(run, HullSunk)
    age_hits(run)
    assert facts(run, HullSunk) == (HullSunk(ship="chitose"),)
    assert ships_in_force(run.state, "X") == ("shokaku", "zuikaku")


def test_12_53_zero_hits_and_hits_on_a_sunk_ship_have_no_effect() -> None:
    run = running(force_of("shokaku", "cruiser-force-1"))
    hit_hull(run, "shokaku", 0)
    assert not run.events
    hit_hull(run, "cruiser-force-1", 9)
    assert facts(run, HullHit, HullSunk) == (
        HullHit(ship="cruiser-force-1", hits=9, is_permanent=True),
        HullSunk(ship="cruiser-force-1"),
    )
    hit_hull(run, "cruiser-force-1", 1)
    assert len(facts(run, HullHit)) == 1


def test_9_13_a_force_without_carriers_becomes_a_surface_force() -> None:
    run = running(force_of("chitose", "yamato"))
    hit_hull(run, "chitose", 4, is_permanent=True)
    assert facts(run, LevelChanged) == (LevelChanged(force="X", level=3, chit="surface"),)
    assert not run.state.forces["X"].is_carrier


def test_9_13_a_force_without_ships_is_removed() -> None:
    run = running(force_of("cruiser-force-1", level=3, chit="surface"))
    hit_hull(run, "cruiser-force-1", 8)
    assert [event.why for event in facts(run, ForceRemoved) if isinstance(event, ForceRemoved)] == [
        "sunk"
    ]
    assert "X" not in run.state.forces


def test_12_41_sinking_a_lone_cripple_does_not_affect_its_force() -> None:
    state = with_parts(
        force_of("shokaku", "zuikaku"),
        hulls={"zuikaku": Hull(force="X", hex="0920", hits=Hits(permanent=7))},
    )
    assert lone_hulls(state, "0920") == ("zuikaku",)
    run = running(state)
    hit_hull(run, "zuikaku", 1, is_permanent=True)
    assert run.state.hulls["zuikaku"].fate == "sunk"
    assert not facts(run, LevelChanged)


def test_12_29_cap_of_a_sunk_force_is_lost() -> None:
    state = hurt(force_of("chitose", cap=3, boxes={"lost": 2}), "chitose", permanent=3)
    run = running(state)
    hit_hull(run, "chitose", 1, is_permanent=True)
    assert not run.state.forces
    assert run.state.destroyed_naval == 5
