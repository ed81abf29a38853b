"""`flagplot data check`: valid files, invalid ones and files of other kinds."""

from pathlib import Path

import pytest

from engine.cbps.overlay import MAX_OVERLAY_BYTES
from tests.tools.commands import Cli
from tools.custom_data import MAX_BYTES

GOOD = '{"format": "cbps-overlay/1", "tables": {"surprise": {"cells": {"7": "partial"}}}}'


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def _file(folder: Path, text: str, name: str = "mine.json") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_valid_file_is_summarised_with_its_digest(cli: Cli, tmp_path: Path) -> None:
    path = _file(tmp_path, GOOD)
    ran = cli("data", "check", "cbps", path)
    head, part = ran.out.splitlines()
    assert (ran.code, ran.err, part) == (0, "", "- tables.surprise: 1")
    assert head.startswith(f"OK {path}: 1 values replaced; digest ")
    assert len(head.rpartition(" ")[2]) == 64
    other = cli("data", "check", "cbps", _file(tmp_path, GOOD.replace(" ", ""), "same.json"))
    assert other.out.splitlines()[0].rpartition(" ")[2] == head.rpartition(" ")[2]


def test_each_error_is_one_sentence_with_file_and_path(cli: Cli, tmp_path: Path) -> None:
    wrong = GOOD.replace("partial", "big").replace(
        "}}}", '}, "modifiers": {"us_advantage": {"drm": 0.5}}}}'
    )
    path = _file(tmp_path, wrong)
    ran = cli("data", "check", "cbps", path)
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.splitlines() == [
        f"BAD {path} at tables.surprise.cells.7: Invalid enum value 'big'",
        f"BAD {path} at tables.surprise.modifiers.us_advantage.drm: Expected `int | str`, got `float`",
    ]


def test_invalid_file_does_not_stop_the_check_of_later_files(cli: Cli, tmp_path: Path) -> None:
    good, bad = _file(tmp_path, GOOD), _file(tmp_path, '{"game": "qmg"}', "other.json")
    ran = cli("data", "check", "cbps", bad, tmp_path / "none.json", tmp_path, good)
    assert ran.code == 3
    assert [line.partition(":")[0] for line in ran.err.splitlines()] == [
        f"BAD {bad}",
        f"BAD {tmp_path}/none.json",
        f"BAD {tmp_path}",
    ]
    assert ran.out.startswith(f"OK {good}")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not JSON"),
        (b"\x00\xff" * 50, "not JSON"),
        (b"flagplot\x00record", "not JSON"),
        (b" " * 1_000_001, "too long"),
        (b'{"format": "cbps-overlay/1", "title": "\\u001b]0;x\\u0007"}', "cannot be printed"),
    ],
)
def test_file_that_is_not_an_overlay_is_refused(
    cli: Cli, tmp_path: Path, content: bytes, words: str
) -> None:
    path = tmp_path / "mine.json"
    path.write_bytes(content)
    ran = cli("data", "check", "cbps", path)
    assert ran.code == 3
    assert words in ran.err
    assert len(ran.err.splitlines()) == 1
    assert "\x1b" not in ran.err


def test_checked_and_playable_files_have_the_same_size_limit() -> None:
    assert MAX_OVERLAY_BYTES == MAX_BYTES


def test_game_without_overlays_is_refused(cli: Cli, tmp_path: Path) -> None:
    assert cli("data", "check", "eots", _file(tmp_path, GOOD)).code == 2
