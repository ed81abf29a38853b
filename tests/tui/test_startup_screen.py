"""The startup screen while a game loads: keys are queued, and a fitting picture is shown."""

import os
import pty
import termios
from pathlib import Path

import pytest

from saves.logfile import LogWriter
from tests.tui.programs import PLAY, RESUME
from tests.tui.terminals import Terminal
from tui.terminal import startup_screen
from tui.terminal.startup_screen import CachedPicture, Drawing, opening_picture, record_picture

SIZE = (80, 24)
DRAWING = Drawing(SIZE, b"the map")


@pytest.fixture(autouse=True)
def account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use a separate folder and terminal for the pictures."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size(SIZE))
    return tmp_path


def picture(path: Path, subject: str = "1943") -> CachedPicture:
    return CachedPicture(path / "picture", (subject,))


def test_cached_picture_is_read_only_for_its_own_opening(tmp_path: Path) -> None:
    picture(tmp_path).write(DRAWING)
    assert picture(tmp_path).read() == DRAWING.content
    assert picture(tmp_path, "1942").read() == b""


@pytest.mark.parametrize("damage", ["", "short", "flipped"])
def test_missing_or_damaged_picture_is_ignored(tmp_path: Path, damage: str) -> None:
    one = picture(tmp_path)
    if damage:
        one.write(DRAWING)
        found = one.path.read_bytes()
        one.path.write_bytes(found[:20] if damage == "short" else found[:-1] + b"\x1b")
    assert one.read() == b""


def test_picture_of_another_size_style_or_version_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture(tmp_path).write(Drawing((81, 24), b"the map"))
    assert picture(tmp_path).read() == b""
    picture(tmp_path).write(DRAWING)
    with monkeypatch.context() as patch:
        patch.setenv("NO_COLOR", "1")
        assert picture(tmp_path).read() == b""
    with monkeypatch.context() as patch:
        patch.setattr(startup_screen, "_source_files", lambda: iter([("map.json", 1, 2)]))
        assert picture(tmp_path).read() == b""
    settings = tmp_path / "config/flagplot/settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text("{}")
    assert picture(tmp_path).read() == b""


def test_compiled_python_files_do_not_invalidate_the_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tui").mkdir()
    monkeypatch.setattr(startup_screen, "_ROOT", tmp_path)
    picture(tmp_path).write(DRAWING)
    (tmp_path / "tui" / "__pycache__").mkdir()
    assert picture(tmp_path).read() == DRAWING.content


def test_disk_failure_loses_only_the_picture(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    one = CachedPicture(tmp_path / "file" / "picture", ())
    one.write(DRAWING)
    assert one.read() == b""


def test_picture_is_invalid_after_the_record_grows(tmp_path: Path) -> None:
    record = tmp_path / "game.fplog"
    record.write_bytes(b"records")
    record_picture(record).write(DRAWING)
    assert record_picture(record).read() == DRAWING.content
    record.write_bytes(b"records and one more")
    assert record_picture(record).read() == b""


def test_custom_position_has_its_own_opening_picture(tmp_path: Path) -> None:
    place = tmp_path / "place.json"
    place.write_text("{}")
    opening_picture("eots", "", (), (place,)).write(DRAWING)
    assert opening_picture("eots", "", (), (place,)).read() == DRAWING.content
    place.write_text("{ }")
    assert opening_picture("eots", "", (), (place,)).read() == b""


def test_picture_is_not_read_without_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    picture(tmp_path).write(DRAWING)
    reader, writer = os.pipe()
    monkeypatch.setattr(startup_screen, "_OUTPUT_DESCRIPTOR", writer)
    assert picture(tmp_path).read() == b""
    os.close(reader)
    os.close(writer)


def test_keys_are_queued_without_echo_and_the_terminal_is_restored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, theirs = pty.openpty()
    monkeypatch.setattr(startup_screen, "_INPUT_DESCRIPTOR", theirs)
    before = termios.tcgetattr(theirs)
    with startup_screen.StartupScreen(opening_picture("toy", "", ()), None):
        os.write(ours, b"\r")
        assert os.read(theirs, 9) == b"\r"
    assert termios.tcgetattr(theirs) == before
    os.close(ours)
    os.close(theirs)


@pytest.mark.full
def test_keys_typed_before_the_first_frame_take_effect(tmp_path: Path) -> None:
    with Terminal(PLAY, tmp_path) as terminal:
        terminal.type("\r")
        assert b"u undo 1" in terminal.until(b"u undo 1")


@pytest.mark.full
def test_resumed_game_is_shown_before_its_rules_load_and_hides_hands(tmp_path: Path) -> None:
    with Terminal(PLAY, tmp_path) as terminal:
        terminal.ready()
        terminal.send("\r\x11")
        assert terminal.wait(10) is not None
    (shown,) = (tmp_path / "data/flagplot/pictures").glob("last")
    assert b"GER" in shown.read_bytes()
    assert b"Discard" not in shown.read_bytes()
    assert b"hand" not in shown.read_bytes()
    with Terminal(RESUME, tmp_path) as terminal:
        before, _, after = terminal.ready().partition(startup_screen.LOADING.encode())
        assert b"GER" in before
        assert b"Discard" not in before
        assert b"Discard" in after


@pytest.mark.full
def test_failed_start_restores_the_terminal_then_prints_the_reason(tmp_path: Path) -> None:
    with Terminal(PLAY, tmp_path) as terminal:
        terminal.ready()
        terminal.send("\x11")
        assert terminal.wait(10) is not None
    writer = LogWriter.open(next((tmp_path / "data/flagplot/games").glob("*.fplog")))
    with Terminal(RESUME, tmp_path) as terminal:
        output = terminal.until(b"in use")
    writer.close()
    assert output.index(b"GER") < output.index(b"\x1b[?1049l") < output.index(b"in use")
