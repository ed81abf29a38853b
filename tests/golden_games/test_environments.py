"""The same games under other interpreters and other msgspec versions must give the same chain (P3).

Interpreters are found on this machine, by name or below PYENV_ROOT. Packages come from uv's cache, because tests use no
network. Missing ones are skipped with the command that fetches them.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.golden_games.corpus import pins
from tests.sizes import sized

ROOT: Final = Path(__file__).parents[2]
GAMES: Final = sized(0, 3, 100, of="golden games that verify under each interpreter")
SECONDS: Final = 7_200
VERIFIED: Final = """
import sys, tempfile
from pathlib import Path
from saves.logfile import write_log
from saves.verify import verify_file
from tests.golden_games.corpus import read
with tempfile.TemporaryDirectory() as folder:
    for name in sys.argv[1:]:
        path = Path(folder, name + ".fplog")
        write_log(path, *read(name))
        verdict = verify_file(path, jobs=1)
        print(name, verdict.status, verdict.chain)
"""


class Environment(NamedTuple):
    """An interpreter, given by its version, and the version of msgspec that it has."""

    python: str
    msgspec: str
    options: tuple[str, ...] = ()


def oldest(package: str) -> str:
    """Return the full number of the oldest version of a package that `pyproject.toml` supports."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (promised,) = (word for word in project["dependencies"] if word.startswith(f"{package}>="))
    numbers = promised.partition(">=")[2].split(".")
    return ".".join([*numbers, "0", "0"][:3])


ENVIRONMENTS: Final = tuple(
    dict.fromkeys(
        [
            *(Environment(f"3.{minor}", version("msgspec")) for minor in range(11, 15)),
            *(Environment(f"3.{minor}", oldest("msgspec")) for minor in (11, 13)),
            Environment("3.11", version("msgspec"), ("-O",)),
        ]
    )
)


@cache
def interpreter(wanted: str) -> str | None:
    """Return an interpreter of a version, ignoring commands that only explain how to install one."""
    places = Path(os.environ.get("PYENV_ROOT", "/nowhere")).glob(f"versions/*/bin/python{wanted}")
    named = shutil.which(f"python{wanted}")
    for path in (sys.executable, named, *map(str, sorted(places))):
        if path and _version(path) == wanted:
            return path
    return None


def _version(path: str) -> str:
    told = "import sys; print('%d.%d' % sys.version_info[:2])"
    ended = subprocess.run([path, "-c", told], capture_output=True, text=True, check=False)
    return ended.stdout.strip()


def command(environment: Environment) -> list[str]:
    """Return the command line of the interpreter with its packages, using only uv's cache."""
    python = interpreter(environment.python)
    if python is None:
        pytest.skip(f"there is no Python {environment.python} here")
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("there is no uv here")
    wanted = {"msgspec": environment.msgspec, "filelock": version("filelock")}
    packages = [word for name, at in wanted.items() for word in ("--with", f"{name}=={at}")]
    words = [uv, "run", "--no-project", "--python", python, *packages]
    offline = [*words[:2], "--offline", *words[2:], "python"]
    if subprocess.run([*offline, "-c", ""], capture_output=True, check=False).returncode:
        pytest.skip(f"not in uv's cache; fetch it with: {' '.join(words)} python -c ''")
    return [*offline, *environment.options]


def smallest() -> Iterator[str]:
    """Yield golden games of each title in turn, short ones first."""
    by_length = sorted(pins(), key=lambda name: pins()[name].commands)
    titles = [
        [name for name in by_length if name.startswith(game)] for game in ("eots", "qmg", "cbps")
    ]
    for number in range(max(map(len, titles))):
        yield from (names[number] for names in titles if number < len(names))


@pytest.mark.full
@pytest.mark.series("P3")
@pytest.mark.parametrize(
    "environment",
    ENVIRONMENTS,
    ids=lambda each: f"P3-{each.python}{''.join(each.options)}-msgspec-{each.msgspec}",
)
def test_p3_every_interpreter_computes_the_same_chain(environment: Environment) -> None:
    names = [*smallest()][:GAMES]
    ended = subprocess.run(
        [*command(environment), "-c", VERIFIED, *names],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines() == [f"{name} ok {pins()[name].chain}" for name in names]
