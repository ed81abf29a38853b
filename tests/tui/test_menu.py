"""The menu and the list of saved games: continuing, the picture, and file operations."""

import os
from pathlib import Path

import pytest
from textual.widgets import OptionList, Static

from engine.kernel.ids import Role
from play.games import NewGame, create_game
from play.local_session import LocalSession
from play.save_files import delete_game, newest_game
from saves.folders import games_folder, lessons_folder
from saves.logfile import read_log
from tests.tui.apps import app, reached
from tui.screens.dialogs.prompt import ChoiceDialog
from tui.screens.lobby.menu import MenuScreen
from tui.screens.lobby.saves import SavesScreen
from tui.screens.match.lesson import LessonScreen
from tui.screens.match.play import PlayScreen
from tui.widgets.game_preview import GamePreview
from tui.widgets.picture import MapPicture


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


async def a_game(name: str) -> Path:
    path = games_folder() / f"{name}.fplog"
    session = create_game(NewGame(game="qmg", scenario="base", bots={Role("uk"): "greedy"}), path)
    await session.close()
    return path


def words(panel: GamePreview) -> str:
    return str(panel.query_one(".words", Static).render())


def grounds(picture: MapPicture) -> set[object]:
    """Return the background colours of a picture."""
    lines = (picture.render_line(y) for y in range(picture.size.height))
    return {piece.style.bgcolor for line in lines for piece in line if piece.style is not None}


@pytest.mark.full
async def test_continue_is_not_offered_before_the_first_game(tmp_path: Path) -> None:
    program = app(tmp_path)
    async with program.run_test(size=(80, 24)) as pilot:
        rows = program.screen.query_one(OptionList)
        assert rows.get_option_at_index(0).id == "learn"
        await pilot.press("c")
        await pilot.pause()
        assert isinstance(program.screen, MenuScreen)
        assert "no saved games" in str(program.screen.query_one(".status", Static).render())


async def test_continue_opens_the_game_left_last(tmp_path: Path) -> None:
    await a_game("old")
    newest = read_log(await a_game("new")).header.match_id
    program = app(tmp_path)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(program.screen, PlayScreen)
        session = program.screen.session
        assert isinstance(session, LocalSession)
        assert session.match.header.match_id == newest


@pytest.mark.full
async def test_menu_previews_the_game_left_last(tmp_path: Path) -> None:
    await a_game("new")
    program = app(tmp_path)
    async with program.run_test(size=(80, 24)) as pilot:
        panel = program.screen.query_one(GamePreview)
        await reached(pilot, lambda: panel.is_shown)
        assert "Quartermaster General" in words(panel)
        assert "Against greedy" in words(panel)
        assert len(grounds(panel.query_one(MapPicture))) > 3


@pytest.mark.full
async def test_preview_follows_newer_moves(tmp_path: Path) -> None:
    path = await a_game("new")
    program = app(tmp_path)
    async with program.run_test(size=(80, 24)) as pilot:
        panel = program.screen.query_one(GamePreview)
        await reached(pilot, lambda: panel.is_shown)
        delete_game(path)
        session = create_game(NewGame(game="qmg", scenario="total-war"), path)
        await session.close()
        os.utime(path, (0, 0))  # another time, even with a coarse file system clock
        panel.show(path)
        await reached(pilot, lambda: panel.is_shown)
        assert "Total War" in words(panel)


@pytest.mark.full
async def test_saved_games_are_searched_renamed_copied_and_deleted(tmp_path: Path) -> None:
    path = await a_game("one")
    await a_game("two")
    program = app(tmp_path)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("r")
        await pilot.pause()
        rows = program.screen.query_one(OptionList)
        await pilot.press("slash", *"one", "enter")
        await pilot.pause()
        assert rows.option_count == 1
        await pilot.press("n", "ctrl+u", *"final", "enter")
        await pilot.pause()
        assert {one.stem for one in path.parent.glob("*.fplog")} == {"final", "two"}
        await pilot.press("slash", "ctrl+u", "enter", "c", "enter")
        await pilot.pause()
        assert len(list(path.parent.glob("*.fplog"))) == 3
        await pilot.press("d", "n", "d", "y")
        await pilot.pause()
        assert len(list(path.parent.glob("*.fplog"))) == 2
        assert isinstance(program.screen, SavesScreen)


@pytest.mark.full
async def test_learn_offers_a_lesson_per_game_and_resumes_it(tmp_path: Path) -> None:
    program = app(tmp_path)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("l")
        await reached(pilot, lambda: isinstance(program.screen, ChoiceDialog))
        rows = program.screen.query_one(OptionList)
        told = [str(option.prompt) for option in rows.options]
        assert [line.rpartition(": ")[2] for line in told[:3]] == [
            "play your first offensive, about 15 minutes",
            "play the first raid, about 15 minutes",
            "play three turns of the UK, about 15 minutes",
        ]
        assert all(line.startswith("Watch a game with comments: ") for line in told[3:])
        await pilot.press("down", "down", "enter")
        await reached(pilot, lambda: isinstance(program.screen, LessonScreen))
        assert newest_game(lessons_folder()) == lessons_folder() / "qmg-lesson.fplog"
        assert newest_game(games_folder()) is None
        await pilot.press("q")
        await reached(pilot, lambda: isinstance(program.screen, MenuScreen))
