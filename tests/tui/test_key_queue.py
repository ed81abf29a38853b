"""Keys that arrive together have the same effect as one by one."""

from pathlib import Path
from typing import Final

import pytest

from saves.logfile import read_log
from tests.sizes import sampled
from tests.tui.programs import EOTS
from tests.tui.terminals import Terminal

KEYS: Final = b"dcdcdc"
"""The default choice and commit, three times."""
SIZES: Final = sampled([1, len(KEYS), 2], 2, of="sizes of the bunches")


def chains(home: Path) -> list[bytes]:
    return [record.chain for record in read_log(home / "game.fplog").records]


@pytest.mark.full
@pytest.mark.series("S7")
def test_keys_sent_in_batches_play_the_same_game(tmp_path: Path) -> None:
    for size in SIZES:
        with Terminal(EOTS, tmp_path / str(size)) as terminal:
            terminal.ready()
            for start in range(0, len(KEYS), size):
                terminal.send(KEYS[start : start + size])
    one_by_one, *bunches = (chains(tmp_path / str(size)) for size in SIZES)
    assert all(bunch == one_by_one for bunch in bunches)
    assert len(one_by_one) > 2
