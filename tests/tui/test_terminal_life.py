"""Hang-ups end the program in time, unusual terminals do not (S3, S5)."""

import os
import pty
import random
import re
import signal
import termios
from pathlib import Path

import pytest

from play.signals import TERMINATION_SIGNALS
from saves.logfile import read_log
from saves.verify import verify_file
from tests.sizes import sampled, sized
from tests.tui.programs import MENU, STILL, TOY
from tests.tui.terminals import Terminal

END_SECONDS = 2.0
IGNORE_HANGUP = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"


WAYS = [
    pytest.param(number, id=f"S3-{number.name.lower()}")
    for number in dict.fromkeys((signal.SIGQUIT, *TERMINATION_SIGNALS, signal.SIGINT))
]
"""Signals that end the program, including the key for one of them."""
SHOWN = b"\x1b[?1049h"
RESTORED = b"\x1b[?1049l"
CURSOR = b"\x1b[?25h"
LOADING = """
from tools import cli

def load(words):
    import sys
    import threading
    from pathlib import Path
    from tui.terminal.startup_screen import CachedPicture, StartupScreen
    picture = CachedPicture(Path("none"), ())
    picture.read = lambda: b"the map, loading"
    with StartupScreen(picture, None):
        threading.Event().wait()

cli.flagplot.main = lambda *_, **__: load(())
cli.main([])
"""
"""Shows the picture that is displayed while the rules load."""
PLAIN = """
from tools.cli import main
main(["play", "qmg", "--scenario", "base", "--hotseat", "--plain"])
"""


def modes(terminal: Terminal) -> list[int]:
    """Return the input and output modes of a terminal."""
    found: list[int] = termios.tcgetattr(terminal.handle)[:4]
    return found


def usual_modes() -> list[int]:
    """Return a terminal's modes before any program changes them."""
    handles = pty.openpty()
    try:
        found: list[int] = termios.tcgetattr(handles[1])[:4]
    finally:
        for handle in handles:
            os.close(handle)
    return found


def check_restored(terminal: Terminal, shown: bytes, number: int) -> None:
    """Send a signal. Check that it ends the program, which leaves the terminal as it was."""
    terminal.signal(number)
    output = terminal.settle()
    assert terminal.wait(END_SECONDS) is not None
    assert terminal.status == 128 + number
    assert modes(terminal) == usual_modes()
    if SHOWN in shown:
        assert RESTORED in output
        assert CURSOR in output.rsplit(b"\x1b[?25l", 1)[-1]


@pytest.mark.parametrize("number", sampled(WAYS, 1))
def test_a_signal_ends_the_screens_and_restores_the_terminal(tmp_path: Path, number: int) -> None:
    with Terminal(MENU, tmp_path) as terminal:
        shown = terminal.ready()
        assert SHOWN in shown
        assert modes(terminal) != usual_modes()
        check_restored(terminal, shown, number)


@pytest.mark.full
@pytest.mark.parametrize("number", sampled(WAYS, 1))
def test_signal_while_loading_rules_restores_the_terminal(tmp_path: Path, number: int) -> None:
    with Terminal(LOADING, tmp_path) as terminal:
        shown = terminal.until(b"the map, loading")
        assert modes(terminal) != usual_modes()
        check_restored(terminal, shown, number)


@pytest.mark.full
@pytest.mark.parametrize("number", sampled(WAYS, 1))
def test_signal_ends_line_mode(tmp_path: Path, number: int) -> None:
    with Terminal(PLAIN, tmp_path) as terminal:
        assert b"> " in terminal.until(b"> ")
        check_restored(terminal, b"", number)
    record = next((tmp_path / "data").rglob("*.fplog"))
    assert verify_file(record).status == "ok"


@pytest.mark.full
def test_quit_key_ends_line_mode(tmp_path: Path) -> None:
    with Terminal(PLAIN, tmp_path) as terminal:
        assert b"> " in terminal.until(b"> ")
        terminal.type(b"\x1c")
        assert terminal.wait(END_SECONDS) is not None
        assert terminal.status == 128 + signal.SIGQUIT


@pytest.mark.full
@pytest.mark.series("S3")
@pytest.mark.parametrize(
    "prelude",
    sampled(
        [pytest.param("", id="S3-closed"), pytest.param(IGNORE_HANGUP, id="S3-ignored")],
        1,
        of="ways to close the terminal of the menu",
    ),
)
def test_a_closed_terminal_ends_the_program(tmp_path: Path, prelude: str) -> None:
    with Terminal(prelude + MENU, tmp_path) as terminal:
        terminal.ready()
        before = terminal.cpu_seconds()
        terminal.hang_up()
        assert terminal.wait(END_SECONDS) is not None
        assert before < 10


