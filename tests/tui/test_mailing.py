"""Play by move files from the screens: opened under Host, continued under Join and at the table."""

from pathlib import Path

import pytest
from textual.events import Paste
from textual.widgets import OptionList, Static

from engine import registry
from netplay.mail.match_creation import open_by_mail
from netplay.mail.session import HostMailSession, MailSession
from saves.folders import hosted_folder, invites_folder, joined_folder, mail_folder
from tests.tools.plans import mail_plan
from tests.toy_game import BLUE, RED, REGISTERED, Hold
from tests.tui.apps import app, reached
from tui.app.app import FlagplotApp
from tui.screens.dialogs.prompt import LineDialog, TextDialog
from tui.screens.lobby.join import JoinScreen
from tui.screens.match.play import PlayScreen


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._GAMES, "toy", REGISTERED)


class Home:
    """The accounts of two people, one after the other in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self._monkeypatch = monkeypatch
        self._folder = folder

    def of(self, name: str) -> tuple[FlagplotApp, JoinScreen]:
        home = self._folder / name
        home.mkdir(exist_ok=True)
        self._monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
        self._monkeypatch.setenv("HOME", str(home))
        self._monkeypatch.chdir(home)
        screen = JoinScreen((invites_folder(), Path.cwd()), joined_folder(), None)
        return app(home, screen), screen


def rows(screen: JoinScreen) -> list[str]:
    return [str(option.prompt) for option in screen.query_one(OptionList).options]


def dialog_text(program: FlagplotApp) -> str:
    return "\n".join(str(part.render()) for part in program.screen.query(Static))


async def first_file(home: Home, size: tuple[int, int]) -> str:
    """Write Ann's first file under Join, and open her table."""
    program, screen = home.of("ann")
    async with program.run_test(size=size) as pilot:
        await reached(pilot, lambda: len(screen.seats) == 1)
        assert "by move files; you host" in rows(screen)[0]
        await pilot.press("s")
        await reached(pilot, lambda: isinstance(program.screen, TextDialog))
        (file,) = mail_folder().iterdir()
        assert "to Bob" in dialog_text(program)
        await pilot.press("escape", "enter")
        await reached(pilot, lambda: isinstance(program.screen, PlayScreen))
        table = program.screen
        assert isinstance(table, PlayScreen)
        assert isinstance(table.session, HostMailSession)
        await pilot.press("q")
        await reached(pilot, lambda: program.screen is screen)
    return file.read_text()


async def make_step(home: Home, size: tuple[int, int], first: str) -> str:
    """Paste a file under Join as Bob, answer at the table, and write the file there."""
    program, screen = home.of("bob")
    async with program.run_test(size=size) as pilot:
        await reached(pilot, lambda: len(screen.seats) == 1)
        await pilot.press("enter")
        await reached(pilot, lambda: isinstance(program.screen, TextDialog))
        assert "has not received a move file" in dialog_text(program).replace("\n", " ")
        await pilot.press("escape")
        screen.post_message(Paste(f"Hello Bob,\n{first}"))
        await reached(pilot, lambda: isinstance(program.screen, TextDialog))
        assert "1 new record" in dialog_text(program)
        await pilot.press("escape")
        await reached(pilot, lambda: program.screen is screen)
        await pilot.press("enter")
        await reached(pilot, lambda: isinstance(program.screen, PlayScreen))
        table = program.screen
        assert isinstance(table, PlayScreen)
        assert isinstance(table.session, MailSession)
        await table.session.give(Hold())
        table.show_question()
        await pilot.press("P")
        await pilot.pause()
        assert not mail_folder().exists()  # nothing that was only tried is written
        await pilot.press("c")
        await reached(pilot, lambda: table.session.status() == "by files | 1 to send")
        await pilot.press("P")
        await reached(pilot, lambda: isinstance(program.screen, TextDialog))
        assert table.session.status() == "by files | 1 sent"
        (answer,) = mail_folder().iterdir()
        await pilot.press("escape")
        await reached(pilot, lambda: program.screen is table)
        await pilot.press("q")
        await reached(pilot, lambda: program.screen is screen)
    return answer.read_text()


@pytest.mark.full
@pytest.mark.parametrize("size", [(80, 24), (160, 46)], ids=["small", "large"])
async def test_round_of_move_files_is_played_from_the_screens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    home = Home(monkeypatch, tmp_path)
    home.of("ann")
    players = {RED: "Ann", BLUE: "Bob"}
    running = open_by_mail(mail_plan(hosted_folder(), "toy", "short", players, RED))
    first = await first_file(home, size)
    home.of("bob")
    (sent,) = [Path(one.path) for one in running.invites if not one.is_own]
    sent.rename(Path.cwd() / "bob.invite")
    answer = await make_step(home, size, first)
    program, screen = home.of("ann")
    (Path.cwd() / "from-bob.txt").write_text(f"Saved from a mail.\n\n{answer}")
    async with program.run_test(size=size) as pilot:
        await reached(pilot, lambda: len(screen.seats) == 1)
        await pilot.press("t")
        await reached(pilot, lambda: isinstance(program.screen, LineDialog))
        await pilot.press("enter")  # the newest file nearby is suggested
        await reached(pilot, lambda: isinstance(program.screen, TextDialog))
        assert "1 command carried out" in dialog_text(program)


@pytest.mark.full
async def test_unreadable_move_file_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, screen = Home(monkeypatch, tmp_path).of("cy")
    async with program.run_test(size=(80, 24)) as pilot:
        await reached(pilot, lambda: bool(rows(screen)))
        await pilot.press("s")
        await pilot.pause()
        assert program.screen is screen
        await pilot.press("t")
        await reached(pilot, lambda: isinstance(program.screen, LineDialog))
        await pilot.press(*"nowhere.txt", "enter")
        await reached(pilot, lambda: isinstance(program.screen, TextDialog))
        assert "cannot be read" in dialog_text(program)
        await pilot.press("escape")
        screen.post_message(Paste("-----BEGIN FLAGPLOT MOVE-----\nAAAA\n"))
        await reached(pilot, lambda: isinstance(program.screen, TextDialog))
        assert "the end is missing" in dialog_text(program).replace("\n", " ")
