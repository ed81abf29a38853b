"""Host, bots and spectators as separate processes that are killed, stopped and restarted."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.errors import FlagplotError
from netplay.host import host_command
from netplay.host.host_thread import HostThread
from netplay.invites.invite import load_invite
from netplay.peer.peer import Peer
from saves.logfile import read_log
from tests.netplay.tables import copies_in, toy_rules
from tests.patience import PATIENCE, patience
from tests.sizes import sampled, sized

COMMAND = (sys.executable, "-m", "tests.netplay.toy_cli")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


class Processes:
    """Starts commands, and kills those that are left."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self._running: list[subprocess.Popen[str]] = []

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *words], check=False, capture_output=True, text=True, timeout=PATIENCE
        )

    def start(self, *words: str, is_heard: bool = True) -> subprocess.Popen[str]:
        """Start a command. If it is not heard, its output is discarded and never blocks it."""
        heard = subprocess.PIPE if is_heard else subprocess.DEVNULL
        with (self.folder / f"stderr-{len(self._running)}").open("w") as errors:
            process = subprocess.Popen([*COMMAND, *words], stdout=heard, stderr=errors, text=True)
        self._running.append(process)
        return process

    def host(self, *words: str) -> tuple[subprocess.Popen[str], dict[str, str]]:
        """Start a host. Return it with its invites by role."""
        is_new = bool(words) and not words[0].startswith("-")
        process = self.start(
            *(
                "host",
                "open" if is_new else "serve",
                *words,
                "--headless",
                "--json",
                "--listen",
                f"127.0.0.1:{self.port}",
            ),
            *("--folder", str(self.folder / "host")),
        )
        assert process.stdout is not None
        with patience(process, PATIENCE):
            told = json.loads(process.stdout.readline())
        return process, {invite["role"]: invite["path"] for invite in told["invites"]}

    def bot(self, invite: str, place: str) -> subprocess.Popen[str]:
        folder = str(self.folder / place)
        return self.start("join", invite, "--bot", "random", "--folder", folder)

    def end(self) -> None:
        for process in self._running:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait(PATIENCE)
            if process.stdout is not None:
                process.stdout.close()


def records(path: Path) -> int:
    with contextlib.suppress(OSError, FlagplotError):  # it is still being written
        return len(read_log(path).records)
    return 0


def wait(condition: Callable[[], Any], seconds: float = PATIENCE) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.02)


def the_log(processes: Processes) -> Path:
    return next(iter((processes.folder / "host").glob("*.fplog")))


@pytest.mark.full
def test_a_game_of_processes_ends_with_equal_records(processes: Processes) -> None:
    host, invites = processes.host("toy", "--scenario", "short", "--bot", "blue=random", "--once")
    assert set(invites) == {"red", "spectator"}
    watch = processes.start(
        "watch", invites["spectator"], "--headless", "--json", "--folder", str(processes.folder)
    )
    errors = processes.folder / "stderr-0"
    wait(lambda: '"role": null' in errors.read_text(encoding="utf-8"))
    joined = processes.run(
        *("join", invites["red"], "--bot", "random", "--folder", str(processes.folder / "red"))
    )
    assert joined.returncode == 0, joined.stderr
    assert "1.5" in joined.stdout
    told, _ = watch.communicate(timeout=PATIENCE)
    assert watch.returncode == 0
    lines = [json.loads(line) for line in told.splitlines()]
    assert lines[0] == {"seq": 0, "text": "A game of 3 rounds begins."}
    assert [line["seq"] for line in lines] == sorted(line["seq"] for line in lines)
    assert host.wait(PATIENCE) == 0
    full = read_log(the_log(processes))
    copies = [*processes.folder.glob("*.fplog"), *copies_in(processes.folder / "red")]
    assert len(copies) == 2
    for copy in copies:
        assert read_log(copy).records[-1].chain == full.records[-1].chain