@pytest.mark.full
@pytest.mark.parametrize("seed", range(sized(1, 6)))
def test_acknowledged_commands_survive_a_hang_up(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    keys = [
        rng.choice(["d", "c", "n", "h", "\x1b", ":", "?", "d", "c"])
        for _ in range(rng.randrange(4, 25))
    ]
    with Terminal(TOY, tmp_path) as terminal:
        terminal.ready()
        for key in keys:
            terminal.type(key)
            terminal.drain(rng.random() / 50)
        terminal.hang_up()
        assert terminal.wait(END_SECONDS) is not None
    log = read_log(tmp_path / "toy.fplog")
    assert log.records


SIZES = [(80, 23), (1, 1), (20, 5), (79, 24), (120, 40), (500, 200)]
LOOK = re.compile(rb"\x1b\[([0-9;]*)m")


@pytest.mark.full
@pytest.mark.series("S5")
@pytest.mark.parametrize(
    "size",
    [
        pytest.param(size, id=f"S5-{size[0]}x{size[1]}")
        for size in sampled(SIZES, 1, of="sizes of the terminal")
    ],
)
def test_terminal_of_any_size_is_usable(tmp_path: Path, size: tuple[int, int]) -> None:
    with Terminal(STILL, tmp_path, size) as terminal:
        small = size[0] < 80 or size[1] < 24
        expected = b"" if size[0] < 20 else b"small" if small else b"Activate"
        shown = terminal.until(expected) if expected else terminal.ready()
        assert shown
        assert expected in shown
        assert terminal.is_alive()
        assert terminal.drain(0.5) == b"", "it rests"
        terminal.resize((81, 25))
        assert b"Activate" in terminal.until(b"Activate")


@pytest.mark.full
@pytest.mark.series("S5")
def test_many_resizes_leave_a_working_screen(tmp_path: Path) -> None:
    rng = random.Random(5)
    with Terminal(STILL, tmp_path) as terminal:
        terminal.ready()
        for _ in range(100):
            terminal.resize((rng.randrange(1, 200), rng.randrange(1, 70)))
            terminal.drain(0.01)
        terminal.resize((80, 24))
        terminal.settle()
        terminal.type("\x0c")
        assert b"Activate" in terminal.until(b"Activate")


@pytest.mark.full
@pytest.mark.series("S5")
@pytest.mark.parametrize(
    "environ",
    [
        pytest.param({"TERM": "vt100", "LANG": "C"}, id="S5-vt100"),
        pytest.param({"TERM": "linux"}, id="S5-linux"),
        pytest.param({"TERM": "screen"}, id="S5-screen"),
        pytest.param({"LANG": "C"}, id="S5-lang-c"),
        pytest.param({"NO_COLOR": "1"}, id="S5-no-color"),
    ],
)
def test_unusual_terminals_get_suitable_output(tmp_path: Path, environ: dict[str, str]) -> None:
    with Terminal(STILL, tmp_path, (80, 24), **environ) as terminal:
        output = terminal.ready()
        assert b"Activate" in output
        if environ.get("LANG") == "C":
            assert output.isascii()
        if environ.get("NO_COLOR") or environ.get("TERM") == "vt100":
            looks = {code for found in LOOK.findall(output) for code in found.split(b";")}
            assert looks <= {b"0", b"1", b"2", b"4", b"7"}


@pytest.mark.full
@pytest.mark.series("S5")
@pytest.mark.parametrize("term", sampled(["dumb", ""], 1, of="dumb terminals"))
def test_a_dumb_terminal_gets_a_hint(tmp_path: Path, term: str) -> None:
    code = (
        "from tui.app.launch import launch\n"
        "from tui.terminal.errors import TerminalError\n"
        "try:\n    launch()\nexcept TerminalError as error:\n    print(error); raise SystemExit(error.exit_code)\n"
    )
    with Terminal(code, tmp_path, (80, 24), TERM=term) as terminal:
        output = terminal.settle()
        assert b"--plain" in output
        assert b"\x1b" not in output
        assert terminal.wait(END_SECONDS) is not None
        assert terminal.status == 5


NOISE = sized(500, 8_000, 100_000, of="random bytes typed")
"""Random bytes typed at once."""


@pytest.mark.full
@pytest.mark.series("S5")
def test_random_input_does_not_end_the_program(tmp_path: Path) -> None:
    rng = random.Random(7)
    # Left out are q and Ctrl+Q, and Ctrl+P: its palette lists "Quit", and which entry a later Enter
    # takes depends on how far the search for the letters before it has come.
    noise = bytes(byte for byte in rng.randbytes(NOISE) if byte not in (0x10, 0x11, 0x71))
    with Terminal(STILL, tmp_path) as terminal:
        terminal.ready()
        terminal.type(noise)
        output = terminal.settle()
        assert terminal.is_alive(), output[-2_000:]


@pytest.mark.full
@pytest.mark.series("S5")
def test_huge_paste_does_not_end_the_program(tmp_path: Path) -> None:
    with Terminal(STILL, tmp_path) as terminal:
        terminal.ready()
        terminal.type(":")
        terminal.settle()
        terminal.type(b"\x1b[200~" + b"x" * 1_000_000 + b"\x1b[201~")
        terminal.settle()
        assert terminal.is_alive()
        terminal.type("\x1b")
        terminal.settle()
        assert terminal.is_alive()


@pytest.mark.full
@pytest.mark.series("S5")
def test_mouse_reports_outside_the_screen_are_harmless(tmp_path: Path) -> None:
    with Terminal(STILL, tmp_path) as terminal:
        terminal.ready()
        for report in (
            b"\x1b[<0;999;999M",
            b"\x1b[<0;0;0M",
            b"\x1b[<64;5000;1M",
            b"\x1b[<35;-5;-9M",
        ):
            terminal.type(report)
        terminal.settle()
        assert terminal.is_alive()


@pytest.mark.full
@pytest.mark.series("S2")
def test_textual_environment_variables_have_no_effect(tmp_path: Path) -> None:
    doors = {
        "TEXTUAL": "debug,devtools",
        "TEXTUAL_DRIVER": "os:system",
        "TEXTUAL_LOG": str(tmp_path / "log"),
        "TEXTUAL_SCREENSHOT": "0",
        "TEXTUAL_SCREENSHOT_LOCATION": str(tmp_path),
        "TEXTUAL_PRESS": "q",
        "TEXTUAL_THEME": "nord",
    }
    with Terminal(MENU, tmp_path, (80, 24), **doors) as terminal:
        assert b"New game" in terminal.until(b"New game")
        assert terminal.is_alive()
    settings = tmp_path / "config/flagplot/settings.json"  # written before the program started
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == [settings]
