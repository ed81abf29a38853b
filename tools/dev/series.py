"""Finds the tests and counts of each test series in the source code of the tests.

The mark ``series(ID)`` assigns a test to a series. Its counts are the calls of ``sized`` and ``sampled`` in the test
and in the constants, functions and fixtures that it uses, including those of other test modules.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from tools.anchors import ROOT

TESTS: Final = ROOT / "tests"
_SIZES: Final = ("full", "nightly")
_LEAVES: Final = (str(TESTS / "sizes.py"), str(TESTS / "conftest.py"))


class Marked(NamedTuple):
    """A marked test, or all tests of a file if the name is empty, with the smallest size that runs it."""

    path: str
    name: str
    size: str = "quick"


class Counted(NamedTuple):
    """What is counted, and the count at each size, as text."""

    of: str
    quick: str
    full: str
    nightly: str


class Series(NamedTuple):
    """All tests of one series, and their counts."""

    tests: tuple[Marked, ...]
    counts: tuple[Counted, ...]


class _Place(NamedTuple):
    """A name defined at the top level of a module."""

    path: Path
    name: str


class _Module(NamedTuple):
    parts: Mapping[str, tuple[ast.stmt, ...]]
    """The statements that define each name."""
    imports: Mapping[str, _Place]


@cache
def found(folder: Path = TESTS) -> Mapping[str, Series]:
    """Return the series of all tests in a folder, by id."""
    tests: dict[str, list[Marked]] = {}
    counts: dict[str, dict[Counted, None]] = {}
    for path in sorted(folder.rglob("test_*.py")):
        if "series(" not in path.read_text(encoding="utf-8"):
            continue
        for id, test in _marks(path):
            tests.setdefault(id, []).append(test)
            names = [test.name] if test.name else [n for n in _module(path).parts if _is_test(n)]
            for name in names:
                counts.setdefault(id, {}).update(dict.fromkeys(_counts(_Place(path, name))))
    return {id: Series(tuple(tests[id]), tuple(counts[id])) for id in tests}


def _is_test(name: str) -> bool:
    return name.lower().startswith("test")


def _marks(path: Path) -> Iterator[tuple[str, Marked]]:
    """Yield the series id and the test for every mark in a file."""
    short = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    for name, parts in _module(path).parts.items():
        if not _is_test(name) and name != "pytestmark":
            continue
        marks = [mark for part in parts for mark in _marks_of(part)]
        size = next((size for size in reversed(_SIZES) if size in _plain(parts)), "quick")
        for id in dict.fromkeys(mark for mark in marks):
            yield id, Marked(short, "" if name == "pytestmark" else name, size)


def _marks_of(part: ast.stmt) -> Iterator[str]:
    for node in _outside(part):
        match node:
            case ast.Call(func=ast.Attribute(attr="series"), args=words):
                yield from (str(ast.literal_eval(word)) for word in words)
            case _:
                pass


def _plain(parts: tuple[ast.stmt, ...]) -> set[str]:
    """Return the marks without arguments on a test itself; marks of single cases do not count."""
    marks: set[str] = set()
    for part in parts:
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            marks |= {one.attr for one in part.decorator_list if isinstance(one, ast.Attribute)}
    return marks


def _outside(part: ast.stmt) -> Iterator[ast.AST]:
    """Yield the decorators of a function or class, or all nodes of another statement.

    Function bodies are left out because the text in them may also mention marks.
    """
    if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        for decorator in part.decorator_list:
            yield from ast.walk(decorator)
    else:
        yield from ast.walk(part)


@cache
def _module(path: Path) -> _Module:
    parts: dict[str, tuple[ast.stmt, ...]] = {}
    imports: dict[str, _Place] = {}
    for part in ast.parse(path.read_text(encoding="utf-8")).body:
        for name in _defined(part):
            parts[name] = (*parts.get(name, ()), part)
        if isinstance(part, ast.ImportFrom) and (part.module or "").startswith("tests."):
            source = ROOT.joinpath(*(part.module or "").split(".")).with_suffix(".py")
            if str(source) not in _LEAVES and source.exists():
                imports |= {one.asname or one.name: _Place(source, one.name) for one in part.names}
    return _Module(parts, imports)


def _defined(part: ast.stmt) -> Iterator[str]:
    match part:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign(targets=targets):
            for target in targets:
                yield from (one.id for one in ast.walk(target) if isinstance(one, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case _:
            pass


def _counts(start: _Place) -> Iterator[Counted]:
    """Yield the counts of a test and of everything it uses."""
    seen, waiting = {start}, [start]
    while waiting:
        counted, used = _read(waiting.pop())
        yield from counted
        waiting += [place for place in used if place not in seen]
        seen.update(used)


@cache
def _read(place: _Place) -> tuple[tuple[Counted, ...], tuple[_Place, ...]]:
    """Return the counts in one definition and the definitions it uses. Cached, since tests share them."""
    module = _module(place.path)
    counted: list[Counted] = []
    used: dict[_Place, None] = {}
    for part in module.parts.get(place.name, ()):
        for node in ast.walk(part):
            if isinstance(node, ast.Call):
                counted += _counted(node)
            found = _used(module, place.path, node)
            if found is not None:
                used[found] = None
    return tuple(counted), tuple(used)


def _used(module: _Module, path: Path, node: ast.AST) -> _Place | None:
    """Return the definition that a name or a fixture argument refers to."""
    match node:
        case ast.Name(id=name) | ast.arg(arg=name):
            return _Place(path, name) if name in module.parts else module.imports.get(name)
        case _:
            pass
    return None


def _counted(call: ast.Call) -> Iterator[Counted]:
    words = {word.arg: word.value for word in call.keywords}
    of = str(ast.literal_eval(words["of"])) if "of" in words else ""
    match call.func, call.args:
        case ast.Name(id="sized"), [quick, full, *night]:
            yield Counted(of, _text(quick), _text(full), _text(night[0] if night else full))
        case ast.Name(id="sampled"), [_, quick, *full]:
            yield Counted(of, _text(quick), _text(full[0]) if full else "all", "all")
        case _:
            pass


def _text(node: ast.expr) -> str:
    """Return an integer literal as text, and ``all`` for any other expression."""
    match node:
        case ast.Constant(value=int(number)):
            return f"{number:,}"
        case _:
            pass
    return "all"
