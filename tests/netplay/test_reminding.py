"""Reminders: recipients, frequency, the command's environment, and limits on bad commands."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from engine import registry
from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from netplay.feed import reminders
from netplay.feed.reminders import ReminderRunner, TurnReminder, TurnTracker, split_command_line
from netplay.match.host_config import HostConfig
from netplay.wire.errors import NetworkError
from play.offers import OfferKind
from tests.netplay.tables import live, room, until
from tests.toy_game import BLUE, RED, REGISTERED, Hold, Roll
from tools.headless_peer import LogSentence, Reminder, watch

ASK, WOOD, SEA = Role("ash"), Role("wood"), Role("sea")
WRITES = """
import os, sys
with open(sys.argv[1], "a") as file:
    told = [os.environ["FLAGPLOT_" + name] for name in ("MATCH", "GAME", "SEAT", "PLAYER", "HEADING")]
    file.write(repr([*told, *sys.argv[2:]]) + "\\n")
"""


class Watch:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_a_command_is_split_into_words_without_a_shell() -> None:
    assert split_command_line("mail -s 'your move' $HOME;ls") == (
        "mail",
        "-s",
        "your move",
        "$HOME;ls",
    )
    for wrong in ("", "  ", "''", "say 'your move"):
        with pytest.raises(DataError):
            split_command_line(wrong)


def test_an_absent_player_is_reminded_once_per_turn() -> None:
    watch = Watch()
    turns = TurnTracker([(ASK,), (WOOD,)], now=watch)
    assert turns.due_reminders([ASK], []) == ()
    watch.seconds += 11
    assert turns.due_reminders([ASK], []) == (ASK,)
    watch.seconds += 100
    assert turns.due_reminders([ASK], []) == ()
    assert turns.due_reminders([ASK], [ASK]) == ()  # the player comes and goes without a move
    watch.seconds += 100
    assert turns.due_reminders([ASK], []) == ()
    assert turns.due_reminders([WOOD], []) == ()
    assert turns.due_reminders([ASK], []) == ()
    watch.seconds += 11
    assert turns.due_reminders([ASK], []) == (ASK,)


def test_a_turn_that_passed_between_two_checks_is_a_new_turn() -> None:
    watch = Watch()
    turns = TurnTracker([(ASK,)], reminded=[ASK], now=watch)
    turns.update([WOOD])
    turns.due_reminders([ASK], [])
    watch.seconds += 11
    assert turns.due_reminders([ASK], []) == (ASK,)


def test_present_and_recently_present_players_are_not_reminded() -> None:
    watch = Watch()
    turns = TurnTracker([(ASK,)], now=watch)
    for _ in range(5):
        watch.seconds += 11
        assert turns.due_reminders([ASK], [ASK]) == ()
        assert turns.due_reminders([ASK], []) == ()
        watch.seconds += 9
        assert turns.due_reminders([ASK], []) == ()


def test_a_player_with_several_roles_is_reminded_once() -> None:
    watch = Watch()
    turns = TurnTracker([(ASK, WOOD), (SEA,)], now=watch)
    turns.due_reminders([ASK, WOOD, SEA], [])
    watch.seconds += 11
    assert turns.due_reminders([ASK, WOOD, SEA], []) == (ASK, SEA)
    assert turns.due_reminders([WOOD], []) == ()
    assert TurnTracker([(ASK,)], reminded=[ASK], now=watch).reminded == {ASK}


def writer(folder: Path) -> tuple[str, ...]:
    script = folder / "remind.py"
    script.write_text(WRITES)
    return sys.executable, str(script), str(folder / "told.txt"), "a b"


def told(folder: Path) -> list[list[str]]:
    path = folder / "told.txt"
    return [eval(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.mark.full
async def test_a_reminder_is_not_repeated_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reminders, "ABSENCE_SECONDS", 0.2)
    manner = HostConfig(window_seconds=0.0, remind=writer(tmp_path))
    async with room(tmp_path, manner=manner) as table:
        red = table.peer(RED)
        await live(red)
        await until(lambda: len(told(tmp_path)) == 1)
        call = told(tmp_path)[0]
        assert call[:4] == [table.match, "toy", "blue", "Bob"]
        assert call[4]
        assert call[5] == "a b"
        await red.submit(Hold())
        await table.restart()
        await until(lambda: red.is_live)
        blue = table.peer(BLUE)
        await live(blue)
        await blue.submit(Hold())
        await until(lambda: red.is_asked or blue.is_asked)
        await (red if red.is_asked else blue).submit(Roll())
        await until(lambda: red.is_asked)
        await red.close()
        await until(lambda: len(told(tmp_path)) == 2)
        assert told(tmp_path)[1][2] == RED


@pytest.mark.full
@pytest.mark.parametrize(
    "command", [("/nowhere/at-all",), (sys.executable, "-c", "raise SystemExit(3)")]
)
async def test_a_failing_reminder_command_does_not_block_the_match(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: tuple[str, ...],
) -> None:
    monkeypatch.setattr(reminders, "ABSENCE_SECONDS", 0.0)
    logged: list[str] = []
    async with room(tmp_path, manner=HostConfig(window_seconds=0.0, remind=command)) as table:
        red = table.peer(RED)
        await live(red)
        await red.submit(Hold())

        def failed() -> bool:
            logged.append(capsys.readouterr().out)
            return "reminder_failed" in "".join(logged)

        await until(failed)
        blue = table.peer(BLUE)
        await live(blue)
        await blue.submit(Hold())


async def test_a_hanging_reminder_command_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reminders, "ABSENCE_SECONDS", 0.0)
    monkeypatch.setattr(reminders, "_RUN_SECONDS", 0.2)
    command = (sys.executable, "-c", "import signal; signal.pause()")
    logged: list[str] = []
    async with room(tmp_path, manner=HostConfig(window_seconds=0.0, remind=command)):

        def failed() -> bool:
            logged.append(capsys.readouterr().out)
            return "it took more than" in "".join(logged)

        await until(failed)


async def test_closing_waits_for_the_killed_reminder_command(tmp_path: Path) -> None:
    sign = tmp_path / "runs"
    script = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(60)"
    caller = ReminderRunner((sys.executable, "-c", script, str(sign)))
    caller.start(TurnReminder(match="m", game="six", seat=ASK, player="Ann", heading="Round 1"))
    await until(lambda: sign.exists() and sign.read_text() != "")
    await caller.close()
    with pytest.raises(
        ProcessLookupError
    ):  # also of a process that has ended but was not waited for
        os.kill(int(sign.read_text()), 0)


@pytest.mark.full
async def test_a_spectator_invite_can_send_reminders_for_a_player(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reminders, "ABSENCE_SECONDS", 0.1)
    monkeypatch.setitem(registry._GAMES, "toy", REGISTERED)
    async with room(tmp_path) as table:
        red = table.peer(RED)
        await live(red)
        lines: list[LogSentence] = []
        notes: list[str] = []
        reminder = Reminder(role=BLUE, command=writer(tmp_path))
        following = asyncio.create_task(
            watch(table.invites[None], tmp_path / "w", 30, lines.append, notes.append, reminder)
        )
        await until(lambda: len(told(tmp_path)) == 1)
        assert told(tmp_path)[0][:4] == [table.match, "toy", "blue", "Bob"]
        await red.propose(OfferKind.RESIGNATION)
        assert await following == "blue wins: Red resigned."
        assert lines[-1].text == "Red resigned."


async def test_a_reminder_for_an_unknown_role_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry._GAMES, "toy", REGISTERED)
    async with room(tmp_path) as table:
        reminder = Reminder(role=Role("grey"), command=("true",))
        with pytest.raises(NetworkError, match="no role 'grey'; known: red, blue"):
            await watch(table.invites[None], tmp_path / "w", 30, print, print, reminder)
