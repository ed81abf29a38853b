"""A ``case`` binds its captures before its guard is evaluated: no code outside the case may read such a name."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("engine", "netplay", "play", "saves", "tools", "tui")
_GUARDED = re.compile(r"^\s+(case\b.*|\)|\]) if\b", re.MULTILINE)
"""Matches a guarded case. Files without one need no closer look."""
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _captures(case: ast.match_case) -> set[str]:
    """Return the names that the pattern of a case binds."""
    named = (ast.MatchAs, ast.MatchStar)
    found = {node.name for node in ast.walk(case.pattern) if isinstance(node, named)}
    return {name for name in found if name is not None}


def _own_names(node: ast.AST) -> set[str]:
    """Return the names that a case, a comprehension or an inner function binds for its own content."""
    if isinstance(node, ast.match_case):
        return _captures(node)
    if isinstance(node, _COMPREHENSIONS):
        targets = [part.target for part in node.generators]
        return {name.id for t in targets for name in ast.walk(t) if isinstance(name, ast.Name)}
    if isinstance(node, _SCOPES):
        return {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}
    return set()


def _reads(node: ast.AST, bound: frozenset[str]) -> Iterator[str]:
    """Yield the names that are read without being bound by a case, comprehension or inner function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Name):
            if isinstance(child.ctx, ast.Load) and child.id not in bound:
                yield child.id
        else:
            yield from _reads(child, bound | _own_names(child))


def leaks(source: str) -> list[str]:
    """Return the captures of guarded cases that the rest of their function reads."""
    found = list[str]()
    if not _GUARDED.search(source):
        return found
    for scope in ast.walk(ast.parse(source)):
        if not isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        read = set(_reads(scope, frozenset()))
        cases = (node for node in ast.walk(scope) if isinstance(node, ast.match_case))
        for case in cases:
            if case.guard is not None:
                found += [f"{case.pattern.lineno} {name}" for name in _captures(case) & read]
    return sorted(found)


def test_capture_that_outlives_its_guard_is_detected() -> None:
    assert leaks(
        "def f(x):\n  side = 1\n  match x:\n    case A(side=side) if ok:\n      pass\n  return side\n"
    ) == ["4 side"]
    assert not leaks(
        "def f(x):\n  match x:\n    case A(side=side) if ok:\n      return side\n  return 1\n"
    )


@pytest.mark.parametrize("package", PACKAGES)
def test_no_capture_outlives_its_guard(package: str) -> None:
    found = {
        str(path.relative_to(ROOT)): names
        for path in sorted((ROOT / package).rglob("*.py"))
        if (names := leaks(path.read_text(encoding="utf-8")))
    }
    assert not found
