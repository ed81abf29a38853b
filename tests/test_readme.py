"""Every command in the README works, and its statements about files are true."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

from engine import registry
from engine.qmg.deck_steps import STEP_LISTS
from saves.folders import games_folder, joined_folder
from saves.verdicts import EXIT_CODES
from tests.tui.terminals import ROOT
from tools.cli import flagplot as program

README = (ROOT / "README.md").read_text(encoding="utf-8")
MANUAL = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs" / "manual").glob("*.md"))
PAGES = ("README.md", *MANUAL, "docs/ssh.md")
INTERACTIVE = ("play", "resume", "host", "join", "watch", "replay", "learn", "tutorial")
"""Commands that need a person. Only their arguments are parsed."""
PATIENCE = 100
QUICK = ("verify games/*.fplog",)
"""The commands that a quick run tries."""


def commands(page: str) -> list[list[str]]:
    """Return the flagplot command lines of a page, the ones in its indented blocks."""
    text = (ROOT / page).read_text(encoding="utf-8")
    lines = re.findall(
        r"^ {4}(?:uv run |sudo -u flagplot /opt/flagplot/bin/)?(flagplot .*)$", text, re.MULTILINE
    )
    return [shlex.split(line)[1:] for line in lines]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that the README names."""
    home = tmp_path_factory.mktemp("readme")
    (home / "games").mkdir()
    words = ["play", "eots", "--plain", "--bot", "japan=random", "--save", "games/a.fplog"]
    done = run(words, home, "/ discard\n1\ncommit\nquit\n")
    assert done.returncode == 0, done.stderr
    return home


def run(words: list[str], home: Path, lines: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", "from tools.cli import main; main()", *words],
        check=False,
        capture_output=True,
        text=True,
        input=lines,
        timeout=PATIENCE,
        cwd=home,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "PYTHONPATH": str(ROOT),
            "LC_ALL": "C.UTF-8",
        },
    )


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)])
def test_every_command_line_can_be_parsed(page: str) -> None:
    for words in commands(page):
        command, rest = named(words)
        with click.Context(command) as context:  # files need to exist only when the command runs
            command.make_parser(context).parse_args(args=rest)


def test_pages_that_start_games_contain_command_lines() -> None:
    names = ("first-game", "eots", "qmg", "cbps", "network", "hosting", "mail", "opponents")
    expected = {"README.md", "docs/ssh.md", *(f"docs/manual/{name}.md" for name in names)}
    assert expected <= {page for page in PAGES if commands(page)}


def named(words: list[str]) -> tuple[click.Command, list[str]]:
    """Return the command that the words name, and the words after its name."""
    command: click.Command = program
    rest = list(words)
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        below = command.get_command(click.Context(command), rest.pop(0))
        assert below is not None, words
        command = below
    return command, rest


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(words, marks=pytest.mark.full if " ".join(words) not in QUICK else ())
        for words in commands("README.md")
        if words[0] not in INTERACTIVE
    ],
    ids=" ".join,
)
def test_non_interactive_commands_succeed(folder: Path, words: list[str]) -> None:
    files = [str(path.relative_to(folder)) for path in folder.glob("games/*.fplog")]
    expanded = [word for one in words for word in (files if "*" in one else [one])]
    done = run(expanded, folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("page", PAGES)
def test_links_and_pictures_resolve(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in target:
            assert ((ROOT / page).parent / target).exists(), target


def test_pictures_are_generated_by_the_program() -> None:
    picture = re.search(r"!\[[^]]*\]\((docs/img/\w+\.svg)\)", README)
    assert picture is not None
    assert "Generated with Rich" in (ROOT / picture[1]).read_text(encoding="utf-8")


def test_game_folders_match_the_manual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    if sys.platform == "linux":
        assert games_folder() == tmp_path / "flagplot" / "games"
        assert joined_folder() == tmp_path / "flagplot" / "joined"
    assert games_folder().parts[-2:] == ("flagplot", "games")
    records = (ROOT / "docs" / "manual" / "records.md").read_text(encoding="utf-8")
    assert "`games`" in records
    assert "`joined`" in records


def test_contents_listed_as_missing_are_not_available() -> None:
    """A scenario that is added must be removed from the list of missing ones."""
    known = {one.id for one in registry.ruleset("eots").scenarios()}
    assert known == {
        "campaign-1941", "1942", "1943", "1944", "1942-43", "1943-44", "1942-44", "short-campaign", "shorter-campaign",
        "south-pacific",
    }  # fmt: skip
    assert registry.games() == ("cbps", "eots", "qmg"), "add the game here and to the README"
    assert "Carrier Battle: Philippine Sea" in README


def test_example_workflow_pins_every_dependency() -> None:
    text = (ROOT / "docs" / "ci-verify.yml").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    uses = re.findall(r"uses: (.*)", text)
    assert len(uses) == 3
    assert [one for one in uses if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", one)] == []
    assert "latest" not in text
    assert re.findall(r"pip install (.*)", text) == [
        "--require-hashes --only-binary :all: --requirement verify/requirements.txt",
        f"--no-deps --no-index verify/flagplot-{project['version']}-py3-none-any.whl",
    ]
    (words,) = re.findall(r"run: flagplot (.*)", text)
    command, rest = named(shlex.split(words))
    with click.Context(command) as context:
        command.make_parser(context).parse_args(args=rest)
    codes = re.findall(r"^#   (\d)  ", text, re.MULTILINE)
    assert codes == sorted({str(code) for code in EXIT_CODES.values()} - {"0"})
    for pattern in re.findall(r'"([\w/.]+)\*\*"', text):
        assert pattern in {"games/", "verify/", ".github/workflows/"}


@pytest.mark.full
def test_files_of_the_example_workflow_can_be_built(tmp_path: Path) -> None:
    """The wheel needs a build tool, which may not be installed. The files to export always exist."""
    text = (ROOT / "docs" / "ci-verify.yml").read_text(encoding="utf-8")
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not installed")
    build, export = (
        [uv, *shlex.split(line.replace("GAMES", str(tmp_path)))]
        for line in re.findall(r"^#   uv (.*)$", text, re.MULTILINE)
    )
    made = subprocess.run(export, cwd=ROOT, check=False, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    needed = (tmp_path / "verify" / "requirements.txt").read_text(encoding="utf-8")
    assert "\nmsgspec==" in needed
    assert "flagplot" not in re.findall(r"^(\w+)==", needed, re.MULTILINE)
    built = subprocess.run(build, cwd=ROOT, check=False, capture_output=True, text=True)
    if built.returncode:
        pytest.skip("no build tool is at hand")
    assert {path.name for path in (tmp_path / "verify").iterdir()} == {
        "requirements.txt",
        re.findall(r"flagplot-[\w.]+-py3-none-any\.whl", text)[0],
    }


def test_step_lists_named_in_the_architecture_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    found = re.findall(r"`(\w+:\d+)`", text)
    registry.ruleset("qmg").scenarios()  # its cards can be read now
    assert found
    assert [name for name in found if name not in STEP_LISTS] == []


def test_both_readme_commands_exist() -> None:
    for name in ("flagplot", "flagplot-check"):
        assert re.search(rf"\n    uv run (--group dev )?{name}\n", README)
        assert shutil.which(name, path=str(Path(sys.executable).parent)), name
