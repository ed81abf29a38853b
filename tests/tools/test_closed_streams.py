"""Commands whose caller closed a standard stream or deleted the current folder."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.sizes import sampled
from tests.tools.programs import CODE, Program
from tools import cli

GOLDEN = Path(__file__).parents[1] / "saves" / "golden" / "toy-ending.fplog"


def ran(
    home: Path, words: Sequence[str], closed: Sequence[int], cwd: Path | None = None
) -> tuple[int, str, str]:
    """Run the command with closed streams. Return exit code, output and errors."""

    def close() -> None:
        for handle in closed:
            os.close(handle)

    done = subprocess.run(
        [sys.executable, "-c", CODE, *words],
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE,
        cwd=cwd or home,
        env=Program(home).environ(),
        preexec_fn=close,
    )
    return done.returncode, done.stdout, done.stderr


INPUT, OUTPUT, ERRORS = 0, 1, 2


@pytest.mark.parametrize(
    ("words", "closed", "code", "sentence"),
    sampled(
        [
            pytest.param(("scenario", "list"), (OUTPUT,), 3, "standard output is closed"),
            pytest.param(("verify", str(GOLDEN)), (OUTPUT,), 3, "standard output is closed"),
            pytest.param(("play", "--plain"), (OUTPUT,), 3, "standard output is closed"),
            pytest.param(("play", "qmg", "--plain"), (INPUT,), 3, "the input ended before"),
            pytest.param(("play", "qmg"), (INPUT,), 5, "this is not a terminal"),
            pytest.param(("mail", "take", "-"), (INPUT,), 3, "no move file"),
            pytest.param(("verify", str(GOLDEN)), (INPUT, OUTPUT, ERRORS), 3, ""),
            pytest.param(("verify", "missing"), (ERRORS,), 2, ""),
        ],
        1,
    ),
)
def test_closed_stream_causes_no_traceback_and_no_record(
    tmp_path: Path, words: tuple[str, ...], closed: tuple[int, ...], code: int, sentence: str
) -> None:
    found, out, err = ran(tmp_path, words, closed)
    assert found == code, out + err
    assert sentence in err
    assert "Traceback" not in err
    assert list(tmp_path.rglob("*.fplog")) == []


@pytest.mark.full
def test_replay_without_input_prints_to_the_end(tmp_path: Path) -> None:
    code, out, err = ran(tmp_path, ("tutorial", "qmg", "--plain"), (INPUT,))
    assert (code, err) == (0, "")
    assert out.count("\n") > 20


def test_error_names_the_file_or_stream_involved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli._path_in_error(OSError(2, "No such file", "a\x1b[2J.fplog")) == "a.fplog"
    assert cli._path_in_error(OSError(28, "No space left on device")) == "standard output"
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert cli._path_in_error(OSError(2, "No such file or directory")) == "the current folder"
