"""Lines on a terminal are cut between words, and lines are read until the input ends."""

import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tui.keyboard import Keyboard, fold


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
def test_a_line_is_cut_between_words(line: str, parts: list[str]) -> None:
    assert fold(line, 10) == parts


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


async def test_a_terminal_that_is_gone_is_the_end_of_the_input(
    typed: Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(handle: int, size: int) -> bytes:
        raise OSError(5, "Input/output error")

    typed.say(b"x")
    with monkeypatch.context() as patch:
        patch.setattr(os, "read", gone)
        with pytest.raises(EOFError):
            await _read(Keyboard())


async def test_a_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lines"
    path.write_text("only\n")
    with path.open("rb") as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert await _read(Keyboard()) == "only"
