"""Surface combat: avoidance, fire, withdrawal (21)."""

from typing import Any, Literal

import pytest
from msgspec.structs import replace

from engine.cbps.commands import Accept, Avoid, Done, FireAt, HoldFire
from engine.cbps.events.combat import (
    AvoidanceRolled,
    CombatChosen,
    RoundBegan,
    ShipFired,
    SurfaceCombatBegan,
)
from engine.cbps.events.fleet import GroupMoved, ShipCrippled, ShipHit, ShipSunk
from engine.cbps.events.japan import Detected, ForceMoved, ForceRetires, HullHit, HullSunk
from engine.cbps.force_ids import counter_of
from engine.cbps.frames import LightsFrame, SurfaceCombatFrame
from engine.cbps.handlers import MACHINE
from engine.cbps.invariants import violations
from engine.cbps.run import Run
from engine.cbps.state import Boat, Force, Group, Hits, Hull, State, UsShip
from engine.cbps.surface.ch21_combat import fight_round
from engine.cbps.surface.ch21_gunfire import fire_all, firing_ships, match_targets
from engine.cbps.surface.ch21_sides import Side, japanese_ships_in, us_ships_in
from engine.cbps.surface.ch21_surface_combat import begin_surface_combat
from tests.engine.cbps.battle import (
    advanced,
    battle,
    facts,
    force_of,
    given,
    options,
    reads,
    refusals,
    running,
    with_frame,
    with_parts,
)

HEX, EAST, WEST = "1018", "1017", "1019"
NIGHT = 13
"""The 2250 turn of the two-day scenarios."""
Stage = Literal["open", "accept", "match"]


def combat(
    us: tuple[str, ...],
    japan: tuple[str, ...],
    *,
    night: bool = False,
    stage: Stage = "open",
    number: int = 1,
    **frame: Any,  # noqa: ANN401 - fields of the frame
) -> State:
    """Return a combat in 1018 between ships of Surface TG 1 and of force X, which came from the west."""
    state = battle("9", surface_combat="on")
    lit = {name: replace(group, is_lit=True) for name, group in state.groups.items()}
    has_carrier = any(state.game_data.japanese_ships[ship].is_carrier for ship in japan)
    level = {"level": 4} if has_carrier else {"level": 3, "chit": "surface"}
    state = with_parts(
        state,
        groups={**lit, "surface-1": Group(hex=HEX, is_detached=True)},
        ships={ship: replace(state.ships[ship], group="surface-1") for ship in us},
        forces={"X": Force(hex=HEX, is_carrier=has_carrier, detection="S", **level)},
        hulls={ship: Hull(force="X") for ship in japan},
    )
    if night:
        state = replace(state, turn=NIGHT)
    fields = {"mover": "japan", "origin": {"X": WEST}, **frame}
    return with_frame(
        state,
        LightsFrame(),
        SurfaceCombatFrame(hex=HEX, stage=stage, round=number, **fields),
    )


def frame_of(state: State) -> SurfaceCombatFrame:
    frame = state.frames[-1]
    assert isinstance(frame, SurfaceCombatFrame)
    return frame


def fired(run: Run) -> list[tuple[str, str, str]]:
    return [
        (event.ship, event.target, event.weapon)
        for event in facts(run, ShipFired)
        if isinstance(event, ShipFired)
    ]


def is_over(run: Run) -> bool:
    return isinstance(run.state.frames[-1], LightsFrame)


# -- the beginning


def test_21_0_japanese_forces_are_promoted_and_detected() -> None:
    state = combat(("iowa",), ())
    force = Force(hex=HEX, level=2, chit="Small Surface", detection="")
    run = advanced(with_parts(state, forces={"X": force}), 5)
    assert facts(run, SurfaceCombatBegan) == (SurfaceCombatBegan(hex=HEX, mover="japan"),)
    assert run.state.forces["X"].level == 3
    assert facts(run, Detected) == (Detected(force="X", detection="S", why="combat"),)
    assert frame_of(run.state).stage == "accept"


