"""Files and folders that a command writes at its end, checked before it begins."""

import os
import tempfile
from pathlib import Path

from saves.errors import StorageError


def check_output_file(path: Path) -> None:
    """Accept a file that can be written later; creates nothing that stays and changes nothing.

    Raises:
        StorageError: It cannot be written.
    """
    try:
        if not path.exists():
            with tempfile.TemporaryFile(dir=path.parent):
                return
        if path.is_dir():
            raise StorageError(f"cannot write {path}: it is a folder")
        if not os.access(path, os.W_OK):
            raise StorageError(f"cannot write {path}: Permission denied")
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error


def check_output_folder(path: Path) -> None:
    """Accept a folder in which files can be written later; one that is missing is not made yet.

    Raises:
        StorageError: It cannot be made, or takes no files.
    """
    place = next((each for each in (path, *path.parents) if each.exists()), path)
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        raise StorageError(f"cannot write in {path}: {error.strerror or error}") from error
