"""Finds the tests and counts of each test series in the tests' source code.

The mark ``series(ID)`` assigns a test to a series. The counts come from the calls to ``sized`` and ``sampled`` in the
test and in the constants, functions and fixtures that the test uses, including those in other test modules.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from tools.robustness_series import ROOT

TESTS: Final = ROOT / "tests"
_SIZES: Final = ("full", "nightly")
_UNSEARCHED_FILES: Final = (str(TESTS / "sizes.py"), str(TESTS / "conftest.py"))


class MarkedTest(NamedTuple):
    """A marked test, and the smallest size at which it runs. An empty name means all tests in the file."""

    path: str
    name: str
    size: str = "quick"


class SeriesCount(NamedTuple):
    """One kind of thing that a series counts, such as games, and the count at each size, as text."""

    what: str
    quick: str
    full: str
    nightly: str


class Series(NamedTuple):
    """All tests of one series, and their counts."""

    tests: tuple[MarkedTest, ...]
    counts: tuple[SeriesCount, ...]


class _Definition(NamedTuple):
    """A name defined at the top level of a module."""

    path: Path
    name: str


class _Module(NamedTuple):
    definitions: Mapping[str, tuple[ast.stmt, ...]]
    """The statements that define each name."""
    imports: Mapping[str, _Definition]


@cache
def find_series(folder: Path = TESTS) -> Mapping[str, Series]:
    """Return the series of all tests in a folder, by id."""
    tests: dict[str, list[MarkedTest]] = {}
    counts: dict[str, dict[SeriesCount, None]] = {}
    for path in sorted(folder.rglob("test_*.py")):
        if "series(" not in path.read_text(encoding="utf-8"):
            continue
        for id, test in _marks(path):
            tests.setdefault(id, []).append(test)
            names = (
                [test.name]
                if test.name
                else [test_name for test_name in _module(path).definitions if _is_test(test_name)]
            )
            for name in names:
                counts.setdefault(id, {}).update(dict.fromkeys(_counts(_Definition(path, name))))
    return {id: Series(tuple(tests[id]), tuple(counts[id])) for id in tests}


def _is_test(name: str) -> bool:
    return name.lower().startswith("test")


def _marks(path: Path) -> Iterator[tuple[str, MarkedTest]]:
    """Yield the series id and the test of every mark in a file."""
    short = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    for name, definitions in _module(path).definitions.items():
        if not _is_test(name) and name != "pytestmark":
            continue
        marks = [mark for part in definitions for mark in _marks_of(part)]
        size = next(
            (size for size in reversed(_SIZES) if size in _unparametrised_marks(definitions)),
            "quick",
        )
        for id in dict.fromkeys(mark for mark in marks):
            yield id, MarkedTest(short, "" if name == "pytestmark" else name, size)


def _marks_of(statement: ast.stmt) -> Iterator[str]:
    for node in _decorators_or_statement(statement):
        match node:
            case ast.Call(func=ast.Attribute(attr="series"), args=ids):
                yield from (str(ast.literal_eval(id)) for id in ids)
            case _:
                pass


def _unparametrised_marks(definitions: tuple[ast.stmt, ...]) -> set[str]:
    """Return the test's own marks that have no arguments. Marks on single parameter cases are ignored."""
    marks: set[str] = set()
    for part in definitions:
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            marks |= {
                decorator.attr
                for decorator in part.decorator_list
                if isinstance(decorator, ast.Attribute)
            }
    return marks


def _decorators_or_statement(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the decorators of a function or class, or all nodes in any other statement.

    Function bodies are omitted, because they may contain text that looks like a mark.
    """
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        for decorator in statement.decorator_list:
            yield from ast.walk(decorator)
    else:
        yield from ast.walk(statement)


@cache
def _module(path: Path) -> _Module:
    definitions: dict[str, tuple[ast.stmt, ...]] = {}
    imports: dict[str, _Definition] = {}
    for part in ast.parse(path.read_text(encoding="utf-8")).body:
        for name in _defined_names(part):
            definitions[name] = (*definitions.get(name, ()), part)
        if isinstance(part, ast.ImportFrom) and (part.module or "").startswith("tests."):
            source = ROOT.joinpath(*(part.module or "").split(".")).with_suffix(".py")
            if str(source) not in _UNSEARCHED_FILES and source.exists():
                imports |= {
                    alias.asname or alias.name: _Definition(source, alias.name)
                    for alias in part.names
                }
    return _Module(definitions, imports)


def _defined_names(part: ast.stmt) -> Iterator[str]:
    match part:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign(targets=targets):
            for target in targets:
                yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case _:
            pass


def _counts(start: _Definition) -> Iterator[SeriesCount]:
    """Yield the counts of a test and of everything it uses."""
    visited, pending = {start}, [start]
    while pending:
        counted, used_definitions = _read(pending.pop())
        yield from counted
        pending += [definition for definition in used_definitions if definition not in visited]
        visited.update(used_definitions)


@cache
def _read(definition_site: _Definition) -> tuple[tuple[SeriesCount, ...], tuple[_Definition, ...]]:
    """Return a definition's counts and the definitions that it uses. Cached, because tests share definitions."""
    module = _module(definition_site.path)
    counted: list[SeriesCount] = []
    used_definitions: dict[_Definition, None] = {}
    for part in module.definitions.get(definition_site.name, ()):
        for node in ast.walk(part):
            if isinstance(node, ast.Call):
                counted += _test_counts(node)
            elif isinstance(node, ast.Name | ast.arg):
                definition = _used_definition(module, definition_site.path, node)
                if definition is not None:
                    used_definitions[definition] = None
    return tuple(counted), tuple(used_definitions)


def _used_definition(module: _Module, path: Path, node: ast.Name | ast.arg) -> _Definition | None:
    """Return the definition to which a name or fixture argument refers; None if there is none."""
    name = node.id if isinstance(node, ast.Name) else node.arg
    return _Definition(path, name) if name in module.definitions else module.imports.get(name)


def _test_counts(call: ast.Call) -> Iterator[SeriesCount]:
    keywords = {word.arg: word.value for word in call.keywords}
    unit = str(ast.literal_eval(keywords["of"])) if "of" in keywords else ""
    match call.func, call.args:
        case ast.Name(id="sized"), [quick, full, *night]:
            yield SeriesCount(
                unit,
                _literal_text(quick),
                _literal_text(full),
                _literal_text(night[0] if night else full),
            )
        case ast.Name(id="sampled"), [_, quick, *full]:
            yield SeriesCount(
                unit, _literal_text(quick), _literal_text(full[0]) if full else "all", "all"
            )
        case _:
            pass


def _literal_text(node: ast.expr) -> str:
    """Return an integer literal as text, and ``all`` for any other expression."""
    match node:
        case ast.Constant(value=int(number)):
            return f"{number:,}"
        case _:
            pass
    return "all"
