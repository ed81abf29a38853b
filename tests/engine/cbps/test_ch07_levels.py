"""Intelligence levels of Japanese forces (7.3, 7.4)."""

import pytest
from msgspec.structs import replace

from engine.cbps.events.chance import Chosen
from engine.cbps.events.japan import (
    ChitsReturned,
    ChitTaken,
    ForceFound,
    ForceRemoved,
    LevelChanged,
    PointsMoved,
    ShipsDrawn,
)
from engine.cbps.forces.ch07_forces import is_surface, is_unknown
from engine.cbps.ids import Context
from engine.cbps.intelligence.ch07_levels import promote, prove_type
from engine.cbps.position import position_from_state
from engine.cbps.state import Hits, Hull, State
from tests.engine.cbps.battle import (
    battle,
    facts,
    force_of,
    name_after,
    reads,
    running,
    with_force,
    with_parts,
)

FAR = "1520"


def force_at(level: int, chit: str = "", scenario: str = "6", **fields: object) -> State:
    """Return a state with Force A at a level."""
    return with_force(battle(scenario), "A", FAR, level=level, chit=chit, **fields)


def carrier(level: int, chit: str, scenario: str = "6", **fields: object) -> State:
    """Return a state with a carrier force, Butai 1, at a level."""
    fields = {"is_carrier": True, "is_butai": True, **fields}
    return with_force(battle(scenario), "1", FAR, level=level, chit=chit, **fields)


# -- level 0 to 1 (7.35)


def test_7_35_an_empty_cup_is_refilled_with_chits_set_aside() -> None:
    """OP-24: chits that were set aside go back into the cup."""
    state = replace(force_at(0), level_1_cup={}, set_aside={"Surface": 1})
    run = running(state)
    promote(run, "A", 1, "search")
    assert run.state.forces["A"].chit == "Surface"
    assert facts(run, ChitsReturned, ChitTaken) == (
        ChitsReturned(chits=("Surface",)),
        ChitTaken(chit="Surface", force="A"),
    )
    assert run.state.set_aside == {"Surface": 0}


def test_7_35_other_ruling_gives_false_contacts_for_an_empty_cup() -> None:
    """OP-24, the alternative."""
    state = with_force(battle("6", empty_level_1_cup="nothing"), "A", FAR)
    run = running(replace(state, level_1_cup={}, set_aside={"Surface": 1}))
    assert name_after(promote, run, "A", 1, "search") == ""


# -- level 1 to 2 (7.36)


@pytest.mark.parametrize(
    ("boxes", "chit", "is_carrier"),
    [({}, "Medium Surface", False), ({"aall": 5}, "1-2 Carriers", True)],
)
def test_7_36_note_1_depends_on_air_points(
    boxes: dict[str, int], chit: str, is_carrier: bool
) -> None:
    """OP-58: with die 1 in the Carrier column it proves a surface force, unless there are points."""
    run = running(force_at(1, "Carrier", is_carrier=True, boxes=boxes), 1)
    name = name_after(promote, run, "A", 2, "search")
    assert force_of(run, name).chit == chit
    assert force_of(run, name).is_carrier is is_carrier


def test_7_36_note_2_excludes_new_carrier_forces_beyond_the_limit() -> None:
    """Large, die 8 would be 3-4 Carriers."""
    run = running(replace(force_at(1, "Large"), limit_reached=True), 8)
    promote(run, "A", 2, "search")
    assert run.state.forces["A"].chit == "Large Surface"


def test_7_36_note_3_reduces_large_forces_beyond_the_limit() -> None:
    """With die 10 the Carrier would be 4+ Carriers; die 7 has no note."""
    state = replace(force_at(1, "Carrier", is_carrier=True), limit_reached=True)
    run = running(state, 10)
    promote(run, "A", 2, "search")
    assert force_of(run, "1").chit == "2-3 Carriers"
    run = running(state, 7)
    promote(run, "A", 2, "search")
    assert force_of(run, "1").chit == "3-4 Carriers"


def test_9_11_a_level_2_carrier_force_becomes_a_butai() -> None:
    """The letter is free again, and a chit that is still in the cup is exchanged."""
    state = replace(force_at(1, "Carrier", is_carrier=True), cup=("A", "US Move"))
    run = running(state, 4)
    assert name_after(promote, run, "A", 2, "search") == "1"
    assert tuple(position_from_state(run.state).forces) == ("1",)
    assert force_of(run, "1").is_butai
    assert run.state.cup == ("1", "US Move")


