"""Under ``python -O`` and ``-OO`` the program behaves the same and shows the same help."""

import ast
import builtins
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from engine import registry
from engine.kernel.docstrings import DOCSTRINGS_STRIPPED
from tests.patience import PATIENCE
from tests.tui.terminals import ROOT

PACKAGES: Final = ("engine", "netplay", "play", "saves", "tools", "tui")
HARMLESS: Final = {*dir(builtins), "pairwise", "keys", "values", "looks_ahead"}
"""Names that an assertion may call, because they change nothing."""
TEXTS: Final = """
import click
from engine import registry
from tools.check import main as check
from tools.cli import flagplot

def show(command, words):
    context = click.Context(command, info_name=words)
    print(command.get_help(context))
    for name in command.list_commands(context) if isinstance(command, click.Group) else ():
        show(command.get_command(context, name), f"{words} {name}")

show(flagplot, "flagplot")
show(check, "flagplot-check")
for game in registry.games():
    for verb in registry.ruleset(game).notation.verbs():
        print(verb.word, verb.summary)
"""
"""Prints every help text and the summary of every command of the games."""
NO_SOURCE: Final = """
import inspect

def none(_):
    raise OSError

inspect.getsource = none
"""


def ran(*words: str, lines: str = "") -> str:
    """Return the output of an interpreter, which must not report an error."""
    done = subprocess.run(
        [sys.executable, "-B", *words],
        check=False,
        capture_output=True,
        text=True,
        input=lines,
        timeout=PATIENCE,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.full
def test_help_texts_are_the_same_without_docstrings() -> None:
    usual, bare = ran("-c", TEXTS), ran("-OO", "-c", TEXTS)
    assert bare == usual
    assert DOCSTRINGS_STRIPPED not in usual


@pytest.mark.full
def test_help_without_docstrings_and_sources_explains_the_missing_texts() -> None:
    told = ran("-OO", "-c", NO_SOURCE + TEXTS)
    assert " ".join(told.split()).count(DOCSTRINGS_STRIPPED) > 1
    assert "--scenario" in told


def test_command_help_is_the_same_without_docstrings() -> None:
    program = "from tools.cli import main; main()"
    told = ran("-OO", "-c", program, "rules", "--help")
    assert told == ran("-c", program, "rules", "--help")
    assert "Print paragraphs of the rules reference" in told


@pytest.mark.full
@pytest.mark.parametrize("game", registry.games())
def test_play_verbs_are_explained_without_docstrings(game: str, tmp_path: Path) -> None:
    program = "from tools.cli import main; main()"
    words = ("-c", program, "play", game, "--plain", "--save")
    usual = ran(*words, str(tmp_path / "a.fplog"), lines="verbs\nquit\n")
    bare = ran("-OO", *words, str(tmp_path / "b.fplog"), lines="verbs\nquit\n")
    summary = registry.ruleset(game).notation.verbs()[0].summary
    assert summary in usual
    assert summary in bare
    assert DOCSTRINGS_STRIPPED not in bare


@pytest.mark.full
def test_behaviour_does_not_depend_on_assertions() -> None:
    found = []
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Assert) and not is_harmless(node):
                    found.append(f"{file.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}")
                if isinstance(node, ast.Name) and node.id == "__debug__":
                    found.append(f"{file.relative_to(ROOT)}:{node.lineno}: __debug__")
    assert found == []


def is_harmless(statement: ast.Assert) -> bool:
    """Return whether an assertion can be omitted without effect."""
    for node in ast.walk(statement.test):
        if isinstance(node, ast.NamedExpr | ast.Await):
            return False
        if isinstance(node, ast.Call):
            name = (
                node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
            )
            if name not in HARMLESS:
                return False
    return True
