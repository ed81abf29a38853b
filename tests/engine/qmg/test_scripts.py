"""Every script of the folder runs to its end."""

from pathlib import Path

import pytest

from tools.cmd_script import run_file

SCRIPTS = sorted((Path(__file__).parents[2] / "scripts" / "qmg").rglob("*.script"))


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in SCRIPTS])
def test_script_runs_to_its_end(path: Path) -> None:
    result = run_file(path)
    assert result.expectations > 0


def test_scripts_exist() -> None:
    assert SCRIPTS
