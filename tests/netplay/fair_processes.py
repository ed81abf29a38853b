"""Matches over TLS with one process for the host and one for each player, started with players' own commands."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import count, pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

from netplay.fair.pending_messages import SUFFIX as PENDING
from netplay.invites.invite import load_invites
from netplay.match_state.full_record import FULL_SUFFIX
from saves.logfile import SUFFIX, read_log
from tests.netplay.tables import copies_in
from tests.netplay.test_processes import free_port
from tests.patience import PATIENCE

PROGRAM: Final = str(Path(sys.executable).with_name("flagplot"))
HOST: Final = "host"
STATE: Final = "state"
OUTPUT: Final = "output"
STALLED_SECONDS: Final = 4 * PATIENCE
"""Number of seconds without stored data after which a match is reported as stalled."""
_LOOK_SECONDS: Final = 0.01
_TAIL_BYTES: Final = 1500


class Setting(NamedTuple):
    """The options with which a host opens a match."""

    game: str
    scenario: str
    seats: str = ""
    """The value of ``--seats``; empty for one player per role."""
    bot: str = "random"
    """The bot that plays every seat."""

    @property
    def words(self) -> tuple[str, ...]:
        """Return the words after ``flagplot host open``."""
        seats = ("--seats", self.seats) if self.seats else ()
        return (self.game, "--scenario", self.scenario, *seats)


EOTS: Final = Setting("eots", "1943", bot="easy")
"""Random players may withdraw their last headquarters, ending the game after a few commands."""
SHORT: Final = Setting("eots", "south-pacific")
QMG_SIX: Final = Setting("qmg", "base", "Ann,Bob,Cy,Dee,Eve,Fay")
QMG_THREE: Final = Setting("qmg", "base", "3,Ann,Bob,Cy")
TOTAL_WAR: Final = Setting("qmg", "total-war", "2,Ann,Bob")


class ProcessMatch:
    """One match: the host and all players with bots, each in its own process and folder."""

    def __init__(
        self, folder: Path, setting: Setting, chance: str = "fair", *words: str, once: bool = True
    ) -> None:
        """Prepare the match without starting anything.

        Args:
            folder: Folder for everything that the processes write.
            setting: The match.
            chance: The mode.
            words: Further options of the host's command, also used when it restarts.
            once: True if the host ends with the match, so that nobody can join after it.
        """
        self.folder = folder
        self.setting = setting
        self.match = ""
        self.invites: dict[str, Path] = {}
        """Each player's invite, by the player's roles joined with +."""
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.starts = 0
        """Number of processes started."""
        self._port = free_port()
        self.chance = chance
        self._is_once = once
        self._words = words
        self._numbers = count()

    def open(self) -> None:
        """Open the match. The host runs, but no player has joined."""
        told = json.loads(self._start_host(*self.setting.words, "--chance", self.chance))
        paths = {one["role"]: Path(one["path"]) for one in told["invites"]}
        self.match = load_invites(paths.pop("spectator"))[0].match
        self.invites = paths

    # -- places

    @property
    def players(self) -> tuple[str, ...]:
        """Return the players' places."""
        return tuple(self.invites)

    @property
    def places(self) -> tuple[str, ...]:
        """Return all places, with the host's first."""
        return (HOST, *self.players)

    @property
    def roles(self) -> Mapping[str, str]:
        """Return the place of each role."""
        return {role: place for place in self.players for role in place.split("+")}

    @property
    def record(self) -> Path:
        """Return the host's record."""
        return self.folder / HOST / f"{self.match}{SUFFIX}"

    def copy(self, role: str) -> Path:
        """Return the copy of a role."""
        return self.folder / self.roles[role] / f"{self.match}.{role}{SUFFIX}"

    def files(self, place: str) -> list[Path]:
        """Return every file that the processes of a place have written, including their output."""
        folders = (self.folder / place, self.folder / STATE / place)
        written = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
        return sorted([*written, *self._outputs(place)])

    def _outputs(self, place: str) -> list[Path]:
        return sorted((self.folder / OUTPUT).glob(f"{place}.*"))

    # -- processes

    def start(self, place: str) -> None:
        """Start a process with the command that its user would give, for the first time or again."""
        if place == HOST:
            self._start_host()
            return
        folder = str(self.folder / place)
        words = (
            "join",
            str(self.invites[place]),
            "--bot",
            self.setting.bot,
            "--wait",
            str(PATIENCE),
        )
        self._run(place, *words, "--folder", folder)

    def start_players(self) -> None:
        """Start every player."""
        for place in self.players:
            self.start(place)

    def _start_host(self, *words: str) -> str:
        """Start the host, and return the line that it prints once it is listening."""
        folder = ("--folder", str(self.folder / HOST))
        listening = ("--listen", f"127.0.0.1:{self._port}")
        serving = (*self._words, "--headless", "--json", *(("--once",) if self._is_once else ()))
        out = self._run(
            HOST, "host", "open" if words else "serve", *words, *serving, *listening, *folder
        )
        assert self._holds(lambda: b"\n" in out.read_bytes(), PATIENCE), self._told()
        return out.read_text(encoding="utf-8").splitlines()[0]

    def _run(self, place: str, *words: str) -> Path:
        assert place not in self.running, f"{place} runs already"
        outputs = self.folder / OUTPUT
        outputs.mkdir(parents=True, exist_ok=True)
        name = f"{place}.{next(self._numbers)}"
        out = outputs / f"{name}.out"
        environ = os.environ | {"XDG_STATE_HOME": str(self.folder / STATE / place)}
        with out.open("wb") as told, (outputs / f"{name}.err").open("wb") as errors:
            self.running[place] = subprocess.Popen(
                [PROGRAM, *words],
                stdin=subprocess.DEVNULL,
                stdout=told,
                stderr=errors,
                env=environ,
            )
        self.starts += 1
        return out

    def kill(self, place: str) -> bool:
        """Kill a process as ``kill -9`` does. A host's workers end when they notice.

        Returns:
            False if it had already ended.
        """
        process = self.running[place]
        process.kill()
        if process.wait(PATIENCE) != -signal.SIGKILL:
            return False
        del self.running[place]
        return True

    def stop(self, place: str) -> None:
        """Ask a process to end, and check that it does."""
        process = self.running.pop(place)
        process.terminate()
        assert process.wait(PATIENCE) == 0, self._told()

    def end(self) -> None:
        """Kill all processes that are still running."""
        for place in (*self.running,):
            self.kill(place)

    # -- waiting

    def stored(self) -> int:
        """Return the number of bytes of the match that the host has stored."""
        return sum(_size(self.record.with_suffix(suffix)) for suffix in (SUFFIX, PENDING))

    @property
    def is_over(self) -> bool:
        """Return whether every player has left because the game is over."""
        players = [self.running.get(place) for place in self.players]
        return all(process is not None and process.poll() == 0 for process in players)

    def wait(self, condition: Callable[[], object]) -> bool:
        """Wait until a condition holds, as long as the match makes progress.

        Returns:
            False if the game was over first.
        """
        before = self._sizes()
        while not self._holds(lambda: condition() or self.is_over, STALLED_SECONDS):
            now = self._sizes()
            assert now != before, f"the match stalls:\n{self._told()}"
            before = now
        return bool(condition())

    def wait_for_growth(self, size: int) -> bool:
        """Wait until the host has written and removed this number of bytes. Return False if the game was over first."""
        seen = [self.stored()]
        while sum(abs(after - before) for before, after in pairwise(seen)) < size:
            if not self.wait(lambda: self.stored() != seen[-1]):
                return False
            seen.append(self.stored())
        return True

    def wait_for_end(self) -> None:
        """Wait until every player has left because the game is over, end the host, and check all output."""
        self.wait(lambda: False)
        if self._is_once:
            assert self.running[HOST].wait(PATIENCE) == 0, self._told()
        else:
            self.stop(HOST)
        self.running.clear()
        for path in self._outputs("*"):
            assert b"Traceback" not in path.read_bytes(), path.read_text(errors="replace")

    def _sizes(self) -> tuple[int, ...]:
        """Return the sizes of all files, which change while the match makes progress."""
        return tuple(_size(path) for place in self.places for path in self.files(place))

    def _holds(self, condition: Callable[[], object], seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while not condition():
            for place, process in self.running.items():
                code = process.poll()
                assert not code, f"{place} ended with {code}:\n{self._told()}"
            if time.monotonic() > deadline:
                return False
            time.sleep(_LOOK_SECONDS)
        return True

    def _told(self) -> str:
        """Return the last lines printed by each process."""
        parts = ((path.name, path.read_bytes()[-_TAIL_BYTES:]) for path in self._outputs("*"))
        return "\n".join(f"{name}: {data.decode(errors='replace')}" for name, data in parts)

    # -- after the end

    def verify(self, *words: str) -> Sequence[Mapping[str, Any]]:
        """Return the verdicts of ``flagplot verify --explain`` about some files."""
        ended = subprocess.run(
            [PROGRAM, "verify", "--explain", "--json", *words],
            check=False,
            capture_output=True,
            text=True,
            timeout=10 * PATIENCE,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        found: list[Mapping[str, Any]] = json.loads(ended.stdout)
        return found


def _size(path: Path) -> int:
    with contextlib.suppress(FileNotFoundError):
        return path.stat().st_size
    return 0


def full_copies(match: ProcessMatch) -> list[Path]:
    """Return each role's full copy."""
    return sorted(match.folder.rglob(f"*{FULL_SUFFIX}"))


def check_copies(match: ProcessMatch) -> int:
    """Check that every copy of a finished match verifies, alone and against every full copy.

    Returns:
        How many files were verified.
    """
    full = full_copies(match)
    copies = copies_in(match.folder)
    assert len(full) == len(match.roles)
    assert len(copies) == 1 + len(match.roles)
    # a comparison with one of several equal files is a comparison with all of them
    assert len({path.read_bytes() for path in full}) == 1
    alone = match.verify(*map(str, (*copies, *full)))
    against = match.verify(*map(str, copies), "--against", str(full[0]))
    assert (len(alone), len(against)) == (len(copies) + len(full), len(copies))
    for verdict in (*alone, *against):
        check_proofs(match, verdict)
    assert len({verdict["chain"] for verdict in (*alone, *against)}) == 1
    return len(alone)


def check_proofs(match: ProcessMatch, verdict: Mapping[str, Any]) -> None:
    """Check that a copy of a finished match proves everything that its mode promises."""
    assert verdict["status"] == "ok", verdict
    extents = {proof["topic"]: proof["extent"] for proof in verdict["proofs"]}
    if match.chance == "joint":
        assert extents.pop("hands") == "not proved"  # the host is the dealer
        assert extents.pop("one history") in {
            "proved",
            "partly",
        }  # no seat signs after the last throw
    elif len(match.players) < len(match.roles):
        assert extents.pop("hands") == "partly"  # the roles of one player share a program
    assert set(extents.values()) - {"nothing"} == {"proved"}, (verdict["file"], extents)


def figures(match: ProcessMatch) -> Mapping[str, float]:
    """Return statistics of a finished match: seconds by the host's log, records, and bytes of the host's record."""
    moments: dict[str, float] = {}
    for path in match._outputs(HOST):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("{") and "event" in (entry := json.loads(line)):
                at = datetime.fromisoformat(entry["timestamp"]).timestamp()
                moments[entry["event"]] = at  # the last enrolment counts: that of the last seat
    records = read_log(match.record).records
    begun = moments["match_started"]
    return {
        "opening seconds": round(begun - moments["player_enrolled"], 2),
        "seconds": round(moments["host_stopped"] - begun, 1),
        "commands": sum(record.kind == "command" for record in records),
        "bytes": match.record.stat().st_size,
        "processes": match.starts,
    }
