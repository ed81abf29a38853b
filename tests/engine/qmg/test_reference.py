"""Adjacency, supply, builds, battles, Air Forces and points on random boards, against the second implementation."""

import random
from typing import Any

import pytest

from engine.qmg.atlas import BIT, INDEX, names
from engine.qmg.board_analysis import board_analysis
from engine.qmg.ch12_victory import space_points
from engine.qmg.commands import Battle
from engine.qmg.deck_steps import STEP_LISTS, GrantSupply
from engine.qmg.legal import (
    battle_options,
    build_spaces,
    deploy_options,
    marshal_options,
    reposition_options,
    superiority_options,
)
from engine.qmg.position import Pieces, Position, TurnMarks, Zones, state_from_position
from engine.qmg.state import Grant, State
from tests.engine.qmg import reference
from tests.engine.qmg.reference import ALLIES, AXIS, FORCES, Piece, World
from tests.sizes import sized

pytestmark = pytest.mark.series("P4")

BOARDS = sized(10, 50, of="random boards of Quartermaster General for each seed")
"""Number of random boards per seed."""
COUNTRIES = ("germany", "uk", "japan", "ussr", "italy", "usa")
GRANTS = {
    name.partition(":")[0]: (name, at)
    for name, steps in STEP_LISTS.items()
    for at, step in enumerate(steps)
    if isinstance(step, GrantSupply)
}
"""Spaces where cards grant supply, by card id."""


def random_world(rng: random.Random) -> World:
    """Return a board that a game could reach, crowded around the Homes, with Statuses and grants."""
    pieces: set[Piece] = set()
    pools = reference.raw("cards.json")["pieces"]
    for force in rng.sample(FORCES, len(FORCES)):
        for kind in ("army", "navy"):
            places = reference.spaces("land" if kind == "army" else "sea")
            for space in rng.sample(places, rng.randint(0, pools[force][kind])):
                if not any((foe, kind, space) in pieces for foe in reference.foes(force)):
                    pieces.add((force, kind, space))
        home = reference.raw("map.json")["homes"][force]
        if rng.random() < 0.6 and not any(
            (foe, "army", home) in pieces for foe in reference.foes(force)
        ):
            held = {one for one in pieces if one[:2] == (force, "army")}
            if len(held) < pools[force]["army"]:
                pieces.add((force, "army", home))
    for force in FORCES:
        ground = sorted({space for owner, _, space in pieces if owner == force})
        wanted = rng.randint(0, pools[force]["air"])
        pieces |= {(force, "air", space) for space in rng.sample(ground, min(wanted, len(ground)))}
    statuses = tuple(card for card in reference.rule_changes() if rng.random() < 0.35)
    statuses = tuple(card for card in statuses if card != "us_american_volunteer_group_expands")
    grants = tuple(query(card) for card in GRANTS if rng.random() < 0.25)
    active = rng.choice(COUNTRIES)
    return World(pieces, statuses, active, grants, strict=rng.random() < 0.3)


def query(card: str) -> dict[str, Any]:
    entry = next(one for one in reference.raw("cards.json")["cards"] if one["id"] == card)
    found = [
        step["query"]
        for ability in entry["abilities"]
        for step in ability["steps"]
        if step["op"] == "grant_supply"
    ]
    return {**found[0], "card": card}


def state_for(world: World) -> State:
    """Return the same position as an engine state."""
    pieces = {
        force: Pieces(
            **{
                kind: tuple(sorted(s for f, k, s in world.pieces if (f, k) == (force, kind)))
                for kind in ("army", "navy", "air")
            }
        )
        for force in FORCES
    }
    cards = {
        country: Zones(
            statuses=tuple(
                f"{card}#1"
                for card in world.statuses
                if reference.rule_changes()[card][0] == country
            )
        )
        for country in COUNTRIES
    }
    grants = tuple(
        Grant(steps=GRANTS[one["card"]][0], at=GRANTS[one["card"]][1], owner=one["owner"])
        for one in world.grants
    )
    return state_from_position(
        Position(
            scenario="total-war",
            options={"strict-navy-links": "on" if world.strict else "off"},
            active=world.active,
            pieces=pieces,
            cards=cards,
            turn=TurnMarks(grants=grants),
        )
    )


def worlds(seed: int, boards: int = BOARDS) -> list[tuple[World, State]]:
    rng = random.Random(seed)
    made = [random_world(rng) for _ in range(boards)]
    return [(world, state_for(world)) for world in made]


