"""The table of worked examples: every number in the rules reference is covered by a script or a test that names it."""

import re
from pathlib import Path

import pytest

from engine.eots.ch09_battle.strength import half_rounded_up, hits_scored

ROOT = Path(__file__).parents[3]
RULES = ROOT / "engine" / "eots" / "rules"
PAGE = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"\*\*(EX-?\d+-\d+)\*\*")
ROW = re.compile(r"^\| (EX-?\d+-\d+) \| (.*) \|$", re.MULTILINE)
ROWS = dict(ROW.findall(PAGE))
FILE = re.compile(r"`([^`]+\.(?:script|py))`")


def numbers() -> list[str]:
    """Return the numbers of all examples in the order of the reference."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(RULES.glob("*.md"))]
    return list(dict.fromkeys(number for text in texts for number in NUMBER.findall(text)))


def names_it(number: str, file: str) -> bool:
    """Return whether a file names an example in a comment, an id or the name of a test."""
    text = (ROOT / file).read_text(encoding="utf-8")
    bare = number.removeprefix("EX").removeprefix("-")
    written = rf"EX-?{bare}(?!\d)|ex_{bare.replace('-', '_')}(?!\d)"
    return re.search(written, text) is not None


def test_the_table_lists_every_example_once_and_in_order() -> None:
    assert [number for number, _ in ROW.findall(PAGE)] == numbers()


@pytest.mark.parametrize("number", numbers())
def test_listed_files_exist_and_name_the_example(number: str) -> None:
    files = FILE.findall(ROWS[number])
    assert files
    assert [file for file in files if not (ROOT / file).is_file()] == []
    assert [file for file in files if not names_it(number, file)] == []


def test_every_example_script_is_in_the_table() -> None:
    scripts = sorted((ROOT / "tests" / "scripts" / "eots").glob("ex-*.script"))
    assert [path.name for path in scripts if path.name not in PAGE] == []


@pytest.mark.parametrize(
    ("strength", "quarters", "rounded"),
    [
        pytest.param(47, 2, 24, id="EX-1-3-47-x-0.5"),
        pytest.param(9, 2, 5, id="EX-1-3-9-x-0.5"),
        pytest.param(9, 6, 14, id="EX-1-3-9-x-1.5"),
    ],
)
def test_fractions_are_rounded_up(strength: int, quarters: int, rounded: int) -> None:
    assert hits_scored(strength, quarters) == rounded


def test_half_a_defence_is_rounded_up() -> None:  # EX-1-3
    assert half_rounded_up(5) == 3
