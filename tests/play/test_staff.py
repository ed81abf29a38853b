"""Several commanders of one side against the system, their number set by an option: seats, records and sessions."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine import registry
from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from play import games
from play.games import NewGame
from play.local_session import LocalSession
from play.opening import resolve_match_start
from play.seating import assign_players, default_seats, group_into_seats
from play.session import CommandResult
from play.titles import players_text
from saves.teams import match_info
from tests.saves.play import play
from tests.toy_staff import (
    FOURTH,
    ROLES,
    SECOND,
    SIDE,
    THIRD,
    TOY_STAFF,
    US,
    Evade,
    Rally,
    Search,
    StaffPosition,
    Stand,
    Stay,
)

OWN_CHART = b'{"chart": [9, 9, 9, 9, 9, 9, 9, 9, 9, 9]}'


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    place = registry.Game("tests.toy_staff:TOY_STAFF", "", "", "", {})
    monkeypatch.setitem(registry._GAMES, "staff", place)


def options(count: int) -> dict[str, str]:
    return {"staff": ("one", "two", "three", "four")[count - 1]}


def begun(folder: Path, count: int, **more: Any) -> LocalSession:  # noqa: ANN401  # fields of NewGame
    new = NewGame(game="staff", scenario="cruise", options=options(count), **more)
    return games.create_game(new, folder / "a.fplog")


# -- roles that follow switches


@pytest.mark.parametrize("count", range(1, 5))
def test_staff_option_sets_the_roles_to_play(tmp_path: Path, count: int) -> None:
    session = begun(tmp_path, count)
    staff = ROLES[:count]
    assert session.roles() == session.people == session.waiting_for() == staff
    assert tuple(seat.role for seat in session.match.header.seats) == staff
    session.match.close()
    again = games.resume(tmp_path / "a.fplog")
    assert again.roles() == again.people == staff
    again.match.close()


def test_role_excluded_by_the_staff_option_is_refused(tmp_path: Path) -> None:
    for more in ({"bots": {THIRD: "random"}}, {"names": {THIRD: "Ann"}}, {"seat": THIRD}):
        with pytest.raises(DataError, match="there is no seat 'third'; known: us, second"):
            begun(tmp_path, 2, **more)
    assert not list(tmp_path.iterdir())


def test_unknown_staff_or_scenario_value_is_refused() -> None:
    with pytest.raises(DataError, match="'nine' is not one of one, two, three, four"):
        resolve_match_start(TOY_STAFF, "drill", {"staff": "nine"})
    with pytest.raises(DataError, match="there is no scenario 'picnic'; known: drill, cruise, war"):
        resolve_match_start(TOY_STAFF, "picnic", {})


def test_roles_of_every_variant_are_listed() -> None:
    assert TOY_STAFF.all_roles() == ROLES
    assert [len(info.roles) for info in TOY_STAFF.scenario_variants()] == [1] * 3 + [2] * 3 + [
        3
    ] * 3 + [4] * 3
    assert TOY_STAFF.scenario_info_for_roles([SECOND, US]).roles == (US, SECOND)
    strange = TOY_STAFF.scenario_info_for_roles([THIRD])
    assert (strange.roles, strange.teams) == ((THIRD,), {})


@pytest.mark.parametrize(
    ("count", "names", "wanted"),
    [
        (1, ("1", "Ann"), ((US,),)),
        (2, ("1", "Ann"), ((US, SECOND),)),
        (2, ("2", "Ann"), ((US,), (SECOND,))),
        (3, ("2", "Ann", "Bob"), ((US, THIRD), (SECOND,))),
        (4, ("2",), ((US, THIRD), (SECOND, FOURTH))),
        (4, ("us+fourth=Ann", "third=Bob"), ((US, FOURTH), (SECOND,), (THIRD,))),
    ],
)
def test_one_person_may_play_several_commanders(
    count: int, names: tuple[str, ...], wanted: tuple[tuple[Role, ...], ...]
) -> None:
    info = TOY_STAFF.scenario_info("drill", options(count))
    assert group_into_seats(info, assign_players(info, names, {})) == wanted


def test_seats_beyond_the_staff_option_are_refused() -> None:
    info = TOY_STAFF.scenario_info("drill", options(2))
    with pytest.raises(DataError, match="there is no role 'third'; known: us, second"):
        assign_players(info, ("third=Ann",), {})
    with pytest.raises(DataError, match="there is no seating for 3; known: 1, 2"):
        default_seats(info, 3)


def test_bots_are_assigned_to_the_remaining_commanders() -> None:
    info = TOY_STAFF.scenario_info("drill", options(3))
    assert games.assign_bots("staff", info, ()) == {SECOND: "random", THIRD: "random"}
    assert games.assign_bots("staff", info, (SECOND,)) == {US: "random", THIRD: "random"}
    assert games.assign_bots("staff", info, (), {US: "random"}) == {US: "random", THIRD: "random"}
    assert games.assign_bots("staff", info, (US,), {THIRD: "easy"}) == {
        SECOND: "random",
        THIRD: "easy",
    }
    assert games.assign_bots("staff", TOY_STAFF.scenario_info("drill", {}), ()) == {}


def test_custom_position_has_the_roles_of_its_staff_option(tmp_path: Path) -> None:
    session = begun(tmp_path, 3)
    play(session.match, 7)
    position = TOY_STAFF.to_position(session.match.state)
    session.match.close()
    new = NewGame(
        game="staff", scenario="", position=position, names={US: "Ann", THIRD: "Ann", SECOND: "Bob"}
    )
    own = games.create_game(new, tmp_path / "own.fplog")
    assert own.people == (US, SECOND, THIRD)
    assert own.own_roles in {(US, THIRD), (SECOND,)}
    header = own.match.header
    assert (header.scenario, header.options) == ("", {})
    assert match_info(TOY_STAFF, header).teams == {SIDE: (US, SECOND, THIRD)}
    assert players_text(TOY_STAFF, header) == "Us+Third: Ann, Second: Bob"
    assert TOY_STAFF.to_position(own.match.state) == position
    own.match.close()


def test_header_with_unknown_scenario_or_option_keeps_its_seats(tmp_path: Path) -> None:
    session = begun(tmp_path, 2)
    header = session.match.header
    session.match.close()
    for strange in ({"scenario": "picnic"}, {"options": {"staff": "nine"}}, {"scenario": ""}):
        found = match_info(TOY_STAFF, msgspec.structs.replace(header, **strange))
        assert found.roles == (US, SECOND)


# -- several commanders asked at once


async def test_one_person_drafts_for_every_commander(tmp_path: Path) -> None:
    session = begun(tmp_path, 3, names=dict.fromkeys(ROLES[:3], "Ann"))
    assert session.own_roles == session.people == (US, SECOND, THIRD)
    questions = []
    for role, sector in ((US, 1), (SECOND, 4), (THIRD, 9)):
        session.view_as(role)
        decision = session.decision()
        assert decision is not None
        questions.append(decision.prompt)
        result = await session.give(Search(sector=sector))
        assert result is (CommandResult.SENT if role == THIRD else CommandResult.DRAFTED)
        if role != THIRD:
            await session.commit()
    assert questions == [f"Search one of the sectors of {role}" for role in (US, SECOND, THIRD)]
    given = [record.role for record in session.match.records if record.kind == "command"]
    assert given == [US, SECOND, THIRD]
    await session.close()


async def test_drafts_of_several_commanders_are_kept_separately(tmp_path: Path) -> None:
    session = begun(tmp_path, 3, names=dict.fromkeys(ROLES[:3], "Ann"))
    for role, sector in ((US, 1), (SECOND, 4)):
        session.view_as(role)
        await session.give(Search(sector=sector))
    session.view_as(THIRD)
    await session.give(Stay())  # the dice are rolled only when all have answered
    session.view_as(US)
    assert session.draft.commands == (Search(sector=1),)
    await session.commit()
    session.view_as(SECOND)
    assert session.draft.commands == (Search(sector=4),)
    assert await session.commit() == 1
    session.view_as(THIRD)
    refused = session.refusals(Search(sector=1))
    assert [reason.rule for reason in refused] == ["1.1"]
    await session.close()


async def test_draft_survives_answers_of_other_commanders(tmp_path: Path) -> None:
    session = begun(tmp_path, 2, names=dict.fromkeys(ROLES[:2], "Ann"))
    await session.give(Search(sector=2))
    session.submit(SECOND, Stay())  # from now on an answer leads to the dice
    assert session.draft.commands == (Search(sector=2),)
    assert session.decision() is None
    assert session.draft.undo() == Search(sector=2)
    assert session.decision() is not None
    await session.give(Search(sector=3))
    assert session.match.records[-1].role == US
    await session.close()


async def test_bot_commanders_answer_while_a_person_decides(tmp_path: Path) -> None:
    session = begun(tmp_path, 4, bots={SECOND: "random", FOURTH: "random"}, names={US: "Ann"})
    assert session.role == US
    while await session.advance():
        pass
    assert session.waiting_for() == (US, THIRD)
    await session.give(Stay())
    await session.commit()
    assert session.waiting_for() == (THIRD,)
    assert session.next_role_to_show() == THIRD
    await session.close()


async def raided(session: LocalSession) -> None:
    """Let all commanders stay until a raid asks all of them."""
    while not session.match.state.at.raided:
        for role in session.waiting_for():
            session.submit(role, Stay())


async def test_a_standing_order_answers_the_raid_for_all_commanders_of_a_person(
    tmp_path: Path,
) -> None:
    session = begun(tmp_path, 4, names={**dict.fromkeys((US, SECOND, FOURTH), "Ann"), THIRD: "Bob"})
    session.orders.change("use stand")
    await raided(session)
    before = session.seq
    while await session.advance():
        pass
    answered = session.match.records[before + 1 :]
    assert [record.role for record in answered] == [US, SECOND, FOURTH]
    assert session.waiting_for() == (THIRD,)
    session.switch_role(THIRD)
    await session.give(Evade())
    await session.commit()
    assert session.match.state.at.raided == ()
    await session.close()


async def test_any_time_command_is_accepted_while_another_commander_decides(tmp_path: Path) -> None:
    position = msgspec.structs.replace(
        TOY_STAFF.position("cruise", options(2)),
        lost=2,
        raided=(SECOND,),
        orders={US: 0, SECOND: 0},
    )
    session = games.create_game(
        NewGame(game="staff", scenario="", position=position), tmp_path / "a.fplog"
    )
    session.switch_role(US)
    assert session.decision() is None
    assert session.free_actions() == (Rally(),)
    await session.give(Rally())
    assert session.match.state.at.lost == 1
    assert session.waiting_for() == (SECOND,)
    session.switch_role(SECOND)
    await session.give(Stand())
    await session.close()


async def test_any_time_command_is_drafted_by_the_deciding_commander(tmp_path: Path) -> None:
    position = msgspec.structs.replace(TOY_STAFF.position("cruise", options(2)), lost=2)
    session = games.create_game(
        NewGame(game="staff", scenario="", position=position), tmp_path / "a.fplog"
    )
    session.switch_role(US)
    assert session.decision() is not None
    assert await session.give(Rally()) is CommandResult.DRAFTED
    assert (session.match.state.at.lost, session.draft.commands) == (2, (Rally(),))
    assert session.draft.undo() == Rally()
    await session.give(Rally())
    await session.commit()
    assert session.match.state.at.lost == 1
    await session.close()


async def test_takeback_returns_to_before_the_persons_last_command(tmp_path: Path) -> None:
    session = begun(tmp_path, 3, names={US: "Ann", THIRD: "Ann", SECOND: "Bob"})
    session.submit(US, Stay())
    session.submit(SECOND, Search(sector=5))
    assert session.own_roles == (US, THIRD)
    await session.negotiation.take_back()
    assert session.waiting_for() == (US, SECOND, THIRD)
    await session.close()


# -- the players' own data


async def test_custom_data_is_stored_in_the_record(tmp_path: Path) -> None:
    session = begun(tmp_path, 2, data=OWN_CHART)
    assert session.match.state.at.chart == (9,) * 10
    assert isinstance(session.match.header.own_data, str)
    await session.close()
    again = games.resume(tmp_path / "a.fplog")
    position: StaffPosition = TOY_STAFF.to_position(again.match.state)
    assert position.own == OWN_CHART
    await again.close()


def test_custom_data_is_refused_by_a_game_that_does_not_support_it(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="this game does not accept your own data"):
        games.create_game(NewGame(game="eots", scenario="1943", data=b"{}"), tmp_path / "a.fplog")
    with pytest.raises(DataError, match="chart"):
        begun(tmp_path, 1, data=b'{"chart": [1]}')
    assert not list(tmp_path.iterdir())
