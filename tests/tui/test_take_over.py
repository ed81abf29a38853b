"""A second login takes over a game from a program with a dead line. The first one is informed, and nothing is lost."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.widgets import OptionList

from engine import registry
from netplay.host.host_thread import HostThread
from netplay.host.ssh_lobby import seats_of
from saves.errors import LogInUseError
from saves.lock_holder import TAKEN_OVER, end_holder, lock_holder
from saves.logfile import lock_path
from tests.netplay.tables import toy_plan
from tests.netplay.test_plain_processes import Lines
from tests.patience import PATIENCE
from tests.toy_game import BLUE, RED, REGISTERED
from tests.tui.apps import GOOD, QUIET, reached
from tests.tui.terminals import Terminal
from tui.app.ssh_app import create_ssh_app
from tui.screens.dialogs.prompt import SureDialog
from tui.screens.lobby.ssh_lobby import SshLobbyScreen
from tui.screens.match.play import PlayScreen
from tui.terminal.settings import save_settings

SENTENCE = "Another login has taken over this seat. Everything played so far is saved."
HOLD = """
import sys, time
from pathlib import Path
from saves.logfile import lock_path
held = lock_path(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(1000)
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Start a process that holds the lock of ``game.fplog``."""
    words = [sys.executable, "-c", HOLD, str(tmp_path / "game.fplog")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


@pytest.mark.full
def test_lock_error_names_the_process_and_how_to_end_it(
    holder: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    path = tmp_path / "game.fplog"
    assert lock_holder(path) == holder.pid
    with pytest.raises(LogInUseError) as caught:
        lock_path(path)
    assert str(caught.value) == (
        f"{path} is in use by another program (process {holder.pid}); quit the game there, or end that program with"
        f" 'kill {holder.pid}' ('kill -9 {holder.pid}' if it hangs). Everything played so far is saved"
    )
    with pytest.raises(LogInUseError, match=f"process {holder.pid}"):
        end_holder(path, holder.pid + 1)  # another program than the one asked about
    assert holder.poll() is None
    end_holder(path, holder.pid)
    assert holder.wait(PATIENCE) == -TAKEN_OVER
    assert lock_holder(path) == 0
    lock_path(path).release()


def test_game_open_in_this_program_is_not_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "game.fplog"
    held = lock_path(path)
    assert lock_holder(path) == os.getpid()
    with pytest.raises(LogInUseError, match="is already open in this program"):
        lock_path(path)
    held.release()
    assert lock_holder(path) == lock_holder(tmp_path / "none") == 0


@pytest.mark.full
@pytest.mark.parametrize("hangs", [False, True], ids=["dead-line", "hangs"])
async def test_second_lobby_login_takes_over_a_seat_after_confirmation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, hangs: bool
) -> None:
    monkeypatch.setitem(registry._GAMES, "toy", REGISTERED)
    folder, keep = tmp_path / "host", tmp_path / "door"
    assert not save_settings(keep / "bob" / "settings.json", QUIET)
    host = HostThread(toy_plan(folder, {RED: "Ann", BLUE: "Bob"}, own=RED))
    host.start()
    (seat,) = seats_of(folder, folder / "invites", "bob")
    older = Lines(keep / "bob" / "joined", "join", str(seat.invite_file.path))
    try:
        await asyncio.to_thread(older.says, "Type help for the commands.")
        if hangs:
            older.process.send_signal(signal.SIGSTOP)
        program = create_ssh_app(GOOD, "bob", folder, folder / "invites", keep)
        async with program.run_test(size=(80, 24)) as pilot:
            screen = program.screen
            assert isinstance(screen, SshLobbyScreen)
            await reached(pilot, lambda: len(screen.seats) == 1, PATIENCE)
            assert screen.query_one(OptionList).highlighted == 0
            for answer in ("n", "y"):
                await pilot.press("enter")
                await reached(pilot, lambda: isinstance(program.screen, SureDialog), PATIENCE)
                assert older.process.poll() is None
                await pilot.press(answer)
            await reached(pilot, lambda: isinstance(program.screen, PlayScreen), PATIENCE)
        code = await asyncio.to_thread(older.process.wait, PATIENCE)
        assert code == (-signal.SIGKILL if hangs else 128 + TAKEN_OVER)
        assert (SENTENCE in older.text) is not hangs, older.text
    finally:
        older.end()
        host.stop()


@pytest.mark.full
def test_older_program_reports_the_takeover_on_screen(tmp_path: Path) -> None:
    path = tmp_path / "game.fplog"
    code = (
        f"import sys; sys.argv += ['play', 'qmg', '--save', {str(path)!r}];"
        " from tools.cli import main; main()"
    )
    with Terminal(code, tmp_path) as program:
        program.ready()
        assert lock_holder(path) == program.pid
        program.signal(TAKEN_OVER)
        shown = program.until(SENTENCE.encode())
        assert SENTENCE.encode() in shown
        assert program.wait(PATIENCE) is not None
    assert program.status == 128 + TAKEN_OVER
    lock_path(path).release()
