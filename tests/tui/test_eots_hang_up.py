"""Hang-ups in the middle of Empire of the Sun, even during dialogs: nothing acknowledged is lost (S3)."""

import random
import signal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.bots.random_player import RandomPlayer
from engine.eots.ruleset import EOTS as RULES
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from play import games
from saves.logfile import read_log, write_log
from saves.match import Match
from tests.saves.play import SECRET, new_eots
from tests.sizes import sized
from tests.tui.programs import EOTS
from tests.tui.terminals import Terminal

END_SECONDS = 10.0
CPU_SECONDS = 2.0
"""A program that misses the end of its line keeps working, and exceeds any such limit."""
IGNORE_HANGUP = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
POINTS = range(sized(1, 20, 200, of="points of a game of 1943"))
WAYS = ("SIGHUP", "SIGTERM", "closed", "closed, SIGHUP ignored")
DIALOGS = ("", ":", "\x1a", "?", "/")
"""The dialog open at the hang-up: none, a command line, a question, the help, a search."""


@cache
def _whole() -> Match[Any]:
    """Return a whole random game, of which each point uses the beginning."""
    match = new_eots()
    player: Any = RandomPlayer(DerivedDice(SECRET, 1 << 20))
    while asked := RULES.active_roles(match.state):
        role = asked[0]
        match.submit(role, player.choose(None, RULES.decision(match.state, role)), match.seq)
    return match


def _begin(home: Path, point: int) -> None:
    """Write the record of the game up to a point, with everything acknowledged."""
    match = _whole()
    records = match.records[: len(match.records) * point // len(POINTS)]
    if records:
        write_log(home / "game.fplog", match.header, records)
        chains = "".join(f"{record.chain.hex()}\n" for record in records)
        (home / "acknowledged").write_text(chains, encoding="ascii")


def _play(terminal: Terminal, rng: random.Random, presses: int) -> None:
    for _ in range(presses):
        terminal.type(rng.choice(("d", "c", "n", "d", "c", "p")))
        terminal.drain(rng.random() / 10)


def _cut(terminal: Terminal, way: str) -> None:
    if way.startswith("SIG"):
        terminal.signal(getattr(signal, way))
    else:
        terminal.hang_up()


@pytest.mark.full
@pytest.mark.series("S3")
@pytest.mark.parametrize(
    "point", [pytest.param(n, id=f"S3-{n}-{WAYS[n % 4]}-{n % 5 or 'table'}") for n in POINTS]
)
def test_s3_hang_up_at_any_point_loses_nothing_acknowledged(tmp_path: Path, point: int) -> None:
    rng = random.Random(point)
    way = WAYS[point % len(WAYS)]
    prelude = IGNORE_HANGUP if way.endswith("ignored") else ""
    _begin(tmp_path, point)
    with Terminal(prelude + EOTS, tmp_path) as terminal:
        terminal.ready()
        _play(terminal, rng, 4 + 2 * (point % 12))
        dialog = DIALOGS[point % len(DIALOGS)]
        if dialog:
            terminal.type(dialog)
        terminal.drain(rng.random() / 5)
        before = terminal.cpu_seconds()
        _cut(terminal, way)
        assert terminal.wait(END_SECONDS) is not None
        assert terminal.cpu_total - before < CPU_SECONDS
    path = tmp_path / "game.fplog"
    kept = [record.chain.hex() for record in read_log(path).records]
    acknowledged = (tmp_path / "acknowledged").read_text(encoding="ascii").split()
    assert kept[: len(acknowledged)] == acknowledged
    assert len(kept) <= len(acknowledged) + 1
    _check_resumes(path, len(kept))


def _check_resumes(path: Path, records: int) -> None:
    """Check that the next start asks the question that follows the record."""
    match: Match[Any] = Match.resume(path)
    rules, state = match.ruleset, match.state
    match.close()
    session = games.resume(path, Role("allied"), {})
    try:
        assert session.seq == records - 1
        asked = Role("allied") in rules.active_roles(state)
        expected = rules.decision(state, Role("allied")) if asked else None
        if expected is not None and expected.is_window and len(expected.options) == 1:
            expected = None  # there is no question if passing is the only option
        assert session.decision() == expected
    finally:
        session.match.close()
