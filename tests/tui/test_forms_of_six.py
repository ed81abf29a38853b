"""The forms of a game with teams: usual seats for a number of people, and several people at one keyboard."""

from pathlib import Path

import pytest

from engine import registry
from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from play import games
from play.seating import group_into_seats
from tests.toy_game import TOY
from tests.toy_six import ASH, ELM, FIR, GEM, JET, ORE, ROLES, SIX, STONE, WOOD
from tui.screens.forms import host, new_game
from tui.screens.forms.form import Field


def values(fields: tuple[Field, ...]) -> dict[str, str]:
    return {field.id: field.value for field in fields}


def test_number_of_people_selects_the_default_seats() -> None:
    form = values(host._fields(SIX, "Ann"))
    assert host.build_plan(SIX, form, Path()).players == {
        role: "Ann" if role == ASH else str(role) for role in ROLES
    }
    form |= {"people": "2", "seat:gem": "Bob", "seat:jet": "bot:random"}
    players = host.build_plan(SIX, form, Path()).players
    assert {players[role] for role in WOOD} == {"Ann"}
    assert (players[GEM], players[JET], players[ORE]) == ("Bob", "bot:random", "Bob")
    assert set(group_into_seats(SIX.scenario_info("short", {}), players)) == {
        WOOD,
        (GEM, ORE),
        (JET,),
    }


def test_game_without_teams_does_not_ask_for_the_number_of_people() -> None:
    assert "people" not in values(host._fields(TOY, "Ann"))
    assert set(host.build_plan(TOY, values(host._fields(TOY, "Ann")), Path()).players.values()) == {
        "Ann",
        "blue",
    }


def test_people_at_one_keyboard_are_distinguished() -> None:
    form = values(new_game._fields(SIX))
    new = new_game.build_new_game(SIX, form)
    assert set(new.bots) == set(ROLES) - {ASH}
    form |= {"seat:elm": "person", "seat:gem": "person 2", "seat:ore": "person 2"}
    new = new_game.build_new_game(SIX, form)
    assert set(new.bots) == {FIR, JET}
    assert new.names == {ASH: "person", ELM: "person", GEM: "person 2", ORE: "person 2"}
    assert new_game.build_new_game(TOY, values(new_game._fields(TOY))).names == {}


async def test_game_with_named_people_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    six = registry.Game("tests.toy_six:SIX", "", "", "", {})
    monkeypatch.setitem(registry._GAMES, "six", six)
    names = {role: "Ann" if role in WOOD else "Bob" for role in ROLES}
    new = games.NewGame(game="six", scenario="short", names=names, seat=Role("elm"))
    session = games.create_game(new, tmp_path / "a.fplog")
    assert session.role == ELM
    assert session.own_roles == WOOD
    assert session.people == ROLES
    await session.close()
    again = games.resume(tmp_path / "a.fplog", seat=GEM)
    assert again.own_roles == STONE
    await again.close()
    mixed = games.NewGame(game="six", scenario="short", names={ASH: "Ann", GEM: "Ann"})
    with pytest.raises(DataError, match="not one team"):
        games.create_game(mixed, tmp_path / "b.fplog")
    assert not (tmp_path / "b.fplog").exists()
    assert games.assign_bots("six", SIX.scenario_info("short", {}), (ASH, FIR)) == dict.fromkeys(
        (GEM, ELM, JET, ORE), "random"
    )
