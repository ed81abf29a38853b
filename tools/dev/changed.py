"""Finds what a change can break: the files that depend on changed files, and their tests, nearest first.

A Python file depends on the modules that it imports and on the data files that it names. Because the registries load
modules by name, it also depends on modules named in its text. A test depends on the ``conftest.py`` files in its
folders.
"""

import re
import subprocess
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

import click

from tools.robustness_series import ROOT

PACKAGES: Final = ("engine", "saves", "play", "netplay", "tui", "tools", "flagplot", "tests")
BRANCH: Final = "main"
UNKNOWN_SECONDS: Final = 1.0
"""Estimated duration, in seconds, of a test file that has never run here. The mean is about 1.2 s, the median 0.3 s."""
_SNAPSHOTS: Final = "__snapshots__"
_SCRIPTS: Final = "test_scripts.py"
"""Test file that runs a game's scripts, which make up most of the tests of the game's rules."""


class Difference(NamedTuple):
    """The files that differ from a given commit, as paths in the repository."""

    base: str
    """Hash of the commit."""
    files: tuple[str, ...]
    """Files changed, added or deleted since the base, including uncommitted changes."""


class ChosenTests(NamedTuple):
    """The selection of test files for a run of limited length."""

    chosen: tuple[str, ...]
    left_out: tuple[str, ...]
    """Other test files that the change can affect, left out because there is not enough time."""


def find_changes(root: Path = ROOT) -> Difference:
    """Return the files that differ from the commit where this branch left the main branch.

    On the main branch itself, the base is the last pushed commit. If there is no remote, it is the current commit.

    Raises:
        click.ClickException: The folder is not a git repository with a commit.
    """
    base = _base(root)
    changed_paths = _git(root, "diff", "--name-only", "--no-renames", "-z", base, "--")
    new_paths = _git(root, "ls-files", "--others", "--exclude-standard", "-z")
    return Difference(
        base, tuple(sorted({*changed_paths.split("\0"), *new_paths.split("\0")} - {""}))
    )


def _base(root: Path) -> str:
    """Return the most recent commit that HEAD shares with the local or last fetched main branch."""
    current = _git(root, "rev-parse", "--abbrev-ref", "HEAD").strip()
    names = [f"origin/{BRANCH}"] + ([] if current == BRANCH else [BRANCH])
    merge_bases = [
        _git(root, "merge-base", "HEAD", name).strip()
        for name in names
        if _git(root, "rev-parse", "--verify", "--quiet", name, is_checked=False)
    ]
    if not merge_bases:
        return _git(root, "rev-parse", "HEAD").strip()
    return min(
        merge_bases, key=lambda base: int(_git(root, "rev-list", "--count", f"{base}..HEAD"))
    )


def _git(root: Path, *arguments: str, is_checked: bool = True) -> str:
    process = subprocess.run(
        ["git", *arguments], cwd=root, check=False, capture_output=True, encoding="utf-8"
    )
    if process.returncode and is_checked:
        raise click.ClickException(f"git {arguments[0]} failed: {process.stderr.strip()}")
    return process.stdout


