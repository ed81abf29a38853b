"""Real programs in line mode with a host that stops and restarts: their output, and ways to leave them."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
from typing_extensions import override

from tests.netplay.test_processes import COMMAND, Processes, wait
from tests.patience import PATIENCE

pytestmark = pytest.mark.full

HOST = ("toy", "--scenario", "long", "--chance", "host")
NEVER_FOUND = "No host is listening at tls+tcp://127.0.0.1:"
LOST = "HOST LOST, trying again: "
BACK = "(the host is back"
SILENT = "The host has not answered yet. Type quit to leave."
TAKEN = "another connection has taken this seat: commands are no longer accepted; quit to leave"


class Lines:
    """A program that plays or watches in line mode."""

    def __init__(self, folder: Path, *words: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._told = folder / "told"
        with self._told.open("w") as out:
            self.process = subprocess.Popen(
                [*COMMAND, *words, "--plain", "--folder", str(folder)],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=subprocess.STDOUT,
                text=True,
            )

    @property
    def _input(self) -> IO[str]:
        assert self.process.stdin is not None
        return self.process.stdin

    @property
    def text(self) -> str:
        return self._told.read_text(encoding="utf-8")

    def says(self, words: str) -> None:
        """Wait until the program has printed some text."""
        try:
            wait(lambda: words in self.text or self.process.poll() is not None)
        finally:
            assert words in self.text, self.text

    def type(self, *lines: str) -> None:
        self._input.write("".join(f"{line}\n" for line in lines))
        self._input.flush()

    def leaves(self, how: str) -> int:
        """Type quit or close the input. Return the exit status."""
        if how == "quit":
            self.type("quit")
        else:
            self._input.close()
        return self.process.wait(PATIENCE)

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)
        if not self._input.closed:
            self._input.close()


class Table(Processes):
    """A host, and programs that follow it in line mode."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.programs: list[Lines] = []

    def lines(self, place: str, *words: str) -> Lines:
        made = Lines(self.folder / place, *words)
        self.programs.append(made)
        return made

    def kill_host(self) -> None:
        self._running[-1].kill()
        self._running[-1].wait(PATIENCE)

    def host_again(self) -> None:
        address = ("--listen", f"127.0.0.1:{self.port}")
        self.start("host", "serve", "--headless", *address, "--folder", str(self.folder / "host"))

    @override
    def end(self) -> None:
        for program in self.programs:
            program.end()
        super().end()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    yield made
    made.end()


@pytest.mark.parametrize(("command", "seat"), [("join", "red"), ("watch", "spectator")])
@pytest.mark.parametrize(("how", "status"), [("quit", 0), ("end", 4)])
def test_a_missing_host_is_reported_at_the_first_join(
    table: Table, command: str, seat: str, how: str, status: int
) -> None:
    _, invites = table.host(*HOST)
    table.kill_host()
    program = table.lines("guest", command, invites[seat])
    program.says(NEVER_FOUND)
    program.says("Still trying. Type quit to leave.")
    assert program.leaves(how) == status, program.text


@pytest.mark.parametrize(("command", "seat"), [("join", "red"), ("watch", "spectator")])
@pytest.mark.parametrize("how", ["quit", "end"])
def test_losing_and_regaining_the_host_is_reported(
    table: Table, command: str, seat: str, how: str
) -> None:
    _, invites = table.host(*HOST)
    program = table.lines("guest", command, invites[seat])
    program.says("Type help for the commands.")
    table.kill_host()
    program.says(LOST)
    table.host_again()
    program.says(BACK)
    table.kill_host()
    wait(lambda: program.text.count(LOST) > 1)
    assert program.leaves(how) == 0, program.text


def test_a_spectator_sees_commands_but_cannot_chat(table: Table) -> None:
    _, invites = table.host(*HOST)
    watcher = table.lines("watcher", "watch", invites["spectator"])
    watcher.says("Type help for the commands.")
    player = table.lines("red", "join", invites["red"])
    player.says("red")
    before = watcher.text
    other = table.lines("blue", "join", invites["blue"])
    other.says("Type help for the commands.")
    for one in (player, other):
        one.type("1", "commit")
    wait(lambda: len(watcher.text) > len(before) + 20)
    watcher.type("say hello")
    watcher.says("spectators cannot play or chat")
    assert watcher.leaves("end") == 0, watcher.text


def test_the_older_program_of_a_seat_is_notified_of_the_takeover(table: Table) -> None:
    _, invites = table.host(*HOST)
    first = table.lines("first", "join", invites["red"])
    first.says("Type help for the commands.")
    second = table.lines("second", "join", invites["red"])
    second.says("Type help for the commands.")
    first.says(TAKEN)
    first.type("say hello")
    first.says("another connection has taken this seat")
    assert first.leaves("quit") == 0, first.text
    assert TAKEN not in second.text
    assert second.leaves("end") == 0, second.text


@pytest.mark.parametrize("how", ["quit", "end"])
@pytest.mark.parametrize("words", ["1|commit", "say hello", "resign|resign"])
def test_player_can_leave_while_a_request_to_a_lost_host_is_pending(
    table: Table, how: str, words: str
) -> None:
    _, invites = table.host(*HOST)
    programs = [table.lines(role, "join", invites[role]) for role in ("red", "blue")]
    for program in programs:
        program.says("Type help for the commands.")
    table.kill_host()
    for program in programs:
        program.says(LOST)
        program.type(*words.split("|"))
    wait(lambda: any(SILENT in program.text for program in programs))
    assert [program.leaves(how) for program in programs] == [0, 0], [p.text for p in programs]


@pytest.mark.parametrize("how", ["quit", "end"])
def test_a_player_can_leave_while_waiting_for_others(table: Table, how: str) -> None:
    _, invites = table.host("eots", "--scenario", "south-pacific", "--chance", "joint")
    waits = (("allied", "The match begins when"), ("japan", "The match waits for Allies"))
    for role, sentence in (waits[0], *waits):
        program = table.lines(role, "join", invites[role])
        program.says(sentence)
        assert program.leaves(how) == 0, program.text