@pytest.mark.parametrize(("context", "has_it"), [("search", True), ("strike", False)])
def test_8_35_a_search_that_reveals_carriers_gives_the_us_advantage(
    context: Context, has_it: bool
) -> None:
    """This applies only to a force that was not a carrier force before."""
    run = running(force_at(1, "Large"), 6)
    name = name_after(promote, run, "A", 2, context)
    assert force_of(run, name).has_advantage is has_it


# -- level 2 to 3 (7.37-7.39)


@pytest.mark.parametrize(
    ("boxes", "die", "chit"),
    [({}, 10, "1 CV"), ({"aall": 5}, 9, "2 CVL"), ({"aall": 11}, 8, "2 CV")],
)
def test_7_37_section_row_and_die_give_the_level_3_chit(
    boxes: dict[str, int], die: int, chit: str
) -> None:
    """Section 1-2 Carriers depends on Known Air Strength; Unknown has a separate row."""
    run = running(carrier(2, "1-2 Carriers", boxes=boxes), die)
    promote(run, "1", 3, "search")
    assert run.state.forces["1"].chit == chit
    (read,) = reads(run, "l2_to_l3_carrier")
    assert read.column.startswith("1-2 Carriers, ")


@pytest.mark.parametrize(
    ("die", "literal", "shifted"),
    [(5, "1 CVL", "2 CVL"), (8, "2 CVL", "1 CV"), (9, "1 CV", "2 CV")],
)
def test_7_37_the_disputed_chart_row_follows_the_ruling(
    die: int, literal: str, shifted: str
) -> None:
    """OP-57: strength 8-10 in the section 1-2 Carriers; all other cases are read alike."""
    for ruling, chit in (("literal", literal), ("shifted", shifted)):
        state = carrier(2, "1-2 Carriers", boxes={"aall": 9})
        run = running(replace(state, options={**state.options, "suspect-row": ruling}), die)
        promote(run, "1", 3, "search")
        assert run.state.forces["1"].chit == chit
    state = carrier(2, "1-2 Carriers")
    run = running(replace(state, options={**state.options, "suspect-row": "shifted"}), 1)
    promote(run, "1", 3, "search")
    assert run.state.forces["1"].chit == "1 CVL"


def test_7_37_scenario_9_has_a_modifier() -> None:
    """Die 9 counts as 10."""
    run = running(carrier(2, "1-2 Carriers", "9"), 9)
    promote(run, "1", 3, "search")
    assert run.state.forces["1"].chit == "1 CV"


def test_7_38_the_most_similar_chit_replaces_an_exhausted_one() -> None:
    """OP-25: there are two 1 CV chits; 1 CV 1 CVL and 2 CV are equally similar, so the choice is random."""
    used = {str(number): replace(carrier(3, "1 CV").forces["1"]) for number in (2, 3)}
    state = with_parts(carrier(2, "1-2 Carriers"), forces=used)
    run = running(state, 10, picks=["2 CV"])
    promote(run, "1", 3, "search")
    assert run.state.forces["1"].chit == "2 CV"
    (chosen,) = facts(run, Chosen)
    assert isinstance(chosen, Chosen)
    assert chosen.rule == "7.38"


@pytest.mark.parametrize(("die", "kept"), [(3, "cruiser-force-1"), (7, "cruiser-force-8")])
def test_7_39_smaller_or_larger_of_two_cruiser_forces_is_kept(die: int, kept: str) -> None:
    """Medium Surface, CA2- and CA2+ (OP-26)."""
    run = running(force_at(2, "Medium Surface"), die, picks=["cruiser-force-8", "cruiser-force-1"])
    promote(run, "A", 3, "search")
    assert tuple(run.state.hulls) == (kept,)


def test_7_39_unavailable_battleships_are_omitted() -> None:
    """The force should get 4BB+CA, but all battleships except one are in other forces."""
    taken = {
        ship.id: Hull(force="Z")
        for ship in battle("6").game_data.japanese_ships_of_type("BB")
        if ship.id != "nagato"
    }
    state = with_parts(force_at(2, "Large Surface"), hulls=taken)
    run = running(state, 10, picks=["cruiser-force-1"])
    promote(run, "A", 3, "search")
    (drawn,) = facts(run, ShipsDrawn)
    assert drawn == ShipsDrawn(force="A", ships=("nagato", "cruiser-force-1"))


# -- level 3 to 4 (7.41-7.44)


