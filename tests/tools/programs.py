"""The real command in a separate process, as a player runs it."""

import os
import re
import resource
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.patience import PATIENCE
from tests.tui.terminals import ROOT

CODE = "from tools.cli import main; main()"
DISCARDS = ("/ discard\n1\ncommit\n" + "/ pass\n1\ncommit\n" * 4) * 12
"""Input lines that play: discard the first card that can be discarded, and pass in every window."""


class Ran:
    """Results of a command."""

    def __init__(self, done: "subprocess.CompletedProcess[str]") -> None:
        self.code = done.returncode
        self.out = done.stdout
        self.err = done.stderr

    def fails(self, code: int, words: str) -> None:
        """Check the exit code and the words, and that the error is one sentence."""
        assert self.code == code, self.err + self.out
        sentences = [line for line in self.err.splitlines() if line.startswith("Error: ")]
        assert len(sentences) == 1, self.err
        assert re.search(words, sentences[0]), sentences[0]
        assert "Traceback" not in self.err + self.out


class Program:
    """Runs the command with a separate home folder."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(
        self,
        *words: object,
        lines: str = "",
        limits: Mapping[int, int] | None = None,
        code: str = CODE,
        **environ: str,
    ) -> Ran:
        """Run the command.

        Args:
            words: Arguments after the program name.
            lines: Standard input.
            limits: Limits of the account, by the numbers of `resource`; a full disk is a size that no file may exceed.
            code: Python code of the program.
            environ: Additional environment variables.
        """

        def limit() -> None:
            for number, most in (limits or {}).items():
                resource.setrlimit(number, (most, most))

        return Ran(
            subprocess.run(
                [sys.executable, "-c", code, *map(str, words)],
                check=False,
                capture_output=True,
                text=True,
                input=lines,
                timeout=PATIENCE,
                cwd=self.home,
                env=self.environ() | environ,
                preexec_fn=limit if limits else None,
            )
        )

    def environ(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "XDG_DATA_HOME": str(self.home / "data"),
            "PYTHONPATH": str(ROOT),
            # A limit on file size would truncate the compiled modules of the whole tree.
            "PYTHONDONTWRITEBYTECODE": "1",
            "LC_ALL": "C.UTF-8",
        }
