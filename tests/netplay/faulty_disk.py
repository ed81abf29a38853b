"""The disk of a hosting folder, which tests fill or make read-only. Other folders are on another disk."""

import errno
import os
from pathlib import Path
from typing import Final

import pytest
from filelock import FileLock

from saves.files import Files

ERRORS: Final = {"full": errno.ENOSPC, "read-only": errno.EROFS}
WORDS: Final = {
    "full": "the host's disk is full",
    "read-only": "the host's disk is read-only",
}


class FaultyDisk:
    """The disk of one folder."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Intercept writes to a folder and its subfolders."""
        self.trouble = ""
        self._folder = folder
        self._handles: set[int] = set()
        opens, writes, lock = Files.open, Files.write, FileLock.acquire

        def open_file(files: Files, path: Path, flags: int) -> int:
            is_written = bool(flags & (os.O_WRONLY | os.O_RDWR)) and self._holds(path)
            if is_written and self.trouble == "read-only":
                raise self._error()
            handle = opens(files, path, flags)
            (self._handles.add if is_written else self._handles.discard)(handle)
            return handle

        def write(files: Files, handle: int, data: memoryview) -> int:
            if self.trouble and handle in self._handles:
                raise self._error()
            return writes(files, handle, data)

        def acquire(one: FileLock) -> object:
            if self.trouble == "read-only" and self._holds(Path(one.lock_file)):
                raise self._error()
            return lock(one)

        monkeypatch.setattr(Files, "open", open_file)
        monkeypatch.setattr(Files, "write", write)
        monkeypatch.setattr(FileLock, "acquire", acquire)

    def _holds(self, path: Path) -> bool:
        return path.is_relative_to(self._folder)

    def _error(self) -> OSError:
        number = ERRORS[self.trouble]
        return OSError(number, os.strerror(number))