@pytest.mark.full
def test_a_killed_host_and_killed_peers_lose_nothing(processes: Processes) -> None:
    host, invites = processes.host("toy", "--scenario", "middle", "--bot-pause", "0.01")
    red, blue = processes.bot(invites["red"], "red"), processes.bot(invites["blue"], "blue")
    log = the_log(processes)
    wait(lambda: records(log) > 8)
    host.kill()
    host.wait(PATIENCE)
    acknowledged = records(log)
    host, _ = processes.host()
    wait(lambda: records(log) > acknowledged + 4)
    blue.kill()
    blue.wait(PATIENCE)
    blue = processes.bot(invites["blue"], "blue")
    assert red.wait(PATIENCE) == 0
    assert blue.wait(PATIENCE) == 0
    host.send_signal(signal.SIGTERM)
    assert host.wait(PATIENCE) == 0
    full = read_log(log)
    for place in ("red", "blue"):
        (path,) = copies_in(processes.folder / place)
        copy = read_log(path)
        assert [record.chain for record in copy.records] == [
            record.chain for record in full.records
        ]


@pytest.mark.full
@pytest.mark.series("N7")
def test_a_stopped_process_resumes_without_loss(processes: Processes) -> None:
    """N7: one process is stopped for a while with SIGSTOP, and the other seat is informed."""
    _, invites = processes.host("toy", "--scenario", "middle")
    red = processes.bot(invites["red"], "red")
    watch = processes.start(
        "watch", invites["spectator"], "--headless", "--folder", str(processes.folder)
    )
    blue = processes.bot(invites["blue"], "blue")
    log = the_log(processes)
    wait(lambda: records(log) > 2)
    os.kill(blue.pid, signal.SIGSTOP)
    errors = processes.folder / "stderr-0"
    wait(lambda: '"blue": false' in errors.read_text(encoding="utf-8").splitlines()[-1])
    end = time.monotonic() + sized(0, 1, 60, of="seconds that a stopped process stays so")
    wait(lambda: time.monotonic() > end, 2 * PATIENCE)
    os.kill(blue.pid, signal.SIGCONT)
    assert red.wait(PATIENCE) == 0
    assert blue.wait(PATIENCE) == 0
    assert watch.wait(PATIENCE) == 0


@pytest.mark.full
@pytest.mark.series("F11")
def test_the_host_log_is_json_lines_without_hidden_cards(processes: Processes) -> None:
    host, invites = processes.host("toy", "--scenario", "short", "--bot", "blue=random", "--once")
    assert processes.bot(invites["red"], "red").wait(PATIENCE) == 0
    assert host.wait(PATIENCE) == 0
    text = (processes.folder / "stderr-0").read_text(encoding="utf-8")
    events = [json.loads(line)["event"] for line in text.splitlines()]
    assert {"host_started", "match_created", "player_joined", "command", "game_over"} <= set(events)
    assert events[-1] == "host_stopped"
    cards = {f"c{number:02}" for number in range(1, 25)}
    words = {word.strip('",:{}()[]') for word in text.replace("'", '"').split()}
    assert not words & cards
    secret = read_log(the_log(processes)).header.secret
    assert secret is not None
    assert secret.hex() not in text


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    sampled(
        [
            pytest.param(("join", "{missing}"), 3, "cannot be read", id="no-file"),
            pytest.param(("join", "{garbage}"), 3, "not a flagplot invite", id="no-invite"),
            pytest.param(("watch", "{garbage}"), 3, "not a flagplot invite", id="watch-no-invite"),
            pytest.param(
                ("host", "open", "toy", "--scenario", "none", "--headless"),
                3,
                "no scenario",
                id="no-scenario",
            ),
            pytest.param(
                (
                    "host",
                    "open",
                    "toy",
                    "--scenario",
                    "short",
                    "--bot",
                    "green=random",
                    "--headless",
                ),
                3,
                "no role 'green'",
                id="no-role",
            ),
            pytest.param(
                ("host", "open", "toy", "--scenario", "short", "--seats", "a,b,c", "--headless"),
                3,
                "too many",
                id="too-many-names",
            ),
            pytest.param(
                ("host", "open", "toy", "--scenario", "short", "--bot", "red=genius", "--headless"),
                3,
                "no bot 'genius'",
                id="no-bot",
            ),
            pytest.param(
                ("host", "open", "toy", "--scenario", "short", "--headless", "--listen", "nowhere"),
                2,
                "is not an address",
                id="no-address",
            ),
            pytest.param(
                (
                    "host",
                    "open",
                    "toy",
                    "--scenario",
                    "short",
                    "--headless",
                    "--address",
                    "two words",
                ),
                2,
                "'two words' is not a host name",
                id="no-host-name",
            ),
            pytest.param(
                (
                    "host",
                    "open",
                    "toy",
                    "--scenario",
                    "short",
                    "--headless",
                    "--listen",
                    "127.0.0.1:{used}",
                ),
                4,
                "is in use",
                id="port-in-use",
            ),
        ],
        1,
    ),
)
def test_command_line_errors_have_one_sentence_and_an_exit_code(
    processes: Processes, words: tuple[str, ...], status: int, sentence: str
) -> None:
    garbage = processes.folder / "garbage.invite"
    garbage.write_bytes(b"\x00\x01")
    with socket.create_server(("127.0.0.1", 0)) as used:
        places = {
            "missing": str(processes.folder / "missing.invite"),
            "garbage": str(garbage),
            "used": str(used.getsockname()[1]),
        }
        filled = [word.format(**places) for word in words]
        if words[0] == "host":
            filled += ["--folder", str(processes.folder / "host")]
        ended = processes.run(*filled)
    assert ended.returncode == status
    assert sentence in ended.stderr.splitlines()[-1]
    assert "Traceback" not in ended.stderr


