"""The forms of a game whose roles depend on an option: only the seats of the match are shown."""

from pathlib import Path

import pytest
from textual.widgets import OptionList

from engine import registry
from engine.kernel.errors import DataError
from play import games
from play.local_session import LocalSession
from tests.sizes import sampled
from tests.toy_game import TOY
from tests.toy_staff import LESSON, ROLES, SECOND, THIRD, TOY_STAFF, US, Stay
from tests.tui.apps import app, reached
from tests.tui.test_plain import Script
from tui.app.app import FlagplotApp
from tui.console.game import PlainGame
from tui.presenter.presenter import Presenter
from tui.screens.dialogs.prompt import TextDialog
from tui.screens.forms import host, new_game
from tui.screens.forms.form import Field, FormDialog
from tui.screens.forms.host import HostDialog
from tui.screens.forms.new_game import NewGameDialog
from tui.screens.match.play import PlayScreen


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    place = registry.Game("tests.toy_staff:TOY_STAFF", "", "", "", {})
    monkeypatch.setitem(registry._GAMES, "staff", place)


def begin(folder: Path, scenario: str) -> LocalSession:
    return games.create_new_game(games.NewGame(game="staff", scenario=scenario), folder)[0]


def reads(program: FlagplotApp) -> bool:
    """Return whether a text is shown on top."""
    return isinstance(program.screen, TextDialog)


def values(fields: tuple[Field, ...]) -> dict[str, str]:
    return {field.id: field.value for field in fields}


def rows_of(dialog: FormDialog) -> list[str]:
    rows = dialog.query_one(OptionList)
    return [str(rows.get_option_at_index(row).id) for row in range(rows.option_count)]


def test_new_game_form_shows_the_seats_of_the_staff_option(tmp_path: Path) -> None:
    form = values(new_game._fields(TOY_STAFF))
    assert [name for name in form if name.startswith("seat:")] == [f"seat:{one}" for one in ROLES]
    alone = new_game.build_new_game(TOY_STAFF, form)
    assert (alone.bots, alone.names, alone.options) == ({}, {US: "person"}, {})
    form |= {"option:staff": "three", "seat:second": "person 2", "seat:fourth": "person 2"}
    new = new_game.build_new_game(TOY_STAFF, form)
    assert new.bots == {THIRD: "random"}
    assert new.names == {US: "person", SECOND: "person 2"}
    session = games.create_game(new, tmp_path / "a.fplog")
    assert session.roles() == ROLES[:3]
    session.match.close()


def test_host_form_shows_the_seats_of_the_staff_option() -> None:
    form = values(host._fields(TOY_STAFF, "Ann"))
    assert host.build_plan(TOY_STAFF, form, Path()).players == {US: "Ann"}
    form |= {"option:staff": "three", "people": "2", "seat:second": "Bob"}
    plan = host.build_plan(TOY_STAFF, form, Path())
    assert plan.players == {US: "Ann", SECOND: "Bob", THIRD: "Ann"}
    assert plan.options == {"staff": "three"}
    with pytest.raises(DataError, match="there is no seating for 2; known: 1"):
        host.build_plan(TOY_STAFF, form | {"option:staff": "one"}, Path())


@pytest.mark.full
@pytest.mark.parametrize("form", sampled([NewGameDialog, HostDialog], 1))
async def test_seats_follow_the_staff_option(
    tmp_path: Path, form: type[NewGameDialog] | type[HostDialog]
) -> None:
    dialog = NewGameDialog(TOY_STAFF) if form is NewGameDialog else HostDialog(TOY_STAFF, "Ann")
    program = app(tmp_path)
    async with program.run_test(size=(80, 24)) as pilot:
        program.push_screen(dialog)
        await pilot.pause()
        assert rows_of(dialog)[:3] == ["scenario", "None", "option:staff"]
        shown: list[list[str]] = []
        for key in ("down", "right", "right", "left", "left"):
            await pilot.press(key)
            await pilot.pause()
            shown.append([row for row in rows_of(dialog) if row.startswith("seat:")])
            assert dialog.query_one(OptionList).highlighted == 2
        assert [len(seats) for seats in shown] == [1, 2, 3, 2, 1]
        assert shown[2] == ["seat:us", "seat:second", "seat:third"]
        await pilot.press("right")
        dialog.query_one(OptionList).highlighted = rows_of(dialog).index("seat:second")
        await pilot.press("right")
        await pilot.pause()
        after = "person" if form is NewGameDialog else "bot:random"
        assert dialog.values["seat:second"] == after


@pytest.mark.full
async def test_briefing_can_be_read_before_and_at_the_start(tmp_path: Path) -> None:
    dialog = NewGameDialog(TOY_STAFF)
    program = app(tmp_path)
    async with program.run_test(size=(80, 24)) as pilot:
        program.push_screen(dialog)
        await pilot.pause()
        await pilot.press("b")
        await pilot.pause()
        assert isinstance(program.screen, TextDialog)
        assert program.screen._lines == tuple(LESSON.splitlines())
        await pilot.press("escape", "right", "b")  # a scenario without a briefing
        await pilot.pause()
        assert not reads(program)
    briefed, other = begin(tmp_path, "drill"), begin(tmp_path, "cruise")
    assert briefed.briefing() == LESSON
    assert other.briefing() == ""
    briefed.submit(US, Stay())
    assert briefed.briefing() == ""
    await briefed.close()
    await other.close()


async def test_briefing_is_printed_before_the_first_question(tmp_path: Path) -> None:
    script = Script(["quit"])
    session = begin(tmp_path, "drill")
    await PlainGame(session, Presenter(TOY_STAFF), script.read, script.write).run()
    said = script.text
    first, last = LESSON.splitlines()
    assert said.index(first) < said.index(last) < said.index("Search one of the sectors of us")
    await session.close()
    screen = PlayScreen(begin(tmp_path, "drill"), Presenter(TOY_STAFF))
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert reads(program)
        await pilot.press("escape")
        await pilot.pause()
        assert not reads(program)


@pytest.mark.full
async def test_hotseat_has_no_cover_when_nothing_is_hidden(tmp_path: Path) -> None:
    script = Script(["stay", "commit", "search 5", "quit"])
    two = {"option:staff": "two", "seat:second": "person 2", "scenario": "cruise"}
    new = new_game.build_new_game(TOY_STAFF, values(new_game._fields(TOY_STAFF)) | two)
    session = games.create_game(new, tmp_path / "a.fplog")
    await PlainGame(session, Presenter(TOY_STAFF), script.read, script.write).run()
    assert "take the keyboard" not in script.text
    assert script.text.index("You play Us now.") < script.text.index("You play Second now.")
    assert "second searches sector 5." in script.text
    await session.close()
    session = games.create_game(new, tmp_path / "b.fplog")
    screen = PlayScreen(session, Presenter(TOY_STAFF))
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        screen.give_command(Stay())
        await pilot.pause()
        await pilot.press("c")
        await reached(pilot, lambda: session.role == SECOND)
        assert program.screen is screen


def test_game_with_fixed_roles_hides_no_seats() -> None:
    switches = {f"option:{one.id}" for one in TOY.options()}
    assert NewGameDialog(TOY).hidden_rows() == switches
    clocks = {"time:decision", "time:game", "time:move", "flag"}
    assert HostDialog(TOY, "Ann").hidden_rows() == {*switches, *clocks, "level"}
