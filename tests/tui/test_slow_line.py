"""A turn can be played over a slow line: 200 ms round trip, 64 kbit/s, 2 % loss (S7)."""

from pathlib import Path
from typing import Final

import pytest

from saves.logfile import read_log
from tests.sizes import sized
from tests.tui.programs import EOTS
from tests.tui.slow_lines import BYTES_PER_SECOND, LOST_OF, ONE_WAY_SECONDS, SlowLine
from tests.tui.terminals import Terminal

TURNS: Final = sized(1, 2, 15, of="times the same keys in a game of 1943")
KEYS: Final = (b"d", b"c", b"n", b"\x1b[A", b"d", b"c")
"""The default choice, commit, next unit, the cursor, and the first two again."""
MOST_SECONDS: Final = {b"\x1b[A": 1.0, b"n": 1.0}
"""Maximum time until everything painted for one key has arrived, by key."""
MAP_SECONDS: Final = 2.0
"""The same for keys after which the map may have to move."""


def chains(home: Path) -> list[bytes]:
    return [record.chain for record in read_log(home / "game.fplog").records]


@pytest.mark.full
@pytest.mark.series("S7")
def test_s7_a_slow_line_carries_the_same_game(tmp_path: Path) -> None:
    keys = KEYS * TURNS
    with Terminal(EOTS, tmp_path / "slow") as terminal:
        terminal.ready()
        line = SlowLine(terminal)
        seconds = [(key, line.play(key) / BYTES_PER_SECOND) for key in keys]
    assert line.lost or len(keys) < LOST_OF
    for key, long in seconds:
        assert long + 2 * ONE_WAY_SECONDS < MOST_SECONDS.get(key, MAP_SECONDS), key
    with Terminal(EOTS, tmp_path / "fast") as terminal:
        terminal.ready()
        for key in keys:
            terminal.send(key)
    assert chains(tmp_path / "slow") == chains(tmp_path / "fast")
    assert len(chains(tmp_path / "fast")) > TURNS
