"""The notation of commands in programs that run without docstrings."""

import subprocess
import sys

import pytest

from engine.registry import games
from tests.sizes import sampled


@pytest.mark.parametrize("game", sampled(games()[::-1], 1))
def test_verbs_are_available_without_docstrings(game: str) -> None:
    code = (
        "from engine.kernel.errors import NotationError\n"
        "from engine.registry import ruleset\n"
        f"notation = ruleset({game!r}).notation\n"
        "print(len(notation.verbs()), {verb.summary for verb in notation.verbs()})\n"
        "try:\n"
        "    notation.parse('frobnicate')\n"
        "except NotationError as error:\n"
        "    print(error.problem[:15])\n"
    )
    done = subprocess.run(
        [sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    told, problem = done.stdout.splitlines()
    assert "''" not in told  # they are read from the source file
    assert int(told.split()[0]) > 10
    assert problem == "unknown command"
