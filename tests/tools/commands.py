"""The command line, run in the test's process."""

from typing import NamedTuple

import pytest

from tools.cli import main


class Ran(NamedTuple):
    code: int
    out: str
    err: str


class Cli:
    """Runs the command line in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: object) -> Ran:
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(each) for each in arguments])
        assert isinstance(ended.value.code, int)
        found = self._capsys.readouterr()
        return Ran(ended.value.code, found.out, found.err)
