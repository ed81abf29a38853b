"""Finds the process that has locked a file, and ends that process when another login takes over the game."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from saves.errors import LogInUseError

TAKEN_OVER: Final = signal.SIGUSR1
"""Sent to a running program when another login takes over the game. The program reports this and exits."""
_LOCKS: Final = Path("/proc/locks")
"""The kernel's list of all file locks; it does not exist on every system."""
_END_SECONDS: Final = 5.0
"""Seconds that a running program has to save and exit."""
_KILLED_SECONDS: Final = 3.0
_POLL_SECONDS: Final = 0.05


def lock_file(path: Path) -> Path:
    """Return the path of a file's lock file."""
    return path.with_name(path.name + ".lock")


def lock_holder(path: Path) -> int:
    """Return the id of the process that holds a file's lock; 0 if the file is unlocked or the id is unknown."""
    try:
        file_status = lock_file(path).stat()
        lines = _LOCKS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return 0
    lock_key = f"{os.major(file_status.st_dev):02x}:{os.minor(file_status.st_dev):02x}:{file_status.st_ino}"
    for line in lines:
        fields = line.split()
        # The line for a waiting process has '->' as its second field and is skipped.
        if "FLOCK" in fields[1:2] and lock_key in fields[4:] and fields[4].isdigit():
            return int(fields[4])
    return 0


def end_holder(path: Path, process: int) -> None:
    """End the program that has locked a file. If the program hangs, kill it.

    This takes up to eight seconds. No commands are lost, because they are already on disk. A program that still
    responds also saves its draft.

    Raises:
        LogInUseError: The program could not be ended, or another program has locked the file in the meantime.
    """
    with suppress(ProcessLookupError):
        try:
            for signal_number, seconds in (
                (TAKEN_OVER, _END_SECONDS),
                (signal.SIGKILL, _KILLED_SECONDS),
            ):
                # The lock is checked before each signal, because the holder may have exited and its
                # id may now belong to another process.
                if lock_holder(path) != process:
                    break
                os.kill(process, signal_number)
                _wait_until_free(path, process, seconds)
        except PermissionError as error:
            raise LogInUseError(path, process) from error
    holder = lock_holder(path)
    if holder:
        raise LogInUseError(path, holder)


def _wait_until_free(path: Path, process: int, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while lock_holder(path) == process and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
