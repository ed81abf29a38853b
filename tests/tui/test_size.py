"""A screen is as large as the terminal reports, up to a limit (S5)."""

import os
from pathlib import Path

import pytest

from tests.tui.programs import STILL
from tests.tui.terminals import Terminal
from tui.terminal.size import screen_size

WHOLE_SCREEN_BYTES = 120_000
"""Limit for 200x60 (S6); a screen of 80x24 is far below it."""
LARGEST_BYTES = 1_500_000
"""Limit for the largest screen, on which the map fills 500,000 cells."""


@pytest.mark.full
@pytest.mark.series("S5")
def test_environment_cannot_enlarge_the_screen_beyond_its_terminal(tmp_path: Path) -> None:
    with Terminal(STILL, tmp_path, (80, 24), COLUMNS="99999", LINES="9999") as terminal:
        shown = terminal.until(b"Activate")
        assert b"Activate" in shown
        assert len(shown) < WHOLE_SCREEN_BYTES
        assert terminal.drain(0.5) == b"", "it rests"
        terminal.resize((81, 25))
        assert b"Activate" in terminal.until(b"Activate")


@pytest.mark.full
@pytest.mark.series("S5")
def test_huge_terminal_is_drawn_only_in_part(tmp_path: Path) -> None:
    with Terminal(STILL, tmp_path, (65_535, 65_535)) as terminal:
        shown = terminal.until(b"Activate")
        assert b"Activate" in shown
        assert len(shown) < LARGEST_BYTES
        terminal.resize((80, 24))
        assert b"Activate" in terminal.until(b"Activate")


@pytest.mark.parametrize(
    ("told", "environ", "size"),
    [
        pytest.param((120, 40), {}, (120, 40), id="told"),
        pytest.param((120, 40), {"COLUMNS": "90", "LINES": "30"}, (120, 40), id="both"),
        pytest.param((0, 0), {"COLUMNS": "90", "LINES": "30"}, (90, 30), id="environment"),
        pytest.param((0, 0), {"COLUMNS": "99999"}, (1_000, 24), id="endless-environment"),
        pytest.param((0, 0), {"COLUMNS": "9" * 5_000, "LINES": "-1"}, (80, 24), id="nonsense"),
        pytest.param((0, 0), {}, (80, 24), id="nothing"),
        pytest.param((65_535, 65_535), {}, (1_000, 500), id="endless"),
    ],
)
def test_s5_screen_size_from_terminal_and_environment(
    monkeypatch: pytest.MonkeyPatch,
    told: tuple[int, int],
    environ: dict[str, str],
    size: tuple[int, int],
) -> None:
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size(told))
    for name in ("COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert screen_size(2, 0) == size


def test_s5_first_terminal_that_reports_a_size_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(descriptor: int) -> os.terminal_size:
        if descriptor == 2:
            raise OSError
        return os.terminal_size((100, 50))

    monkeypatch.setattr(os, "get_terminal_size", told)
    assert screen_size(2, 0) == (100, 50)
