"""The contributor pages are short enough, and their links, files and functions exist."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
ARCHITECTURE: Final = ROOT / "docs" / "architecture.md"
GLOSSARY: Final = ROOT / "docs" / "glossary.md"
CONTRIBUTING: Final = ROOT / "CONTRIBUTING.md"
PAGES: Final = (ARCHITECTURE, GLOSSARY, CONTRIBUTING)
ROW: Final = re.compile(r"^\| `([\w/]+\.py)` \| `([\w.]+)` \|", re.MULTILINE)
"""A row of a walk: a file and a function, class or constant in it."""
TERM: Final = re.compile(r"^\| ([^|]+) \| ([^|]+) \| `([^|`]+)` \|$", re.MULTILINE)
MOST_WORDS: Final = {ARCHITECTURE: 2000, CONTRIBUTING: 2500, GLOSSARY: 1500}
MOST_TERMS: Final = 40
PLACEHOLDER: Final = "GAME"
"""Placeholder in a path for the name of a new game."""


def names(path: Path) -> Iterator[str]:
    """Yield what a module defines: functions, classes, methods as Class.method, and constants."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        match node:
            case ast.ClassDef():
                yield node.name
                functions = (ast.FunctionDef, ast.AsyncFunctionDef)
                yield from (f"{node.name}.{f.name}" for f in node.body if isinstance(f, functions))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.name
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case _:
                pass


def test_every_file_and_function_in_the_walkthroughs_exists() -> None:
    rows = ROW.findall(ARCHITECTURE.read_text(encoding="utf-8"))
    assert len(rows) > 50
    missing = [path for path, _ in rows if not (ROOT / path).is_file()]
    assert missing == []
    assert [row for row in rows if row[1] not in names(ROOT / row[0])] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_is_short_and_its_links_resolve(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(text.split()) < MOST_WORDS[page]
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        assert "://" in target or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_paths_in_pages_exist(page: Path) -> None:
    found = re.findall(r"`((?:[\w.-]+/)+[\w.-]*)`", page.read_text(encoding="utf-8"))
    missing = [path for path in found if not (ROOT / path).exists()]
    assert [path for path in missing if PLACEHOLDER not in path] == []


def test_the_glossary_is_sorted_and_short() -> None:
    text = GLOSSARY.read_text(encoding="utf-8")
    rows = TERM.findall(text)
    assert len(rows) == text.count("\n| ") - 2, "a row has three cells, the last one a path"
    terms = [term.casefold() for term, _, _ in rows]
    assert terms == sorted(set(terms))
    assert len(terms) < MOST_TERMS
    assert [row for row in rows if not row[1].endswith(".") or row[1].count(". ")] == []