def test_7_42_a_missing_type_is_replaced_by_the_other() -> None:
    """All CVs are elsewhere: 1 CV becomes a CVL."""
    book = battle("6").game_data
    taken = {ship.id: Hull(force="Z") for ship in book.japanese_ships_of_type("CV")}
    run = running(
        with_parts(carrier(3, "1 CV"), hulls=taken),
        *(5, 1),
        picks=["zuiho", "destroyer-force-1"],
    )
    promote(run, "1", 4, "search")
    assert run.state.forces["1"].first_carriers == ("zuiho",)


@pytest.mark.parametrize("options", [{"additional_ships": "off"}, {"one_pool": "off"}])
def test_7_43_additional_ships_are_drawn_after_historical_ships(
    options: dict[str, str],
) -> None:
    """A Historical carrier of the other type comes before an Additional one."""
    state = battle("6", **options)
    state = with_force(state, "1", FAR, level=3, chit="1 CV", is_carrier=True, is_butai=True)
    cvs = {ship: Hull(force="Z") for ship in ("taiho", "shokaku", "zuikaku")}
    run = running(with_parts(state, hulls=cvs), *(5, 1), picks=["junyo", "destroyer-force-1"])
    promote(run, "1", 4, "search")
    assert run.state.forces["1"].first_carriers == ("junyo",)
    cvls = {
        ship: Hull(force="Z") for ship in ("junyo", "hiyo", "ryuho", "chitose", "chiyoda", "zuiho")
    }
    run = running(
        with_parts(state, hulls={**cvs, **cvls}),
        *(5, 1),
        picks=["shinano", "destroyer-force-1"],
    )
    promote(run, "1", 4, "search")
    assert run.state.forces["1"].first_carriers == ("shinano",)


def test_7_43_a_force_without_available_carriers_is_a_surface_force() -> None:
    """There are no more carriers."""
    book = battle("6").game_data
    taken = {ship.id: Hull(force="Z") for ship in book.japanese_ships_of_type("CV", "CVL")}
    run = running(with_parts(carrier(3, "1 CV"), hulls=taken), *(5, 1), picks=["destroyer-force-1"])
    assert name_after(promote, run, "1", 4, "strike") == "A"
    assert force_of(run, "A").chit == "surface"
    assert force_of(run, "A").level == 3


def test_7_34_a_strike_brings_a_force_from_level_0_to_the_maximum() -> None:
    """It rises step by step: Carrier, 2-3 Carriers, 2 CVL, two CVLs with a screen."""
    run = running(
        force_at(0),
        *(4, 1, 2, 4),
        picks=["Carrier", "zuiho", "ryuho", "destroyer-force-1"],
    )
    assert name_after(promote, run, "A", 4, "strike") == "1"
    levels = [fact.level for fact in facts(run, LevelChanged) if isinstance(fact, LevelChanged)]
    assert levels == [1, 2, 3, 4]
    assert force_of(run, "1").first_carriers == ("zuiho", "ryuho")


# -- hits of submarines (14.162, 14.163)


def test_14_162_hits_on_a_force_are_assigned_to_one_carrier_and_keep_their_age() -> None:
    """A CV takes them before CVLs."""
    hits = Hits(current=2, previous=1, permanent=1)
    state = carrier(3, "1 CV 1 CVL", hits=hits)
    run = running(state, *(5, 5), picks=["shokaku", "zuiho", "cruiser-force-1"])
    promote(run, "1", 4, "search")
    assert run.state.hulls["shokaku"].hits == hits
    assert run.state.forces["1"].hits == Hits()


def test_14_162_a_carrier_with_permanent_hits_at_capacity_sinks_immediately() -> None:
    """Below level 4 it is sunk by 99 hits. Its force continues as a surface force."""
    state = carrier(3, "1 CV", hits=Hits(permanent=99))
    run = running(state, *(5, 1), picks=["shokaku", "destroyer-force-1"])
    assert name_after(promote, run, "1", 4, "search") == "A"
    assert run.state.hulls["shokaku"].fate == "sunk"
    assert force_of(run, "A").level == 3


def test_14_163_hits_on_a_surface_force_go_to_its_heaviest_unit() -> None:
    """OP-62: the battleship, permanent at once."""
    state = force_at(2, "Large Surface", hits=Hits(current=3))
    run = running(state, 5, picks=["kongo", "cruiser-force-3"])
    promote(run, "A", 3, "sub")
    assert run.state.hulls["kongo"].hits == Hits(permanent=3)


def test_14_163_other_ruling_voids_the_hits() -> None:
    """OP-62, the alternative."""
    state = with_force(
        battle("6", hits_on_surface_forces="void"),
        "A",
        FAR,
        level=2,
        chit="Large Surface",
        hits=Hits(current=3),
    )
    run = running(state, 5, picks=["kongo", "cruiser-force-3"])
    promote(run, "A", 3, "sub")
    assert run.state.hulls["kongo"].hits == Hits()
    assert run.state.forces["A"].hits == Hits()


