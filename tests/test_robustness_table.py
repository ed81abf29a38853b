"""The table of robustness tests names only what exists, and every anchor once."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "robustness.md").read_text(encoding="utf-8")
NAMED = re.compile(r"(tests/[\w/]+\.py)(?:::(\w+))?")
ROW = re.compile(r"^\| ([DPNSF]\d+) \| (.+?) \| (.+?) \|$", re.MULTILINE)
WITHOUT_OBJECT = {"F2", "F3", "F4", "F5", "F8", "F10"}


@cache
def names_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in tree.body if isinstance(node, functions))


def every_id() -> set[str]:
    lengths = {"D": 10, "P": 12, "N": 11, "S": 9, "F": 11}
    found = {f"{letter}{n}" for letter, most in lengths.items() for n in range(1, most + 1)}
    return found - WITHOUT_OBJECT


def test_every_anchor_has_one_row() -> None:
    ids = [found.group(1) for found in ROW.finditer(TEXT)]
    assert sorted(ids) == sorted(every_id())


@pytest.mark.parametrize(
    ("path", "name"), sorted(set(NAMED.findall(TEXT))), ids=lambda word: word.rpartition("/")[2]
)
def test_what_is_named_exists(path: str, name: str) -> None:
    assert (ROOT / path).is_file()
    if name and path != "tests/test_robustness_table.py":
        assert name.startswith("test_")
        assert name in names_in(path)


def test_a_row_without_a_test_says_that_nothing_is_tested() -> None:
    for number, what, tests in ROW.findall(TEXT):
        if not NAMED.search(tests):
            assert re.match(r"not tested|cannot be tested", what), number