@pytest.mark.parametrize(
    ("us", "japan", "night", "accepts"),
    [
        (("iowa",), ("kongo",), False, True),
        (("iowa", "alabama"), ("kongo",), False, True),
        (("iowa", "alabama", "indiana"), ("kongo",), False, False),
        (("iowa", "alabama", "indiana"), ("kongo", "haruna"), False, True),
        (("crudiv-6",), ("cruiser-force-1",), False, False),
        (("crudiv-6",), ("cruiser-force-1",), True, True),
        (("crudiv-6",), ("yamato", "chitose"), True, False),
    ],
)
def test_21_11_japan_accepts_combat_at_night_or_with_enough_battleships(
    us: tuple[str, ...], japan: tuple[str, ...], night: bool, accepts: bool
) -> None:
    run = advanced(combat(us, japan, night=night))
    assert facts(run, CombatChosen) == (CombatChosen(side="japan", is_accepted=accepts),)
    assert options(run.state) == (Accept(), Avoid())


def test_21_12_combat_is_accepted_or_avoided_before_targets_are_chosen() -> None:
    state = combat(("iowa",), ("kongo",), stage="accept", japan_accepts=True)
    assert refusals(state, FireAt(ship="iowa", target="kongo")) == ("21.12",)
    assert refusals(state, HoldFire(ship="iowa")) == ("21.12",)
    assert refusals(state, Done()) == ("21.12",)
    state = combat(("iowa",), ("kongo",), stage="match")
    assert refusals(state, Accept()) == ("21.12",)


@pytest.mark.parametrize(("us", "default"), [(("iowa",), Accept()), (("hornet",), Avoid())])
def test_d_21_12_groups_with_carriers_avoid_by_default(
    us: tuple[str, ...], default: Accept | Avoid
) -> None:
    state = combat(us, ("kongo",), stage="accept", japan_accepts=True)
    assert MACHINE.decision(state, "us").default == default


def test_21_13_if_both_sides_avoid_combat_both_retreat() -> None:
    state = combat(("crudiv-6",), ("cruiser-force-1",), stage="accept")
    run = given(state, Avoid())
    assert facts(run, ForceMoved, GroupMoved) == (
        ForceMoved(force="X", hex=WEST, heading="W", why="retreat"),
        GroupMoved(group="surface-1", hex=EAST, heading="E"),
    )
    assert not reads(run)
    assert is_over(run)


def test_21_1_no_avoidance_roll_if_both_sides_accept() -> None:
    state = combat(("iowa",), ("kongo",), stage="accept", japan_accepts=True)
    run = given(state, Accept())
    assert not facts(run, AvoidanceRolled)
    assert facts(run, CombatChosen) == (CombatChosen(side="us", is_accepted=True),)


@pytest.mark.parametrize(("die", "against", "gets_away"), [(5, 5, True), (4, 5, False)])
def test_21_14_avoidance_succeeds_with_at_least_the_opposing_die(
    die: int, against: int, gets_away: bool
) -> None:
    state = combat(("crudiv-6",), ("kongo",), stage="accept", japan_accepts=True)
    run = given(state, Avoid(), die, against, 1, 1, 1, 1)
    assert facts(run, AvoidanceRolled) == (
        AvoidanceRolled(side="us", die=die, against=against, is_avoided=gets_away),
    )
    assert bool(facts(run, GroupMoved)) is gets_away
    assert bool(facts(run, RoundBegan)) is not gets_away


def test_21_14_carriers_help_only_the_avoiding_side() -> None:
    state = combat(("hornet",), ("kongo",), stage="accept", japan_accepts=True)
    run = given(state, Avoid(), 3, 7)
    (rolled,) = facts(run, AvoidanceRolled)
    assert rolled == AvoidanceRolled(side="us", die=3, drm=4, against=7, is_avoided=True)
    state = combat(("hornet", "iowa"), ("cruiser-force-1",), stage="accept")
    run = given(state, Accept(), 3, 4, 1, 1)
    assert facts(run, AvoidanceRolled)[0] == AvoidanceRolled(
        side="japan", die=3, against=4, is_avoided=False
    )


# -- retreats, 21.15, 21.16


def test_21_15_the_moving_side_retreats_to_its_origin_and_the_other_east_or_west() -> None:
    state = combat(
        ("crudiv-6",),
        ("cruiser-force-1",),
        stage="accept",
        mover="us",
        origin={"surface-1": "0918"},
    )
    run = given(state, Avoid())
    assert facts(run, ForceMoved, GroupMoved) == (
        GroupMoved(group="surface-1", hex="0918", heading="NW"),
        ForceMoved(force="X", hex=WEST, heading="W", why="retreat"),
    )


