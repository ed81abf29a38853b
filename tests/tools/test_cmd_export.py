"""``flagplot export`` draws a position or records a replay as the chosen seat sees it."""

import html
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

import flagplot
from engine import registry
from tests.tools.commands import Cli
from tools.dev.recording import characters


@pytest.fixture(name="cli")
def _cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


@pytest.fixture(name="record")
def _record(tmp_path: Path) -> Path:
    path = tmp_path / "game.fplog"
    path.write_bytes(registry.tutorial("eots").read_bytes())
    return path


def words(picture: Path) -> str:
    """Return a picture's texts in reading order."""
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", picture.read_text(encoding="utf-8"))
    return html.unescape(" ".join(texts)).replace("\xa0", " ")


def test_picture_shows_only_the_chosen_seats_view(cli: Cli, record: Path, tmp_path: Path) -> None:
    shown = {}
    for seat in ("japan", "allied", "-"):
        out = tmp_path / f"out{seat}"
        done = cli("export", record, "--svg", "--seat", seat, "--at", 4, "--out", out)
        assert (done.code, done.out) == (0, f"{out / 'game.svg'}\n")
        shown[seat] = words(out / "game.svg")
    assert "seen by Japan" in shown["japan"]
    assert "seen by Allied" in shown["allied"]
    assert "seen by Spectator" in shown["-"]


@pytest.mark.full
def test_last_position_is_drawn_at_the_chosen_size(cli: Cli, record: Path, tmp_path: Path) -> None:
    assert cli("export", record, "--svg", "--size", "80x24", "--out", tmp_path / "a").code == 0
    assert cli("export", record, "--svg", "--size", "160x46", "--out", tmp_path / "b").code == 0
    small, large = (tmp_path / folder / "game.svg" for folder in "ab")
    assert len(small.read_text().split("clipPath")) < len(large.read_text().split("clipPath"))
    done = cli("export", record, "--svg", "--out", tmp_path / "a")
    assert done.code == 3
    assert "game.svg already exists" in done.err


@pytest.mark.full
def test_cast_shows_every_command_once(cli: Cli, record: Path, tmp_path: Path) -> None:
    last = len(flagplot.read_record(record)) - 1
    start = last - 6
    done = cli("export", record, "--cast", "--at", start, "--size", "100x30", "--out", tmp_path)
    assert (done.code, done.out) == (0, f"{tmp_path / 'game.cast'}\n")
    header, *frames = map(json.loads, (tmp_path / "game.cast").read_text().splitlines())
    assert (header["version"], header["width"], header["height"]) == (2, 100, 30)
    times = [at for at, kind, _ in frames if kind == "o"]
    assert times == [*map(float, range(7)), 11.0]
    shown = "\n".join(characters("".join(data for _, _, data in frames[:1]), (100, 30)))
    assert "EMPIRE OF THE SUN" in shown
    assert "Replay, seen by" in shown
    screens = [
        characters("".join(data for _, _, data in frames[: count + 1]), (100, 30))
        for count in range(7)
    ]
    assert all(one != other for one, other in pairwise(screens))


@pytest.mark.full
def test_records_that_cannot_be_drawn_are_left_out(cli: Cli, record: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.fplog").write_bytes(b"nothing")
    done = cli("export", tmp_path, "--svg", "--out", tmp_path / "out")
    assert done.code == 3
    assert done.err.startswith(f"left out: {tmp_path / 'bad.fplog'}: ")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["game.svg"]
    done = cli("export", record, "--svg", "--at", 9_999, "--out", tmp_path / "late")
    assert done.code == 3
    assert "there is no record 9999" in done.err
    done = cli("export", record, "--svg", "--seat", "nobody", "--out", tmp_path / "late")
    assert "there is no role 'nobody'" in done.err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--svg", "--table", "dice"], "--table has no effect with --svg"),
        (["--svg", "--jobs", "2"], "--jobs has no effect with --svg"),
        (["--cast", "--table", "dice"], "--table has no effect with --cast"),
        (["--at", "3"], "--at needs --svg or --cast"),
        (["--csv", "--size", "80x24"], "--size needs --svg or --cast"),
        (["--svg", "--size", "80"], "'80' is not of the form 120x40"),
        (["--svg", "--size", "79x24"], "'79x24' is not between 80x24 and 500x500"),
        (["--svg", "--size", "9999x24"], "is not between"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_inapplicable_options_are_refused(
    cli: Cli, record: Path, tmp_path: Path, arguments: list[str], problem: str
) -> None:
    done = cli("export", record, *arguments, "--out", tmp_path / "out")
    assert done.code == 2
    assert problem in done.err
    assert not (tmp_path / "out").exists()
