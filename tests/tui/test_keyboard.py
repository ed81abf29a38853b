"""Lines on a terminal are wrapped between words, and lines are read until the input ends."""

import asyncio
import datetime as dt
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from netplay.invites.identity import new_authority
from netplay.invites.invite import new_invite, write_invite
from netplay.wire.errors import NetworkError
from play.games import NewGame, create_game
from tests.netplay.tables import until
from tests.netplay.test_processes import free_port
from tests.patience import PATIENCE
from tui.app import launch
from tui.console import game as console_game
from tui.console.keyboard import Keyboard, TypedAhead, wrap_line
from tui.presenter.presenter import load_presenter


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        pytest.param("short", ["short"], id="it-fits"),
        pytest.param("  one two six", ["  one two", "      six"], id="further-in"),
        pytest.param(
            "a/very-long-name.fplog", ["a/very-lon", "    g-name", "    .fplog"], id="no-word"
        ),
        pytest.param("", [""], id="nothing"),
    ],
)
def test_line_is_wrapped_between_words(line: str, parts: list[str]) -> None:
    assert wrap_line(line, 10) == parts


class Pipe:
    """A standard input that a test writes to."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()

    def fileno(self) -> int:
        return self._reader

    def say(self, data: bytes) -> None:
        os.write(self._writer, data)

    def end(self) -> None:
        if self._writer >= 0:
            os.close(self._writer)
        self._writer = -1


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pipe]:
    pipe = Pipe()
    monkeypatch.setattr(sys, "stdin", pipe)
    yield pipe
    pipe.end()
    os.close(pipe.fileno())


async def _read(keyboard: Keyboard) -> str:
    return await asyncio.wait_for(keyboard.read("> "), PATIENCE)


async def test_lines_are_read_until_the_input_ends(typed: Pipe) -> None:
    keyboard = Keyboard()
    typed.say("first\nsécond\nno end".encode())
    assert [await _read(keyboard) for _ in range(2)] == ["first", "sécond"]
    typed.end()
    for _ in range(2):
        with pytest.raises(EOFError):
            await _read(keyboard)


async def test_lost_terminal_ends_the_input(typed: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(handle: int, size: int) -> bytes:
        raise OSError(5, "Input/output error")

    typed.say(b"x")
    with monkeypatch.context() as patch:
        patch.setattr(os, "read", gone)
        with pytest.raises(EOFError):
            await _read(Keyboard())


async def test_line_is_read_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lines"
    path.write_text("only\n")
    with path.open("rb") as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert await _read(Keyboard()) == "only"


async def test_lines_typed_before_the_game_are_kept(typed: Pipe) -> None:
    ahead = TypedAhead(Keyboard())
    ahead.listen()
    typed.say(b"hand\nmap\nlo")
    await until(lambda: len(ahead._lines) == 2)
    await ahead.stop()
    typed.say(b"g\n")
    assert [await ahead.read("> ") for _ in range(3)] == ["hand", "map", "log"]
    assert not ahead.has_left
    typed.end()
    with pytest.raises(EOFError):
        await ahead.read("> ")


@pytest.mark.parametrize("word", [b"quit\n", b"hand\n Q\n"])
async def test_player_waiting_for_a_game_can_quit(typed: Pipe, word: bytes) -> None:
    ahead = TypedAhead(Keyboard())
    ahead.listen()
    typed.say(word)
    await until(lambda: ahead.has_left)
    await ahead.stop()


@pytest.mark.parametrize("leaves", [True, False])
async def test_unreachable_host_is_reported_and_quit_works(
    typed: Pipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, leaves: bool
) -> None:
    said: list[str] = []
    monkeypatch.setattr("tui.console.keyboard.print_line", said.append)
    now = dt.datetime.now(dt.UTC)
    address = (f"tls+tcp://127.0.0.1:{free_port()}",)
    valid = now, now + dt.timedelta(days=9)
    invite = new_invite(new_authority(now), address, "0" * 16, "qmg", "uk", valid)
    path = write_invite(tmp_path / "sent", invite)
    joining = asyncio.create_task(launch._join_plain(path, tmp_path / "uk"))
    await until(lambda: bool(said))
    assert said[0].startswith("No host is listening at tls+tcp://127.0.0.1:"), said
    assert said[0].endswith("Still trying. Type quit to leave.")
    if leaves:
        typed.say(b"quit\n")
        assert await asyncio.wait_for(joining, PATIENCE) == 0
    else:
        typed.end()
        with pytest.raises(NetworkError, match="no host is listening at"):
            await asyncio.wait_for(joining, PATIENCE)


async def test_player_waiting_for_a_host_reply_can_quit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console_game, "_ANSWER_SECONDS", 0.0)
    session = create_game(NewGame(game="qmg", scenario="base"), tmp_path / "game.fplog")
    lines, said = ["what", "quit"], list[str]()

    async def read(prompt: str) -> str:
        del prompt
        return lines.pop(0)

    async def never() -> int:
        await asyncio.Event().wait()
        return 1

    async def soon() -> int:
        await asyncio.sleep(0)
        return 2

    game = console_game.PlainGame(session, load_presenter(session.ruleset), read, said.append)
    assert await game.deliver(never()) is None
    assert game._has_left
    assert said == ["The host has not answered yet. Type quit to leave."] * 2
    monkeypatch.setattr(console_game, "_ANSWER_SECONDS", PATIENCE)
    assert await game.deliver(soon()) == 2
    await session.close()