def test_op_55_a_side_without_a_legal_hex_stays() -> None:
    state = combat(("crudiv-6",), ("cruiser-force-1",), stage="accept")
    state = with_parts(
        state,
        groups={"surface-2": Group(hex=WEST)},
        ships={"alabama": replace(state.ships["alabama"], group="surface-2")},
        forces={"Y": Force(hex=EAST)},
    )
    run = given(state, Avoid())
    assert not facts(run, ForceMoved, GroupMoved)


def test_2_12_carriers_cannot_retreat_to_an_island() -> None:
    state = combat(("hornet",), ("kongo",), stage="accept", japan_accepts=True)
    island = next(iter(state.game_data.map.islands))
    frame = replace(frame_of(state), mover="us", origin={"surface-1": island})
    run = given(with_frame(state, LightsFrame(), frame), Avoid(), 10, 1)
    assert not facts(run, GroupMoved)


def test_21_161_cripples_left_behind_with_the_enemy_sink() -> None:
    state = combat(("iowa", "alabama"), ("kongo",), stage="accept", japan_accepts=True)
    state = with_parts(state, ships={"alabama": replace(state.ships["alabama"], hits=15)})
    run = given(state, Avoid(), 10, 1)
    assert facts(run, ShipCrippled) == (ShipCrippled(ship="alabama", hex=HEX),)
    assert facts(run, ShipSunk) == (ShipSunk(ship="alabama"),)
    assert run.state.groups["surface-1"].hex == EAST


def test_21_161_cripples_of_both_sides_survive_if_both_sides_leave() -> None:
    state = combat(("crudiv-6", "alabama"), ("cruiser-force-1",), stage="accept")
    state = with_parts(state, ships={"alabama": replace(state.ships["alabama"], hits=15)})
    run = given(state, Avoid())
    assert run.state.ships["alabama"].hex == HEX
    assert not facts(run, ShipSunk)


def test_12_411_escorts_forced_to_retreat_form_a_surface_group() -> None:
    state = combat((), ("kongo",), stage="accept", japan_accepts=True)
    state = with_parts(
        state,
        ships={
            "alabama": UsShip(hex=HEX, hits=15),
            "crudiv-6": UsShip(hex=HEX, escorts="alabama"),
        },
    )
    run = given(state, Avoid(), 10, 1)
    assert run.state.ships["crudiv-6"].group == "surface-1"
    assert run.state.groups["surface-1"].hex == EAST
    assert run.state.ships["alabama"].is_sunk


def test_21_16_a_side_consisting_of_cripples_sinks() -> None:
    state = combat((), ("kongo",))
    state = with_parts(state, ships={"alabama": UsShip(hex=HEX, hits=15)})
    run = advanced(state)
    assert facts(run, ShipSunk) == (ShipSunk(ship="alabama"),)
    assert is_over(run)


def test_12_46_a_retreat_sinks_lone_cripples_of_the_enemy() -> None:
    state = combat(("crudiv-6",), ("cruiser-force-1",), stage="accept")
    state = with_parts(
        state,
        ships={"alabama": UsShip(hex=WEST, hits=15)},
        hulls={"kongo": Hull(force="Q", hex=EAST, hits=Hits(permanent=12))},
    )
    run = given(state, Avoid())
    assert run.state.forces["X"].hex == WEST
    assert run.state.ships["alabama"].is_sunk
    assert run.state.hulls["kongo"].fate == "sunk"


def test_21_0_a_force_without_ships_retreats() -> None:
    run = advanced(combat(("iowa",), ()))
    assert facts(run, ForceMoved) == (ForceMoved(force="X", hex=WEST, heading="W", why="retreat"),)


# -- who fires, 21.21, 21.22


def firing(state: State, side: Side) -> tuple[str, ...]:
    return firing_ships(state, frame_of(state), side)


@pytest.mark.parametrize("number", [1, 2])
def test_21_22_example_only_musashi_and_iowa_fire(number: int) -> None:
    state = combat(
        ("iowa", "desdiv-106"), ("musashi", "cruiser-force-1"), stage="match", number=number
    )
    assert firing(state, "us") == ("iowa",)
    assert firing(state, "japan") == ("musashi",)


