"""The few file operations that records need, in one place so that tests can make each of them fail."""

import os
from pathlib import Path

from saves.errors import StorageError


class Files:
    """The operating system's files, by descriptor."""

    def open(self, path: Path, flags: int) -> int:
        """Open a file; new ones are private to the user."""
        return os.open(path, flags | getattr(os, "O_CLOEXEC", 0), 0o600)

    def write(self, handle: int, data: memoryview) -> int:
        """Write some of the data at the end and return how many bytes."""
        return os.write(handle, data)

    def sync_data(self, handle: int) -> None:
        """Wait until the content and the length are on the disk."""
        getattr(os, "fdatasync", os.fsync)(handle)

    def sync(self, handle: int) -> None:
        """Wait until content and everything about the file are on the disk."""
        os.fsync(handle)

    def truncate(self, handle: int, size: int) -> None:
        """Cut the file to a size."""
        os.ftruncate(handle, size)

    def close(self, handle: int) -> None:
        """Let go of a descriptor."""
        os.close(handle)

    def rename(self, source: Path, target: Path) -> None:
        """Give a file its final name, replacing what had it."""
        source.replace(target)

    def sync_folder(self, folder: Path) -> None:
        """Wait until names in a folder are on the disk; some systems cannot and need not."""
        if os.name == "nt":
            return
        handle = self.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            os.fsync(handle)
        finally:
            self.close(handle)

    def read(self, path: Path) -> bytes:
        """Return the whole content."""
        return path.read_bytes()

    def size(self, path: Path) -> int:
        """Return the length in bytes."""
        return path.stat().st_size


FILES = Files()


def make_folder(folder: Path) -> None:
    """Make a folder and those above it; one that exists stays as it is.

    Raises:
        StorageError: The system refused.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot make {folder}: {error.strerror or error}") from error


def write_all(files: Files, handle: int, data: bytes) -> None:
    """Write every byte, however small the portions that the system takes.

    Raises:
        OSError: The system refused; some bytes may be in the file.
    """
    rest = memoryview(data)
    while rest:
        try:
            count = files.write(handle, rest)
        except InterruptedError:
            continue
        if count <= 0:
            raise OSError("the system wrote nothing and gave no reason")
        rest = rest[count:]


def replace_file(files: Files, path: Path, data: bytes) -> None:
    """Put content under a name such that after a power cut either all of it is there or none.

    Raises:
        OSError: The system refused; what had the name before is unchanged.
    """
    part = path.with_name(path.name + ".part")
    handle = files.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        write_all(files, handle, data)
        files.sync(handle)
    finally:
        files.close(handle)
    files.rename(part, path)
    files.sync_folder(path.parent)
