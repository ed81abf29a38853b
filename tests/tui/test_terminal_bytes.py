"""Bytes per key, measured on a pseudo-terminal (S6)."""

import re
from pathlib import Path

import pytest

from tests.sizes import sampled, sized
from tests.tui.programs import MENU, STILL
from tests.tui.terminals import Terminal

PICTURE = re.compile(rb"\x1b\[1;1H")
MOVES = ("\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D")
SIZES = [((80, 24), 15_000), ((120, 40), 30_000), ((200, 60), 80_000)]


@pytest.mark.full
@pytest.mark.series("S6")
@pytest.mark.parametrize(
    ("size", "whole"),
    [
        pytest.param(*one, id=f"S6-{one[0][0]}x{one[0][1]}")
        for one in sampled(SIZES, 1, of="sizes of the terminal")
    ],
)
def test_keys_stay_within_the_byte_budget(
    tmp_path: Path, size: tuple[int, int], whole: int
) -> None:
    with Terminal(STILL, tmp_path, size) as terminal:
        start = terminal.ready()
        assert len(PICTURE.findall(start)) <= 2
        terminal.send("\t")  # focus moves from the list to the map
        for key in MOVES:
            assert 0 < len(terminal.send(key)) <= 2_000, key
        for _ in range(sized(0, 6, of="steps to the edge, where the map moves along")):
            assert 0 < len(terminal.send(MOVES[1])) <= 20_000
        assert 0 < len(terminal.send("\x0c")) <= whole
        for key in ("z", "z", "z", "O", "O"):
            assert len(terminal.send(key)) <= whole
        assert terminal.drain(sized(1, 2, 60, of="seconds without a byte")) == b""


@pytest.mark.series("S6")
def test_the_menu_is_painted_once(tmp_path: Path) -> None:
    with Terminal(MENU, tmp_path) as terminal:
        start = terminal.ready()
        assert start.count(b"New game") == 1
        assert len(start) < 12_000  # with the picture, which appears when no key is pressed