def test_21_22_by_day_only_the_heaviest_class_of_each_side_fires_in_round_2() -> None:
    us, japan = ("crudiv-6", "desdiv-106"), ("musashi", "cruiser-force-1", "destroyer-force-1")
    state = combat(us, japan, stage="match")
    assert firing(state, "us") == ()
    assert firing(state, "japan") == ("musashi",)
    state = combat(us, japan, stage="match", number=2)
    assert firing(state, "us") == ("crudiv-6",)
    assert firing(state, "japan") == ("musashi", "cruiser-force-1")


def test_21_22_carriers_never_fire_and_do_not_determine_the_class() -> None:
    state = combat(("hornet", "desdiv-106"), ("chitose", "destroyer-force-1"), stage="match")
    assert firing(state, "us") == ("desdiv-106",)
    assert firing(state, "japan") == ("destroyer-force-1",)


def test_21_21_at_night_all_ships_fire_except_a_surprised_side_in_round_1() -> None:
    us, japan = ("iowa", "desdiv-106"), ("musashi", "destroyer-force-1")
    state = combat(us, japan, night=True, stage="match", surprised="us")
    assert firing(state, "us") == ()
    assert firing(state, "japan") == japan
    state = combat(us, japan, night=True, stage="match", surprised="us", number=2)
    assert firing(state, "us") == us


@pytest.mark.parametrize(("die", "surprised"), [(1, "japan"), (3, ""), (10, "us")])
def test_21_21_one_die_determines_surprise_at_night(die: int, surprised: str) -> None:
    state = combat(("iowa",), ("kongo",), night=True, stage="accept", japan_accepts=True)
    run = given(state, Accept(), die, *((1,) * 9))
    read = reads(run, "night_surface_surprise")
    assert len(read) == 1
    assert frame_of(run.state).surprised == surprised


# -- matching, 21.23, 21.24


def test_21_23_example_yamato_and_musashi_target_one_battleship_each() -> None:
    us = ("iowa", "alabama", "crudiv-6", "desdiv-106")
    japan = ("yamato", "musashi", "cruiser-force-1", "destroyer-force-1")
    state = combat(us, japan, stage="match")
    run = running(state, picks=["yamato", "alabama"])
    assert match_targets(run, firing(state, "japan"), us_ships_in(state, HEX)) == {
        "yamato": "alabama",
        "musashi": "iowa",
    }


def test_21_23_targets_are_matched_again_once_all_have_an_attacker() -> None:
    state = combat(("iowa", "crudiv-6"), ("yamato", "musashi", "kongo"), stage="match")
    found = match_targets(running(state), firing(state, "japan"), us_ships_in(state, HEX))
    assert list(found.values()) == ["iowa", "crudiv-6", "iowa"]


def test_21_22_carriers_are_targeted_after_battleships() -> None:
    state = combat(("iowa", "hornet", "crudiv-6"), ("yamato", "musashi", "kongo"), stage="match")
    found = match_targets(running(state), firing(state, "japan"), us_ships_in(state, HEX))
    assert list(found.values()) == ["iowa", "hornet", "crudiv-6"]


def test_21_23_destroyers_match_targets_anew_at_night() -> None:
    japan = ("yamato", "cruiser-force-1", "destroyer-force-1")
    state = combat(("iowa", "crudiv-6"), japan, night=True, stage="match")
    ships = firing(state, "japan")
    found = match_targets(running(state), ships, us_ships_in(state, HEX), has_torpedo_lap=True)
    assert found == {"yamato": "iowa", "cruiser-force-1": "crudiv-6", "destroyer-force-1": "iowa"}


def test_21_24_a_second_attacker_is_refused_until_its_class_is_fully_targeted() -> None:
    state = combat(("iowa", "alabama", "indiana"), ("yamato", "kongo"), stage="match")
    state = given(state, FireAt(ship="iowa", target="yamato")).state
    assert refusals(state, FireAt(ship="alabama", target="yamato")) == ("21.24",)
    state = given(state, FireAt(ship="alabama", target="kongo")).state
    assert refusals(state, FireAt(ship="indiana", target="yamato")) == ()


def test_21_24_illegal_fire_orders_are_refused() -> None:
    state = combat(("iowa", "alabama", "crudiv-6"), ("yamato", "kongo"), stage="match")
    state = given(state, FireAt(ship="iowa", target="yamato")).state
    assert refusals(state, FireAt(ship="iowa", target="kongo")) == ("21.24",)
    assert refusals(state, FireAt(ship="crudiv-6", target="kongo")) == ("21.22",)
    assert refusals(state, FireAt(ship="alabama", target="musashi")) == ("21.16",)
    assert refusals(state, HoldFire(ship="crudiv-6")) == ("21.22",)