# -- the raid procedure (10.1C)


def test_10_1_c_a_force_of_unknown_type_may_rise_directly_to_level_2() -> None:
    """Large, then die 6: 2-3 Carriers; it has a display."""
    run = running(force_at(0), 6, picks=["Large"])
    assert name_after(prove_type, run, "A") == "1"
    assert force_of(run, "1").level == 2
    assert run.state.commitment == 0, "left to the raid procedure, after G"


def test_10_1_c_an_unsuccessful_reveal_is_undone() -> None:
    """Large, then die 1: Large Surface."""
    state = force_at(0)
    run = running(state, 1, picks=["Large"])
    assert name_after(prove_type, run, "A") == ""
    assert run.state == state
    assert len(reads(run, "l1_to_l2")) == 1


def test_10_1_c_an_unsuccessful_double_force_reveal_is_undone() -> None:
    """OP-3e: the first half is Large and proves to be a surface force."""
    state = force_at(0)
    run = running(state, 1, picks=["Double Force", "Large"])
    assert name_after(prove_type, run, "A") == ""
    assert run.state == state


def test_10_1_c_a_double_force_with_a_carrier_half_is_kept() -> None:
    """Both halves are there."""
    run = running(force_at(0), picks=["Double Force", "Carrier", "Large"])
    assert name_after(prove_type, run, "A") == "A"
    assert run.state.forces["B"].partner == "A"


def test_10_1_c_a_failed_commitment_test_prevents_the_raid() -> None:
    """13.22: the chit goes back into the cup."""
    state = replace(force_at(0), commitment=12)
    run = running(state, 10, picks=["Carrier"])
    assert name_after(prove_type, run, "A") == ""
    assert run.state == state


# -- Scenario 4 and 5


def test_7_4_scenario_4_scores_forces_by_their_best_level() -> None:
    """Level 4: 5 + 4 per CV + 2 per CVL, and no ship is placed."""
    state = force_at(0, scenario="4")
    run = running(state, *(4, 5, 5), picks=["Carrier"])
    promote(run, "A", 4, "strike")
    points = [fact.points for fact in facts(run, ForceFound) if isinstance(fact, ForceFound)]
    assert points == [1, 3, 5, 11]
    assert run.state.found == {"A": 11}
    assert run.state.hulls == {}
    assert not run.state.forces["A"].is_butai


def test_7_4_scenario_4_scores_false_contacts() -> None:
    """Each scores one point, under a separate name."""
    state = with_force(force_at(0, scenario="4"), "B", FAR)
    run = running(state, picks=["False Contact", "False Contact"])
    promote(run, "A", 1, "search")
    promote(run, "B", 1, "search")
    assert run.state.found == {"false-contact-1": 1, "false-contact-2": 1}


def test_7_4_scenario_4_scores_surface_forces() -> None:
    """2 at level 2, 3 at level 3."""
    run = running(force_at(1, "Surface", "4"), *(1, 1), picks=["destroyer-force-1"])
    promote(run, "A", 4, "strike")
    assert run.state.found == {"A": 3}


def test_10_1_d_scenario_5_gives_5_air_points_to_a_revealed_carrier_force() -> None:
    """The points are in the box for all ranges, so that its Known Air Strength is 5."""
    run = running(force_at(0, scenario="5"), picks=["Carrier"])
    assert name_after(promote, run, "A", 1, "search") == "1"
    assert force_of(run, "1").boxes == {"aall": 5}
    promote(run, "A", 1, "search")
    assert len(facts(run, PointsMoved)) == 1


def test_9_1_scenario_9_forms_a_kido_butai_with_its_carriers() -> None:
    """The first great result with note 3 gives it, if its six carriers are in the pool. It then has them and 2BB+CA."""
    state = force_at(1, "Carrier", "9", is_carrier=True)
    run = running(state, 8, picks=["yamato", "mutsu", "cruiser-force-1"])
    assert name_after(promote, run, "A", 4, "strike") == "1"
    force = force_of(run, "1")
    assert force.is_kido_butai
    assert force.first_carriers == run.state.game_data.kido_butai.carriers
    assert set(run.state.hulls) == {*force.first_carriers, "yamato", "mutsu", "cruiser-force-1"}


