"""The installed wheel: it adds one name, and works beside another project's packages of the same names as ours."""

import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tarfile
import time
import venv
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

import flagplot
from engine import registry
from tests.patience import PATIENCE
from tests.tui.terminals import ROOT, Terminal

OTHER: Final = ("engine", "saves", "play", "netplay", "tui", "tools", "tools.start", "tools.cli")
"""Modules of the other project. None of them can be imported."""


def test_package_version_matches_its_metadata() -> None:
    assert flagplot.__version__ == importlib.metadata.version("flagplot")


@pytest.mark.parametrize("missing", ["resource"])
def test_unsupported_system_is_reported_in_one_sentence(missing: str) -> None:
    code = (
        f"import sys; sys.modules[{missing!r}] = None; from flagplot.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 3
    assert done.stderr.startswith("Error: flagplot runs on Linux and macOS only")
    assert done.stderr.count("\n") == 1
    assert not done.stdout


def test_readme_and_ci_run_the_same_check_command() -> None:
    steps = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    install, check = steps.splitlines()[-2:]
    assert check == "uv run --group dev flagplot-check"
    assert f"\n    {check}\n" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert install == "fetching uv sync --locked --group dev"


def built(kind: str, project: Path, folder: Path) -> Path:
    """Return a package that the build backend makes, without a network."""
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", folder],
        check=False,
        capture_output=True,
        text=True,
        cwd=project,
    )
    assert done.returncode == 0, done.stderr
    (made,) = folder.iterdir()
    return made


@pytest.fixture(scope="module", name="wheel")
def _wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module", name="other")
def _other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel of another project."""
    info = "acme-1.0.dist-info"
    files = {
        f"{name.replace('.', '/')}{'' if '.' in name else '/__init__'}.py": (
            "" if name == "tools" else "raise ImportError('this is acme')\n"
        )
        for name in OTHER
    }
    files[f"{info}/METADATA"] = "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n"
    files[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    path = tmp_path_factory.mktemp("acme") / "acme-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        rows = [
            f"{name},sha256={_digest(text.encode())},{len(text)}" for name, text in files.items()
        ]
        archive.writestr(f"{info}/RECORD", "\n".join([*rows, f"{info}/RECORD,,", ""]))
    return path


def _digest(content: bytes) -> str:
    return urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


class Installed:
    """A fresh environment with both wheels, and the dependencies of the environment that runs the tests."""

    def __init__(self, folder: Path, wheels: tuple[Path, ...]) -> None:
        uv = shutil.which("uv")
        if uv is None:
            pytest.skip("uv is not installed")
        self.home = folder / "home"
        self.home.mkdir()
        self.venv = folder / "venv"
        venv.create(self.venv)
        self.python = self.venv / "bin" / "python"
        (packages,) = self.venv.glob("lib/python*/site-packages")
        # A path file inside this folder is not read, so the project folder cannot be imported.
        (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
        before = {path.name for path in packages.iterdir()}
        for wheel in wheels:
            install = [uv, "pip", "install", "--quiet", "--offline", "--no-deps", "--python"]
            subprocess.run([*install, self.python, wheel], check=True)
        self.added = {path.name for path in packages.iterdir()} - before
        """The names that the wheels have added to site-packages."""
        (folder / "path" / "tools").mkdir(parents=True)
        (folder / "path" / "tools" / "cli.py").write_text("raise ImportError('on the path')\n")
        self.path = folder / "path"

    @property
    def environ(self) -> Mapping[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "PYTHONPATH": str(self.path),
            "LC_ALL": "C.UTF-8",
        }

    def __call__(self, *words: str, lines: str = "") -> str:
        """Run a program of the environment, which must succeed, and return its output."""
        program, *rest = words
        done = subprocess.run(
            [self.venv / "bin" / program, *rest],
            check=False,
            capture_output=True,
            text=True,
            input=lines,
            timeout=PATIENCE,
            cwd=self.home,
            env=self.environ,
        )
        assert done.returncode == 0, done.stderr + done.stdout
        assert "acme" not in done.stderr
        return done.stdout


@pytest.fixture(scope="module", name="installed", params=[False, True], ids=["first", "last"])
def _installed(
    wheel: Path,
    other: Path,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> Installed:
    wheels = (other, wheel) if request.param else (wheel, other)
    return Installed(tmp_path_factory.mktemp("installed"), wheels)


@pytest.mark.full
def test_wheel_adds_one_name(wheel: Path, tmp_path: Path) -> None:
    installed = Installed(tmp_path, (wheel,))
    version = importlib.metadata.version("flagplot")
    assert installed.added == {"flagplot", f"flagplot-{version}.dist-info"}
    programs = {path.name for path in (installed.venv / "bin").glob("flagplot*")}
    assert programs == {"flagplot"}
    code = "import engine"
    done = subprocess.run([installed.python, "-c", code], check=False, cwd=tmp_path)
    assert done.returncode == 1, "the project folder can be imported"


@pytest.mark.full
def test_wheel_passes_the_package_index_checks(wheel: Path) -> None:
    for command in (("twine", "check", "--strict"), ("check-wheel-contents",)):
        program = Path(sys.executable).with_name(command[0])
        done = subprocess.run(
            [program, *command[1:], wheel], check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.full
def test_source_package_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    with tarfile.open(built("sdist", ROOT, tmp_path / "source")) as archive:
        archive.extractall(tmp_path, filter="data")
    (project,) = tmp_path.glob("flagplot-*")
    (tmp_path / "wheel").mkdir()
    with (
        zipfile.ZipFile(wheel) as ours,
        zipfile.ZipFile(built("wheel", project, tmp_path / "wheel")) as theirs,
    ):
        assert [one.filename for one in theirs.infolist()] == ours.namelist()
        assert [one.CRC for one in theirs.infolist()] == [one.CRC for one in ours.infolist()]


@pytest.mark.full
def test_packages_of_another_project_are_not_used_instead_of_ours(installed: Installed) -> None:
    assert installed.added >= {"flagplot", *(name for name in OTHER if "." not in name)}
    version = installed("flagplot", "--version")
    assert version == installed("python", "-m", "flagplot", "--version")
    text = installed("flagplot", "--help")
    assert "verify" in text
    assert "bench" not in text
    assert "8.45" in installed("flagplot", "rules", "eots", "8.45")
    for game in ("cbps", "eots", "qmg"):
        assert installed("flagplot", "scenario", "list", game)


@pytest.mark.full
@pytest.mark.parametrize("words", [("flagplot",), ("python", "-m", "flagplot")], ids=" ".join)
def test_installed_menu_opens(installed: Installed, words: tuple[str, ...]) -> None:
    program = str(installed.venv / "bin" / words[0])
    command = [program, *words[1:]]
    code = f"import os; os.chdir({str(installed.home)!r}); os.execv({program!r}, {command!r})"
    terminal = Terminal(code, installed.home, PYTHONPATH=str(installed.path))
    try:
        assert b"New game" in terminal.until(b"New game")
    finally:
        terminal.signal(signal.SIGTERM)
        terminal.wait(PATIENCE)
        terminal.hang_up()


@pytest.mark.full
def test_installed_bots_play_in_separate_processes(installed: Installed) -> None:
    seats = ("greedy", "random", "--scenario", "base", "--games", "2", "--jobs", "2")
    assert "greedy" in installed("flagplot", "arena", "qmg", *seats)
    # A bot that looks ahead has a process of its own, which ends with its input (here 0).
    assert not installed("python", "-P", "-m", "flagplot.play.bot_worker", "0")


@pytest.mark.full
def test_installed_verify_uses_two_processes(installed: Installed) -> None:
    records = []
    for game in ("cbps", "eots", "qmg"):
        record = installed.home / f"{game}.fplog"
        record.write_bytes(registry.tutorial(game).read_bytes())
        records.append(record.name)
    text = installed("flagplot", "verify", "--jobs", "2", *records)
    assert text.splitlines()[-1].startswith("3 files: 3 ok")
    assert "qmg" in installed("flagplot", "show", "qmg.fplog")


@pytest.mark.full
def test_installed_programs_import_the_public_interface(installed: Installed) -> None:
    record = installed.home / "programs.fplog"
    record.write_bytes(registry.tutorial("eots").read_bytes())
    code = """
