"""Distribution of the roles in a game with teams."""

import pytest

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from play.opening import resolve_match_start
from play.seating import assign_players, check_seating, default_seats, group_into_seats
from tests.toy_game import BLUE, RED, TOY
from tests.toy_six import ASH, ELM, FIR, GEM, JET, ORE, ROLES, SIX, STONE, WOOD

SHORT = SIX.scenario_info("short", {})


@pytest.mark.parametrize(
    ("names", "bots", "wanted"),
    [
        pytest.param((), {}, tuple((role,) for role in ROLES), id="everybody-alone"),
        pytest.param(("2",), {}, (WOOD, STONE), id="two-people"),
        pytest.param(("3",), {}, ((ASH,), STONE, (ELM, FIR)), id="three-people"),
        pytest.param(("6",), {}, tuple((role,) for role in ROLES), id="six-people"),
        pytest.param(("2",), {"elm": "random"}, ((ASH, FIR), STONE, (ELM,)), id="with-a-bot"),
        pytest.param(
            ("ash+fir=Ann", "gem=Bob", "ore=Bob"),
            {},
            ((ASH, FIR), (GEM, ORE), (ELM,), (JET,)),
            id="by-name",
        ),
        pytest.param(
            ("Ann", "Bob", "Ann", "Bob"),
            {},
            ((ASH, ELM), (GEM, JET), (FIR,), (ORE,)),
            id="in-order",
        ),
        pytest.param(
            (),
            dict.fromkeys(ROLES, "random"),
            tuple((role,) for role in ROLES),
            id="bots-stay-apart",
        ),
    ],
)
def test_roles_are_assigned_to_players(
    names: tuple[str, ...], bots: dict[str, str], wanted: tuple[tuple[Role, ...], ...]
) -> None:
    players = assign_players(SHORT, names, bots)
    assert tuple(players) == ROLES
    assert set(group_into_seats(SHORT, players)) == set(wanted)


def test_people_of_default_seats_have_names() -> None:
    players = assign_players(SHORT, ("2", "Ann"), {})
    assert [players[role] for role in ROLES] == ["Ann", "player-2"] * 3


@pytest.mark.parametrize(
    ("scenario", "names", "problem"),
    [
        ("short", ("ash+gem=Ann",), "Ann cannot play ash, gem: they are not one team"),
        ("short", ("Ann", "Ann"), "Ann cannot play ash, gem: they are not one team"),
        ("short", ("7",), "there is no seating for 7; known: 2, 3, 4, 5, 6"),
        ("short", ("oak=Ann",), "there is no role 'oak'"),
        ("short", ("A", "B", "C", "D", "E", "F", "G"), "7 names are too many"),
        (
            "short",
            ("2", "A", "B", "C"),
            "3 names are too many for ash\\+elm\\+fir, gem\\+jet\\+ore",
        ),
        ("none", (), "there is no scenario 'none'"),
    ],
)
def test_invalid_seating_is_refused(scenario: str, names: tuple[str, ...], problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        assign_players(SIX.scenario_info(scenario, {}), names, {})


def test_custom_position_has_the_teams_of_the_game() -> None:
    info = resolve_match_start(SIX, "", {}, SIX.position("short", {})).info
    assert (info.roles, set(info.teams)) == (ROLES, {"wood", "stone"})
    with pytest.raises(DataError):
        check_seating(info, {ASH: "Ann", GEM: "Ann"})


def test_every_role_is_a_seat_without_teams() -> None:
    info = TOY.scenario_info("short", {})
    assert group_into_seats(info, {RED: "Ann", BLUE: "Ann"}) == ((RED,), (BLUE,))
    check_seating(info, {RED: "Ann", BLUE: "Ann"})
    assert default_seats(info, 2) == ((RED,), (BLUE,))
    with pytest.raises(DataError):
        default_seats(info, 1)


def test_every_role_belongs_to_a_team() -> None:
    assert {role for seat in (WOOD, STONE) for role in seat} == {ASH, GEM, ELM, JET, FIR, ORE}