def test_21_24_a_ship_ordered_to_hold_fire_does_not_fire() -> None:
    state = combat(("iowa",), ("yamato",), stage="match", number=2)
    run = given(state, HoldFire(ship="iowa"), 1)
    assert fired(run) == [("yamato", "iowa", "guns")]


def test_d_21_24_unassigned_us_ships_are_matched_like_japanese_ships_by_day() -> None:
    state = combat(("iowa", "alabama"), ("yamato", "kongo"), stage="match", number=2)
    state = given(state, FireAt(ship="iowa", target="kongo")).state
    run = given(state, Done(), 1, 1, 1, 1)
    assert fired(run)[:2] == [("iowa", "kongo", "guns"), ("alabama", "yamato", "guns")]


# -- fire, 21.25, 21.26


def test_21_25_the_column_is_attack_minus_defence() -> None:
    state = combat(("iowa", "crudiv-6"), ("yamato",), stage="match")
    run = running(state, 5, 7, 9)
    hits = fire_all(run, frame_of(state), {"yamato": "crudiv-6", "iowa": "yamato"})
    assert [(read.column, read.result) for read in reads(run)] == [("10", "4"), ("4", "1")]
    assert hits == {"crudiv-6": 4, "yamato": 1}


def test_21_25_a_negative_net_value_scores_no_hits() -> None:
    state = combat(("desdiv-106",), ("yamato",), stage="match", number=2)
    run = running(state)
    assert fire_all(run, frame_of(state), {"desdiv-106": "yamato"}) == {"yamato": 0}
    assert fired(run) == [("desdiv-106", "yamato", "guns")]


def test_21_26_destroyers_use_torpedoes_at_night() -> None:
    state = combat(("desdiv-106",), ("destroyer-force-1",), night=True, stage="match", number=2)
    run = running(state, 5, 6)
    matches = {"desdiv-106": "destroyer-force-1", "destroyer-force-1": "desdiv-106"}
    assert fire_all(run, frame_of(state), matches) == {"destroyer-force-1": 2, "desdiv-106": 4}
    assert [read.column for read in reads(run)] == ["torpedo", "torpedo"]
    assert [[one.id for one in read.modifiers] for read in reads(run)] == [[], ["japanese_torpedo"]]


def test_21_261_japanese_cruisers_add_torpedoes_in_round_1_at_night() -> None:
    state = combat(("crudiv-6",), ("cruiser-force-1",), night=True, stage="match")
    matches = {"crudiv-6": "cruiser-force-1", "cruiser-force-1": "crudiv-6"}
    run = running(state, 1, 1, 1)
    fire_all(run, frame_of(state), matches)
    assert [weapon for _, _, weapon in fired(run)] == ["guns", "guns", "torpedoes"]
    second = combat(("crudiv-6",), ("cruiser-force-1",), night=True, stage="match", number=2)
    run = running(second, 1, 1)
    fire_all(run, frame_of(second), matches)
    assert [weapon for _, _, weapon in fired(run)] == ["guns", "guns"]


def test_21_26_the_side_with_surprise_gets_a_modifier_in_round_1() -> None:
    state = combat(("iowa",), ("kongo",), night=True, stage="match", surprised="japan")
    run = running(state, 1)
    fire_all(run, frame_of(state), {"iowa": "kongo"})
    assert [one.drm for one in reads(run)[0].modifiers] == [2]
    state = combat(("iowa",), ("kongo",), night=True, stage="match", surprised="japan", number=2)
    run = running(state, 1)
    fire_all(run, frame_of(state), {"iowa": "kongo"})
    assert not reads(run)[0].modifiers


def test_21_25_hits_are_applied_together() -> None:
    state = combat(("alabama",), ("kongo",), stage="match", number=2)
    state = with_parts(
        state,
        hulls={"kongo": Hull(force="X", hits=Hits(permanent=11))},
        ships={"alabama": replace(state.ships["alabama"], hits=14)},
    )
    run = given(state, FireAt(ship="alabama", target="kongo"), 10, 9)
    assert facts(run, HullSunk) == (HullSunk(ship="kongo"),)
    assert facts(run, ShipSunk) == (ShipSunk(ship="alabama"),)


