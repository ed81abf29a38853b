"""Limits of an account: the program reports the problem and ends, and the record stays intact (S8)."""

import os
import resource
import shutil
import signal
import sys
from pathlib import Path
from typing import Final

import pytest

from play import games
from saves.verify import verify_file
from tests.sizes import sized
from tests.tools.programs import CODE, DISCARDS, Program, Ran
from tests.tui.terminals import Terminal

GAME: Final = ("play", "--plain", "--save", "game.fplog")
STEP_MEGABYTES: Final = sized(64, 16, 2, of="megabytes between two limits of memory")
LEAST_MEGABYTES: Final = 0
MOST_MEGABYTES: Final = 512
WITHIN: Final = """
import resource
import engine.eots.ruleset, play.games, tools.cli, tools.cmd_play, tui.console.game, netplay.wire.sanitising
pages = int(open("/proc/self/statm").read().split()[0])
most = pages * resource.getpagesize() + {more}
resource.setrlimit(resource.RLIMIT_AS, (most, most))
"""
"""Limits the growth of memory, counted from the program's size when a game begins."""
FROM_THE_START: Final = "from tools.start import main; main()"
HOST: Final = (
    *(
        "host",
        "open",
        "qmg",
        "--headless",
        "--once",
        "--listen",
        "127.0.0.1:0",
        "--folder",
        "hosted",
    ),
    *("--workers", "1", "--seats", ",".join(["bot:random"] * 6)),
)
STARTS_MEGABYTES: Final = 20
"""Minimum number of megabytes with which the interpreter itself can start."""
OVER_TIME: Final = 128 + signal.SIGXCPU


@pytest.fixture
def flagplot(tmp_path: Path) -> Program:
    return Program(tmp_path)


def check_whole(flagplot: Program) -> Path | None:
    """Check that the record verifies, if there is one. Return its file, or None if no game began."""
    path = flagplot.home / "game.fplog"
    if not path.exists():
        return None
    assert verify_file(path).status == "ok"
    return path


def check_goes_on(flagplot: Program) -> None:
    """Check that the game is resumed without the limit."""
    path = check_whole(flagplot)
    if path is not None:
        games.resume(path).match.close()


def says_so(ran: Ran) -> None:
    """Check that a command reported a lack of memory. The interpreter itself may also fail silently."""
    if ran.code >= 0:
        ran.fails(3, "memory")


@pytest.mark.full
@pytest.mark.series("S8")
def test_out_of_memory_does_not_damage_a_record(flagplot: Program) -> None:
    """The limit rises from almost nothing until a game is unaffected."""
    for megabytes in range(LEAST_MEGABYTES, MOST_MEGABYTES, STEP_MEGABYTES):
        within = WITHIN.format(more=megabytes << 20) + CODE
        ran = flagplot(*GAME, lines=DISCARDS + "quit\n", code=within)
        check_whole(flagplot)
        if ran.code == 0:
            break
        says_so(ran)
    else:
        pytest.fail("no game was untouched")
    check_goes_on(flagplot)


@pytest.mark.full
@pytest.mark.series("S8")
@pytest.mark.parametrize(
    "words",
    [
        pytest.param(GAME, id="S8-play"),
        pytest.param(("verify", "game.fplog"), id="S8-load"),
        pytest.param(HOST, id="S8-host"),
    ],
)
def test_too_little_memory_at_startup_is_reported_in_one_sentence(
    flagplot: Program, words: tuple[str, ...]
) -> None:
    """The limit rises from what an interpreter needs until a command is unaffected."""
    game = flagplot(*GAME, lines=DISCARDS + "quit\n")
    assert game.code == 0
    for megabytes in range(STARTS_MEGABYTES, MOST_MEGABYTES, STEP_MEGABYTES):
        if words == GAME:
            (flagplot.home / "game.fplog").unlink(missing_ok=True)
        limits = {resource.RLIMIT_AS: megabytes << 20}
        ran = flagplot(*words, lines=DISCARDS + "quit\n", limits=limits, code=FROM_THE_START)
        check_whole(flagplot)
        if ran.code == 0:
            break
        says_so(ran)
    else:
        pytest.fail("no command was untouched")
    check_goes_on(flagplot)


