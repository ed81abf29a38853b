"""Several processes with one record file: killed writers and simultaneous writers (robustness D4, D7)."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from engine.eots.ruleset import EOTS
from saves.codec import AnyGame
from saves.logfile import LogWriter, read_log
from saves.match import Match
from tests.patience import patience
from tests.saves.play import new_match, step
from tests.sizes import sampled, sized
from tests.toy_game import TOY

ROOT = Path(__file__).parents[2]
RULES: dict[str, AnyGame] = {"toy": TOY, "eots": EOTS}
STARTS = sized(60, 500, 5_000, of="starts of two writers")
PATIENCE = 120

# One interpreter forks every player, so that it starts only once. Each line is one write and is never split.
_PLAYER = """
import os, random, sys
from pathlib import Path
from tests.saves.play import new_eots, new_match, step
from saves.logfile import LogWriter
folder = Path(sys.argv[1])
for number in range(int(sys.argv[2])):
    child = os.fork()
    if child:
        print("pid", number, child, flush=True)
        os.waitpid(child, 0)
        print("end", number, flush=True)
        continue
    sys.stdin.readline()
    log = LogWriter.create(folder / f"{number}.fplog")
    match = new_eots(log) if sys.argv[3] == "eots" else new_match(log, "long")
    os.write(1, f"ack {match.seq} {match.chain.hex()}\\n".encode())
    rng = random.Random(number)
    while match.ruleset.active_roles(match.state):
        step(match, rng)
        os.write(1, f"ack {match.seq} {match.chain.hex()}\\n".encode())
    sys.stdin.read()
"""

_CONTENDER = """
import sys
from pathlib import Path
from saves.errors import LogInUseError
from saves.match import Match
from tests.saves.play import step
from tests.toy_game import TOY
import random
for line in sys.stdin:
    try:
        match = Match.resume(Path(line.strip()), TOY)
    except LogInUseError:
        print("refused", flush=True)
        continue
    step(match, random.Random(0))
    print("wrote", match.chain.hex(), flush=True)
    sys.stdin.readline()
    match.close()
    print("closed", flush=True)
"""


@contextmanager
def start(script: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,
    ) as child:
        try:
            with patience(child, PATIENCE):
                yield child
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)


def say(child: subprocess.Popen[str], line: str) -> None:
    assert child.stdin is not None
    child.stdin.write(line + "\n")
    child.stdin.flush()


def hear(child: subprocess.Popen[str]) -> list[str]:
    assert child.stdout is not None
    return child.stdout.readline().split()


@pytest.mark.series("D4")
@pytest.mark.parametrize(
    ("game", "longest"),
    sampled(
        [pytest.param("toy", 0.03, id="toy"), pytest.param("eots", 0.4, id="eots")], 1, of="games"
    ),
)
def test_d4_killed_writer_has_stored_every_acknowledged_record(
    tmp_path: Path, game: str, longest: float
) -> None:
    runs = sized(10, 50, 1_000, of="killed writers of each game")
    rng = random.Random(4)
    with start(_PLAYER, str(tmp_path), str(runs), game) as parent:
        for run in range(runs):
            word, number, pid = hear(parent)
            assert (word, int(number)) == ("pid", run)
            say(parent, "go")
            acknowledged = _kill_after(parent, int(pid), rng.random() * longest)
            _check_killed(tmp_path / f"{run}.fplog", acknowledged, game)
        assert parent.wait(10) == 0


def _kill_after(parent: subprocess.Popen[str], pid: int, seconds: float) -> list[str]:
    killer = subprocess.Popen(["/bin/sh", "-c", f"sleep {seconds:.6f}; kill -9 {pid}"])
    acknowledged: list[str] = []
    while True:
        words = hear(parent)
        if words[0] == "end":
            break
        acknowledged.append(words[2])
    killer.wait(5)
    return acknowledged


def _check_killed(path: Path, acknowledged: list[str], game: str) -> None:
    if not path.exists():
        assert not acknowledged
        return
    kept = [record.chain.hex() for record in read_log(path).records]
    assert kept[: len(acknowledged)] == acknowledged
    assert len(kept) <= len(acknowledged) + 1
    match: Match[Any] = Match.resume(path, RULES[game])
    if match.ruleset.active_roles(match.state):
        step(match, random.Random(1))
    match.close()
    assert [record.chain.hex() for record in read_log(path).records][: len(kept)] == kept


@pytest.mark.series("D7")
def test_d7_second_writer_is_refused_and_a_dead_writers_lock_is_released(tmp_path: Path) -> None:
    path = tmp_path / "game.fplog"
    new_match(LogWriter.create(path), "long").close()
    rng = random.Random(7)
    with start(_CONTENDER) as one, start(_CONTENDER) as other:
        for _ in range(STARTS):
            first, second = rng.sample((one, other), 2)
            say(first, str(path))
            say(second, str(path))
            answers = {first: hear(first), second: hear(second)}
            winners = [child for child, words in answers.items() if words[0] == "wrote"]
            assert sorted(words[0] for words in answers.values()) == ["refused", "wrote"]
            assert read_log(path).records[-1].chain.hex() == answers[winners[0]][1]
            say(winners[0], "close")
            assert hear(winners[0]) == ["closed"]
        say(one, str(path))
        assert hear(one)[0] == "wrote"
        one.kill()
        one.wait(5)
        say(other, str(path))
        assert hear(other)[0] == "wrote"
        other.kill()
    assert len(read_log(path).records) == STARTS + 3


def test_stale_lock_file_does_not_block_opening(tmp_path: Path) -> None:
    path = tmp_path / "game.fplog"
    (tmp_path / "game.fplog.lock").touch()
    new_match(LogWriter.create(path)).close()
    Match.resume(path, TOY).close()
