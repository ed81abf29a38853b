"""Many sessions at once, of one account and of several, and many spectators: none lost, mixed or too large (S4)."""

import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from netplay.peer.peer import Peer
from netplay.wire.limits import MAX_SPECTATORS
from saves.logfile import read_log
from saves.verify import verify_file
from tests.netplay.tables import live, room, step, until
from tests.sizes import sized
from tests.toy_game import BLUE, RED
from tests.tui.terminals import Terminal, settle_all, shows_keys

SESSIONS: Final = sized(2, 4, 40, of="sessions at once")
WATCHERS: Final = sized(3, 10, 64, of="spectators of a game")
"""In a nightly run, the maximum number for a host."""
AT_ONCE: Final = 8
"""Spectators that connect at once. Host and peers share one process, so their handshakes slow each other down."""
KEYS: Final = b"dcdcdc"
MEGABYTES: Final = 80
KEY_SECONDS: Final = 0.15
"""Processor time per key, which equals the elapsed time if a processor is free."""
PROGRAM: Final = """
from tools.cli import main
main(["play", "eots", "--scenario", "1943", "--seat", "allied", "--bot", "japan=random"])
"""


def megabytes(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1024


def crowd(stack: ExitStack, homes: Sequence[Path]) -> list[Terminal]:
    """Start a session in each home at the same time, and wait until each one asks for a card."""
    sessions = [stack.enter_context(Terminal(PROGRAM, home)) for home in homes]
    for session in sessions:
        assert shows_keys(session.ready())
    settle_all(sessions)
    return sessions


def press(sessions: Sequence[Terminal], key: bytes) -> list[float]:
    """Press a key in all sessions and return the processor time that each one needed."""
    before = [session.cpu_seconds() for session in sessions]
    for session in sessions:
        session.type(key)
    settle_all(sessions)
    return [session.cpu_seconds() - used for session, used in zip(sessions, before, strict=True)]


@pytest.mark.full
@pytest.mark.series("S4")
@pytest.mark.parametrize("accounts", ["one", "each its own"])
def test_s4_concurrent_sessions_keep_separate_records(accounts: str, tmp_path: Path) -> None:
    shared = accounts == "one"
    homes = [tmp_path / ("all" if shared else f"{number}") for number in range(SESSIONS)]
    for home in homes:
        home.mkdir(exist_ok=True)
    with ExitStack() as stack:
        sessions = crowd(stack, homes)
        times = [press(sessions, bytes([key])) for key in KEYS]
        for session, used in zip(sessions, zip(*times, strict=True), strict=True):
            assert session.is_alive()
            assert megabytes(session.pid) < MEGABYTES
            assert sum(used) / len(KEYS) < KEY_SECONDS
        for session in sessions:
            session.hang_up()
            assert session.wait(10) is not None
    records = [*tmp_path.rglob("*.fplog")]
    assert len(records) == SESSIONS
    assert shared or {path.relative_to(tmp_path).parts[0] for path in records} == {
        home.name for home in homes
    }
    assert len({read_log(path).header.match_id for path in records}) == SESSIONS
    for path in records:
        verdict = verify_file(path)
        assert verdict.finding is None
        assert verdict.commands > 0, verdict.file


@pytest.mark.series("S4")
async def test_s4_all_spectators_of_a_match_see_the_same(tmp_path: Path) -> None:
    assert WATCHERS <= MAX_SPECTATORS
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        watchers: list[Peer] = []
        while len(watchers) < WATCHERS:
            coming = range(len(watchers), min(len(watchers) + AT_ONCE, WATCHERS))
            watchers += [table.peer(None, f"watcher-{number}") for number in coming]
            await live(red, blue, *watchers)
        await step(6, 4, red, blue)
        judge = table.host.tables[table.match].match
        await until(lambda: all(each.seq == judge.seq for each in watchers))
        assert {each.copy.chain for each in watchers} == {judge.chain}
        assert {each.copy.digest() for each in watchers} == {judge.view_digest(None)}