@pytest.mark.full
def test_random_boards_are_varied() -> None:
    found = worlds(1, max(BOARDS, 25))
    assert {card for world, _ in found for card in world.statuses} >= set(
        reference.rule_changes()
    ) - {"us_american_volunteer_group_expands"}
    assert {world.strict for world, _ in found} == {True, False}
    assert any(world.grants for world, _ in found)
    supplied = sum(len(world.supplied(force)) for world, _ in found for force in FORCES)
    total = sum(len(world.pieces) for world, _ in found)
    assert 0.2 < supplied / total < 0.8


@pytest.mark.parametrize("seed", range(1, 1 + sized(1, 2, of="seeds of adjacency")))
def test_5_3_adjacency_of_both_teams_matches_the_reference(seed: int) -> None:
    for world, state in worlds(seed)[
        : sized(4, 25, of="boards of each whose adjacency is compared")
    ]:
        now = board_analysis(state)
        for name, side in (("axis", AXIS), ("allies", ALLIES)):
            near = now.adjacent_spaces(name)
            for space in reference.spaces():
                assert set(names(near[INDEX[space]])) == world.around(space, side)


@pytest.mark.parametrize("seed", [3])
def test_5_6_distances_match_the_reference(seed: int) -> None:
    for world, state in worlds(seed)[: sized(2, 6, of="boards with distances")]:
        now = board_analysis(state)
        for name, side in (("axis", AXIS), ("allies", ALLIES)):
            for space in reference.spaces()[::9]:
                for most in (0, 1, 2, 3):
                    wanted = {
                        other
                        for other in reference.spaces()
                        if world.distance(space, other, side) <= most
                    }
                    assert set(names(now.within_distance(name, BIT[space], most))) == wanted


@pytest.mark.parametrize("seed", range(10, 10 + sized(1, 6, of="seeds of supply")))
def test_6_5_supply_matches_the_reference(seed: int) -> None:
    for world, state in worlds(seed):
        now = board_analysis(state)
        for force in FORCES:
            found = {
                (force, kind, space)
                for kind in ("army", "navy", "air")
                for space in names(now.supplied_pieces(force, kind))
            }
            assert found == world.supplied(force), (force, world.statuses, world.strict)
            assert names(now.home_spaces(force)) == (world.home(force),)
            stars = {space for space in reference.spaces() if world.is_star(space, force)}
            assert set(names(now.supply_spaces(force))) == stars


@pytest.mark.parametrize("seed", range(20, 20 + sized(1, 3, of="seeds of builds")))
def test_7_1_and_7_2_builds_match_the_reference(seed: int) -> None:
    for world, state in worlds(seed):
        now = board_analysis(state)
        for force in FORCES:
            for kind in ("army", "navy"):
                found = set(names(build_spaces(now, force, kind)))
                assert found == world.builds(force, kind), (
                    force,
                    kind,
                    world.statuses,
                    world.strict,
                    sorted(world.pieces),
                    world.grants,
                )


@pytest.mark.parametrize("seed", range(30, 30 + sized(1, 4, of="seeds of battles")))
def test_7_4_battles_match_the_reference(seed: int) -> None:
    for world, state in worlds(seed):
        for force in FORCES:
            found = set()
            for option in battle_options(board_analysis(state), force, "any", -1):
                assert isinstance(option, Battle)
                assert option.force == force
                found.add((option.space, option.target or ""))
            assert found == world.battles(force)
            land = battle_options(board_analysis(state), force, "land", -1)
            sea = battle_options(board_analysis(state), force, "sea", -1)
            assert len(land) + len(sea) == len(found)


@pytest.mark.parametrize("seed", range(40, 40 + sized(1, 3, of="seeds of Air Forces")))
def test_13_3_and_13_4_air_force_options_match_the_reference(seed: int) -> None:
    for world, state in worlds(seed):
        now = board_analysis(state)
        for force in FORCES:
            deployed = {one.space for one in deploy_options(now, force)}
            assert deployed == world.deployments(force)
            marshaled = {(one.origin, one.space) for one in marshal_options(now, force)}
            assert marshaled == world.marshals(force)
            gained = {
                (one.origin, one.space, one.target or "") for one in superiority_options(now, force)
            }
            assert gained == world.superiorities(force)
            for owner, kind, space in world.pieces:
                if (owner, kind) == (force, "air"):
                    goals = {one.space for one in reposition_options(now, force, space)}
                    assert goals == world.repositions(force, space)


@pytest.mark.parametrize("seed", [50, 51])
def test_12_1_points_match_the_reference(seed: int) -> None:
    for world, state in worlds(seed):
        for force in FORCES:
            assert space_points(board_analysis(state), force) == world.points(force)