@pytest.mark.parametrize(("hits", "is_sunk"), [(10, False), (11, True)])
def test_21_25_a_battleship_reduced_to_its_crippled_level_sinks(hits: int, is_sunk: bool) -> None:
    state = combat(("indiana",), ("kongo",), stage="match", number=2)
    state = with_parts(state, hulls={"kongo": Hull(force="X", hits=Hits(permanent=hits))})
    run = given(state, Done(), 7, 1)  # net 4: one hit
    assert facts(run, HullHit) == (HullHit(ship="kongo", hits=1, is_permanent=True),)
    assert bool(facts(run, HullSunk)) is is_sunk


def test_21_25_a_us_ship_reduced_to_its_crippled_level_sinks() -> None:
    state = combat(("alabama", "crudiv-6"), ("yamato",), stage="match", number=2)
    state = with_parts(state, ships={"alabama": replace(state.ships["alabama"], hits=14)})
    run = given(state, Done(), 1, 7)
    assert facts(run, ShipSunk) == (ShipSunk(ship="alabama"),)
    (read,) = reads(run, "surface_combat_fire")[1:]
    assert facts(run, ShipHit) == (
        ShipHit(ship="alabama", hits=int(read.result), why="gunfire"),
    ), "it takes the hits that fell, no more"


# -- rounds and withdrawal, 21.2, 21.27, 21.28


def test_21_2_a_combat_has_two_rounds() -> None:
    state = combat(("iowa",), ("kongo",), stage="accept", japan_accepts=True)
    run = given(state, Accept())
    assert facts(run, RoundBegan) == (RoundBegan(hex=HEX, round=1),)
    run = given(run.state, Done(), 1, 1)
    assert facts(run, RoundBegan) == (RoundBegan(hex=HEX, round=2),)
    run = given(run.state, Done(), 1, 1)
    assert is_over(run)


def test_21_27_equal_losses_make_both_sides_retreat() -> None:
    run = given(combat(("iowa",), ("kongo",), stage="match", number=2), Done(), 1, 1)
    assert run.state.forces["X"].hex == WEST
    assert run.state.groups["surface-1"].hex == EAST


@pytest.mark.parametrize(
    ("us_lost", "japan_lost", "moved"), [(1, 0, "surface-1"), (0, 1, "X"), (2, 1, "surface-1")]
)
def test_21_27_the_side_with_more_units_sunk_retreats(
    us_lost: int, japan_lost: int, moved: str
) -> None:
    state = combat(
        ("iowa",), ("kongo",), stage="match", number=2, us_lost=us_lost, japan_lost=japan_lost
    )
    run = given(state, Done(), 1, 1)
    found = [
        event.force if isinstance(event, ForceMoved) else getattr(event, "group", "")
        for event in facts(run, ForceMoved, GroupMoved)
    ]
    assert found == [moved]


@pytest.mark.parametrize(
    ("japan", "hurt", "retires"),
    [
        (("kongo", "cruiser-force-1"), "kongo", True),
        (("cruiser-force-1", "destroyer-force-1"), "cruiser-force-1", True),
        (("kongo", "cruiser-force-1"), "cruiser-force-1", False),
    ],
)
def test_21_28_a_force_that_lost_its_heaviest_ship_retires(
    japan: tuple[str, ...], hurt: str, retires: bool
) -> None:
    state = combat(("iowa", "alabama"), japan, stage="match")
    near = state.game_data.japanese_ships[hurt].damage_capacity - 1
    state = with_parts(state, hulls={hurt: Hull(force="X", hits=Hits(permanent=near))})
    frame = replace(frame_of(state), targets={"iowa": hurt, "alabama": ""})
    run = running(state, 10, 1, 1)
    fight_round(run, frame)
    assert facts(run, HullSunk) == (HullSunk(ship=hurt),)
    assert facts(run, ForceRetires) == ((ForceRetires(force="X", why="combat"),) if retires else ())


def test_21_24_matching_order_does_not_affect_fire() -> None:
    """A record stores the matches by the names of the ships."""
    state = combat(("iowa", "alabama", "crudiv-6"), ("kongo", "cruiser-force-1"), stage="match")
    targets = {"iowa": "kongo", "alabama": "cruiser-force-1"}
    found = []
    for matches in (targets, dict(reversed(targets.items()))):
        run = running(state, *range(1, 9), 1, 2, 3, 4)
        fight_round(run, replace(frame_of(state), targets=matches))
        found.append(run.events)
    assert found[0] == found[1]


