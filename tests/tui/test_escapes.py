"""A player restricted by a forced command cannot run another program or access other files (S2).

The program reports on itself: an audit hook of the interpreter logs every process start and every opened file.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from play import games
from tests.tui.programs import MENU
from tests.tui.terminals import Terminal

AUDITED: Final = r"""
import os, sys
_told = os.open(os.environ["HOME"] + "/audit", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
_STARTS = (
    *("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "os.spawn", "pty.spawn"),
    *("subprocess.Popen", "socket.connect"),
)
_CHANGES = (
    *("os.rename", "os.remove", "os.link", "os.symlink", "os.mkdir", "os.rmdir", "os.chmod"),
    *("os.chown", "os.truncate"),
)
def _hook(event, args):
    if event in _STARTS:
        words = ("start", event)
    elif event == "open" and not isinstance(args[0], int):
        path, mode, flags = args
        writes = (flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        words = ("write" if writes else "read", os.path.realpath(os.fsdecode(path)))
    elif event in _CHANGES:
        paths = [one for one in args if isinstance(one, (str, bytes, os.PathLike))]
        words = ("write", *(os.path.realpath(os.fsdecode(one)) for one in paths))
    else:
        return
    for word in words[1:]:
        os.write(_told, f"{words[0]} {word!r}\n".encode("utf-8", "backslashreplace"))
sys.addaudithook(_hook)
"""
LURES: Final = {
    "SSH_ORIGINAL_COMMAND": "/bin/sh -i",
    "PAGER": "/bin/sh",
    "EDITOR": "/bin/sh",
    "VISUAL": "/bin/sh",
    "BROWSER": "/bin/sh %s",
    "SHELL": "/bin/sh",
    "LESSOPEN": "|/bin/sh %s",
    "LANG": "../../../tmp/x",
    "LC_ALL": "C.UTF-8/../../x",
    "LANGUAGE": "../x",
    "TZ": ":/../../etc/passwd",
    "TERMINFO": "/nowhere",
    "PYTHONBREAKPOINT": "os.system",
    "TEXTUAL": "debug,devtools",
    "TEXTUAL_DRIVER": "os:system",
    "TEXTUAL_SCREENSHOT": "0",
}
"""What a client may send or set in its environment. sshd must refuse `PYTHONPATH` and `PYTHONSTARTUP`."""
NAMES: Final = (
    *("../escaped", "../../../../tmp/escaped", "/tmp/escaped", "link/escaped", "a/b", "..", "."),
    *("-rf", "--help", "$(id)", "`id`", "a;id", "a|id", "~root", "con\tsole", "x" * 300),
)
KEYS: Final = (
    *(b"\x1a", b"\x1c", b"\x03", b"\x04", b"\x0f", b"\x15", b"\x12", b"!", b"|"),
    *(b"\x10screenshot\r", b"\x10shell\r", b"\x1bOP", b"\x1b[15~"),
)
"""Suspend, quit with a core dump, interrupt, end of file and other terminal keys; the palette and function keys."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home with a saved game, a link out of its folder, and a file outside to find."""
    home = tmp_path / "home"
    folder = home / "data" / "flagplot" / "games"
    games.create_game(
        games.NewGame(game="eots", scenario="1943"), folder / "game.fplog"
    ).match.close()
    (folder / "link").symlink_to(tmp_path)
    (tmp_path / "outside.fplog").write_bytes(b"nobody's")
    return home


def told(home: Path, kind: str) -> Iterator[str]:
    for line in (home / "audit").read_text(encoding="utf-8").splitlines():
        word, _, rest = line.partition(" ")
        if word == kind:
            yield rest.strip("'\"")


def check(home: Path) -> None:
    """Check that no process was started, nothing written elsewhere, and only program and player files read."""
    assert [*told(home, "start")] == []
    places = (str(home), "/dev/", "/proc/self/")
    assert [path for path in told(home, "write") if not path.startswith(places)] == []
    assert sorted(one.name for one in home.parent.iterdir()) == ["home", "outside.fplog"]
    assert (home.parent / "outside.fplog").read_bytes() == b"nobody's"


@pytest.mark.full
@pytest.mark.series("S2")
def test_s2_environment_and_keys_start_no_program(home: Path) -> None:
    with Terminal(AUDITED + MENU, home, (80, 24), **LURES) as terminal:
        terminal.ready()
        for key in KEYS:
            terminal.type(key)
            terminal.send(b"\x1b")
        assert terminal.is_alive()
    check(home)


@pytest.mark.full
@pytest.mark.series("S2")
def test_s2_save_name_cannot_leave_the_folder(home: Path) -> None:
    with Terminal(AUDITED + MENU, home) as terminal:
        terminal.ready()
        terminal.send("r")
        for number, name in enumerate(NAMES):
            terminal.type("nc"[number % 2])
            terminal.send(b"\x15" + name.encode() + b"\r")
        assert terminal.is_alive()
    check(home)
    assert len(list(home.rglob("*.fplog"))) > 1, "names that are names were taken"
