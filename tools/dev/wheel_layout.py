"""Builds the wheel: moves all packages into ``flagplot`` and rewrites the names by which they refer to each other.

An installed program may add only one name to ``site-packages``, because other projects also have packages named
``tools`` or ``engine``. In the project folder, the packages keep their short names.

Hatchling loads this file as its build hook. Names are rewritten at the positions that the parser reports, never by
searching the text. A name that cannot be rewritten with certainty ends the build.
"""

import ast
import re
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from typing_extensions import override

TARGET: Final = "flagplot"
"""The package that holds all others in the wheel."""
PACKAGES: Final = ("engine", "saves", "play", "netplay", "tui", "tools")
LEFT_OUT: Final = (
    *("tools/bench", "tools/check.py", "tools/cmd_bench.py", "tools/dev"),
    "tools/robustness_series.py",
)
"""Files and folders that work only in the project folder."""
DATA: Final = frozenset({".fplog", ".json", ".md", ".script", ".txt", ".typed"})
"""Suffixes of the data files that belong in a wheel."""
CHECK_SCRIPT: Final = """\
#!/usr/bin/env python3
from tools.check import main

main()
"""
"""The command ``flagplot-check``, which is installed only together with the project folder."""

_ROOTS: Final = "|".join(PACKAGES)
_REFERENCE: Final = re.compile(rf"(?P<module>(?:{_ROOTS})(?:\.\w+)+)(?::\w+)?")
_MENTION: Final = re.compile(rf"(?<![\w./-])(?:{_ROOTS})(?:\.\w+)+")
_UNFINISHED: Final = re.compile(rf"(?:|.*-m )(?:{_ROOTS})(?:\.\w+)*\.", re.DOTALL)
_FROM: Final = re.compile(r"from +")
_QUOTE: Final = re.compile(r"[rRuU]?('''|\"\"\"|'|\")")
_BY_NAME: Final = frozenset(
    {"__import__", "files", "find_spec", "getLogger", "get_data", "import_module", "resolve_name"}
    | {"run_module"}
)
"""Functions that take the name of a module or package."""


class UnmappedNameError(ValueError):
    """A file contains a name that cannot be rewritten."""

    def __init__(self, path: PurePosixPath, line: int, problem: str) -> None:
        super().__init__(f"{path}:{line}: {problem}")


class ModuleLayout(NamedTuple):
    """The modules that exist, by their names in the project folder."""

    modules: Collection[str]
    """Modules and packages in the wheel."""
    left_out: Collection[str] = frozenset()
    """Modules and packages that are not in the wheel."""


class _Edit(NamedTuple):
    line: int
    """Line number from 1."""
    start: int
    """Column in characters, from 0."""
    end: int
    text: str


def rewrite(source: str, path: PurePosixPath, layout: ModuleLayout) -> str:
    """Return a module's source with all names rewritten for the wheel. Line numbers stay the same.

    Raises:
        UnmappedNameError: A name cannot be rewritten.
    """
    lines = source.split("\n")
    for edit in sorted(_Rewriter(source, path, layout).edits(), reverse=True):
        line = lines[edit.line - 1]
        lines[edit.line - 1] = line[: edit.start] + edit.text + line[edit.end :]
    result = "\n".join(lines)
    ast.parse(result, str(path))
    return result


