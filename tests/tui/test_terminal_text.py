"""No byte of hostile text is interpreted by the terminal as a command (S1)."""

import re
from pathlib import Path

import pytest

from tests.tui.hostile import TEXTS
from tests.tui.programs import HOSTILE, HOSTILE_FILES
from tests.tui.terminals import Terminal

OWN = re.compile(
    rb"\x1b\[\d+;\d+H"  # cursor
    rb"|\x1b\[[0-9;]*m"  # appearance
    rb"|\x1b\[\?(?:1049|1000|1003|1015|1006|1004|2004|25|7|2026)[hl]"
    rb"|\x1b\[[<>][0-9]*u|\x1b\[\?2026\$p"  # keyboard and synchronised output
    rb"|\x1b\]22;default\x07"  # mouse pointer
)
"""Matches every sequence that the program itself writes."""


def _assert_own_bytes_only(output: bytes) -> None:
    rest = OWN.sub(b"", output)
    text = rest.decode("utf-8")  # strict: no stray C1 bytes, no surrogates
    bad = [
        letter
        for letter in text
        if (letter < " " and letter not in "\r\n") or "\x7f" <= letter <= "\x9f"
    ]
    assert bad == []
    for hidden in "\u202e\u2066\u200b\u200f\u2028\u2060\ufeff\u00ad":
        assert hidden not in text


@pytest.mark.full
@pytest.mark.series("S1")
def test_hostile_text_is_shown_as_text(tmp_path: Path) -> None:
    with Terminal(HOSTILE, tmp_path, (160, 46)) as terminal:
        output = terminal.ready()
        for _ in range(len(TEXTS) // 4):
            terminal.type("k")
            output += terminal.drain(0.05)
        output += terminal.send("h") + terminal.send("\x1b[6~") + terminal.send("q")
        output += terminal.send("j")
        for _ in range(6):
            output += terminal.send("\x1b")
        assert terminal.is_alive()
        output += terminal.send("\x11")
        assert terminal.wait(5) is not None
    assert len(output) > 5000
    _assert_own_bytes_only(output)


@pytest.mark.full
@pytest.mark.series("S1")
def test_hostile_file_and_player_names_are_shown_as_text(tmp_path: Path) -> None:
    with Terminal(HOSTILE_FILES, tmp_path, (120, 40)) as terminal:
        output = terminal.until(b"Saved games")
        for key in (
            "\x1b[B",
            "\x1b[6~",
            "r",
            "\x1b",
            "\x1b[6~",
            "v",
            "\x1b",
            "\x1b[F",
            "r",
            "k",
            "\x1b[6~",
            "\r",
        ):
            output += terminal.send(key)
        assert terminal.is_alive()
        terminal.type("\x11")
        assert terminal.wait(5) is not None
    _assert_own_bytes_only(output)
