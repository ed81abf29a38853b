"""Many sessions of one account at once, and many who watch one game: none lost, none mixed, none too large (S4)."""

import re
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from saves.logfile import read_log
from saves.verify import verify_file
from tests.netplay.tables import live, room, step, until
from tests.sizes import sized
from tests.toy_game import BLUE, RED
from tests.tui.terminals import Terminal

SESSIONS: Final = sized(2, 4, 40, of="sessions at once")
WATCHERS: Final = sized(3, 10, 100, of="spectators of a game")
KEYS: Final = b"dcdcdc"
MEGABYTES: Final = 80
KEY_SECONDS: Final = 0.15
"""Processor time of a key; on a machine with a processor for it, that is how long it takes."""
PROGRAM: Final = """
from tools.cli import main
main(["play", "eots", "--scenario", "1943", "--seat", "allied", "--bot", "japan=random"])
"""


def megabytes(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1024


@pytest.mark.full
@pytest.mark.campaign("S4")
def test_s4_sessions_of_one_account_keep_a_record_each(tmp_path: Path) -> None:
    with ExitStack() as stack:
        sessions = [stack.enter_context(Terminal(PROGRAM, tmp_path)) for _ in range(SESSIONS)]
        for session in sessions:
            session.ready()
        before = [session.cpu_seconds() for session in sessions]
        for key in KEYS:
            for session in sessions:
                session.type(bytes([key]))
            for session in sessions:
                session.settle()
        for session, used in zip(sessions, before, strict=True):
            assert session.is_alive()
            assert megabytes(session.pid) < MEGABYTES
            assert (session.cpu_seconds() - used) / len(KEYS) < KEY_SECONDS
        for session in sessions:
            session.hang_up()
            assert session.wait(10) is not None
    records = [*tmp_path.rglob("*.fplog")]
    assert len(records) == SESSIONS
    assert len({read_log(path).header.match_id for path in records}) == SESSIONS
    for path in records:
        verdict = verify_file(path)
        assert verdict.finding is None
        assert verdict.commands > 0, verdict.file


@pytest.mark.campaign("S4")
async def test_s4_all_who_watch_a_game_see_the_same(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        watchers = [table.peer(None, f"watcher-{number}") for number in range(WATCHERS)]
        await live(red, blue, *watchers)
        await step(6, 4, red, blue)
        judge = table.host.tables[table.match].match
        await until(lambda: all(each.seq == judge.seq for each in watchers))
        assert {each.copy.chain for each in watchers} == {judge.chain}
        assert {each.copy.digest() for each in watchers} == {judge.view_digest(None)}
