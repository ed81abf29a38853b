"""Files whose nth operation fails with an error that real disks report."""

import errno
import threading
from collections.abc import Callable
from pathlib import Path

from typing_extensions import override

from saves.files import Files


class FaultyFiles(Files):
    """Counts the operations of one kind and makes one of them fail."""

    def __init__(self, at: int, fault: str) -> None:
        """Let the operation with this number, counted from 0, fail with this fault."""
        self._left = at
        self._fault = fault
        self.hit = False

    def _fails(self, operations: str) -> bool:
        if self._fault_operations() not in {operations, "any"} or self.hit:
            return False
        self._left -= 1
        if self._left >= 0:
            return False
        self.hit = True
        return True

    def _fault_operations(self) -> str:
        return {"EIO-sync": "sync", "EMFILE": "open", "EROFS": "open"}.get(self._fault, "write")

    def _error(self) -> OSError:
        number: int = getattr(errno, self._fault.split("-")[0])
        return OSError(number, f"made to fail with {self._fault}")

    @override
    def open(self, path: Path, flags: int) -> int:
        if self._fails("open"):
            raise self._error()
        return super().open(path, flags)

    @override
    def write(self, handle: int, data: memoryview) -> int:
        if not self._fails("write"):
            return super().write(handle, data)
        if self._fault == "SHORT":
            return super().write(handle, data[: max(1, len(data) // 2)])
        if self._fault == "EINTR":
            raise InterruptedError(errno.EINTR, "made to be interrupted")
        super().write(handle, data[: len(data) // 3])
        raise self._error()

    def _sync(self, really: Callable[[int], None], handle: int) -> None:
        if self._fails("sync"):
            raise self._error()
        really(handle)

    @override
    def sync_data(self, handle: int) -> None:
        self._sync(super().sync_data, handle)

    @override
    def sync(self, handle: int) -> None:
        self._sync(super().sync, handle)


class StuckFiles(Files):
    """A disk that does not answer until the test releases it."""

    def __init__(self) -> None:
        """Start in the stuck state."""
        self.entered = threading.Event()
        """Set when a thread waits for the disk."""
        self.released = threading.Event()

    @override
    def sync_data(self, handle: int) -> None:
        self.entered.set()
        self.released.wait()
        super().sync_data(handle)