class Dependencies:
    """The dependencies between a repository's Python files, derived from their source code."""

    def __init__(
        self, files: Iterable[str], root: Path = ROOT, packages: Sequence[str] = PACKAGES
    ) -> None:
        """Read the Python files among these files, which are given by their paths in the repository.

        Raises:
            click.ClickException: A file is not valid Python.
        """
        paths = sorted(files)
        self._folders: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        """For each file name, the areas (see ``_area``) of all files with this name."""
        for path in paths:
            self._folders[PurePosixPath(path).name].add(_area(path))
        self._sources = {
            path: (root / path).read_text(encoding="utf-8")
            for path in paths
            if path.endswith(".py") and (root / path).is_file()
        }
        self._files = {module_name(path): path for path in self._sources}
        self._roots = tuple(dict.fromkeys(name.partition(".")[0] for name in self._files))
        self._users: dict[str, set[str]] = defaultdict(set)
        """The files that depend directly on each file."""
        self._add_imports(packages)
        self._add_names()
        self._add_conftests()

    def _add_imports(self, packages: Sequence[str]) -> None:
        import grimp  # only contributors have this package
        from grimp.exceptions import SourceSyntaxError

        try:
            graph = grimp.build_graph(*packages, cache_dir=None)
        except SourceSyntaxError as error:
            raise click.ClickException(str(error)) from error
        for imported, path in self._files.items():
            if imported in graph.modules:
                for importer in graph.find_modules_that_directly_import(imported):
                    self._users[path].add(self._files.get(importer, path))

    def _add_names(self) -> None:
        for path, source in self._sources.items():
            for name in _dotted_names(source, self._roots):
                for named_file in self._resolve(name):
                    self._users[named_file].add(path)

    def _resolve(self, name: str) -> Iterator[str]:
        """Yield the files to which a dotted name refers. A part in braces, such as ``{game}``, matches any word."""
        if "{" in name:
            pattern = re.compile(re.sub(r"\{\w*\}", r"\\w+", name.replace(".", r"\.")))
            yield from (path for other, path in self._files.items() if pattern.fullmatch(other))
            return
        while name and name not in self._files:
            name = name.rpartition(".")[0]
        if name:
            yield self._files[name]

    def _add_conftests(self) -> None:
        for path in self._sources:
            for folder in PurePosixPath(path).parents if is_test(path) else ():
                if (conftest := str(folder / "conftest.py")) in self._sources:
                    self._users[conftest].add(path)

    def affected(self, changed: Iterable[str]) -> Mapping[str, int]:
        """Return the Python files that depend on changed files, each with its distance from the change.

        Changed Python files have distance 0. Files that use them directly have distance 1.
        """
        distances: dict[str, int] = {}
        for path in changed:
            if path in self._sources:
                distances[path] = 0
            else:
                for reader in self._readers(path):
                    distances.setdefault(reader, 1)
        queue = deque(sorted(distances, key=distances.__getitem__))
        while queue:
            path = queue.popleft()
            for user in sorted(self._users[path] - distances.keys()):
                distances[user] = distances[path] + 1
                queue.append(user)
        return distances

    def _readers(self, path: str) -> list[str]:
        """Return the Python files that name a data file or a deleted module."""
        pure_path = PurePosixPath(path)
        if _SNAPSHOTS in pure_path.parts:
            depth = pure_path.parts.index(_SNAPSHOTS)
            return self._existing_files(
                "/".join([*pure_path.parts[:depth], f"{pure_path.parts[depth + 1]}.py"])
            )
        if pure_path.suffix == ".py":
            package, name = ".".join(pure_path.parent.parts), pure_path.stem
            return self._files_matching(
                rf"\b{re.escape(module_name(path))}\b|from {re.escape(package)} import .*\b{name}\b",
                name,
            )
        readers = self._files_matching(rf"{re.escape(pure_path.name)}[\"']", pure_path.name)
        if not readers:  # the code may search the folder for files of this kind
            folders = "|".join(map(re.escape, pure_path.parent.parts[1:]))
            readers = (
                self._files_matching(rf"[\"'/]({folders})[\"'/]", pure_path.suffix)
                if folders and pure_path.suffix
                else []
            )
        # Several games may have files of the same name. Each file is read only by its own game's
        # code and tests.
        other_areas = self._folders[pure_path.name] - {_area(path)}
        return [
            reader
            for reader in readers
            if _area(reader) not in other_areas
            and (not _is_scripts(reader) or _area(reader) == _area(path))
        ]

    def _existing_files(self, path: str) -> list[str]:
        return [path] if path in self._sources else []

    def _files_matching(self, pattern: str, part: str) -> list[str]:
        """Return the files that contain a text and match a pattern. Searching for the text first is much faster."""
        regex = re.compile(pattern)
        return [
            path
            for path, source in self._sources.items()
            if part in source and regex.search(source)
        ]


def is_test(path: str) -> bool:
    """Return whether pytest collects tests from a file."""
    return PurePosixPath(path).name.startswith("test_") and path.endswith(".py")


def select(
    files: Iterable[str],
    distances: Mapping[str, int],
    seconds: Mapping[str, float],
    budget: float,
) -> ChosenTests:
    """Return the test files to run after a change: as many as fit into a budget of processor seconds.

    Changed test files always run. The scripts of a changed game come next, then the tests of changed packages, then all
    other tests. Within a group, tests nearer to the change come first. At equal distance, shorter tests come first.
    """
    changed = {_area(path) for path in files}

    def order(path: str) -> tuple[int, int, float, str]:
        is_own_area = _area(path) in changed
        group = (
            0
            if not distances[path]
            else 1
            if is_own_area and _is_scripts(path)
            else 2
            if is_own_area
            else 3
        )
        return group, distances[path], seconds.get(path, UNKNOWN_SECONDS), path

    tests = sorted((path for path in distances if is_test(path)), key=order)
    selected, left_out, total = [], [], 0.0
    for path in tests:
        needed_seconds = seconds.get(path, UNKNOWN_SECONDS)
        if distances[path] and total + needed_seconds > budget:
            left_out.append(path)
        else:
            selected.append(path)
            total += needed_seconds
    return ChosenTests(tuple(selected), tuple(left_out))


def _is_scripts(path: str) -> bool:
    return PurePosixPath(path).name == _SCRIPTS


def digests(root: Path = ROOT) -> Mapping[str, bytes]:
    """Return the digest of every file that git does not ignore, by path."""
    paths = (root / path for path in tracked_files(root))
    return {
        str(path.relative_to(root)): blake2b(path.read_bytes()).digest()
        for path in paths
        if path.is_file()
    }


def tracked_files(root: Path = ROOT) -> Collection[str]:
    """Return the paths of all files in the working tree that git does not ignore."""
    listing = _git(root, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    return [path for path in listing.split("\0") if path]


def _area(path: str) -> tuple[str, ...]:
    """Return the first two parts of a file's package, such as engine and qmg.

    For a test, return those of the package that it tests.
    """
    folders = PurePosixPath(path).parent.parts
    if folders[:2] == ("tests", "scripts"):
        return ("engine", *folders[2:3])
    return folders[1:3] if folders[:1] == ("tests",) else folders[:2]


def module_name(path: str) -> str:
    """Return the dotted name of a Python file."""
    parts = PurePosixPath(path).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _dotted_names(source: str, roots: Sequence[str]) -> Iterator[str]:
    """Yield the dotted names in a source text that begin with one of the repository's packages."""
    pattern = rf"(?<![\w./])(?:{'|'.join(map(re.escape, roots))})(?:\.(?:\w+|\{{\w*\}}))+"
    yield from dict.fromkeys(re.findall(pattern, source))