import sys
import flagplot
from flagplot import eots
assert not {"textual", "pynng"} & set(sys.modules)
for name in flagplot.__all__:
    getattr(flagplot, name)
record = flagplot.read_record("programs.fplog")
events = [event for step in record for event in step.events]
assert any(isinstance(event, eots.OffensiveBegan) for event in events)
print(flagplot.verify("programs.fplog").status, record.position().view("japan").__class__.__name__)
game = flagplot.new_game("qmg", seed=1)
game.play(dict.fromkeys(game.position.roles, "greedy"), limit=3)
print(len(game.record), "pynng" in sys.modules)
report = flagplot.export(["programs.fplog"], "tables", "parquet", jobs=2)
print(report.rows["games"], report.rows["events"] == len(events))
"""
    lines = installed("python", "-P", "-c", code).splitlines()
    assert lines[0] == "ok EotsView"
    assert re.fullmatch(r"\d+ False", lines[1])
    assert lines[2] == "1 True"
    shutil.rmtree(installed.home / "tables")
    assert "events.csv: " in installed("flagplot", "export", record.name)


@pytest.mark.full
def test_installed_host_starts_its_workers(installed: Installed) -> None:
    words = ["host", "open", "qmg", "--seats", "2,Ann,Bob", "--headless", "--workers", "2"]
    host = subprocess.Popen(
        [installed.venv / "bin" / "flagplot", *words, "--listen", "127.0.0.1:0", "--folder", "H"],
        cwd=installed.home,
        env=installed.environ,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert host.stderr is not None
        for line in host.stderr:
            assert "acme" not in line
            if json.loads(line)["event"] == "match_created":
                break
        status = installed("flagplot", "host", "status", "--json", "--folder", "H")
        while not _has_workers(status):
            time.sleep(0.1)
            status = installed("flagplot", "host", "status", "--json", "--folder", "H")
        invite = next(installed.home.glob("H/invites/bob.invite"))
        text = installed("flagplot", "join", "--plain", str(invite), lines="quit\n")
        assert "Bob" in text or "joined" in text
    finally:
        host.terminate()
        host.communicate(timeout=PATIENCE)


def _has_workers(status: str) -> bool:
    workers = json.loads(status)["workers"]
    return any(worker["process"] for worker in workers)