class _Rewriter:
    """Finds the edits for one file."""

    def __init__(self, source: str, path: PurePosixPath, layout: ModuleLayout) -> None:
        self._path = path
        self._layout = layout
        self._source = source
        if "\r" in source:
            raise UnmappedNameError(path, 1, "lines must end with line feeds")
        self._lines = source.split("\n")
        self._tree = ast.parse(source, str(path))

    def edits(self) -> Iterator[_Edit]:
        """Yield the edits in no particular order."""
        yield from self._edits(self._tree, in_template=False)

    def _edits(self, node: ast.AST, *, in_template: bool) -> Iterator[_Edit]:
        match node:
            case ast.Expr(value=ast.Constant()):
                return  # a docstring, or a description of the attribute above
            case ast.Import():
                for alias in node.names:
                    yield from self._import_edits(alias)
            case ast.ImportFrom():
                yield from self._import_from_edits(node)
            case ast.Constant(value=str() | bytes()):
                yield from self._text_edits(node, in_template=in_template)
            case ast.Call():
                self._check_call(node)
            case ast.List() | ast.Tuple():
                self._check_command(node)
            case _:
                pass
        for child in ast.iter_child_nodes(node):
            yield from self._edits(
                child, in_template=in_template or isinstance(node, ast.JoinedStr)
            )

    def _import_edits(self, alias: ast.alias) -> Iterator[_Edit]:
        """Bind the same names as before: ``import engine.x`` binds ``engine``."""
        root = alias.name.partition(".")[0]
        if root not in PACKAGES:
            return
        self._check_module(alias.name, alias.lineno)
        line, start = self._place(alias)
        if not self._lines[line - 1].startswith(alias.name, start):
            raise self._error(line, "the name of the module is not written in one piece")
        end = start + len(alias.name)
        if alias.asname is not None:
            yield _Edit(line, start, start, f"{TARGET}.")
        elif alias.name == root:
            yield _Edit(line, start, end, f"{TARGET}.{root} as {root}")
        else:
            unused = f"_{TARGET}_{alias.name.replace('.', '_')}"
            text = f"{TARGET}.{alias.name} as {unused}, {TARGET}.{root} as {root}"
            yield _Edit(line, start, end, text)

    def _import_from_edits(self, node: ast.ImportFrom) -> Iterator[_Edit]:
        module = self._absolute(node)
        if module.partition(".")[0] not in PACKAGES:
            return
        self._check_module(module, node.lineno)
        for alias in node.names:
            if f"{module}.{alias.name}" in self._layout.left_out:
                raise self._error(
                    alias.lineno, f"{module}.{alias.name} is not in the wheel, but is imported"
                )
        if not node.level:
            line, start = self._place(node)
            beginning = _FROM.match(self._lines[line - 1], start)
            if beginning is None or not self._lines[line - 1].startswith(module, beginning.end()):
                raise self._error(line, "the name of the module is not written in one piece")
            yield _Edit(line, beginning.end(), beginning.end(), f"{TARGET}.")

    def _absolute(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self._path.with_suffix("").parts[: -node.level]
        if not parts:
            raise self._error(node.lineno, "the import leaves the package")
        return ".".join((*parts, *([node.module] if node.module else [])))

    def _check_module(self, name: str, line: int) -> None:
        if name in self._layout.left_out:
            raise self._error(line, f"{name} is not in the wheel, but is imported")
        if name not in self._layout.modules:
            raise self._error(line, f"there is no module {name}")

    def _text_edits(self, node: ast.Constant, *, in_template: bool) -> Iterator[_Edit]:
        assert isinstance(node.value, str | bytes)
        text = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
        reference = _REFERENCE.fullmatch(text)
        if reference is not None and reference["module"] in self._layout.left_out:
            raise self._error(node.lineno, f"{text} is not in the wheel, but is named")
        if reference is None or reference["module"] not in self._layout.modules:
            self._check_text(text, node.lineno)
            return
        line, start = self._place(node)
        quote = _QUOTE.match(self._lines[line - 1], start)
        if (
            in_template
            or quote is None
            or ast.get_source_segment(self._source, node) != quote[0] + text + quote[1]
        ):
            raise self._error(line, f"write {text} as one plain string, or relative to __package__")
        yield _Edit(line, quote.end(), quote.end(), f"{TARGET}.")

    def _check_text(self, text: str, line: int) -> None:
        """Refuse a text that contains a module's name together with other text."""
        if _UNFINISHED.fullmatch(text):
            raise self._error(
                line, f"the name that begins with {text!r} must be relative to __package__"
            )
        for mention in _MENTION.finditer(text):
            words = mention[0].split(".")
            for count in range(2, len(words) + 1):
                name = ".".join(words[:count])
                if name in self._layout.modules or name in self._layout.left_out:
                    raise self._error(line, f"a longer text contains the module name {name}")

    def _check_call(self, node: ast.Call) -> None:
        """Refuse a call that finds a package by its bare name, such as ``engine``, which is not rewritten."""
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name in _BY_NAME:
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                self._check_package_name(argument)

    def _check_command(self, node: ast.List | ast.Tuple) -> None:
        for word, following in pairwise(node.elts):
            if isinstance(word, ast.Constant) and word.value == "-m":
                self._check_package_name(following)

    def _check_package_name(self, node: ast.expr) -> None:
        if isinstance(node, ast.Constant) and node.value in PACKAGES:
            raise self._error(
                node.lineno, f"the package name {node.value!r} must be relative to __package__"
            )

    def _place(self, node: ast.expr | ast.stmt | ast.alias) -> tuple[int, int]:
        return node.lineno, self._column(node.lineno, node.col_offset)

    def _column(self, line: int, offset: int) -> int:
        """Convert the parser's offset in UTF-8 bytes into a column in characters."""
        text = self._lines[line - 1]
        return offset if text.isascii() else len(text.encode()[:offset].decode())

    def _error(self, line: int, problem: str) -> UnmappedNameError:
        return UnmappedNameError(self._path, line, problem)


def wheel_files(root: Path) -> Mapping[PurePosixPath, bytes]:
    """Return the contents of the files in the wheel, by their paths in it.

    Raises:
        UnmappedNameError: A name cannot be rewritten, or a file has no place in the wheel.
    """
    included, left_out = _module_names(root)
    layout = ModuleLayout(included, left_out)
    files: dict[PurePosixPath, bytes] = {}
    for path in _files(root):
        target = path if path.parts[0] == TARGET else TARGET / path
        if target in files:
            raise UnmappedNameError(path, 1, f"{target} exists twice")
        content = (root / path).read_bytes()
        if path.suffix == ".py":
            content = rewrite(content.decode(), path, layout).encode()
        elif path.suffix not in DATA:
            raise UnmappedNameError(path, 1, f"files with the suffix '{path.suffix}' are unknown")
        files[target] = content
    return files


def _files(root: Path, *, only_included: bool = True) -> Iterator[PurePosixPath]:
    for package in (TARGET, *PACKAGES):
        for file in sorted((root / package).rglob("*")):
            path = PurePosixPath(file.relative_to(root).as_posix())
            if "__pycache__" in path.parts or file.name.startswith(".") or file.is_dir():
                continue
            if not only_included or not _is_left_out(path):
                yield path


def _is_left_out(path: PurePosixPath) -> bool:
    return any(path.is_relative_to(place) for place in LEFT_OUT)


def _module_names(root: Path) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of the modules in the wheel, and of those that are left out."""
    names: dict[bool, set[str]] = {True: set(), False: set()}
    for path in _files(root, only_included=False):
        if path.suffix == ".py":
            module = path.parent if path.name == "__init__.py" else path.with_suffix("")
            names[_is_left_out(path)].add(".".join(module.parts))
    return frozenset(names[False]), frozenset(names[True])


class WheelLayout(BuildHookInterface[Any]):
    """Hatchling's hook. A wheel gets the rewritten files, and the project folder's environment gets its own command."""

    @override
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the files to a temporary folder and tell Hatchling to pack them."""
        self._folder = Path(tempfile.mkdtemp(prefix="flagplot-wheel-"))
        if version == "editable":
            script = self._folder / "flagplot-check"
            script.write_text(CHECK_SCRIPT, encoding="utf-8")
            build_data["shared_scripts"][str(script)] = script.name
            return
        for path, content in wheel_files(Path(self.root)).items():
            file = self._folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        build_data["force_include"][str(self._folder / TARGET)] = TARGET

    @override
    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder."""
        shutil.rmtree(self._folder)
