"""Checks in advance that a command will be able to write its output files and folders."""

import os
import tempfile
from pathlib import Path

from saves.errors import StorageError


def check_output_file(path: Path) -> None:
    """Check that a file can be written later, without changing anything.

    Raises:
        StorageError: The file cannot be written.
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
    """Check that files can be created in a folder later. If the folder does not exist, it is not created yet.

    Raises:
        StorageError: The folder cannot be created or written to.
    """
    existing_folder = next(
        (candidate for candidate in (path, *path.parents) if candidate.exists()), path
    )
    try:
        with tempfile.TemporaryFile(dir=existing_folder):
            pass
    except OSError as error:
        raise StorageError(f"cannot write in {path}: {error.strerror or error}") from error
