"""Keys that come in a bunch mean what they mean one by one."""

from pathlib import Path
from typing import Final

import pytest

from saves.logfile import read_log
from tests.tui.programs import EOTS
from tests.tui.terminals import Terminal

KEYS: Final = b"dcdcdc"
"""The usual choice and commit, three times."""


def chains(home: Path) -> list[bytes]:
    return [record.chain for record in read_log(home / "game.fplog").records]


@pytest.mark.campaign("S7")
@pytest.mark.parametrize("bunch", [2, len(KEYS)])
def test_a_bunch_of_keys_plays_the_same_game(tmp_path: Path, bunch: int) -> None:
    for name, size in (("one-by-one", 1), ("bunch", bunch)):
        with Terminal(EOTS, tmp_path / name) as terminal:
            terminal.ready()
            for start in range(0, len(KEYS), size):
                terminal.send(KEYS[start : start + size])
    assert chains(tmp_path / "bunch") == chains(tmp_path / "one-by-one")
    assert len(chains(tmp_path / "bunch")) > 2