def test_9_1_kido_butai_is_formed_once_and_its_carriers_are_reserved() -> None:
    """Another force keeps the plain chit, and cannot draw Akagi."""
    state = carrier(2, "Kido Butai", "9", is_kido_butai=True)
    state = with_force(state, "A", FAR, level=1, chit="Carrier", is_carrier=True)
    run = running(state, 10)
    assert name_after(promote, run, "A", 2, "search") == "2"
    assert force_of(run, "2").chit == "4+ Carriers"
    taken = {
        ship.id: Hull(force="Z")
        for ship in state.game_data.japanese_ships_of_type("CV")
        if ship.id not in state.game_data.kido_butai.carriers
    }
    state = with_force(state, "3", FAR, level=3, chit="1 CV", is_carrier=True, is_butai=True)
    run = running(with_parts(state, hulls=taken), *(3, 1), picks=["zuiho", "destroyer-force-1"])
    promote(run, "3", 4, "search")
    assert force_of(run, "3").first_carriers == ("zuiho",)


def test_9_1_kido_butai_is_not_formed_if_one_of_its_carriers_is_elsewhere() -> None:
    """The plain result stands."""
    state = force_at(1, "Carrier", "9", is_carrier=True)
    run = running(with_parts(state, hulls={"akagi": Hull(force="Z")}), 8)
    name = name_after(promote, run, "A", 2, "search")
    assert force_of(run, name).chit == "3-4 Carriers"


# -- the historical fleet (6H, 8H)


def test_7_41_the_historical_fleet_starts_on_the_map() -> None:
    """Three lettered forces of level 0."""
    for scenario in ("6", "8"):
        forces = battle(scenario, historical_fleet="on").forces
        assert [(name, one.hex, one.level) for name, one in forces.items()] == [
            ("A", "1419", 0),
            ("B", "1521", 0),
            ("C", "1422", 0),
        ]
    assert battle("7", historical_fleet="on").forces == {}


def test_7_41_the_historical_fleet_is_revealed_as_its_historical_composition() -> None:
    """Apart from its Cruiser Force, there is no draw or roll. Its ships are not in the pool of other forces."""
    state = battle("6", historical_fleet="on")
    run = running(state, picks=["cruiser-force-7"])
    assert name_after(promote, run, "A", 4, "strike") == "1"
    force = force_of(run, "1")
    assert force.first_carriers == ("chitose", "chiyoda", "zuiho")
    assert force.chit == "3 CVL"
    assert set(run.state.hulls) == {
        *force.first_carriers,
        *("yamato", "musashi", "kongo", "haruna", "cruiser-force-7"),
    }
    assert run.state.level_1_cup == state.level_1_cup
    assert run.state.set_aside == {}


@pytest.mark.parametrize("context", ["search", "strike"])
def test_7_41_other_forces_have_no_carriers_with_the_historical_fleet(context: Context) -> None:
    """It is a false contact."""
    state = with_force(battle("6", historical_fleet="on"), "K", FAR)
    run = running(state, picks=["Carrier"])
    assert name_after(promote, run, "K", 1, context) == ""
    assert facts(run, ForceRemoved) == (ForceRemoved(force="K", why="false-contact"),)
    state = with_force(battle("6", historical_fleet="on"), "K", FAR, level=1, chit="Large")
    assert name_after(promote, running(state, 6), "K", 2, context) == ""


def test_7_41_other_forces_cannot_draw_historical_fleet_ships() -> None:
    """Fuso and Yamashiro are the only battleships left of seven."""
    state = battle("6", historical_fleet="on")
    state = with_force(state, "K", FAR, level=2, chit="Large Surface")
    run = running(state, 10, picks=["fuso", "cruiser-force-1"])
    promote(run, "K", 3, "search")
    assert tuple(run.state.hulls) == ("fuso", "yamashiro", "cruiser-force-1")


@pytest.mark.parametrize(
    ("chit", "carrier", "surface", "unknown"),
    [
        pytest.param("Carrier", True, False, False, id="7.32-carrier"),
        pytest.param("Surface", False, True, False, id="7.32-surface"),
        pytest.param("Small", False, False, True, id="7.32-small"),
        pytest.param("Medium", False, False, True, id="7.32-medium"),
        pytest.param("Large", False, False, True, id="7.32-large"),
    ],
)
def test_7_32_level_1_chits_determine_the_force_type(
    chit: str, *, carrier: bool, surface: bool, unknown: bool
) -> None:
    """A Small, Medium or Large force may be of either type; the others are of the type that their chit shows."""
    run = running(force_at(0), picks=[chit])
    promote(run, "A", 1, "search")
    force = run.state.forces["A"]
    assert (force.chit, force.is_carrier) == (chit, carrier)
    assert (is_surface(force), is_unknown(force)) == (surface, unknown)