@pytest.mark.full
@pytest.mark.series("S8")
def test_screens_restore_the_terminal_when_out_of_memory(tmp_path: Path) -> None:
    record = tmp_path / "game.fplog"
    words = ("play", "eots", "--hotseat", "--save", str(record))
    with Terminal(f"import sys; sys.argv[1:] = {words!r}; {FROM_THE_START}", tmp_path) as terminal:
        terminal.ready()
        pages = int(Path(f"/proc/{terminal.pid}/statm").read_text().split()[0])
        most = pages * resource.getpagesize()
        resource.prlimit(terminal.pid, resource.RLIMIT_AS, (most, most))
        terminal.resize((1_000, 500))
        shown = terminal.until(b"out of memory")
        assert terminal.wait(10) is not None
    assert terminal.status == 3, shown[-2_000:]
    assert b"Traceback" not in shown
    assert shown.index(b"\x1b[?1049l") < shown.index(b"Error: out of memory")
    assert verify_file(record).status == "ok"


@pytest.mark.full
@pytest.mark.series("S8")
def test_screens_report_the_required_memory_before_drawing(tmp_path: Path) -> None:
    bound = "import resource; resource.setrlimit(resource.RLIMIT_AS, (100 << 20, 100 << 20))\n"
    with Terminal(f"import sys; sys.argv[1:] = []; {bound}{FROM_THE_START}", tmp_path) as terminal:
        shown = terminal.until(b"128")
        assert terminal.wait(10) is not None
    assert terminal.status == 3
    assert b"Error: this account may use 100 MB of memory, and screens need 128" in shown
    assert b"\x1b[?1049h" not in shown


@pytest.mark.full
@pytest.mark.series("S8")
def test_too_few_open_files_are_reported_in_one_sentence(flagplot: Program) -> None:
    few = flagplot(*GAME, lines=DISCARDS, limits={resource.RLIMIT_NOFILE: 8})
    few.fails(3, "Too many open files")
    check_goes_on(flagplot)
    enough = flagplot(*GAME, lines="quit\n", limits={resource.RLIMIT_NOFILE: 32})
    assert enough.code == 0


@pytest.mark.full
@pytest.mark.series("S8")
def test_exceeded_cpu_time_is_reported_in_one_sentence(flagplot: Program) -> None:
    bound = "import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 20))\n" + CODE
    words = ("play", "--plain", "--save", "game.fplog", "--seat", "allied", "--bot", "japan=greedy")
    ran = flagplot(*words, lines=DISCARDS * 40, code=bound)
    ran.fails(OVER_TIME, "CPU time limit")
    check_goes_on(flagplot)


def as_somebody(code: str) -> str:
    """Return a program that runs another one without root privileges, because process limits do not apply to root."""
    if os.geteuid():
        return code
    if shutil.which("setpriv") is None:
        pytest.skip("root cannot be bound, and there is no setpriv")
    words = (
        *("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
        *("--inh-caps=+dac_override", "--ambient-caps=+dac_override", sys.executable, "-c", code),
    )
    return f"import os; os.execvp('setpriv', {words!r})"


NO_THREAD: Final = "import resource; resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))\n"


@pytest.mark.series("S8")
def test_process_limit_is_reported_before_any_screen(tmp_path: Path) -> None:
    code = as_somebody(f"import sys; sys.argv[1:] = []; {NO_THREAD}{CODE}")
    with Terminal(code, tmp_path) as terminal:
        shown = terminal.until(b"--plain")
        assert terminal.wait(10) is not None
    assert terminal.status == 5
    assert b"Error: this account has reached its process limit" in shown
    assert b"Traceback" not in shown
    assert b"\x1b[?1049h" not in shown


@pytest.mark.full
@pytest.mark.series("S8")
def test_line_mode_works_at_the_process_limit(flagplot: Program) -> None:
    ran = flagplot(*GAME, lines="quit\n", code=as_somebody(NO_THREAD + CODE))
    assert ran.code == 0, ran.err
    check_goes_on(flagplot)


@pytest.mark.full
@pytest.mark.series("S8")
def test_screen_restores_the_terminal_when_cpu_time_is_exceeded(tmp_path: Path) -> None:
    with Terminal(f"import sys; sys.argv[1:] = []; {CODE}", tmp_path) as terminal:
        terminal.ready()
        terminal.signal(signal.SIGXCPU)
        shown = terminal.until(b"CPU time")
        assert terminal.wait(10) is not None
    assert terminal.status == OVER_TIME
    assert shown.index(b"\x1b[?1049l") < shown.index(b"Error: the account's CPU time")
