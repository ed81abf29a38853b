"""Renames, copies, deletes and exports record files.

Each operation includes the files stored next to a record, such as standing orders. Renaming, copying and deleting fail
while another program is writing the file.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from engine import registry
from engine.kernel.errors import DataError
from play.notes import NOTES_SUFFIX
from play.saved_draft import DRAFT_SUFFIX
from play.standing_orders import ORDERS_SUFFIX
from saves.errors import StorageError
from saves.files import FILES, replace_file
from saves.logfile import SUFFIX, lock_path, read_log
from saves.replay_check import locating_errors
from saves.snapshots import SUFFIX as SNAPSHOT_SUFFIX
from saves.textlog import text_lines

_LOCK_SUFFIX: Final = ".lock"
_ADOPTED_SUFFIXES: Final = frozenset({DRAFT_SUFFIX, NOTES_SUFFIX, ORDERS_SUFFIX})
"""Suffixes of companion files, which a game reads if they have the same name as its record."""
_COMPANION_ENDING: Final = re.compile(
    rf"({SNAPSHOT_SUFFIX}|\.[^.]+({'|'.join(sorted(_ADOPTED_SUFFIXES))}))(\.part)?"
)
"""Matches the part of a companion file's name after the record's name.

Another game's name may begin with this record's name.
"""


def newest_game(folder: Path) -> Path | None:
    """Return the most recently written record file in a folder, or None if the folder has no record files."""
    paths_by_time: list[tuple[float, Path]] = []
    for path in folder.glob(f"*{SUFFIX}") if folder.is_dir() else ():
        try:
            paths_by_time.append((path.stat().st_mtime, path))
        except OSError:
            continue
    return max(paths_by_time, default=(0.0, None))[1]


def game_names(folder: Path) -> list[str]:
    """Return the names of the record files in a folder, without suffix, in alphabetical order."""
    return sorted(path.stem for path in folder.glob(f"*{SUFFIX}")) if folder.is_dir() else []


def find_game(folder: Path, name: str) -> Path | None:
    """Return the record file of the game with this name in a folder; None if there is none. The suffix is optional."""
    path = folder / f"{name.removesuffix(SUFFIX)}{SUFFIX}"
    return path if path.parent == folder and path.is_file() else None


def rename_game(path: Path, name: str) -> Path:
    """Rename a record file within its folder and return the new path.

    Raises:
        DataError: The name is not a valid file name, or another file already has this name.
        LogInUseError: Another program is writing the file.
        StorageError: The file system reported an error.
    """
    target = _target_path(path, name)
    with _hold_lock(path):
        # Copy the companions first, so that they are next to the record whenever it exists.
        companions = _copy_companions(path, target)
        FILES.rename(path, target)
        FILES.sync_folder(path.parent)
        for file in companions:
            FILES.remove(file)
    return target


def copy_game(path: Path, name: str) -> Path:
    """Copy a record file within its folder and return the new path.

    Raises:
        DataError: The name is not a valid file name, or another file already has this name.
        LogInUseError: Another program is writing the file.
        StorageError: The file system reported an error.
    """
    target = _target_path(path, name)
    with _hold_lock(path):
        _copy_companions(path, target)
        replace_file(FILES, target, path.read_bytes())
    return target


def delete_game(path: Path) -> Path:
    """Delete a record file permanently and return its path.

    Raises:
        LogInUseError: Another program is writing the file.
        StorageError: The file system reported an error.
    """
    with _hold_lock(path):
        # Delete the record last, so that a crash leaves no files that the list of games does not
        # show.
        for file in (*_companion_files(path), path):
            file.unlink(missing_ok=True)
    path.with_name(path.name + _LOCK_SUFFIX).unlink(missing_ok=True)
    return path


def export_game(path: Path, target: Path) -> Path:
    """Export a record as text and return the path of the new file.

    Raises:
        DataError: The target file already exists.
        StorageError: Reading or writing failed.
        CorruptLogError: The record is damaged.
    """
    if target.exists():
        raise DataError(target.name, "", "a file with this name already exists")
    log = read_log(path)
    rules = registry.ruleset(log.header.game)
    with locating_errors(path.name, log.record_offsets):
        lines = "".join(f"{line}\n" for line in text_lines(rules, log.header, log.records))
    with _translate_errors(path):
        replace_file(FILES, target, lines.encode("utf-8", "replace"))
    return target


def _target_path(path: Path, name: str) -> Path:
    name = name.strip().removesuffix(SUFFIX)
    # A name with a slash would lead out of the folder. For NUL, file functions raise ValueError.
    if not name or name.startswith(".") or "/" in name or "\0" in name:
        raise DataError(name, "", "this is not a valid file name")
    target = path.with_name(name + SUFFIX)
    if target.exists():
        raise DataError(target.name, "", "a file with this name already exists")
    return target


def set_aside_leftovers(path: Path) -> None:
    """Rename orders, notes and drafts whose record does not exist, so that no new game uses them.

    Such files are left over from an interrupted operation or from a record that was moved by hand.

    Raises:
        StorageError: The file system reported an error.
    """
    with _translate_errors(path):
        for file in _companion_files(path):
            if file.suffix in _ADOPTED_SUFFIXES:
                FILES.rename(file, file.with_name(f"{file.name}.old"))


def _copy_companions(path: Path, target: Path) -> list[Path]:
    """Copy a record's companion files to a new name, and return the originals."""
    set_aside_leftovers(target)
    companions = _companion_files(path)
    for file in companions:
        companion_copy = target.with_name(target.name + file.name.removeprefix(path.name))
        replace_file(FILES, companion_copy, file.read_bytes())
    return companions


def _companion_files(path: Path) -> list[Path]:
    """Return the files that belong to a record, excluding the record itself."""
    return sorted(
        file
        for file in path.parent.iterdir()
        if file.name.startswith(path.name)
        and _COMPANION_ENDING.fullmatch(file.name.removeprefix(path.name))
    )


@contextmanager
def _translate_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(f"{path.name}: {error.strerror or error}") from error


@contextmanager
def _hold_lock(path: Path) -> Iterator[None]:
    """Hold a record's lock, so that no other program can write to the record."""
    with _translate_errors(path):
        lock = lock_path(path)
        try:
            yield
        finally:
            lock.release()
