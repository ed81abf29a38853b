"""The table of robustness tests names what exists and is marked with the anchor, and every anchor once."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tools.check import CAMPAIGNS

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "robustness.md").read_text(encoding="utf-8").partition("\n## Sizes")[0]
NAMED = re.compile(r"(tests/[\w/]+\.py)(?:::(\w+))?")
ROW = re.compile(r"^\| ([DPNSF]\d+) \| (.+?) \| (.+?) \|$", re.MULTILINE)
WITHOUT_OBJECT = {"F2", "F3", "F4", "F5", "F8", "F10"}


def every_id() -> set[str]:
    lengths = {"D": 10, "P": 12, "N": 11, "S": 9, "F": 11}
    found = {f"{letter}{n}" for letter, most in lengths.items() for n in range(1, most + 1)}
    return found - WITHOUT_OBJECT


def test_every_anchor_has_one_row() -> None:
    ids = [found.group(1) for found in ROW.finditer(TEXT)]
    assert sorted(ids) == sorted(every_id())


@cache
def marks_in(path: str) -> dict[str, frozenset[str]]:
    """Return the ids that each test of a file is marked with; those of the whole file stand under its empty name."""
    found = {}
    for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                found[node.name] = _ids(*node.decorator_list)
            case ast.Assign(targets=[ast.Name(name)]) if name.startswith(("pytestmark", "Test")):
                found[name.removeprefix("pytestmark")] = _ids(node.value)
    return found


def _ids(*marks: ast.expr) -> frozenset[str]:
    calls = (node for mark in marks for node in ast.walk(mark) if isinstance(node, ast.Call))
    return frozenset(
        word.value
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == "campaign"
        for word in call.args
        if isinstance(word, ast.Constant) and isinstance(word.value, str)
    )


@pytest.mark.parametrize(
    ("number", "path", "name"),
    [
        (number, path, name)
        for number, _, tests in ROW.findall(TEXT)
        for path, name in NAMED.findall(tests)
    ],
)
def test_what_is_named_exists_and_is_marked(number: str, path: str, name: str) -> None:
    marks = marks_in(path)
    assert not name or name.lower().startswith("test")
    assert number in marks.get("", frozenset()) | (marks[name] if name else frozenset())


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("tests/**/test_*.py")), ids=lambda path: path.stem
)
def test_what_is_marked_is_named(path: Path) -> None:
    short = path.relative_to(ROOT).as_posix()
    for name, ids in marks_in(short).items():
        for number in ids:
            row = next(tests for each, _, tests in ROW.findall(TEXT) if each == number)
            assert (short, name) in NAMED.findall(row)


def test_every_anchor_with_a_test_is_a_campaign_of_the_night() -> None:
    assert [number for number, _, tests in ROW.findall(TEXT) if NAMED.search(tests)] == [*CAMPAIGNS]


def test_a_row_without_a_test_says_that_nothing_is_tested() -> None:
    for number, what, tests in ROW.findall(TEXT):
        if not NAMED.search(tests):
            assert re.match(r"not tested|cannot be tested", what), number