@pytest.mark.full
def test_an_unreachable_host_exits_with_status_4(processes: Processes) -> None:
    host, invites = processes.host("toy", "--scenario", "short")
    host.terminate()
    assert host.wait(PATIENCE) == 0
    for words in (
        ("join", invites["red"], "--bot", "random"),
        ("watch", invites["spectator"], "--headless"),
    ):
        ended = processes.run(*words, "--wait", "1", "--folder", str(processes.folder))
        assert ended.returncode == 4
        assert "no host is listening at" in ended.stderr
    wrong = processes.run("watch", invites["red"], "--headless")
    assert (wrong.returncode, "use 'flagplot join'" in wrong.stderr) == (3, True)
    wrong = processes.run("join", invites["spectator"], "--bot", "random")
    assert (wrong.returncode, "use 'flagplot watch'" in wrong.stderr) == (3, True)


def test_help_does_not_import_the_screen_or_network() -> None:
    code = (
        "import sys; from tools.cli import _run\n"
        "for name in ('host', 'join', 'watch'): _run([name, '--help'])\n"
        "print(sorted(set(sys.modules) & {'textual', 'pynng', 'cryptography'}), file=sys.stderr)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=PATIENCE
    )
    assert ended.stderr.strip() == "[]"


@pytest.mark.full
async def test_a_host_in_a_thread_serves_a_screen_in_another_loop(tmp_path: Path) -> None:
    plan = host_command.HostPlan(
        host="127.0.0.1",
        port=0,
        plain=False,
        folder=tmp_path / "host",
        invites=tmp_path / "invites",
        game="toy",
        scenario="short",
        players={"red": "a", "blue": "bot:random"},  # type: ignore[dict-item]  # roles are strings
    )
    thread = HostThread(plan, toy_rules)
    running = thread.start()
    paths = {invite.role: Path(invite.path) for invite in running.invites}
    peer = Peer(load_invite(paths["red"]), tmp_path / "red", toy_rules)
    peer.start()
    try:
        async with asyncio.timeout(PATIENCE):
            await peer.reporter.wait_for(lambda: peer.is_live and peer.is_asked)
            decision = peer.decision()
            assert decision is not None
            await peer.submit(decision.default)
    finally:
        await peer.close()
        thread.stop()


@pytest.mark.series("S8")
def test_a_host_without_memory_reports_it_and_exits(processes: Processes) -> None:
    """In its own process, the host ends, so that no match stays frozen."""
    hungry = ("hungry", "--seats", "bot:random,bot:random", "--workers", "1", "--once")
    host, _ = processes.host(*hungry)
    assert host.wait(PATIENCE) == 3
    said = (processes.folder / "stderr-0").read_text().splitlines()
    assert said[-1] == "Error: out of memory; everything played so far is saved"
    assert [line for line in said if "out_of_memory" in line]
    assert not [line for line in said if line.startswith("Traceback")]


@pytest.mark.full
@pytest.mark.series("S8")
def test_a_worker_without_memory_does_not_affect_other_matches(processes: Processes) -> None:
    """Another process opens its matches again, until the one at fault is marked as broken."""
    hungry = ("hungry", "--seats", "bot:random,bot:random", "--workers", "2", "--once")
    host, _ = processes.host(*hungry)
    assert host.wait(PATIENCE) == 0
    said = (processes.folder / "stderr-0").read_text()
    assert "worker_died" in said
    assert "match_disabled" in said
    assert "Traceback" not in said