def test_14_152_a_submarine_follows_its_shadowed_force_in_retreat_with_asw() -> None:
    """It undergoes ASW as in any other move of the force."""
    state = combat(("essex",), ("junyo",), origin={"X": WEST})
    boat = Boat(hex=HEX, shadowing="X")
    state = with_parts(state, boats={"albacore": boat})
    run = given(advanced(state).state, Avoid(), 1)
    assert run.state.forces["X"].hex == WEST
    assert run.state.boats["albacore"] == replace(boat, hex=WEST)


def test_21_15_a_moving_force_with_a_new_counter_retreats_to_its_origin() -> None:
    """The last carrier of Butai 1 sinks, and a lettered counter takes the place of the Butai's (9.13)."""
    state = combat(("iowa",), ("junyo", "destroyer-force-1"), stage="match", number=2)
    butai = replace(state.forces["X"], is_butai=True, first_carriers=("junyo",))
    hits = Hits(permanent=state.game_data.japanese_ships["junyo"].damage_capacity - 1)
    hulls = {"junyo": Hull(force="1", hits=hits), "destroyer-force-1": Hull(force="1")}
    state = with_parts(replace(state, forces={"1": butai}), hulls=hulls)
    frame = replace(frame_of(state), origin={"1": EAST}, targets={"iowa": "junyo"})
    run = running(state, 10, 1)
    fight_round(run, frame)
    assert facts(run, HullSunk) == (HullSunk(ship="junyo"),)
    assert [counter_of(run.state, force) for force in run.state.forces] == ["A"]
    assert force_of(run, "A").hex == EAST


def test_21_0_sinking_all_ships_of_a_side_ends_the_combat() -> None:
    state = combat(("iowa",), ("destroyer-force-1",), stage="match")
    run = given(state, Done(), 10)
    assert "X" not in run.state.forces
    assert is_over(run)
    assert run.state.groups["surface-1"].hex == HEX


def test_21_0_entering_an_enemy_hex_starts_surface_combat() -> None:
    run = running(combat(("iowa",), ("kongo",)))
    begin_surface_combat(run, HEX, "us", {"surface-1": "0918"})
    assert run.top() == SurfaceCombatFrame(hex=HEX, mover="us", origin={"surface-1": "0918"})


def test_op_73_all_forces_of_a_hex_are_one_side() -> None:
    state = combat(("iowa",), ("kongo",))
    state = with_parts(
        state,
        forces={"Y": Force(hex=HEX, level=3, chit="surface")},
        hulls={"haruna": Hull(force="Y")},
    )
    assert japanese_ships_in(state, HEX) == ("kongo", "haruna")


def test_14_152_a_submarine_follows_the_force_that_retreats() -> None:
    state = combat(("iowa",), ("cruiser-force-5",), mover="us", origin={}, stage="accept")
    state = with_parts(state, boats={"albacore": Boat(hex=HEX, shadowing="X")})
    run = given(state, Accept(), 9, 2, 1)  # Japan avoids: 9 against 2; ASW 1
    assert run.state.forces["X"].hex == WEST
    assert run.state.boats["albacore"].hex == WEST
    assert not list(violations(run.state))


def test_6_33_a_group_of_cripples_is_detached_when_tf_58_retreats() -> None:
    state = combat((), ("yamato", "musashi"), stage="accept", night=True, japan_accepts=True)
    groups = {
        name: replace(group, hex=HEX if name in {"58.1", "58.2"} else "1108", is_detached=far)
        for name, group in state.groups.items()
        for far in [name not in {"58.1", "58.2"}]
    }
    hurt = {"bunker-hill": 7, "wasp": 7, "monterey": 4, "cabot": 4}
    ships = {
        name: replace(ship, hits=hurt.get(name, 0), is_sunk=name not in hurt)
        if ship.group == "58.2"
        else ship
        for name, ship in state.ships.items()
    }
    state = replace(state, groups=groups, ships=ships, forces=dict(state.forces))
    # both avoid and both retreat, so nobody holds the hex
    top = replace(frame_of(state), japan_accepts=False)
    state = replace(state, frames=(*state.frames[:-1], top))
    run = given(state, Avoid())
    assert run.state.groups["58.1"].hex == EAST
    assert not run.state.groups["58.1"].is_detached
    assert run.state.groups["58.2"].hex == HEX
    assert run.state.groups["58.2"].is_detached
